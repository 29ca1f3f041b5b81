"""What the agency knows of its homes, read from the base and never written; and how it is told in words."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from tools.desk import ToolFault
from tools.domains import BASE, stamp

_SIGNED = re.compile(r"\bh[-_ ]?(\d{1,4})\b", re.I)
FEATURES = {
    "garden": "garden", "balcony": "balcony", "parking": "parking space", "pets": "pets allowed", "lift": "lift",
}  # fmt: skip


@dataclass(frozen=True)
class Home:
    """One listing; the fields are the columns. Money in euros, sizes in square metres, ways in minutes on foot."""

    id: str
    kind: str
    district: str
    address: str
    price: int
    bedrooms: int
    rooms: int
    bathrooms: int
    size: int
    floor: int
    floors: int
    year: int
    energy: str
    garden: bool
    balcony: bool
    parking: bool
    pets: bool
    lift: bool
    fee: int
    """Service charge a month; 0 where there is none."""
    noise: int
    """Decibels by day."""
    status: str
    """`available`, `under offer`, `sold`"""
    listed: str
    agent: str
    stop: str
    stop_walk: int
    school: str
    school_walk: int
    x: float
    y: float

    @property
    def source(self) -> str:
        return f"listing {self.id}"

    @property
    def price_m2(self) -> int:
        return round(self.price / self.size)


@dataclass(frozen=True)
class Listings:
    """The base of one folder."""

    folder: Path

    def rows(self, sql: str, values: Iterable[object] = ()) -> list[sqlite3.Row]:
        """Raises ToolFault where there is no base."""
        try:
            with closing(sqlite3.connect(f"file:{self.folder / BASE}?mode=ro", uri=True)) as base:
                base.row_factory = sqlite3.Row
                return base.execute(sql, tuple(values)).fetchall()
        except sqlite3.OperationalError as error:
            raise ToolFault("The listings cannot be opened; choose the domain again to have them built.") from error

    def version(self) -> str:
        return stamp(self.folder)

    def where(self, condition: str = "1", values: Iterable[object] = (), order: str = "id") -> list[Home]:
        return [_home(row) for row in self.rows(f"SELECT * FROM homes WHERE {condition} ORDER BY {order}", values)]

    def get(self, home: str) -> Home:
        """Raises ToolFault for an unknown number."""
        found = self.where("id = ?", (home,))
        if not found:
            raise ToolFault(f"There is no home {home}; the numbers go from H-0001 to H-2000.")
        return found[0]

    def has(self, home: str) -> bool:
        return bool(self.where("id = ?", (home,)))

    def named(self, text: str, most: int = 4) -> list[Home]:
        """The homes that a text names by number or address. Raises ToolFault for an unknown number."""
        found = [self.get(home) for home in home_ids(text)]
        if not found:
            found = self._at(text)
        return found[:most]

    def one(self, text: str, tool: str) -> Home:
        """Raises ToolFault where none is named."""
        if not (found := self.named(text, 1)):
            raise ToolFault("Say which home, by its number, for example H-0421.")
        return found[0]

    def _at(self, text: str) -> list[Home]:
        """By address: `62 Marker Street`."""
        addresses = re.findall(r"\b\d{1,2} [A-Za-z]+(?: [A-Za-z]+)?", text)
        tried = {part for a in addresses for part in (a, a.rsplit(" ", 1)[0])}
        marks = ", ".join("?" * len(tried))
        return self.where(f"address COLLATE NOCASE IN ({marks})", sorted(tried)) if tried else []

    def districts(self) -> dict[str, sqlite3.Row]:
        return _named_rows(self, "districts", self._age())

    def places(self) -> dict[str, sqlite3.Row]:
        """Stops, landmarks and schools."""
        return _named_rows(self, "places", self._age())

    def _age(self) -> int:
        file = self.folder / BASE
        return file.stat().st_mtime_ns if file.is_file() else 0

    def history(self, home: str) -> list[sqlite3.Row]:
        """Oldest first: happened, event, price."""
        return self.rows("SELECT happened, event, price FROM history WHERE home = ? ORDER BY happened", (home,))


@lru_cache(maxsize=8)
def _named_rows(listings: Listings, table: str, age: int) -> dict[str, sqlite3.Row]:
    """A small table that is asked for in every call; `age` is the file's, so that another base is read anew."""
    return {row["name"]: row for row in listings.rows(f"SELECT * FROM {table} ORDER BY name")}


def home_ids(text: str) -> list[str]:
    """`H-0421`, `h 421`, `home 0421`, each once, in order; a bare number counts with four digits and a leading 0."""
    found = [(m.start(), int(m[1])) for m in _SIGNED.finditer(text)]
    found += [(m.start(), int(m[1])) for m in re.finditer(r"\b(?:homes?|listings?|number)\s*#?(\d{1,4})\b", text, re.I)]
    found += [(m.start(), int(m[1])) for m in re.finditer(r"(?<![\d.,:+-])(?<!\d )(0\d{3})\b(?![ /-]?\d)", text)]
    return list(dict.fromkeys(f"H-{number:04d}" for _, number in sorted(found)))


def _home(row: sqlite3.Row) -> Home:
    values: dict[str, Any] = dict(row)
    return Home(**values | {name: bool(values[name]) for name in FEATURES})


def money(euros: float) -> str:
    """`245,000 euros`, with cents where there are any."""
    return f"{euros:,.0f} euros" if euros == int(euros) else f"{euros:,.2f} euros"


def counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def floor_of(home: Home) -> str:
    if home.kind in ("house", "townhouse"):
        return f"{home.floors} floors"
    level = "ground floor" if home.floor == 0 else f"floor {home.floor}"
    return f"{level} of a building with {home.floors} floors"


def headline(home: Home) -> str:
    """`H-0421: flat in Riverside, 2 bedrooms, 68 m2, 245,000 euros`"""
    beds = counted(home.bedrooms, "bedroom") + ", " if home.bedrooms else ""
    status = "" if home.status == "available" else f" ({home.status})"
    return f"{home.id}: {home.kind} in {home.district}, {beds}{home.size} m2, {money(home.price)}{status}"


def facts_of(home: Home, *names: str) -> Mapping[str, Any]:
    """{"H-0421.price": 245000} for the fields named."""
    return {f"{home.id}.{name}": getattr(home, name) for name in names}


HEADLINE = ("kind", "district", "bedrooms", "size", "price", "status")
"""The fields that a headline asserts."""
