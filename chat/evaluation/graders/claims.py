"""What a reply asserts about homes: prices, sizes, features, minutes, payments, times. Read with rules, no model.

A figure belongs to the home named last before it (or, where none is, to the one named in its own sentence).
"""

from __future__ import annotations

import re
from calendar import month_name
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

from chat.evaluation.graders.numerals import digits
from tools.housing.listings import FEATURES, Listings
from tools.plain import one_line


@dataclass(frozen=True)
class Claim:
    """One assertion."""

    name: str
    """The fact that it is about: `H-0421.price`; `.price` where no home is named."""
    value: Any
    quote: str
    """The sentence it stands in."""
    about: bool = False
    """Said with `about`, `around`, `roughly`."""


@dataclass(frozen=True)
class _Said:
    """A sentence, with what it may be about."""

    text: str
    low: str
    homes: tuple[tuple[int, str], ...]
    """(position, home)"""
    before: str
    """The home that was spoken of last."""
    places: tuple[tuple[int, int, str], ...]
    districts: tuple[tuple[int, int, str], ...]

    def subject(self, at: int) -> str:
        """The home that what stands there is about."""
        if named := [home for position, home in self.homes if position <= at]:
            return named[-1]
        if self.before and _GOES_ON.match(self.low):
            return self.before
        return self.homes[0][1] if self.homes else ""

    def each(self, pattern: str | re.Pattern[str]) -> Iterator[tuple[re.Match[str], str, str, str]]:
        """Every place in which it is found, with the home that it is about, and the words before and behind."""
        for found in re.finditer(pattern, self.low):
            yield found, self.subject(found.start()), self.low[: found.start()], self.low[found.end() :]

    def claim(self, of: str, field: str, value: Any, lead: str = "") -> Claim:
        """`lead`: the words before it, where `about` counts."""
        return Claim(f"{of}.{field}" if of else field, value, self.text, bool(_ABOUT.search(lead)))


_GOES_ON = re.compile(
    r"\s*[-*•]\s|\W*(?:it|its|it's|this|that|there|the (?:asking |monthly |nearest |current )?(?:price|payment|"
    r"home|flat|house|studio|loft|penthouse|townhouse|apartment|property|school|stop|service|energy|building|first|"
    r"next)|and|also|has|with|"
    r"address|price|size|bedrooms?|built|energy|service|noise|stop|school|listed|status|agent|asking|floor|features?|"
    r"\d+ (?:m2|bed\w*|bath\w*|rooms?|min\w*))\b",
    re.I,
)
"""Sentences that go on about the home before them."""


def figures_in(text: str, listings: Listings) -> list[Claim]:
    """All assertions of a reply that can be held against the database, in the order of their kinds per sentence."""
    places, districts = listings.places(), listings.districts()
    claims, before = list[Claim](), ""
    for sentence in _sentences(text):
        low = re.sub(r"\bh[-_ ]?(\d{1,4})\b", lambda m: f"h-{int(m[1]):04d}", digits(sentence.lower()))
        homes = tuple((low.find(home.lower()), home) for home in home_ids(low))
        named = spans(low, [*places, *districts])
        near = tuple(each for each in named if each[2] in places)
        said = _Said(sentence, low, homes, before, near, tuple(each for each in named if each[2] not in places))
        if not sentence.rstrip().endswith("?"):
            claims += [claim for read in READERS for claim in read(said)]
        if not _DENIED.search(low):
            claims += [Claim(f"{home}.id", home, sentence) for _, home in homes]
        before = homes[-1][1] if homes else before
    return claims


_DENIED = re.compile(r"\bthere is no (?:home|listing)\b|\b(?:does not|doesn't) exist\b|\bno (?:such )?home\b")
"""A number that is said to be nobody's."""


def _sentences(text: str) -> Iterator[str]:
    for line in text.splitlines():
        yield from filter(str.strip, re.split(r"(?<=[.!?])\s+(?=[A-Z*\-\d])", one_line(line)))


# -- money

_AMOUNT = re.compile(
    r"(?:€\s?)(\d[\d,]*(?:\.\d+)?)(\s?k\b|\s?m\b)?|(?<![\w.,-])(\d[\d,]*(?:\.\d+)?)(\s?k\b)?\s?(?:euros?\b|eur\b|€)"
)
_ABOUT = re.compile(
    r"\b(?:about|around|roughly|approximately|nearly|almost|some|circa|just (?:under|over))\s+(?:€\s?)?$"
)


