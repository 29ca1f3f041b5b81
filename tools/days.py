"""Days as people name them: `tomorrow`, `3 May`, `03/04/2025`, `next Friday`, `the last Monday of May`, `Christmas`."""

from __future__ import annotations

import calendar
import re
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from tools.desk import ToolFault

WEEKDAYS = {name.lower(): number for number, name in enumerate(calendar.day_name)}
MONTHS = {name.lower(): number for number, name in enumerate(calendar.month_name) if name}
_SHORT = {name[:3]: number for name, number in MONTHS.items()} | {"sept": 9}
_MONTH = "|".join([*MONTHS, *_SHORT])
_WEEKDAY = "|".join(WEEKDAYS)
_NTH = {
    "first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4, "fifth": 5, "5th": 5,
    "last": -1,
}  # fmt: skip
_FIXED = {
    "christmas eve": (12, 24), "xmas eve": (12, 24), "christmas": (12, 25), "christmas day": (12, 25),
    "xmas": (12, 25), "boxing day": (12, 26), "new year's eve": (12, 31), "new years eve": (12, 31),
    "new year": (1, 1),
    "new year's": (1, 1), "new year's day": (1, 1), "new years day": (1, 1), "new years": (1, 1),
    "halloween": (10, 31),
    "valentine's day": (2, 14), "valentines day": (2, 14), "valentine's": (2, 14), "st patrick's day": (3, 17),
    "april fools' day": (4, 1), "april fools day": (4, 1), "april fool's day": (4, 1), "independence day": (7, 4),
    "veterans day": (11, 11), "bastille day": (7, 14), "labour day": (5, 1), "may day": (5, 1), "epiphany": (1, 6),
    "all saints' day": (11, 1), "st nicholas day": (12, 6), "women's day": (3, 8), "juneteenth": (6, 19),
}  # fmt: skip
_MOVING = ("easter", "easter sunday", "easter monday", "good friday", "thanksgiving", "black friday", "mother's day",
           "mothers day", "father's day", "fathers day", "labor day", "memorial day", "pentecost",
    "ash wednesday")  # fmt: skip
_HOLIDAY = "|".join(sorted([*_FIXED, *_MOVING], key=len, reverse=True))


@dataclass(frozen=True)
class Day:
    """A day that was named."""

    on: date
    relative: bool = False
    """It depends on what day it is today."""
    yearless: bool = False
    """No year was named: `on` is in this year."""
    note: str = ""
    """The reading taken where there are several."""

    def coming(self, today: date) -> Day:
        """The next such day, today included, where no year was named."""
        return self._moved(today, 1) if self.yearless and self.on < today else self

    def past(self, today: date) -> Day:
        """The last such day before today, where no year was named."""
        return self._moved(today, -1) if self.yearless and self.on >= today else self

    def _moved(self, today: date, years: int) -> Day:
        moved = add_months(self.on, 12 * years)
        while moved.day != self.on.day or (moved - today).days * years < 0:  # 29 February waits for its year
            years += 1 if years > 0 else -1
            moved = add_months(self.on, 12 * years)
        return replace(self, on=moved)


def read_day(text: str, today: date) -> Day:
    """Raises ToolFault for what names no day."""
    text = _bare(text)
    try:
        for reader in (_keyword, _numeric, _nth_weekday, _edge, _weekday, _holiday, _written, _month_or_year):
            if day := reader(text, today):
                return day
    except (ValueError, OverflowError) as error:
        raise ToolFault(f'"{text[:40]}" is no day of the calendar; {_WRITE}') from error
    raise ToolFault(f'"{text[:40]}" is no day that can be read; {_WRITE}')


_WRITE = "write it as 2027-03-01 or 1 March 2027."


def long(day: date) -> str:
    """`Wednesday, 14 July 2027`"""
    return f"{day:%A}, {day.day} {day:%B} {day.year}"


def add_months(day: date, months: int) -> date:
    """The same day of the month, or the month's last where it has no such day."""
    index = day.year * 12 + day.month - 1 + months
    year, month = divmod(index, 12)
    if not 1 <= year <= 9999:
        raise ToolFault("Only the years 1 to 9999 can be worked with.")
    return date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))


_LEADING = re.compile(
    r"^(?:what|which|when|my birthday(?: on| is)?|is|was|are|on|the|it|its|it's|dates?|weekday|for|of|does|do|did|will|"
    r"be|falls?|fall on|that|day of (?:the )?week|days? (?:is|was|of|does|did|will|it)|an?|in|at|until|till|calendar|"
    r"day(?! (?:after|before|of)))\b[\s:,]*"
)
_TRAILING = re.compile(
    r"[\s,]+(?:falls?(?: on)?|be|is|was|on|it|weekday|lands?(?: on)?|date|day of (?:the )?week|'s date)$"
)


