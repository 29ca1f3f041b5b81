"""The scorer of the question sets: forgiving about spelling, strict about figures."""

from __future__ import annotations

import pytest

from chat.bench.answers import right

PRODUCT = {"id": "a", "expect": [["17802"]]}
MILES = {"id": "m", "number": {"value": 8.04672, "tolerance": 0.01}}
DATE = {"id": "d", "expect": [["2027-03-01", "1 March 2027", "March 1, 2027"]]}
TRAIN = {"id": "t", "expect": [["17:30", "5:30 pm"]]}


@pytest.mark.parametrize(
    "reply",
    [
        "It is 17802.",
        "**17,802**",
        "17\u202f802",
        "387 × 46 = 17'802",
        "17802.00",
        "It costs $17,802!",
        "17802km",
    ],
)
def test_a_figure_is_found_in_any_spelling(reply: str) -> None:
    assert right(PRODUCT, reply)


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "178025",
        "117802",
        "17802.5",
        "-17802",
        "0.17802",
        "17,803",
        "17802,5",
        "x17802",
        "17802:30",
        "17802pm",
    ],
)
def test_another_figure_is_not_taken_for_it(reply: str) -> None:
    assert not right(PRODUCT, reply)


@pytest.mark.parametrize("reply", ["8.05 km", "about 8.047", "5 miles are 8.0467 kilometres.", "8.04672km"])
def test_a_number_may_be_rounded_within_its_tolerance(reply: str) -> None:
    assert right(MILES, reply)


@pytest.mark.parametrize("reply", ["8 km", "8.1 km", "80.5 km", "-8.05 km", "eight kilometres", "18.05"])
def test_a_number_outside_its_tolerance_is_wrong(reply: str) -> None:
    assert not right(MILES, reply)


@pytest.mark.parametrize(
    "reply",
    [
        "Monday, 1 March 2027.",
        "March 1st, 2027",
        "the 1st of March 2027",
        "2027\u201103\u201101",
        "MARCH 1, 2027",
    ],
)
def test_dates_are_read_with_ordinals_and_any_dash(reply: str) -> None:
    assert right(DATE, reply)


@pytest.mark.parametrize("reply", ["11 March 2027", "March 1, 2028", "2027-03-011", "March 2027"])
def test_another_date_is_wrong(reply: str) -> None:
    assert not right(DATE, reply)


@pytest.mark.parametrize("reply", ["17:30", "at 5:30 p.m.", "5:30PM sharp", "5:30\u00a0pm", "By 5:30 P.M."])
def test_clock_times_are_read_in_both_styles(reply: str) -> None:
    assert right(TRAIN, reply)


@pytest.mark.parametrize("reply", ["5:30 am", "15:30 pm", "17:301", "7:30", "117:30"])
def test_another_clock_time_is_wrong(reply: str) -> None:
    assert not right(TRAIN, reply)


def test_every_group_must_be_met() -> None:
    item = {"id": "g", "expect": [["Tuesday"], ["12 days", "twelve days"]]}
    assert right(item, "That is a Tuesday, in twelve days.")
    assert not right(item, "That is a Tuesday.")
    assert not right(item, "In 12 days.")


def test_groups_and_number_must_both_be_met() -> None:
    item = {"id": "b", "expect": [["litres"]], "number": {"value": 45.46, "tolerance": 0.01}}
    assert right(item, "45.46 litres")
    assert not right(item, "45.46 pints")
    assert not right(item, "46 litres")


def test_a_rejected_string_makes_a_reply_wrong() -> None:
    item = {"id": "r", "expect": [["Mia"]], "reject": ["Jonas"]}
    assert right(item, "Her name is Mia.")
    assert not right(item, "Mia or Jonas")


def test_words_are_whole() -> None:
    assert not right({"id": "w", "expect": [["Mia"]]}, "She lives in Miami.")


def test_a_negative_number_needs_its_sign() -> None:
    item = {"id": "n", "number": {"value": -40.0, "tolerance": 0.1}}
    assert right(item, "It is \u221240 °F.")
    assert not right(item, "It is 40 °F.")
    assert not right(item, "between 20-40 °F")


def test_an_item_that_expects_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="expects nothing"):
        right({"id": "empty", "expect": []}, "anything")
