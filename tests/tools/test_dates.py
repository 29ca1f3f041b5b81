"""Dates and clocks: many wordings against the calendar, and what each answer holds for."""

from __future__ import annotations

import random
import string
from datetime import date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from tools.dates import answer_date
from tools.days import WEEKDAYS, long, read_day
from tools.desk import ToolFault
from tools.zones import places

NOW = datetime(2026, 11, 21, 10, 0, tzinfo=ZoneInfo("Europe/Berlin"))
TODAY = NOW.date()
TABLE = (Path(__file__).parent / "data" / "dates.txt").read_text(encoding="utf-8").splitlines()


def say(text: str) -> str:
    return answer_date(text, NOW)[0]


@pytest.mark.parametrize("row", TABLE)
def test_it_reads_what_people_write(row: str) -> None:
    asked, _, wanted = row.rpartition(" => ")
    assert wanted in say(asked)


def test_days_between_agree_with_the_calendar() -> None:
    dice = random.Random(1)
    for _ in range(100):
        first = date(1900, 1, 1) + timedelta(dice.randint(0, 70000))
        second = first + timedelta(dice.randint(1, 3000))
        wanted = f"{(second - first).days} day"
        assert wanted in say(f"how many days between {first:%-d %B %Y} and {second:%B %-d, %Y}")
        assert long(second) in say(f"{(second - first).days} days after {first.isoformat()}")
        assert long(first) in say(f"{second.isoformat()} - {(second - first).days} days")
        assert f"{second:%A}" in say(f"What day of the week was {second:%-d %B %Y}?")


def test_working_days_agree_with_counting_them() -> None:
    dice = random.Random(2)
    for _ in range(50):
        first = TODAY + timedelta(dice.randint(-500, 500))
        second = first + timedelta(dice.randint(1, 120))
        counted = sum((first + timedelta(n)).weekday() < 5 for n in range((second - first).days))
        assert f": {counted} working day" in say(f"business days between {first} and {second}")


def test_conversions_agree_with_the_zone_database() -> None:
    dice = random.Random(3)
    cities = ["New York", "Tokyo", "Paris", "Sydney", "Mumbai", "São Paulo".replace("ã", "a"), "Cairo", "Los Angeles"]
    for _ in range(60):
        one, other = dice.sample(cities, 2)
        hour, minute = dice.randint(0, 23), dice.choice([0, 15, 30])
        source, target = (places(city.lower())[0].zone for city in (one, other))
        today = NOW.astimezone(source).date()
        there = datetime(today.year, today.month, today.day, hour, minute, tzinfo=source).astimezone(target)
        assert f"= {there:%H:%M} in {other}" in say(f"{hour:02}:{minute:02} in {one} to {other} time")


def test_lengths_of_time_agree_with_subtraction() -> None:
    dice = random.Random(4)
    for _ in range(60):
        start, length = dice.randint(0, 1000), dice.randint(1, 420)
        end = start + length
        line = say(f"from {start // 60}:{start % 60:02} to {end // 60}:{end % 60:02}")
        assert f"({length} minutes)" in line


@pytest.mark.parametrize("name", WEEKDAYS)
def test_the_next_weekday_is_within_a_week(name: str) -> None:
    day = read_day(f"next {name}", TODAY).on
    assert TODAY < day <= TODAY + timedelta(7)
    assert f"{day:%A}".lower() == name


def test_it_tells_what_the_answer_holds_for() -> None:
    always = ["weekday of 14 July 2027", "90 days after 10 January 2027", "6:45 to 15:10", "is 2028 a leap year"]
    assert all(answer_date(text, NOW)[1] == {} for text in always)
    daily = ["today", "days until Christmas", "in 2 weeks", "weekday of 4 July", "15:00 Berlin to Tokyo", "next Friday"]
    for text in daily:
        assert answer_date(text, NOW)[1] == {"depends": {"date": "2026-11-21"}}
    for text in ["what time is it in Tokyo", "what time is it", "90 minutes from now", "how long until 17:30"]:
        depends = answer_date(text, NOW)[1]["depends"]
        assert depends == {"date": "2026-11-21", "minute": "2026-11-21T10:00+01:00"}


def test_the_reading_of_an_ambiguous_date_is_told() -> None:
    assert "3 April 2025" in say("03/04/2025") and "read as day/month" in say("03/04/2025")
    assert "read as" not in say("25/12/2025") + say("12/25/2025") + say("03.04.2025") + say("05/05/2025")
    assert "first Friday after today" in say("next friday")


def test_29_february_without_a_year_waits_for_its_year() -> None:
    assert read_day("29 February", TODAY).coming(TODAY).on == date(2028, 2, 29)
    assert read_day("29 February", TODAY).past(TODAY).on == date(2024, 2, 29)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("31 February 2027", "no day"),
        ("2025-13-01", "no day of the calendar"),
        ("fifth Monday of February 2027", "no day of the calendar"),
        ("9999-12-31 + 1 day", "years 1 to 9999"),
        ("999999999999 days from now", "years 1 to 9999"),
        ("in 99999999999 hours", "ten years"),
        ("time in Atlantis", '"atlantis" is no city'),
        ("how old is someone born tomorrow", "birth date"),
        ("banana", "for example"),
        ("387 * 46", "no day"),
        ("DROP TABLE turns", "for example"),
        ("", "empty"),
        ("\x00", "empty"),
        ("tomorrow " * 1200, "at most"),
    ],
)
def test_what_it_cannot_do_it_says(text: str, said: str) -> None:
    with pytest.raises(ToolFault, match=said):
        answer_date(text, NOW)


@pytest.mark.parametrize(
    "text",
    [
        "I earn 21.50 an hour and worked 34 hours this week. How much did I make?",
        "We drove 312 miles in 6 hours, what was our average speed?",
        "How many minutes are in 4 days?",
        "The pool is 25 m long. How long is that in feet?",
        "How many eggs do 4 hens lay in 3 weeks?",
        "I put 250 dollars aside every month. How much will that be after 3 years?",
        "A gym costs 29.90 a month. What do I pay in 2 years?",
        "I ran 12 laps in 30 minutes, what now?",
        "Tom reads 38 pages a day. What is 646 in 4 days?",
    ],
)
def test_amounts_are_no_dates(text: str) -> None:
    with pytest.raises(ToolFault):
        answer_date(text, NOW)


def test_no_input_breaks_it() -> None:
    dice = random.Random(5)
    words = ["days", "from", "to", "between", "and", "until", "next", "friday", "march", "2027", "3pm", "paris", "in"]
    words += ["time", "born", "week", "of", "first", "last", "-", "+", "12:30", "ago", "2024-02-30", "what", "year"]
    for _ in range(800):
        parts = [dice.choice([*words, str(dice.randint(0, 40)), dice.choice(string.printable)]) for _ in range(8)]
        try:
            answer, _ = answer_date(" ".join(parts), NOW)
        except ToolFault as fault:
            assert str(fault) and "\n" not in str(fault)
        else:
            assert answer and "\n" not in answer
