"""Questions of dates told at length are said again in few words, or not at all."""

from __future__ import annotations

from datetime import date

import pytest

from tools.spotting import said_plainly

TODAY = date(2026, 11, 21)


@pytest.mark.parametrize(
    ("said", "plain"),
    [
        ("my gran was born on the 8th of june 1941, what weekday was that", "8th of june 1941"),
        ("the sublet goes from 15 december 2026 to 31 march 2027. how many days are between those 2 dates",
         "days from 15 december 2026 to 31 march 2027"),
        ("i plant on 12 april 2027 and it takes 10 weeks, when can i harvest", "10 weeks after 12 april 2027"),
        ("my visa ends 3 feb 2027, how many days have i got left", "how many days until 3 feb 2027"),
        ("how much is a day pass on 3 may 2027", ""),
        ("from 3 may 2027 to 5 may 2027 it costs 20. how many days", ""),
        ("what is it", ""),
    ],
)  # fmt: skip
def test_the_days_the_step_and_what_is_asked_are_enough(said: str, plain: str) -> None:
    assert said_plainly(said, TODAY) == plain
