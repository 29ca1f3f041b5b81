"""Chat spelling and courtesies go, what is asked stays."""

from __future__ import annotations

import pytest

from tools.asides import tidy


@pytest.mark.parametrize(
    ("said", "plain"),
    [
        ("hey can u do 6x14 for me", "can you do 6x14"),
        ("whats teh average of 3 and 5??", "what's the average of 3 and 5?"),
        ("88 kilos in pounds pls", "88 kilos in pounds"),
        ("Could you convert 27 inches to centimetres for me, please?", "Could you convert 27 inches to centimetres?"),
        ("How many days until 12 May? That's when I become an aunt!", "How many days until 12 May?"),
        ("There were 56 people on the bus", "There were 56 people on the bus"),
        ("I have a tenner", "I have 10"),
        ("pls", "please"),
    ],
)
def test_what_is_beside_the_question_goes(said: str, plain: str) -> None:
    assert tidy(said) == plain
