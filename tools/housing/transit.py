"""Ways through the city: on foot to a stop, by metro, tram or bus with changes, on foot to the end."""

from __future__ import annotations

import heapq
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from tools.desk import Desk, ToolFault
from tools.housing.generate import walk
from tools.housing.listings import Home, Listings, counted
from tools.housing.names import guess, spans
from tools.ledger import Findings
from tools.plain import clean, plain_tool

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

_ON_FOOT = ""


@dataclass(frozen=True)
class Leg:
    """A ride on one line."""

    line: str
    start: str
    end: str
    minutes: int
    """With the wait for it: half the time between two of the line, rounded up."""


@dataclass(frozen=True)
class Way:
    """From door to door."""

    minutes: int
    first_walk: int
    legs: tuple[Leg, ...] = ()
    last_walk: int = 0

    @property
    def changes(self) -> int:
        return max(0, len(self.legs) - 1)


@dataclass(frozen=True)
class Towards:
    """All ways to one place: for every stop the minutes to it, and the legs."""

    place: str
    at: tuple[float, float]
    last_walk: int
    rides: dict[str, tuple[int, tuple[Leg, ...]]]

    def minutes(self, home: Home) -> int:
        return min(walk((home.x, home.y), self.at), home.stop_walk + self._ride(home.stop)[0] + self.last_walk)

    def way(self, home: Home) -> Way:
        """The quicker of walking all the way and riding."""
        straight = walk((home.x, home.y), self.at)
        minutes, legs = self._ride(home.stop)
        whole = home.stop_walk + minutes + self.last_walk
        return Way(straight, straight) if straight <= whole else Way(whole, home.stop_walk, legs, self.last_walk)

    def _ride(self, stop: str) -> tuple[int, tuple[Leg, ...]]:
        return self.rides[stop]


