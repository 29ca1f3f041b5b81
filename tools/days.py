"""Days as people name them in a visit's request: `tomorrow`, `3 May`, `03/04/2025`, `next Friday`."""

from __future__ import annotations

import calendar
import re
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from tools.desk import ToolFault

WEEKDAYS = {name.lower(): number for number, name in enumerate(calendar.day_name)}
MONTHS = {name.lower(): number for number, name in enumerate(calendar.month_name) if name}
_MONTH = "|".join([*MONTHS, *(name[:3] for name in MONTHS), "sept"])
_KEYWORDS = {"today": 0, "tomorrow": 1, "yesterday": -1, "day after tomorrow": 2}


@dataclass(frozen=True)
class Day:
    """A day that was named."""

    on: date
    relative: bool = False
    """It depends on what day it is today."""
    yearless: bool = False
    """No year was named: `on` is in this year."""

    def coming(self, today: date) -> Day:
        """The next such day, today included, where no year was named."""
        day = self.on
        while self.yearless and (day < today or day.day != self.on.day):  # 29 February waits for its year
            day = _in_year(self.on, day.year + 1)
        return replace(self, on=day)


def _in_year(day: date, year: int) -> date:
    return day.replace(year=year, day=min(day.day, calendar.monthrange(year, day.month)[1]))


def read_day(text: str, today: date) -> Day:
    """Raises ToolFault for what names no day."""
    text = " ".join(text.lower().strip(" ,.?!;:'\"()").split()).removeprefix("the ")
    try:
        for reader in (_keyword, _numeric, _next_weekday, _written):
            if day := reader(text, today):
                return day
    except (ValueError, OverflowError) as error:
        raise ToolFault(f'"{text[:40]}" is no day of the calendar; {_WRITE}') from error
    raise ToolFault(f'"{text[:40]}" is no day that can be read; {_WRITE}')


_WRITE = "write it as 2027-03-01 or 1 March 2027."


def long(day: date) -> str:
    """`Wednesday, 14 July 2027`"""
    return f"{day:%A}, {day.day} {day:%B} {day.year}"


def _keyword(text: str, today: date) -> Day | None:
    return Day(today + timedelta(_KEYWORDS[text]), relative=True) if text in _KEYWORDS else None


def _numeric(text: str, today: date) -> Day | None:
    if found := re.fullmatch(r"(\d{4})-(\d\d)-(\d\d)", text):
        return Day(date(int(found[1]), int(found[2]), int(found[3])))
    found = re.fullmatch(r"(\d{1,2})([/.])(\d{1,2})(?:\2(\d{4}|\d\d))?", text)
    if not found:
        return None
    first, second, year = int(found[1]), int(found[3]), _year(found[4], today)
    day_of = date(year, *((first, second) if second > 12 else (second, first)))
    return Day(day_of, yearless=not found[4], relative=not found[4])


def _year(text: str | None, today: date) -> int:
    if not text:
        return today.year
    return int(text) if len(text) == 4 else int(text) + (2000 if int(text) < 69 else 1900)


def _next_weekday(text: str, today: date) -> Day | None:
    name = text.removeprefix("next ")
    ahead = (WEEKDAYS[name] - today.weekday()) % 7 or 7 if name in WEEKDAYS else 0
    return Day(today + timedelta(ahead), relative=True) if ahead else None


def _written(text: str, today: date) -> Day | None:
    """A day with the month in letters, read by dateparser; all but the year must be there."""
    if len(text) > 40 or not re.search(rf"\b(?:{_MONTH})\b", text) or not re.search(r"\d", text):
        return None
    import dateparser

    text = re.sub(r"\b(\d{1,2})(?:st|nd|rd|th)\b", r"\1", text).replace(" of ", " ")
    for parts in (["day", "month", "year"], ["day", "month"]):
        settings = {"REQUIRE_PARTS": parts, "PARSERS": ["absolute-time"], "DATE_ORDER": "DMY",
                    "RELATIVE_BASE": datetime(today.year, today.month, today.day)}  # fmt: skip
        found = dateparser.parse(text, languages=["en"], settings=settings)
        if found is not None:
            yearless = len(parts) == 2
            return Day(found.date(), relative=yearless, yearless=yearless)
    return None
