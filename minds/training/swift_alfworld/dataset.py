"""Recorded episodes and how they become arrays.

A record keeps everything the policy may see at each step and which actions the expert calls good there; the features
are worked out when training begins, so that they can change without collecting again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from pydantic import TypeAdapter

from minds.policies.swift_alfworld.features import Step, encode
from minds.policies.swift_alfworld.memory import Memory
from minds.training.rows import stored


class Told(NamedTuple):
    """One step of a record."""

    possible: tuple[str, ...]
    good: tuple[str, ...]
    action: str
    said: str


@dataclass(frozen=True)
class Record:
    """One episode."""

    task: str
    variation: int
    goal: str
    opening: str
    listed: bool
    """Whether `possible` was the engine's list (else the agent's own guess)."""
    won: bool
    steps: tuple[Told, ...]


class Sample(NamedTuple):
    """One state to learn from, and which of its actions are good."""

    step: Step
    good: npt.NDArray[np.bool_]


def read(path: Path) -> Iterator[Record]:
    """The records of a file, as far as it was written; nothing where there is none."""
    return map(TypeAdapter(Record).validate_python, stored(path))


def gather(records: Sequence[Record]) -> list[Sample]:
    """Every step in which an action is good, the memory replayed."""
    return [sample for record in records for sample in _samples(record) if sample.good.any()]


def _samples(record: Record) -> Iterator[Sample]:
    memory = Memory(record.goal)
    memory.begin(record.opening)
    for told in record.steps:
        acts = memory.sees(told.possible) if record.listed else tuple(map(memory.parse, told.possible))
        good = set(told.good)
        yield Sample(encode(memory, acts), np.array([act.text in good for act in acts]))
        memory.did(told.action, told.said)
