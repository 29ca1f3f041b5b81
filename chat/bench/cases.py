"""Cases of a benchmark: read from JSON lines, played one after the other, kept as rows, summed up."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, closing
from dataclasses import dataclass
from functools import partial
from math import sqrt
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from pydantic import ValidationError

from chat.app import Duet
from chat.bench import Ask
from chat.evaluation.folder import RunFolder
from chat.evaluation.play import final
from chat.faults import ChatFault, first_wrong
from minds.dialogue import Event

T = TypeVar("T")
R = TypeVar("R")
"""A dataclass."""


def read_lines(path: Path, made: Callable[[Any], T], wanted: str) -> list[T]:
    """The cases; `made` raises where a line's object is none. Raises ChatFault that names the line, and says what is
    `wanted` in its place."""
    try:
        lines = path.read_text(encoding="utf-8").split("\n")  # splitlines() would cut a text at U+2028, too
    except (OSError, UnicodeDecodeError) as error:
        what = type(error).__name__
        raise ChatFault(f"The data `{path}` cannot be read ({what}): name a file of JSON lines.") from None
    found = []
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                if not isinstance(row := json.loads(line), dict):
                    raise TypeError("no object")
                found.append(made(row))
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise ChatFault(f"Line {number} of `{path}` cannot be used ({_why(error)}): give {wanted}.") from error
    if not found:
        raise ChatFault(f"There is no case in `{path}`: give one JSON object a line.")
    return found


def _why(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"not JSON: {error.msg}"
    if isinstance(error, ValidationError):
        return ": ".join(first_wrong(error))
    return f"it lacks {error}" if isinstance(error, KeyError) else str(error)


async def play_all(
    folder: RunFolder,
    name: str,
    cases: Mapping[Any, T],
    play: Callable[[Any, T], Awaitable[R]],
    row_of: type[R],
    tell: Callable[[T, R], str] = lambda case, row: str(row),
) -> list[R]:
    """A row for each case, by its `id`; those that the folder's NAME.jsonl holds already are not played again."""
    kept = {vars(row)["id"]: row for row in folder.read(name, lambda row: row_of(**row))}
    for number, (id_, case) in enumerate(cases.items(), 1):
        if id_ not in kept:
            kept[id_] = await play(id_, case)
            folder.append(name, vars(kept[id_]))
            print(f"{number}/{len(cases)} {tell(case, kept[id_])}", flush=True)
    return [kept[id_] for id_ in cases]


def play_turns(
    ask: Ask,
    name: str,
    cases: Sequence[T],
    opened: AbstractAsyncContextManager[Duet],
    play: Callable[[Duet, int, T], Awaitable[Played]],
) -> list[Played]:
    """Plays all in one Duet; what the folder of --out holds is not played again. Raises ChatFault."""

    async def all_() -> list[Played]:
        with closing(ask.folder(name)) as folder:
            async with opened as duet:
                return await play_all(folder, name, dict(enumerate(cases)), partial(play, duet), Played)

    return asyncio.run(all_())


@dataclass(frozen=True)
class Played:
    """One case, played as a whole turn: from words to what was done."""

    id: int
    says: str
    group: str
    """Figures are told for each group, too."""
    right: bool
    did: Sequence[str]
    expect: Sequence[str]
    reply: str
    seconds: float
    calls: int
    tokens: int

    @classmethod
    def of(cls, id_: int, says: str, group: str, right: bool, did: Sequence[str], expect: Sequence[str],
           events: list[Event]) -> Played:  # fmt: skip
        """From the turn's events."""
        reply, seconds = final(events), round(events[-1].at - events[0].at, 3)
        text, calls, tokens = str(reply.get("text", "")), int(reply.get("calls", 0)), int(reply.get("tokens", 0))
        return cls(id_, says, group, right, did, expect, text, seconds, calls, tokens)

    def __str__(self) -> str:
        mark = "right" if self.right else "WRONG"
        return f"{mark} {self.seconds:5.1f}s {self.says!r} -> {self.did or self.reply[:80]} ({self.expect})"


def figures(rows: Sequence[Played]) -> dict[str, object]:
    """Accuracy with its interval, in all and by group; seconds, calls and tokens a turn."""
    p50, p95 = np.percentile([row.seconds for row in rows] or [0.0], (50, 95)).round(2).tolist()
    return {
        **accuracy(rows),
        "groups": groups(rows),
        "seconds_p50": p50,
        "seconds_p95": p95,
        "calls": round(sum(row.calls for row in rows) / max(1, len(rows)), 2),
        "tokens": round(sum(row.tokens for row in rows) / max(1, len(rows))),
    }


def groups(rows: Sequence[Played]) -> dict[str, dict[str, object]]:
    """The accuracy of each group."""
    return {name: accuracy([row for row in rows if row.group == name]) for name in sorted({row.group for row in rows})}


def accuracy(rows: Sequence[Played]) -> dict[str, object]:
    right = sum(row.right for row in rows)
    low, high = (round(bound, 3) for bound in wilson(right, len(rows)))
    return {"cases": len(rows), "right": right, "accuracy": round(right / max(1, len(rows)), 3), "ci95": [low, high]}


def share(count: int, n: int) -> float:
    """Of nothing it is 0."""
    return round(count / max(n, 1), 4)


def wilson(count: int, n: int, z: float = 1.959964) -> tuple[float, float]:
    """The bounds of the score interval (Wilson 1927) of a share, at 95%."""
    if not n:
        return 0.0, 1.0
    part = count / n
    middle, reach = part + z * z / (2 * n), z * sqrt(part * (1 - part) / n + z * z / (4 * n * n))
    return max(0.0, (middle - reach) / (1 + z * z / n)), min(1.0, (middle + reach) / (1 + z * z / n))
