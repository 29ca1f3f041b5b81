"""Whether a small model's own words may well be wrong, by how likely it found them."""

from __future__ import annotations

from collections.abc import Sequence

FACT, KNOWN = 0.5, -1.3
"""From which probability on a turn asks for a fact; and the natural log-probability that no token of what the model
knows is below (of an author's 130 facts it doubts 15 of the 23 told wrongly, 10 of the 107 told rightly)."""


def doubtful(fact: float, logprobs: Sequence[float]) -> bool:
    """Of a reply that asserts a fact with this probability, and the log-probabilities of its tokens."""
    return fact >= FACT and bool(logprobs) and min(logprobs) < KNOWN
