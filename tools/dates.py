"""Dates and time zones: weekdays, days between, days from now, ages, week numbers, clocks around the world."""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

from tools.asides import tidy
from tools.clocks import answer_clock
from tools.date_questions import in_one, refuse_amounts, refuse_unused
from tools.days import MONTHS, Day, add_months, long, read_day
from tools.desk import Artifact, Desk, ToolFault
from tools.numerals import digits
from tools.plain import clean, plain_tool, without_courtesy
from tools.spotting import said_plainly

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

Answer = tuple[str, bool]
"""The line, and whether today's date mattered."""

_HOW = "Ask one thing about dates or times, for example: days from 2024-03-03 to 2024-05-01, or 3pm Paris in Tokyo."
_UNIT = r"(?:(business|working|week) ?)?(days?|weekdays?|weeks?|fortnights?|months?|years?|decades?)"
_STEP = rf"(?<![\w.])(\d+)\s*{_UNIT}"
_STEPS = rf"({_STEP}(?:\s*(?:,|and|,\s*and)?\s*{_STEP})*)"


def make(desk: Desk) -> BaseTool:
    return plain_tool(
        "dates",
        "Dates, weekdays, times, time zones. Input: 45 days from today, or 3pm in Paris to Tokyo",
        lambda text: answer_date(text, desk.now),
    )


def answer_date(text: str, now: datetime) -> tuple[str, Artifact]:
    """`days between 2024-03-03 and 2024-05-01` -> `From 2024-03-03 to 2024-05-01: 59 days (8 weeks and 3 days)`."""
    asked = digits(without_courtesy(tidy(clean(text, "dates"))).lower())
    asked = re.sub(r"\b(?:1 )?half (?:an? )?hour\b", "30 minutes", asked)
    asked = re.sub(r"\b(?:an?|one) (?=(?:day|week|month|year|hour|fortnight|minute)\b)", "1 ", asked)
    asked = without_courtesy(in_one(asked, now.date()))
    refuse_amounts(asked)
    try:
        return _used(asked, now)
    except ToolFault:
        plainly = said_plainly(asked, now.date())
        if not plainly or plainly == asked:
            raise
        return _used(plainly, now)


def _used(asked: str, now: datetime) -> tuple[str, Artifact]:
    """The answer, which has all figures of the question in it. Raises ToolFault."""
    line, artifact = _answer(asked, now)
    refuse_unused(asked, line)
    return line, artifact


def _answer(asked: str, now: datetime) -> tuple[str, Artifact]:
    if heard := answer_clock(asked, now):
        depends = {"date": now.date().isoformat()} if heard.minute or heard.date else {}
        if heard.minute:
            depends["minute"] = now.isoformat(timespec="minutes")
        return heard.text, {"depends": depends} if depends else {}
    line, relative = _answer_day(asked, now.date())
    return line, {"depends": {"date": now.date().isoformat()}} if relative else {}


def _answer_day(text: str, today: date) -> Answer:
    for reader in _READERS:
        if answer := reader(text, today):
            return answer
    try:
        day = read_day(text, today)
    except ToolFault as fault:
        raise ToolFault(str(fault) if re.search(r"\d", text) else _HOW) from fault
    return _plain_day(text, day, today)


def _today(text: str, today: date) -> Answer | None:
    """`what year is it`, `what month is it`."""
    asked = r"(?:what |which |the )?(?:current )?(?:year|month)(?: is it| is this| are we in)?(?: now| today)?"
    return (f"Today is {long(today)}", True) if re.fullmatch(asked, text) else None


def _plain_day(text: str, day: Day, today: date) -> Answer:
    if not day.relative:
        week = day.on.isocalendar().week
        return f"{day.on.isoformat()} is {long(day.on)} (ISO week {week}){_noted(day)}", False
    if day.yearless:
        day = day.past(today) if re.search(r"\b(?:was|did|last)\b", text) else day.coming(today)
    if day.on == today:
        return f"Today is {long(today)}", True
    days = _joined((abs((day.on - today).days), "day"))
    return f"It is {long(day.on)} ({f'{days} ago' if day.on < today else f'in {days}'}){_noted(day)}", True


