"""Verbs as people say them: to open, to heat, to clean, to switch. Tables only."""

from __future__ import annotations

from tools.worlds.words.frames import COOL, HEAT, INTO, USE, WITH, Frame, Intent, roles
from tools.worlds.words.nouns import phrases

DOING = (
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
        phrases("unlock, uncork, unscrew, pop, crack, pry open, pry _ open, jimmy open, unzip, undo"),
        (Frame("open", penalty=0.05),),
    ),
    Intent(
        "go",
        phrases(
            "sit down on, sit down in, sit down at, sit in, sit on, sit at, lie down on, lie on, lie down in, lie in, "
            "stand on, take a seat on, take a seat in, have a seat on, have a seat in, take a seat at, lean on, "
            "pull up to"
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
            "shred, julienne, slice, cut, chop, carve, dice, cut up, cut _ up, chop up, chop _ up, slice up, slice "
            "_ up, cut open, mince"
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
)
