"""The agency's database: the same for the same seed everywhere, and plausible."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from hashlib import sha256
from pathlib import Path

from tools.housing.generate import AS_OF, HOMES, build, walk
from tools.housing.listings import Home, Listings


def digest(path: Path) -> str:
    with closing(sqlite3.connect(path)) as base:
        return sha256("\n".join(base.iterdump()).encode()).hexdigest()


def test_one_seed_one_city(tmp_path: Path) -> None:
    for name, seed in (("a", 7), ("b", 7), ("c", 8)):
        build(tmp_path / name, seed)
    assert digest(tmp_path / "a") == digest(tmp_path / "b") != digest(tmp_path / "c")
    # Another digest here means another city: VERSION of tools/housing must change with it.
    assert digest(tmp_path / "a")[:16] == "1612411332e172c9"


def test_there_are_enough_homes_of_every_kind_everywhere(listings: Listings, homes: list[Home]) -> None:
    assert len(homes) == HOMES == len({home.address for home in homes})
    assert [home.id for home in homes] == [f"H-{number:04d}" for number in range(1, HOMES + 1)]
    districts = listings.districts
    assert len(districts) >= 12 and {home.district for home in homes} == set(districts)
    assert {home.kind for home in homes} == {"studio", "flat", "loft", "penthouse", "townhouse", "house"}
    sold = [home for home in homes if home.status == "sold"]
    offered = [home for home in homes if home.status == "under offer"]
    assert 0.04 < len(sold) / HOMES < 0.1 and 0.05 < len(offered) / HOMES < 0.13
    for energy in "ABCDEFG":
        assert sum(home.energy == energy for home in homes) > 50


def test_homes_are_plausible(listings: Listings, homes: list[Home]) -> None:
    districts, places = listings.districts, listings.places
    for home in homes:
        assert 15 <= home.size <= 300 and 45_000 <= home.price <= 2_000_000 and home.price % 1000 == 0
        assert 0.5 < home.price_m2 / districts[home.district]["price_m2"] < 1.8
        assert home.bedrooms < home.rooms and home.bathrooms >= 1 and 1700 < home.year <= 2024
        assert home.floor < home.floors and (home.bedrooms > 0) == (home.kind != "studio")
        assert home.listed <= AS_OF.isoformat()
        assert "school" in places[home.school]["kind"] and places[home.stop]["kind"] == "stop"
        if home.kind in ("house", "townhouse"):
            assert home.floor == 0 and home.fee == 0 and not home.lift
        if home.kind == "penthouse":
            assert home.floor == home.floors - 1


def test_price_follows_district_and_size_with_noise(homes: list[Home]) -> None:
    def mean(district: str) -> float:
        prices = [home.price_m2 for home in homes if home.district == district and home.kind == "flat"]
        return sum(prices) / len(prices)

    assert mean("Old Town") > mean("Riverside") > mean("Northgate") > mean("Eastfield")
    same = [home.price_m2 for home in homes if home.district == "Riverside" and home.kind == "flat"]
    assert max(same) > 1.25 * min(same)


def test_a_history_ends_at_the_price_of_today(listings: Listings, homes: list[Home]) -> None:
    longer = 0
    for home in homes[:400]:
        events = listings.history(home.id)
        days = [event["happened"] for event in events]
        assert days == sorted(days) and days[-1] <= AS_OF.isoformat()
        assert events[-1]["price"] == home.price
        names = [event["event"] for event in events]
        assert names.count("listed") == 1 and dict(zip(names, days, strict=True))["listed"] == home.listed
        assert home.status == "available" or names[-1] == home.status
        asked = [event["price"] for event in events if event["event"] in ("listed", "price reduced")]
        assert asked == sorted(asked, reverse=True)
        assert all(int(event["happened"][:4]) >= home.year for event in events if event["event"] == "sold")
        longer += len(events) > 2
    assert longer > 100


def test_minutes_on_foot_round_up() -> None:
    assert walk((0, 0), (0, 0)) == 1 and walk((0, 0), (1, 0)) == 15 and walk((0, 0), (0.3, 0.4)) == 8
    assert walk((1, 2), (3, 4)) == walk((3, 4), (1, 2))
