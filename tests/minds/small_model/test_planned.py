"""A small model at a desk: the domain's plan leads, the model words and chooses among what was planned."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from langchain_core.tools import BaseTool

from minds.briefing import Briefing
from minds.dialogue import Answer, Dialogue, Reply, Task, Turn, TurnContext
from minds.models.language import Usage
from minds.slow import Limits, Workbench, think
from minds.small_model.planned import PlannedFast, PlannedReAct
from prompts import render
from tests.fakes import SMALL, FakeModel, Heard
from tests.minds.test_slow import Ear
from tools.desk import Artifact, ToolFault
from tools.domains import Call, Plan, open_domain
from tools.plain import plain_tool

NOW = TurnContext(now="Monday, 23 November 2026, 10:24")


def look(text: str) -> tuple[str, Artifact]:
    if text == "nothing":
        raise ToolFault("There is no such book.")
    return f"looked for {text}", {"told": f"I found {text}."} if text == "sailing" else {}


TOOLS: dict[str, BaseTool] = {name: plain_tool(name, f"Does {name}.", look) for name in ("search", "reserve")}


def briefing(*calls: Call, **plan: Any) -> Briefing:
    return Briefing(open_domain("library").ABOUT, tuple(TOOLS), Plan(calls=calls, **plan))


async def reply(plan: Briefing, *says: str, alone: bool = False) -> tuple[str, Reply, FakeModel]:
    model, decided = FakeModel(lambda _: says, abilities=SMALL), Reply(alone=alone)
    turns = (Turn("user", "hi"), Turn("fast", "Hello! " + "x" * 500))
    pieces = PlannedFast(model, plan).reply(Dialogue("s", "ada", turns), "sailing?", NOW, decided, Usage())
    return "".join([piece async for piece in pieces]), decided, model


async def solve(plan: Briefing, steps: Any = None) -> tuple[Answer, FakeModel]:
    model = FakeModel(lambda _: [], steps, abilities=SMALL)
    strategy = PlannedReAct(Workbench(model, lambda: TOOLS), plan)
    task = Task("sailing?", "sailing?", Dialogue("s", "ada"))
    return await think(task, strategy, lambda: TOOLS, Ear(), Limits()), model


async def test_a_planned_call_invokes_without_the_model() -> None:
    text, decided, model = await reply(briefing(Call("search", "sailing"), interim="I look."), "never")
    assert (text, decided) == ("I look.", Reply(invoke=True, request="sailing?", p=1.0)) and model.heard == []
    text, _, _ = await reply(briefing(Call("search", "sailing")))
    assert text == render("fast/interim")


async def test_planned_words_are_said_without_the_model() -> None:
    text, decided, model = await reply(briefing(reply="Which author?", add="Or which title?"))
    assert (text, decided.invoke, model.heard) == ("Which author? Or which title?", False, [])


async def test_what_is_left_is_the_models_and_is_not_to_claim_anything() -> None:
    text, decided, model = await reply(briefing(), "Nice to meet you. ", "We have 12 books on sailing.]")
    assert (text, decided.invoke, decided.p) == ("Nice to meet you.", False, 0.0)
    [heard] = model.heard
    assert "\n" in heard.stop and len(str(heard.messages[-2].content)) < 200, "long turns are cut short"
    assert "2026" not in heard.last


async def test_where_there_is_no_slow_mind_the_model_answers() -> None:
    text, decided, model = await reply(briefing(Call("search", "sailing")), "Nice to meet you.]", alone=True)
    assert (text, decided.invoke, len(model.heard)) == ("Nice to meet you.", False, 1)


async def test_a_result_is_told_as_the_desk_words_it() -> None:
    model = FakeModel(lambda _: ["never"], abilities=SMALL)
    pieces = PlannedFast(model, briefing()).word(
        Dialogue("s", "ada"), "x", NOW, Turn("fast", "I look.", invoke=True), "I found it."
    )
    assert [piece async for piece in pieces] == ["I found it."] and model.heard == []


async def test_one_thing_to_do_is_done_without_the_model() -> None:
    found, model = await solve(briefing(Call("search", "sailing"), thought="They want a book."))
    assert (found.text, found.solved, model.heard) == ("I found sailing.", True, [])
    [step] = found.episode.steps
    assert (step.move.thought, step.action, step.argument) == ("They want a book.", "search", "sailing")


def chooses(tool: str) -> Any:
    def steps(heard: Heard) -> Sequence[dict[str, object]]:
        return [{"thought": "That one.", "action": tool, "input": "what nobody should use"}]

    return steps


@pytest.mark.parametrize("tool", ["search", "reserve"])
async def test_the_model_chooses_and_the_domain_says_with_what(tool: str) -> None:
    plan = briefing(Call("search", "boats"), Call("reserve", "the first one"))
    found, model = await solve(plan, chooses(tool))
    wanted = {"search": "boats", "reserve": "the first one"}[tool]
    assert found.text == f"looked for {wanted}" and found.asked == 1
    assert "search: Does search." in model.heard[0].everything


async def test_what_fails_is_not_tried_again() -> None:
    plan = briefing(Call("search", "nothing"), Call("reserve", "nothing"), thought="Both.")
    found, model = await solve(plan, chooses("search"))
    assert [(step.action, step.failed) for step in found.episode.steps] == [("search", True), ("reserve", True)]
    assert (found.text, found.solved, found.why) == ("There is no such book.", False, "gave up")
    assert len(model.heard) == 1, "what was left is nothing to choose from"


async def test_without_a_plan_there_is_nothing_to_do() -> None:
    found, _ = await solve(briefing())
    assert (found.text, found.why) == (render("slow/gave_up"), "gave up")
