"""The step that brings a wish into reach: walking to where it is to be done, opening what is in the way."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from tools.worlds.words.choose import Chooser
from tools.worlds.words.frames import Frame, Intent
from tools.worlds.words.mentions import Mention, match, mention, same
from tools.worlds.words.readings import Reading
from tools.worlds.words.surroundings import Surroundings

BEHIND = re.compile(r"\ba door to the ([a-z ]+?) \(that is")
LOOKING = ("examine", "look in", "read")
WALK = Intent("go", (), (Frame("go to"),))
OPEN = Intent("open", (), (Frame("open"),))
APPLIANCES = {"heat": "microwave", "cool": "fridge", "clean": "sink"}
"""What does it where nothing else is said."""
BESIDE = frozenset(("with", "near", "beside", "alongside", "by", "against"))
CARRYING = ("take", "bring", "carry", "get", "deliver", "haul", "lug", "fetch", "run", "return", "transport")


def first(words: Sequence[str], ways: Sequence[Reading], chooser: Chooser) -> tuple[str, bool]:
    """(the action, is the wish done by it); the action is empty where no step helps."""
    here = chooser.here
    for way in ways:
        if way.intent.name in LOOKING and (steps := chooser.choose([replace(way, intent=WALK)]).actions):
            return steps[0], False
        if way.intent.name == "go" and (door := _door(way, here)):
            return door, False
        if way.intent.name in ("open", "close") and (door := _door(way, here, way.intent.name)):
            return door, True
        if words[0] in CARRYING and (take := _taken(way, chooser)):
            return take, False
        if (place := _where(way, chooser)) and (step := _into_reach(place, way, chooser)):
            return step, False
    beside = ways if BESIDE & set(words) else ()
    return next((step for way in beside if (step := _beside(way, chooser))), ""), True


def _taken(way: Reading, chooser: Chooser) -> str:
    """`bring the book to the desk`, where it has to be taken first."""
    here = chooser.here
    if here.world != "alfworld" or way.intent.name != "put" or not way.direct or "place" not in dict(way.others):
        return ""
    if way.direct[0].pronoun or _holds(way, chooser):
        return ""
    take = chooser.choose(
        [Reading(Intent("take", (), (Frame("take", ("object", "place")),)), "take", way.direct)]
    ).actions
    going = chooser.choose([Reading(WALK, "go", (dict(way.others)["place"],))]).actions
    return take[0] if len(take) == 1 and going else ""


def _into_reach(place: Mention, way: Reading, chooser: Chooser) -> str:
    """The step that brings the place into reach; empty where there is none."""
    here = chooser.here
    at_it = bool(here.place) and bool(chooser.fit(place, here.place))
    tries = [WALK] if way.intent.name in ("open", "close") else [OPEN, WALK] if at_it else [WALK, OPEN]
    if way.intent.name == "close" and at_it:
        return ""
    found = (chooser.choose([Reading(intent, intent.name, (place,))]).actions for intent in tries)
    step = next((actions[0] for actions in found if len(actions) == 1), "")
    return step if not place.pronoun or here.parse(step).args[:1] == chooser.antecedents[:1] else ""


def _where(way: Reading, chooser: Chooser) -> Mention | None:
    """Where something is to be done that cannot be done from here: a place for what is held, what is to be opened."""
    name = way.intent.name
    if name in ("open", "close", "look in"):
        return way.direct[0] if way.direct else None
    place = next((what for role, what in way.others if role in ("place", "tool")), None)
    if name == "take":
        return place
    if not _holds(way, chooser) or name not in ("put", "throw away", *APPLIANCES):
        return None
    given = APPLIANCES.get(name) or way.intent.given.get("place", "")
    return place or (mention(given.split()) if given else None)


def _holds(way: Reading, chooser: Chooser) -> bool:
    """Also by half a name (`the roll`), where that names nothing else."""
    if not way.direct:
        return False
    what, held = way.direct[0], chooser.here.holding
    if any(chooser.fit(what, thing) for thing in held):
        return True
    half = [thing for thing in held if what.base and set(what.base) <= same(chooser.here.name(thing).base)]
    return len(half) == 1 and not any(match(what, name) for name in chooser.here.names)


def _beside(way: Reading, chooser: Chooser) -> str:
    """`put the mug next to the pencil`: down here, where the pencil is."""
    here = chooser.here
    beside = dict(way.others).get("place")
    if here.world != "alfworld" or way.intent.name != "put" or not way.direct or not beside:
        return ""
    near = [act.args[0] for act in here.acts("take") if act.args[1:] == (here.place,)]
    near += [name.text for name in here.names if f" {name.text}" in here.observation and name.text != here.place]
    kinds = [here.name(thing).base for thing in here.holding] if beside.other and not beside.base else [beside.base]
    near = [thing for thing in near if thing not in here.holding]
    fits = any(
        match(replace(beside, base=kind, other=False, pronoun=False, every=False), here.name(t))
        for t in near
        for kind in kinds
    )
    down = chooser.choose([replace(way, others=())]).actions if fits else ()
    return down[0] if len(down) == 1 else ""


def _door(way: Reading, here: Surroundings, verb: str = "open") -> str:
    """`open door to kitchen` for `go to the kitchen`; empty where no closed door leads there."""
    words = {word for what in way.direct for word in what.words} - {"door"}
    doors = ((act.text, here.name(act.args[0])) for act in here.acts(verb) if act.args)
    seen = BEHIND.findall(here.observation)
    behind = set(seen[0].split()) if len(seen) == 1 else set()  # the only door is called nothing but that
    named = ((action, {*name.base, *name.rest, *(behind if name.text == "door" else ())}) for action, name in doors)
    found = [action for action, known in named if "door" in known and words and words <= known]
    return found[0] if len(found) == 1 else ""


def doors(ways: Sequence[Reading], here: Surroundings) -> tuple[str, ...]:
    """`open the kitchen and the hallway`: a door for each of them; empty where one has none."""
    for way in ways:
        if way.intent.name in ("open", "close") and len(way.direct) > 1:
            found = [_door(replace(way, direct=(what,)), here, way.intent.name) for what in way.direct]
            return tuple(found) if all(found) else ()
    return ()


def carried(words: Sequence[str], ways: Sequence[Reading], chooser: Chooser) -> tuple[str, ...]:
    """`take the axe to the kitchen`, where one can walk: it is picked up and carried there; else empty."""
    here = chooser.here
    if here.world != "scienceworld" or words[0] not in CARRYING:
        return ()
    for way in ways:
        place = dict(way.others).get("place")
        if way.intent.name != "put" or not way.direct or not place:
            continue
        going = Intent("go", (), (Frame("go to"), Frame("teleport to", penalty=0.05)))
        walk = chooser.choose([Reading(going, "go", (place,))]).actions
        held = [thing for thing in here.holding if chooser.fit(way.direct[0], thing)]
        taking = Intent("take", (), (Frame("pick up"),))
        take = () if held else chooser.choose([Reading(taking, "take", way.direct)]).actions
        taken = bool(held) or any(here.parse(action).args[:1] == chooser.antecedents[:1] for action in take)
        if len(walk) == 1 and (taken or len(take) == 1):
            return (*(() if taken else take), *walk)
    return ()


def exits(here: Surroundings) -> tuple[str, ...]:
    """Where one can go from a room with doors; the doors to be opened where none stands open."""
    rooms = {act.args[0]: act.text for act in here.acts("go to") if act.args}
    doors = [text for text in rooms if "door" in text.split()]
    named = [rooms[text] for text in rooms if text not in doors]
    closed = [act.text for act in here.acts("open") if act.args and "door" in act.args[0].split()]
    return tuple(named or [rooms[text] for text in doors] or closed)