def _money(said: _Said) -> Iterator[Claim]:
    for found, home, lead, tail in said.each(_AMOUNT):
        number = float((found[1] or found[3]).replace(",", ""))
        number *= {"k": 1000, "m": 1_000_000}.get((found[2] or found[4] or "").strip(), 1)
        field = _money_field(lead, tail)
        if field in ("budget", "difference") or "." in field:
            home = ""
        elif not home and said.districts and field in ("price", "price_m2"):
            home = said.districts[-1][2]
        yield said.claim(home, field if home or "." in field else f".{field}", number, lead)


_BEHIND = (
    (r"^\s*(?:per|a|each|/|every)\s*(?:m2|square met|sqm)", "price_m2"),
    (r"^\s*(?:of )?(?:service charge|fee)\b", "fee"),
    (r"^\s*(?:of |in )?(?:total )?interest\b", "loan.interest"),
    (r"^\s*(?:of |as |as a |in )?(?:deposit|down ?payment|savings)\b", "loan.deposit"),
    (r"^\s*(?:less|more|cheaper|dearer|below|above|lower|higher|difference|reduction|off)\b", "difference"),
)
_AHEAD = (
    (r"(?:service charge|fee)[^,;]{0,30}$", "fee"),
    (r"interest[^,;\d]{0,25}$", "loan.interest"),
    (r"(?:deposit|down ?payment|savings)[^,;\d]{0,15}$", "loan.deposit"),
    (r"\b(?:loan|borrow\w*)[^,;\d]{0,20}$", "loan.amount"),
    (r"\b(?:income|earn\w*|salary)[^,;\d]{0,20}$", "afford.income"),
    (
        r"\b(?:reduced by|went down by|dropped by|fell by|saves?|saving|difference(?: is| of)?)\s*(?:about )?$",
        "difference",
    ),
    (r"\b(?:sold|bought)\s+(?:in \d{4} |on [\d-]+ )?(?:for|at)\s*$", "sold_at"),
    (r"\b(?:listed|reduced|first asked|asked)\s+(?:on [\d-]+ )?(?:for|at|to|from)\s*$", "asked_at"),
    (r"\b(?:budget|under|below|up to|at most|less than|maximum|max|limit|over|between|above)[^,;\d]{0,12}$", "budget"),
    (r"\bmedian(?: price)?[^,;\d]{0,10}$", "price"),
)


def _money_field(lead: str, tail: str) -> str:
    monthly = re.match(r"\s*(?:a|per|each|every|/)\s?month|\s*monthly", tail) or re.search(
        r"monthly[^,;\d]{0,25}$", lead
    )
    if monthly:
        return "fee" if re.search(r"(?:charge|fee)[^,;]{0,30}$", lead) else "loan.monthly"
    for pattern, field in _BEHIND:
        if re.search(pattern, tail):
            return field
    return next((field for pattern, field in _AHEAD if re.search(pattern, lead)), "price")


# -- numbers with a unit

_NUMBERS = (
    ("bedrooms", r"(?<![\w.-])(\d{1,2})[ -]bed(?:room)?s?\b"),
    ("bathrooms", r"(?<![\w.-])(\d{1,2})[ -]bath(?:room)?s?\b"),
    ("rooms", r"(?<![\w.-])(\d{1,2})[ -]rooms?\b"),
    ("size", r"(?<![\w.,-])(\d{2,4})\s?(?:m2|m\^2|sqm|square met(?:er|re)s?)\b"),
    ("year", r"\bbuilt in (\d{4})\b"),
    ("noise", r"(?<![\w.-])(\d{2}) ?(?:db|decibels?)\b"),
    ("floor", r"\b(\d{1,2})(?:st|nd|rd|th) floor\b|\bfloor (\d{1,2})\b|\b(ground) floor\b"),
    ("energy", r"\benergy (?:class|rating|label)(?: is| of|:)? ([a-g])\b"),
)
_COUNT = r"(?<![\w.,-])(\d[\d,]*) (?!bed|room|bath|m2)(?:[\w-]+ ){0,2}?(?:homes?|flats?|results?|listings?|matches)\b"


