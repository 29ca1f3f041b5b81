"""Cases of a benchmark: read from JSON lines, played one after the other, kept as rows, summed up."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, closing
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np
from pydantic import TypeAdapter, ValidationError

from chat.app import Duet
from chat.bench import Ask
from chat.bench.figures import share, wilson
from chat.evaluation.folder import RunFolder
from chat.evaluation.play import Starved, final
from chat.faults import ChatFault, first_wrong
from minds.dialogue import Event
from minds.models.language import ModelFault

Row = dict[str, Any]
T = TypeVar("T")
P = TypeVar("P")
R = TypeVar("R")
"""A dataclass."""
TRIES = 3
"""How often a case is played whose model's server did not answer."""


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


def read_cases(path: Path, case: type[T], before: Callable[[Row], Row] = dict) -> list[T]:
    """The same of a pydantic dataclass; what is null may as well be missing. `before`: what is done to a row first."""
    names, made = ", ".join(field.name for field in fields(cast(Any, case))), TypeAdapter(case).validate_python

    def of(row: Row) -> T:
        return made({name: value for name, value in before(row).items() if value is not None})

    return read_lines(path, of, f"an object with {names}")


def play_all(
    folder: RunFolder,
    name: str,
    cases: Mapping[Any, T],
    opened: AbstractAsyncContextManager[P],
    play: Callable[[P, Any, T], Awaitable[R]],
    row_of: type[R],
    tell: Callable[[T, R], str] = lambda case, row: str(row),
) -> list[R]:
    """A row for each case, by its `id`, in what is `opened` for that. Those that the folder's NAME.jsonl holds already
    are not played again. Raises ChatFault."""
    kept = {vars(row)["id"]: row for row in folder.read(name, lambda row: row_of(**row))}
    left = {id_: case for id_, case in cases.items() if id_ not in kept}

    async def all_() -> None:
        async with opened as player:
            for number, (id_, case) in enumerate(left.items(), 1 + len(cases) - len(left)):
                kept[id_] = await _tried(id_, partial(play, player, id_, case))
                folder.append(name, vars(kept[id_]))
                print(f"{number}/{len(cases)} {tell(case, kept[id_])}", flush=True)

    if left:
        asyncio.run(all_())
    return [kept[id_] for id_ in cases]


async def _tried(id_: Any, play: Callable[[], Awaitable[R]]) -> R:
    """Raises ChatFault where the model's server stays silent."""
    fault: Exception | None = None
    for _ in range(TRIES):
        try:
            return await play()
        except (ModelFault, Starved, TimeoutError) as failed:
            fault = failed
            print(f"{id_}: {fault or 'it took too long'}", flush=True)
    raise ChatFault(f"{id_} got no reply ({fault}): the same command goes on there.") from fault


def play_turns(
    ask: Ask,
    name: str,
    cases: Sequence[T],
    opened: AbstractAsyncContextManager[Duet],
    play: Callable[[Duet, int, T], Awaitable[Played]],
) -> list[Played]:
    """The same with rows that are whole turns, by their numbers. Raises ChatFault."""
    with closing(ask.folder(name)) as folder:
        return play_all(folder, name, dict(enumerate(cases)), opened, play, Played)


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
    p50, p95 = np.percentile([row.seconds for row in rows] or [0.0], (50, 95)).tolist()
    return {
        **accuracy(rows),
        "groups": groups(rows),
        "seconds_p50": p50,
        "seconds_p95": p95,
        "calls": share(sum(row.calls for row in rows), len(rows)),
        "tokens": share(sum(row.tokens for row in rows), len(rows)),
    }


def groups(rows: Sequence[Played]) -> dict[str, dict[str, object]]:
    """The accuracy of each group."""
    return {name: accuracy([row for row in rows if row.group == name]) for name in sorted({row.group for row in rows})}


def accuracy(rows: Sequence[Played]) -> dict[str, object]:
    n, right = len(rows), sum(row.right for row in rows)
    return {"cases": n, "right": right, "accuracy": share(right, n), "ci95": wilson(right, n)}