def _bare(text: str) -> str:
    text = " ".join(text.lower().strip(" ,.?!;:'\"()").split())
    before = None
    while text != before:
        before, text = text, _TRAILING.sub("", _LEADING.sub("", text))
    return text


def _keyword(text: str, today: date) -> Day | None:
    named = {
        "today": 0, "now": 0, "tonight": 0, "today's": 0, "right now": 0, "tomorrow": 1, "yesterday": -1,
        "day after tomorrow": 2, "day before yesterday": -2, "next week": 7, "last week": -7, "current": 0,
    }  # fmt: skip
    if text in named:
        return Day(today + timedelta(named[text]), relative=True)
    months = {"next month": 1, "last month": -1, "next year": 12, "last year": -12}
    return Day(add_months(today, months[text]), relative=True) if text in months else None


def _numeric(text: str, today: date) -> Day | None:
    if found := re.fullmatch(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:t.*)?|(\d{4})(\d\d)(\d\d)", text):
        year, month, day = (int(group) for group in found.groups() if group)
        return Day(date(year, month, day))
    found = re.fullmatch(r"(\d{1,2})([-/.])(\d{1,2})(?:\2(\d{4}|\d\d)?)?", text)
    if not found:
        return None
    first, second, year = int(found[1]), int(found[3]), _year(found[4], today)
    month_first = second > 12
    day_of = date(year, *((first, second) if month_first else (second, first)))
    ambiguous = found[2] != "." and first <= 12 and second <= 12 and first != second
    note = f"{found[0]} read as day/month: {day_of.day} {day_of:%B}" if ambiguous else ""
    return Day(day_of, yearless=not found[4], relative=not found[4], note=note)


def _year(text: str | None, today: date) -> int:
    if not text:
        return today.year
    return int(text) if len(text) == 4 else int(text) + (2000 if int(text) < 69 else 1900)


def _month_of(text: str, today: date) -> tuple[int, int, bool] | None:
    """(year, month, whether the year was named) of `march 2027`, `next month`, `the month`, `2027`."""
    if found := re.fullmatch(rf"({_MONTH})\.?(?:,? (?:of )?(\d{{4}}|this year|next year|last year))?", text):
        month = MONTHS.get(found[1]) or _SHORT[found[1]]
        shift = {"next year": 1, "last year": -1}.get(found[2] or "", 0)
        year = int(found[2]) if (found[2] or "").isdigit() else today.year + shift
        return year, month, bool(found[2]) and found[2].isdigit()
    shift_months = {"this month": 0, "the month": 0, "month": 0, "next month": 1, "last month": -1}
    if text in shift_months:
        day = add_months(today.replace(day=1), shift_months[text])
        return day.year, day.month, False
    return None


def nth_weekday(year: int, month: int, weekday: int, nth: int) -> date:
    """The first (1) to fifth or last (-1) such weekday of a month. Raises ValueError where there is none."""
    last = calendar.monthrange(year, month)[1]
    days = [d for d in range(1, last + 1) if date(year, month, d).weekday() == weekday]
    if nth > len(days):
        raise ValueError("no such weekday")
    return date(year, month, days[nth - 1 if nth > 0 else -1])


def _nth_weekday(text: str, today: date) -> Day | None:
    found = re.fullmatch(rf"({'|'.join(_NTH)}) ({_WEEKDAY}) (?:of|in) (?:the )?(.+)", text)
    month = _month_of(found[3], today) if found else None
    if not found or not month:
        return None
    day = nth_weekday(month[0], month[1], WEEKDAYS[found[2]], _NTH[found[1]])
    return Day(day, relative=not month[2])


def _edge(text: str, today: date) -> Day | None:
    """`last day of February 2028`, `end of the month`, `beginning of 2027`."""
    found = re.fullmatch(r"(first day|start|beginning|last day|end) of (?:the )?(.+)", text)
    if not found:
        return None
    last = found[1] in ("last day", "end")
    shift = {"year": 0, "this year": 0, "next year": 1, "last year": -1}.get(found[2])
    if shift is not None or re.fullmatch(r"\d{4}", found[2]):
        year = today.year + shift if shift is not None else int(found[2])
        return Day(date(year, 12, 31) if last else date(year, 1, 1), relative=shift is not None)
    month = _month_of(found[2], today)
    if not month:
        return None
    day = calendar.monthrange(month[0], month[1])[1] if last else 1
    return Day(date(month[0], month[1], day), relative=not month[2])


