"""Household games from a seed, for ALFWorld's engine: a machine without the data set has endless winnable ones.

A room is one of the package's floor plans; what lies in it is drawn anew for each game, up to three of a kind, where
the package's tables allow it and as often on a table or in a drawer as in the official games.
"""

from __future__ import annotations

import random
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from tools.worlds.alfworld_engine import Game, names
from tools.worlds.household_rooms import (
    DECOR,
    FLAT,
    FloorPlan,
    Household,
    Receptacle,
    Thing,
    can_be,
    constants,
    holds,
    logic,
    mangled,
    plans,
    problem,
    somewhere,
)
from tools.worlds.world import UnknownTask, nearest


@dataclass(frozen=True)
class Kind:
    """One of the six kinds of task."""

    says: str
    goals: list[str]
    """How the official games say it."""
    rooms: dict[str, int]
    """Room -> how often, as in the official games."""
    change: str = ""
    """`Cleanable`, ...: what the thing must be made."""
    changer: str = ""
    """The receptacle that does it."""
    verb: str = ""
    count: int = 1


_TABLES = tomllib.loads(Path(__file__).with_name("household.toml").read_text(encoding="utf-8"))
KINDS = {name: Kind(**parts) for name, parts in _TABLES["kinds"].items()}
NO_GOAL = set(_TABLES["no_goal"])
"""Places that are a game's goal only where they are named."""
ROOM_FOR_ONE = set(_TABLES["room_for_one"])
"""Places that hold one thing."""
LIKELY: dict[str, float] = _TABLES["likely"]
"""How often a thing lies there rather than on a counter, where it may do both."""


def game(task_type: str, seed: int, thing: str = "", place: str = "") -> Game:
    """The game of a seed, the same on every machine; about `thing` and `place` where these are given.

    Raises UnknownTask where there is no such task, or no room in which it can be done.
    """
    home = household(task_type, seed, thing, place)
    domain, grammar = logic()
    return Game(domain, grammar, problem(home), home.goal.rstrip("."), walkthrough(home))


def household(task_type: str, seed: int, thing: str = "", place: str = "") -> Household:
    """What `game` plays in. Raises UnknownTask."""
    kind = _kind(task_type)
    thing, place = _known(task_type, thing, 0), _known(task_type, place, 1)
    rng = random.Random(f"{task_type} {seed} {thing} {place}")
    possible = _rooms(task_type, thing, place)
    if not possible:
        partners = sorted({goal[1] for goal in pairs(task_type) if goal[0] == thing})
        raise UnknownTask(f"No room has {thing} and {place} for {task_type}; it could be {nearest(place, partners)}.")
    weights = [weight for _, _, weight in possible]
    plan, wanted, _ = rng.choices(possible, weights)[0]
    target = rng.choice(sorted({goal[0] for goal in wanted}))
    where = rng.choice(sorted({goal[1] for goal in wanted if goal[0] == target}))
    said = rng.choice(kind.goals).format(obj=target.lower(), recep=where.lower(), toggle=where.lower())
    return Household(task_type, target, where, said, plan, _furnished(kind, plan, target, where, rng))


@cache
def pairs(task_type: str) -> frozenset[tuple[str, str]]:
    """(kind of thing, kind of place) of every game of a kind that can be asked for."""
    rooms = (plan for room in KINDS[task_type].rooms for plan in plans(room))
    return frozenset(goal for plan in rooms for goal in goals(task_type, plan))


@cache
def goals(task_type: str, plan: FloorPlan) -> list[tuple[str, str]]:
    """(kind of thing, kind of place) that a kind of task can be about in a room."""
    kind = KINDS[task_type]
    if task_type == "look_at_obj_in_light":
        lit = "DeskLamp" in plan.things
        return [(thing, "DeskLamp") for thing in plan.things if lit and thing not in DECOR]
    if kind.changer and kind.changer not in plan.kinds():
        return []
    things = [t for t in plan.things if t not in DECOR and (not kind.change or t in can_be(kind.change))]
    places = sorted(plan.kinds() - {kind.changer})
    room = {place: 2 if place not in ROOM_FOR_ONE else 1 for place in places}
    return [
        (t, p) for t in things for p in places if t in holds(p) and room[p] >= kind.count and _elsewhere(plan, t, p)
    ]


def walkthrough(home: Household) -> tuple[str, ...]:
    """A short way to the goal, in the engine's own commands."""
    kind = KINDS[home.task_type]
    ids = [thing.id for thing in home.things] + [r.id for r in home.plan.receptacles]
    return tuple(_walk(home, kind, names(mangled(id_).lower() for id_ in ids)))


