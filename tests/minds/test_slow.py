"""The episode loop: limits, repetition, faults of tools, pauses, steering, resumption."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import pytest
from langchain_core.tools import BaseTool, tool

from minds.dialogue import Dialogue, Episode, Move, Step, Task
from minds.models.language import Unreachable
from minds.slow import OBSERVATION_LIMIT, Limits, think
from tools.desk import ToolFault
from tools.worlds.world import Observation

TASK = Task("What is 2 + 2?", "and 2 + 2?", Dialogue("s", "ada"))
ACT = Move("Let me count.", "echo", "two", tokens=10)
DONE = Move("It is clear.", answer="four", tokens=7)


@tool
def echo(text: str) -> str:
    """Says it again."""
    return f"you said {text}"


@tool
def broken(text: str) -> str:
    """Never works."""
    raise ToolFault("I cannot read this: write it as a sum.")


@tool(response_format="content_and_artifact")
def library(text: str) -> tuple[str, dict[str, Any]]:
    """Quotes."""
    return "free after six", {"sources": ["handbook.md, Parking"], "depends": {"documents": "abc"}}


@tool
def defect(text: str) -> str:
    """Has a bug."""
    raise ZeroDivisionError("a bug")


TOOLS: dict[str, BaseTool] = {t.name: t for t in (echo, broken, library, defect)}


class Script:
    """A strategy that makes these moves; a function sees the episode first."""

    def __init__(self, *moves: Move | BaseException | Callable[[Episode], Move]) -> None:
        self._moves, self.seen = list(moves), list[Episode]()

    async def act(self, episode: Episode) -> Move:
        self.seen.append(episode)
        await asyncio.sleep(0)
        move = self._moves.pop(0) if len(self._moves) > 1 else self._moves[0]
        if isinstance(move, BaseException):
            raise move
        return move(episode) if callable(move) else move


class Ear:
    """A listener that notes everything; `words` is what was said to steer so far, `going` a pause."""

    def __init__(self) -> None:
        self.log: list[tuple[str, int, str]] = []
        self.words: tuple[str, ...] = ()
        self.going = asyncio.Event()
        self.going.set()

    async def acting(self, number: int, move: Move) -> None:
        self.log.append(("act", number, move.action))

    async def stepped(self, number: int, step: Step) -> None:
        self.log.append(("step", number, step.observation))

    async def checkpoint(self) -> tuple[str, ...]:
        await self.going.wait()
        return self.words


async def run(
    script: Script, *, limits: Limits | None = None, ear: Ear | None = None, done: Sequence[Step] = ()
) -> Any:
    return await think(TASK, script, TOOLS, ear or Ear(), limits or Limits(), tuple(done))


async def test_it_acts_until_it_finishes() -> None:
    ear = Ear()
    answer = await run(Script(ACT, DONE), ear=ear)
    assert (answer.text, answer.solved, answer.why, answer.tokens) == ("four", True, "finished", 17)
    assert ear.log == [("act", 1, "echo"), ("step", 1, "you said two")]
    assert answer.episode.steps[0].seconds > 0 and not answer.episode.steps[0].failed


async def test_a_strategy_that_gives_up_has_not_solved_it() -> None:
    answer = await run(Script(Move("", answer="I cannot.", gave_up=True)))
    assert (answer.text, answer.solved, answer.why) == ("I cannot.", False, "gave up")


async def test_steps_are_limited_and_what_was_found_is_told() -> None:
    script = Script(ACT)
    answer = await run(script, limits=Limits(steps=3))
    assert (answer.solved, answer.why, len(answer.episode.steps)) == (False, "steps", 3)
    assert "number of steps" in answer.text and "you said two" in answer.text
    assert script.seen[-1].notice.startswith("You just repeated") or "last step" in script.seen[-1].notice


async def test_the_last_step_is_announced() -> None:
    moves = [Move("", "echo", word) for word in ("a", "b", "c")]
    script = Script(*moves, DONE)
    await run(script, limits=Limits(steps=3))
    assert [bool(episode.notice) for episode in script.seen] == [False, False, True]
    assert "last step" in script.seen[-1].notice


async def test_tokens_are_limited() -> None:
    answer = await run(Script(ACT), limits=Limits(steps=99, tokens=25))
    assert (answer.solved, answer.why, len(answer.episode.steps)) == (False, "tokens", 3)


async def test_time_is_limited() -> None:
    answer = await run(Script(ACT), limits=Limits(seconds=0))
    assert (answer.solved, answer.why, answer.text) == (False, "time", "I ran out of time before I could finish.")


async def test_a_pause_costs_no_time() -> None:
    ear, script = Ear(), Script(ACT, DONE)
    ear.going.clear()
    running = asyncio.create_task(run(script, limits=Limits(seconds=0.2), ear=ear))
    await asyncio.sleep(0.3)
    assert script.seen == []
    ear.going.set()
    assert (await running).solved


async def test_a_run_that_goes_in_circles_ends_and_tells_what_it_found() -> None:
    answer = await run(Script(ACT), limits=Limits(steps=8))
    assert (answer.solved, answer.why, len(answer.episode.steps)) == (False, "circles", 3)
    assert "in circles" in answer.text and "you said two" in answer.text


async def test_in_a_world_one_may_wait_as_long_as_one_likes() -> None:
    world = SimpleNamespace(step=lambda action: Observation("You wait.", score=0.0, done=False, won=False))
    script = Script(Move("", "wait"), Move("", "wait"), Move("", "wait"), Move("", "wait"), DONE)
    answer = await think(TASK, script, TOOLS, Ear(), Limits(), world=world)
    assert answer.solved and len(answer.episode.steps) == 4


async def test_a_repeated_step_is_noticed_and_told() -> None:
    script = Script(ACT, Move("", "echo", " TWO "), DONE)
    await run(script)
    assert [episode.notice[:17] for episode in script.seen] == ["", "", "You just repeated"]


async def test_a_fault_of_a_tool_is_an_observation() -> None:
    answer = await run(Script(Move("", "broken", "x"), DONE))
    [step] = answer.episode.steps
    assert step.failed and step.observation == "I cannot read this: write it as a sum." and answer.solved


async def test_a_tool_that_is_not_there_is_an_observation() -> None:
    answer = await run(Script(Move("", "telepathy", "x"), DONE))
    [step] = answer.episode.steps
    assert step.failed and "telepathy" in step.observation and "echo, broken" in step.observation


async def test_a_failed_observation_is_not_the_last_thing_found() -> None:
    answer = await run(Script(ACT, Move("", "broken", "x")), limits=Limits(steps=2))
    assert "you said two" in answer.text and "cannot read" not in answer.text


async def test_a_defect_of_a_tool_is_no_observation() -> None:
    with pytest.raises(ZeroDivisionError):
        await run(Script(Move("", "defect", "x")))


async def test_sources_and_dependencies_are_kept() -> None:
    answer = await run(Script(Move("", "library", "parking"), Move("", "library", "again"), DONE))
    assert answer.sources == ("handbook.md, Parking",)
    assert answer.depends == {"documents": "abc"}


async def test_an_endless_observation_is_cut() -> None:
    answer = await run(Script(Move("", "echo", "x" * 10_000), DONE))
    assert len(answer.episode.steps[0].observation) == OBSERVATION_LIMIT


async def test_a_fault_of_the_model_ends_the_run() -> None:
    with pytest.raises(Unreachable):
        await run(Script(ACT, Unreachable("gone")))


async def test_it_waits_while_paused_and_goes_on() -> None:
    ear = Ear()

    def pause_now(_: Episode) -> Move:
        ear.going.clear()
        return ACT

    script = Script(pause_now, DONE)
    running = asyncio.create_task(run(script, ear=ear))
    await settled(lambda: len(ear.log) == 2)
    await asyncio.sleep(0.02)
    assert len(script.seen) == 1 and not running.done()
    ear.going.set()
    assert (await running).solved


async def test_what_steers_reaches_the_next_move() -> None:
    ear = Ear()

    def steered(_: Episode) -> Move:
        ear.words = ("use metric units",)
        return ACT

    script = Script(steered, DONE)
    answer = await run(script, ear=ear)
    assert [episode.task.steering for episode in script.seen] == [(), ("use metric units",)]
    assert answer.episode.task.steering == ("use metric units",)


async def test_what_was_said_during_the_last_move_is_not_passed_over() -> None:
    ear = Ear()

    def too_late(_: Episode) -> Move:
        ear.words = ("use metric units",)
        return DONE

    answer = await run(Script(too_late, Move("", answer="4 metres")), ear=ear)
    assert answer.text == "4 metres"


async def test_it_goes_on_from_the_steps_that_were_done() -> None:
    before = [Step(Move("", "echo", "one"), "you said one")]
    ear, script = Ear(), Script(ACT, DONE)
    answer = await run(script, ear=ear, done=before)
    assert script.seen[0].steps == tuple(before)
    assert ear.log == [("act", 2, "echo"), ("step", 2, "you said two")]
    assert [s.observation for s in answer.episode.steps] == ["you said one", "you said two"]


async def test_it_can_be_cancelled_while_the_strategy_thinks() -> None:
    class Endless:
        async def act(self, episode: Episode) -> Move:
            await asyncio.Event().wait()
            raise AssertionError

    running = asyncio.create_task(think(TASK, Endless(), TOOLS, Ear(), Limits()))
    await asyncio.sleep(0)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running


async def settled(reached: Callable[[], bool]) -> None:
    for _ in range(500):
        if reached():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("this was never reached")
