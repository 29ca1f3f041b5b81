"""What a run says that it will ask of models."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from chat.evaluation.folder import RunFolder
from chat.evaluation.grading import Grading, calibrated
from chat.evaluation.rubric import read_rubric
from chat.evaluation.run import Plan, expected
from chat.evaluation.systems import named
from chat.evaluation.turns import Expect, Goal, Turn
from chat.settings import Settings
from tests.chat.evaluation.made import script, suite


def plan(*systems: str, goal: Goal | None = None, **more: Any) -> Plan:
    one = script(*[Expect()] * 10)
    scripts = (one,)
    if goal:
        scripts = (replace(one, id="two", turns=(Turn(number=1, goal=goal),)),)
    settings = Settings(fast_model="embedded", slow_model="openai:big")
    return Plan(suite(*scripts), read_rubric("duma"), named(systems), (0,), scripts, settings, **more)


def told(asked: Plan) -> list[str]:
    return [sentence.partition(" calls of ")[0] for sentence in expected(asked, asked.wanted())]


def test_calls_by_mind_and_nothing_that_was_not_asked_for() -> None:
    dual = plan("dual")
    assert expected(dual, dual.wanted()) == [
        "The fast mind: about 15 calls of embedded, 38 thousand tokens.",
        "The slow mind: about 15 calls of openai:big, 38 thousand tokens.",
    ]
    assert told(plan("fast-only")) == ["The fast mind: about 10"]
    assert told(plan("slow-only")) == ["The slow mind: about 30"]


def test_what_is_done_is_not_asked_again() -> None:
    assert expected(plan("dual"), []) == []


def test_people_where_they_are_named() -> None:
    talk = plan("fast-only", goal=Goal("a person", "a flat", most=4), person="openai:person")
    assert "Simulated people: about 4 calls of openai:person, 4 thousand tokens." in expected(talk, talk.wanted())


@pytest.mark.slow
async def test_a_judge_is_asked_about_hand_grades_only_where_that_was_asked_for(tmp_path: Path) -> None:
    """Nobody listens at that address: a call would be a grade that failed."""
    judged = plan("dual", judge="openai:judge@http://127.0.0.1:9/v1")
    settings = Settings(home=tmp_path)
    folder = RunFolder(tmp_path, judged.config())
    made = replace(judged.suite, bases=tmp_path / "bases")
    await calibrated(settings, Grading(made, judged.rubric), folder, asking=False)
    found = json.loads((tmp_path / "calibration.json").read_text())
    assert found["by"]["program"]["n"] > 0 and found["by"]["judge"]["n"] == 0