def _weekday(text: str, today: date) -> Day | None:
    weeks = r" next week| after next| in (\d+) weeks?"
    found = re.fullmatch(rf"(?:(this|next|last|coming|this coming|past|previous) )?({_WEEKDAY})({weeks})?", text)
    if not found:
        return None
    ahead = (WEEKDAYS[found[2]] - today.weekday()) % 7
    if found[1] in ("last", "past", "previous"):
        return Day(today - timedelta((today.weekday() - WEEKDAYS[found[2]]) % 7 or 7), relative=True)
    coming = today + timedelta(ahead if found[1] == "this" else ahead or 7)
    if found[3] == " next week":
        coming = today - timedelta(today.weekday()) + timedelta(7 + WEEKDAYS[found[2]])
    elif found[3]:
        coming += timedelta(7 * int(found[4] or 1))
    note = f"the first {found[2].title()} after today" if found[1] == "next" and not found[3] else ""
    return Day(coming, relative=True, note=note)


def _holiday(text: str, today: date) -> Day | None:
    year_named = r"(?: (?:in |of )?(\d{4}|this year|next year|last year))?"
    found = re.fullmatch(rf"(?:(this|next|last) )?({_HOLIDAY})(?:'s)?(?: day)?{year_named}", text)
    if not found:
        return None
    year = int(found[3]) if (found[3] or "").isdigit() else today.year
    year += {"next year": 1, "last year": -1}.get(found[3] or "", 0)
    day = Day(date(year, *_FIXED[found[2]]) if found[2] in _FIXED else _moving(found[2], year))
    if found[3]:
        return replace(day, relative=not found[3].isdigit())
    if found[2] in _FIXED:
        day = replace(day, relative=True, yearless=True)
        return day.past(today) if found[1] == "last" else day.coming(today) if found[1] == "next" else day
    step = -1 if found[1] == "last" and day.on >= today else 1 if found[1] != "last" and day.on < today else 0
    return Day(_moving(found[2], year + step), relative=True)


def _moving(name: str, year: int) -> date:
    """Feasts without a fixed date (United States for those that differ by country)."""
    from dateutil.easter import easter  # type: ignore[import-untyped, unused-ignore]

    after_easter = {
        "easter": 0, "easter sunday": 0, "easter monday": 1, "good friday": -2, "pentecost": 49, "ash wednesday": -46
    }  # fmt: skip
    if name in after_easter:
        sunday: date = easter(year)
        return sunday + timedelta(after_easter[name])
    rules = {"mother": (5, 6, 2), "father": (6, 6, 3), "labor": (9, 0, 1), "memori": (5, 0, -1)}
    if name in ("thanksgiving", "black friday"):
        return nth_weekday(year, 11, 3, 4) + timedelta(name == "black friday")
    month, weekday, nth = rules[name[:6].rstrip(" 's")]
    return nth_weekday(year, month, weekday, nth)


def _written(text: str, today: date) -> Day | None:
    """A day with the month in letters, read by dateparser; all but the year must be there."""
    if len(text) > 40 or not re.search(rf"\b(?:{_MONTH})\b", text) or not re.search(r"\d", text):
        return None
    import dateparser

    text = re.sub(r"\b(\d{1,2})(?:st|nd|rd|th)\b", r"\1", text).replace(" of ", " ")
    text = re.sub(rf"^(?:{_WEEKDAY}|mon|tue|wed|thu|fri|sat|sun)\.?,? (?:the )?", "", text)
    for parts in (["day", "month", "year"], ["day", "month"]):
        settings = {"REQUIRE_PARTS": parts, "PARSERS": ["absolute-time"], "DATE_ORDER": "DMY",
                    "RELATIVE_BASE": datetime(today.year, today.month, today.day)}  # fmt: skip
        found = dateparser.parse(text, languages=["en"], settings=settings)
        if found is not None:
            yearless = len(parts) == 2
            return Day(found.date(), relative=yearless, yearless=yearless)
    return None


def _month_or_year(text: str, today: date) -> Day | None:
    """A month or a year stands for its first day."""
    if re.fullmatch(r"[12]\d{3}", text):
        return Day(date(int(text), 1, 1), note=f"{text} taken as 1 January {text}")
    month = _month_of(text, today)
    if not month or "month" in text:
        return None
    day = date(month[0], month[1], 1)
    return Day(day, relative=not month[2], yearless=not month[2], note=f"{text} taken as 1 {day:%B}")
