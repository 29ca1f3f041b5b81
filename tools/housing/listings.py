"""What the agency knows of its homes, read from the base and never written; and how it is told in words."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, Field

from tools.desk import ToolFault
from tools.domains import rows, stamp
from tools.housing.generate import CITY
from tools.ledger import Findings
from tools.typed import one_of

_SIGNED = re.compile(r"\bh[-_ ]?(\d{1,4})\b", re.I)
District = Annotated[str, one_of(one["name"] for one in CITY["district"])]
Kind = Annotated[str, one_of(CITY["sizes"])]
HomeName = Annotated[str, Field(description="The home's number, such as H-0421, or its address")]
FEATURES = {
    "garden": "garden", "balcony": "balcony", "parking": "parking space", "pets": "pets allowed", "lift": "lift",
}  # fmt: skip


class Home(BaseModel, frozen=True):
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
    def price_m2(self) -> int:
        return round(self.price / self.size)

    @property
    def has(self) -> list[str]:
        """Of FEATURES, in words."""
        return [word for field, word in FEATURES.items() if getattr(self, field)]

    @property
    def level(self) -> str:
        if self.kind in ("house", "townhouse"):
            return f"{self.floors} floors"
        level = "ground floor" if self.floor == 0 else f"floor {self.floor}"
        return f"{level} of a building with {self.floors} floors"

    @property
    def headline(self) -> str:
        """`H-0421: flat in Riverside, 2 bedrooms, 68 m2, 245,000 euros`"""
        beds = counted(self.bedrooms, "bedroom") + ", " if self.bedrooms else ""
        status = "" if self.status == "available" else f" ({self.status})"
        return f"{self.id}: {self.kind} in {self.district}, {beds}{self.size} m2, {money(self.price)}{status}"

    def facts(self, *names: str) -> dict[str, Any]:
        """{"H-0421.price": 245000} for the fields named."""
        return {f"{self.id}.{name}": getattr(self, name) for name in names}


@dataclass(frozen=True)
class Listings:
    """The base of one folder."""

    folder: Path

    def rows(self, sql: str, values: Iterable[object] = ()) -> list[sqlite3.Row]:
        """Raises ToolFault where there is no base."""
        return rows(self.folder, sql, values)

    def where(self, condition: str = "1", values: Iterable[object] = (), order: str = "id") -> list[Home]:
        found = self.rows(f"SELECT * FROM homes WHERE {condition} ORDER BY {order}", values)
        return [Home.model_validate(dict(row)) for row in found]

    def get(self, home: str) -> Home:
        """By number (`H-0421`, `h 421`) or address. Raises ToolFault where there is none."""
        signed = _SIGNED.search(home)
        number = f"H-{int(signed[1]):04d}" if signed else home
        found = self.where("id = ?", (number,)) or self.where("address = ? COLLATE NOCASE", (home.strip(),))
        if not found:
            raise ToolFault(f"There is no home {number[:40]}; the numbers go from H-0001 to H-2000.")
        return found[0]

    def named(self, text: str) -> list[str]:
        """The homes of which a text has the number or the address, as they stand there."""
        low = text.lower()
        addresses = self.rows("SELECT id, instr(?, lower(address)) - 1 AS at FROM homes WHERE at >= 0", (low,))
        found = [(row["at"], row["id"]) for row in addresses if not low[: row["at"]][-1:].isdigit()]
        found += [(m.start(), f"H-{int(m[1]):04d}") for m in _SIGNED.finditer(text)]
        return list(dict.fromkeys(home for _, home in sorted(found)))

    @cached_property
    def districts(self) -> dict[str, sqlite3.Row]:
        return {row["name"]: row for row in self.rows("SELECT * FROM districts ORDER BY name")}

    @cached_property
    def places(self) -> dict[str, sqlite3.Row]:
        """Stops, landmarks and schools."""
        return {row["name"]: row for row in self.rows("SELECT * FROM places ORDER BY name")}

    def history(self, home: str) -> list[sqlite3.Row]:
        """Oldest first: happened, event, price."""
        return self.rows("SELECT happened, event, price FROM history WHERE home = ? ORDER BY happened", (home,))

    def found(self, homes: Sequence[Home], facts: Mapping[str, Any]) -> Findings:
        """A tool's artifact about these homes."""
        sources, depends = [f"listing {home.id}" for home in homes], {"listings": stamp(self.folder)}
        return {"sources": sources, "depends": depends, "facts": dict(facts)}


def money(euros: float | Decimal) -> str:
    """`245,000 euros`, with cents where there are any."""
    return f"{euros:,.0f} euros" if euros == int(euros) else f"{euros:,.2f} euros"


def counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
