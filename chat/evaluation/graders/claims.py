"""What a reply asserts about homes: prices, sizes, features, minutes, payments, times. Read with rules, no model.

A figure belongs to the home named last before it (or, where none is, to the one named in its own sentence). What words
mean is in housing.yaml.
"""

from __future__ import annotations

import re
from calendar import month_name
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from functools import cache, lru_cache
from itertools import chain
from pathlib import Path
from typing import Any

import yaml
from text_to_num import alpha2digit

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


@cache
def words() -> dict[str, Any]:
    """How homes are spoken of."""
    read: dict[str, Any] = yaml.safe_load(Path(__file__).with_name("housing.yaml").read_text(encoding="utf-8"))
    return read


@dataclass(frozen=True)
class _Said:
    """A sentence, with what it may be about."""

    text: str
    low: str
    homes: tuple[tuple[int, str], ...]
    """(position, home), each time that one is named."""
    before: str
    """The home that was spoken of last."""
    places: tuple[tuple[int, int, str], ...]
    districts: tuple[tuple[int, int, str], ...]

    def subject(self, at: int) -> str:
        """The home that what stands there is about."""
        if named := [home for position, home in self.homes if position <= at]:
            return named[-1]
        if self.before and re.match(rf"\s*[-*•]\s|\W*(?:{'|'.join(words()['goes_on'])})\b", self.low):
            return self.before
        return self.homes[0][1] if self.homes else ""

    def each(self, pattern: str | re.Pattern[str]) -> Iterator[tuple[re.Match[str], str, str, str]]:
        """Every place in which it is found, with the home that it is about, and the words before and behind."""
        for found in re.finditer(pattern, self.low):
            yield found, self.subject(found.start()), self.low[: found.start()], self.low[found.end() :]

    def claim(self, of: str, field: str, value: Any, lead: str = "") -> Claim:
        """`lead`: the words before it, where `about` counts."""
        return Claim(f"{of}.{field}", value, self.text, bool(_ABOUT.search(lead)))

    def place(self, found: re.Match[str]) -> str:
        """The place that stands nearest to it, before or behind."""
        gaps = ((max(start - found.end(), found.start() - end), name) for start, end, name in self.places)
        return min(gaps, default=(0, ""))[1]


def figures_in(text: str, listings: Listings) -> list[Claim]:
    """All assertions of a reply that can be held against the database, in the order of their kinds per sentence."""
    claims, before = list[Claim](), ""
    lines = (re.split(r"(?<=[.!?])\s+(?=[A-Z*\-\d])", one_line(line)) for line in text.splitlines())
    for sentence in filter(str.strip, chain.from_iterable(lines)):
        said = _said(sentence, before, listings)
        if not sentence.rstrip().endswith("?"):
            claims += [claim for read in READERS for claim in read(said)]
        if not _DENIED.search(said.low):
            claims += [Claim(f"{home}.id", home, sentence) for home in dict.fromkeys(home for _, home in said.homes)]
        before = said.homes[-1][1] if said.homes else before
    return claims


def whether(field: str, text: str) -> set[bool]:
    """What it says of a feature without naming a home: that there is one, that there is none."""
    low = [digits(sentence.lower()) for sentence in re.split(r"(?<=[.!?])\s+|\n", text)]
    told = (
        _Said(each, each, ((0, "it"),), "", (), ()) for each in low if not (_SIGNED.search(each) or each[-1:] == "?")
    )
    return {claim.value for said in told for claim in _features(said) if claim.name == f"it.{field}"}


_DENIED = re.compile(r"\bthere is no (?:home|listing)\b|\b(?:does not|doesn't) exist\b|\bno (?:such )?home\b")
"""A number that is said to be nobody's."""
_SIGNED = re.compile(
    r"\bh[-_ ]?(\d{1,4})\b|\b(?:homes?|listings?|number)\s*#?(\d{1,4})\b|(?<![\d.,:+-])(?<!\d )(0\d{3})\b(?![ /-]?\d)"
)
"""`h-0421`, `h 421`, `home 0421`; a bare number counts with four digits and a leading 0."""


def _said(sentence: str, before: str, listings: Listings) -> _Said:
    low = re.sub(r"\bh[-_ ]?(\d{1,4})\b", lambda m: f"h-{int(m[1]):04d}", digits(sentence.lower()))
    signed = ((found.start(), int(next(filter(None, found.groups())))) for found in _SIGNED.finditer(low))
    homes = tuple((start, f"H-{number:04d}") for start, number in signed)
    places = listings.places
    named = _named(low, (*places, *listings.districts))
    near, within = (tuple(each for each in named if (each[2] in places) is near) for near in (True, False))
    return _Said(sentence, low, homes, before, near, within)


def _named(low: str, names: tuple[str, ...]) -> list[tuple[int, int, str]]:
    """(start, end, name), with or without what joins a name's parts; a longer name wins over one inside it."""
    any_of, known = _spellings(names)
    return [(each.start(), each.end(), known[re.sub(r"[\s-]", "", each[0])]) for each in any_of.finditer(low)]


@lru_cache(maxsize=4)
def _spellings(names: tuple[str, ...]) -> tuple[re.Pattern[str], Mapping[str, str]]:
    """What finds any of them, and which one is meant by it without blanks."""
    loose = (r"[\s-]?".join(map(re.escape, name.lower().split())) for name in sorted(names, key=len, reverse=True))
    return re.compile(rf"\b(?:{'|'.join(loose)})\b"), {re.sub(r"[\s-]", "", name.lower()): name for name in names}


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
        field = next(name for name, around in words()["money"] if re.search(around, f"{lead}¤{tail}"))
        if "." in field:  # a loan's, of no home
            home, _, field = field.partition(".")
        elif field in ("budget", "difference"):
            home = ""
        elif not home and said.districts and field in ("price", "price_m2"):
            home = said.districts[-1][2]
        yield said.claim(home, field, number, lead)


