"""What the papers report on ScienceWorld, by type of task, in their own protocol (SwiftSage's)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Column:
    """One agent of a paper."""

    key: str
    name: str
    says: str
    """What it is made of, and where the figures stand."""
    overall: float
    """As printed."""
    tokens_per_action: float | None = None
    """All that was read and written; nothing was cached."""
    score_per_action: float | None = None


@dataclass(frozen=True)
class TaskType:
    """One of the thirty."""

    id: str
    """The papers' number: `1-1`."""
    task: str
    length: float
    """Mean length of the oracle's paths."""
    scores: Mapping[str, float]
    """Column key -> mean score."""


@cache
def columns() -> tuple[Column, ...]:
    return tuple(Column(**column) for column in _read()["columns"])


@cache
def types() -> Mapping[str, TaskType]:
    """By task name."""
    keys = [column.key for column in columns()]
    return {
        row["task"]: TaskType(row["id"], row["task"], row["length"], {key: row[key] for key in keys})
        for row in _read()["rows"]
    }


def _read() -> dict[str, list[dict[str, Any]]]:
    read: dict[str, list[dict[str, Any]]] = json.loads(
        Path(__file__).with_name("published.json").read_text(encoding="utf-8")
    )
    return read
