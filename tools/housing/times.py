"""Times of viewings: read from words, written for the database, told to a person."""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta

from tools.days import WEEKDAYS, long, read_day
from tools.numerals import digits


def when(text: str, now: datetime) -> tuple[date | None, time | None]:
    """The day and the time that are named: `Friday 14:00`, `24 November at 2 pm`, `2026-11-24 14:00`."""
    low = digits(re.sub(r"\bh[-_ ]?\d{1,4}\b", " ", text.lower()))
    return _day(low, now.date()), _hour(re.sub(r"\d{4}-\d\d-\d\d", " ", low))


_MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
_DAY = re.compile(
    rf"\d{{4}}-\d\d-\d\d|the day after tomorrow|tomorrow|yesterday|today|"
    rf"(?:next |this |coming )?(?:{'|'.join(WEEKDAYS)})|"
    rf"\d{{1,2}}(?:st|nd|rd|th)? (?:of )?(?:{_MONTHS})[a-z]*(?: \d{{4}})?|(?:{_MONTHS})[a-z]* \d{{1,2}}(?:st|nd|rd|th)?"
    rf"(?:,? \d{{4}})?|\b\d{{1,2}}[./]\d{{1,2}}(?:[./]\d{{2,4}})?"
)


def _day(text: str, today: date) -> date | None:
    text = re.sub(
        r"\bmay (?=(?!at\b|in\b|or\b|and\b|please\b|is\b|would\b)[a-z])", " ", text
    )  # `one may ask` is no day in May
    named = _DAY.findall(text)
    if not named:
        return None
    # A date says more than the weekday beside it.
    best = max(named, key=lambda word: bool(re.search(r"\d", word)))
    weekday = re.sub(r"^(?:this|coming) ", "", best)
    if weekday in WEEKDAYS:
        return today + timedelta((WEEKDAYS[weekday] - today.weekday() - 1) % 7 + 1)
    day = read_day(best, today)
    return day.on if day.relative and best == "yesterday" else day.coming(today).on


def _hour(text: str) -> time | None:
    if found := re.search(r"\b(\d{1,2})(?:[:.h](\d\d))?\s*([ap])\.?m\b", text):
        hour = int(found[1]) % 12 + (12 if found[3] == "p" else 0)
        return time(hour, int(found[2] or 0))
    if found := re.search(
        rf"\b(\d{{1,2}})[:.h](\d\d)\b|\bat (\d{{1,2}})\b(?! ?(?:st|nd|rd|th|%|percent|euros?|m2|square|{_MONTHS})|"
        rf"[.,]\d)|\b(\d{{1,2}}) o'?clock",
        text,
    ):
        hour, minute = int(found[1] or found[3] or found[4]), int(found[2] or 0)
        hour += 12 if hour < 8 and not found[1] else 0
        if hour < 24 and minute < 60:
            return time(hour, minute)
    return time(12) if re.search(r"\b(?:noon|midday)\b", text) else None


def written(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M}"


def read_written(text: str) -> datetime:
    return datetime.fromisoformat(text)


def told(at: datetime) -> str:
    """`Tuesday, 24 November 2026 at 14:00`"""
    return f"{long(at.date())} at {at:%H:%M}"


def fits(at: datetime, text: str, hour: time | None) -> bool:
    if hour:
        return at.time() == hour
    part = re.search(r"\b(morning|afternoon|evening)\b", text, re.I)
    return not part or {"m": at.hour < 12, "a": 12 <= at.hour < 17, "e": at.hour >= 17}[part[1].lower()[0]]


def listed(times: list[datetime]) -> str:
    """`Tuesday, 24 November 2026 at 10:00 and 14:00; ...`"""
    days: dict[date, list[str]] = {}
    for at in times:
        days.setdefault(at.date(), []).append(f"{at:%H:%M}")
    return "; ".join(f"{long(day)} at {' or '.join(hours)}" for day, hours in days.items()) or "no time"
