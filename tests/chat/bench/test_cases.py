"""Shares and their intervals."""

from __future__ import annotations

from chat.bench.cases import wilson


def test_wilson_bounds() -> None:
    assert [round(bound, 4) for bound in wilson(8, 10)] == [0.4902, 0.9433]
    assert list(wilson(0, 0)) == [0.0, 1.0]
    assert [round(bound, 4) for bound in wilson(0, 10)] == [0.0, 0.2775]
