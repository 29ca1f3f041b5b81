"""Every recorded turn through a real Duet: answered as the strong model said it, by as few calls as it takes.

Real tools, simulators and memory; only the model is recorded (tests/strong/server.py).
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from tests.strong.play import Played, dialogues, everything, play_all, table
from tests.strong.server import Exchange, serving

pytestmark = pytest.mark.real
IN_WORLDS = ("lab-boil-water", "house-mug-on-desk")
"""Of the dialogues of others, those that are about a text world; no other may touch one."""


@dataclass(frozen=True)
class Run:
    """All turns, with what the model was asked."""

    turns: list[Played]
    made: list[Exchange]
    unmatched: list[str]


@pytest.fixture(scope="module")
def run() -> Iterator[Run]:
    with serving() as model:
        turns = asyncio.run(play_all(model, everything()))
    print("\n" + table(turns))
    yield Run(turns, model.made, model.unmatched)


def test_the_model_was_asked_nothing_but_what_is_recorded(run: Run) -> None:
    assert run.unmatched == []


def test_every_turn_is_answered_without_an_error(run: Run) -> None:
    assert len(run.turns) == 79
    assert [one for one in run.turns if one.errors or not one.text] == []


def test_the_final_text_is_what_the_model_said(run: Run) -> None:
    assert [(one.text, one.model_said) for one in run.turns if one.text != one.model_said] == []
    assert {one.by for one in run.turns} == {"fast", "slow"}  # nothing was answered from memory or by a command


def test_a_world_is_opened_and_acted_in_only_where_the_model_called_for_it(run: Run) -> None:
    touched = [one for one in run.turns if one.opened or one.acted]
    assert touched and all(one.asked_world for one in touched)
    others = {one["id"] for one in dialogues()} - set(IN_WORLDS)
    assert not [one for one in touched if one.dialogue in others]


def test_after_a_world_ordinary_turns_are_ordinary(run: Run) -> None:
    after = [one for one in run.turns if one.dialogue == IN_WORLDS[0] and one.number > 3]
    after += [one for one in run.turns if one.dialogue == IN_WORLDS[1] and one.number > 4]
    assert len(after) == 7 and {one.kind for one in after} == {"direct reply"}


def test_a_direct_reply_takes_one_call_and_one_tool_at_most_three(run: Run) -> None:
    assert {one.calls for one in run.turns if one.kind == "direct reply"} == {1}
    assert {one.calls for one in run.turns if one.kind.startswith("one tool")} <= {2, 3}


def test_a_turn_of_the_slow_mind_is_begun_by_the_fast_one(run: Run) -> None:
    assert all(one.invoked == bool(one.tools or one.kind == "gave up") for one in run.turns)


def test_one_person_says_all_of_it_and_what_is_remembered_changes_no_reply() -> None:
    talk = [one for one in dialogues() if one["id"] not in IN_WORLDS]
    with serving() as model:
        turns = asyncio.run(play_all(model, talk, person="ada"))
    assert model.unmatched == []
    assert [one for one in turns if one.errors or one.text != one.model_said or one.by == "memory"] == []


@pytest.mark.parametrize(
    ("dialogue", "number", "kind", "calls"),
    [
        ("parallel-and-mended", 1, "several tools", 3),  # python and convert in one step
        ("parallel-and-mended", 2, "several tools", 4),  # arguments that were no JSON, written again
        ("document-and-sum", 1, "several tools", 4),
        ("no-for-five", 2, "one tool (python)", 3),
        ("todays-rate", 1, "gave up", 2),
        ("steered", 1, "several tools", 4),
        ("steered", 2, "direct reply", 1),
        ("laboratoire", 3, "text world", 3),  # undo
        ("cut-reply", 2, "direct reply", 1),
    ],
)
def test_rarer_turns(run: Run, dialogue: str, number: int, kind: str, calls: int) -> None:
    [turn] = [one for one in run.turns if (one.dialogue, one.number) == (dialogue, number)]
    assert (turn.kind, turn.calls) == (kind, calls)


def test_what_is_said_meanwhile_steers_the_slow_run(run: Run) -> None:
    [steered, steering] = [one for one in run.turns if one.dialogue == "steered"]
    assert "10 years" in steered.text and "1,763.25" in steered.text
    assert not steering.invoked