def _noted(*days: Day) -> str:
    notes = [day.note for day in days if day.note]
    return f" ({'; '.join(notes)})" if notes else ""


def _leap_year(text: str, today: date) -> Answer | None:
    if "leap" not in text:
        return None
    if found := re.search(r"\b([1-9]\d{3})\b", text):
        leap = calendar.isleap(int(found[1]))
        return f"{found[1]} is {'a' if leap else 'not a'} leap year ({365 + leap} days)", False
    year = today.year + (1 if "next" in text else 0)
    if "next" in text:
        year = next(y for y in range(year, year + 9) if calendar.isleap(y))
        return f"The next leap year is {year}", True
    return f"{year} is {'a' if calendar.isleap(year) else 'not a'} leap year", True


def _week_number(text: str, today: date) -> Answer | None:
    asked = r"\b(?:calendar )?week (?:number|nr|no)?\b|\bweek is it\b|\bwhich week\b|\bweek of the year\b"
    other = r"\b(?:next|last|after|from|per)\b|\bday of the week\b|\bweek day\b"
    if not re.search(asked, text) or re.search(other, text):
        return None
    words = r"\b(?:what|which|iso|calendar|week|number|nr|no|is|it|in|of|for|the|year|does|falls?|are we)\b"
    rest = re.sub(words, " ", text).strip(" ?")
    day = read_day(rest, today) if rest else Day(today, relative=True)
    year, week, _ = day.on.isocalendar()
    return f"{long(day.on)} is in ISO week {week} of {year}{_noted(day)}", day.relative


def _length_of(text: str, today: date) -> Answer | None:
    """How many days a month or a year has, or has left."""
    if re.search(r"\b(?:left|remain\w*) (?:in|of) (?:the|this) year\b", text):
        left = (date(today.year, 12, 31) - today).days
        return f"{left} days are left in {today.year} after today ({today.isoformat()})", True
    asked = r"\bdays (?:are |were )?(?:there )?(?:in|does|did|has|of) (?:the year |year )?"
    found = re.search(rf"{asked}(?:({'|'.join(MONTHS)}),? ?)?([1-9]\d{{3}}|this year)?(?: have)?$", text)
    if not found or not (found[1] or found[2]):
        return None
    year = int(found[2]) if (found[2] or "").isdigit() else today.year
    if not found[1]:
        return f"{year} has {365 + calendar.isleap(year)} days", not found[2].isdigit()
    month = MONTHS[found[1]]
    return f"{calendar.month_name[month]} {year} has {calendar.monthrange(year, month)[1]} days", not found[2]


def _age(text: str, today: date) -> Answer | None:
    if re.search(r"\b(?:until|till|til)\b", text):
        return None
    found = re.search(r"\b(?:born|birthday|birth ?date|date of birth|dob)\b[\s:]*(?:is|was|on|in)?\s*(.+)", text)
    if not found and not (found := re.search(r"\bage (?:of|from|for|if|on)?\s*(.+)", text)):
        return None
    said, _, at = found[1].partition(" on ") if " on " in found[1] else found[1].partition(" in ")
    said = re.sub(r"\b(?:today|now|how old.*|what.*age.*|am i.*)$", "", said).strip(" ,?")
    if re.fullmatch(r"[12]\d{3}", said) and not at:
        years = today.year - int(said)
        return f"Someone born in {said} is {years} after this year's birthday, {years - 1} before it", True
    birth, end = read_day(said, today), read_day(at, today) if at else Day(today, relative=True)
    if birth.yearless or birth.on > end.on:
        raise ToolFault("Give a birth date in the past with its year, for example: age of someone born 12 March 1990.")
    years, months, _ = _calendar_apart(birth.on, end.on)
    verb = "is" if not at else "will be" if end.on > today else "was"
    line = f"Someone born on {birth.on.isoformat()} {verb} {years} years old on {end.on.isoformat()}"
    return f"{line} ({years} years and {months} months){_noted(birth)}", birth.relative or end.relative


