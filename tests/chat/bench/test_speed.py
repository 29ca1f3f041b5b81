"""`bench speed`, `bench load`: figures of nothing, and of what took for ever, are None."""

from __future__ import annotations

import json
from contextlib import nullcontext
from math import inf

import pytest

from chat.bench import Ask, speed
from chat.bench.figures import middle, ratio, rounded
from chat.bench.load import figures
from chat.settings import Settings


def test_a_figure_of_nothing_or_of_what_never_ended_is_none() -> None:
    assert rounded([middle([0.1, 0.3, 0.2]), middle([]), middle([1.0, inf, inf])]) == [0.2, None, None]
    none = middle([])
    ratios = ratio(3.0, 2.0), ratio(none, 2.0), ratio(3.0, none), ratio(3.0, 0.0), ratio(3.0, inf)
    assert rounded(ratios) == [1.5, None, None, None, None]


async def test_it_asks_no_more_than_there_are_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    async def one(*_: object) -> float:
        return 1.0

    monkeypatch.setattr(speed, "a_duet", lambda _: nullcontext())
    for name in ("first_words", "_beside"):
        monkeypatch.setattr(speed, name, one)
    found = await speed.beside_slow_run(Ask(Settings(), limit=1000))
    assert found["n"] == [len(speed.small_talk()) // 3] * 3


def test_turns_that_got_no_answer_are_counted_and_told_in_json() -> None:
    told = rounded(figures([1.0, 2.0, inf]))
    assert told == {"turns": 3, "unanswered": 1, "p50": 2.0, "p95": None}
    json.dumps(told, allow_nan=False)
