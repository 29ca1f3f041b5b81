"""Worked examples for prompts: trajectories of the same type of task, with a thought before each action.

Files under prompts/strategies/examples, made from the simulators' own solutions of train variations and shortened; the
observations are the engines' own. The type of a task is told by its goal alone: in a household by how the games word
it, in a laboratory by the example whose goals are most like it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from rapidfuzz import fuzz, process, utils

from minds.strategies.exemplars import task_type
from prompts import FOLDER, render

EXAMPLES = FOLDER / "strategies" / "examples"


@dataclass(frozen=True)
class ShownStep:
    """One step as a prompt shows it."""

    thought: str
    action: str
    observation: str


@dataclass(frozen=True)
class Example:
    """One solved task."""

    name: str
    spec: tuple[str, ...]
    """What was played: world, task, variation, simplifications."""
    like: tuple[str, ...]
    """Goals of the types of task that it is an example of."""
    goal: str
    opening: str
    steps: tuple[ShownStep, ...]


def examples_for(world: str, goal: str) -> list[Example]:
    """Of the goal's type of task; none where the world has none."""
    known = all_examples(world)
    kind = task_type(world, goal)
    if named := [example for example in known if example.name == kind]:
        return named
    return sorted(known, key=lambda example: _likeness(goal, example.like))[-1:]


def _likeness(goal: str, like: Sequence[str]) -> float:
    found = process.extractOne(goal, like, scorer=fuzz.token_sort_ratio, processor=utils.default_process)
    return found[1] if found else 0.0


@cache
def all_examples(world: str) -> tuple[Example, ...]:
    """Of a world, by name."""
    return tuple(_read(world, path.stem) for path in sorted((EXAMPLES / world).glob("*.txt")))


def _read(world: str, name: str) -> Example:
    head, *blocks = render(f"strategies/examples/{world}/{name}").split("\n\n")
    fields = [line.partition(": ")[::2] for line in head.splitlines()]
    only = dict(fields)
    like = tuple(value for key, value in fields if key == "Like")
    return Example(name, tuple(only["Played"].split()), like, only["Goal"], only["Opening"], tuple(map(_step, blocks)))


def _step(block: str) -> ShownStep:
    said = dict(line.partition(": ")[::2] for line in block.splitlines())
    return ShownStep(said.get("Thought", ""), said["Action"], said.get("Obs", ""))