def _between(text: str, today: date) -> Answer | None:
    found = re.search(r"\bbetween (.+?) and (.+)|\bfrom (.+?) (?:to|until|till|through|-) (.+)", text)
    if not found:
        counted = r"(?:(?:how many|number of)? ?(?:\w+ )?(?:days|weeks|months|years) )?"
        found = re.fullmatch(rf"{counted}(.+?) (?:to|until|till) (.+)", text)
        if not found or not _is_day(found[1], today):
            return None
    said = [group for group in found.groups() if group]
    return _apart(text, *_pair(read_day(said[0], today), read_day(said[1], today), today))


def _is_day(text: str, today: date) -> bool:
    try:
        return bool(read_day(text, today))
    except ToolFault:
        return False


def _pair(first: Day, second: Day, today: date) -> tuple[Day, Day]:
    """Two days in order; one without a year takes the other's, or the year that puts it after the first."""
    if first.yearless and not second.yearless and second.on.year != first.on.year:
        first = Day(first.on.replace(year=second.on.year), second.relative, note=first.note)
    if second.yearless:
        years = first.on.year - second.on.year
        second = Day(add_months(second.on, 12 * years), first.relative, note=second.note)
        if second.on < first.on:
            second = Day(add_months(second.on, 12), second.relative, note=second.note)
    return (first, second) if first.on <= second.on else (second, first)


def _apart(text: str, first: Day, second: Day) -> Answer:
    days = (second.on - first.on).days
    head = f"From {first.on.isoformat()} to {second.on.isoformat()}: "
    weeks, rest = divmod(days, 7)
    in_weeks = _joined((weeks, "week"), (rest, "day"))
    in_days = _joined((days, "day"))
    if re.search(r"\b(?:business|working|work|week) ?days?\b", text):
        count = _working_days(first.on, second.on)
        line = (
            f"{head}{_joined((count, 'working day'))} (Monday to Friday, holidays not considered, last day not counted)"
        )
    elif re.search(r"\bweeks?\b", text):
        line = f"{head}{in_weeks} ({in_days})"
    elif re.search(r"\b(?:months?|years?)\b", text) or (days > 365 and "how long" in text):
        years, months, left = _calendar_apart(first.on, second.on)
        line = f"{head}{_joined((years, 'year'), (months, 'month'), (left, 'day'))} ({in_days})"
    else:
        line = f"{head}{in_days}" + (f" ({in_weeks})" if weeks else "")
    return line + _noted(first, second), first.relative or second.relative


def _joined(*parts: tuple[int, str]) -> str:
    """`8 weeks and 3 days`"""
    said = [f"{count} {unit}{'s' * (count != 1)}" for count, unit in parts if count]
    return " and ".join([", ".join(said[:-1]), said[-1]] if len(said) > 1 else said) or f"0 {parts[-1][1]}s"


def _calendar_apart(first: date, second: date) -> tuple[int, int, int]:
    months = (second.year - first.year) * 12 + second.month - first.month
    if add_months(first, months) > second:
        months -= 1
    return months // 12, months % 12, (second - add_months(first, months)).days


def _working_days(first: date, second: date) -> int:
    """Mondays to Fridays from the first day on, the second not counted."""
    weeks, rest = divmod((second - first).days, 7)
    return weeks * 5 + sum((first.weekday() + n) % 7 < 5 for n in range(rest))


def _until(text: str, today: date) -> Answer | None:
    before = r"\b(?:until|till|til|before|left to|to go to|away (?:from|is)|far away is|to)\s+(.+)"
    found = re.search(before, text)
    counted = re.search(r"\b(?:how (?:long|many|much|far)|days|weeks|months|time|sleeps|countdown)\b", text)
    if not found or not counted or re.search(rf"{_STEP} before", text):
        return None
    day = read_day(re.sub(r"\bfrom (?:now|today)\b", "", found[1]), today).coming(today)
    if day.on < today:
        ago = (today - day.on).days
        return f"{long(day.on)} was {_joined((ago, 'day'))} ago{_noted(day)}", True
    return _apart(text, Day(today, relative=True), day)


