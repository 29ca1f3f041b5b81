"""What a program decides, on dialogues made by hand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from chat.evaluation.graders.case import Case, Item, Verdict, fold
from chat.evaluation.graders.conduct import invitation, invoking, mining, tools
from chat.evaluation.graders.facts import facts, has, says, trade, unlisted
from chat.evaluation.record import Call
from chat.evaluation.script_words import Signs
from chat.evaluation.turns import CallWanted, Expect, Fact, Names
from tests.chat.evaluation.made import call, case, exchange, script
from tools.housing.listings import Listings

PRICE = Fact("B-001.price", 84000)


def score(verdict: Verdict) -> int | None:
    return fold(verdict)[0]


# -- folding


def test_scores_are_those_of_the_papers_table() -> None:
    right, wrong = Item(1, True, ""), Item(2, False, "")
    assert score(Verdict((right, right))) == 2
    plain = Item(1, True, "", extends=False)
    assert score(Verdict((plain, plain))) == 1 and score(Verdict((plain, right))) == 2
    assert score(Verdict((right, wrong))) == 1
    assert score(Verdict((right, wrong, wrong))) == 0
    assert score(Verdict((right, wrong, wrong), least="one")) == 1
    assert score(Verdict((wrong,), least="one")) == 0
    assert score(Verdict((right, Item(2, False, "", fatal=True)))) == 0
    assert score(Verdict(())) is None


def test_what_was_rightly_left_counts_only_alone() -> None:
    left, wrong = Item(1, True, "", beside=True), Item(2, False, "")
    assert score(Verdict((left,))) == 2
    assert score(Verdict((left, wrong), least="one")) == 0


def test_one_turn_is_folded_alone() -> None:
    verdict = Verdict((Item(1, True, "a"), Item(2, False, "b")))
    assert (fold(verdict, 1)[0], fold(verdict, 2)[0], fold(verdict, 3)[0]) == (2, 0, None)
    more = Verdict((Item(1, True, "a", extends=False), Item(2, True, "b")))
    assert (fold(more, 1)[0], fold(more, 2)[0], fold(more)[0]) == (1, 2, 2)


# -- facts


@pytest.mark.parametrize(
    ("value", "reply", "there"),
    [
        (84000, "It costs 84,000 euros.", True),
        (84000, "It costs 84k.", True),
        (84000, "It costs 840,000 euros.", False),
        (3, "three bedrooms", True),
        (1043.27, "1,043 euros a month", True),
        (1043.27, "1,043.3 euros a month", True),
        (1043.27, "1,043.7 euros a month", False),
        (3.2, "3.7 percent", False),
        (0.375, "0.38 percent", True),
        (0.375, "0.39 percent", False),
        ("Riverside", "in RIVERSIDE", True),
        ("2026-11-24 14:00", "on Tuesday, 24 November 2026 at 14:00", True),
        ("2026-11-24 14:00", "on November 24th at 2 pm", True),
        ("2026-11-24 14:00", "on 24 November at 15:00", False),
        (["2026-11-24 14:00", "2026-11-25 10:00"], "25 November, 10:00", True),
        (True, "Yes, it has one.", True),
        (False, "It has a garden.", False),
        ("F", "It has energy class F.", True),
        ("F", "The energy class of H-0125 is F", True),
        ("A", "It has a better class: a good one.", False),
        ("G", "Energy classes go from A to G.", False),
        ("F", "It says how much energy a building needs, from A to G, for all.", False),
        ("Old Town", "the old townhouses", False),
    ],
)
def test_a_value_is_found_as_it_is_spoken(value: object, reply: str, there: bool) -> None:
    assert has(value, reply) is there


@pytest.mark.parametrize(
    ("name", "value", "reply", "said"),
    [
        ("lift", False, "I do not know.", False),
        ("lift", False, "I do not know about the lift.", False),
        ("lift", False, "No problem! It has a garden.", False),
        ("lift", True, "Sorry, is there anything else?", False),
        ("lift", True, "H-0002 has a lift.", False),
        ("lift", True, "Does it need a lift?", False),
        ("lift", True, "It has a garden and a lift, but no balcony.", True),
        ("lift", False, "It has a garden, but no lift.", True),
        ("lift", False, "It has a lift.", False),
        ("lift", True, "Yes, on every floor.", True),
        ("lift", True, "It has one.", True),
        ("lift", False, "No.", True),
        ("lift", False, "Unfortunately, it does not have one.", True),
        ("pets", False, "That home does not allow pets.", True),
        ("pets", True, "Dogs are welcome.", True),
        ("fee", 0, "H-0002 has no service charge.", True),
        ("fee", 0, "- Service charge: none; noise by day: 45 dB", True),
        ("fee", 0, "It is 85 euros, with no changes.", False),
        ("floor", 0, "It is on the ground floor.", True),
        ("changes.University", 0, "The tram goes there directly.", True),
    ],
)
def test_yes_no_and_nothing_are_said_of_what_was_asked(name: str, value: object, reply: str, said: bool) -> None:
    assert says(Fact(f"H-0001.{name}", value), reply) is said


def test_facts_names_and_sayings() -> None:
    made = script(
        Expect(facts=(PRICE,)), Expect(names=Names(any=("B-002", "B-003"))), Expect(says=(re.compile("sorry"),))
    )
    good = case(made, exchange(1, "84,000. More?"), exchange(2, "b-003 it is"), exchange(3, "I am sorry"))
    assert score(facts(good)) == 2
    bad = case(made, exchange(1, "85,000."), exchange(2, "B-004"), exchange(3, "I am sorry"))
    assert score(facts(bad)) == 0
    assert "does not say B-001.price" in fold(facts(bad))[1]


def test_a_reply_that_says_no_more_than_was_asked_is_not_the_best() -> None:
    made = script(Expect(facts=(PRICE,)))
    assert score(facts(case(made, exchange(1, "84,000.")))) == 1
    assert score(facts(case(made, exchange(1, "84,000. Would you like to see it?")))) == 2


def test_a_dialogue_without_such_questions_has_no_such_score() -> None:
    assert score(facts(case(script(Expect(invoke=False)), exchange(1, "Hello")))) is None


def test_questions_of_the_trade_are_apart() -> None:
    made = script(Expect(trade=True, says=(re.compile("upkeep"),), says_not=(re.compile("guarantee"),)), Expect())
    good = case(made, exchange(1, "It pays for the upkeep. Anything else?"), exchange(2, "Fine"))
    assert score(facts(good)) is None and score(trade(good)) == 2
    bad = case(made, exchange(1, "It pays for the upkeep, I guarantee it."), exchange(2, "Fine"))
    assert score(trade(bad)) == 0


def test_figures_of_a_loan_and_words_of_policy_are_of_the_trade() -> None:
    pay = Fact("loan.monthly", 950.11)
    made = script(Expect(facts=(pay,)), Expect(says=(re.compile("sorry"),), invoke=False))
    found = case(made, exchange(1, "It is 950.11 a month."), exchange(2, "Noted."))
    assert score(facts(found)) is None and score(trade(found)) == 1
    assert fold(trade(found), 1)[0] == 1 and fold(trade(found), 2)[0] == 0


def test_a_list_of_homes_and_giving_up_are_no_answers() -> None:
    made = script(Expect(trade=True, says=(re.compile("cheap|not"),)))
    listed = "2 found (cheapest first):\n\n- B-001: cheap\n- B-002: cheap\n\nWhich of them?"
    assert score(trade(case(made, exchange(1, listed)))) == 0
    assert score(trade(case(made, exchange(1, "- It is cheap\n- It is small")))) == 1
    assert score(trade(case(made, exchange(1, "I could not work this out with what I have.")))) == 0
    assert unlisted(listed) == "Which of them?" and unlisted("") == ""


def test_naming_another_one_goes_beyond_the_question() -> None:
    made = script(Expect(facts=(PRICE,)))
    assert score(facts(case(made, exchange(1, "B-001 costs 84,000.")))) == 1
    assert score(facts(case(made, exchange(1, "B-001 costs 84,000, and B-002 as much.")))) == 2


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of a suite whose database is built once."""
    return tmp_path_factory.mktemp("suite")


