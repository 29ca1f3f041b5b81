"""What of a finished turn becomes a note."""

from __future__ import annotations

import pytest

from chat.remembering import notes_of

REPLY = {"by": "slow", "text": "The ice was in the metal pot."}
FOUND = {"question": "where was the ice?", "depends": {"world": "w"}}


@pytest.mark.parametrize(
    ("more", "kinds"),
    [
        ({}, ["said", "reply"]),
        ({"remember": FOUND}, ["said", "reply", "found"]),
        ({"world": True, "remember": FOUND}, ["said", "found"]),
        ({"recalled": True}, ["said"]),
        ({"stopped": True}, []),
        ({"off_record": True}, []),
    ],
)
def test_what_a_turn_leaves(more: dict[str, object], kinds: list[str]) -> None:
    """What a text world said is found in its story alone: elsewhere it would pass for what was said of the person."""
    notes = notes_of("s", 3, "where was the ice?", REPLY | more, 0.0)
    assert [note.id for note in notes] == [f"s:3:{kind}" for kind in kinds]
