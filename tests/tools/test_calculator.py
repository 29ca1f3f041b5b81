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
        ("For 12 / $3", "4"),
        ("They are 15 * $2.00", "$30"),
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
        ("Total: 1,000,000 / 4", "250,000"),
        ("Zusammen 1.250.000 + 500.000", "1.750.000"),
        ("Es sind 2,5 * 1.000", "2.500"),
        ("- 6 * 1.20", "7.20"),
        ("1. 12345678901234567 * 10", "123456789012345670"),
        ("In 3 weeks 3 * 108", "324"),
        ("so 3 * (7 - 5) = 3 * 2", "6"),
    ],
)
def test_a_sum_at_the_end_comes_to(text: str, value: str) -> None:
    assert come_to(text) == value


@pytest.mark.parametrize(
    "text",
    [
        *("", "x", "Max 2", "is 2 + 3 hours", "at 10:30 + 20", "8 / 0", "2 ^ 99999999", "5 + 5\nso x", "100% - 25%"),
        *("3 hours * 60 + 25", "12 apples + 3 * 4", "x - (4 + 5)", "π * 5 ^ 2", "√16 + 9 * 2", "20 apples - 3 * 4"),
        *("20% of 80 + 10", "2 / 5 of 30 + 4 * 2", "12 500 * 2", "1 1/2 * 4", r"6 \times 1.20 + 3"),
        *("1.200 * 3", "1.500 - 250", "30,000 - 11,520", "12/10/2024"),
    ],
)
def test_what_is_no_sum_comes_to_nothing(text: str) -> None:
    assert come_to(text) is None


def test_a_sum_without_end_is_not_worked_out_and_a_long_line_is() -> None:
    assert come_to("1 + " * 5_000 + "1") is None
    assert come_to("word " * 5_000 + "1 + 1") == "2"
