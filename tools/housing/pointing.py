"""Which homes the person means: by number, address, place in the list, what they are like, or `it`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from tools.housing.listings import Home, Listings, home_ids
from tools.housing.wishes import Wish, read_wish

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_NUMBER = {word: at for at, word in enumerate(_ORDINALS)} | {
    f"{at + 1}{end}": at for at in range(10) for end in ("st", "nd", "rd", "th")
}
_THING = r"(?:one|ones|home|flat|apartment|house|option|studio|loft|penthouse|townhouse|listing|place|property|result)"
_NOT_A_HOME = (
    r"(?!\s*(?:floor|time|slot|date|day|free|available|thing|of all|viewing|appointment|step|question|month|year))"
)
_ORDINAL = re.compile(
    rf"\b(?:the )?({'|'.join(_NUMBER)}|last)\b{_NOT_A_HOME}(?:\s+{_THING})?|(?<!\w)(?:number|no\.?|option|"
    rf"#)\s?(\d{{1,2}})\b",
    re.I,
)
_SEVERAL = re.compile(r"\b(?:the )?(?:first|top) (two|three|four|2|3|4)\b", re.I)
_ALL = re.compile(
    r"\b(?:both|of each|each (?:one|home|flat)|for each(?= of|[?.!]|$)|each(?=[?.!]|$)|(?:which|"
    r"what) (?:one )?(?:costs?|is|has|was) (?:the )?\w+(?:er|est|less|more)\b|which of (?:the )?two|"
    r"these|those|all (?:of them|three|four|five)|(?:any|which|one|each) of (?:them|these|those)|they|"
    r"them|their|which (?:one|home|flat|of))\b",
    re.I,
)
_BEST: tuple[tuple[str, Callable[[Home], float]], ...] = (
    (r"cheapest|least expensive", lambda home: home.price),
    (r"(?:most expensive|dearest)", lambda home: -home.price),
    (r"(?:biggest|largest)", lambda home: -home.size),
    (r"smallest", lambda home: home.size),
    (r"newest|most modern", lambda home: -home.year),
    (r"oldest", lambda home: home.year),
    (r"quietest", lambda home: home.noise),
)
_THE_ONE = re.compile(rf"\b(?:the|that) (?P<before>(?:[\w-]+ ){{0,3}}?){_THING}\b(?P<after>[^?.!,;]*)", re.I)


def pointed(
    said: str,
    shown: Sequence[str],
    focus: Sequence[str],
    listings: Listings,
    *,
    it: bool = True,
    among: Sequence[str] = (),
) -> list[str]:
    """The homes that are meant; `it`: the one spoken of last where no other is. Raises ToolFault for no such home.

    among: the homes last spoken of together, of which `the other one` is one.
    """
    said = said.replace("’", "'")
    if found := _SEVERAL.search(said):
        number = {"two": 2, "three": 3, "four": 4}.get(found[1].lower()) or int(found[1])
        return [*shown[:number]]
    named = (_by_place(said, focus) if len(focus) > 1 else []) or _by_place(said, shown or among)
    ids = [] if named else home_ids(said)
    named += [listings.get(home).id for home in ids]
    named += [home.id for home in listings.named(said)] if not named else []
    if named:
        mixed = (
            [*focus[:1], *named]
            if re.search(
                r"\b(?:it|this one|that one)\b(?: \w+){0,2} (?:with|to|and|or|against|"
                r"than) (?:h[-_ ]?\d|the )",
                said,
            )
            else named
        )
        return [*dict.fromkeys(mixed)]
    if likely := _by_looks(said, shown, listings):
        return likely
    if max(len(shown), len(focus), len(among)) > 1 and _ALL.search(said):
        both = re.search(r"\bboth\b|\bof the two\b", said, re.I)
        if both and len(focus) < 2 and len(among) == 2:
            return [*among]
        return [*focus] if len(focus) > 1 else [*shown[: 2 if both else 5]]
    if other := _other(said, focus, among):
        return other
    if it and len(focus) == 1:
        return [*focus]
    return [*shown] if it and len(shown) == 1 else []


def _other(said: str, focus: Sequence[str], among: Sequence[str]) -> list[str]:
    """`the other one`: of two that were spoken of together, the one that is not in focus."""
    left = [home for home in among if home not in focus]
    asked = re.search(rf"\bthe other(?: {_THING})?\s*(?:[?.!,;]|$|\b(?:is|has|costs?|does|for|in|to)\b)", said, re.I)
    return left if asked and len(focus) == 1 and len(left) == 1 else []


def _by_place(said: str, shown: Sequence[str]) -> list[str]:
    """`the second one`, `number 3`, `the first and the last`"""
    found = []
    for match in _ORDINAL.finditer(said):
        word = (match[1] or "").lower()
        at = len(shown) - 1 if word == "last" else _NUMBER[word] if word else int(match[2]) - 1
        if 0 <= at < len(shown):
            found.append(shown[at])
    return found


def _by_looks(said: str, shown: Sequence[str], listings: Listings) -> list[str]:
    """`the cheapest one`, `the one in Elmwood`, `the penthouse`: among those that were shown."""
    if len(shown) < 2:
        return []
    homes = [listings.get(home) for home in shown]
    for pattern, rank in _BEST:
        if re.search(
            rf"\bthe (?:{pattern})(?:\s+(?:{_THING}|of (?:them|these|those|all)))?\s*(?:[?.!,;]|$|\band\b|"
            rf"\bto\b|\bhave\b|\bhas\b|\bfrom\b|\bis\b|\bcost|\blook)",
            said,
            re.I,
        ):
            return [min(homes, key=rank).id]
    for match in _THE_ONE.finditer(said):
        words = re.sub(r"\bone\b", "", match[0], flags=re.I)
        if (wish := read_wish(words, listings.districts(), listings.places())) and _says(wish):
            fitting = _fitting(wish, shown, listings)
            if len(fitting) == 1:
                return fitting
    return []


def _says(wish: Wish) -> bool:
    return any(condition.said != "available" for condition in wish.conditions)


def _fitting(wish: Wish, shown: Sequence[str], listings: Listings) -> list[str]:
    tests = [c for c in wish.conditions if c.said != "available"]
    marks = ", ".join("?" * len(shown))
    sql = " AND ".join([f"id IN ({marks})", *(f"({c.sql})" for c in tests)])
    return [home.id for home in listings.where(sql, [*shown, *(v for c in tests for v in c.values)])]
