"""What a reply asserts, held against the database and against what the tools found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_args

import pytest

from chat.evaluation.graders.claimed import Checked, check, fact
from chat.evaluation.graders.claims import figures_in
from tests.tools.housing.conftest import Use, base, homes, listings, place, use
from tools.housing.homes import UNSAID, Asked
from tools.housing.listings import Home, Listings

__all__ = ["base", "homes", "listings", "place", "use"]
Judge = Callable[..., dict[str, str]]


@pytest.fixture
def judge(listings: Listings) -> Judge:
    """Name of each claim -> its verdict."""

    def run(text: str, known: list[dict[str, Any]] | None = None, said: str = "") -> dict[str, str]:
        checked: list[Checked] = check(figures_in(text, listings), listings, known or (), said)
        return {c.claim.name: c.verdict for c in checked}

    return run


@pytest.mark.slow
def test_every_tool_tells_only_what_it_found(use: Use, listings: Listings, homes: list[Home]) -> None:
    """The tools' own texts are the first replies that must hold, and there is something in each to check."""
    asked: list[tuple[str, dict[str, Any]]] = [
        ("search", {"districts": ["Riverside"], "kinds": ["flat"], "bedrooms": 2, "needs": ["school near"]}),
        ("search", {"kinds": ["house"], "needs": ["garden", "stop near"], "page": 2}),
        ("search", {"districts": ["Old Town"], "kinds": ["flat"], "bedrooms": 2, "max_price": 100_000}),
        ("compare", {"homes": ["H-0001", "H-0002", "H-0003"]}),
        ("district", {"district": "Riverside"}),
        ("mortgage", {"home": "H-0007", "years": 25}),
        ("mortgage", {"loan": 200_000, "rate": 4}),
        ("affordability", {"home": "H-0007", "income": 3500, "deposit": 80_000}),
        ("viewing_slots", {"home": "H-0421"}),
        ("viewing_slots", {"home": "H-0421", "day": "2026-11-29"}),
    ]
    for home in homes[3::167]:
        asked += [("details", {"home": home.id}), ("price_history", {"home": home.id})]
        asked += [("commute", {"homes": [home.id], "place": to}) for to in ("Airport", home.school, "City Hospital")]
        asked += [("details", {"home": home.id, "about": [field]}) for field in get_args(Asked) if field != UNSAID]
    for tool, arguments in asked:
        told, artifact = use(tool, **arguments)
        checked = check(figures_in(told, listings), listings, [artifact["facts"]], str(arguments))
        assert checked, told
        assert [c for c in checked if c.verdict != "true"] == [], told


def test_changed_figures_are_caught(use: Use, listings: Listings, homes: list[Home]) -> None:
    """Any price, size, year or way that is moved in a true text is found out."""
    caught = 0
    for home in homes[5::131]:
        told, artifact = use("details", home=home.id)
        for was, lie in (
            (f"{home.price:,} euros", f"{home.price + 9000:,} euros"),
            (f"{home.size} m2", f"{home.size + 3} m2"),
            (f"built in {home.year}", f"built in {home.year + 1}"),
            (f"Stop: {home.stop}, {home.stop_walk} min", f"Stop: {home.stop}, {home.stop_walk + 2} min"),
            ("has not: ", "also has: "),
            (
                f"{home.kind} in {home.district}",
                f"{home.kind} in {'Hillcrest' if home.district != 'Hillcrest' else 'Elmwood'}",
            ),
        ):
            lied = told.replace(was, lie)
            assert lied != told
            checked = check(figures_in(lied, listings), listings, [artifact["facts"]])
            if "has not" in was and all((home.garden, home.balcony, home.parking, home.pets, home.lift)):
                continue
            assert any(c.verdict == "false" for c in checked), lied
            caught += 1
    assert caught > 70


H, P = "H-0421", "84,000"  # a studio in Foundry Park, 25 m2, 2020, energy class A, floor 7, balcony and lift


