"""A simulated person: its words come from a model, and what is expected of its part is looked for in all of it."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from chat.evaluation.command import Command
from chat.evaluation.folder import RunFolder
from chat.evaluation.grading import Grading
from chat.evaluation.judge import say
from chat.evaluation.record import Played, played
from chat.evaluation.rubric import read_rubric
from chat.evaluation.run import Plan, perform
from chat.evaluation.scripts import Suite
from chat.evaluation.suite_reader import load
from chat.evaluation.systems import named
from chat.evaluation.turns import Goal
from chat.faults import ChatFault
from chat.settings import Settings
from minds.models.language import Abilities
from tests.chat.evaluation.ideal import ideal
from tests.chat.evaluation.made import call, exchange
from tests.scripted import ScriptedModel, opening

SUITE = """
name: guests
about: A library.
domain: library
now: 2026-11-22T10:00+01:00
rubric: duma
systems: [dual]
seeds: [0]
signs:
  asks: {title: 'which book|title'}
  offers: {loan: 'shall i lend'}
"""
TALK = """
id: guest
intent: loan
about: A reader asks for a book and takes it.
turns:
  - person: Hello!
    expect: {invoke: false}
  - goal: {persona: A shy reader., goal: Find a book and take it., facts: [Likes the sea.], most: 3}
    expect: {calls: [find_books], changes: [{kind: reservation, done: made}], must_mine: [title], says: ['the sea']}
    tells: [title]
  - person: Bye.
    expect: {invoke: false}
"""


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    folder = tmp_path / "guests"
    folder.mkdir()
    (folder / "suite.yaml").write_text(SUITE)
    (folder / "guest.yaml").write_text(TALK)
    return load(folder, tmp_path / "bases")


DONE: dict[str, object] = {"done": True, "says": ""}


def says(words: str) -> dict[str, object]:
    return {"done": False, "says": words}


def play(suite: Suite, place: Path, said: list[dict[str, object]]) -> Played:
    """With ideal minds and a person whose model writes these one after the other."""
    made, words = ideal(), place / "person.yaml"
    words.write_text(json.dumps([{"json": line} for line in said]))
    plan = Plan(
        suite,
        read_rubric(),
        named(("dual",)),
        (0,),
        suite.dialogues,
        Settings(home=place / "home"),
        person=f"scripted:{words}",
    )
    folder = RunFolder.open(place / "run", plan.config())
    try:
        asyncio.run(perform(plan, folder, replace(made["swaps"], models=opening), cue=made["cue"]))
    finally:
        folder.close()
    return next(iter(played(folder).values()))


def test_the_person_talks_until_it_is_done(suite: Suite, tmp_path: Path) -> None:
    found = play(suite, tmp_path, [says("Anything on boats?"), DONE])
    assert not found.fault and [e.said for e in found.turns] == ["Hello!", "Anything on boats?", "Bye."]
    assert [(e.number, e.turn) for e in found.turns] == [(1, 1), (2, 2), (3, 3)]


def test_the_person_talks_no_longer_than_it_may(suite: Suite, tmp_path: Path) -> None:
    found = play(suite, tmp_path, [says(word) for word in ("One.", "Two.", "Three.", "Four.")])
    assert [e.said for e in found.turns] == ["Hello!", "One.", "Two.", "Three.", "Bye."]


def test_words_that_begin_with_done_are_said(suite: Suite, tmp_path: Path) -> None:
    found = play(suite, tmp_path, [says("Done deal, I take it."), DONE])
    assert [e.said for e in found.turns] == ["Hello!", "Done deal, I take it.", "Bye."]


async def test_a_person_without_schemas_writes_the_same_form() -> None:
    goal = Goal("A reader.", "A book.")
    model = ScriptedModel(
        ['So: {"done": false, "says": "Any\\nbooks?"}', '{"done": true, "says": ""}'], abilities=Abilities()
    )
    assert [await say(model, goal, ()), await say(model, goal, ())] == ["Any books?", ""]


def test_a_suite_with_a_person_whom_no_model_plays_is_not_begun(suite: Suite, tmp_path: Path) -> None:
    with pytest.raises(ChatFault, match="--person"):
        Command(Settings(home=tmp_path), {}).plan(suite)
    assert Command(Settings(home=tmp_path), {"person": "openai:one"}).plan(suite).person == "openai:one"


def test_a_person_who_says_nothing_is_a_fault(suite: Suite, tmp_path: Path) -> None:
    assert "said nothing" in play(suite, tmp_path, [DONE] * 3).fault


def test_what_is_expected_may_come_in_any_exchange_of_the_part(suite: Suite, tmp_path: Path) -> None:
    change = {"kind": "reservation", "key": "B-001", "done": "made"}
    turns = (
        exchange(1, "Good day."),
        exchange(2, "Which book do you mean?", turn=2),
        exchange(3, "One on the sea.", turn=2, invoked=True, calls=(call("find_books", facts={"B-001.title": "x"}),)),
        exchange(
            4, "Enjoy it.", turn=2, invoked=True, calls=(call("reserve_book", facts={"a": 1}),), changes=(change,)
        ),
        exchange(5, "Bye.", turn=3),
    )
    grading = Grading(suite, read_rubric())
    dialogue = Played(replace(play(suite, tmp_path, [DONE] * 3).key), turns)
    scores = {grade.metric: grade.score for grade in grading.by_program(dialogue)}
    assert (scores["tool_calling"], scores["demand_mining"], scores["house_expertise"]) == (2, 2, 2)
    unasked = replace(dialogue, turns=(*turns[:4], replace(turns[4], changes=(change,))))
    assert {g.metric: g.score for g in grading.by_program(unasked)}["tool_calling"] == 0
