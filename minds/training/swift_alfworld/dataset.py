"""Recorded episodes and how they become arrays.

A record keeps everything the policy may see at each step and which actions the expert calls good there; the features
are worked out when training begins, so that they can change without collecting again.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from minds.policies.swift_alfworld.features import Step, encode
from minds.policies.swift_alfworld.memory import Memory

VERSION = 1
ARRAYS = ("words", "about", "overall", "room", "actions", "names", "match", "pairs", "spots")


@dataclass(frozen=True)
class Told:
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


@dataclass(frozen=True)
class Data:
    """Many steps; actions and rooms one after the other. `starts` and `rooms` are where each step's begin."""

    words: npt.NDArray[np.int16]
    about: npt.NDArray[np.uint8]
    overall: npt.NDArray[np.uint8]
    room: npt.NDArray[np.int16]
    actions: npt.NDArray[np.uint8]
    names: npt.NDArray[np.int16]
    match: npt.NDArray[np.uint8]
    pairs: npt.NDArray[np.int16]
    spots: npt.NDArray[np.uint16]
    good: npt.NDArray[np.bool_]
    starts: npt.NDArray[np.int64]
    rooms: npt.NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.words)


def write(path: Path, records: Iterable[Record]) -> None:
    """Adds to a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "at", encoding="utf-8", compresslevel=4) as file:
        for record in records:
            steps = [[s.possible, s.good, s.action, s.said] for s in record.steps]
            row = {**{k: v for k, v in vars(record).items() if k != "steps"}, "version": VERSION, "steps": steps}
            file.write(json.dumps(row) + "\n")


def read(path: Path) -> Iterator[Record]:
    """The records of a file, as far as it was written; nothing where there is none."""
    if not path.is_file():
        return
    with gzip.open(path, "rt", encoding="utf-8") as file:
        try:
            for line in file:
                row: dict[str, Any] = json.loads(line)
                if row.pop("version") == VERSION:
                    steps = tuple(Told(tuple(p), tuple(g), a, s) for p, g, a, s in row.pop("steps"))
                    yield Record(**row, steps=steps)
        except (EOFError, json.JSONDecodeError):
            return


def states(record: Record) -> Iterator[tuple[Step, npt.NDArray[np.bool_]]]:
    """Every step as (arrays, which actions are good), the memory replayed."""
    memory = Memory(record.goal)
    memory.begin(record.opening)
    for told in record.steps:
        acts = memory.sees(told.possible) if record.listed else tuple(map(memory.parse, told.possible))
        good = set(told.good)
        yield encode(memory, acts), np.array([act.text in good for act in acts])
        memory.did(told.action, told.said)


def gather(records: Sequence[Record]) -> Data:
    """All their steps. Raises ValueError where there are none."""
    columns: dict[str, list[Any]] = {name: [] for name in (*ARRAYS, "good")}
    for record in records:
        for step, good in states(record):
            if good.any():
                for name in ARRAYS:
                    columns[name].append(getattr(step, name))
                columns["good"].append(good)
    if not columns["good"]:
        raise ValueError("There are no steps to learn from.")
    starts = _starts(columns["good"])
    rooms = _starts(columns["room"])
    stacked = {name: np.stack(columns.pop(name)) for name in ("words", "about", "overall")}
    joined = {name: np.concatenate(columns[name]) for name in columns}
    return Data(**stacked, **joined, starts=starts, rooms=rooms)


def merged(parts: Sequence[Data]) -> Data:
    """Several as one."""
    whole = {name: np.concatenate([getattr(p, name) for p in parts]) for name in (*ARRAYS, "good")}
    return Data(**whole, starts=_joined([p.starts for p in parts]), rooms=_joined([p.rooms for p in parts]))


def _starts(rows: Sequence[npt.NDArray[Any]]) -> npt.NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)


def _joined(starts: Sequence[npt.NDArray[np.int64]]) -> npt.NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(np.concatenate([np.diff(s) for s in starts]))]).astype(np.int64)
