"""The two-level policy: collecting, fitting, measuring."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate


def until(ends: Sequence[str], last: str = "") -> list[str]:
    """Of each step its own sub-goal, or what stands next behind it; `last` where nothing does."""
    return list(accumulate(reversed(ends), lambda behind, own: own or behind, initial=last))[:0:-1]
