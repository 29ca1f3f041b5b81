"""Whether a small model's own words may well be wrong."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from minds.doubt import FACT, KNOWN, doubtful


@pytest.mark.parametrize(
    ("fact", "logprobs", "doubt"),
    [
        (FACT, [-0.1, KNOWN - 0.1, -0.1], True),
        (FACT, [-0.1, KNOWN, -0.1], False),
        (FACT - 0.1, [KNOWN - 2], False),
        (1.0, [], False),
    ],
)
def test_one_token_that_was_a_guess_makes_a_fact_doubtful(fact: float, logprobs: Sequence[float], doubt: bool) -> None:
    assert doubtful(fact, logprobs) is doubt
