"""The search for homes: what was searched for is said back, and where nothing fits, what stands in the way."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from pydantic import BaseModel, Field

from tools.desk import ToolFault
from tools.housing.listings import FEATURES, District, Home, Kind, Listings, counted
from tools.housing.transit import place_named, towards
from tools.ledger import Findings
from tools.typed import one_of

SHOWN = 5
"""Homes on a page."""
_WORDS = tomllib.loads(Path(__file__).with_name("search.toml").read_text(encoding="utf-8"))
NEEDS: dict[str, tuple[str, str]] = _WORDS["needs"]
"""What can be needed -> how it is said back, and its condition in SQL."""
ORDERS: dict[str, str] = _WORDS["orders"]
Need = Annotated[str, one_of(NEEDS)]
Sort = Annotated[str, one_of(ORDERS)]
_GIVEN = "(SELECT value FROM json_each(?))"
Amount = Annotated[int, Field(ge=0, le=100_000_000)]


class Wish(BaseModel):
    """What `search` takes: all wishes at once, those of before included."""

    districts: list[District] = Field([], description="Any of these; leave out for the whole city")
    not_districts: list[District] = []
    kinds: list[Kind] = []
    bedrooms: Amount | None = Field(None, description="Exactly so many")
    min_bedrooms: Amount | None = None
    max_bedrooms: Amount | None = None
    max_price: Amount | None = Field(None, description="Euros: the budget")
    min_price: Amount | None = Field(None, description="Euros")
    min_size: Amount | None = Field(None, description="Square metres")
    max_size: Amount | None = None
    needs: list[Need] = []
    without: list[Need] = Field([], description="What it must not have or be")
    near: str = Field("", description="A stop, school or landmark that must be within `minutes` from door to door")
    minutes: Annotated[int, Field(ge=1, le=180)] = 12
    sort: Sort = "cheapest first"
    page: Annotated[int, Field(ge=1)] = 1


class Condition(NamedTuple):
    """One thing that is asked of a home."""

    said: str
    sql: str
    values: tuple[object, ...] = ()


def search(listings: Listings, **wished: Any) -> tuple[str, Findings]:
    """The first homes that fit. Raises ToolFault for a place that is not known."""
    wish = Wish(**wished)
    asked = [*conditions(wish), *_within(wish, listings)]
    if not asked:
        raise ToolFault("Say at least one wish to search by: budget, district, kind, bedrooms or size.")
    found = matching(asked, wish.sort, listings)
    pages = max(1, -(-len(found) // SHOWN))
    shown = found[(wish.page - 1) * SHOWN : wish.page * SHOWN]
    without = [] if found else _in_the_way(asked, wish.sort, listings)
    facts: dict[str, Any] = {"search.count": len(found), "search.shown": [home.id for home in shown]}
    facts |= {f"search.without {said}": count for count, said in without}
    for home in shown:
        facts |= home.facts("kind", "district", "bedrooms", "size", "price", "status", *FEATURES)
        facts |= home.facts("stop", "stop_walk", "school", "school_walk", "energy", "year")
    lines = ["", *(f"- {_line(home, wish)}" for home in shown)] if shown else []
    text = "\n".join([_lead(wish, asked, len(found), pages, without), *lines])
    more = f"\n\nFor more: page {wish.page + 1} of {pages}." if wish.page < pages else ""
    return text + more, {**listings.found(shown, facts), "told": text}


def _lead(wish: Wish, asked: Sequence[Condition], found: int, pages: int, without: list[tuple[int, str]]) -> str:
    wanted = ", ".join(condition.said for condition in asked)
    if not found:
        ways = "; ".join(f'without "{said}" {counted(count, "home")}' for count, said in without)
        loosened = f"It would be {ways}." if ways else "Leaving out one of these is not enough."
        return f"No home fits all of this: {wanted}. {loosened}"
    if wish.page > pages:
        return f"That was all: {counted(found, 'home')} with {wanted}."
    page = f", page {wish.page} of {pages}" if pages > 1 else ""
    return f"{counted(found, 'home')} found ({wanted}, {wish.sort}{page}):"


def conditions(wish: Wish) -> Iterator[Condition]:
    """Each wish as a condition."""
    yield from _one_of("kind", wish.kinds)
    least, most = (wish.min_bedrooms, wish.max_bedrooms) if wish.bedrooms is None else (wish.bedrooms,) * 2
    yield from _between("bedrooms", least, most, "bedroom" if least == most == 1 else "bedrooms")
    yield from _one_of("district", wish.districts, "in ")
    yield from _one_of("district", wish.not_districts, "not in ", "NOT IN")
    least = wish.min_price if wish.min_price != wish.max_price else None  # nobody wants a home for exactly a sum
    yield from _between("price", least, wish.max_price, "euros")
    yield from _between("size", wish.min_size, wish.max_size, "m2")
    yield from (Condition(*NEEDS[need]) for need in wish.needs)
    for said, sql in (NEEDS[need] for need in wish.without):
        yield Condition(f"not: {said}", f"NOT ({sql})")


def _one_of(column: str, values: Sequence[str], said: str = "", test: str = "IN") -> Iterator[Condition]:
    if values:
        yield Condition(f"{said}{' or '.join(values)}", f"{column} {test} {_GIVEN}", (json.dumps(values),))


def _between(column: str, least: int | None, most: int | None, unit: str) -> Iterator[Condition]:
    if least is None and most is None:
        return
    low, high = least or 0, most if most is not None else 10**9
    ends = f"at most {high:,}" if least is None else f"at least {low:,}" if most is None else f"{low:,} to {high:,}"
    yield Condition(f"{f'{low:,}' if low == high else ends} {unit}", f"{column} BETWEEN ? AND ?", (low, high))


def _within(wish: Wish, listings: Listings) -> Iterator[Condition]:
    """Homes from which a place is that near."""
    if wish.near:
        place = place_named(wish.near, listings)
        to = towards(place, listings)
        near = [home.id for home in listings.where("status = 'available'") if to.way(home).minutes <= wish.minutes]
        yield Condition(f"within {wish.minutes} minutes of {place}", f"id IN {_GIVEN}", (json.dumps(near),))


def matching(asked: Sequence[Condition], sort: str, listings: Listings) -> list[Home]:
    """All available homes that fit, in order."""
    sql = " AND ".join(["status = 'available'", *(f"({condition.sql})" for condition in asked)])
    return listings.where(sql, [value for condition in asked for value in condition.values], ORDERS[sort])


def _line(home: Home, wish: Wish) -> str:
    """The headline and what it has, so that the person can choose."""
    near = {"school": f"{home.school} {home.school_walk}", "stop": f"stop {home.stop} {home.stop_walk}"}
    asked = [way for what, way in near.items() if any(what in need for need in wish.needs)]
    return ", ".join([home.headline, *home.has, *(f"{way} min on foot" for way in asked)])


def _in_the_way(asked: Sequence[Condition], sort: str, listings: Listings) -> list[tuple[int, str]]:
    """For each condition, how many homes there would be without it; the three that stand in the way most."""
    others = [[one for one in asked if one is not left] for left in asked]
    counts = zip((len(matching(some, sort, listings)) for some in others), (one.said for one in asked), strict=True)
    return [each for each in sorted(counts, reverse=True) if each[0]][:3]
