"""The suites that come with Duet: every dialogue can be held against its database."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from chat.evaluation.graders.claimed import fact
from chat.evaluation.scripts import Script, Suite
from chat.evaluation.suite_reader import load
from chat.evaluation.turns import Expect
from tools.desk import Desk, ToolFault
from tools.domains import open_domain
from tools.housing.listings import Listings

SUITES = Path(__file__).parents[3] / "chat" / "evaluation" / "suites"


@pytest.fixture(scope="module")
def bases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("bases")


@pytest.fixture(scope="module", params=["housing", "housing_dev", "housing_dev2", "example"])
def suite(request: pytest.FixtureRequest, bases: Path) -> Suite:
    return load(SUITES / request.param, bases)


@pytest.fixture(scope="module")
def housing(bases: Path) -> Suite:
    return load(SUITES / "housing", bases)


def spoken(script: Script) -> Iterator[tuple[int, str, Expect]]:
    for turn in script.turns:
        yield from ((turn.number, branch.person, branch.expect or turn.expect) for branch in turn.branches or ())
        if turn.person is not None:
            yield turn.number, turn.person, turn.expect


def test_five_dialogues_for_each_of_eight_intents(housing: Suite) -> None:
    assert Counter(Counter(s.intent for s in housing.dialogues).values()) == {5: 8}
    assert Counter(s.intent for s in housing.dialogues if s.core) == dict.fromkeys(
        {s.intent for s in housing.dialogues}, 2
    )
    assert all(6 <= len(s.turns) <= 12 for s in housing.dialogues)
    assert len({s.about for s in housing.dialogues}) == 40 and all(s.about.endswith(".") for s in housing.dialogues)


@pytest.mark.parametrize(("name", "each"), [("housing_dev", 1), ("housing_dev2", 2)])
def test_so_many_dialogues_of_each_intent_to_tune_with(housing: Suite, bases: Path, name: str, each: int) -> None:
    tuning = load(SUITES / name, bases)
    assert Counter(s.intent for s in tuning.dialogues) == dict.fromkeys({s.intent for s in housing.dialogues}, each)
    assert all(6 <= len(s.turns) <= 12 for s in tuning.dialogues)
    assert tuning.signs == housing.signs and tuning.now == housing.now
    said = [{words for script in s.dialogues for _, words, _ in spoken(script)} for s in (housing, tuning)]
    assert {words for words in said[0] & said[1] if len(words.split()) > 3} == set()


@pytest.mark.parametrize(("name", "each", "core"), [("housing_return", 1, 1), ("housing_return2", 3, 1)])
def test_in_so_many_dialogues_of_each_intent_the_person_comes_back(
    housing: Suite, bases: Path, name: str, each: int, core: int
) -> None:
    back, tuning = load(SUITES / name, bases), load(SUITES / "housing_return_dev", bases)
    said = [{words for script in s.dialogues for _, words, _ in spoken(script)} for s in (back, tuning)]
    assert {words for words in said[0] & said[1] if len(words.split()) > 3} == set()
    intents = {s.intent for s in housing.dialogues}
    assert Counter(s.intent for s in back.dialogues) == dict.fromkeys(intents, each)
    assert Counter(s.intent for s in back.dialogues if s.core) == dict.fromkeys(intents, core)
    assert all(any(turn.later for turn in s.turns) for s in back.dialogues)
    assert back.signs.offers == housing.signs.offers and back.now == housing.now


def test_all_kinds_of_expectations_are_there(housing: Suite) -> None:
    every = [expect for script in housing.dialogues for _, _, expect in spoken(script)]
    assert Counter(expect.invoke for expect in every).keys() == {True, False, None}
    assert {expect.invite for expect in every} == {"right", "wrong", "allowed"}
    for name in ("facts", "says", "says_not", "calls", "no_calls", "changes", "must_mine", "trade", "repeat_of"):
        assert sum(bool(getattr(expect, name)) for expect in every) >= 8, name
    used = {tool for e in every for call in e.calls for tool in call.tools}
    assert used >= {*open_domain("housing").make(Desk("s", housing.now), Path())} - {"my_viewings"}
    needed = [e for e in every if e.invoke and not e.repeat_of]
    assert 0.3 < len(needed) / len(every) < 0.5, "the slow mind is worth asking for in some turns, not in most"


def test_a_repeat_asks_for_what_was_asked(suite: Suite) -> None:
    for script in suite.dialogues:
        for turn in script.turns:
            if turn.expect.repeat_of:
                first = script.turns[turn.expect.repeat_of - 1]
                assert turn.person != first.person, "in other words"
                assert first.expect.invoke and all(fact in first.expect.facts for fact in turn.expect.facts)


def test_what_is_told_is_not_to_be_asked_for(suite: Suite) -> None:
    for script in suite.dialogues:
        told: set[str] = set()
        for turn in script.turns:
            assert not any(set(way.must_mine) <= told for way in turn.ways if way.must_mine), (script.id, turn.number)
            told |= {*turn.tells}


def test_facts_are_those_of_the_database(suite: Suite) -> None:
    """The rows that SQL found say the same as the tools' own reader of facts."""
    held = 0
    for script in suite.dialogues:
        listings = Listings(suite.base(script))
        for _, _, expect in spoken(script):
            for each in expect.facts:
                if re.match(r"H-\d{4}\.(?!reduced_by)|.*\.(?:rating|noise|price_m2)$", each.name):
                    actual = fact(each.name, listings)
                    assert each.value in actual if isinstance(actual, list) else actual == each.value, each
                    held += 1
    assert held >= len(suite.dialogues)


