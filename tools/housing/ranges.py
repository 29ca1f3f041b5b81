"""Amounts in a search: `under 250k`, `2 or 3 bedrooms`, `at least 70 m2`, `size>=70`, `3+ bedrooms`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tools.numerals import digits
from tools.plain import one_line

_UP = (
    r"(?:under|below|up to|upto|at most|max(?:imum)?(?: of)?|less than|fewer than|(?:no|not) more than|cheaper than|"
    r"(?:no|not) over|not above|smaller than|within|(?:my |a |our )?budget(?: is| of)?(?: up to| about| around)?|to)"
)
_DOWN = (
    r"(?:over|above|at least|min(?:imum)?(?: of)?|more than|starting (?:at|from)|from|no less than|not under|"
    r"not below|bigger than|larger than|dearer than|beyond)"
)
_ABOUT = r"(?:around|about|roughly|approximately|approx\.?|circa|ca\.?|some)"


@dataclass(frozen=True)
class Span:
    """What was asked of a number: both ends included, None where it is open."""

    low: float | None = None
    high: float | None = None
    about: bool = False

    @property
    def exact(self) -> bool:
        return self.low == self.high and not self.about


class Words:
    """A request in lower case whose understood parts are taken out one after the other."""

    def __init__(self, text: str) -> None:
        self.rest = f" {plain(text)} "

    def take(self, pattern: str) -> re.Match[str] | None:
        """The first match, which leaves a bar behind; alternatives are tried where they stand."""
        found = re.search(pattern, self.rest)
        if found:
            self.cut(found.start(), found.end())
        return found

    def cut(self, start: int, end: int) -> None:
        self.rest = f"{self.rest[:start]} | {self.rest[end:]}"

    def span(self, number: str, unit: str, field: str = "") -> Span | None:
        """A range, bound or number with this unit behind it, or the field's name before it."""
        after, named = rf"\s*-?\s*(?:{unit})(?!\w)", rf"(?:{field})\s+(?:is |of )?" if field else r"(?!)"
        n, before = rf"(?<![\w.]){number}", rf"\b{named}"
        end = r"(?![\w.]|\s*-?(?:m2|sq|square|min|bed|bath|room|%))"
        forms = (
            (rf"(?:\bbetween |\bfrom )?({n})(?:{after})?\s*(?:-|\bto\b|\band\b|\bor\b)\s*({n}){after}", _both),
            (rf"{before}(?:between |from )?({n})\s*(?:-|to|and|or)\s*({n}){end}", _both),
            (rf"\b{_UP}\s*({n}){after}|({n}){after} (?:or less|or fewer|or smaller|max(?:imum)?|at most)\b", _high),
            (rf"{before}{_UP}\s*({n}){end}|\bmax(?:imum)? {named}({n}){end}", _high),
            (rf"\b{_DOWN}\s*({n}){after}|({n})\s*\+{after}|({n}){after} (?:or more|or larger|min(?:imum)?|\+)", _low),
            (rf"{before}{_DOWN}\s*({n}){end}|\bmin(?:imum)? {named}({n}){end}", _low),
            (rf"\b{_ABOUT}\s*({n}){after}|{before}{_ABOUT}\s*({n}){end}", _near),
            (rf"({n}){after}|{before}({n}){end}", _same),
        )
        for pattern, read in forms:
            if found := self.take(pattern):
                return read([float(group) for group in found.groups() if group])
        return None


def _both(numbers: list[float]) -> Span:
    return Span(min(numbers), max(numbers))


def _high(numbers: list[float]) -> Span:
    return Span(high=numbers[0])


def _low(numbers: list[float]) -> Span:
    return Span(low=numbers[0])


def _near(numbers: list[float]) -> Span:
    return Span(round(numbers[0] * 0.9), round(numbers[0] * 1.1), about=True)


def _same(numbers: list[float]) -> Span:
    return Span(numbers[0], numbers[0])


_SIGNS = ((r"<=?", " at most "), (r">=?", " at least "), (r"[=:;\"'{}\[\]()?!]", " "), (r"_", " "))


_FIRST = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh")
_FLOORS = {name: number for number, name in enumerate(_FIRST, 1)}


def _floor(found: re.Match[str]) -> str:
    """`third floor` and `3rd floor` as `floor 3`."""
    number = _FLOORS.get(found[1]) or re.sub(r"(?<=\d)(?:st|nd|rd|th)$", "", found[1])
    return f"floor {number}" if str(number).isdigit() else found[0]


def plain(text: str) -> str:
    """Lower case, numbers in digits (`250k`, `1,200`, `two hundred thousand`), signs as words."""
    text = one_line(text).lower()
    text = re.sub(r"\bhalf a million\b", "500000", re.sub(r"\b(?:a )?quarter of a million\b", "250000", text))
    text = re.sub(r"\b(?:the )?(\w+) floor\b", _floor, text)
    text = re.sub(r"[€£$]\s?(?=\d)", "", re.sub(r"(?<=\d)\s?[€£$]", " euros", text))
    text = re.sub(r"\bh[-_ ]?(\d{1,4})\b", lambda m: f"h-{int(m[1]):04d}", text)
    text = re.sub(r"(?<=\d)[,.](?=\d{3}(?!\d))|(?<=\d) (?=000\b)", "", text)
    text = re.sub(r"(?<!\d)(\d+(?:\.\d+)?)\s?k\b", lambda m: f"{float(m[1]) * 1000:.0f}", text)
    text = re.sub(r"(?<!\d)(\d+(?:\.\d+)?)\s?(?:mio|mln|m)\b(?! ?2)", lambda m: f"{float(m[1]) * 10**6:.0f}", text)
    for sign, word in _SIGNS:
        text = re.sub(sign, word, text)
    text = re.sub(r"\b(\d{2,3})\s?(-|to|and)\s?(\d{2,3})000\b", r"\g<1>000 \2 \g<3>000", digits(text))
    return " ".join(text.split())
