"""The estate agency's database from a seed: 2,000 homes in the city of city.toml, with their price histories.

The same bytes of content on every machine: the dice use nothing but `Random.random`, no logarithms or powers.
"""

from __future__ import annotations

import math
import sqlite3
import tomllib
from collections.abc import Mapping, Sequence
from contextlib import closing
from datetime import date, timedelta
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any, TypeVar

T = TypeVar("T")
Row = dict[str, Any]
CITY: Row = tomllib.loads(Path(__file__).with_name("city.toml").read_text(encoding="utf-8"))
HOMES = 2000
AS_OF = date(2026, 9, 1)
"""The day the listings were drawn up."""
KILOMETRE = 15
"""Minutes on foot for a kilometre as the crow flies."""
_FLOORLESS = ("townhouse", "house")


def build(path: Path, seed: int) -> None:
    """Writes the whole database in one transaction."""
    dice, places = _Dice(seed), _places()
    with closing(sqlite3.connect(path)) as base, base:
        base.executescript(Path(__file__).with_name("base.sql").read_text(encoding="utf-8"))
        _fill(base, "districts", [{**one, "x": one["at"][0], "y": one["at"][1]} for one in CITY["district"]])
        _fill(base, "places", places)
        _fill(base, "links", _links())
        homes = _homes(places, dice)
        _fill(base, "history", [event for home in homes for event in _history(home, dice)])
        _fill(base, "homes", homes)


def _fill(base: sqlite3.Connection, table: str, rows: Sequence[Row]) -> None:
    values = ", ".join(f":{row[1]}" for row in base.execute(f"PRAGMA table_info({table})"))
    base.executemany(f"INSERT INTO {table} VALUES ({values})", rows)


class _Dice(Random):
    """Choices whose sequence no version of Python changes."""

    def below(self, count: int) -> int:
        return int(self.random() * count)

    def among(self, low: int, high: int) -> int:
        """Both ends included."""
        return low + self.below(high - low + 1)

    def pick(self, choices: Sequence[T]) -> T:
        return choices[self.below(len(choices))]

    def weighted(self, weights: Mapping[str, int]) -> str:
        return self.pick([name for name, weight in weights.items() for _ in range(weight)])

    def chance(self, percent: float) -> bool:
        return self.random() * 100 < percent

    def bell(self, spread: float) -> float:
        """About 0, like a bell: the sum of four dice, between -2 and 2 spreads."""
        return (sum(self.random() for _ in range(4)) - 2) * spread


def walk(here: Sequence[float], there: Sequence[float]) -> int:
    """Minutes on foot, at least one."""
    return max(1, math.ceil(math.dist(here, there) * KILOMETRE - 1e-9))


def _nearest(at: Sequence[float], others: Mapping[str, Sequence[float]]) -> tuple[str, int]:
    minutes, name = min((walk(at, other), name) for name, other in others.items())
    return name, minutes


def _places() -> list[Row]:
    named = [(name, kind, None, at) for kind in ("stop", "landmark") for name, at in CITY[f"{kind}s"].items()]
    named += [(s["name"], f"{s['kind']} school", s["rating"], s["at"]) for s in CITY["school"]]
    rows = []
    for name, kind, rating, at in named:
        (stop, minutes), walk = _nearest(at, CITY["stops"]), kind != "stop"
        near, _ = _nearest(at, {d["name"]: d["at"] for d in CITY["district"]})
        row = {"name": name, "kind": kind, "rating": rating, "district": near, "stop": stop, "walk": minutes * walk}
        rows.append({**row, "x": at[0], "y": at[1]})
    return rows


def _links() -> list[Row]:
    return [
        {"line": line["name"], "every": line["every"], "one": one, "other": other, "minutes": minutes}
        for line in CITY["line"]
        for (one, other), minutes in zip(pairwise(line["stops"]), line["minutes"], strict=True)
    ]


def _homes(places: Sequence[Row], dice: _Dice) -> list[Row]:
    """No two at one address."""
    schools = {p["name"]: (p["x"], p["y"]) for p in places if p["kind"].endswith("school")}
    homes: dict[str, Row] = {}
    while len(homes) < HOMES:
        home = _home(len(homes) + 1, schools, dice)
        homes.setdefault(home["address"], home)
    return list(homes.values())


