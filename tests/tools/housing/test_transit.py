"""Ways through the city, held against a plain computation of all of them."""

from __future__ import annotations

import pytest

from tests.tools.housing.conftest import Use
from tools.desk import ToolFault
from tools.housing.generate import walk
from tools.housing.listings import Home, Listings
from tools.housing.transit import place_named, towards


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
    to, all_ways = towards(goal, listings), slowly(listings, goal)
    row = listings.places[goal]
    assert {stop: minutes for stop, (minutes, _) in to.rides.items()} == all_ways
    for home in homes[::61]:
        on_foot = walk((home.x, home.y), (row["x"], row["y"]))
        assert to.way(home).minutes == min(on_foot, home.stop_walk + all_ways[home.stop])


def test_a_way_adds_up(listings: Listings, homes: list[Home]) -> None:
    changed = 0
    for place in ("City Hospital", "Business Park", "Heron Primary School"):
        to = towards(place, listings)
        for home in homes[::53]:
            way = to.way(home)
            assert way.minutes == way.first_walk + sum(leg.minutes for leg in way.legs) + way.last_walk
            for one, other in zip(way.legs, way.legs[1:], strict=False):
                assert one.end == other.start and one.line != other.line
            if way.legs:
                assert way.legs[0].start == home.stop and way.legs[-1].end == listings.places[place]["stop"]
            changed += way.changes > 0
    assert changed > 10


def test_every_stop_is_reached(listings: Listings) -> None:
    stops = {name for name, row in listings.places.items() if row["kind"] == "stop"}
    assert set(towards("Central Station", listings).rides) == stops


def test_it_tells_minutes_and_changes(use: Use) -> None:
    text, artifact = use("commute", homes=["H-0421"], place="the University")
    facts = artifact["facts"]
    minutes, changes = facts["H-0421.minutes.University"], facts["H-0421.changes.University"]
    assert f"H-0421 to University: {minutes} minutes, {changes or 'no'} change" in text
    assert artifact["sources"] == ["listing H-0421"]
    assert set(artifact["depends"]) == {"listings"}


@pytest.mark.parametrize(
    ("wanted", "goal"),
    [
        ("Mercer Academy", "Mercer Academy"),
        ("the airport", "Airport"),
        ("beach", "Lake Beach"),
        ("hospital", "Hospital"),
        ("City Hospital", "City Hospital"),
    ],
)
def test_a_place_is_known_by_a_part_that_is_its_alone(listings: Listings, wanted: str, goal: str) -> None:
    assert place_named(wanted, listings) == goal


def test_several_homes_are_put_side_by_side(use: Use) -> None:
    text, artifact = use("commute", homes=["H-0001", "H-0002"], place="Airport")
    assert len(text.splitlines()) == 3 and "The quickest is from H-000" in text
    assert "H-0002.minutes.Airport" in artifact["facts"]


def test_faults(use: Use) -> None:
    with pytest.raises(ToolFault, match='"my office" is no one place that is known; name a stop, a school, or one of'):
        use("commute", homes=["H-0001"], place="my office")
    with pytest.raises(ToolFault, match=r"one of: .*School"):
        use("commute", homes=["H-0001"], place="School")
    with pytest.raises(ToolFault, match="Lakeside is a district: name a place in it"):
        use("commute", homes=["H-0001"], place="Lakeside")
