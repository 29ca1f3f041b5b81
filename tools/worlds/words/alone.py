"""Commands without an object, and things that nobody can do here. Tables only."""

from __future__ import annotations

import re

from tools.worlds.words.nouns import phrases, words

ALONE: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "look": (
        ("look around", "look"),
        phrases(
            "look, look around, look about, have a look around, take a look around, have a look, take a "
            "look, look round,"
            "scan the room, survey the room, survey the area, scan the area, look around the room, examine the room,"
            "inspect the room, describe the room, look around here, check the room, examine surroundings, "
            "examine the surroundings,"
            "check surroundings, check the surroundings, check out the room, look at the room, look at "
            "surroundings, look at the surroundings,"
            "examine the area, look at your surroundings, check your surroundings, glance around, look all "
            "around, observe the room,"
            "survey surroundings, survey the surroundings, observe surroundings, observe the surroundings, "
            "have another look around,"
            "take another look around, look about the room, look at everything, look everywhere, search the "
            "room, inspect surroundings,"
            "inspect the surroundings, take in the surroundings, show me around, show me the room, explore "
            "the room, get your bearings,"
            "check the area, inspect the area, have a look around the room, take a look around the room, "
            "describe surroundings, look over the room, where am i, where are we, where am i now, where are we now"
        ),
    ),
    "inventory": (
        ("inventory",),
        phrases(
            "inventory, check inventory, show inventory, look at inventory, view inventory, open inventory, "
            "list inventory,"
            "check the inventory, check your inventory, check my inventory, show the inventory, show my "
            "inventory, show your inventory,"
            "show me the inventory, show me your inventory, show me my inventory, look at my inventory, look "
            "at your inventory, look at the inventory,"
            "view my inventory, view the inventory, view your inventory, check pockets, check my pockets, "
            "check your pockets, show me what you are carrying,"
            "show me what you have, show me what i have, show me what i am carrying, look in my pockets, "
            "look in your pockets, check your bag, check my bag,"
            "show me what you are holding, show me what i am holding, list what you are carrying, list what "
            "i am carrying, check what you are holding,"
            "check what you are carrying, check what i am holding, check what i am carrying, see what i am "
            "carrying, see what you are carrying,"
            "list your inventory, list my inventory, see what you are holding, see what i am holding, take "
            "inventory, look through your pockets,"
            "see what you have, see what i have, check what you have, list your things, look at what you are "
            "holding, look at what you are carrying,"
            "look at what i am carrying, look at what i am holding, tell me what you are carrying, tell me "
            "what you are holding, list the inventory,"
            "tell me what i am carrying, tell me what i am holding, inventory check, open the inventory, "
            "open your inventory, open my inventory, "
            "check your hands, look at your hands, see the inventory, see inventory, see my inventory, "
            "display inventory, display the inventory, empty pockets,"
            "do an inventory check, look through inventory, look in inventory, look in the inventory, look "
            "in your inventory, look in my inventory, do an inventory"
        ),
    ),
    "wait": (
        ("wait",),
        phrases(
            "hold on, hang on, hang tight, just wait, give it a minute, give it a moment, give it some time, "
            "give it time, let it be for a while, hold still, stay here, stay where you are, wait and see, "
            "wait some, wait up, hold your horses, do nothing for now, let it run, let it run for a while, "
            "let it heat, let it heat up, let it cool, let it cool down, let the time pass, rest, rest a "
            "while, rest for a while, take a rest, remain here, stand still, relax, chill out, be patient, "
            "wait patiently, linger, wait 10, wait ten, advance time, pass ten steps, let time go by, wait "
            "awhile, wait a few, wait a little more, keep waiting, continue waiting, wait again, "
            "wait, pass time, let time pass, do nothing, wait around, wait for a bit, wait a bit, wait a while,"
            "wait for a while, wait here, let some time pass, wait some time, wait for some time, pass the "
            "time, wait it out, idle,"
            "wait ten steps, wait 10 steps, wait some more, wait a little, wait a little longer, wait "
            "longer, wait more, hang around,"
            "sit tight, stand by, pass some time, kill time, hold on for a bit, stay put, let it sit, let it "
            "sit for a while, wait a couple of minutes,"
            "wait a few minutes, wait a minute, wait for a minute, wait for a few minutes, wait a few steps, "
            "wait for it, wait a few turns,"
            "wait until it is done, wait for it to finish, wait a little bit, wait for a little while, wait "
            "for a little bit, wait a little while"
        ),
    ),
    "task": (
        ("task",),
        phrases(
            "task, show task, show the task, show me the task, what is the task, what is my task, what is our task, "
            "what was the task, what was my task, remind me of the task, remind me of the goal, tell me the task, "
            "tell me the goal, what is the goal, what is my goal, what is our goal, what was the goal again, what was "
            "the task again, what was i supposed to do, what was i supposed to do again, what am i supposed to do, "
            "what are we supposed to do, read the task, check the task, repeat the task, what is the assignment, "
            "remind me what the task is, tell me what the task is, what is my task again, what is the task again, "
            "describe the task, task description, read the task description, look at the task, what is my mission"
        ),
    ),
    "reset": (
        ("reset task",),
        phrases(
            "reset, reset task, reset the task, start the task over, restart the task, start the task again, start the "
            "task from the beginning, begin the task again, reset everything, reset my task, restart task"
        ),
    ),
    "help": (
        ("help",),
        phrases(
            "help, show help, show the help, show me the help, list the commands, list commands, show the commands, "
            "show commands, show me the commands, what commands are there, which commands are there, what are the "
            "commands, list the available commands, show me the available commands, help menu, show the help menu, "
            "what are my options, open the help, bring up the help, display help, list my options, show me my options, "
            "list all commands, show available commands, tell me the commands, get help, ask for help"
        ),
    ),
    "wait1": (
        ("wait1", "wait"),
        phrases(
            "wait one step, wait 1 step, wait a step, wait one turn, wait 1 turn, wait a moment, wait a second,"
            "wait one moment, wait for a moment, wait for a second, wait for one step, wait for 1 step, wait "
            "a turn, wait just one step,"
            "wait a sec, wait one, wait 1, wait briefly, skip a turn, skip turn, wait for one turn, wait for "
            "1 turn, pause, pause for a moment, pause a moment,"
            "wait one second, wait 1 second, wait for a sec, wait a single step, wait for a single step, "
            "pass a turn, pass"
        ),
    ),
}
"""Actions without an argument: (world actions in order of preference, phrases that say them and nothing else)."""