def housing(folder: Path, reply: str, expect: Expect, done: Call) -> Case:
    return case(script(expect), exchange(1, reply, calls=(done,)), domain="housing", folder=folder)


def test_invented_prices_are_seen_in_the_database(folder: Path) -> None:
    done = call("details", facts={"H-0001.price": 1})
    one = housing(folder, "", Expect(), done)
    home = Listings(one.suite.base(one.script)).get("H-0001")
    asks = Expect(facts=(Fact("H-0001.price", home.price),))
    right = housing(folder, f"H-0001 costs {home.price:,} euros. Would you like to see it?", asks, done)
    assert score(facts(right)) == 2
    wrong = housing(folder, f"H-0001 costs {home.price + 5000:,} euros. Would you like to see it?", asks, done)
    assert score(facts(wrong)) == 0
    unasked = housing(folder, f"H-0001 costs {home.price + 5000:,} euros.", Expect(), done)
    assert score(facts(unasked)) == 0 and "which is not so" in fold(facts(unasked))[1]


def test_the_same_name_for_another_loan_is_another_figure(folder: Path) -> None:
    pay, done = Expect(facts=(Fact("loan.monthly", 950.11),)), call("mortgage", facts={"loan.monthly": 760.09})
    assert score(trade(housing(folder, "That is 760.09 euros a month.", pay, done))) == 0


