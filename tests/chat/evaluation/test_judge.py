"""The judge: what is no grade is never a pass."""

from __future__ import annotations

from typing import Any

import pytest

from chat.evaluation.judge import TRIES, Judge, Unusable, accepted, quoted_in
from chat.evaluation.rubric import read_rubric
from minds.models.language import Abilities, Garbled, Unreachable
from tests.chat.evaluation.made import exchange, played
from tests.scripted import ScriptedModel

METRIC = read_rubric("duma")["service_attitude"]
DIALOGUE = played(
    exchange(1, "Welcome! I am happy to help. What is your budget?"), exchange(2, "It costs 84,000 euros.")
)
GOOD = {"quote": "I am happy to help.", "reason": "It is friendly.", "score": 2}


async def test_a_sound_answer_is_a_grade_with_the_turn_it_rests_on() -> None:
    found = await Judge(ScriptedModel([GOOD])).grade(METRIC, DIALOGUE)
    assert (found.score, found.turn, found.by, found.error) == (2, 1, "judge", "")


@pytest.mark.parametrize(
    "wrong",
    [
        {**GOOD, "score": 3},
        {**GOOD, "score": None},
        {**GOOD, "score": True},
        {**GOOD, "score": "good"},
        {**GOOD, "score": [2]},
        {**GOOD, "score": {"score": 2}},
        {**GOOD, "reason": " "},
        {**GOOD, "quote": ""},
        {**GOOD, "quote": "I will never say that."},
        {**GOOD, "quote": "Said 1"},
        {},
    ],
)
async def test_what_is_no_grade_is_asked_again_and_then_an_error(wrong: dict[str, Any]) -> None:
    with pytest.raises(Unusable):
        accepted(wrong, METRIC, DIALOGUE.turns)
    mended = await Judge(ScriptedModel([wrong, GOOD])).grade(METRIC, DIALOGUE)
    assert mended.score == 2 and not mended.error
    model = ScriptedModel([wrong] * TRIES)
    found = await Judge(model).grade(METRIC, DIALOGUE)
    assert found.score is None and found.error
    assert "cannot be used" in str(model.heard[1][-1].content)


async def test_words_that_are_no_json_are_an_error_too() -> None:
    model = ScriptedModel(["Very good!"] * TRIES, abilities=Abilities())
    assert (await Judge(model).grade(METRIC, DIALOGUE)).score is None
    model = ScriptedModel([Garbled("no")] * TRIES)
    assert (await Judge(model).grade(METRIC, DIALOGUE)).error


async def test_a_model_that_cannot_be_reached_is_not_a_grade() -> None:
    found = await Judge(ScriptedModel([Unreachable("gone")])).grade(METRIC, DIALOGUE)
    assert (found.score, found.error) == (None, "gone")


async def test_a_turn_is_judged_without_what_came_after() -> None:
    model = ScriptedModel([GOOD])
    await Judge(model).grade(METRIC, DIALOGUE, 1)
    assert "84,000" not in str(model.heard[0][1].content)


async def test_the_scores_can_be_listed_backwards() -> None:
    model = ScriptedModel([GOOD])
    await Judge(model, by="backwards").grade(METRIC, DIALOGUE)
    listed = str(model.heard[0][0].content)
    assert listed.index("\n2: ") < listed.index("\n0: ")


def test_quotes_are_found_whatever_their_case_and_marks() -> None:
    assert quoted_in("it costs 84,000 EUROS", DIALOGUE.turns) == 2
    assert quoted_in("It", DIALOGUE.turns) == 0
    assert quoted_in("...", DIALOGUE.turns) == 0
