# ruff: noqa: E501  (one pattern a line reads better than folded ones)
"""A date question told at length, said again in a few plain words: the days, the step and what is asked are enough.

`my gran was born on the 8th of June 1941, what weekday was that` is `8 june 1941`; `Our sublet goes from 15 December
2026 to 31 March 2027. How many days are there between those two dates?` is `days from 15 december 2026 to 31 march 2027`.
"""

from __future__ import annotations

import re
from datetime import date

from tools.days import MONTHS, read_day
from tools.desk import ToolFault

_MONTH = rf"(?:{'|'.join(dict.fromkeys([*sorted(MONTHS, key=len, reverse=True), 'sept', *(name[:3] for name in MONTHS)]))})\b\.?"
_DAY = re.compile(
    rf"\b\d{{4}}-\d\d-\d\d\b|\b(?:the )?\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{_MONTH}(?:,? (?:of )?\d{{4}}\b)?"
    rf"|\b{_MONTH} (?:the )?\d{{1,2}}(?:st|nd|rd|th)?\b(?:,? \d{{4}}\b)?|\b(?:today|tomorrow|yesterday)\b"
    r"|\b(?:next|last|this|coming) (?:mon|tues|wednes|thurs|fri|satur|sun)day\b"
    r"|\bchristmas(?: eve| day)?\b|\bnew year's (?:eve|day)\b|\bhalloween\b|\beaster(?: sunday| monday)?\b"
)
_STEP = re.compile(r"\b(\d+) (?:(working|business) )?(day|week|fortnight|month|year)s?\b")
_COUNT = re.compile(
    r"\bhow (?:many (?:(?:full|whole|working|business|calendar|more) )*(days?|weeks?|months?|years?|nights|sleeps)|long|far)\b"
    r"|\b(days|weeks|months|nights) (?:are|is|between|from|to|until|till|left)\b"
)
_WEEKDAY = re.compile(r"\b(?:week ?day|(?:what|which) day|day of the week|day is|day does|day will|day was)(?:'s)?\b")
_BEFORE = re.compile(r"\b(?:before|earlier|prior|ago|back)\b")


def said_plainly(text: str, today: date) -> str:
    """The question in few words; empty where the days, the steps and what is asked do not fit one."""
    days = [found for found in _DAY.finditer(text) if _is_day(found[0], today)]
    rest = re.sub(r"\b(?:these|those|the|both|my|our) 2\b", " ", _DAY.sub(" ", text))
    steps = [f"{n} {kind + ' ' if kind else ''}{unit}s" for n, kind, unit in _STEP.findall(rest)]
    if re.search(r"\d", _STEP.sub(" ", rest)) or len(set(steps)) > 1 or re.search(r"\d[:.]\d\d|\bo'?clock\b", text):
        return ""
    named = list(dict.fromkeys(re.sub(r"^the ", "", found[0]) for found in days))
    counted = _COUNT.search(rest)
    if len(named) == 2 and counted and not steps:
        kind = "working days" if re.search(r"\b(?:working|business) days", rest) else counted[1] or counted[2] or "days"
        return f"{kind.replace('nights', 'days').replace('sleeps', 'days')} from {named[0]} to {named[1]}"
    if len(named) > 1:
        return ""
    if (
        steps
        and re.search(
            r"\b(?:(?:what|which)(?:'s| is| will be)? (?:the )?(?:date|day|weekday)|when|deadline|due|expires?)\b", rest
        )
        and not counted
    ):
        return f"{steps[0]} {'before' if _BEFORE.search(rest) else 'after'} {named[0] if named else 'today'}"
    if not named or steps:
        return ""
    if counted:
        past = read_day(named[0], today).on < today
        kind = counted[1] or counted[2] or "days"
        return f"{kind} since {named[0]}" if past else f"how many {kind} until {named[0]}"
    return named[0] if _WEEKDAY.search(rest) else ""


def _is_day(text: str, today: date) -> bool:
    try:
        return bool(read_day(re.sub(r"^the ", "", text), today))
    except ToolFault:
        return False
