"""Work shared among processes (with one it is done here), and how far it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any


def say(text: str) -> None:
    """How far a training is."""
    print(text, flush=True)


def mapped(jobs: int, work: Callable[..., Any], *rows: Sequence[Any]) -> Iterator[Any]:
    """Like `map`, in the order of the rows."""
    if jobs < 2:
        yield from map(work, *rows)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(work, *rows)
