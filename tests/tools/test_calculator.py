"""What the sum at the end of a text comes to, written as its numbers are."""

from __future__ import annotations

import pytest

from tools.calculator import come_to


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("The pens cost 6 * 1.20", "7.20"),
        ("That is 3 * (31 - 9) ", "66"),
        ("So they cost $9 + $16 + $24", "$49"),
        ("At $12 / $3", "4"),
        ("It is $30,000 - $11,520", "$18,480"),
        ("Einer kostet 8,40 / 0,75", "11,20"),
        ("Zusammen 1.234,50 + 3", "1.237,50"),
        ("One is 1 / 3", "0.333333"),
        ("Half of 36 x 2", "72"),
        ("A tenth: 650 - (650 * 0.10)", "585"),
        ("Off comes 80 * 25%", "20"),
        ("He owes 3 - 5", "-2"),
        ("Ten\nso 5 + 5", "10"),
        ("A cube of 2 ^ 5", "32"),
    ],
)
def test_a_sum_at_the_end_comes_to(text: str, value: str) -> None:
    assert come_to(text) == value


@pytest.mark.parametrize(
    "text", ["", "x", "Max 2", "is 2 + 3 hours", "at 10:30 + 20", "8 / 0", "2 ^ 99999999", "5 + 5\nso x", "100% - 25%"]
)
def test_what_is_no_sum_comes_to_nothing(text: str) -> None:
    assert come_to(text) is None


def test_a_sum_without_end_is_not_worked_out_and_a_long_line_is() -> None:
    assert come_to("1 + " * 5_000 + "1") is None
    assert come_to("word " * 5_000 + "1 + 1") == "2"
