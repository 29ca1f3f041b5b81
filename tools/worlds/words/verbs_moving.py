"""Verbs as people say them: to walk, to take, to put, to pour. Tables only."""

from __future__ import annotations

from tools.worlds.words.frames import GO, INTO, MOTIONS, POUR, PUT, TAKE, TO, Frame, Intent, roles
from tools.worlds.words.nouns import phrases

MOVING = (
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
            "arrange, lean, park, plonk, plunk, wedge, jam, sling, lock up, lock _ up, lock away, lock _ "
            "away, hide, "
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
            "take me outside, take us outside, bring me outside, let us out, get outside, run outside, exit the "
            "house, leave the building, exit the building, go out the "
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
        phrases(
            "teleport, teleport to, teleport into, beam to, warp to, teleport over to, teleport me to, beam, warp, "
            "jump to, zap to, zap yourself to, jump straight to"
        ),
        (Frame("teleport to"), Frame("go to", penalty=0.05)),
        roles("object", "to into in at"),
    ),
)
