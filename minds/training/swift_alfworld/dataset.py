"""Demonstrations as arrays: replayed records in, steps with which of their actions are good out."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from minds.policies.swift_alfworld.features import Step, encode
from minds.policies.swift_alfworld.memory import Action, Memory
from minds.training.swift_alfworld.collect import Record, Told


class Sample(NamedTuple):
    """One state to learn from, and which of its actions are good."""

    step: Step
    good: np.ndarray


Steps = Callable[[Record], Iterator[Sample]]
"""Which steps of a record are learned from, and how they are seen."""


def walk(record: Record) -> Iterator[Sample]:
    """As Swift sees them."""
    for memory, acts, told in lived(record):
        yield sample(memory, acts, told.good)


def lived(record: Record) -> Iterator[tuple[Memory, Sequence[Action], Told]]:
    """The steps of a record and what is possible in each, the memory replayed."""
    memory = Memory(record.goal)
    memory.begin(record.opening)
    for told in record.steps:
        yield memory, memory.sees(told.possible) if record.listed else [*map(memory.parse, told.possible)], told
        memory.did(told.action, told.said)


def sample(memory: Memory, acts: Sequence[Action], good: Container[str], goal: str = "") -> Sample:
    """One choice; `goal` as in `encode`."""
    return Sample(encode(memory, acts, goal), np.array([act.text in good for act in acts]))


def gather(records: Sequence[Record], steps: Steps = walk) -> list[Sample]:
    """Every step in which an action is good."""
    return [one for record in records for one in steps(record) if one.good.any()]
