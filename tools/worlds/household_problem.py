"""A household as a planning problem in PDDL, in the form of the official games."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

from tools.worlds.household_rooms import DECOR, Household, can_be, constants, holds, mangled

START = "loc|0|0|0|0"
"""Where the agent begins: the middle of the room, where no receptacle is (one looks down to all of them)."""


def problem(home: Household) -> str:
    """The whole problem: objects, facts, goal."""
    objects = "\n        ".join(f"{name} - {kind}" for name, kind in _objects(home))
    facts = "\n        ".join(f"({fact})" for fact in _facts(home))
    return (
        f"\n(define (problem plan_household)\n(:domain alfred)\n(:objects\n        {objects}\n        )\n"
        f"    (:init\n        {facts}\n        )\n{_goal(home)}"
    )


def _objects(home: Household) -> Iterator[tuple[str, str]]:
    yield "agent1", "agent"
    for kind in sorted({thing.kind for thing in home.things}):
        yield f"{kind}Type", "otype"
    for kind in sorted(home.plan.kinds() | {"SinkBasin", "Microwave", "Fridge"}):  # the domain names these three
        yield f"{kind}Type", "rtype"
    for kind in ("Knife", "ButterKnife"):  # and these two
        if all(thing.kind != kind for thing in home.things):
            yield f"{kind}Type", "otype"
    for thing in home.things:
        yield mangled(thing.id), "object"
    for receptacle in home.plan.receptacles:
        yield mangled(receptacle.id), "receptacle"
    for location in sorted({START, *(r.location for r in home.plan.receptacles)}):
        yield mangled(location), "location"


def _facts(home: Household) -> Iterator[str]:
    openable = set(constants().OPENABLE_CLASS_LIST)
    yield f"atLocation agent1 {mangled(START)}"
    for receptacle in home.plan.receptacles:
        id_ = mangled(receptacle.id)
        yield f"receptacleType {id_} {receptacle.kind}Type"
        yield f"receptacleAtLocation {id_} {mangled(receptacle.location)}"
        if receptacle.kind in openable:
            yield f"openable {id_}"
    kinds = sorted({thing.kind for thing in home.things})
    for place in sorted(home.plan.kinds()):
        yield from (f"canContain {place}Type {kind}Type" for kind in kinds if kind in holds(place))
    for thing in home.things:
        id_ = mangled(thing.id)
        yield f"objectType {id_} {thing.kind}Type"
        yield f"inReceptacle {id_} {mangled(thing.within.id)}"
        yield f"objectAtLocation {id_} {mangled(thing.within.location)}"
        yield from (f"{fact} {id_}" for fact in _nature(thing.kind, home))
        if thing.kind == home.object and thing.within.kind == "Fridge":
            yield f"isCool {id_}"  # official games: only what the task is about is known to be cold


def _nature(kind: str, home: Household) -> Iterator[str]:
    if kind not in DECOR or kind == "TeddyBear":
        yield "pickupable"
    for how in ("Cleanable", "Heatable", "Coolable", "Sliceable"):
        if kind in can_be(how):
            yield how.lower()
    if kind in constants().MOVABLE_RECEPTACLES_SET:
        yield "isReceptacleObject"
    if kind == home.place:  # the lamp of the task; official games leave others without a switch
        yield "toggleable"


def _goal(home: Household) -> str:
    """The package's own wording of the goal, which ends the problem."""
    goal: str = import_module("alfworld.gen.goal_library").gdict[home.task_type]["pddl"]
    return goal.format(obj=home.object, recep=home.place, toggle=home.place).replace("#", "-")
