"""Reads a search in plain words: `2 bedroom flats in Riverside under 250000 near a school, cheapest first`.

Every part that is understood becomes a condition that can be said back; what is left over is said too.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import pairwise

from tools.housing.conditions import READERS, Condition
from tools.housing.names import guess, spans
from tools.housing.ranges import Words

NEAR_PLACE = 12
"""Minutes door to door that `near` a place is taken for."""


@dataclass(frozen=True)
class Reach:
    """At most so many minutes to a place, door to door."""

    place: str
    minutes: int

    @property
    def said(self) -> str:
        return f"within {self.minutes} minutes of {self.place}"


@dataclass(frozen=True)
class Wish:
    """A search that was read."""

    conditions: tuple[Condition, ...]
    reaches: tuple[Reach, ...] = ()
    order: tuple[str, str] = ("cheapest first", "price, id")
    """How it is said, and in SQL."""
    page: int = 1
    show: int = 5
    unknown: tuple[str, ...] = ()
    """Words that were not understood."""
    nowhere: str = ""
    """One of them that was to be a place: `paris` in `flats in Paris`."""

    @property
    def said(self) -> str:
        return ", ".join([*(c.said for c in self.conditions), *(r.said for r in self.reaches)])


def read_wish(text: str, districts: Collection[str], places: Collection[str]) -> Wish:
    """Never fails: what cannot be read is in `unknown`."""
    words = Words(text)
    order, page, show = _order(words), _page(words), _show(words)
    reaches, conditions = _names(words, districts, places)
    for reader in READERS:
        conditions += [*reader(words)]
    unknown, guessed = _leftovers(words, districts)
    if not any(c.sql.startswith("status") for c in conditions):
        conditions.insert(0, Condition("available", "status = 'available'"))
    nowhere = next(
        (w for w in unknown if re.search(rf"\b(?:in|near|around|at)(?: the)? {re.escape(w)}\b", words.rest)), ""
    )
    return Wish((*conditions, *guessed), tuple(reaches), order, page, show, unknown, nowhere)


_ORDERS = (
    (r"(?:lowest )?price per (?:m2|square met\w+)|best value|value for money", "lowest price per m2 first",
     "1.0 * price / size, id"),
    (r"most expensive|dearest|highest price[ds]?|price (?:desc\w*|high to low)|expensive", "most expensive first",
     "price DESC, id"),
    (r"cheapest|lowest price[ds]?|(?:by|order|sort) price(?: asc\w*| low to high)?|price (?:asc\w*|low to high)|"
     r"by price|least expensive", "cheapest first", "price, id"),
    (r"smallest|size asc\w*", "smallest first", "size, id"),
    (r"largest|biggest|most spacious|(?:by|order|sort) size(?: desc\w*)?|size desc\w*", "largest first",
     "size DESC, id"),
    (r"newest (?:built|buildings?|homes? built)|most modern", "newest building first", "year DESC, id"),
    (r"newest|latest|most recent(?:ly)?(?: listed)?|(?:just|newly|recently) listed|"
     r"listed (?:this|last) (?:week|month)|new listings?|by date",
     "newest listing first", "listed DESC, id"),
    (r"quietest", "quietest first", "noise, id"),
    (r"(?:closest|nearest) to (?:a |the )?(?:school|schools)", "nearest to a school first", "school_walk, id"),
    (r"(?:closest|nearest) to (?:a |the )?(?:stop|station|public transport|transit)", "nearest to a stop first",
     "stop_walk, id"),
    (r"best energy(?: class| rating)?|most efficient", "best energy class first", "energy, price, id"),
)  # fmt: skip


def _order(words: Words) -> tuple[str, str]:
    for pattern, said, sql in _ORDERS:
        lead = r"(?:(?:sort(?:ed)?|order(?:ed)?)\s+(?:by\s+)?)?"
        if words.take(rf"\b{lead}(?:the )?(?:{pattern})(?: (?:ones? )?first)?\b"):
            return said, sql
    return "cheapest first", "price, id"


def _page(words: Words) -> int:
    found = words.take(r"\bpage (\d{1,3})\b|\b(?:2nd|second|next) page\b")
    return max(1, int(found[1] or 2)) if found else 1


def _show(words: Words) -> int:
    found = words.take(
        r"\b(?:top|first|show(?: me)?(?: the)?|limit) (\d{1,2})\b(?!\s*-?\s*(?:bed|room|bath|m2|\d))|"
        r"(?<![\w.-])(\d{1,2}) (?:homes|results|options|listings)\b"
    )
    return min(10, max(1, int(found[1] or found[2]))) if found else 5


# -- names of districts and places


def _names(words: Words, districts: Collection[str], places: Collection[str]) -> tuple[list[Reach], list[Condition]]:
    reaches: list[Reach] = []
    wanted: dict[bool, list[str]] = {True: [], False: []}
    sections = spans(words.rest, [*districts, *places])
    shut = _excluded(words.rest, sections)
    for at, (start, end, name) in reversed([*enumerate(sections)]):  # from behind, so that positions hold
        lead, tail = words.rest[:start], words.rest[end:]
        way, behind = re.search(_WAY, lead), re.match(_BEHIND, tail)
        inside = name if name in districts else guess(name, districts) if not way else ""
        if inside:
            wanted[at not in shut].insert(0, inside)
            words.cut(shut.get(at, start), end)
        else:
            minutes = (way and way["minutes"]) or (behind and behind[1]) or NEAR_PLACE
            reaches.insert(0, Reach(name, int(minutes)))
            words.cut(way.start() if way else start, end + (behind.end() if behind else 0))
    return reaches, [*_inside(wanted[True], ""), *_inside(wanted[False], "not ")]


def _excluded(text: str, sections: list[tuple[int, int, str]]) -> dict[int, int]:
    """The names that are not wanted, with where their `not in` begins; it holds for all of `A, B and C`."""
    shut: dict[int, int] = {}
    for at, (start, _, _) in enumerate(sections):
        out = re.search(
            r"\b(?:not|except|but not|outside|avoid|excluding|without|forget(?: about)?|drop|skip|leave out|"
            r"instead of|rather than|"
            r"tired of|no longer|n't (?:want|like)|anywhere but)\b[^|.!?]{0,12}$",
            text[:start],
        )
        if out:
            shut[at] = out.start()
        elif at - 1 in shut and re.fullmatch(
            r"\s*(?:,|and|or|nor|, and)\s*(?:in )?(?:the )?", text[sections[at - 1][1] : start]
        ):
            shut[at] = start
    return shut


_LISTED = r"\s*(?:,|and|or|nor|, and)\s*(?:in )?(?:the )?"
_BEHIND = (
    r"\s*,?\s*(?:within |at most |max |in |under |less than |no more than |up to )"
    r"(\d{1,3}) ?min(?:ute)?s?(?: walk| away| on foot)*"
)
_WAY = (
    r"(?:\b(?:within|max|at most|under|less than|up to|no more than)\s+)?(?:(?P<minutes>\d{1,3}) ?min(?:ute)?s?\b)?"
    r"(?:\s+(?:(?P<walk>walk)|commute|ride|by \w+ \w*|by \w+|away|travel|drive))*\s*"
    r"\b(?:near(?:by)?|close to|around|next to|to|of|from|at|by)(?: the| a)?\s*$"
)


def _inside(names: list[str], no: str) -> Iterator[Condition]:
    if names:
        marks = ", ".join("?" * len(names))
        test = "NOT IN" if no else "IN"
        yield Condition(f"{no}in {' or '.join(names)}", f"district {test} ({marks})", tuple(names))


def _leftovers(words: Words, districts: Collection[str]) -> tuple[tuple[str, ...], list[Condition]]:
    """The words that nobody took; a district that is misspelled is guessed."""
    unknown: list[str] = []
    guessed: list[str] = []
    words.take(r"\bby (?:tram|metro|bus|train|public transport)\b")
    for part in words.rest.split("|"):
        left = [word.strip(".,+-/&") for word in part.split()]
        pairs = [" ".join(pair) for pair in pairwise(left)]
        for pair in pairs:
            if name := guess(pair, districts):
                guessed.append(name)
                left = [word for word in left if word not in pair.split()]
        for word in left:
            if word in _FILLERS or (len(word) < 2 and not word.isdigit()):
                continue
            if name := guess(word, districts):
                guessed.append(name)
            else:
                unknown.append(word)
    return tuple(dict.fromkeys(unknown)), [*_inside(list(dict.fromkeys(guessed)), "")]


_WORDS = """
    a an the and or with without in on at of for to from by near is are be i we me my our us you your it that this those
    these there some any all one ones please find search show list give get want wanted need looking look like would
    prefer preferably ideally want wants have has having can could home homes property properties place places
    apartment listing listings sale buy buying live living available something anything somewhere what which do does
    month euros euro eur price prices priced cost costs budget district districts area neighbourhood neighborhood city
    also then but not too very really good nice great right quick now currently still first hello hi thanks thank
    bedroom bedrooms bed room rooms size kind type max min maximum minimum under over sort sorted order ordered asc
    least big large spacious small beautiful lovely daughter son kids children child wife husband partner parents
    most more than about around only just within minutes minute min walk walking distance away close close-by
    transport public family couple person us's am i'm we're let's let tell how many much if should must so who
    aldermere m2 sqm where when cheap affordable offer offers options option results result other page
"""
_FILLERS = frozenset(_WORDS.split())
