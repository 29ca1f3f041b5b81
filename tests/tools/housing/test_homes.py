"""Details, comparisons, histories and districts, as the database has them."""

from __future__ import annotations

from itertools import pairwise
from typing import get_args

import pytest
from pydantic import TypeAdapter, ValidationError

from tests.tools.housing.conftest import Use
from tools.desk import ToolFault
from tools.housing.homes import UNSAID, Asked
from tools.housing.listings import District, Home, Listings, money


@pytest.mark.parametrize("name", ["H-0421", "h 421", "h421", "68 Furnace Street", "68 furnace street"])
def test_a_home_is_found_by_number_and_address(listings: Listings, name: str) -> None:
    assert listings.get(name).id == "H-0421"


def test_the_homes_that_a_text_names(listings: Listings) -> None:
    assert listings.named("H-0007 or h421 or 68 Furnace Street?") == ["H-0007", "H-0421"]
    assert listings.named("_68 Furnace Street_, or H-0007? H-0421 is 68 Furnace Street") == ["H-0421", "H-0007"]
    assert listings.named("2 bedrooms for 250000 on 2026-11-24, 168 Furnace Street") == []


def test_details_hold_every_field(use: Use, homes: list[Home]) -> None:
    for home in homes[::97]:
        text, artifact = use("details", home=home.id)
        assert money(home.price) in text and f"{home.size} m2" in text and f"built in {home.year}" in text
        assert home.address in text and home.agent in text and f"energy class {home.energy}" in text
        assert artifact["facts"][f"{home.id}.price"] == home.price and artifact["sources"] == [f"listing {home.id}"]
        has, _, lacks = text.partition("has not:")
        assert ("garden" in has) == home.garden != ("garden" in lacks.partition("Service")[0])


def test_what_is_asked_of_a_home_is_told_alone(use: Use, homes: list[Home]) -> None:
    for asked in get_args(Asked):
        text, _ = use("details", home="H-0421", about=[asked])
        assert text.startswith("The listing of H-0421 does not say" if asked == UNSAID else "H-0421 ")
    text, artifact = use("details", home="H-0421", about=["pets", UNSAID])
    assert text.startswith("H-0421 does not allow pets. The listing of H-0421 does not say that")
    assert artifact["facts"]["H-0421.pets"] is False


def test_faults_name_what_to_write(use: Use) -> None:
    with pytest.raises(ToolFault, match="There is no home H-9999"):
        use("details", home="H-9999")
    with pytest.raises(ToolFault, match="There is no home the nice one"):
        use("details", home="the nice one")
    for many in (["H-0001"], ["H-1", "H-2", "H-3", "H-4", "H-5"]):
        with pytest.raises(ValidationError):
            use("compare", homes=many)


def test_a_comparison_ends_with_what_differs(use: Use, homes: list[Home]) -> None:
    a, b = homes[0], homes[1]
    text, artifact = use("compare", homes=[a.id, b.id])
    cheap, dear = sorted((a, b), key=lambda h: h.price)
    assert f"{cheap.id} is the cheapest ({money(dear.price - cheap.price)} less than {dear.id})" in text
    assert artifact["facts"][f"{a.id}.size"] == a.size and artifact["sources"] == [f"listing {a.id}", f"listing {b.id}"]
    assert "energy" not in use("compare", homes=[a.id, b.id], about=["service charge"])[0]


def test_homes_that_differ_in_nothing_are_not_told_apart(use: Use, homes: list[Home]) -> None:
    a, b = next(
        (one, other) for one, other in pairwise(sorted(homes, key=lambda h: h.price)) if one.price == other.price
    )
    text, _ = use("compare", homes=[a.id, b.id])
    assert "They cost the same; " in text and "cheapest" not in text
    assert use("compare", homes=[a.id, a.id])[0].endswith("They cost the same; they are equally large.")


def test_a_history_is_told_oldest_first(use: Use, listings: Listings, homes: list[Home]) -> None:
    home = next(h for h in homes if len(listings.history(h.id)) >= 4 and h.status == "available")
    text, artifact = use("price_history", home=home.id)
    events = listings.history(home.id)
    places = [text.find(f"{e['happened']} {e['event']} at {money(e['price'])}") for e in events]
    assert -1 not in places and places == sorted(places)
    assert artifact["facts"][f"{home.id}.history.{events[0]['happened']}"] == [events[0]["event"], events[0]["price"]]
    asked = [e["price"] for e in events if e["event"] != "sold"]
    if len(asked) > 1:
        assert f"went down by {money(asked[0] - asked[-1])}" in text


def test_a_district_is_told_in_figures(use: Use, homes: list[Home]) -> None:
    text, artifact = use("district", district="Riverside")
    prices = sorted(h.price for h in homes if h.district == "Riverside" and h.status == "available")
    assert f"{len(prices)} homes available" in text and money(prices[len(prices) // 2]) in text
    assert "Heron Primary School (primary school, rating 8 of 10)" in text and "Riverside Park" in text
    assert artifact["facts"]["Riverside.noise"] == 55
    assert "104 homes available, the median price is 291,000 euros" in use("district", district="Southbank")[0]
    with pytest.raises(ValidationError, match="Riverside"):
        use("district", district="Gotham")


def test_the_districts_of_the_schema_are_those_of_the_city(listings: Listings, use: Use) -> None:
    assert set(TypeAdapter(District).json_schema()["enum"]) == set(listings.districts)
    assert all(name in use("district")[0] for name in listings.districts)
