"""What a turn changed at a desk, as the grades are told it."""

from __future__ import annotations

from chat.evaluation.play import _changed
from tools.ledger import Entry


def booked(ended: str | None = None) -> Entry:
    """A viewing; the clock of a dialogue stands still."""
    return Entry("s", "viewing", "H-0001 15:00", {"home": "H-0001"}, "2026-11-21T10:00", ended)


def test_what_was_booked_again_is_made_and_what_was_cancelled_is_so_once() -> None:
    gone, there = booked("2026-11-21T10:00"), booked()
    assert [change["done"] for change in _changed([gone], [gone, there])] == ["made"]
    assert [change["done"] for change in _changed([gone, there], [gone, gone])] == ["cancelled"]
    assert [change["done"] for change in _changed([gone, gone], [gone, gone])] == []
