"""The statistics of a run: means with bootstrap intervals, pass^k, paired tests, agreement. Numbers in, numbers out.

Dialogues are drawn again, not scores: seeds of one script are no independent evidence, so each script counts with the
mean over its seeds, and intervals and tests are over scripts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import comb

import numpy as np

DRAWS, LEVEL, EXACT = 10_000, 0.95, 14
"""Bootstrap draws, the level of intervals, and up to how many pairs all sign flips are counted out."""


@dataclass(frozen=True)
class Estimate:
    """A mean and its interval."""

    mean: float
    low: float
    high: float
    n: int
    """Scripts."""


@dataclass(frozen=True)
class Paired:
    """Two systems on the same scripts."""

    difference: float
    """Mean of the first less the second."""
    low: float
    high: float
    p: float
    """Two-sided, of a sign-flip permutation test."""
    n: int


@lru_cache(maxsize=1024)
def bootstrap(values: tuple[float, ...], seed: int = 0) -> Estimate | None:
    """The mean with a percentile interval over DRAWS draws; None of nothing. Kept, since many figures of a report are
    of the same numbers, all ones above all."""
    if not values:
        return None
    data = np.asarray(values, dtype=float)
    means = data[np.random.default_rng(seed).integers(0, len(data), (DRAWS, len(data)))].mean(axis=1)
    low, high = np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Estimate(float(data.mean()), float(low), float(high), len(data))


def paired(first: Mapping[str, float], second: Mapping[str, float]) -> Paired | None:
    """On the scripts that both have; None where they share none."""
    gaps = tuple(first[name] - second[name] for name in sorted(first.keys() & second.keys()))
    found = bootstrap(gaps)
    return Paired(found.mean, found.low, found.high, sign_flip(gaps), found.n) if found else None


def sign_flip(gaps: Sequence[float]) -> float:
    """Two-sided p of a mean gap this far from 0 if every gap could as well have had the other sign.

    All flips are counted out for up to EXACT pairs that differ; beyond that, DRAWS flips are drawn.
    """
    data = np.asarray(gaps, dtype=float)
    data = data[data != 0]
    if not len(data):
        return 1.0
    seen = abs(float(data.sum())) - 1e-9
    if len(data) <= EXACT:
        bits = (np.arange(2 ** len(data))[:, None] >> np.arange(len(data))) & 1
        return float((np.abs((bits * 2 - 1) @ data) >= seen).mean())
    signs = np.random.default_rng(0).integers(0, 2, (DRAWS, len(data))) * 2 - 1
    return float(((np.abs(signs @ data) >= seen).sum() + 1) / (DRAWS + 1))


def holm(ps: Sequence[float]) -> list[float]:
    """The p-values of several tests, adjusted (Holm 1979), in the order given."""
    order, adjusted = np.argsort(ps, kind="stable"), np.zeros(len(ps))
    adjusted[order] = np.minimum(1, np.maximum.accumulate(np.asarray(ps)[order] * np.arange(len(ps), 0, -1)))
    return list(map(float, adjusted))


def pass_hat(passed: Mapping[str, Sequence[bool]], k: int) -> float | None:
    """pass^k: the chance that k plays of a script all pass, over scripts played at least k times (tau-bench, 2024).

    The unbiased estimate C(passes, k) / C(plays, k) of each script, and their mean.
    """
    found = [comb(sum(plays), k) / comb(len(plays), k) for plays in passed.values() if len(plays) >= k]
    return sum(found) / len(found) if found else None


def kappa(ours: Sequence[int], theirs: Sequence[int]) -> float | None:
    """Cohen's kappa with quadratic weights, on any scale. None where there is nothing to compare, or where chance
    explains everything: all of both are one grade."""
    if not ours:
        return None
    one, other = np.asarray(ours), np.asarray(theirs)
    by_chance = float(((one[:, None] - other) ** 2).mean())
    return 1 - float(((one - other) ** 2).mean()) / by_chance if by_chance else None
