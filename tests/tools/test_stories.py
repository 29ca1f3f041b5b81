"""Sums told in sentences: one reading or none."""

from __future__ import annotations

import pytest

from tools.calculator import calculate
from tools.stories import read_story


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("I work 7.5 hours a day, 5 days a week. How many hours is that in 4 weeks?", "= 150"),
        ("A train has 8 carriages with 62 seats each. How many seats are there?", "= 496"),
        ("A bag of cement weighs 25 kg. What do 34 bags weigh?", "= 850"),
        ("A printer prints 22 pages a minute. How many pages in 15 minutes?", "= 330"),
        ("Wall paint is 38 euros a tin and I need 4 tins. What's that together?", "= 152"),
        ("I had 320 photos, deleted 47 and added 129 new ones. How many do I have now?", "= 402"),
        ("There were 56 people on the bus; 13 got off and 9 got on. How many are on it now?", "= 52"),
        ("We cycled 84 km on Saturday and 67 km on Sunday. How far was that in total?", "= 151"),
    ],
)
def test_a_story_is_worked_out(said: str, expected: str) -> None:
    assert expected in calculate(said)[0]


@pytest.mark.parametrize(
    "said",
    [
        "I lose 2 kg a month. How much do I weigh after 3 months?",
        "Beans are 13.80 a bag. What do 9 bags and a cake come to?",
        "A ticket costs 14 euros, half for children. What do 3 tickets cost?",
        "We drove 80 km on Monday and 3 hours on Tuesday. How far was that in total?",
    ],
)
def test_what_is_not_clear_is_left(said: str) -> None:
    assert read_story(said) is None
