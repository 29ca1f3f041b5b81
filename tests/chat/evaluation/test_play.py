"""What a turn changed at a desk and what it took, as the grades are told it."""

from __future__ import annotations

from chat.evaluation.play import _changed, exchange_of
from minds.dialogue import Event
from tools.ledger import Entry


def booked(ended: str | None = None) -> Entry:
    """A viewing; the clock of a dialogue stands still."""
    return Entry("s", "viewing", "H-0001 15:00", {"home": "H-0001"}, "2026-11-21T10:00", ended)


def test_what_was_booked_again_is_made_and_what_was_cancelled_is_so_once() -> None:
    gone, there = booked("2026-11-21T10:00"), booked()
    assert [change["done"] for change in _changed([gone], [gone, there])] == ["made"]
    assert [change["done"] for change in _changed([gone, there], [gone, gone])] == ["cancelled"]
    assert [change["done"] for change in _changed([gone, gone], [gone, gone])] == []


def test_a_turn_took_what_its_last_reply_says_that_it_took_so_far() -> None:
    told = [{"final": False, "text": "Let me see.", "tokens": 7}, {"final": True, "text": "It is 23.", "tokens": 11}]
    events = [Event(seq, "s", 1, "reply", data, 0.0) for seq, data in enumerate(told, 1)]
    assert exchange_of(1, 1, "What is it?", events).tokens == 11