# -- numbers with a unit, and words that are one of few

_COUNT = r"(?<![\w.,-])(\d[\d,]*) (?!bed|room|bath|m2)(?:[\w-]+ ){0,2}?(?:homes?|flats?|results?|listings?|matches)\b"


def _values(said: _Said) -> Iterator[Claim]:
    for field, pattern in words()["values"]:
        for found, home, lead, _ in said.each(pattern):
            value = next(filter(None, found.groups()))
            meant: Any = int(value) if value.isdecimal() else value.upper() if len(value) == 1 else value
            if not home and field == "noise" and said.districts:
                home = said.districts[-1][2]
            if home:
                yield said.claim(home, field, words()["meant"].get(value, meant), lead)


def _counts(said: _Said) -> Iterator[Claim]:
    """How many were found, and how schools are rated."""
    for found, _, lead, _ in said.each(_COUNT):
        if not re.search(r"\b(?:h-|the|these|those|all|both|first|top|of) $", lead[-8:]):
            yield said.claim("", "count", int(found[1].replace(",", "")))
    schools = [(start, name) for start, _, name in said.places if "School" in name or "Academy" in name]
    rated = said.each(r"\b(?:rat(?:ed|ing)(?: of| is)?:? )?(\d{1,2}) ?(?:/|of|out of) ?10\b") if schools else ()
    for found, _, _, _ in rated:
        ahead = [school for school in schools if school[0] < found.start()]
        yield said.claim((ahead or schools)[-1][1], "rating", int(found[1]))


def _ways(said: _Said) -> Iterator[Claim]:
    """Minutes to a place, and changes on the way."""
    for found, home, lead, tail in said.each(r"(?<![\w.-])(\d{1,3})[ -]min(?:ute)?s?\b'?"):
        a_part = re.search(r"(?:\(|\blast |\bthen )$", lead)
        if home and not a_part and (field := _way(tail, said.place(found))):
            yield said.claim(home, field, int(found[1]))
    for found, home, _, _ in said.each(r"\b(\d|no|without) (?:changes?\b|changing)|\bdirect(?:ly)?\b"):
        if home and (place := said.place(found)):
            yield said.claim(home, f"changes.{place}", int(found[1]) if (found[1] or "").isdecimal() else 0)


def _way(tail: str, place: str) -> str:
    """What minutes are of, by the words behind them."""
    near = {"stop_walk": r".{0,25}\b(?:stop|station|tram|metro)\b", "school_walk": r".{0,25}\bschool\b"}
    if place:
        near = {f"walk.{place}": r"'?\s*(?:on foot|walk|away on foot|by foot)|.{0,12}\bwalk", f"minutes.{place}": ""}
    return next((field for field, pattern in near.items() if re.match(pattern, tail)), "")


# -- what it has, where it is, when it can be seen

_NOT = r"\b(?:no|none|not|without|lacks?|neither|nor|has not|missing|n't)\b"


def _features(said: _Said) -> Iterator[Claim]:
    for field in FEATURES:
        for found, home, lead, _ in said.each(rf"\b(?:{words()['features'][field]})\b"):
            near = re.split(r"[.;:]|\b(?:but|has:|and has|with)\b", lead)[-1]
            if home and not re.search(r"\b(?:if|would|want|need|like|whether|looking for|prefer|not know)\b", near):
                listed = max(lead.rfind("has not:"), lead.rfind("without:")) > lead.rfind("has:")  # `has not: lift`
                yield said.claim(home, field, not (listed or re.search(_NOT, f"{near} {found[0]}")))


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


READERS = (_money, _values, _counts, _ways, _features, _where, _times)


# -- numbers, also in words: `twenty-three` is 23, `two hundred and five` 205, `1.5 million` 1500000

_FACTORS = {"hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9, "dozen": 12}
_SCALES = "|".join(_FACTORS)
_SCALED = re.compile(rf"(?<![\w.])(\d+(?:\.\d+)?)[ -]?({_SCALES})\b")


def digits(text: str) -> str:
    """`text` (lower case) with its spelled-out numbers as digits."""
    text = re.sub(r"-(?=(?:bed|bath)?room|min|year)", " ", text)
    text = _scaled(re.sub(rf"\ba ({_SCALES})\b", r"one \1", text))
    return _scaled(alpha2digit(text, "en", 0))


def _scaled(text: str) -> str:
    return _SCALED.sub(lambda m: f"{(Decimal(m[1]) * _FACTORS[m[2]]).normalize():f}", text)


def numbers(text: str) -> Iterator[float]:
    """1,250.50 and 84k, numbers as words, and which floor; other ordinals only count things."""
    for found in re.finditer(r"(\d[\d,]*(?:\.\d+)?)(?!\d|(?:st|nd|rd|th)\b(?! floor))(\s?k\b)?", digits(text.lower())):
        yield float(found[1].replace(",", "")) * (1000 if found[2] else 1)


def slack(number: float, value: float) -> float:
    """How far a number may be from a value that it says: 1,043 and 1,043.3 are 1,043.27, and 1,043.7 is not."""
    if float(value).is_integer():
        return 0.005
    return 0.51 if number.is_integer() else 0.051 if round(number, 1) == number else 0.0051
