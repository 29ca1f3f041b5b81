"""Collects demonstrations on train variations: oracle paths, their replays with detours, searches. Resumable.

Every finished episode is one line of JSON, appended; what is there already is skipped. Files in a folder:
`oracle.jsonl` (the simulator's own path with all that was in view), `replays.jsonl`, `searches.jsonl` and
`handovers.jsonl` (what is learned from). Only the train split is ever opened here.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Any

from minds.policies.swift.play import CRITICAL
from minds.policies.swift.policy import SwiftPolicy
from minds.training.processes import say
from minds.training.rows import Key, Row, collected, key, stored
from minds.training.swift.handover import handed_over
from minds.training.swift.oracle import Aim, Replay, plan, replay
from minds.training.swift.search import search, target
from tools.worlds.world import Simulator, World, WorldFault, WorldSpec

FULL = 100.0
NOISES = (0.0, 0.06, 0.12)
EARLY, LATER, LONGEST = 0.7, 5, 220
"""How many of the handovers come before the policy is stuck, how many steps behind the plan's length at most, and how
long a policy may play."""
Oracles = Mapping[Key, Row]


def amount(variations: int) -> tuple[int, int]:
    """Replays with detours and searches of each; where a type of task has few variations, more."""
    return (1, 0) if variations > 30 else (4, 4) if variations > 10 else (8, 4)


def in_turn(orders: Iterable[Sequence[WorldSpec]]) -> Iterator[Key]:
    """Episodes, the types of tasks by turns."""
    for turn in zip_longest(*orders):
        yield from ((spec.task, spec.variation, 0) for spec in turn if spec)


def wanted(simulator: Simulator, most: int, without: Collection[str] = ()) -> Iterator[Key]:
    """Train variations of all types but those, each type in an order of its own."""
    orders = []
    for info in simulator.tasks():
        if info.name in without:
            continue
        every = list(simulator.variations(info.name, "train"))
        random.Random(info.name).shuffle(every)
        orders.append(every[:most])
    return in_turn(orders)


def collect(simulator: Simulator, folder: Path, most: int, without: Collection[str] = ()) -> None:
    """Fills the folder, but not with types that are left out."""
    oracles = solutions(simulator, folder / "oracle.jsonl", list(wanted(simulator, most, without)))
    rooms = rooms_of(oracles.values())
    counts = {task: amount(len(simulator.variations(task, "train"))) for task, *_ in oracles}
    again = [(task, number, turn) for task, number, _ in oracles for turn in range(1, counts[task][0] + 1)]
    collected(folder / "replays.jsonl", again, partial(replayed, simulator, oracles, rooms))
    sought = [name for name, row in oracles.items() if target(row["desc"], aims_of(row)) >= 0]
    others = [(task, number, turn) for task, number, _ in sought for turn in range(counts[task][1])]
    collected(folder / "searches.jsonl", others, partial(searched, simulator, oracles, rooms))


def hand_over(
    simulator: Simulator, folder: Path, policy: SwiftPolicy, most: int, times: int, without: Collection[str] = ()
) -> None:
    """Lets a policy begin so many episodes of each variation; where the simulator's solution is there already, it
    takes over."""
    known = {key(row): row for row in stored(folder / "oracle.jsonl") if row["steps"]}
    every = [(task, number, turn) for task, number, _ in wanted(simulator, most, without) for turn in range(times)]
    collected(folder / "handovers.jsonl", every, partial(begun, simulator, known, policy))


def begun(simulator: Simulator, oracles: Oracles, policy: SwiftPolicy, name: Key) -> Row:
    """An episode that a policy began."""
    known, dice = oracles.get((*name[:2], 0)), random.Random("/".join(("handover", *map(str, name))))
    with opened(simulator, name) as world:
        world.reset()
        aims = aims_of(known) if known else []
        steps = dice.randint(1, len(aims) + LATER) if aims and dice.random() < EARLY else LONGEST
        made = handed_over(world, policy.start(world.goal), aims, steps, dice)
        return _row(name, world.goal, made)


def solutions(simulator: Simulator, file: Path, names: Sequence[Key]) -> dict[Key, Row]:
    """The simulator's own, kept in a file; those it does not have are played and added."""
    collected(file, names, partial(solved, simulator))
    known = {key(row): row for row in stored(file)}
    return {name: known[name] for name in names if name in known and known[name]["steps"]}


def opened(simulator: Simulator, name: Key) -> closing[World]:
    """With all simplifications."""
    return closing(simulator.open(WorldSpec(simulator.name, *name[:2], ("easy",))))


def solved(simulator: Simulator, name: Key) -> Row | None:
    """The episode of the simulator's own solution, with what was in view after every step; None where it has none,
    which is told."""
    try:
        with opened(simulator, name) as world:
            return _oracle(world, name)
    except WorldFault as fault:
        say(f"{name[0]} {name[1]}: {fault}")
        return None


def _oracle(world: World, name: Key) -> Row:
    world.reset()
    first, steps = {"look": world.look(), "inv": world.inventory()}, []
    for action in world.gold():
        saw = world.step(action)
        steps.append([action, saw.text, world.look(), world.inventory(), saw.score, saw.done])
        if saw.done:
            break
    return {"task": name[0], "variation": name[1], "desc": world.goal, "first": first, "steps": steps}


def replayed(simulator: Simulator, oracles: Oracles, rooms: Sequence[str], name: Key) -> Row:
    """A replay with detours."""
    known, dice = oracles[*name[:2], 0], random.Random("/".join(map(str, name)))
    with opened(simulator, name) as world:
        made = replay(world, aims_of(known), dice.choice(NOISES), dice, rooms)
    return _row(name, known["desc"], made)


def searched(simulator: Simulator, oracles: Oracles, rooms: Sequence[str], name: Key) -> Row:
    """The oracle's way to another thing."""
    known, dice = oracles[*name[:2], 0], random.Random("/".join(("search", *map(str, name))))
    with opened(simulator, name) as world:
        asked, made = search(world, known["desc"], aims_of(known), dice, rooms)
    made.score = FULL if any(row["act"][0] == CRITICAL for row in made.rows) else 0.0
    return _row(name, asked, made)


def _row(name: Key, goal: str, made: Replay) -> Row:
    """An episode as it is stored."""
    about = {"task": name[0], "variation": name[1], "round": name[2], "goal": goal}
    return about | {"score": made.score, "fault": made.fault, "rows": made.rows}


def aims_of(oracle: Mapping[str, Any]) -> list[Aim]:
    """The plan of the simulator's own solution."""
    return plan((oracle["first"]["look"], oracle["first"]["inv"]), oracle["steps"])


def rooms_of(oracles: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """Every room an oracle has walked to, in order of first sight."""
    steps = [step for row in oracles for step in row["steps"]]
    walked = [action for action, said, *_ in steps if action.startswith("go to ") and said.startswith("You move to")]
    return tuple(dict.fromkeys(action.removeprefix("go to ") for action in walked))
