"""Details, comparisons, histories and districts, as the database has them."""

from __future__ import annotations

import pytest

from tests.tools.housing.conftest import Use
from tools.desk import ToolFault
from tools.housing.listings import Home, Listings, home_ids, money


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("H-0421", ["H-0421"]),
        ("h421 and H 7", ["H-0421", "H-0007"]),
        ("home 12", ["H-0012"]),
        ("listing #0033", ["H-0033"]),
        ("H-0001, h-0001", ["H-0001"]),
        ("compare 0421 with 0007", ["H-0421", "H-0007"]),
        ("2 bedrooms for 250000", []),
        ("on 2026-11-24 at 10:00", []),
        ("the price is 245,000", []),
    ],
)
def test_numbers_of_homes(text: str, wanted: list[str]) -> None:
    assert home_ids(text) == wanted


def test_details_hold_every_field(use: Use, homes: list[Home]) -> None:
    for home in homes[::97]:
        text, artifact = use("details", f"tell me about {home.id}")
        assert money(home.price) in text and f"{home.size} m2" in text and f"built in {home.year}" in text
        assert home.address in text and home.agent in text and f"energy class {home.energy}" in text
        assert artifact["facts"][f"{home.id}.price"] == home.price and artifact["sources"] == [home.source]
        assert artifact["facts"][f"{home.id}.stop_walk"] == home.stop_walk
        has, _, lacks = text.partition("Has not:")
        assert ("garden" in has) == home.garden != ("garden" in lacks.partition("Service")[0])


def test_a_home_is_found_by_its_address(use: Use, homes: list[Home]) -> None:
    assert use("details", f"what about {homes[5].address}?")[0].startswith(homes[5].id)


def test_faults_name_what_to_write(use: Use) -> None:
    with pytest.raises(ToolFault, match="There is no home H-9999"):
        use("details", "H-9999")
    with pytest.raises(ToolFault, match="Say which home"):
        use("details", "the nice one")
    for text in ("H-0001", "H-0001 H-0001", "H-1 H-2 H-3 H-4 H-5"):
        with pytest.raises(ToolFault, match="two to four homes"):
            use("compare", text)


def test_a_comparison_ends_with_what_differs(use: Use, homes: list[Home]) -> None:
    a, b = homes[0], homes[1]
    text, artifact = use("compare", f"{a.id} and {b.id}")
    cheap, dear = sorted((a, b), key=lambda h: h.price)
    assert f"{cheap.id} is the cheapest ({money(dear.price - cheap.price)} less than {dear.id})" in text
    assert artifact["facts"][f"{a.id}.size"] == a.size and artifact["sources"] == [a.source, b.source]


def test_a_history_is_told_oldest_first(use: Use, listings: Listings, homes: list[Home]) -> None:
    home = next(h for h in homes if len(listings.history(h.id)) >= 4 and h.status == "available")
    text, artifact = use("price_history", home.id)
    events = listings.history(home.id)
    places = [text.find(f"{e['happened']} {e['event']} at {money(e['price'])}") for e in events]
    assert -1 not in places and places == sorted(places)
    assert artifact["facts"][f"{home.id}.history.{events[0]['happened']}"] == [events[0]["event"], events[0]["price"]]
    asked = [e["price"] for e in events if e["event"] != "sold"]
    if len(asked) > 1:
        assert f"went down by {money(asked[0] - asked[-1])}" in text


def test_a_district_is_told_in_figures(use: Use, homes: list[Home]) -> None:
    text, artifact = use("district", "what is riverside like?")
    prices = sorted(h.price for h in homes if h.district == "Riverside" and h.status == "available")
    assert f"{len(prices)} homes available" in text and money(prices[len(prices) // 2]) in text
    assert "Heron Primary School (primary school, rating 8 of 10)" in text and "Riverside Park" in text
    assert artifact["facts"]["Riverside.noise"] == 55
    with pytest.raises(ToolFault, match="Name a district of the city: Eastfield"):
        use("district", "Gotham")