def _walk(home: Household, kind: Kind, called: dict[str, str]) -> Iterator[str]:
    opens = set(constants().OPENABLE_CLASS_LIST)
    at, opened = "", set()

    def name(id_: str) -> str:
        return called[mangled(id_).lower()]

    def go(receptacle: Receptacle, inside: bool = True) -> Iterator[str]:
        nonlocal at
        if receptacle.location != at:
            yield f"go to {name(receptacle.id)}"
        at = receptacle.location
        if inside and receptacle.kind in opens and receptacle.id not in opened:
            opened.add(receptacle.id)
            yield f"open {name(receptacle.id)}"

    lamp = next((thing for thing in home.things if thing.kind == home.place), None)
    goal = next((r for r in home.plan.receptacles if r.kind == home.place), None)
    targets = [t for t in home.things if t.kind == home.object and t.within.kind != home.place]
    for target in targets[: kind.count]:
        yield from go(target.within)
        yield f"take {name(target.id)} from {name(target.within.id)}"
        if kind.changer:
            changer = next(r for r in home.plan.receptacles if r.kind == kind.changer)
            yield from go(changer, inside=False)
            yield f"{kind.verb} {name(target.id)} with {name(changer.id)}"
        if lamp:
            yield from go(lamp.within)
            yield f"use {name(lamp.id)}"
        elif goal:
            yield from go(goal)
            yield f"move {name(target.id)} to {name(goal.id)}"


def _furnished(kind: Kind, plan: FloorPlan, target: str, where: str, rng: random.Random) -> tuple[Thing, ...]:
    """What lies in the room: enough of the target outside its goal, and nothing that wins from the start."""
    for _ in range(1000):
        things = tuple(_scattered(plan, target, rng, kind.count))
        lying = [thing.within.kind for thing in things if thing.kind == target]
        outside = [place for place in lying if place != where]
        started = len(outside) < len(lying) and not kind.change
        if len(outside) >= kind.count and not started and not (kind.changer == "Fridge" and "Fridge" in lying):
            return things
    raise UnknownTask(f"{target} finds no place but {where} in that room; try another seed.")


def _scattered(plan: FloorPlan, target: str, rng: random.Random, at_least: int) -> Iterator[Thing]:
    known = constants()
    free = Counter({r.id: 1 if r.kind in ROOM_FOR_ONE else 99 for r in plan.receptacles})
    for kind in plan.things:
        count = rng.randint(1, known.MAX_NUM_OF_OBJ_INSTANCES)
        if kind == target:
            count = max(at_least, rng.choices((1, 2, 3, 4), (8, 6, 5, 3))[0])
        if kind in ("Towel", "HandTowel") and kind != target:
            count = sum(r.kind == f"{kind}Holder" for r in plan.receptacles)
        for _ in range(1 if kind in DECOR or (kind == "Box" != target) else count):
            places = [r for r in _places(kind, plan) if free[r.id]]
            weights = [LIKELY.get(r.kind, 1.0) for r in places]
            if sum(weights):
                within = rng.choices(places, weights)[0]
                free[within.id] -= 1
                yield Thing(somewhere(kind, rng), kind, within)


def _places(thing: str, plan: FloorPlan) -> list[Receptacle]:
    if thing == "TeddyBear":
        return [r for r in plan.receptacles if r.kind in ("Bed", "Sofa")]
    if thing in DECOR:
        return [r for r in plan.receptacles if r.kind in FLAT]
    return [r for r in plan.receptacles if thing in holds(r.kind)]


def _elsewhere(plan: FloorPlan, thing: str, place: str) -> bool:
    """Whether the thing can also lie somewhere else in this room, so that there is something to carry."""
    return any(r.kind != place and r.kind not in ROOM_FOR_ONE and LIKELY.get(r.kind, 1.0) for r in _places(thing, plan))


@lru_cache(maxsize=512)
def _rooms(task_type: str, thing: str, place: str) -> list[tuple[FloorPlan, list[tuple[str, str]], int]]:
    """(plan, goals that fit, how likely) of every room in which the task can be done."""
    found = []
    for room, weight in KINDS[task_type].rooms.items():
        for plan in plans(room):
            drawn = [g for g in goals(task_type, plan) if g[1] == place or g[1] not in NO_GOAL]
            wanted = [g for g in drawn if thing in ("", g[0]) and place in ("", g[1])]
            if wanted:
                found.append((plan, wanted, weight))
    return found


def _kind(task_type: str) -> Kind:
    if task_type not in KINDS:
        raise UnknownTask(f"There is no kind of task {task_type!r}; the nearest are {nearest(task_type, list(KINDS))}.")
    return KINDS[task_type]


def _known(task_type: str, word: str, side: int) -> str:
    """The package's spelling of a kind of thing or place. Raises UnknownTask."""
    if not word:
        return ""
    kinds = sorted({goal[side] for goal in pairs(task_type)})
    for kind in kinds:
        if kind.lower() == word.replace(" ", "").lower():
            return kind
    what = ("thing", "place")[side]
    near = nearest(word.title(), kinds)
    raise UnknownTask(f"No task to {KINDS[task_type].says} has a {what} called {word!r}; the nearest are {near}.")
