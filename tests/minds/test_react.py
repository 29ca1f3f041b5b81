"""ReAct: native calls, JSON steps and JSON in words; and a small model's moves are doubted before they count."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from langchain_core.messages import ToolMessage
from langchain_core.tools import BaseTool, tool

from minds.dialogue import Answer, Dialogue, Move, Step, Task, Turn
from minds.models.language import Abilities, Garbled, ToolCall
from minds.slow import Limits, Workbench, think
from minds.strategies import STRATEGIES, open_strategy
from minds.strategies.steps import as_move, question, read_step
from prompts import render
from tests.fakes import FakeModel, Heard, in_turn, step
from tests.minds.test_slow import Ear
from tools.desk import ToolFault

NATIVE = Abilities(tools=True, strong=True)
SCHEMA = Abilities(schema=True, strong=True)
SMALL = Abilities(schema=True)
WORDS = Abilities(strong=True)
NOBODY = Dialogue("s", "ada")


@tool
def calculator(text: str) -> str:
    """Calculates."""
    if "times" in text or not any(c.isdigit() for c in text):
        raise ToolFault("I cannot read this: write it with * and +.")
    return f"{text} = {eval_product(text)}"


@tool
def library(query: str) -> str:
    """Looks things up."""
    return "The handbook says nothing of it." if "cat" in query else "Dogs are welcome."


def eval_product(text: str) -> int:
    product = 1
    for factor in text.split("*"):
        product *= int(factor)
    return product


TOOLS: dict[str, BaseTool] = {"calculator": calculator, "library": library}


async def solve(model: FakeModel, asked: str = "What is 387 times 46?", **more: Any) -> Answer:
    task = Task(asked, asked, more.pop("dialogue", NOBODY))
    strategy = open_strategy("react", Workbench(model, TOOLS))
    return await think(task, strategy, TOOLS, more.pop("ear", Ear()), Limits(steps=5), **more)


def thinker(*steps: Any, abilities: Abilities) -> FakeModel:
    return FakeModel(lambda _: [], in_turn(*steps), abilities=abilities)


# -- three ways to make a move


async def test_native_tool_calls() -> None:
    call = ToolCall("I multiply.", "calculator", {"text": "387 * 46"})
    model = thinker(call, ToolCall("387 times 46 is 17802."), abilities=NATIVE)
    answer = await solve(model)
    assert (answer.text, answer.solved) == ("387 times 46 is 17802.", True)
    heard = model.heard[1].messages
    assert isinstance(heard[-1], ToolMessage) and heard[-1].content == "387 * 46 = 17802"
    calls = heard[-2].tool_calls  # type: ignore[attr-defined]
    assert (calls[0]["name"], calls[0]["args"]) == ("calculator", {"text": "387 * 46"})
    assert calls[0]["id"] == heard[-1].tool_call_id


async def test_a_native_model_without_words_has_given_up() -> None:
    answer = await solve(thinker(ToolCall("  "), abilities=NATIVE))
    assert not answer.solved and answer.why == "gave up"


async def test_steps_held_to_a_schema() -> None:
    model = thinker(step("calculator", "387 * 46"), step("finish", "387 times 46 is 17802."), abilities=SCHEMA)
    answer = await solve(model)
    assert (answer.text, answer.solved) == ("387 times 46 is 17802.", True)
    assert answer.episode.steps[0].move == Move("This needs a tool.", "calculator", "387 * 46", tokens=11)
    assert "Obs: 387 * 46 = 17802" in model.heard[1].last


async def test_steps_in_words() -> None:
    said = iter(
        [
            'Sure! {"thought": "t", "action": "calculator", "input": "387 * 46"} I hope this helps.',
            '```json\n{"thought": "t", "action": "finish", "input": "It is 17802."}\n```',
        ]
    )
    answer = await solve(FakeModel(lambda _: [next(said)], abilities=WORDS))
    assert (answer.text, answer.solved) == ("It is 17802.", True)


@pytest.mark.parametrize("text", ["", "I do not know.", "{", '{"thought": ', "[1, 2]", "{'single': 1}"])
async def test_a_step_that_cannot_be_read_names_the_way_out(text: str) -> None:
    with pytest.raises(Garbled, match="choose another slow model"):
        read_step(text)
    with pytest.raises(Garbled):
        await solve(FakeModel(lambda _: [text], abilities=WORDS))


def test_steps_are_read_out_of_prose() -> None:
    wanted = {"thought": "t", "action": "a", "input": "{}"}
    for text in (
        '{"thought": "t", "action": "a", "input": "{}"}',
        'x {"thought": "t", "action": "a", "input": "{}"} {"thought": "second"}',
        'The set {1, 2} is it. {"thought": "t", "action": "a", "input": "{}"}',
    ):
        assert read_step(text) == wanted


@pytest.mark.parametrize("data", [{}, {"thought": "t", "action": "finish"}, {"action": "a", "input": "b"}])
def test_a_step_without_all_its_parts_is_garbled(data: dict[str, Any]) -> None:
    with pytest.raises(Garbled, match="has no"):
        as_move(data, 0)


@pytest.mark.parametrize("data", [step("give_up", "anything"), step("finish", "  "), step("give_up", "")])
def test_giving_up_is_said_in_our_words(data: dict[str, Any]) -> None:
    move = as_move(data, 7)
    assert move.gave_up and move.answer == render("slow/gave_up") and move.tokens == 7


def test_values_that_are_no_text_become_text() -> None:
    assert as_move({"thought": None, "action": "calculator", "input": 42}, 0).argument == "42"


# -- what a strong model hears


async def test_steering_notices_and_history_are_heard() -> None:
    dialogue = Dialogue(
        "s",
        "ada",
        (
            Turn("user", "What is 2 * 3?"),
            Turn("fast", "Let me see.", invoke=True),
            Turn("slow", "2 * 3 = 6"),
            Turn("fast", "It is 6."),
        ),
    )
    ear = Ear()
    ear.words = ("use digits",)
    model = thinker(*[step("calculator", "7 * 8")] * 2, step("finish", "56"), abilities=SCHEMA)
    await solve(model, "What is 7 * 8?", dialogue=dialogue, ear=ear)
    assert "Query 0: What is 2 * 3?\nAnswer 0: It is 6.\nQuery 1: What is 7 * 8?" in model.heard[0].everything
    assert "The person adds: use digits" in model.heard[0].last
    assert "You just repeated" in model.heard[2].last
    assert [h.messages[0] for h in model.heard] == [model.heard[0].messages[0]] * 3


def test_long_history_is_short_in_the_question() -> None:
    turns = [t for n in range(9) for t in (Turn("user", f"q{n}" + "x" * 999), Turn("fast", "y" * 999))]
    text = question_of(turns)
    assert len(text) < 2000 and "q8" in text and "q5" not in text and text.endswith("Query 3: now?")


def question_of(turns: Sequence[Turn]) -> str:
    from minds.dialogue import Episode

    return question(Episode(Task("now?", "now?", Dialogue("s", "ada", tuple(turns)))))


# -- what is doubted of a small model


async def test_a_figure_that_was_never_observed_is_not_the_answer() -> None:
    model = FakeModel(
        lambda _: [],
        lambda heard: [step("finish", "It is 17812.") if "Obs: " in heard.last else step("calculator", "387 * 46")],
        abilities=SMALL,
    )
    answer = await solve(model)
    assert answer.text == "387 * 46 = 17802" and "17812" not in answer.text


async def test_an_answer_from_the_head_is_sent_back() -> None:
    def first_the_head(heard: Heard) -> list[dict[str, object]]:
        if "387 * 46 = 17802" in heard.everything:
            return [step("finish", "387 * 46 = 17802")]
        return [step("calculator", "387 * 46") if "\n(" in heard.last else step("finish", "It is 17802.")]

    answer = await solve(FakeModel(lambda _: [], first_the_head, abilities=SMALL))
    assert answer.solved and answer.episode.steps[0].move.action == "calculator"


async def test_a_small_model_that_only_guesses_gives_up_rather() -> None:
    answer = await solve(FakeModel(lambda _: [], lambda _: [step("finish", "It is 99.")], abilities=SMALL))
    assert not answer.solved and answer.text == render("slow/gave_up")


async def test_figures_that_stand_nowhere_are_not_worked_with() -> None:
    answer = await solve(FakeModel(lambda _: [], lambda _: [step("calculator", "999 * 888")], abilities=SMALL))
    assert "887112" not in answer.text and not answer.solved


async def test_a_strong_model_is_taken_at_its_word() -> None:
    answer = await solve(thinker(step("finish", "It is 99."), abilities=SCHEMA))
    assert (answer.text, answer.solved) == ("It is 99.", True)


async def test_an_interrupted_run_goes_on_from_its_observations() -> None:
    done = (Step(Move("", "calculator", "387 * 46"), "387 * 46 = 17802"),)
    model = thinker(step("finish", "387 * 46 = 17802"), abilities=SCHEMA)
    assert (await solve(model, done=done)).text == "387 * 46 = 17802"
    assert "Obs: 387 * 46 = 17802" in model.heard[0].everything


async def test_a_strategy_can_be_cancelled_while_its_model_thinks() -> None:
    model = FakeModel(lambda _: [], lambda _: [asyncio.Event()], abilities=SCHEMA)
    running = asyncio.create_task(solve(model))
    while not model.heard:
        await asyncio.sleep(0.001)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert model.cancelled == 1


def test_every_strategy_in_the_map_opens() -> None:
    bench = Workbench(thinker(abilities=SCHEMA), TOOLS)
    for name in STRATEGIES:
        assert hasattr(open_strategy(name, bench), "act")
    with pytest.raises(KeyError):
        open_strategy("magic", bench)
