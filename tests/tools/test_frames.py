"""Everyday sums as people chat them: right where a frame speaks, and silence where a word may change the sum."""

from __future__ import annotations

from pathlib import Path

import pytest

from chat.bench.answers import numbers
from tools.calculator import calculate
from tools.frames import read_frame

ROWS = (Path(__file__).parent / "data" / "told_sums.txt").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("row", ROWS)
def test_a_told_sum_is_worked_out(row: str) -> None:
    said, _, value = row.rpartition(" => ")
    answer, _ = calculate(said)
    assert any(abs(found - float(value)) <= 0.006 for found in numbers(answer.rpartition(" = ")[2]))


@pytest.mark.parametrize(
    "said",
    [
        "I'm 34 and bought 3 shirts at 20 each. How much did I pay?",
        "Seven of us share a flat for 1,218 euros for 3 weeks. What does each person owe?",
        "A crate holds 24 bottles. How many glasses are in 37 crates?",
        "A garden is 18.5 m long and 12 feet wide. What is its area?",
        "I earn 21.50 an hour and worked 34 hours this week. Is that normal?",
        "tickets cost 35 each, but for groups there's 10 off each. What do 12 people pay?",
        "Which date is 90 days after 10 January 2027?",
        "How many square feet are 85 square metres?",
        "I have 5 euros and need 8. What is left?",
        "What counts at the end of the day: 8 hours at 21.50 or a flat 165?",
        "A farmer has 3 times as many hens as ducks and 68 birds in total. How many ducks?",
        "Two thirds of my 90 seedlings survived. How many pots do I need?",
        "12 kg dog, 28 g of food per kg and day, how long does a 15 kg bag last?",
        "Cake tin of 26 cm instead of 20: by how much do I scale the batter?",
        "What's the derivative of x^3 - 4x at x = 2?",
    ],
)
def test_what_may_be_meant_otherwise_is_left(said: str) -> None:
    assert read_frame(said) is None