def _since(text: str, today: date) -> Answer | None:
    found = re.search(
        r"\bsince\s+(.+)|\b(?:how )?long ago (?:was|is|did)?\s*(.+)|\bhow many days ago (?:was|is) (.+)", text
    )
    if not found:
        return None
    day = read_day(found[1] or found[2] or found[3], today).past(today)
    return _apart(text, *_pair(day, Day(today, relative=True), today))


def _shift(text: str, today: date) -> Answer | None:
    """Days, weeks, months or years after or before a day."""
    forms: list[tuple[str, int]] = [
        (rf"\badd {_STEPS} to (?P<day>.+)", 1),
        (rf"\b(?:subtract|take|deduct) {_STEPS} from (?P<day>.+)", -1),
        (rf"{_STEPS} (?:after|from|since|past|following|later than|on from) (?P<day>.+)", 1),
        (rf"{_STEPS} (?:before|prior to|earlier than|until) (?P<day>.+)", -1),
        (rf"{_STEPS} (?P<day>)(?:ago|earlier|back|previously)\b", -1),
        (rf"\b(?:in|within) {_STEPS}(?P<day>)$|{_STEPS} (?:hence|later|time)$", 1),
        (rf"(?P<day>.+?)\s*(?:\bplus\b|\+|\band\b|\badd\b)\s*{_STEPS}(?: later)?$", 1),
        (rf"(?P<day>.+?)\s*(?:\bminus\b|\s-\s|\bsubtract\b|\bless\b)\s*{_STEPS}$", -1),
        (rf"(?P<day>.+?),?\s*{_STEPS} later$", 1),
        (rf"(?P<day>.+?),?\s*{_STEPS} (?:earlier|before)$", -1),
    ]  # fmt: skip
    for pattern, sign in forms:
        if found := re.search(pattern, text):
            groups = found.groupdict()
            base = read_day(groups["day"], today) if groups.get("day") else Day(today, relative=True)
            steps = re.findall(_STEP, found[0].replace(groups.get("day") or "\0", " "))
            return _moved(base.coming(today) if base.yearless else base, steps, sign)
    return None


def _moved(base: Day, steps: list[tuple[str, str, str]], sign: int) -> Answer:
    end = base.on
    for count, kind, unit in steps:
        if len(count) > 7:
            raise ToolFault("Only the years 1 to 9999 can be worked with.")
        end = _stepped(end, sign * int(count), "business" if kind or unit.startswith("weekday") else unit)
    said = _joined(*((int(count), f"{kind} {unit.rstrip('s')}".strip()) for count, kind, unit in steps))
    where = "after" if sign > 0 else "before"
    return f"{said} {where} {base.on.isoformat()}: {long(end)}{_noted(base)}", base.relative


def _stepped(day: date, count: int, unit: str) -> date:
    try:
        if unit == "business":
            return _after_working_days(day, count)
        if unit.startswith(("day", "week", "fortnight")):
            return day + timedelta(count * {"d": 1, "w": 7, "f": 14}[unit[0]])
        return add_months(day, count * {"m": 1, "y": 12, "d": 120}[unit[0]])
    except OverflowError as error:
        raise ToolFault("Only the years 1 to 9999 can be worked with.") from error


def _after_working_days(day: date, count: int) -> date:
    if abs(count) > 20_000:
        raise ToolFault("Working days can be counted up to 20000.")
    step = timedelta(1 if count > 0 else -1)
    while count:
        day += step
        if day.weekday() < 5:
            count -= step.days
    return day


_READERS: tuple[Callable[[str, date], Answer | None], ...] = (
    _today, _leap_year, _week_number, _length_of, _age, _since, _shift, _between, _until,
)  # fmt: skip