def test_patterns_let_a_plain_answer_pass(housing: Suite) -> None:
    """What must not be said is not what must be said."""
    for script in housing.dialogues:
        for _, words, expect in spoken(script):
            for must, never in itertools.product(expect.says, expect.says_not):
                assert must.pattern != never.pattern, words


@pytest.mark.parametrize(
    ("reply", "asks", "offers"),
    [
        ("Welcome! I am happy to help. What is your budget?", "budget", ""),
        ("How much would you like to spend?", "budget", ""),
        ("Which district do you have in mind, and how many bedrooms do you need?", "district bedrooms home size", ""),
        ("Where would you like to live?", "district", ""),
        ("Are you looking for a flat or a house?", "kind", ""),
        ("Please tell me the number of the home.", "home", ""),
        ("What is your monthly income and how much have you saved?", "income deposit", ""),
        ("May I have your name and a phone number, so that an agent can call you back?", "name phone", "contact"),
        ("You could leave your phone number and an agent calls you.", "", "contact"),
        ("I am glad you like it. Would you like to see it? I can look for a free time.", "", "viewing"),
        ("Shall I book the viewing of H-0117 on Friday, 27 November 2026 at 14:00?", "", "viewing"),
        ("Would you like to arrange a viewing of H-0117?", "", "viewing"),
        ("If you are interested in seeing it, which day suits you?", "day", "viewing"),
        ("I can invite you to a viewing of H-0117.", "", "viewing"),
        ("Shall I go ahead with the cancellation of the viewing of H-0117 on Friday at 14:00?", "", ""),
        ("Booked: viewing of H-0117 on Friday, 27 November 2026 at 14:00, with Ada Brandt at 5 Reed Street.", "", ""),
        ("Would you like to know more about it?", "", ""),
        ("Would you like to see more homes?", "", ""),
        ("I can see that this is hard for you.", "", ""),
        ("Let me look that up.", "", ""),
        ("H-0117 costs 245,000 euros and lies in Riverside, 4 minutes from the stop.", "", ""),
        ("Your budget is 300,000 euros, noted.", "", ""),
        ("Stored: contact details: Ann Lee, phone 555013422. An agent will get in touch.", "", ""),
        ("I am sorry for the trouble. What went wrong?", "trouble", ""),
    ],
)
def test_what_a_reply_asks_and_offers_is_seen(housing: Suite, reply: str, asks: str, offers: str) -> None:
    assert housing.signs.asked(reply) == {*asks.split()}
    assert housing.signs.offered(reply) == {*offers.split()}


def test_homes_that_do_not_exist_are_refused(housing: Suite) -> None:
    """The traps are traps."""
    names = {
        number for file in (SUITES / "housing").glob("*.yaml")
        for line in re.findall(r"(?m)^absent: \[(.*)\]$", file.read_text(encoding="utf-8"))
        for number in line.split(", ")
    }  # fmt: skip
    assert len(names) >= 2
    listings = Listings(housing.base(housing.dialogues[0]))
    for name in names:
        with pytest.raises(ToolFault, match="There is no home"):
            listings.get(name)
