"""Collects demonstrations on train variations: oracle paths, their replays with detours, searches. Resumable.

Every finished episode is one line of JSON, appended; what is there already is skipped. Three files in a folder:
`oracle.jsonl` (the simulator's own path with all that was in view), `replays.jsonl` and `searches.jsonl` (what is
learned from). Only the train split is ever opened here.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path
from typing import Any

from minds.policies.swift.play import CRITICAL
from minds.training.processes import say
from minds.training.rows import append, stored
from minds.training.swift.oracle import Aim, Replay, plan, replay
from minds.training.swift.search import search, target
from tools.worlds.world import Simulator, World, WorldFault, WorldSpec

VERSION = 1
FULL = 100.0
NOISES = (0.0, 0.06, 0.12)
EASY = ("easy",)
Row = Mapping[str, Any]


def amount(variations: int) -> tuple[int, int]:
    """Replays with detours and searches of each; where a type of task has few variations, more."""
    return (1, 0) if variations > 30 else (4, 4) if variations > 10 else (8, 4)


def key(row: Row) -> tuple[str, int, int]:
    """What names an episode of a file."""
    return row["task"], row["variation"], row.get("round", 0)


def specs(simulator: Simulator, most: int) -> Iterator[WorldSpec]:
    """Train variations, round-robin over the types, each type in an order of its own."""
    orders = []
    for info in simulator.tasks():
        every = list(simulator.variations(info.name, "train"))
        random.Random(info.name).shuffle(every)
        orders.append(every[:most])
    for turn in zip_longest(*orders):
        yield from (replace(spec, options=EASY) for spec in turn if spec)


def collect(simulator: Simulator, folder: Path, most: int) -> None:
    """Fills the folder; can be stopped and started again at any time."""
    oracles = {key(row)[:2]: row for row in stored(folder / "oracle.jsonl")}
    have = {name: {key(r) for r in stored(folder / f"{name}.jsonl")} for name in ("replays", "searches")}
    rooms = rooms_of(oracles.values())
    for spec in specs(simulator, most):
        known = oracles.get((spec.task, spec.variation))
        if known is None:
            known = solved(simulator, spec, say)
            if known is None:
                continue
            append(folder / "oracle.jsonl", known)
            rooms = tuple(dict.fromkeys((*rooms, *rooms_of([known]))))
        aims, goal = aims_of(known), known["desc"]
        replays, searches = amount(len(simulator.variations(spec.task, "train")))
        for turn in range(1, replays + 1):
            if (spec.task, spec.variation, turn) not in have["replays"]:
                dice = random.Random(f"{spec.task}/{spec.variation}/{turn}")
                with closing(simulator.open(spec)) as world:
                    made = replay(world, aims, dice.choice(NOISES), True, dice, rooms)
                append(folder / "replays.jsonl", line(spec, goal, turn, made))
        for turn in range(searches if target(goal, aims) >= 0 else 0):
            if (spec.task, spec.variation, turn) not in have["searches"]:
                dice = random.Random(f"search/{spec.task}/{spec.variation}/{turn}")
                with closing(simulator.open(spec)) as world:
                    asked, made = search(world, goal, aims, dice, rooms)
                made.score = FULL if any(row["act"][0] == CRITICAL for row in made.rows) else 0.0
                append(folder / "searches.jsonl", line(spec, asked, turn, made))
        say(f"{spec.task} {spec.variation}")


def aims_of(oracle: Row) -> list[Aim]:
    """The plan of the simulator's own solution."""
    return plan((oracle["first"]["look"], oracle["first"]["inv"]), oracle["steps"])


def rooms_of(oracles: Iterable[Row]) -> tuple[str, ...]:
    """Every room an oracle has walked to, in order of first sight."""
    steps = [step for row in oracles for step in row["steps"]]
    walked = [action for action, said, *_ in steps if action.startswith("go to ") and said.startswith("You move to")]
    return tuple(dict.fromkeys(action.removeprefix("go to ") for action in walked))


def solved(simulator: Simulator, spec: WorldSpec, told: Callable[[str], None]) -> dict[str, Any] | None:
    """The episode of the simulator's own solution; None where it has none, which is told."""
    try:
        with closing(simulator.open(spec)) as world:
            return oracle_episode(world)
    except WorldFault as fault:
        told(f"{spec.task} {spec.variation}: {fault}")
        return None


def oracle_episode(world: World) -> dict[str, Any]:
    """The simulator's own solution, played, with what was in view after every step."""
    world.reset()
    first, steps = {"look": world.look(), "inv": world.inventory()}, []
    for action in world.gold():
        saw = world.step(action)
        steps.append([action, saw.text, world.look(), world.inventory(), saw.score, saw.done])
        if saw.done:
            break
    about = {"task": world.spec.task, "variation": world.spec.variation, "desc": world.goal}
    return {**about, "first": first, "steps": steps}


def line(spec: WorldSpec, goal: str, turn: int, made: Replay) -> dict[str, Any]:
    """An episode as it is stored."""
    about = {"version": VERSION, "task": spec.task, "variation": spec.variation, "round": turn, "goal": goal}
    return about | {"score": made.score, "fault": made.fault, "rows": made.rows}
