"""Which episodes a benchmark of a world plays, how, and in which order: one row of a table a protocol."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from pathlib import Path

from chat.worlds.kept import type_of
from minds.policies.swift_alfworld.goals import Goal
from tools.worlds.world import Simulator, WorldSpec

A_TYPE = 10
"""Variations of a type of task that are played, the first of a split (SwiftSage, B): 271 in this version's test."""
FURTHER = Path(__file__).with_name("further.json")
"""Split `further`: twenty test variations of each type behind the first ten, where there are so many.

They were drawn by `random.Random(f"{task} 20").sample` before any of them was played."""


@dataclass(frozen=True)
class Protocol:
    """How episodes are played and what is counted."""

    name: str
    says: str
    steps: int
    """Actions in an episode."""
    simplifications: tuple[str, ...] = ()
    """The engine's options."""
    listed: bool = True
    """Strategies may ask the engine what can be done now."""
    restarts: bool = False
    """A lost episode starts anew until its steps are used up; a strategy that tries again does so by itself."""


SCIENCE = {
    "swiftsage": Protocol("swiftsage", "SwiftSage's: `easy` simplifications, 300 steps", 300, ("easy",)),
    "tales": Protocol(
        "tales",
        "TALES': no simplifications, no list of admissible actions, 100 steps, begun anew after a loss; "
        "the highest score counts",
        100,
        listed=False,
        restarts=True,
    ),
    "strict": Protocol("strict", "no simplifications, 100 steps", 100),
}
HOUSEHOLD = {
    "swiftsage": Protocol("swiftsage", "50 steps, with the engine's list of admissible actions", 50),
    "tales": Protocol(
        "tales", "TALES': 100 steps, without the list of admissible actions", 100, listed=False, restarts=True
    ),
    "strict": Protocol("strict", "50 steps, without the list of admissible actions", 50, listed=False),
}
PROTOCOLS = {"scienceworld": SCIENCE, "alfworld": HOUSEHOLD}
SPLITS = {"scienceworld": "test", "alfworld": "valid_seen"}
"""Of each world, the one that is reported."""


@dataclass(frozen=True)
class Case:
    """One episode to be played."""

    id: str
    type: str
    """The type of task that it counts for."""
    spec: WorldSpec
    says: str = ""
    """The task in a person's words, where these take the place of the world's own."""
    goals: Mapping[Goal, float] = field(default_factory=dict)
    """What they may ask for, each goal with its odds."""
    read: bool | None = None
    """Whether the likeliest of these is the task."""


def cases(simulator: Simulator, world: str, split: str, rules: Protocol) -> list[Case]:
    """Every episode of a split, the types of task in turn. Raises UnknownTask."""
    return in_turn(_household(split) if world == "alfworld" else _science(simulator, split, rules.simplifications))


def in_turn(found: Iterable[Case]) -> list[Case]:
    """The first of every type, then the second of every type, ...: any beginning of it is spread over the types."""
    types: dict[str, list[Case]] = {}
    for case in found:
        types.setdefault(case.type, []).append(case)
    return [case for turn in zip_longest(*types.values()) for case in turn if case is not None]


def _science(simulator: Simulator, split: str, options: tuple[str, ...]) -> Iterator[Case]:
    further = json.loads(FURTHER.read_text(encoding="utf-8"))
    for task in simulator.tasks():
        if split == FURTHER.stem:
            chosen = further.get(task.name, ())
            specs = [spec for spec in simulator.variations(task.name, "test") if spec.variation in chosen]
        else:
            specs = list(simulator.variations(task.name, split)[:A_TYPE])
        for spec in specs:
            yield Case(f"{spec.task}/{spec.variation}", spec.task, replace(spec, options=options))


def _household(split: str) -> Iterator[Case]:
    from minds.training.swift_alfworld.command import games

    for spec in sorted(games(split), key=type_of):
        number = f"/{spec.variation}" if spec.variation or spec.task.startswith("household/") else ""
        yield Case(f"{spec.task}{number}", type_of(spec), spec)