def test_a_wish_that_is_read_back_is_no_assertion(folder: Path) -> None:
    reply = "14 homes found (in Greenfield, 193,800 to 262,200 euros)."
    for wish, given in (("in Greenfield, 193,800 to 262,200 euros", None), ("in Greenfield", 0)):
        done = call("search", wish, facts={"search.count": 14})
        assert score(facts(housing(folder, reply, Expect(), done))) == given


# -- tools

WANTED = CallWanted(("details", "compare"), ("B-001",), (PRICE,))
DONE = call("details", "about b-001", facts={"B-001.price": 84000})


def test_a_wanted_call_is_made_with_its_input_and_finds_what_it_should() -> None:
    made = script(Expect(calls=(WANTED,)))
    assert score(tools(case(made, exchange(1, "x", calls=(DONE,))))) == 2
    for wrong in (
        call("search", "B-001", facts=dict(DONE.facts)),
        call("details", "B-002", facts=dict(DONE.facts)),
        call("details", "B-001", facts={"B-001.price": 1}),
        call("details", "B-001", hollow=True),
        call("details", "B-001", failed=True, facts=dict(DONE.facts)),
    ):
        assert score(tools(case(made, exchange(1, "x", calls=(wrong,))))) == 0
    assert score(tools(case(made, exchange(1, "x")))) == 0
    assert score(tools(case(made, exchange(1, "It was 84,000.", by="memory")))) == 2
    assert score(tools(case(made, exchange(1, "It was built in 1990.", by="memory")))) == 0


def test_what_changes_is_in_the_database_and_nothing_else() -> None:
    change = {"kind": "viewing", "done": "made", "home": "H-0001", "key": "k"}
    wanted = {"kind": "viewing", "done": "made", "home": "H-0001"}
    made = script(Expect(changes=(wanted,)), Expect())
    assert score(tools(case(made, exchange(1, "x", changes=(change,)), exchange(2, "y")))) == 2
    assert score(tools(case(made, exchange(1, "x"), exchange(2, "y")))) == 0
    unasked = case(made, exchange(1, "x", changes=(change,)), exchange(2, "y", changes=(change,)))
    assert score(tools(unasked)) == 0 and "without the person's yes" in fold(tools(unasked))[1]


