"""Which tool a person's words can go to as they stand."""

from __future__ import annotations

import pytest

from tools.domains import open_domain


@pytest.mark.parametrize(
    ("text", "tool"),
    [
        ("2 bedroom flats in Riverside under 250000", "search"),
        ("do you have houses with a garden?", "search"),
        ("tell me about H-0421", "details"),
        ("compare H-0421 and H-0007", "compare"),
        ("what was H-0421 sold for before?", "price_history"),
        ("how long is it from H-0421 to the university", "commute"),
        ("what would H-0421 cost per month?", "mortgage"),
        ("can we afford H-0421 with 4000 income", "affordability"),
        ("when can I see H-0421?", "viewing_slots"),
        ("book a viewing of H-0421 on Friday at 14:00", "book_viewing"),
        ("please cancel my viewing", "cancel_viewing"),
        ("I'm Ann, my phone is 555 0134 22", "leave_contact"),
        ("what is Elmwood like?", "district"),
    ],
)
def test_the_likeliest_tool(text: str, tool: str) -> None:
    assert open_domain("housing").understands(text)[0] == tool


@pytest.mark.parametrize("text", ["hello", "thanks a lot!", "yes please", "who are you?"])
def test_small_talk_goes_nowhere(text: str) -> None:
    assert open_domain("housing").understands(text) == ()
