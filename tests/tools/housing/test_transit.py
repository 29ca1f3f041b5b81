"""Ways through the city, held against a plain computation of all of them."""

from __future__ import annotations

import pytest

from tests.tools.housing.conftest import Use
from tools.desk import ToolFault
from tools.housing.generate import walk
from tools.housing.listings import Home, Listings
from tools.housing.transit import Network


def slowly(listings: Listings, start: str) -> dict[str, int]:
    """Minutes from `start` to every stop, relaxed until nothing changes (Bellman and Ford)."""
    rows = listings.rows("SELECT * FROM links")
    rides = [
        (r["line"], a, b, r["minutes"], -(-r["every"] // 2))
        for r in rows
        for a, b in ((r["one"], r["other"]), (r["other"], r["one"]))
    ]
    best = {(start, ""): 0}
    for _ in range(60):
        for line, here, there, minutes, wait in rides:
            for (stop, via), cost in list(best.items()):
                if stop == here:
                    new = cost + minutes + (0 if via == line else wait)
                    if new < best.get((there, line), 10**6):
                        best[there, line] = new
    stops = {stop for stop, _ in best}
    return {stop: min(cost for (at, _), cost in best.items() if at == stop) for stop in stops}


@pytest.mark.parametrize("goal", ["University", "Airport", "Lakeside Pier"])
def test_no_way_is_quicker(listings: Listings, homes: list[Home], goal: str) -> None:
    to, all_ways = Network(listings).towards(goal), slowly(listings, goal)
    row = listings.places()[goal]
    assert {stop: minutes for stop, (minutes, _) in to.rides.items()} == all_ways
    for home in homes[::61]:
        on_foot = walk((home.x, home.y), (row["x"], row["y"]))
        assert to.minutes(home) == to.way(home).minutes == min(on_foot, home.stop_walk + all_ways[home.stop])


def test_a_way_adds_up(listings: Listings, homes: list[Home]) -> None:
    changed = 0
    for place in ("City Hospital", "Business Park", "Heron Primary School"):
        to = Network(listings).towards(place)
        for home in homes[::53]:
            way = to.way(home)
            assert way.minutes == way.first_walk + sum(leg.minutes for leg in way.legs) + way.last_walk
            for one, other in zip(way.legs, way.legs[1:], strict=False):
                assert one.end == other.start and one.line != other.line
            if way.legs:
                assert way.legs[0].start == home.stop and way.legs[-1].end == listings.places()[place]["stop"]
            changed += way.changes > 0
    assert changed > 10


def test_every_stop_is_reached(listings: Listings) -> None:
    stops = {name for name, row in listings.places().items() if row["kind"] == "stop"}
    assert set(Network(listings).towards("Central Station").rides) == stops


def test_it_tells_minutes_and_changes(use: Use) -> None:
    text, artifact = use("commute", "H-0421 to the University")
    facts = artifact["facts"]
    minutes, changes = facts["H-0421.minutes.University"], facts["H-0421.changes.University"]
    assert f"H-0421 to University: {minutes} minutes, {changes or 'no'} change" in text
    assert artifact["sources"] == ["listing H-0421", "transit timetable"]
    assert set(artifact["depends"]) == {"listings"}


@pytest.mark.parametrize(
    ("text", "goal"),
    [
        ("H-0001 to the station", "Central Station"),
        ("from H-0001 to downtown", "Town Hall"),
        ("how long from H-0001 to lake beach", "Lake Beach"),
        ("H-0001 to univrsity", "University"),
        ("H-0001 to Mercer Academy", "Mercer Academy"),
        ("home 1 to the hospital", "Hospital"),
    ],
)
def test_places_in_other_words(use: Use, text: str, goal: str) -> None:
    assert f"H-0001.minutes.{goal}" in use("commute", text)[1]["facts"]


def test_the_nearest_school_and_several_homes(use: Use, homes: list[Home]) -> None:
    assert f"H-0001.minutes.{homes[0].school}" in use("commute", "H-0001 to school")[1]["facts"]
    text, artifact = use("commute", "H-0001 and H-0002 to the Airport")
    assert (
        len(text.splitlines()) == 3
        and "The quickest is from H-000" in text
        and "H-0002.minutes.Airport" in artifact["facts"]
    )


def test_faults(use: Use) -> None:
    with pytest.raises(ToolFault, match="Say from which home"):
        use("commute", "to the airport")
    with pytest.raises(ToolFault, match='"my office" is no place that is known; name a stop, a school, or one of'):
        use("commute", "H-0001 to my office")
    with pytest.raises(ToolFault, match="Elmwood is a district: name a stop or place in it, such as Elmwood Avenue"):
        use("commute", "H-0001 to elmwood")
