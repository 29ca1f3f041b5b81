"""The judge: what is no grade is never a pass."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from langchain_core.messages import BaseMessage

from chat.evaluation.judge import TRIES, Judge, Unusable, accepted, quoted_in
from chat.evaluation.rubric import read_rubric
from minds.models.language import Abilities, Declined, Garbled, Unreachable
from tests.chat.evaluation.made import exchange, played
from tests.scripted import ALL, ScriptedModel

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
    with pytest.raises(Unreachable, match="gone"):  # it ends the run: no other grade would fare better
        await Judge(ScriptedModel([Unreachable("gone")])).grade(METRIC, DIALOGUE)
    found = await Judge(ScriptedModel([Declined("No.")])).grade(METRIC, DIALOGUE)
    assert (found.score, found.error) == (None, "No.")


async def test_a_strong_judge_reads_whole_replies_and_may_think_before_it_answers() -> None:
    long = replace(DIALOGUE, turns=(replace(DIALOGUE.turns[0], reply="It is so. " * 200 + "The end."),))
    heard = list[tuple[str, int]]()

    class Noting(ScriptedModel):
        async def structured(self, messages: Sequence[BaseMessage], schema: Any, **how: Any) -> dict[str, object]:
            heard.append((str(messages[1].content), how["max_tokens"]))
            return {**GOOD, "quote": "It is so."}

    for abilities in (ALL, replace(ALL, strong=True)):
        await Judge(Noting(abilities=abilities), "Aldermere Homes.").grade(METRIC, long)
    (small, short), (strong, room) = heard
    assert "The end." in strong and "The end." not in small and room > short == 300
    assert "The assistant speaks for: Aldermere Homes." in strong


async def test_what_it_wrote_is_shown_back_as_json() -> None:
    model = ScriptedModel([{**GOOD, "score": 7}, GOOD])
    await Judge(model).grade(METRIC, DIALOGUE)
    assert json.loads(str(model.heard[1][2].content)) == {**GOOD, "score": 7}


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
