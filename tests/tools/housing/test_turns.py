"""Turns of a dialogue at the desk, read without a model: what each leads to, and what is remembered of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests.tools.housing.conftest import NOW
from tools.desk import Deed, Desk, Exchange, ToolFault
from tools.domains import Plan, changes, open_domain, said
from tools.housing.listings import Listings
from tools.housing.wants import dropped, read_wants
from tools.ledger import agreement

Say = Callable[[str], "Said"]
HOUSING = open_domain("housing")


class Said:
    """What came of one turn."""

    def __init__(self, plan: Plan, reply: str, deeds: Sequence[Deed], moves: Sequence[str]) -> None:
        self.plan, self.reply, self.deeds, self.moves = plan, reply, deeds, moves

    @property
    def call(self) -> tuple[str, str]:
        return (self.plan.calls[0].tool, self.plan.calls[0].input) if self.plan.calls else ("", "")


def words(texts: Sequence[str]) -> list[list[float]]:
    """Sentence vectors of the words that the answers are about."""
    known = ["service", "charge", "negotiate", "price", "people", "live", "lower", "phone", "leave"]
    rows = [[float(word in re.findall(r"\w+", text.lower())) for word in known] for text in texts]
    sizes = [sum(row) ** 0.5 or 1.0 for row in rows]
    return [[value / size for value in row] for row, size in zip(rows, sizes, strict=True)]


@pytest.fixture
def say(place: Path) -> Say:
    """Carries a turn out as the slow mind would, with the first call of the plan."""
    past: list[Exchange] = []

    def turn(text: str) -> Said:
        desk = Desk("s1", NOW, said=text, past=tuple(past), embed=words)
        plan = HOUSING.plan(desk, place)
        reply, deeds, behind = f"{plan.reply} {plan.add}", [], Plan()
        if plan.calls:
            tool, asked = plan.calls[0].tool, plan.calls[0].input
            try:
                call = {"name": tool, "args": {"input": asked}, "id": "1", "type": "tool_call"}
                done = HOUSING.make(desk, place)[tool].invoke(call)
                artifact = done.artifact
                deeds = [Deed(tool, asked, False, artifact.get("facts", {}), artifact.get("asks", ""))]
                reply = artifact.get("told") or str(done.content)
            except ToolFault as fault:
                reply, deeds = str(fault), [Deed(tool, asked, True)]
            behind = HOUSING.afterwards(desk, place, deeds)
        moves = (*plan.moves, *behind.moves)
        past.append(Exchange(text, f"{reply} {behind.add}", tuple(deeds), moves))
        return Said(plan, past[-1].reply, deeds, moves)

    return turn


def asked(turn: Said) -> list[str]:
    return [move.partition(":")[2] for move in turn.moves if move.startswith("ask:")]


def test_what_is_missing_is_asked_for_one_by_one_and_never_twice(say: Say) -> None:
    turns = [say(text) for text in ("I'm looking for a flat", "around 280k", "doesn't matter", "two")]
    assert [asked(turn) for turn in turns] == [["budget"], ["district"], ["size"], ["which"]]
    assert not any(turn.plan.calls for turn in turns[:3])
    assert turns[3].call == ("search", "flat, 2 bedrooms, at most 280,000 euros")
    assert asked(say("and with a balcony?")) == []


def test_who_wants_to_see_homes_at_once_sees_them(say: Say) -> None:
    turn = say("Show me flats in Elmwood")
    assert turn.call == ("search", "flat, in Elmwood") and asked(turn) == ["budget"]


@pytest.mark.parametrize(
    ("then", "call"),
    [
        ("tell me about the second one", ("details", "H-1314")),
        ("is the third one quiet?", ("details", "H-1863: noise")),
        ("compare the first and the last", ("compare", "H-0703 and H-0219")),
        ("how far is the cheapest from the university?", ("commute", "H-0703 to University")),
        ("what would the biggest cost a month with 60000 down?", ("mortgage", "H-0998 with 60000 deposit")),
        ("can I see the first one on Friday?", ("viewing_slots", "H-0703 on Friday, 27 November 2026")),
        ("and with a lift?", ("search", "flat, 2 bedrooms, in Riverside, at most 300,000 euros, lift")),
        ("what about Southbank instead", ("search", "flat, 2 bedrooms, in Southbank, at most 300,000 euros")),
        ("show me more", ("search", "flat, 2 bedrooms, in Riverside, at most 300,000 euros, page 2")),
        ("what is Riverside like?", ("district", "Riverside")),
        ("what was H-0421 sold for before?", ("price_history", "H-0421")),
        ("we earn 5200 a month, what can we afford?", ("affordability", "we earn 5200 a month, what can we afford?")),
        ("what have I booked?", ("my_viewings", "all")),
        ("what districts do you have?", ("district", "all districts")),
        ("can I see the second one on Tuesday at the earliest time?", ("book_viewing", "H-1314 on 2026-11-24 10:00")),
    ],
)
def test_a_turn_after_a_list(say: Say, then: str, call: tuple[str, str]) -> None:
    say("2 bedroom flats in Riverside under 300000, do you have any?")
    assert say(then).call == call


def test_one_home_leads_to_others_like_it(say: Say) -> None:
    say("tell me about H-0421")
    assert say("that's too expensive").plan.calls == ()
    assert say("something cheaper in the same area").call == ("search", "in Foundry Park, at most 83,000 euros")
    say("tell me about H-0312")
    assert say("similar ones please").call[1] == "flat, 3 bedrooms, in Lakeside, 350,200 to 473,800 euros"


def test_terms_of_a_loan_change_one_by_one(say: Say) -> None:
    say("what would H-0421 cost a month with 20000 down?")
    assert say("and over 25 years?").call == ("mortgage", "H-0421 with 20000 deposit over 25 years")
    assert say("what about H-0007?").call == ("mortgage", "H-0007 with 20000 deposit over 25 years")


def test_a_viewing_from_interest_to_cancellation(say: Say, place: Path) -> None:
    assert "invite:H-0421" in say("tell me about H-0421").moves
    assert say("does it have a lift?").plan.calls[0].input == "H-0421: lift"
    assert say("yes please").call == ("viewing_slots", "H-0421")
    assert say("Tuesday at 14:00").call == ("book_viewing", "H-0421 on 2026-11-24 14:00") and not changes(place)
    assert say("hmm, maybe").plan.calls == () and not changes(place)
    assert say("yes, book it").call[1].startswith("yes ")
    assert [entry.kind for entry in changes(place)] == ["viewing"]
    assert say("please cancel it").call == ("cancel_viewing", "my viewing")
    assert say("no, keep it").reply.startswith("Nothing was changed")
    assert changes(place)[0].ended is None


def test_the_day_that_was_spoken_of_is_kept(say: Say) -> None:
    say("I'd like to see H-0421 on Friday")
    assert say("at 10 please").call == ("book_viewing", "H-0421 on 2026-11-27 10:00")


def test_after_a_no_nobody_is_invited_again(say: Say) -> None:
    say("tell me about H-0421")
    assert say("no thanks").moves == ("refused",)
    assert not [
        move for text in ("tell me about H-0007", "and H-0012?") for move in say(text).moves if "invite" in move
    ]


def test_contact_details_are_put_together_and_read_back(say: Say, place: Path) -> None:
    assert asked(say("could somebody call me about it?")) == ["contact"]
    assert asked(say("555 0134 22")) == ["name"]
    assert "Shall I store Ann Lee, phone 555013422" in say("Ann Lee").reply and not changes(place)
    assert say("yes that's fine").reply.startswith("Stored")
    assert [entry.kind for entry in changes(place)] == ["contact"]


def test_nobody_has_to_leave_anything(say: Say, place: Path) -> None:
    say("can an agent call me?")
    assert say("no, I'd rather not").reply.strip() == said("housing", "no contact") and not changes(place)


def test_a_search_without_a_result_offers_the_way_out(say: Say) -> None:
    turn = say("Do you have flats in Riverside under 200000 with 3 bedrooms?")
    assert 'Shall I search again without "3 bedrooms"?' in turn.reply
    assert say("yes").call == ("search", "flat, in Riverside, at most 200,000 euros")


def test_questions_of_the_trade_need_no_slow_mind(say: Say) -> None:
    for text, start in (("What is a service charge?", "It is what the owners"), ("Can I negotiate?", "Prices are not")):
        turn = say(text)
        assert turn.plan.calls == () and turn.reply.startswith(start)


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("forget the garden", {"garden"}), ("a garden is not important", {"garden"}), ("any district", {"district"}),
        ("we don't need parking", {"parking"}), ("anywhere", {"district"}), ("the size doesn't matter", {"size"}),
        ("without a lift is fine too", {"lift"}), ("do you have any with a garden?", set()), ("any parking?", set()),
        ("2 bedrooms, do you have any?", set()), ("is the garden big?", set()), ("a balcony would be fine", set()),
    ],
)  # fmt: skip
def test_what_matters_no_more(text: str, keys: set[str]) -> None:
    assert {key for key in dropped(text) if key in ("garden", "parking", "lift", "district", "size")} == keys


@pytest.mark.parametrize("text", ["thank you so much", "no thanks", "ok bye", "That's all, thanks!"])
def test_thanks_and_goodbyes_are_answered_in_kind(say: Say, text: str) -> None:
    say("I'm looking for a flat")
    turn = say(text)
    assert turn.plan.calls == () and turn.moves == ("closing",) and "?" not in turn.reply


def test_who_likes_a_home_is_invited(say: Say) -> None:
    say("2 bedroom flats in Riverside under 300000, do you have any?")
    say("tell me about the first one")
    assert "invite:H-1314" in say("I love the second one").moves


@pytest.mark.parametrize("text", ["hello", "how are you?", "what a rainy day"])
def test_small_talk_is_left_to_the_fast_mind(say: Say, text: str) -> None:
    turn = say(text)
    assert turn.plan == replace(Plan(), moves=turn.plan.moves)


def test_an_unknown_home_is_said_to_be_unknown(say: Say) -> None:
    assert "There is no home H-9999" in say("tell me about H-9999").reply


@pytest.mark.parametrize(
    "text",
    [
        "2 bedroom flats in Riverside under 260000 near a good school, largest first",
        "quiet 3 bedroom house with garden and parking, no lift, energy class b, built after 2000",
        "flats or lofts in Elmwood or Northgate between 200k and 300k at least 70 m2 with balcony near a metro stop",
        "within 20 minutes of the university, pets allowed, not on the ground floor",
        "not in Riverside or Elmwood, 2 to 3 bedrooms, service charge under 200, top floor, newest listing first",
        "primary school within 5 minutes, third floor, no townhouse, price reduced, modern",
        "best value home, 2 bathrooms, sold, 5 rooms",
    ],
)
def test_wishes_are_written_so_that_they_are_read_again(listings: Listings, text: str) -> None:
    wants = read_wants(text, listings)
    assert wants and read_wants(wants.text, listings).text == wants.text


@pytest.mark.parametrize(
    ("text", "agreed"),
    [
        ("yes please", True), ("Sounds good!", True), ("no problem, book it", True), ("sure, why not", True),
        ("yes, book it for Saturday", True), ("no thanks", False), ("no, rather Sunday", False), ("maybe", None),
        ("I'm not sure yet", None), ("yes but can we do 3 pm instead?", None), ("what about the garden?", None),
        ("Great, but what about parking?", None), ("let me think about it", None),
    ],
)  # fmt: skip
def test_a_maybe_is_not_a_yes(text: str, agreed: bool | None) -> None:
    assert agreement(text) is agreed


def test_no_model_can_say_yes_for_the_person(place: Path) -> None:
    def use(text: str, words_said: str) -> str:
        tools = HOUSING.make(Desk("s1", NOW, said=words_said), place)
        return str(tools["book_viewing"].invoke({"input": text}))

    asks = use("H-0421 on 2026-11-24 14:00", "I want to see H-0421 on Tuesday at 14:00")
    code = asks.rpartition(" ")[2].rstrip(".")
    for words_said in ("what does it cost?", "maybe", "no"):
        with pytest.raises(ToolFault, match="Ask the person first"):
            use(f"yes {code}", words_said)
    assert not changes(place)
    assert use(f"yes {code}", "yes please").startswith("Booked")


@pytest.mark.parametrize(("text", "nth"), [("the later one", -1), ("the earlier one please", 0), ("the second one", 1)])
def test_a_time_is_picked_by_its_place(say: Say, text: str, nth: int) -> None:
    say("tell me about H-1314")
    times = re.findall(r"\d\d:\d\d", say("can I see it on Tuesday?").reply)
    assert len(times) >= 2
    tool, what = say(text).call
    assert tool == "book_viewing" and what.endswith(times[nth])
