"""Collects demonstrations on train variations: oracle paths, their replays with detours, searches. Resumable.

Every finished episode is one line of JSON, appended; what is there already is skipped. Three files in a folder:
`oracle.jsonl` (the simulator's own path with all that was in view), `replays.jsonl` and `searches.jsonl` (what is
learned from). Only the train split is ever opened here.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from minds.policies.swift.policy import SwiftPolicy
from minds.training.swift.oracle import Aim, Replay, plan, replay
from minds.training.swift.search import search, target
from tools.worlds.world import Simulator, World, WorldFault, WorldSpec

VERSION = 1
FULL = 100.0
NOISES = (0.0, 0.06, 0.12)
EASY = ("easy",)
Row = Mapping[str, Any]
Told = Callable[[str], None]


@dataclass(frozen=True)
class Amount:
    """How much to make of one variation: replays with detours, searches."""

    replays: int = 1
    searches: int = 0


def amount(variations: int) -> Amount:
    """Where a type of task has few variations, each is replayed more often."""
    return Amount(1) if variations > 30 else Amount(4, 4) if variations > 10 else Amount(8, 4)


def stored(path: Path) -> list[dict[str, Any]]:
    """The episodes of a file; a line cut short by a crash is left out."""
    out = []
    if path.exists():
        for line in path.read_text(encoding="utf-8").splitlines():
            try:
                out.append(json.loads(line))
            except json.JSONDecodeError:
                continue
    return out


def key(row: Row) -> tuple[str, int, int]:
    """What names an episode of a file."""
    return row["task"], row["variation"], row.get("round", 0)


def append(path: Path, row: Row) -> None:
    """One more line."""
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(row) + "\n")


def specs(simulator: Simulator, most: int, only: Sequence[str] = ()) -> Iterator[WorldSpec]:
    """Train variations, round-robin over the types (all, or those of `only`), each type in an order of its own."""
    orders = []
    for info in simulator.tasks():
        if only and info.name not in only:
            continue
        every = list(simulator.variations(info.name, "train"))
        random.Random(info.name).shuffle(every)
        orders.append(every[:most])
    for turn in range(most):
        for order in orders:
            if turn < len(order):
                yield replace(order[turn], options=EASY)


def oracle_episode(world: World) -> dict[str, Any]:
    """The simulator's own solution, played, with what was in view after every step."""
    world.reset()
    first = {"look": world.look(), "inv": world.inventory()}
    steps = []
    for action in world.gold():
        saw = world.step(action)
        steps.append([action, saw.text, world.look(), world.inventory(), saw.score, saw.done])
        if saw.done:
            break
    return {
        "task": world.spec.task,
        "variation": world.spec.variation,
        "desc": world.goal,
        "first": first,
        "steps": steps,
    }


def collect(simulator: Simulator, folder: Path, most: int, told: Told, only: Sequence[str] = ()) -> None:
    """Fills the folder; can be stopped and started again at any time."""
    folder.mkdir(parents=True, exist_ok=True)
    oracles = {key(row)[:2]: row for row in stored(folder / "oracle.jsonl")}
    have = {name: {key(r) for r in stored(folder / f"{name}.jsonl")} for name in ("replays", "searches")}
    rooms = rooms_of(oracles.values())
    for spec in specs(simulator, most, only):
        known = oracles.get((spec.task, spec.variation))
        if known is None:
            known = solved(simulator, spec, told)
            if known is None:
                continue
            append(folder / "oracle.jsonl", known)
            rooms = tuple(dict.fromkeys((*rooms, *rooms_of([known]))))
        aims = plan((known["first"]["look"], known["first"]["inv"]), known["steps"])
        want = amount(len(simulator.variations(spec.task, "train")))
        for turn in range(1, want.replays + 1):
            if (spec.task, spec.variation, turn) not in have["replays"]:
                append(folder / "replays.jsonl", _replay(simulator, spec, known["desc"], aims, turn, rooms))
        if target(known["desc"], aims) >= 0:
            for turn in range(want.searches):
                if (spec.task, spec.variation, turn) not in have["searches"]:
                    append(folder / "searches.jsonl", _search(simulator, spec, known["desc"], aims, turn, rooms))
        told(f"{spec.task} {spec.variation}")


def rooms_of(oracles: Any) -> tuple[str, ...]:
    """Every room an oracle has walked to, in order of first sight."""
    names: dict[str, None] = {}
    for row in oracles:
        for step in row["steps"]:
            if step[0].startswith("go to ") and step[1].startswith("You move to"):
                names.setdefault(step[0].removeprefix("go to "), None)
    return tuple(names)


def solved(simulator: Simulator, spec: WorldSpec, told: Told) -> dict[str, Any] | None:
    """The episode of the simulator's own solution; None where it has none, which is told."""
    try:
        with closing(simulator.open(spec)) as world:
            return oracle_episode(world)
    except WorldFault as fault:
        told(f"{spec.task} {spec.variation}: {fault}")
        return None


def _replay(
    simulator: Simulator, spec: WorldSpec, goal: str, aims: Sequence[Aim], turn: int, rooms: Sequence[str]
) -> dict[str, Any]:
    dice = random.Random(f"{spec.task}/{spec.variation}/{turn}")
    with closing(simulator.open(spec)) as world:
        made = replay(world, aims, dice.choice(NOISES), True, dice, rooms)
    return line(spec, goal, turn, made)


def _search(
    simulator: Simulator, spec: WorldSpec, goal: str, aims: Sequence[Aim], turn: int, rooms: Sequence[str]
) -> dict[str, Any]:
    with closing(simulator.open(spec)) as world:
        asked, made = search(world, goal, aims, random.Random(f"search/{spec.task}/{spec.variation}/{turn}"), rooms)
    found = any(row["act"][0] == "focus on {}" for row in made.rows)
    made.score = FULL if found else 0.0
    return line(spec, asked, turn, made)


def relabel(
    simulator: Simulator, folder: Path, policy: SwiftPolicy, rounds: int, told: Told, only: Sequence[str] = ()
) -> None:
    """Appends episodes that the policy began and the oracle's plan ended, one of each type a round."""
    from minds.training.swift.relabel import relabelled

    every: dict[str, list[dict[str, Any]]] = {}
    for row in stored(folder / "oracle.jsonl"):
        every.setdefault(row["task"], []).append(row)
    began = len(stored(folder / "relabelled.jsonl"))
    for turn in range(rounds):
        dice = random.Random(f"relabel/{began}/{turn}")
        for task in sorted(every.keys() & set(only) if only else every):
            row = dice.choice(every[task])
            spec = WorldSpec(simulator.name, task, row["variation"], EASY)
            aims = plan((row["first"]["look"], row["first"]["inv"]), row["steps"])
            with closing(simulator.open(spec)) as world:
                steps = dice.randint(2, max(4, min(30, len(aims))))
                made = relabelled(world, row["desc"], aims, policy.network, policy.known, steps, dice)
            append(folder / "relabelled.jsonl", line(spec, row["desc"], began + turn, made))
            told(f"{task} {row['variation']}: {made.score:.0f}")


def line(spec: WorldSpec, goal: str, turn: int, made: Replay) -> dict[str, Any]:
    """An episode as it is stored."""
    about = {"version": VERSION, "task": spec.task, "variation": spec.variation, "round": turn, "goal": goal}
    return about | {"score": made.score, "fault": made.fault, "rows": made.rows}
