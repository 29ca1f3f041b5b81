"""The grading of answers: forgiving about spelling, strict about a second value."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from chat.bench.grading_answers import Expect, asserted, holds


@dataclass
class Asked:
    """What is expected, and what the person said."""

    expect: Expect
    turns: tuple[str, ...]


def expected(**told: Any) -> Expect:
    return TypeAdapter(Expect).validate_python(told)


def number(x: float, tolerance: float = 0.01, *said: str) -> Asked:
    return Asked(expected(number=x, tolerance=tolerance), said or ("How much is it?",))


def words(**expect: list[str]) -> Asked:
    return Asked(expected(**expect), ("Which one?",))


def right(asked: Asked, answer: str) -> bool:
    return asked.expect.met(answer, asked.turns, date(2026, 3, 2))


# -- numbers


@pytest.mark.parametrize(
    "answer",
    [
        "It costs $1,234.50 in all.",
        "**1234.5**",
        "1\u202f234.50 €",
        r"So \[ \boxed{1234.50} \]",
        r"$\boxed{\text{1{,}234.50}}$",
        "1'234.50 CHF",
        "Rs.1234.50",
        "1,234.50 USD (about 1,235)",
    ],
)
def test_a_number_is_read_in_any_spelling(answer: str) -> None:
    assert right(number(1234.5), answer)


@pytest.mark.parametrize("answer", ["", "I cannot say.", "1234.6", "-1234.5", "11234.50", "x1234.5"])
def test_another_number_or_none_is_wrong(answer: str) -> None:
    assert not right(number(1234.5), answer)


@pytest.mark.parametrize(
    ("answer", "x"),
    [
        ("3/4 of a cup", 0.75),
        ("1 1/2 cups", 1.5),
        ("2½ cups", 2.5),
        (r"\frac{3}{8} inch", 0.375),
        (r"2\frac{1}{4}", 2.25),
        ("12.5%", 12.5),
        (r"20\%", 20),
        ("−4°C", -4),
        ("roughly 1.2 million", 1_200_000),
        ("$75k", 75_000),
        ("12,5 litres", 12.5),
        ("twenty-four", 24),
        ("You need seven eggs.", 7),
        (".5 l", 0.5),
    ],
)
def test_fractions_percent_scales_and_words(answer: str, x: float) -> None:
    assert right(number(x), answer)


def test_left_sides_of_equations_are_not_asserted() -> None:
    assert right(number(69), "The total is $60 + $9 = $69.")
    assert right(number(17), "3 × 4 = 12 + 5 = 17")
    assert right(number(17), r"\( 3 \times 4 + 5 = 17 \)")
    assert right(number(12), "3 * 4\n= 12")
    assert right(number(3.33), r"\frac{10}{3} \approx 3.33")
    assert right(number(3.33), "20 × 2 / 12 ≈ 3.33")
    assert not right(number(60), "The total is $60 + $9 = $69.")


def test_two_values_are_wrong() -> None:
    assert not right(number(12), "It is 12, or perhaps 15.")
    assert not right(number(12), "Between 12 and 15 days.")
    assert not right(number(12), "The tip is 9 and the total is 12")


def test_the_same_value_twice_is_one() -> None:
    assert right(number(12), "It is 12. So the answer is **12.00**.")


@pytest.mark.parametrize(
    "answer",
    ["47.3333, so about 47.33", "about 47 (47.333)", "47.333, rounded up 48", "47.33 ≈ 47.3", "47.333, 47.33 ≈ 47"],
)
def test_a_rounding_beside_the_value_is_fine(answer: str) -> None:
    assert right(number(47.3333, 0.01), answer)


@pytest.mark.parametrize("answer", ["47.333 or 49", "47", "about 50", "47.333, or 60", "47.333 or 46.3"])
def test_a_rounding_alone_or_another_value_is_not(answer: str) -> None:
    assert not right(number(47.3333, 0.01), answer)


def test_what_was_needed_may_be_rounded_up_from_what_came_out() -> None:
    assert right(number(3, 0), "That is 2.3 tins, so buy 3.")
    assert not right(number(3, 0), "That is 2.3 tins.")


def test_numbers_of_the_person_are_no_second_value() -> None:
    item = number(48, 0.01, "I have 12 boxes,", "with 4 each. How many?")
    assert right(item, "12 boxes with 4 each hold 48.")
    assert right(item, "In 12 boxes there are 48 and in one there are four.")
    assert not right(item, "There are 12.")
    assert not right(item, "There are 46 in 12 boxes.")


def test_numbers_of_the_person_count_where_one_of_them_is_expected() -> None:
    item = number(450, 0, "My budget is 500.", "No, make it 450.", "What is my budget?")
    assert right(item, "Your budget is 450.")
    assert not right(item, "Your budget is 500.")
    assert not right(item, "It is 500 or 450.")
    assert not right(number(490, 0, "500, no, 490", "How much?"), "490 or 500")


def test_number_words_of_the_person_are_his_too() -> None:
    assert right(number(36, 0, "three dozen eggs and two more boxes"), "For 2 boxes and 3 dozen: 36")


def test_hundreds_in_words_are_one_value() -> None:
    assert right(number(205), "It costs two hundred and five euros.")
    assert right(number(2_000_000), "Some two million.") and not right(number(2), "It costs two hundred.")


def test_dates_clock_times_and_numbering_are_no_values() -> None:
    assert right(number(19, 0), "From March 14, 2026 to 2 April 2026 there are 19 days.")
    assert right(number(19, 0), "From 2026-03-14 until 02.04.2026: 19")
    assert right(number(6, 0), "From 9:00 to 3 p.m. it is 6 hours.")
    assert right(number(6, 0), "3. So you need 6.")
    assert right(number(41, 0), "In 2026 you will be 41.")
    assert right(number(30, 0), "Mary 30")


def test_the_year_of_a_date_may_be_what_is_asked() -> None:
    assert right(number(1969, 0), "It was on July 20, 1969.")
    assert not right(number(1969, 0), "It was on July 20, 1968.")


def test_figures_in_names_are_no_values() -> None:
    assert [figure.value for figure in asserted("CO2, A4, 5 m2 and B12, 3x^2")] == [5, 3]


def test_a_range_holds_no_negative_number() -> None:
    assert [figure.value for figure in asserted("5-7 days, -2 degrees, 5–7, (-3)")] == [5, 7, -2, 5, 7, -3]


# -- strings


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("It is **Tuesday**.", "tuesday"),
        ("Buenos di\u0301as!", "buenos días"),
        ("Sao Paulo", "São Paulo"),
        ("the 14th of March", "14 March"),
        ("Saturday, March 14, 2026", "Saturday March 14 2026"),
        ("2026\u201103\u201114", "2026-03-14"),
        ("at 5:30\u202fp.m. sharp", "5:30 pm"),
        ("It\u2019s \u201cfine\u201d", 'it\'s "fine"'),
        ("17\u00a0802 people", "17,802"),
        (r"\boxed{\text{Option B}}", "option b"),
        ("12.50", "12.5"),
        ("12.00 km", "12"),
        ("venerdì alle 18.30", "18"),
        ("at 18:30", "18"),
        ("at 18:30", "30"),
        ("two cats", "cat"),
        ("May and October", "Oct"),
        ("Sept. 3", "September"),
        ("gerne", "gern"),
        ("the moonlight", "moon"),
        ("4⅜ cups", "4 3/8"),
        (r"\( 153\frac{1}{4} \)", r"153 \frac"),
        ("Anna's car", "anna"),
        ("moonlight sonata", "sonata"),
    ],
)
def test_a_string_is_found_in_any_spelling(answer: str, expected: str) -> None:
    assert holds(answer, expected)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("I know", "no"),
        ("not yet", "no"),
        ("153 miles", r"153\frac"),
        ("marching", "March 3"),
        ("seventy", "seven"),
        ("the environment", "iron"),
        ("112.50", "12.50"),
        ("12.5", "12"),
        ("15:30", "5:30"),
        ("214 March", "14 March"),
        ("-12", "12"),
        ("", "yes"),
    ],
)
def test_a_part_of_a_word_or_figure_is_not_it(answer: str, expected: str) -> None:
    assert not holds(answer, expected)


def test_any_all_and_not() -> None:
    assert right(words(any=["bus", "coach"]), "Take the coach.")
    assert not right(words(any=["bus", "coach"]), "Take the train.")
    assert right(words(all=["Anna", "Ben"]), "Ben and Anna")
    assert not right(words(all=["Anna", "Ben"]), "Ben")
    assert not right(words(**{"any": ["bus"], "not": ["train"]}), "The bus or the train.")
    kilometres = expected(number=5, tolerance=0, **{"not": ["km"]})
    assert not kilometres.met("5 km", ["How far?"])


@pytest.mark.parametrize("told", [{}, {"any": []}, {"all": []}, {"not": []}])
def test_what_no_answer_could_fail_is_a_mistake_in_the_data(told: dict[str, list[str]]) -> None:
    with pytest.raises(ValidationError, match="is empty"):
        expected(**told)
