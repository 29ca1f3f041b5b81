"""What the papers report on ScienceWorld, by type of task, in their own protocol (SwiftSage's): published.json."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

Row = Mapping[str, Any]


@cache
def _read() -> dict[str, list[Row]]:
    read: dict[str, list[Row]] = json.loads(Path(__file__).with_name("published.json").read_text(encoding="utf-8"))
    return read


def columns() -> Sequence[Row]:
    """The papers' agents: key, name, what it `says` it is made of, overall as printed, and some with what an action
    cost (tokens_per_action: all that was read and written, nothing was cached; score_per_action)."""
    return _read()["columns"]


def types() -> Mapping[str, Row]:
    """By task name: the papers' number (`1-1`), the mean length of the oracle's paths, and each column's mean score."""
    return {row["task"]: row for row in _read()["rows"]}
