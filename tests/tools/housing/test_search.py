"""Searches: every wish is a condition that is said back, and finds what a plain loop finds."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import ValidationError

from tests.tools.housing.conftest import Use
from tools.desk import ToolFault
from tools.housing.listings import Home, Listings
from tools.housing.search import NEEDS, ORDERS, Wish, conditions, matching
from tools.housing.transit import towards

Test = Callable[[Home], bool]


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        (
            {"districts": ["Riverside"], "kinds": ["flat"], "bedrooms": 2, "max_price": 250_000},
            "flat, 2 bedrooms, in Riverside, at most 250,000 euros",
        ),
        ({"bedrooms": 0, "min_bedrooms": 1}, "0 bedrooms"),
        ({"kinds": ["studio", "loft"], "not_districts": ["Northgate"]}, "studio or loft, not in Northgate"),
        ({"min_bedrooms": 3, "min_size": 90}, "at least 3 bedrooms, at least 90 m2"),
        ({"bedrooms": 1, "min_price": 100_000, "max_price": 200_000}, "1 bedroom, 100,000 to 200,000 euros"),
        ({"needs": ["garden", "quiet"], "without": ["lift"]}, "garden, quiet (at most 50 dB), not: lift"),
    ],
)
def test_it_says_what_it_searches_for(wish: dict[str, Any], said: str) -> None:
    assert ", ".join(condition.said for condition in conditions(Wish.model_validate(wish))) == said


@pytest.mark.parametrize(
    "wish", [{"districts": ["Gotham"]}, {"needs": ["sauna"]}, {"sort": "nicest"}, {"bedrooms": -1}]
)
def test_what_the_data_does_not_have_is_refused(use: Use, wish: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        use("search", **wish)


PARTS: list[tuple[dict[str, Any], Test]] = [
    ({"districts": ["Old Town", "Southbank"]}, lambda h: h.district in ("Old Town", "Southbank")),
    ({"not_districts": ["Eastfield"]}, lambda h: h.district != "Eastfield"),
    ({"kinds": ["flat"]}, lambda h: h.kind == "flat"),
    ({"bedrooms": 2}, lambda h: h.bedrooms == 2),
    ({"bedrooms": 0}, lambda h: h.bedrooms == 0),
    ({"max_price": 300_000}, lambda h: h.price <= 300_000),
    ({"min_price": 200_000}, lambda h: h.price >= 200_000),
    ({"min_size": 70}, lambda h: h.size >= 70),
    ({"needs": ["balcony"]}, lambda h: h.balcony),
    ({"without": ["parking"]}, lambda h: not h.parking),
    ({"needs": ["school near"]}, lambda h: h.school_walk <= 8),
    ({"needs": ["quiet"]}, lambda h: h.noise <= 50),
    ({"needs": ["top floor"]}, lambda h: h.kind not in ("house", "townhouse") and h.floor == h.floors - 1),
    ({"without": ["energy efficient"]}, lambda h: h.energy > "B"),
]


def test_any_mix_of_wishes_finds_what_a_plain_loop_finds(listings: Listings, homes: list[Home]) -> None:
    dice, found = random.Random(5), 0
    for _ in range(80):
        parts = dice.sample(PARTS, dice.randint(1, 4))
        wish: dict[str, Any] = {}
        for part, _ in parts:
            for name, value in part.items():
                wish[name] = [*wish.get(name, []), *value] if isinstance(value, list) else value
        wanted = [h.id for h in homes if h.status == "available" and all(test(h) for _, test in parts)]
        assert (
            sorted(h.id for h in matching([*conditions(Wish.model_validate(wish))], "cheapest first", listings))
            == wanted
        ), wish
        found += len(wanted) > 0
    assert found > 40


@pytest.mark.slow
@pytest.mark.parametrize("need", NEEDS)
def test_every_need_and_its_opposite_are_all_homes(listings: Listings, need: str) -> None:
    there, lacking = (
        len(matching([*conditions(Wish.model_validate({how: [need]}))], "cheapest first", listings))
        for how in ("needs", "without")
    )
    assert there and lacking and there + lacking == len(listings.where("status = 'available'"))


@pytest.mark.parametrize("sort", ORDERS)
def test_every_order_can_be_asked_for(use: Use, sort: str) -> None:
    assert sort in use("search", districts=["Riverside"], sort=sort)[0]


def test_a_reach_is_a_commute(use: Use, listings: Listings, homes: list[Home]) -> None:
    to = towards("Airport", listings)
    wanted = [h for h in homes if h.status == "available" and to.way(h).minutes <= 25]
    text, artifact = use("search", near="the airport", minutes=25)
    assert artifact["facts"]["search.count"] == len(wanted) and "within 25 minutes of Airport" in text
    assert 0 < len(wanted) < 800


def test_pages_hold_every_home_once(use: Use) -> None:
    seen: list[str] = []
    wish = {"districts": ["Riverside"], "kinds": ["flat"], "bedrooms": 2, "max_price": 400_000}
    for page in range(1, 40):
        text, artifact = use("search", page=page, **wish)
        seen += artifact["facts"]["search.shown"]
        if "For more" not in text:
            break
        assert f"page {page + 1}" in text and len(artifact["facts"]["search.shown"]) == 5
    assert len(seen) == len(set(seen)) == artifact["facts"]["search.count"] > 10
    prices = [use("details", home=home)[1]["facts"][f"{home}.price"] for home in seen[:6]]
    assert prices == sorted(prices)
    assert use("search", page=99, **wish)[0].startswith("That was all")


def test_the_artifact_carries_what_the_text_says(use: Use) -> None:
    text, artifact = use("search", kinds=["house"], districts=["Lakeside"], needs=["garden"])
    shown = artifact["facts"]["search.shown"]
    assert len(shown) == 5 and artifact["sources"] == [f"listing {home}" for home in shown]
    assert artifact["depends"] == {"listings": "housing 1 7"}
    for home in shown:
        assert f"{artifact['facts'][f'{home}.price']:,} euros" in text and artifact["facts"][f"{home}.garden"] is True


def test_nothing_found_says_what_stands_in_the_way(use: Use) -> None:
    text, artifact = use("search", districts=["Old Town"], kinds=["flat"], bedrooms=2, max_price=100_000)
    assert "No home fits all of this" in text and 'without "at most 100,000 euros"' in text
    assert artifact["facts"]["search.count"] == 0 and artifact["sources"] == []
    wish = {"kinds": ["penthouse"], "districts": ["Lakeside"], "needs": ["garden", "ground floor"]}
    assert "one of these is not enough" in use("search", max_price=1000, **wish)[0]


def test_a_search_for_nothing_is_refused(use: Use) -> None:
    with pytest.raises(ToolFault, match="Say at least one wish"):
        use("search")
    with pytest.raises(ToolFault, match="is no one place that is known"):
        use("search", near="Paris")


def test_a_budget_that_is_written_as_the_least_price_too_is_a_budget(use: Use) -> None:
    budget = use("search", districts=["Riverside"], max_price=300_000)
    assert use("search", districts=["Riverside"], max_price=300_000, min_price=300_000)[0] == budget[0]
