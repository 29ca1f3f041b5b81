"""Ways through the city: on foot to a stop, by metro, tram or bus with changes, on foot to the end."""

from __future__ import annotations

import heapq
from collections import defaultdict
from dataclasses import dataclass
from typing import Annotated, NamedTuple

from pydantic import Field

from tools.desk import ToolFault
from tools.housing.generate import walk
from tools.housing.listings import Home, HomeName, Listings, counted
from tools.ledger import Findings

Homes = Annotated[list[HomeName], Field(min_length=1, max_length=5)]
_PLACE = "A stop, a school or a landmark of the city, such as University or City Hospital"
Place = Annotated[str, Field(description=_PLACE)]


class Leg(NamedTuple):
    """A ride on one line."""

    line: str
    start: str
    end: str
    minutes: int
    """With the wait for it: half the time between two of the line, rounded up."""


class Way(NamedTuple):
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

    at: tuple[float, float]
    last_walk: int
    rides: dict[str, tuple[int, tuple[Leg, ...]]]

    def way(self, home: Home) -> Way:
        """The quicker of walking all the way and riding."""
        straight, (minutes, legs) = walk((home.x, home.y), self.at), self.rides[home.stop]
        whole = home.stop_walk + minutes + self.last_walk
        return Way(straight, straight) if straight <= whole else Way(whole, home.stop_walk, legs, self.last_walk)


def towards(place: str, listings: Listings) -> Towards:
    """Dijkstra from the place's stop; a state is a stop and the line one sits in there."""
    links: dict[str, list[tuple[str, str, int, int]]] = defaultdict(list)
    for one, other, line, ride, wait in listings.rows("SELECT one, other, line, minutes, (every + 1) / 2 FROM links"):
        links[one].append((line, other, ride, wait))
        links[other].append((line, one, ride, wait))
    row = listings.places[place]
    rides: dict[str, tuple[int, tuple[Leg, ...]]] = {}
    queue: list[tuple[int, int, str, str, tuple[Leg, ...]]] = [(0, 0, row["stop"], "", ())]
    seen = set()
    while queue:
        minutes, _, stop, line, legs = heapq.heappop(queue)
        if (stop, line) in seen:
            continue
        seen.add((stop, line))
        rides.setdefault(stop, (minutes, legs))
        for via, other, ride, wait in links[stop]:
            leg, on = Leg(via, other, stop, ride + wait), legs
            if via == line:  # one sits in it already: the ride begins a stop earlier
                leg, on = Leg(via, other, legs[0].end, legs[0].minutes + ride), legs[1:]
            rest = (leg, *on)
            heapq.heappush(queue, (sum(each.minutes for each in rest), len(rest), other, via, rest))
    return Towards((row["x"], row["y"]), row["walk"], rides)


def commute(listings: Listings, homes: Homes, place: Place) -> tuple[str, Findings]:
    """The quickest way from each home. Raises ToolFault."""
    found, goal = [listings.get(name) for name in homes], place_named(place, listings)
    to = towards(goal, listings)
    ways = {home.id: to.way(home) for home in found}
    facts: dict[str, object] = {}
    for home, way in ways.items():
        told = {"minutes": way.minutes, "changes": way.changes, "legs": [leg.line for leg in way.legs]}
        facts |= {f"{home}.{name}.{goal}": value for name, value in told.items()}
    lines = [_told(home, goal, way) for home, way in ways.items()]
    if len(ways) > 1:
        lines.append(f"The quickest is from {min(ways, key=lambda home: ways[home].minutes)}.")
    return "\n".join(lines), listings.found(found, facts)


def place_named(wanted: str, listings: Listings) -> str:
    """The place of that name, or the only one whose name has these words. Raises ToolFault with what there is."""
    places, low = listings.places, wanted.strip().lower().removeprefix("the ")
    named = [name for name in places if name.lower() == low] or [name for name in places if low in name.lower()]
    if len(named) == 1:
        return named[0]
    if there := [name for name, place in places.items() if place["district"] == wanted][:4]:
        raise ToolFault(f"{wanted} is a district: name a place in it, such as {', '.join(there)}.")
    known = ", ".join(named or [name for name, place in places.items() if place["kind"] == "landmark"])
    raise ToolFault(f'"{wanted[:40]}" is no one place that is known; name a stop, a school, or one of: {known}.')


def _told(home: str, place: str, way: Way) -> str:
    if not way.legs:
        return f"{home} to {place}: {counted(way.minutes, 'minute')} on foot."
    rides = ", then ".join(f"{leg.line} to {leg.end} ({leg.minutes} min)" for leg in way.legs)
    changes = counted(way.changes, "change") if way.changes else "no change"
    last = f", last {way.last_walk} min on foot" if way.last_walk else ""
    return (
        f"{home} to {place}: {counted(way.minutes, 'minute')}, {changes}: {way.first_walk} min on foot to "
        f"{way.legs[0].start}, {rides}{last}. Waiting is counted in."
    )