def test_forbidden_calls_and_order() -> None:
    made = script(Expect(no_calls=("book",)), Expect(), order=("search", "details"), never_calls=("drop",))
    good = (call("search"), call("commute"), call("details"))
    assert score(tools(case(made, exchange(1, "x"), exchange(2, "y", calls=good)))) == 2
    assert score(tools(case(made, exchange(1, "x"), exchange(2, "y", calls=good[::-1])))) == 0
    assert score(tools(case(made, exchange(1, "x", calls=(call("book"),)), exchange(2, "y", calls=good)))) == 1
    assert score(tools(case(made, exchange(1, "x"), exchange(2, "y", calls=(*good, call("drop")))))) == 1


# -- talk


def test_mining_asks_in_time_and_never_twice() -> None:
    asks = Expect(must_mine=("budget", "district"))
    made = script(asks, asks, Expect(), tells=((), ("budget",)))
    best = (exchange(1, "What is your budget?"), exchange(2, "Which district?"), exchange(3, "Good."))
    assert score(mining(case(made, *best))) == 2
    again = (*best[:2], exchange(3, "And what is your budget?"))
    assert score(mining(case(made, *again))) == 1
    read_back = (*best[:2], exchange(3, "Shall I store the budget?", calls=(call("store", asks="AB12"),)))
    assert score(mining(case(made, *read_back))) == 2
    never = (exchange(1, "Hm."), exchange(2, "Hm."), exchange(3, "Hm."))
    assert score(mining(case(made, *never))) == 0
    assert score(mining(case(script(Expect()), exchange(1, "What is your budget?")))) is None


def test_inviting_at_a_wrong_time_is_random() -> None:
    made = script(Expect(invite="right"), Expect(), Expect(invite="wrong"))
    invites, quiet = "Would you like to see it?", "Fine."
    assert score(invitation(case(made, exchange(1, invites), exchange(2, quiet), exchange(3, quiet)))) == 2
    assert score(invitation(case(made, exchange(1, quiet), exchange(2, quiet), exchange(3, quiet)))) == 0
    assert score(invitation(case(made, exchange(1, invites), exchange(2, quiet), exchange(3, invites)))) == 0


def test_times_to_choose_from_invite_and_an_offer_taken_up_must_be_gone_on_with() -> None:
    made = script(Expect(invite="right"))
    times = "It can be seen on Monday at 10:00 or 14:00. Which of these times suits you?"
    assert score(invitation(case(made, exchange(1, times)))) == 2
    wrong = script(Expect(invite="wrong"))
    assert score(invitation(case(wrong, exchange(1, times)))) == 2
    due = script(Expect(), Expect(invite="right", must_mine=("budget",)))
    offer = "Would you like to see it?"
    assert score(invitation(case(due, exchange(1, offer), exchange(2, "Fine.")))) == 0
    assert score(invitation(case(due, exchange(1, offer), exchange(2, f"{offer} And your budget?")))) == 2


def test_a_promise_is_no_offer() -> None:
    signs = Signs(offers={"contact": (re.compile(r"call you"),)})
    assert not signs.offered("I will call you back soon.") and not signs.offered("We'll call you.")
    for text in ("An agent can call you.", "Shall we call you?", "I will gladly call you if you like."):
        assert signs.offered(text), text


def test_invoking_and_what_memory_answers() -> None:
    made = script(Expect(invoke=True), Expect(invoke=False), Expect())
    turns = (exchange(1, "x", invoked=True), exchange(2, "x"), exchange(3, "x", invoked=True))
    assert score(invoking(case(made, *turns))) == 2
    assert score(invoking(case(made, exchange(1, "x", by="memory"), *turns[1:]))) == 2
    assert score(invoking(case(made, exchange(1, "x"), *turns[1:]))) == 1
    assert score(invoking(case(made, exchange(1, "x"), exchange(2, "x", invoked=True), turns[2]))) == 0
