"""What the request reader's fit is made from: texts as one table, and the words that set variations apart."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

import numpy as np

from minds.requests.lexicon import tokens
from minds.requests.words import SIZE, Ints, stem


def rows_of(all_buckets: list[Ints]) -> Ints:
    """Buckets of many texts as one table, filled up with SIZE, shape (n, longest)."""
    rows = np.full((len(all_buckets), max(map(len, all_buckets))), SIZE, np.int64)
    for row, buckets in zip(rows, all_buckets, strict=True):
        row[: len(buckets)] = buckets
    return rows


def set_apart(goals: Iterable[tuple[int, str]]) -> dict[str, int]:
    """Words of a goal that not all goals of its task have -> the variation; a goal without a new pair is left out."""
    read = [(number, [stem(word) for word in tokens(goal)]) for number, goal in goals]
    shared = frozenset.intersection(*(frozenset(words) for _, words in read))
    kept: dict[str, int] = {}
    seen: set[frozenset[str]] = set()
    for number, words in read:
        own = list(dict.fromkeys(word for word in words if word not in shared))
        pairs = {frozenset(pair) for pair in combinations(own, 2)} | {frozenset([word]) for word in own}
        if pairs - seen:
            kept.setdefault(" ".join(own), number)
        seen |= pairs
    return kept