@dataclass
class Network:
    """The lines, read once for one question."""

    listings: Listings
    _waits: dict[str, int] = field(default_factory=dict)

    @cached_property
    def _links(self) -> dict[str, list[tuple[str, str, int]]]:
        """Stop -> (line, next stop, minutes)."""
        links: dict[str, list[tuple[str, str, int]]] = defaultdict(list)
        for row in self.listings.rows("SELECT * FROM links"):
            links[row["one"]].append((row["line"], row["other"], row["minutes"]))
            links[row["other"]].append((row["line"], row["one"], row["minutes"]))
            self._waits[row["line"]] = -(-row["every"] // 2)
        return links

    def towards(self, place: str) -> Towards:
        """Dijkstra from the place's stop; a state is a stop and the line one sits in there."""
        row = self.listings.places()[place]
        rides: dict[str, tuple[int, tuple[Leg, ...]]] = {}
        queue: list[tuple[int, int, str, str, tuple[tuple[str, str, str, int], ...]]] = [
            (0, 0, row["stop"], _ON_FOOT, ())
        ]
        seen = set()
        while queue:
            minutes, changes, stop, line, hops = heapq.heappop(queue)
            if (stop, line) in seen:
                continue
            seen.add((stop, line))
            rides.setdefault(stop, (minutes, self._legs(hops)))
            for via, other, ride in self._links[stop]:
                new = via != line
                cost = minutes + ride + (self._waits[via] if new else 0)
                heapq.heappush(queue, (cost, changes + new, other, via, ((via, other, stop, ride), *hops)))
        return Towards(place, (row["x"], row["y"]), row["walk"], rides)

    def _legs(self, hops: tuple[tuple[str, str, str, int], ...]) -> tuple[Leg, ...]:
        """Hops on one line joined to one ride."""
        legs: list[Leg] = []
        for line, start, end, ride in hops:
            if legs and legs[-1].line == line:
                legs[-1] = Leg(line, legs[-1].start, end, legs[-1].minutes + ride)
            else:
                legs.append(Leg(line, start, end, ride + self._waits[line]))
        return tuple(legs)


def make(desk: Desk, folder: Path) -> list[BaseTool]:
    listings = Listings(folder)
    description = "Minutes from a home to a place, school or stop. Input: H-0421 to University"
    return [plain_tool("commute", description, lambda text: commute(text, listings))]


def commute(text: str, listings: Listings) -> tuple[str, Findings]:
    """The quickest way from each home named (at most five). Raises ToolFault."""
    asked = clean(text, "commute")
    homes = listings.named(asked, 5)
    if not homes:
        raise ToolFault("Say from which home, by its number, for example: H-0421 to University.")
    place = _place(asked, listings, homes)
    to = Network(listings).towards(place)
    facts: dict[str, object] = {}
    lines = []
    for home in homes:
        way = to.way(home)
        facts |= {f"{home.id}.minutes.{place}": way.minutes, f"{home.id}.changes.{place}": way.changes}
        facts |= {f"{home.id}.legs.{place}": [leg.line for leg in way.legs]}
        lines.append(_told(home, place, way))
    if len(homes) > 1:
        best = min(homes, key=lambda home: to.way(home).minutes)
        lines.append(f"The quickest is from {best.id}.")
    sources = [home.source for home in homes] + ["transit timetable"]
    return "\n".join(lines), {"sources": sources, "depends": {"listings": listings.version()}, "facts": facts}


def place_in(text: str, listings: Listings, homes: Sequence[str] = ()) -> str:
    """The place that the words name, one of the city's own or by what it is called; empty where they name none."""
    places, low = listings.places(), text.lower()
    if found := spans(text, places):
        return found[-1][2]
    if re.search(r"\bschool\b", low) and homes:
        return listings.get(homes[0]).school
    found_words = [place for word, place in _ALIASES.items() if re.search(rf"\b{word}\b", low)]
    if found_words:
        return found_words[0]
    return guess(low.split(" to ")[-1].replace("the ", ""), places) if " to " in low else ""


_ALIASES = {
    "station": "Central Station", "trains?": "Central Station", "(?:city |town )?cent(?:re|er)": "Town Hall",
    "downtown": "Town Hall", "campus": "Aldermere University", "beach": "Lake Beach", "opera": "Opera House",
    "library": "Central Library", "museum": "Maritime Museum", "office park": "Business Park",
}  # fmt: skip


def _place(text: str, listings: Listings, homes: list[Home]) -> str:
    """The destination. Raises ToolFault with what there is."""
    if place := place_in(text, listings, [home.id for home in homes]):
        return place
    wanted = text.lower().split(" to ")[-1].replace("the ", "")
    places = listings.places()
    if place := guess(wanted, places):
        return place
    districts = listings.districts()
    if found := spans(text, districts):
        raise ToolFault(f"{found[0][2]} is a district: name a stop or place in it{_there(found[0][2], listings)}.")
    known = ", ".join(name for name, p in places.items() if p["kind"] != "stop" and "school" not in p["kind"])
    raise ToolFault(f'"{wanted.strip()[:40]}" is no place that is known; name a stop, a school, or one of: {known}.')


def _there(district: str, listings: Listings) -> str:
    names = [name for name, p in listings.places().items() if p["district"] == district][:4]
    return f", such as {', '.join(names)}" if names else ""


def _told(home: Home, place: str, way: Way) -> str:
    if not way.legs:
        return f"{home.id} to {place}: {counted(way.minutes, 'minute')} on foot."
    rides = ", then ".join(f"{leg.line} to {leg.end} ({leg.minutes} min)" for leg in way.legs)
    changes = counted(way.changes, "change") if way.changes else "no change"
    last = f", last {way.last_walk} min on foot" if way.last_walk else ""
    return (
        f"{home.id} to {place}: {counted(way.minutes, 'minute')}, {changes}: {way.first_walk} min on foot to "
        f"{way.legs[0].start}, {rides}{last}. Waiting is counted in."
    )