NEVER = words(
    "dance jump sing kill attack fight climb hit break smash kick paint swim fly sleep burn destroy sell buy "
    "kiss hug punch stab shoot dig sew knit fix repair build hide ride marry tickle juggle lick smell sniff "
    "touch feel rub scratch bounce draw write type print photograph vacuum mop sweep iron fold dust decorate "
    "assemble dismantle rip tear crush squeeze bend blow spin rotate roll wear undress unwrap wrap measure weigh "
    "throw play listen call phone dial text email order summon cast levitate crawl teleport vanish explode "
    "hammer drill saw kneel bow wave peel pet stroke cuddle charge knock mash grate squash knead whip sharpen feed "
    "hatch "
    "pollinate fertilize fertilise prune trim shave comb tame train milk chase scare wake poke prod pinch slap "
    "insult shout "
    "yell scream whisper laugh cry smile wink nod meditate pray exercise stretch sneeze cough burp spit pee poop "
    "urinate "
    "knit crochet grind varnish glue tape staple nail inflate deflate pump refuel hire rent donate lend translate "
    "google "
    "download debug film calculate count solve sort organize organise tidy rename fluff flip recycle repaint sketch "
    "serve season salt marinate garnish frost compliment thank greet answer ring dismiss arrest guard hunt fish "
    "burgle rob bet gamble vote upgrade reboot braid"
)
"""Things people tell others to do that may have no action here; they are refused by name, not passed over as talk."""

INVENTORY = re.compile(
    r"(?:check|list|show|show me|tell me|see|let (?:me|us) see|look at|give me|name|read off|open|view|"
    r"display|print|let (?:me|us) look at|"
    r"go through|pull up|bring up|review)(?: the| my| your| our| a list of)?(?: inventory(?: list| now)?|"
    r"(?: what| everything| all| "
    r"whatever|things|stuff|items|belongings|possessions|gear| the things| the stuff| the items)(?: that| which)? "
    r"(?:i|you|we) (?:am |"
    r"are |have )?(?:currently |now )?"
    r"(?:got|carrying|holding|have|hold|carry)(?: on (?:me|you|us))?)$|(?:check|list|show|show me|look at|go "
    r"through|see|"
    r"tell me|let me see)(?: all)? (?:my|your|our) (?:belongings|possessions|things|stuff|items|gear|hands|pockets)$"
)
"""To name what is carried."""
SURVEY = re.compile(
    r"(?:give me a (?:rundown|description|overview|summary|survey) of|look in|look inside|look|look at|"
    r"look over|scan|survey|scope|scope out|check|check out|examine|inspect|observe|explore|"
    r"describe|case|study|view|search|"
    r"take in|size up)(?: the| this| our| my| your)?(?: whole| entire)? (?:room|place|area|surroundings|"
    r"vicinity|scene|environment|space|"
    r"location)(?: out| over| again)?$"
)
"""To look around, in as many words."""
IDIOM = re.compile(
    r"(?:(?:take|have|get|give|tell|do|play|sing)(?: me| us| yourself| him| her)? (?:a|an|some|the|my|your)?"
    r" ?(?:quick |nice |hot |long |short |little )?(?:nap|shower|walk|snooze|photo|picture of|selfie|phone call|joke|"
    r"story|bedtime story|dance|party|song|hug|kiss|drink of|massage|haircut|bath)|"
    r"(?:have|do|make|cook|bake|brew|fix|prepare)(?: me| us| yourself| him| her)? (?:a|an|some|the|my|your)?"
    r" ?(?:quick |nice |hot |little )?(?:cake|sandwich|coffee|tea|cuppa|cappuccino|espresso|latte|omelette|dinner|"
    r"lunch|breakfast|salad|soup|laundry|dishes|homework|money|pizza|smoothie|toast|fire|campfire|bonfire|"
    r"pancakes?|chores))\b"
    r"(?= ?(?:$|for|on|in|with|together|from|at|please|now|today)\b)|"
    r"(?:watch|see)(?: some| the| a)? (?:tv|telly|television|movie|film|news|show)\b|"
    r"(?:draw|paint|write|sketch)(?: me| us)?(?: a| an| some| another)? (?:nice )?(?:picture|portrait|letter|poem|"
    r"landscape)\b"
    r"(?= ?(?:$|for|on|in|with|together|from|at|please|now|today)\b)"
)
"""What people have, make and tell, and no world here knows."""
