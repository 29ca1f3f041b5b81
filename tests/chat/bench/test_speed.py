"""`bench speed`, `bench load`: figures of nothing, and of what took for ever, are None."""

from __future__ import annotations

import json
from math import inf

from chat.bench.load import _told
from chat.bench.speed import middle, ratio


def test_a_figure_of_nothing_or_of_what_never_ended_is_none() -> None:
    assert (middle([0.1, 0.3, 0.2]), middle([]), middle([1.0, inf, inf])) == (0.2, None, None)
    assert (ratio(3.0, 2.0), ratio(None, 2.0), ratio(3.0, None), ratio(3.0, 0.0)) == (1.5, None, None, None)


def test_turns_that_got_no_answer_are_counted_and_told_in_json() -> None:
    told = _told([1.0, 2.0, inf])
    assert told == {"turns": 3, "unanswered": 1, "p50": 2.0, "p95": None}
    json.dumps(told, allow_nan=False)
