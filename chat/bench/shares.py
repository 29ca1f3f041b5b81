"""A share of cases, and the interval in which it lies."""

from __future__ import annotations

from math import sqrt


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
