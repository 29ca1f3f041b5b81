"""Which sums the grammar of a word problem lets through."""

from __future__ import annotations

import re

import pytest

from minds.strategies.sums import sums_of, told


@pytest.mark.parametrize(
    ("question", "sum"),
    [
        ("I bought 6 pens at 1.20 and a pad for 3.50 and paid with a 20", "20 - (6 * 1.2 + 3.5)"),
        ("Three parcels weigh 2.4 kg, 3.1 kg and 0.9 kg", "2.4 + 3.1 + 0.9"),
        ("A coat is 140 euros with 25% off", "140 * (1 - 25 / 100)"),
        ("I put 60 a week aside, how much is that in a year?", "60 * 52"),
        ("It was 3 degrees and dropped by 8", "3 - 8"),
    ],
)
def test_what_is_meant_can_be_written(question: str, sum: str) -> None:
    assert re.fullmatch(sums_of(question), sum)


@pytest.mark.parametrize(
    ("question", "sum"),
    [
        ("5 roommates share 64.75", "100 / 5"),
        ("5 roommates share 64.75", "64.75"),
        ("5 roommates share 64.75", "64.75 / 5 / 5"),
        ("how much more is 1,250 than 980", "980 - 1250"),
    ],
)
def test_no_figure_is_brought_in_left_out_or_used_twice(question: str, sum: str) -> None:
    assert not re.fullmatch(sums_of(question), sum)


def test_without_figures_or_with_too_many_there_is_no_pattern() -> None:
    assert sums_of("how are you") == sums_of("1 2 3 4 5 6 7") == ""


def test_a_question_of_dates_is_no_sum() -> None:
    assert told("12 boxes of 5, how many?") and not told("what is 12 days after 5 May 2027?")
