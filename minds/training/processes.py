"""Work shared among processes (with one it is done here), cut into batches, and how far it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np

ALIKE = 12
"""Batches whose rows are sorted by length together."""


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


def batches(lengths: Sequence[int], size: int, rng: np.random.Generator) -> Iterator[Any]:
    """Numbers of rows in an order of chance, those of a batch of about one length, so that little is padded."""
    order, sizes, found = rng.permutation(len(lengths)), np.array(lengths), []
    for start in range(0, len(order), ALIKE * size):
        window = order[start : start + ALIKE * size]
        window = window[np.argsort(sizes[window], kind="stable")]
        found += [window[at : at + size] for at in range(0, len(window), size)]
    yield from (found[n] for n in rng.permutation(len(found)))
