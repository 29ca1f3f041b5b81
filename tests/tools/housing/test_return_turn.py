"""Who comes back: when an older conversation is meant, and what of it is known then."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tools.housing.conftest import NOW
from tools.desk import Desk, Exchange
from tools.domains import Plan, open_domain
from tools.housing.return_turn import known
from tools.housing.track import Track

OLD = (
    Exchange("", "", moves=("looking", "wish:flat, in Riverside", "searched", "shown:H-0703,H-1314", "focus:")),
    Exchange("", "", moves=("did:mortgage|H-1314 with 20% deposit", "focus:H-1314", "invite:H-1314")),
    Exchange("", "", moves=("did:commute|H-1314 to University", "refused", "sore")),
)


FRESH = (
    "do you have studios in Old Town?", "what is a service charge?", "good morning", "how much is H-0007?",
    "Hi, I'm looking for a flat. It should have a balcony.", "Hello, I was looking for a 2 bedroom flat in Elmwood.",
    "I have a question about the service charge. What does it cover?", "Is there a viewing on Saturdays?",
    "How does the viewing work?", "Hello there. I would like to understand prices first.",
    "I lost my job and need something cheap.", "I saw H-0007 on your site, is it still available?",
)  # fmt: skip


def read(said: str, place: Path, *past: Exchange) -> Track:
    return known(Desk("s2", NOW, said=said, past=past, before=OLD), place)


@pytest.mark.parametrize("said", ["what was the payment again?", "how big is it?", "I was here yesterday"])
def test_what_points_at_nothing_here_is_of_an_older_conversation(place: Path, said: str) -> None:
    found = read(said, place)
    assert (found.focus, found.shown, found.loan) == (("H-1314",), ("H-0703", "H-1314"), "H-1314 with 20% deposit")
    assert (found.open, found.refused, found.sore, found.invited) == (("", ""), False, False, ())


@pytest.mark.parametrize("said", FRESH)
def test_a_new_conversation_is_a_new_one(place: Path, said: str) -> None:
    assert read(said, place) == Track()


def test_what_is_known_here_counts_unless_the_old_is_meant_outright(place: Path) -> None:
    here = Exchange("", "", moves=("did:details|H-0007", "focus:H-0007"))
    assert read("how big is it?", place, here).focus == ("H-0007",)
    assert read("and the flat from last time, how big is it?", place, here).focus == ("H-1314",)


def test_an_old_wish_is_no_part_of_a_new_one(place: Path) -> None:
    assert read("I was here yesterday. Show me houses in Hillcrest", place).wish == ""
    assert read("I was here yesterday. The same again, but in Hillcrest", place).wish == "flat, in Riverside"


def test_the_turn_says_that_it_went_back(place: Path) -> None:
    def plan(said: str) -> Plan:
        return open_domain("housing").plan(Desk("s2", NOW, said=said, before=OLD), place)

    assert plan("how big was it again?").moves[0] == "back"
    assert "back" not in plan("how big is H-0007?").moves and "back" not in plan("good morning").moves