@pytest.mark.parametrize(
    ("text", "name", "verdict"),
    [
        (f"{H} costs {P} euros.", f"{H}.price", "true"),
        (f"{H} is on the market for €84k.", f"{H}.price", "true"),
        (f"{H} costs about 85,000 euros.", f"{H}.price", "true"),
        (f"{H} costs 85,000 euros.", f"{H}.price", "false"),
        (f"I like {H}. It costs 85,000 euros.", f"{H}.price", "false"),
        (f"{H} is nice.\n- price: {P} euros\n- 25 m2", f"{H}.size", "true"),
        (f"For {P} euros you get {H}.", f"{H}.price", "true"),
        (f"{H} has 2 bedrooms.", f"{H}.bedrooms", "false"),
        (f"{H} is a two-bedroom flat.", f"{H}.bedrooms", "false"),
        (f"{H} is a cosy studio.", f"{H}.kind", "true"),
        (f"{H} is a house.", f"{H}.kind", "false"),
        (f"{H} lies in Foundry Park.", f"{H}.district", "true"),
        (f"{H} is in Riverside.", f"{H}.district", "false"),
        (f"{H} has a balcony.", f"{H}.balcony", "true"),
        (f"{H} has no balcony.", f"{H}.balcony", "false"),
        (f"{H} comes without a garden.", f"{H}.garden", "true"),
        (f"{H} has a garden.", f"{H}.garden", "false"),
        (f"In {H} pets are not allowed.", f"{H}.pets", "true"),
        (f"{H} is on the 7th floor.", f"{H}.floor", "true"),
        (f"{H} is on the ground floor.", f"{H}.floor", "false"),
        (f"{H} has energy class A.", f"{H}.energy", "true"),
        (f"{H} is still available.", f"{H}.status", "true"),
        (f"{H} has been sold.", f"{H}.status", "false"),
        (f"{H} was built in 2020.", f"{H}.year", "true"),
        (f"From {H} it is 18 minutes to University.", f"{H}.minutes.University", "true"),
        (f"From {H} it is 12 minutes to University.", f"{H}.minutes.University", "false"),
        (f"{H} is 3 minutes on foot from Foundry.", f"{H}.walk.Foundry", "true"),
        (f"{H}: the next stop is 9 minutes from the tram.", f"{H}.stop_walk", "false"),
        (f"{H} to University takes 18 minutes without changing.", f"{H}.changes.University", "false"),
        (f"{H} has a service charge of 85 euros a month.", f"{H}.fee", "true"),
        (f"{H} costs 3,360 euros per m2.", f"{H}.price_m2", "true"),
        ("H-2500 costs 100,000 euros.", "H-2500.id", "false"),
        ("Heron Primary School is rated 8 out of 10.", "Heron Primary School.rating", "true"),
        ("Heron Primary School has a rating of 10 of 10.", "Heron Primary School.rating", "false"),
        ("Riverside has about 55 dB by day.", "Riverside.noise", "true"),
        ("Homes there start at 99,000 euros.", ".price", "unsupported"),
        ("We have 12 flats for you.", ".count", "unsupported"),
        ("We have 12 two-bedroom flats for you.", ".count", "unsupported"),
        ("You would pay 500 euros a month.", "loan.monthly", "unsupported"),
        (f"{H} can be seen on 24 November at 10:00.", f"{H}.slot", "unsupported"),
        (f"Your viewing of {H} on 24 November 2026 at 10:00 is booked.", f"{H}.booked", "false"),
    ],
)
def test_claims(judge: Judge, text: str, name: str, verdict: str) -> None:
    assert judge(text)[name] == verdict


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Hello! What is your budget?",
        "Is H-0421 at 99,000 euros right for you?",
        "Shall I look for homes with a garden?",
        "It is quiet there.",
        "Let me look for 2 bedroom flats.",
        "I am sorry for the trouble.",
    ],
)
def test_what_asserts_nothing(judge: Judge, text: str) -> None:
    assert {name for name in judge(text) if not name.endswith(".id")} == set()


