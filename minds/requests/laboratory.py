# ruff: noqa: E501  (one task a line)
"""The tasks of ScienceWorld as a person knows them: what each is, which are confused, which variation fits.

The table of variations holds, for each task, the words that set a variation apart from the task's others ("chocolate",
"red box", "kitchen"), as `python main.py train requests --variations` reads them off the simulator.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

from minds.requests.lexicon import groups_of, tokens
from minds.requests.words import stem

TABLE = Path(__file__).with_name("variations.json")

TASKS = {
    "boil": ("1-1", "bring a substance to a boil"),
    "melt": ("1-2", "melt a substance"),
    "freeze": ("1-3", "freeze a substance"),
    "change-the-state-of-matter-of": ("1-4", "change the state of matter of a substance, whichever way"),
    "use-thermometer": ("2-1", "measure the temperature of a substance"),
    "measure-melting-point-known-substance": ("2-2", "measure the melting point of a known substance"),
    "measure-melting-point-unknown-substance": ("2-3", "measure the melting point of an unknown substance"),
    "power-component": ("3-1", "build a circuit that powers a lamp, a motor or a buzzer"),
    "power-component-renewable-vs-nonrenewable-energy": ("3-2", "power something from a renewable or nonrenewable source"),
    "test-conductivity": ("3-3", "test whether an object conducts electricity"),
    "test-conductivity-of-unknown-substances": ("3-4", "test whether an unknown substance conducts electricity"),
    "find-living-thing": ("4-1", "find a living thing"),
    "find-non-living-thing": ("4-2", "find a non-living thing"),
    "find-plant": ("4-3", "find a plant"),
    "find-animal": ("4-4", "find an animal"),
    "grow-plant": ("5-1", "grow a plant from a seed"),
    "grow-fruit": ("5-2", "grow a fruit, with pollination"),
    "chemistry-mix": ("6-1", "mix substances by a recipe"),
    "chemistry-mix-paint-secondary-color": ("6-2", "mix paints to a secondary colour, such as green"),
    "chemistry-mix-paint-tertiary-color": ("6-3", "mix paints to a tertiary colour, such as blue-green"),
    "lifespan-longest-lived": ("7-1", "find the animal that lives longest"),
    "lifespan-shortest-lived": ("7-2", "find the animal that lives shortest"),
    "lifespan-longest-lived-then-shortest-lived": ("7-3", "find the animal that lives longest, then the one that lives shortest"),
    "identify-life-stages-1": ("8-1", "identify the life stages of an animal"),
    "identify-life-stages-2": ("8-2", "identify the life stages of a plant"),
    "inclined-plane-determine-angle": ("9-1", "determine which of two inclined planes is steeper"),
    "inclined-plane-friction-named-surfaces": ("9-2", "compare the friction of two known surfaces"),
    "inclined-plane-friction-unnamed-surfaces": ("9-3", "compare the friction of two unknown surfaces"),
    "mendelian-genetics-known-plant": ("10-1", "find out whether a trait of pea plants is dominant"),
    "mendelian-genetics-unknown-plant": ("10-2", "find out whether a trait of an unknown plant is dominant"),
}  # fmt: skip
"""Name -> (number in ScienceWorld's paper, what is to be done, in plain English)."""

FAMILIES = {
    "matter": ("boil", "melt", "freeze", "change-the-state-of-matter-of"),
    "measure": ("use-thermometer", "measure-melting-point-known-substance", "measure-melting-point-unknown-substance"),
    "power": ("power-component", "power-component-renewable-vs-nonrenewable-energy", "test-conductivity"),
    "find": ("find-living-thing", "find-non-living-thing", "find-plant", "find-animal"),
    "mix": ("chemistry-mix", "chemistry-mix-paint-secondary-color", "chemistry-mix-paint-tertiary-color"),
    "lifespan": ("lifespan-longest-lived", "lifespan-shortest-lived", "lifespan-longest-lived-then-shortest-lived"),
    "stages": ("identify-life-stages-1", "identify-life-stages-2"),
    "plane": (
        "inclined-plane-determine-angle",
        "inclined-plane-friction-named-surfaces",
        "inclined-plane-friction-unnamed-surfaces",
    ),
    "genetics": ("mendelian-genetics-known-plant", "mendelian-genetics-unknown-plant"),
    "science": ("boil", "use-thermometer", "power-component", "find-living-thing", "grow-plant", "chemistry-mix"),
}
"""What an unclear request may mean -> the tasks to choose among."""


@dataclass(frozen=True)
class Variation:
    """One variation and the words that set it apart from the others of its task."""

    number: int
    words: frozenset[str]


def says(task: str) -> str:
    """What the task is, in plain English."""
    return TASKS[task][1]


@cache
def table() -> Mapping[str, tuple[Variation, ...]]:
    """Task -> the variations kept, those of `train` first. Empty where the table was not made."""
    if not TABLE.is_file():
        return {}
    kept = json.loads(TABLE.read_text(encoding="utf-8"))
    return {
        task: tuple(Variation(n, frozenset(words.split())) for words, n in rows.items()) for task, rows in kept.items()
    }


def variation(task: str, said: str) -> int | None:
    """The first variation that has most of what was said (train before dev before test); None where nothing fits."""
    heard = _heard(said)
    fits = [(len(v.words & heard), -len(v.words - heard)) for v in table().get(task, ())]
    best = max(fits, default=(0, 0))
    return table()[task][fits.index(best)].number if best[0] else None


def _heard(said: str) -> frozenset[str]:
    """The stems of what was said, and the names of the groups that its words are in."""
    words = tokens(said)
    phrases = [*((word,) for word in words), *pairwise(words)]
    groups = {group for phrase in phrases for group in groups_of().get(phrase, ()) if group.endswith("renewable")}
    violet = {"violet"} if "purple" in words else set()
    return frozenset({stem(word) for word in words} | {stem(group) for group in groups} | violet)
