"""Verbs as people say them: to measure, to look, to read, to focus; and to eat, mix, connect. Tables only."""

from __future__ import annotations

from tools.worlds.words.frames import EXAMINE, INTO, TAKE, WITH, Frame, Intent, roles
from tools.worlds.words.nouns import phrases

NOTICING = (
    Intent(
        "measure",
        phrases(
            "measure the temperature of, measure temperature of, take the temperature of, check the temperature of,"
            "measure, get the temperature of, read the temperature of, test the temperature of, get a "
            "temperature reading of,"
            "get a temperature reading on, get a temperature reading from, find the temperature of, check "
            "temperature of,"
            "find out the temperature of, measure how hot, measure how warm, measure how cold, check how "
            "hot, check how warm,"
            "check how cold, find out how hot, see how hot, see how cold, see how warm, determine the temperature of,"
            "get a reading of, take a reading of, take temperature of, measure the heat of, record the "
            "temperature of,"
            "read temperature of, measure the temp of, check the temp of, take the temp of, get the temp of, "
            "temp check, test, gauge the temperature of, gauge, probe, find out how warm, find out how cold, "
            "take a temperature reading of, take a temperature reading on, take a temperature reading from, "
            "get a temperature on, get a temp on, determine how hot, monitor the temperature of, monitor, "
            "note the temperature of, obtain the temperature of, see the temperature of, learn the "
            "temperature of, look at the temperature of, do a temperature check on, read off the temperature "
            "of, check temp of, take temp of, take a temperature of, see what temperature, check what "
            "temperature, find out what temperature, measure what temperature"
        ),
        (Frame("use", ("tool", "object")),),
        roles("tool", "with using by via"),
        {"tool": "thermometer"},
    ),
    Intent(
        "examine with lamp",
        phrases("examine, inspect, look at, check, check out, study, view, read, look over, hold"),
        (Frame("use", ("tool",), 0.05, needs="tool"),),
        roles("tool", "under with using by in beneath below"),
    ),
    Intent(
        "examine",
        phrases(
            "go look, go and look, go have a look, take a look, have a look, examine, inspect, look at, "
            "check, check out, check _ out, study, view, observe, look over, look _ over,"
            "have a look at, take a look at, look closely at, peer at, see, give _ a look, give _ a closer "
            "look, give _ an inspection, admire, eyeball, give _ a once over, give _ a glance, let me see, "
            "let us see, show me, "
            "take a peek at,"
            "have a peek at, look upon, describe, scan, analyze, check on, look on, peek at, glance at, tell "
            "me about,"
            "take a closer look at, have a closer look at, get a closer look at, look, check up on, investigate, eye,"
            "go look at, go check, go check out, take a good look at, have a gander at, stare at, gaze at, watch"
        ),
        EXAMINE,
        roles("object", "at on over"),
    ),
    Intent(
        "look in",
        phrases(
            "dig through, sift through, root through, root around in, poke around in, riffle through, go through, "
            "look in, look inside, look into, look inside of, peek in, peek inside, peek into, check in, "
            "check inside, search, look through,"
            "search in, search through, search inside, rummage through, rummage in, see inside, see what is "
            "in, see what is inside, check what is in,"
            "check what is inside, look what is in, look what is inside, have a look in, have a look inside, "
            "take a look in, take a look inside,"
            "peer into, peer in, peer inside, explore, check the contents of, view the contents of, see what is on,"
            "check what is on, show me what is in, show me what is inside, show me what is on, inspect the "
            "contents of,"
            "look at the contents of, look at what is in, look at what is on, look at what is inside, look under, "
            "look underneath, look behind, look below, "
            "check under, check behind, check underneath, check below, search under, peek under, search behind"
        ),
        (Frame("look in"), Frame("open"), Frame("examine", penalty=0.04), Frame("look at", penalty=0.1)),
    ),
    Intent(
        "read",
        phrases("read, read through, skim, have a read of, peruse, read over, read up on"),
        (Frame("read"), Frame("examine", penalty=0.1), Frame("look at", penalty=0.1)),
    ),
    Intent(
        "eat",
        phrases(
            "chug, slurp, scoff, guzzle, swig, sample, "
            "polish off, polish _ off, tuck into, finish off, finish _ off, dig into, eat, taste, drink, "
            "swallow, bite, have a bite of, consume, munch on, munch, nibble, sip, chew, "
            "devour, gobble, chow down on, ingest, try eating, feast on, scarf, wolf down, gulp, quaff, lick up,"
            "take a bite of, take a sip of, drink up, eat up, gobble up, snack on, drink from, bite into, "
            "have a taste of, gulp down, try eating"
        ),
        (Frame("eat"), Frame("drink")),
    ),
    Intent(
        "mix",
        phrases(
            "mix, stir, blend, combine, mix up, mix _ up, mix together, mix _ together, stir up, stir _ up, shake,"
            "mix the contents of, stir the contents of, mix the stuff in, mix everything in, blend the contents of,"
            "combine the contents of, mix what is in, stir what is in, combine what is in, mix the things "
            "in, combine everything in,"
            "mix the ingredients in, stir the ingredients in, combine the ingredients in, stir everything "
            "in, mix the chemicals in,"
            "give _ a stir, swirl, whisk, mix around, stir around"
        ),
        (Frame("mix"),),
        roles("object", "in inside"),
    ),
    Intent(
        "focus",
        phrases(
            "make _ your focus, make _ your target, make _ my focus, focus on, focus, concentrate on, pay "
            "attention to, zero in on, turn your attention to, turn "
            "attention to, give your attention to, direct your focus to, direct focus to, shift your "
            "attention to, shift attention to, keep your eyes on, keep an eye on, keep focus on, set the "
            "focus to, set focus to, set the focus on, set your focus on, place focus on, turn your focus "
            "to, turn focus to, move your focus to, move focus to, switch focus to, change focus to, fix "
            "your attention on, lock onto, lock focus on, make _ the focus, bring _ into focus, focus your "
            "mind on, focus all your attention on, center on, designate, give _ your attention, direct "
            "attention to, direct attention to, direct your "
            "attention to,"
            "set focus on, put focus on, put the focus on, choose, select, attend to, target, focus in on, fix on,"
            "focus your attention on, put your focus on, shift focus to, pick out, mark, single out, hone in "
            "on, lock on to"
        ),
        (Frame("focus on"),),
        roles("object", "on"),
    ),
    Intent(
        "connect",
        phrases(
            "connect, hook up, hook _ up, hook, attach, wire, wire up, wire _ up, link, join, plug, plug in, "
            "plug _ in, link up,"
            "fasten, clip, tie, couple, run a wire from, join up, solder, put together"
        ),
        (Frame("connect", ("object", "place")),),
        roles("place", "to with into onto on and"),
    ),
    Intent(
        "disconnect",
        phrases("disconnect, unhook, detach, unplug, unwire, unlink, decouple, unclip, remove the connection of"),
        (Frame("disconnect"),),
        roles("from", "from"),
    ),
    Intent(
        "flush",
        phrases(
            "flush, pull the handle on, pull the handle of, push the handle on, pull the lever on, pull the chain of"
        ),
        (Frame("flush"),),
    ),
    Intent("kick", ("kick",), (Frame("kick"),)),
    Intent(
        "ignite",
        phrases("ignite, light, light up, torch, set _ alight, singe, burn"),
        (Frame("use", ("tool", "object"), 0.05),),
        roles("tool", WITH),
        {"tool": "lighter"},
    ),
    Intent(
        "chop",
        phrases(
            "chop, chop up, chop _ up, cut _ up, cut _ down, chop _ down, chop down, cut, cut up, cut down, split, "
            "hack, hack at, hew, fell, cleave, whack, strike, hit"
        ),
        (Frame("use", ("tool", "object"), 0.05),),
        roles("tool", WITH),
        {"tool": "axe"},
    ),
    Intent(
        "chop",
        phrases("break, break open, break _ open, smash, smash open, smash _ open, crush, bash, crack, crack open"),
        (Frame("use", ("tool", "object"), 0.05, needs="tool"),),
        roles("tool", WITH),
    ),
    Intent(
        "dig",
        phrases("dig, dig up, dig into, dig in"),
        (Frame("use", ("tool", "object"), 0.05),),
        roles("tool", WITH),
        {"tool": "shovel"},
    ),
    Intent("activate", phrases("flick, throw, push, tap, work, toggle, pull"), (Frame("activate", penalty=0.1),)),
    Intent(
        "put",
        phrases("replant, repot, transplant, shelve, dock"),
        (Frame("move", ("object", "place")),),
        roles("place", INTO),
    ),
    Intent(
        "take",
        phrases("catch, trap, capture, whip out, whip _ out, free up, scoop, unearth, root out, winkle out, unscrew"),
        TAKE,
        roles("place", "from off in on at out of"),
    ),
)
