"""Units: many wordings, readings that are named, and refusals that say why."""

from __future__ import annotations

import random
import string
from pathlib import Path

import pytest

from tools.desk import ToolFault
from tools.units import convert

TABLE = (Path(__file__).parent / "data" / "units.txt").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("row", TABLE)
def test_it_reads_what_people_write(row: str) -> None:
    asked, _, wanted = row.rpartition(" => ")
    answer, artifact = convert(asked)
    assert wanted in answer
    assert artifact == {}


@pytest.mark.parametrize(
    ("one", "many", "other", "factor"),
    [
        ("mile", "miles", "km", 1.609344),
        ("lb", "pounds", "kg", 0.45359237),
        ("inch", "inches", "cm", 2.54),
        ("hour", "hours", "seconds", 3600),
        ("US gallon", "gallons", "ml", 3785.411784),
        ("acre", "acres", "m2", 4046.8564224),
        ("nautical mile", "nautical miles", "km", 1.852),
    ],
)
def test_factors_known_by_law_hold_both_ways(one: str, many: str, other: str, factor: float) -> None:
    dice = random.Random(3)
    for amount in (dice.randint(2, 900) for _ in range(10)):
        there = convert(f"{amount} {many} in {other}")[0].split(" = ")[1]
        assert float(there.split()[0]) == pytest.approx(amount * factor, rel=1e-4)
        back = convert(f"{amount * factor:.6f} {other} to {one}")[0].split(" = ")[1]
        assert float(back.split()[0]) == pytest.approx(amount, rel=1e-4)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("The tank takes 12 US gallons. What's that in litres?", "45.4249"),
        ("A room has 540 square feet. How big is it in square metres?", "50.16"),
        ("My suitcase weighs 23 kg. How heavy is that in pounds?", "50.70"),
        ("The trail is 26.2 miles long, how far is that in kilometres?", "42.16"),
        ("I ran 10 km today. How many miles is that?", "6.21"),
        ("The recipe wants 2 cups of milk. How many millilitres is that?", "473.1"),
        ("The oven should be at 400 F. What is that in Celsius?", "204.4"),
    ],
)
def test_a_quantity_told_before_the_question(text: str, wanted: str) -> None:
    assert f"= {wanted}" in convert(text)[0]


def test_a_second_figure_before_the_question_is_not_ignored() -> None:
    with pytest.raises(ToolFault):
        convert("I have 3 tanks of 12 gallons and 4 cups. What's that in litres?")


@pytest.mark.parametrize("celsius", [-40, -17.5, 0, 21, 37, 100, 1000])
def test_temperatures_are_offsets(celsius: float) -> None:
    answer = convert(f"{celsius} C to F")[0].split(" = ")[1]
    assert float(answer.split()[0]) == pytest.approx(celsius * 9 / 5 + 32)


def test_the_reading_of_ambiguous_units_is_named() -> None:
    assert "US gallon" in convert("1 gallon in litres")[0]
    assert "imperial gallon" in convert("1 UK gallon in litres")[0]
    assert "US short ton" in convert("1 ton in kg")[0]
    assert "fluid ounces" in convert("how many ounces in a cup")[0]
    assert "decimal" in convert("1 GB in MB")[0]
    assert "365.25" in convert("2 years in days")[0]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("5 flurbs in km", '"flurbs" is no unit'),
        ("5 miles in flurbs", '"flurbs" is no unit'),
        ("5 kg to m", "one measures mass, the other length"),
        ("3 cups of flour to grams", "depends on flour"),
        ("10 MB in radians", "one measures data"),
        ("10 Mbps to Hz", "cannot be converted"),
        ("100 USD to EUR", "Exchange rates"),
        ("£5 in $", "Exchange rates"),
        ("5 pounds to euros", "Exchange rates"),
        ("-5 K to C", "absolute zero"),
        ("5 C and 3 C to F", "one at a time"),
        ("0 mpg to l/100km", "cannot be converted"),
        ("5 miles", "for example: 5 miles in km"),
        ("1/0 m to km", "for example"),
        ("10**10**10 m to km", "is no unit"),
        ("9" * 350 + " km to nm", "cannot be converted"),
        ("DROP TABLE in km", '"DROP TABLE"'),
        ("", "empty"),
        ("m " * 5120, "at most"),
    ],
)
def test_what_it_cannot_do_it_says(text: str, said: str) -> None:
    with pytest.raises(ToolFault, match=said):
        convert(text)


def test_no_input_breaks_it() -> None:
    dice = random.Random(4)
    words = ["in", "to", "per", "square", "how many", "km", "C", "F", "oz", "mpg", "l/100km", "of", "'", '"', "^2", "/"]
    for _ in range(800):
        parts = [dice.choice([*words, str(dice.randint(0, 99)), dice.choice(string.printable)]) for _ in range(8)]
        try:
            answer, _ = convert(dice.choice(["", " "]).join(parts))
        except ToolFault as fault:
            assert str(fault) and "\n" not in str(fault)
        else:
            assert " = " in answer
