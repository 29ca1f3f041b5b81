"""Verbs as people say them, and the actions of the worlds that they may mean. Tables only.

A phrase may hold a gap `_` for its object (`turn _ on`). A frame is a verb of the worlds with the roles of its
arguments in order; an intent tries its frames in order, so the first world verb that fits best wins ties.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tools.worlds.words.nouns import phrases

SHAPES: dict[str, tuple[str, ...]] = {
    "take": ("from",),
    "heat": ("with",),
    "cool": ("with",),
    "clean": ("with",),
    "slice": ("with",),
    "unlock": ("with",),
    "lock": ("with",),
    "move": ("to",),
    "connect": ("to",),
    "use": ("on",),
    "pour": ("into", "in"),
    "dunk": ("into", "in"),
    "insert": ("into",),
    "put": ("into", "onto", "in", "on"),
    "pick up": (),
    "put down": (),
    "go to": (),
    "teleport to": (),
    "look at": (),
    "look in": (),
    "look around": (),
    "focus on": (),
    "reset task": (),
}
"""World verb -> what may stand between its two arguments. A verb that is not here is one word with one argument."""


@dataclass(frozen=True)
class Frame:
    """A world verb and the roles of its arguments."""

    verb: str
    roles: tuple[str, ...] = ("object",)
    penalty: float = 0.0
    needs: str = ""
    """This frame is for sentences that fill that role (`take X to Y` puts it there)."""
    only_without: str = ""
    """This frame is for sentences that leave that role open (`put down X` has no place)."""


@dataclass(frozen=True)
class Intent:
    """What a verb of the person may mean."""

    name: str
    phrases: tuple[str, ...]
    frames: tuple[Frame, ...]
    prepositions: dict[str, str] = field(default_factory=dict)
    """Preposition -> role of what follows."""
    given: dict[str, str] = field(default_factory=dict)
    """Role -> what the verb says by itself: `microwave the potato` names the tool."""
    direct: str = "object"
    """The role of what stands right behind the verb."""


def roles(role: str, prepositions: str) -> dict[str, str]:
    return dict.fromkeys(prepositions.split(), role)


INTO = "down in into inside on onto to at under over atop within upon against beside near by"
WITH = "with in using on inside at under by via through from"
PUT = (
    Frame("move", ("object", "place")),
    Frame("put", ("object", "place")),
    Frame("insert", ("object", "place")),
    Frame("pour", ("object", "place"), 0.1, needs="place"),
    Frame("put down", only_without="place"),
    Frame("drop", only_without="place"),
)
TAKE = (
    Frame("take", ("object", "place")),
    Frame("pick up"),
)
GO = (Frame("go to"), Frame("teleport to", penalty=0.01), Frame("go", penalty=0.02))
EXAMINE = (Frame("examine"), Frame("look at"))
USE = Frame("use", ("tool", "object"), 0.05, needs="tool")
HEAT = (Frame("heat", ("object", "tool")), USE, Frame("activate", penalty=0.1))
COOL = (Frame("cool", ("object", "tool")),)
POUR = (Frame("pour", ("object", "place")),)

MOTIONS = phrases(
    "hop, mosey, swing, trot, shuffle, stroll, wander, jog, sprint, dash, race, zoom, scoot, march, rush, "
    "hurry, step, run,"
    "walk, head, go, pop, skip, stride, tiptoe, sneak, roll, drive, journey, trek, cross, climb, crawl, "
    "bounce, fly, slide,"
    "advance, proceed, nip, amble, saunter, creep, pace, bolt, speed, hike, ride, jump, drift, waltz, slip, "
    "roam, cruise,"
    "move, return, travel, navigate, get, come, venture, scurry, wheel, steer, veer, migrate, strut, plod, "
    "hobble, hustle"
)
TO = phrases(
    "to, on to, into, toward, towards, back to, back into, on over to, up to, back over to, right to, "
    "straight to, directly to"
)
"""Every way to move, with every way to say where to."""

INTENTS = (
    Intent(
        "activate",
        phrases(
            "run the water, run water, turn on the water, turn the water on, start the water, let the water "
            "run, get the water running,"
            "open the tap, open the faucet, turn on some water, get some water running, switch on the water, "
            "switch the water on, let water run"
        ),
        (Frame("activate"),),
        given={"object": "sink"},
    ),
    Intent(
        "deactivate",
        phrases(
            "turn off the water, turn the water off, stop the water, shut off the water, switch off the "
            "water, close the tap, close the faucet"
        ),
        (Frame("deactivate"),),
        given={"object": "sink"},
    ),
    Intent(
        "measure",
        tuple(
            f"{verb} {the}thermometer {to}"
            for verb in (
                "put",
                "stick",
                "place",
                "insert",
                "dip",
                "hold",
                "point",
                "stuff",
                "push",
                "apply",
                "set",
                "use",
                "get",
            )
            for the in ("", "the ", "that ", "your ", "my ")
            for to in ("in", "into", "inside", "on", "onto", "to", "at", "against")
        ),
        (Frame("use", ("tool", "object"), 0.05),),
        given={"tool": "thermometer"},
    ),
    Intent(
        "go",
        phrases("want, find, locate, look for, search for, try, hunt for, let us try, give _ a try, give _ a go"),
        (Frame("go to", penalty=0.1), Frame("teleport to", penalty=0.12)),
    ),
    Intent("go", tuple(f"{verb} {to}" for verb in MOTIONS for to in TO), GO, roles("object", "to into toward towards")),
    Intent(
        "take",
        phrases(
            "arm yourself with, equip yourself with, furnish yourself with, avail yourself of, yoink, cop, "
            "bring, borrow, rescue, harvest, take, grab, get, pick up, pick _ up, pick, fetch, "
            "snatch, collect, retrieve, lift, lift up, "
            "lift _ up, obtain,"
            "acquire, bring me, hand me, give me, pass me, take out, take _ out, get out, get _ out, pull "
            "out, pull _ out,"
            "remove, take hold of, get hold of, grab hold of, go get, go grab, go fetch, go and get, go and "
            "grab, go take,"
            "fish out, fish _ out, scoop up, scoop _ up, hand over, hand _ over, pass over, pass _ over, "
            "pass, hand, snap up, toss me, throw me, hold on to, hang on to, hang onto, hold onto, get your hands on, "
            "lay your hands on, lay hands on, get a hold of, get ahold of, take ahold of, take possession "
            "of, take away, take _ away, take along, take _ along, bring _ along, bring along, bring me "
            "over, reach for, reach out for, i could use, keep, have, carry, procure, secure, grip, grasp, "
            "clasp, bag, pocket, loot, claim, try to get, take over, snatch up, snatch _ up, "
            "reclaim, get back, get _ back, take back, take _ back, go for, bring out, bring _ out, slide "
            "out, slide _ out, lift off, lift _ off, take off, take _ off, carry off, pick off, go after, "
            "snag, nab, swipe, pluck, gather, gather up, take "
            "up, withdraw,"
            "extract, pull, i need, i want, i will have, pick out, get me, fetch me, grab me, bring over, "
            "pick me up, hold,"
            "go pick up, yank, need, want, i will take, i would like, go find, find me, lift out, lift _ "
            "out, dig out, draw, seize, clutch, steal, nick, help yourself to, pilfer"
        ),
        TAKE,
        roles("place", "from off in on at inside out into within under near by"),
    ),
    Intent(
        "put",
        phrases(
            "stow, put, place, set, drop, leave, stick, stuff, insert, shove, move, set down, set _ down, put "
            "down, put _ down,lay, lay down, lay _ down, deposit, throw, toss, store, stash, return, bring, "
            "carry, transfer, hang, hang up,hang _ up, rest, position, pop, slide, put away, put _ away, put "
            "back, put _ back, plop, drop off, drop _ off,chuck, dispose of, relocate, slip, tuck, install, "
            "plant, bury, let go of, release, place down,place _ down, place back, place _ back, bring back, "
            "bring _ back, load, pile, stack, dump, shift, add, deliver,sit, drag, push, tip, fling, lob, "
            "keep, arrange, lean, park, plonk, plunk, wedge, jam, sling, lock up, lock _ up, lock away, lock _ away, hide, "
            "sprinkle, scatter, drizzle, squeeze, bung, nestle, prop, perch, balance"
        ),
        PUT,
        roles("place", f"{INTO} with beside alongside"),
    ),
    Intent(
        "put",
        phrases("take, get, grab, pick up"),
        (Frame("move", ("object", "place"), needs="place"), Frame("put", ("object", "place"), needs="place")),
        roles("place", "into onto to"),
    ),
    Intent(
        "go",
        phrases(
            "go out, go outside, step outside, head outside, walk outside, get out, walk out, leave the "
            "house, head out, step out,"
            "take me outside, take us outside, bring me outside, let us out, get outside, run outside, exit the house, leave the building, exit the building, go out the "
            "door, go outdoors"
        ),
        GO,
        given={"object": "outside"},
    ),
    Intent(
        "put",
        phrases("leave _ behind, ditch, abandon, part with, jettison, discard"),
        (Frame("put down"), Frame("drop"), Frame("move", ("object", "place"), 0.05)),
    ),
    Intent(
        "take",
        phrases("choose, select, opt for, settle on"),
        (Frame("take", ("object", "place"), 0.05), Frame("pick up", penalty=0.05)),
    ),
    Intent(
        "put",
        phrases("take"),
        (Frame("move", ("object", "place"), 0.04, needs="place"),),
        roles("place", "in on inside"),
    ),
    Intent(
        "put",
        phrases("get rid of, dispose of, throw away, throw _ away"),
        (Frame("put down", penalty=0.05), Frame("drop")),
    ),
    Intent(
        "throw away",
        phrases(
            "get rid of, dispose of, throw away, throw _ away, throw out, throw _ out, bin, trash, toss "
            "out, toss _ out, toss _ away, discard"
        ),
        PUT,
        given={"place": "garbage can"},
    ),
    Intent(
        "pour",
        phrases("pour, pour out, pour _ out, empty, empty out, empty _ out, tip, dump, spill, drain, dump out"),
        POUR,
        roles("place", INTO),
    ),
    Intent(
        "dunk",
        phrases("dunk, dip, submerge, immerse, soak"),
        (Frame("dunk", ("object", "place")),),
        roles("place", INTO),
    ),
    Intent(
        "fill",
        phrases("fill, fill up, fill _ up, refill"),
        (Frame("dunk", ("object", "place")),),
        roles("place", "with from in at using"),
    ),
    Intent(
        "go",
        phrases(
            "go, go to, go over to, go on to, go into, go in, go inside, go back to, go back, go through, go "
            "on over to, walk,"
            "try your luck at, try your luck in, try your luck with, walk over to, walk to, walk into, walk "
            "back to, walk through, head, head to, head over to, head "
            "for, head into,"
            "head back to, head on over to, move to, move over to, move into, move towards, move toward, "
            "enter, approach,"
            "leave to, get in, visit, come to, come, proceed to, travel to, travel, run to, run over to, "
            "step into, step over "
            "to, step to,"
            "step up to, return to, navigate to, navigate, get to, get over to, get into, stroll to, stroll "
            "over to, wander"
            " to, wander over to, make your way to, relocate to, move yourself to, get yourself to, take "
            "yourself to, direct yourself to, position yourself at, put yourself at, move closer to, get "
            "closer to, move near, move near to, make for, take a walk to, go for a walk to, go and stand "
            "at, go stand in, go see, go find, find your way to, lead me to, lead us to, bring us to, guide "
            "me to, move on to, move along to, transport yourself to, walk me to, shift to, be at, move back "
            "to, move on over to, go up, go near, go near to, go close to, walk near, come near, proceed, "
            "travel, get near, get near to, move next to, go around to, turn to, switch to,  hop over to, "
            "drive to, leave for, leave through, exit "
            "to, exit through,"
            "bring yourself to, swing by, goto, sprint to, dash to, race to, zoom to, go stand by, go stand "
            "at, stand by, stand at, pop over to, pop into, run, jog to,"
            "pass through, cross to, step through, go up to, go down to, go toward, go towards, walk up to, "
            "walk towards,"
            "walk toward, move along to, take me to, take us to, bring me to, get going to, mosey to, mosey "
            "over to, get moving to, get going to, get on over to, follow me to, follow us to, go stand "
            "near, go and stand near, stand near, run along to, be in, be inside, be over at, take the door "
            "to, take the door into, use the door to, go through the door to, exit into, make a beeline "
            "for, beeline for, head off for, set off for, set out for, make tracks "
            "for, scoot to, scoot over to, march to, rush to, hurry to, exit, go check"
        ),
        GO,
        roles("object", "to into in inside at toward towards over through by"),
    ),
    Intent(
        "teleport",
        phrases("teleport, teleport to, teleport into, beam to, warp to, teleport over to, teleport me to, beam, warp"),
        (Frame("teleport to"), Frame("go to", penalty=0.05)),
        roles("object", "to into in at"),
    ),
    Intent(
        "open",
        phrases(
            "open, open up, open _ up, pull open, pull _ open, slide open, unseal, crack open, unclose, "
            "swing open, pop open,"
            "go open, push open, swing _ open, get _ open, have _ open, have _ opened, get _ opened, "
            "unlatch, prop open, leave _ open, make _ open, crack _ open, slide _ open, uncover, throw open"
        ),
        (Frame("open"),),
    ),
    Intent(
        "open",
        phrases("unlock, uncork, unscrew, pop, pry open, pry _ open, jimmy open, unzip, undo"),
        (Frame("open", penalty=0.05),),
    ),
    Intent(
        "go",
        phrases(
            "sit down on, sit down in, sit down at, sit in, sit on, sit at, lie down on, lie on, lie down in, lie in, "
            "stand on, take a seat on, take a seat in, have a seat on, have a seat in, take a seat at, lean on, pull up to"
        ),
        (Frame("go to"),),
        roles("object", "in on at"),
    ),
    Intent(
        "go",
        phrases("begin at, start at, begin in, start in, start from, begin from, start over at, begin over at"),
        (Frame("go to"),),
    ),
    Intent(
        "flush",
        phrases("pull the chain, pull the handle, pull the lever, flush"),
        (Frame("flush"),),
        given={"object": "toilet"},
    ),
    Intent("close", phrases("plug, plug up, stop up, block, stopper"), (Frame("close"),)),
    Intent("go", ("want",), (Frame("use", penalty=0.12),)),
    Intent(
        "close",
        phrases(
            "close, close up, close _ up, shut, seal, push closed, get _ closed, get _ shut, have _ closed, "
            "pull _ closed, swing _ shut, swing _ closed, make _ closed, close off, close _ off, slide _ "
            "shut, bang _ shut, slide shut, pull shut, push _ shut, slam,"
            "slam shut, pull _ shut, push _ closed, go close"
        ),
        (Frame("close"),),
    ),
    Intent("open", phrases("let _ out, free, unleash, let _ in"), (Frame("open"),)),
    Intent(
        "activate",
        phrases("fill, fill up, fill _ up, fill _ with water, start filling"),
        (Frame("activate", penalty=0.1),),
    ),
    Intent(
        "search",
        phrases("look for, search for, hunt for, find, check for, see if _ is, rummage for, search, see whether _ is"),
        tuple(
            Frame(verb, ("place",), 0.01 * rank, needs="place")
            for rank, verb in enumerate(("open", "look in", "examine", "go to"))
        ),
        roles("place", "in inside on at under by near within into"),
    ),
    Intent(
        "put",
        phrases(
            "let _ slide, let _ roll, let _ go, let _ fall, let _ drop, make _ slide, start _ sliding, roll, slide"
        ),
        (Frame("move", ("object", "place"), needs="place"),),
        roles("place", INTO),
    ),
    Intent(
        "water",
        phrases(
            "water, irrigate, moisten, wet, hydrate, give _ some water, give _ a drink, give _ water, spray, sprinkle"
        ),
        (Frame("pour", ("object", "place")),),
        roles("object", "with from using"),
        {"object": "water"},
        direct="place",
    ),
    Intent(
        "water",
        phrases("water, irrigate, moisten, wet, give _ some water, give _ a drink, give _ water, spray"),
        (Frame("pour", ("object", "place"), 0.05),),
        given={"object": "jug"},
        direct="place",
    ),
    Intent("lock", ("lock",), (Frame("lock", ("object", "tool")),), roles("tool", WITH)),
    Intent("unlock", ("unlock",), (Frame("unlock", ("object", "tool")),), roles("tool", WITH)),
    Intent(
        "heat",
        phrases(
            "heat, heat up, heat _ up, warm, warm up, warm _ up, cook, bake, reheat, toast, roast, boil, "
            "fry, melt, cook up, grill, make _ hot, make _ warm, get _ hot, get _ warm, preheat, turn up, "
            "turn _ up, let _ heat up, let _ warm up, let _ cook, let _ boil, heat through, warm through, "
            "run _ through, make _ hotter, make _ warmer"
        ),
        HEAT,
        roles("tool", WITH),
    ),
    Intent("heat", phrases("microwave, nuke, zap"), HEAT, roles("tool", WITH), {"tool": "microwave"}),
    Intent(
        "cool",
        phrases(
            "cool, cool down, cool _ down, chill, freeze, cool off, cool _ off, ice, chill down, chill _ "
            "down, make _ cold, make _ cool, get _ cold, make _ colder, make _ cooler, let _ cool, let _ "
            "cool down, let _ cool off, let _ chill, let _ freeze"
        ),
        COOL,
        roles("tool", WITH),
    ),
    Intent("cool", phrases("refrigerate, fridge"), COOL, roles("tool", WITH), {"tool": "fridge"}),
    Intent(
        "clean",
        phrases(
            "clean, wash, rinse, scrub, wipe, clean up, clean _ up, clean off, clean _ off, wash off, wash _ off,"
            "wash up, wash _ up, rinse off, rinse _ off, rinse out, rinse _ out, wash out, wash _ out, wipe "
            "off, wipe _ off,"
            "wipe down, wipe _ down, give _ a wash, give _ a rinse, give _ a clean, give _ a scrub, "
            "make _ clean, get _ clean, freshen, freshen up, freshen _ up, bathe, hose down, sponge down, "
            "degrease, disinfect, sanitize, polish, rinse down"
        ),
        (Frame("clean", ("object", "tool")),),
        roles("tool", WITH),
    ),
    Intent(
        "slice",
        phrases(
            "shred, julienne, slice, cut, chop, carve, dice, cut up, cut _ up, chop up, chop _ up, slice up, slice _ up, cut open, mince"
        ),
        (Frame("slice", ("object", "tool")), USE),
        roles("tool", WITH),
    ),
    Intent(
        "activate",
        phrases(
            "turn on, turn _ on, switch on, switch _ on, activate, start, start up, start _ up, fire up, "
            "fire _ up, power, power on, crank _ on, crank on, crank, turn to on, set _ to on, put _ to on, get _ on,"
            "power _ on, power up, power _ up, light, light up, light _ up, ignite, enable, run, flip on, "
            "flip _ on, flip,"
            "toggle, click on, click _ on, use, operate, press, put on, put _ on, get _ going, get _ "
            "running, crank up,"
            "crank _ up, begin, trigger, engage, hit, fire, boot up, boot _ up, flick on, flick _ on, get _ "
            "started, set _ going, set _ running, set _ in motion, set _ off"
        ),
        (Frame("activate"), Frame("turn on"), Frame("use")),
    ),
    Intent(
        "deactivate",
        phrases(
            "turn off, turn _ off, switch off, switch _ off, deactivate, stop, shut off, shut _ off, power "
            "off, power _ off,"
            "power down, power _ down, shut down, shut _ down, disable, kill, flip off, extinguish, cut off, "
            "put out, put _ out,"
            "douse, flick off, flick _ off, flip _ off, halt, turn down, turn _ down, quit"
        ),
        (Frame("deactivate"), Frame("turn off")),
    ),
    Intent(
        "apply",
        phrases("use, apply, try, utilize"),
        (
            Frame("use", ("tool", "target")),
            *(Frame(verb, ("target", "tool"), 0.05, needs="target") for verb in ("heat", "cool", "clean", "slice")),
        ),
        roles("target", "on with to against in for onto at upon"),
        direct="tool",
    ),
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
            "look at the contents of, look at what is in, look at what is on, look at what is inside, look under, look underneath, look behind, look below, "
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
            "chug, slurp, scoff, guzzle, swig, sample, wolf, "
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
            "chop, chop up, chop _ up, cut _ up, cut _ down, chop _ down, chop down, cut, cut up, cut down, split, hack, hack at, hew, fell, cleave, whack, strike, hit"
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
"""Everything with an argument. Two intents may share a phrase: what fits the world decides."""