def test_a_new_sentence_about_homes_at_large_is_not_about_the_last_one(judge: Judge) -> None:
    assert "H-0421.garden" not in judge("H-0421 is nice. I can also search for a house with a garden.")


def test_homes_may_be_named_twice_in_a_sentence(judge: Judge, homes: list[Home]) -> None:
    one, other = homes[:2]
    prices = f"{one.id} costs {one.price:,} euros and {other.id} costs {other.price:,} euros"
    sizes = f"{one.id} has {one.size} m2 and home {other.id[2:]} has {other.size} m2"
    told = judge(f"{prices}; {sizes}. It has 9 bedrooms.")
    assert told.pop(f"{other.id}.bedrooms") == "false" and set(told.values()) == {"true"} and len(told) == 6


def test_the_person_may_be_quoted(judge: Judge) -> None:
    text = "With a budget of 300,000 euros there is much to see."
    assert judge(text)[".budget"] == "unsupported" and judge(text, said="up to 300k")[".budget"] == "true"


def test_what_tools_found_supports_a_reply(judge: Judge, use: Use) -> None:
    loan = use("mortgage", home="H-0421", years=25)[1]["facts"]
    right = f"Your payment would be {loan['loan.monthly']:,.2f} euros a month."
    assert judge(right, [loan])["loan.monthly"] == "true"
    assert judge("Your payment would be 999 euros a month.", [loan])["loan.monthly"] == "false"
    assert judge(f"You would pay {loan['loan.monthly']:.0f} euros a month.", [loan])["loan.monthly"] == "true"
    found = use("search", districts=["Riverside"], kinds=["flat"], bedrooms=2)[1]["facts"]
    count, cheapest = found["search.count"], found[f"{found['search.shown'][0]}.price"]
    said = judge(f"I found {count} flats; the cheapest is {cheapest:,} euros.", [found])
    assert said == {".count": "true", ".price": "true"}


@pytest.mark.parametrize(("said", "verdict"), [("1,043", "true"), ("1,043.3", "true"), ("1,043.7", "false")])
def test_a_figure_may_be_rounded(judge: Judge, said: str, verdict: str) -> None:
    assert judge(f"You would pay {said} euros a month.", [{"loan.monthly": 1043.27}])["loan.monthly"] == verdict


def test_bookings_are_held_against_what_was_done(judge: Judge, use: Use) -> None:
    slots = use("viewing_slots", home="H-0421")[1]["facts"]
    at = slots["H-0421.slots"][0]
    assert judge(f"H-0421 can be seen on {at}.", [slots])["H-0421.slot"] == "true"
    assert judge("H-0421 can be seen on 2026-11-23 08:00.", [slots])["H-0421.slot"] == "false"
    day, time = at.split()
    asks = use("book_viewing", home="H-0421", day=day, time=time)[1]["asks"]
    text, done = use("book_viewing", confirm=asks)
    assert judge(text, [slots, done["facts"]])["H-0421.booked"] == "true"
    assert judge(text, [slots])["H-0421.booked"] == "false", "said, but not done"
    cancelled = [slots, done["facts"], {"H-0421.booked": None}]
    assert judge(text, cancelled)["H-0421.booked"] == "false", "done, but cancelled since"


def test_facts_by_name(listings: Listings, homes: list[Home]) -> None:
    assert fact("H-0001.price", listings) == homes[0].price
    assert fact("H-0001.price_m2", listings) == homes[0].price_m2
    assert fact(f"H-0001.walk.{homes[0].stop}", listings) == homes[0].stop_walk
    assert fact("Riverside.price_m2", listings) == 4100 and fact("Mercer Academy.rating", listings) == 7
    assert isinstance(fact("H-0001.sold_at", listings), list)
    for name in ("H-9999.price", "H-0001.colour", "Gotham.noise", "H-0001.minutes.Gotham", "H-0001", "x"):
        with pytest.raises(KeyError):
            fact(name, listings)
