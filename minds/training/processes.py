"""What trainings share: work among processes (with one it is done here), batches, the fit's loop, weights, cards."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

T = TypeVar("T")

ALIKE = 12
"""Batches whose rows are sorted by length together."""
LATELY, OFTEN = 0.02, 50
"""The least that a loss counts in the one that is told, and the steps from one telling to the next."""
MADE = "## As it was made\n\n"
"""In a card: what stands before it a person wrote, what stands behind it the training."""


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


def shuffled(count: int, size: int, dice: Iterable[np.random.Generator]) -> Iterator[Any]:
    """Numbers of rows in an order of chance, so many at a time; all of them once for each of the `dice`."""
    for rng in dice:
        order = rng.permutation(count)
        yield from (order[at : at + size] for at in range(0, count, size))


def descend(
    optimizer: Any,
    batches: Iterable[T],
    loss: Callable[[T], Any],
    pace: Any = None,
    *,
    clipped: bool = False,
    behind: Callable[[], None] = lambda: None,
) -> tuple[int, float]:
    """Down the loss of each batch in turn, in torch; says now and then how far that is. Steps, and the loss lately.

    `pace`: the schedule of the rates; `clipped`: all gradients together have a length of 1 at most; `behind`: what is
    done behind each step.
    """
    from torch.nn.utils import clip_grad_norm_

    began, done, held = time.monotonic(), 0, 0.0
    for done, batch in enumerate(batches, 1):
        now = loss(batch)
        optimizer.zero_grad()
        now.backward()
        if clipped:
            clip_grad_norm_([row for group in optimizer.param_groups for row in group["params"]], 1.0)
        optimizer.step()
        if pace:
            pace.step()
        behind()
        held += (float(now.detach()) - held) * max(1 / done, LATELY)
        if done % OFTEN == 0:
            say(f"{done} steps, {time.monotonic() - began:.0f} s: {held:.3f}")
    return done, held


def card(path: Path, title: str, made: Mapping[str, object]) -> None:
    """Writes beside weights what they were made from and what was measured; what a person wrote before it stays."""
    written, there, _ = (path.read_text(encoding="utf-8") if path.is_file() else "").partition(MADE)
    written = written if there else f"# {title}\n\n"
    lines = "".join(f"- {name}: {json.dumps(value)}\n" for name, value in made.items())
    path.write_text(f"{written}{MADE}{lines}", encoding="utf-8")


def write(path: Path, weights: Mapping[str, Any], told: dict[str, str] | None = None) -> None:
    """Arrays and what is told of them, whole or not at all, into a folder that is made where there is none."""
    from safetensors.numpy import save_file

    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    save_file({name: np.ascontiguousarray(row) for name, row in weights.items()}, part, told)
    part.chmod(0o644)
    part.replace(path)


def change(source: Path, target: Path, rows: Mapping[str, Any]) -> None:
    """Writes the weights of one file to another, some of them exchanged; arrays keep their kind of numbers."""
    from safetensors import safe_open

    with safe_open(source, framework="numpy") as file:
        told, weights = file.metadata(), {name: file.get_tensor(name) for name in list(file.keys())}
    for name, row in rows.items():
        weights[name] = row.astype(weights[name].dtype) if name in weights else row
    write(target, weights, told)