def _home(number: int, schools: Mapping[str, Sequence[float]], dice: _Dice) -> Row:
    district = dice.pick([d for d in CITY["district"] for _ in range(d["homes"])])
    kind = dice.weighted(district["kinds"])
    bedrooms = dice.pick(CITY["bedrooms"][kind])
    base, each = CITY["sizes"][kind]
    size = round((base + each * bedrooms) * (1 + dice.bell(0.14)))
    year = dice.among(*district["built"])
    x, y = (round(at + dice.bell(0.4), 2) for at in district["at"])
    home: Row = {
        "id": f"H-{number:04d}", "kind": kind, "district": district["name"],
        "address": f"{dice.among(1, 98)} {dice.pick(district['streets'])}", "bedrooms": bedrooms,
        "rooms": bedrooms + (1 if bedrooms < 4 or kind == "flat" else 2),
        "bathrooms": 1 + (bedrooms > 2 and dice.chance(70)) + (bedrooms > 3 and dice.chance(50)),
        "size": size, "year": year, "x": x, "y": y, "agent": dice.pick(CITY["agents"]),
    }  # fmt: skip
    home |= _building(kind, year, dice)
    home["stop"], home["stop_walk"] = _nearest((x, y), CITY["stops"])
    home["school"], home["school_walk"] = _nearest((x, y), schools)
    home["noise"] = district["noise"] + round(dice.bell(5)) + (3 if home["stop_walk"] < 3 else 0)
    home["price"] = _price(home, district, dice)
    home["fee"] = 0 if kind in _FLOORLESS else 5 * round(size * (0.45 + 0.12 * home["lift"] + dice.bell(0.08)))
    home["listed"] = (AS_OF - timedelta(dice.among(0, 30) if dice.chance(40) else dice.among(31, 240))).isoformat()
    home["status"] = dice.weighted({"available": 84, "under offer": 9, "sold": 7})
    return home


def _building(kind: str, year: int, dice: _Dice) -> Row:
    own = kind in _FLOORLESS
    floors = dice.among(2, 3) if own else dice.among(3, 6) if year < 1950 else dice.among(3, 12)
    floor = 0 if own else floors - 1 if kind == "penthouse" else dice.below(floors)
    age = 2026 - year
    energy = "ABCDEFG"[max(0, min(6, round((age - 4) / 17 + dice.bell(1.1)) - (dice.chance(35) and age > 30)))]
    return {
        "floor": floor, "floors": floors, "energy": energy,
        "garden": int(dice.chance(92 if kind == "house" else 70 if own else 30 if floor == 0 else 3)),
        "balcony": int(dice.chance(25 if own else 15 if floor == 0 else 96 if kind == "penthouse" else 58)),
        "parking": int(dice.chance(80 if kind == "house" else 45 if year > 1990 else 24)),
        "pets": int(own or dice.chance(55)),
        "lift": int(not own and floors > 3 and dice.chance(90 if year > 1960 else 30)),
    }  # fmt: skip


def _price(home: Row, district: Row, dice: _Dice) -> int:
    """The district's level, moved by what buyers pay for, and by how sellers differ; in thousands."""
    factor = 1.0 + dice.bell(0.11)
    factor += 0.06 * home["garden"] + 0.03 * home["balcony"] + 0.04 * home["parking"]
    factor += 0.05 * (3 - "ABCDEFG".index(home["energy"])) / 3
    factor += {"studio": 0.12, "loft": 0.08, "penthouse": 0.22, "house": 0.04}.get(home["kind"], 0.0)
    factor += (district["noise"] - home["noise"]) * 0.004 - 0.004 * home["stop_walk"]
    if home["kind"] not in _FLOORLESS and not home["lift"]:
        factor -= 0.02 * home["floor"]
    price: int = max(45, round(district["price_m2"] * home["size"] * factor / 1000)) * 1000
    return price


def _history(home: Row, dice: _Dice) -> list[Row]:
    """Earlier sales, the listing, and what was changed since; the last price is the home's."""
    listed = date.fromisoformat(home["listed"])
    asked = home["price"]
    cuts: list[tuple[date, int]] = []
    day = AS_OF
    while len(cuts) < 2 and (day - listed).days > 45 and dice.chance(45):
        cuts.append((day - timedelta(dice.among(5, 35)), asked))
        day, asked = cuts[-1][0], round(asked * (1.02 + 0.05 * dice.below(100) / 100) / 1000) * 1000
    events = [*((on, "price reduced", price) for on, price in cuts), (listed, "listed", asked)]
    year, price = listed.year, float(asked)
    for _ in range(dice.below(4)):
        years = dice.among(4, 14)
        year -= years
        if year < max(home["year"], 1985):
            break
        for _ in range(years):
            price /= 1.028 + dice.bell(0.012)
        events.append((date(year, dice.among(1, 12), dice.among(1, 28)), "sold", round(price / 1000) * 1000))
    if home["status"] != "available":
        events.append((AS_OF - timedelta(dice.below(4)), home["status"], home["price"]))
    events.sort(key=lambda event: event[0])
    return [{"home": home["id"], "happened": f"{on}", "event": what, "price": paid} for on, what, paid in events]