def _numbers(said: _Said) -> Iterator[Claim]:
    for field, pattern in _NUMBERS:
        for found, home, lead, _ in said.each(pattern):
            value = next(group for group in found.groups() if group)
            number: Any = 0 if value == "ground" else int(value) if value.isdecimal() else value.upper()
            if not home and field == "noise" and said.districts:
                home = said.districts[-1][2]
            if home:
                yield said.claim(home, field, number, lead)
    for found, _, lead, _ in said.each(_COUNT):
        if not re.search(r"\b(?:h-|the|these|those|all|both|first|top|of) $", lead[-8:]):
            yield said.claim("", ".count", int(found[1].replace(",", "")))
    schools = [(start, name) for start, _, name in said.places if "School" in name or "Academy" in name]
    for found, _, _, _ in said.each(r"\b(?:rat(?:ed|ing)(?: of| is)?:? )?(\d{1,2}) ?(?:/|of|out of) ?10\b"):
        if schools:
            ahead = [school for school in schools if school[0] < found.start()]
            yield said.claim((ahead or schools)[-1][1], "rating", int(found[1]))


def _ways(said: _Said) -> Iterator[Claim]:
    """Minutes to a place, and changes on the way."""
    for found, home, lead, tail in said.each(r"(?<![\w.-])(\d{1,3})[ -]min(?:ute)?s?\b'?"):
        place = _nearest_place(said, found.start(), found.end())
        if not home or re.search(r"(?:\(|\blast |\bthen )$", lead):  # a part of a way
            continue
        foot = re.match(r"'?\s*(?:on foot|walk|away on foot|by foot)|.{0,12}\bwalk", tail)
        if place:
            yield said.claim(home, f"{'walk' if foot else 'minutes'}.{place}", int(found[1]))
        elif re.match(r".{0,25}\b(?:stop|station|tram|metro)\b", tail):
            yield said.claim(home, "stop_walk", int(found[1]))
        elif re.match(r".{0,25}\bschool\b", tail):
            yield said.claim(home, "school_walk", int(found[1]))
    for found, home, _, _ in said.each(r"\b(\d|no|without) (?:changes?\b|changing)|\bdirect(?:ly)?\b"):
        if home and (place := _nearest_place(said, found.start(), found.end())):
            yield said.claim(home, f"changes.{place}", int(found[1]) if (found[1] or "").isdecimal() else 0)


def _nearest_place(said: _Said, start: int, end: int) -> str:
    """The place that stands nearest, before or behind."""
    return min(
        ((begin - end if begin >= end else start - stop, name) for begin, stop, name in said.places), default=(0, "")
    )[1]


# -- what it has, how it stands, where it is, when it can be seen

_WORDS = {
    "garden": r"gardens?", "balcony": r"balcon(?:y|ies)|terrace", "parking": r"parking(?: space)?|garage",
    "lift": r"lift|elevator", "pets": r"pets?(?: are| is)?(?: \w+)? (?:allowed|welcome)|pet-friendly|allows pets",
}  # fmt: skip
_NOT = r"\b(?:no|none|not|without|lacks?|neither|nor|has not|missing|n't)\b"


def _features(said: _Said) -> Iterator[Claim]:
    for field in FEATURES:
        for found, home, lead, _ in said.each(rf"\b(?:{_WORDS[field]})\b"):
            near = re.split(r"[.;:]|\b(?:but|has:|and has|with)\b", lead)[-1]
            if home and not re.search(r"\b(?:if|would|want|need|like|whether|looking for|prefer)\b", near):
                listed = max(lead.rfind("has not:"), lead.rfind("without:")) > lead.rfind("has:")  # `has not: lift`
                yield said.claim(home, field, not (listed or re.search(_NOT, f"{near} {found[0]}")))


_STATES = (
    ("sold", r"\b(?:is|was|been|are) (?:already |now |just )?sold\b(?! (?:for|at|in|on)\b)|\(sold\)|status: sold"),
    ("under offer", r"\bunder offer\b"),
    ("available", r"\b(?:is|are|still) (?:still |currently |now )?available\b|status: available"),
)


