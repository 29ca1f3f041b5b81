"""Searches in plain words: what is understood is said back, and is what the database is asked for."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from tests.tools.housing.conftest import Use
from tools.desk import ToolFault
from tools.housing.listings import Home, Listings
from tools.housing.search import matching
from tools.housing.transit import Network
from tools.housing.wishes import Wish, read_wish

Test = Callable[[Home], bool]


@pytest.fixture
def read(listings: Listings) -> Callable[[str], Wish]:
    districts, places = listings.districts(), listings.places()
    return lambda text: read_wish(text, districts, places)


SAID = [
    (
        "2 bedroom flats in Riverside under 250000 near a school, cheapest first",
        "available, in Riverside, school within 8 minutes on foot, 2 bedrooms, at most 250,000 euros, flat",
    ),
    (
        "flat, district=Riverside, bedrooms>=2, max_price=300k, sort=price desc",
        "available, in Riverside, at least 2 bedrooms, at most 300,000 euros, flat",
    ),
    (
        '{"district": "Old Town", "max_price": 300000, "bedrooms": 2}',
        "available, in Old Town, 2 bedrooms, at most 300,000 euros",
    ),
    ("a two-bedroom apartment for 250 thousand euros", "available, 2 bedrooms, at most 250,000 euros, flat"),
    ("house, €400k to €600k", "available, 400,000 to 600,000 euros, house"),
    ("houses between 400-600k", "available, 400,000 to 600,000 euros, house"),
    ("budget is 1.2 million, penthouse", "available, at most 1,200,000 euros, penthouse"),
    ("something around 200.000 euros", "available, 180,000 to 220,000 euros"),
    ("price at least 300,000", "available, at least 300,000 euros"),
    ("studios or lofts not in Northgate", "available, not in Northgate, studio or loft"),
    (
        "in Elmwood or Greenfield, 3+ bedrooms, 2 baths",
        "available, in Elmwood or Greenfield, at least 3 bedrooms, at least 2 bathrooms",
    ),
    ("2 or 3 bedrooms", "available, 2 to 3 bedrooms"),
    ("2-3 bed", "available, 2 to 3 bedrooms"),
    ("one bedroom", "available, 1 bedroom"),
    ("4 rooms at least 90 square metres", "available, 4 rooms, at least 90 m2"),
    ("70 sqm", "available, 63 to 77 m2"),
    ("size between 60 and 80", "available, 60 to 80 m2"),
    ("1000 square feet", "available, 84 to 102 m2"),
    ("with a garden, no lift, dogs allowed, garage", "available, garden, parking, pets allowed, no lift"),
    ("balcony=yes lift=no", "available, balcony, no lift"),
    ("quiet and modern, top floor", "available, top floor, quiet (at most 50 dB), built in 2000 or later"),
    (
        "not on the ground floor, energy class B or better",
        "available, not on the ground floor, energy class B or better",
    ),
    ("built after 2010", "available, built after 2010"),
    ("historic home built before 1900", "available, built before 1940, built before 1900"),
    ("within 5 minutes of a tram stop", "available, stop within 5 minutes on foot, tram stop"),
    (
        "near a good primary school",
        "available, school within 8 minutes on foot, school rated 8 or better, primary school",
    ),
    ("within 20 minutes of the University", "available, within 20 minutes of University"),
    ("25 minutes by tram from Central Station", "available, within 25 minutes of Central Station"),
    ("close to the City Hospital", "available, within 12 minutes of City Hospital"),
    ("in the harbour", "available, in Harbour Quarter"),
    ("flats in rivrside", "available, flat, in Riverside"),
    ("sold houses", "sold, house"),
    ("under half a million", "available, at most 500,000 euros"),
    ("up to 250 000 euros, 2-3 rooms", "available, 2 to 3 rooms, at most 250,000 euros"),
    ("a flat on the third floor or higher with a lift", "available, floor 3 or higher, flat, lift"),
    ("flats excluding Eastfield and Northgate", "available, not in Eastfield or Northgate, flat"),
    (
        "near Central Station, at most 15 minutes walk, 1 bedroom",
        "available, 1 bedroom, within 15 minutes of Central Station",
    ),
    (
        "apartments less than 20 minutes from the business park by tram",
        "available, flat, within 20 minutes of Business Park",
    ),
    ("3 bed house, max 450000, not in Elmwood", "available, not in Elmwood, 3 bedrooms, at most 450,000 euros, house"),
    ("reduced flats with low service charge at most 150", "available, service charge at most 150 euros a month, flat"),
]


@pytest.mark.parametrize(("text", "said"), SAID)
def test_it_says_what_it_understood(read: Callable[[str], Wish], text: str, said: str) -> None:
    wish = read(text)
    kept = set(said.split(", "))
    assert kept <= set(wish.said.split(", ")), wish.said
    assert not set(wish.said.split(", ")) - kept - {"price reduced"}, wish.said


ORDERS = [
    ("cheapest flats", "price, id"),
    ("flats, most expensive first", "price DESC, id"),
    ("largest homes", "size DESC, id"),
    ("smallest studios", "size, id"),
    ("newest listings", "listed DESC, id"),
    ("sort by size", "size DESC, id"),
    ("sort=price", "price, id"),
    ("quietest flats", "noise, id"),
    ("best value flats", "1.0 * price / size, id"),
    ("flats nearest to a school", "school_walk, id"),
    ("flats", "price, id"),
    ("price low to high", "price, id"),
]


@pytest.mark.parametrize(("text", "sql"), ORDERS)
def test_orders(read: Callable[[str], Wish], text: str, sql: str) -> None:
    wish = read(text)
    assert wish.order[1] == sql and wish.unknown == ()


@pytest.mark.parametrize(
    ("text", "unknown"),
    [
        ("flats with a sauna", ("sauna",)),
        ("2 bedroom flat with sea view", ("sea", "view")),
        ("hello please", ()),
        ("could you show me some nice homes for a family?", ()),
    ],
)
def test_what_is_not_understood_is_kept(read: Callable[[str], Wish], text: str, unknown: tuple[str, ...]) -> None:
    assert read(text).unknown == unknown


PARTS: list[tuple[str, Test]] = [
    ("in Riverside", lambda h: h.district == "Riverside"),
    ("in Old Town or Southbank", lambda h: h.district in ("Old Town", "Southbank")),
    ("not in Eastfield", lambda h: h.district != "Eastfield"),
    ("flats", lambda h: h.kind == "flat"),
    ("houses or townhouses", lambda h: h.kind in ("house", "townhouse")),
    ("2 bedrooms", lambda h: h.bedrooms == 2),
    ("at least 3 bedrooms", lambda h: h.bedrooms >= 3),
    ("under 300k", lambda h: h.price <= 300_000),
    ("between 200,000 and 450,000 euros", lambda h: 200_000 <= h.price <= 450_000),
    ("at least 70 m2", lambda h: h.size >= 70),
    ("with balcony", lambda h: h.balcony),
    ("no parking", lambda h: not h.parking),
    ("pets allowed", lambda h: h.pets),
    ("near a school", lambda h: h.school_walk <= 8),
    ("within 4 minutes of a stop", lambda h: h.stop_walk <= 4),
    ("built since 1990", lambda h: h.year >= 1990),
    ("energy class C", lambda h: h.energy <= "C"),
    ("quiet", lambda h: h.noise <= 50),
    ("top floor", lambda h: h.kind not in ("house", "townhouse") and h.floor == h.floors - 1),
]


def test_any_mix_of_wishes_finds_what_a_plain_loop_finds(
    read: Callable[[str], Wish], listings: Listings, homes: list[Home]
) -> None:
    dice, found = random.Random(5), 0
    for _ in range(120):
        parts = dice.sample(PARTS, dice.randint(1, 4))
        places = sum(words.startswith(("in ", "not in")) for words, _ in parts)
        kinds = sum("flat" in words or "house" in words for words, _ in parts)
        prices = sum("k" in words.split()[-1] or "euros" in words for words, _ in parts)
        beds = sum("bedroom" in words for words, _ in parts)
        if max(places, kinds, prices, beds) > 1:
            continue  # two of a kind are one wish with alternatives
        text = ", ".join(words for words, _ in parts)
        wanted = [h.id for h in homes if h.status == "available" and all(test(h) for _, test in parts)]
        wish = read(text)
        assert wish.unknown == (), text
        assert sorted(h.id for h in matching(wish, listings)) == wanted, text
        found += len(wanted) > 0
    assert found > 40


def test_a_reach_is_a_commute(read: Callable[[str], Wish], listings: Listings, homes: list[Home]) -> None:
    to = Network(listings).towards("Airport")
    wanted = {h.id for h in homes if h.status == "available" and to.minutes(h) <= 25}
    assert {h.id for h in matching(read("within 25 minutes of the airport"), listings)} == wanted
    assert 0 < len(wanted) < 800


def test_pages_hold_every_home_once(use: Use) -> None:
    seen: list[str] = []
    for page in range(1, 40):
        text, artifact = use("search", f"2 bedroom flats in Riverside under 400000, page {page}")
        seen += artifact["facts"]["search.shown"]
        if "For more" not in text:
            break
        assert f"page {page + 1}" in text and len(artifact["facts"]["search.shown"]) == 5
    assert len(seen) == len(set(seen)) == artifact["facts"]["search.count"] > 10
    prices = [use("details", home)[1]["facts"][f"{home}.price"] for home in seen[:6]]
    assert prices == sorted(prices)
    assert "there is no page 99" in use("search", "flats in Riverside page 99")[0]


def test_the_artifact_carries_what_the_text_says(use: Use, listings: Listings) -> None:
    text, artifact = use("search", "top 3 cheapest houses with a garden in Lakeside")
    shown = artifact["facts"]["search.shown"]
    assert len(shown) == 3 and artifact["sources"] == [f"listing {home}" for home in shown]
    assert artifact["depends"] == {"listings": listings.version()} == {"listings": "housing 1 7"}
    for home in shown:
        assert f"{artifact['facts'][f'{home}.price']:,} euros" in text and artifact["facts"][f"{home}.garden"] is True


def test_nothing_found_says_what_stands_in_the_way(use: Use) -> None:
    text, artifact = use("search", "2 bedroom flats in Old Town under 100k")
    assert "No home fits all of it." in text and 'without "at most 100,000 euros"' in text
    assert artifact["facts"]["search.count"] == 0 and artifact["sources"] == []
    assert "ask which two matter least" in use("search", "penthouse in Lakeside under 100000 with garden")[0]


def test_a_home_as_the_measure(use: Use, homes: list[Home]) -> None:
    model = next(h for h in homes if h.kind == "flat" and h.bedrooms == 2 and h.district == "Riverside")
    text, artifact = use("search", f"homes similar to {model.id}")
    assert f"not {model.id} itself" in text and f"in {model.district}" in text and "2 bedrooms" in text
    prices = [artifact["facts"][f"{home}.price"] for home in artifact["facts"]["search.shown"]]
    assert prices and all(0.84 * model.price < price < 1.16 * model.price for price in prices)
    text, artifact = use("search", f"flats in Riverside cheaper than {model.id}, most expensive first")
    prices = [artifact["facts"][f"{home}.price"] for home in artifact["facts"]["search.shown"]]
    assert prices and max(prices) < model.price


def test_what_cannot_be_searched_is_a_sentence(use: Use) -> None:
    with pytest.raises(ToolFault, match='"paris" is no place in Aldermere; the districts are: Eastfield,'):
        use("search", "flats in Paris")
    with pytest.raises(ToolFault, match="is nothing to search by; write for example"):
        use("search", "asdf qwer")
    assert "Not understood: sauna." in use("search", "flats with a sauna in Riverside")[0]
