"""Shares, intervals, medians and ratios: what benchmarks sum up with. Rounded once, as they are printed or kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf, isfinite, nan, sqrt
from statistics import median
from typing import Any

DIGITS = 4


def rounded(figures: Any) -> Any:
    """All numbers in it; None for what is no number or took for ever, which JSON does not know."""
    if isinstance(figures, Mapping):
        return {name: rounded(value) for name, value in figures.items()}
    if isinstance(figures, list | tuple):
        return [rounded(value) for value in figures]
    if isinstance(figures, float):
        return round(float(figures), DIGITS) if isfinite(figures) else None
    return figures


def share(count: float, n: int) -> float:
    """Of nothing it is 0."""
    return count / max(n, 1)


def middle(values: Sequence[float]) -> float:
    """The median; of nothing it is no number."""
    return median(values) if values else nan


def ratio(one: float, other: float) -> float:
    """No number where the other is none, or took for ever."""
    return one / other if other and other < inf else nan


def wilson(count: int, n: int, z: float = 1.959964) -> tuple[float, float]:
    """The bounds of the score interval (Wilson 1927) of a share, at 95%."""
    if not n:
        return 0.0, 1.0
    part = count / n
    middle, reach = part + z * z / (2 * n), z * sqrt(part * (1 - part) / n + z * z / (4 * n * n))
    return max(0.0, (middle - reach) / (1 + z * z / n)), min(1.0, (middle + reach) / (1 + z * z / n))