def _state(said: _Said) -> Iterator[Claim]:
    for status, pattern in _STATES:
        for found, home, lead, _ in said.each(pattern):
            until = (lead + found[0]).removesuffix("available")
            if home and not re.search(r"\b(?:not|no longer|isn't)\W*$", until[-14:]):
                yield said.claim(home, "status", status)


def _where(said: _Said) -> Iterator[Claim]:
    for start, _, name in said.districts:
        if (home := said.subject(start)) and re.search(r"\b(?:in|district:?)(?: the)? $", said.low[:start]):
            yield said.claim(home, "district", name)


_MONTHS = [name.lower() for name in month_name[1:]]
_MOMENT = re.compile(
    rf"(?:(\d{{4}})-(\d\d)-(\d\d)|(\d{{1,2}})(?:st|nd|rd|th)? (?:of )?({'|'.join(_MONTHS)})(?:,? (\d{{4}}))?|"
    rf"({'|'.join(_MONTHS)}) (\d{{1,2}})(?:st|nd|rd|th)?(?:,? (\d{{4}}))?)"
    r"[ ,]*(?:at |from )?(?:(\d{1,2}):(\d\d)|(\d{1,2}) ?([ap])\.?m)"
)


def _times(said: _Said) -> Iterator[Claim]:
    """A viewing at a time: booked, or on offer. A year that is not said is 0."""
    booked = re.search(r"\b(?:booked|confirmed|reserved|scheduled|is set)\b", said.low)
    undone = re.search(r"\b(?:not|shall i|once|would you|can be|cancel\w*)\b", said.low)
    for found, home, _, _ in said.each(_MOMENT):
        year, day = int(found[1] or found[6] or found[9] or 0), int(found[3] or found[4] or found[8])
        month = int(found[2]) if found[2] else _MONTHS.index(found[5] or found[7]) + 1
        hour = int(found[10]) if found[10] else int(found[12]) % 12 + (12 if found[13] == "p" else 0)
        with suppress(ValueError):
            at = datetime(year or 4, month, day, hour, int(found[11] or 0))
            if home:
                field = "booked" if booked and not undone else "slot"
                yield said.claim(home, field, f"{at.year if year else 0:04d}{at:-%m-%d %H:%M}")


def _kinds(said: _Said) -> Iterator[Claim]:
    kinds = r"(studio|flat|apartment|loft|penthouse|townhouse|house)"
    for at, home in said.homes:
        tail = said.low[at + len(home) :]
        if found := re.match(rf"(?:\s+is|:|,|\s*[-(])\s*(?:an?|the)?\s*(?:[\w-]+ ){{0,2}}?{kinds}\b", tail):
            yield said.claim(home, "kind", {"apartment": "flat"}.get(found[1], found[1]))


READERS = (_money, _numbers, _ways, _features, _state, _where, _times, _kinds)


# -- names

_SIGNED = re.compile(r"\bh[-_ ]?(\d{1,4})\b", re.I)


def home_ids(text: str) -> list[str]:
    """`H-0421`, `h 421`, `home 0421`, each once, in order; a bare number counts with four digits and a leading 0."""
    found = [(m.start(), int(m[1])) for m in _SIGNED.finditer(text)]
    found += [(m.start(), int(m[1])) for m in re.finditer(r"\b(?:homes?|listings?|number)\s*#?(\d{1,4})\b", text, re.I)]
    found += [(m.start(), int(m[1])) for m in re.finditer(r"(?<![\d.,:+-])(?<!\d )(0\d{3})\b(?![ /-]?\d)", text)]
    return list(dict.fromkeys(f"H-{number:04d}" for _, number in sorted(found)))


def spans(text: str, names: Iterable[str]) -> list[tuple[int, int, str]]:
    """(start, end, name) for each name; a longer name wins over one inside it."""
    found: list[tuple[int, int, str]] = []
    low = text.lower()
    for name in sorted(names, key=len, reverse=True):
        for match in _loose(name).finditer(low):
            if all(match.end() <= start or match.start() >= end for start, end, _ in found):
                found.append((match.start(), match.end(), name))
    return sorted(found)


@cache
def _loose(name: str) -> re.Pattern[str]:
    """The name as a word, with or without what joins its parts."""
    parts = r"[\s-]?".join(map(re.escape, name.lower().split()))
    return re.compile(rf"\b{parts}\b")
