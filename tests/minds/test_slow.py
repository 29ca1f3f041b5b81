"""The episode loop: calls side by side, limits, repetition, faults of tools, pauses, steering, resumption."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from langchain_core.tools import BaseTool, StructuredTool, tool

from minds.acting import OBSERVATION_LIMIT, use
from minds.dialogue import Answer, Call, Dialogue, Episode, Move, Step, Task, in_world
from minds.models.language import Abilities, Unreachable
from minds.slow import Limits, think
from tests.fakes import FakeModel
from tools.desk import ToolFault
from tools.typed import CHANGES
from tools.worlds.world import Observation

TASK = Task("What is 2 + 2?", "and 2 + 2?", Dialogue("s", "ada"))


def act(name: str, *, thought: str = "Let me count.", tokens: int = 0, last: bool = False, **arguments: Any) -> Move:
    return Move(thought, (Call(name, arguments),), tokens=tokens, last=last)


ACT = act("echo", text="two", tokens=10)
DONE = Move("It is clear.", answer="four", tokens=7)


@tool
def echo(text: str) -> str:
    """Says it again."""
    return f"you said {text}"


@tool
def add(one: int, other: int) -> str:
    """Adds two numbers."""
    return str(one + other)


@tool
def broken(text: str) -> str:
    """Never works."""
    raise ToolFault("I cannot read this: write it as a sum.")


@tool(response_format="content_and_artifact")
def library(text: str) -> tuple[str, dict[str, Any]]:
    """Quotes."""
    return "free after six", {"sources": ["handbook.md, Parking"], "depends": {"documents": "abc"}}


@tool(response_format="content_and_artifact")
def drawer(text: str) -> tuple[str, dict[str, Any]]:
    """Is empty, and has other words for the person."""
    return "nothing there", {"empty": text == "empty", "told": "The drawer holds nothing."}


@tool
def defect(text: str) -> str:
    """Has a bug."""
    raise ZeroDivisionError("a bug")


TOOLS: dict[str, BaseTool] = {t.name: t for t in (echo, add, broken, library, drawer, defect)}


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

    async def acting(self, number: int, move: Move, call: Call) -> None:
        self.log.append(("act", number, call.action))

    async def stepped(self, number: int, step: Step) -> None:
        self.log.append(("step", number, step.observation))

    async def checkpoint(self) -> tuple[str, ...]:
        await self.going.wait()
        return self.words


async def run(
    script: Script,
    *,
    limits: Limits | None = None,
    ear: Ear | None = None,
    done: Sequence[Step] = (),
    tools: dict[str, BaseTool] = TOOLS,
) -> Answer:
    return await think(TASK, script, lambda: tools, ear or Ear(), limits or Limits(), tuple(done))


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
    moves = [act("echo", text=word) for word in ("a", "b", "c")]
    script = Script(*moves, DONE)
    await run(script, limits=Limits(steps=3))
    assert [bool(episode.notice) for episode in script.seen] == [False, False, True]
    assert "last step" in script.seen[-1].notice


async def test_tokens_are_limited() -> None:
    answer = await run(Script(ACT), limits=Limits(steps=99, tokens=25))
    assert (answer.solved, answer.why, len(answer.episode.steps)) == (False, "tokens", 3)


def test_where_nobody_set_another_the_limit_of_tokens_follows_the_context() -> None:
    long, short = FakeModel(lambda _: [], abilities=Abilities(context=200_000)), FakeModel(lambda _: [])
    assert Limits().of(long).tokens == 6 * 200_000 and Limits().of(short).tokens == Limits.tokens
    assert Limits(tokens=900).of(long).tokens == 900


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


@pytest.mark.parametrize("move", [Move("", answer="four"), act("add", one=2, other=2, last=True)])
async def test_a_pause_while_the_answer_is_written_costs_no_time_either(move: Move) -> None:
    ear = Ear()

    def paused(_: Episode) -> Move:
        ear.going.clear()
        return move

    script = Script(paused, Move("", answer="IV"))
    running = asyncio.create_task(run(script, limits=Limits(seconds=0.2), ear=ear))
    await asyncio.sleep(0.3)
    ear.words = ("in Roman numerals",)
    ear.going.set()
    assert (await running).text == "IV"


async def test_a_run_that_goes_in_circles_ends_and_tells_what_it_found() -> None:
    answer = await run(Script(ACT), limits=Limits(steps=8))
    assert (answer.solved, answer.why, len(answer.episode.steps)) == (False, "circles", 3)
    assert "in circles" in answer.text and "you said two" in answer.text


async def test_the_same_call_three_times_in_one_move_is_no_circle() -> None:
    answer = await run(Script(replace(ACT, calls=ACT.calls * 3), DONE))
    assert answer.solved and len(answer.episode.steps) == 3


async def test_in_a_world_one_may_wait_as_long_as_one_likes() -> None:
    world = SimpleNamespace(step=lambda action: Observation("You wait.", score=0.0, done=False, won=False))
    script = Script(*[in_world("", "wait")] * 4, DONE)
    answer = await think(TASK, script, dict, Ear(), Limits(steps=5), world=world)
    assert answer.solved and len(answer.episode.steps) == 4
    assert [episode.notice for episode in script.seen] == [""] * 5


async def test_what_a_world_refused_twice_is_noticed() -> None:
    world = SimpleNamespace(step=lambda action: Observation("Nothing happens.", score=0.0))
    script = Script(*[in_world("", "go to shelf 3")] * 2, DONE)
    await think(TASK, script, dict, Ear(), Limits(), world=world)
    assert [episode.notice[:17] for episode in script.seen] == ["", "", "You just repeated"]


async def test_a_repeated_step_is_noticed_and_told() -> None:
    script = Script(ACT, act("echo", text=" TWO "), DONE)
    await run(script)
    assert [episode.notice[:17] for episode in script.seen] == ["", "", "You just repeated"]


async def test_what_gave_another_result_is_not_said_to_have_given_the_same() -> None:
    heat = iter(range(20, 100, 10))
    world = SimpleNamespace(step=lambda action: Observation(f"The thermometer reads {next(heat)} degrees."))
    script = Script(*[in_world("", "use thermometer on water")] * 3, DONE)
    await think(TASK, script, dict, Ear(), Limits(), world=world)
    assert [episode.notice for episode in script.seen] == [""] * 4


async def test_an_action_in_a_world_that_is_answered_otherwise_is_no_circle() -> None:
    heat = iter(range(20, 100, 20))

    def world_act(verb: str) -> str:
        """Acts."""
        return f"The thermometer reads {next(heat)} degrees."

    script = Script(*[act("world_act", verb="wait")] * 4, DONE)
    answer = await run(script, tools={"world_act": StructuredTool.from_function(world_act)})
    assert answer.solved and [episode.notice for episode in script.seen] == [""] * 5


async def test_a_fault_of_a_tool_is_an_observation() -> None:
    answer = await run(Script(act("broken", text="x"), DONE))
    [step] = answer.episode.steps
    assert step.failed and step.observation == "I cannot read this: write it as a sum." and answer.solved


async def test_a_tool_that_is_not_there_is_an_observation() -> None:
    answer = await run(Script(act("telepathy", text="x"), DONE))
    [step] = answer.episode.steps
    assert step.failed and "telepathy" in step.observation and "echo, add" in step.observation


async def test_a_failed_observation_is_not_the_last_thing_found() -> None:
    answer = await run(Script(ACT, act("broken", text="x")), limits=Limits(steps=2))
    assert "you said two" in answer.text and "cannot read" not in answer.text


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (Call("add", {"one": 2}), "other: "),
        (Call("add", {"one": "two", "other": 2}), "one: "),
        (Call("add", {}), "one: "),
        (Call("add", fault="The arguments of add are not JSON (broken off): write them again."), "not JSON"),
        (Call("", fault="The step is not in the form that was asked for."), "not in the form"),
    ],
)
async def test_a_call_that_does_not_fit_is_an_observation_that_says_why(call: Call, says: str) -> None:
    script = Script(Move("", (call,)), act("add", one=2, other=2), DONE)
    first, second = (await run(script)).episode.steps
    assert first.failed and says in first.observation and "\n" not in first.observation
    assert (second.failed, second.observation) == (False, "4")
    assert script.seen[1].steps == (first,)


async def test_a_defect_of_a_tool_is_no_observation() -> None:
    with pytest.raises(ZeroDivisionError):
        await run(Script(act("defect", text="x")))


async def test_sources_and_dependencies_are_kept() -> None:
    answer = await run(Script(act("library", text="parking"), act("library", text="again"), DONE))
    assert answer.sources == ("handbook.md, Parking",)
    assert answer.depends == {"documents": "abc"}


async def test_an_endless_observation_is_cut() -> None:
    answer = await run(Script(act("echo", text="x" * 10_000), DONE))
    seen = answer.episode.steps[0].observation
    assert len(seen) < OBSERVATION_LIMIT + 50 and seen.endswith("[cut here: 4009 more characters]")


async def test_an_observation_that_its_tool_measured_is_not_cut() -> None:
    def tell() -> tuple[str, dict[str, Any]]:
        return "x" * 10_000, {"whole": True}

    tool = StructuredTool.from_function(tell, name="tell", description="Tells.", response_format="content_and_artifact")
    call = Call("tell", {})
    step = await use(lambda: {"tell": tool}, Move("", (call,)), call)
    assert step.observation == "x" * 10_000


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
    before = [Step(act("echo", text="one"), "you said one")]
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

    running = asyncio.create_task(think(TASK, Endless(), dict, Ear(), Limits()))
    await asyncio.sleep(0)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running


# -- several calls


def meeting(count: int, *, named: str = "wait") -> tuple[StructuredTool, list[int]]:
    """A tool whose calls end only when `count` of them are under way, and the order in which they began."""
    together, began = asyncio.Barrier(count), list[int]()

    async def wait(number: int) -> str:
        """Waits for the others."""
        began.append(number)
        async with asyncio.timeout(5):
            await together.wait()
        return f"done {number}"

    return StructuredTool.from_function(coroutine=wait, name=named, description="Waits."), began


def several(name: str, *numbers: int, last: bool = False) -> Move:
    return Move("All at once.", tuple(Call(name, {"number": n}) for n in numbers), tokens=9, last=last)


async def test_calls_of_one_move_run_side_by_side_and_keep_their_order() -> None:
    together, began = meeting(3)
    ear, script = Ear(), Script(several("wait", 1, 2, 3), DONE)
    answer = await run(script, ear=ear, tools={"wait": together})
    assert sorted(began) == [1, 2, 3]
    assert [step.observation for step in answer.episode.steps] == ["done 1", "done 2", "done 3"]
    assert [step.call.arguments["number"] for step in script.seen[1].steps] == [1, 2, 3]
    assert sorted(number for kind, number, _ in ear.log if kind == "step") == [1, 2, 3]
    assert [entry[0] for entry in ear.log[:3]] == ["act"] * 3


@pytest.mark.parametrize("name", ["world_act", "book_viewing"])
async def test_calls_that_change_something_run_in_order(name: str) -> None:
    under_way, most, order = 0, 0, list[int]()

    async def turn(number: int) -> str:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0.01 / number)  # who comes later would be done first
        order.append(number)
        under_way -= 1
        return "ok"

    tags = [CHANGES] if name == "book_viewing" else None
    tool = StructuredTool.from_function(coroutine=turn, name=name, description="Acts.", tags=tags)
    await run(Script(several(name, 1, 2, 3), DONE), tools={name: tool})
    assert (order, most) == ([1, 2, 3], 1)


async def test_what_is_read_beside_a_change_sees_it() -> None:
    """And the tools are made once for all calls of a move."""
    booked, made = list[int](), 0

    async def book(number: int) -> str:
        await asyncio.sleep(0.01)
        booked.append(number)
        return "ok"

    async def mine() -> str:
        return f"Booked are {booked}."

    def tools() -> dict[str, BaseTool]:
        nonlocal made
        made += 1
        changes = StructuredTool.from_function(coroutine=book, name="book", description="Books.", tags=[CHANGES])
        return {
            "book": changes,
            "mine": StructuredTool.from_function(coroutine=mine, name="mine", description="Lists."),
        }

    script = Script(Move("", (Call("book", {"number": 1}), Call("mine", {}))), DONE)
    answer = await think(TASK, script, tools, Ear(), Limits(), ())
    assert answer.episode.steps[1].observation == "Booked are [1]." and made == 1


async def test_a_move_costs_its_tokens_once() -> None:
    together, _ = meeting(2)
    answer = await run(Script(several("wait", 1, 2), DONE), tools={"wait": together})
    assert [step.move.tokens for step in answer.episode.steps] == [9, 0]
    assert answer.tokens == 9 + 7


async def test_one_call_that_fails_does_not_lose_the_others() -> None:
    move = Move("", (Call("add", {"one": 1, "other": 2}), Call("broken", {"text": "x"}), Call("telepathy", {})))
    answer = await run(Script(move, DONE))
    assert [step.failed for step in answer.episode.steps] == [False, True, True]
    assert answer.episode.steps[0].observation == "3"


async def test_a_defect_leaves_no_call_running_behind_the_run() -> None:
    ended = list[str]()

    async def slow(text: str) -> str:
        await asyncio.sleep(0.02)
        ended.append(text)
        return text

    tools = {"slow": StructuredTool.from_function(coroutine=slow, name="slow", description="Slow."), "defect": defect}
    with pytest.raises(ZeroDivisionError):
        await run(Script(Move("", (Call("defect", {"text": "x"}), Call("slow", {"text": "y"})))), tools=tools)
    assert ended == ["y"]


async def test_a_run_that_is_stopped_stops_all_its_calls() -> None:
    together, began = meeting(9)
    running = asyncio.create_task(run(Script(several("wait", 1, 2)), tools={"wait": together}))
    await settled(lambda: len(began) == 2)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert len(asyncio.all_tasks()) == 1


async def test_the_last_calls_give_the_result_without_another_move() -> None:
    move = Move("", (Call("add", {"one": 1, "other": 2}), Call("drawer", {"text": "x"})), last=True, tokens=5)
    script = Script(move, AssertionError("nobody asks again"))
    answer = await run(script)
    assert (answer.text, answer.solved, answer.why) == ("3\n\nThe drawer holds nothing.", True, "finished")
    assert (answer.tokens, answer.doubt, len(script.seen)) == (5, False, 1)


async def test_what_came_before_in_words_of_its_own_is_told_with_the_last() -> None:
    first, then = (act("add", one=1, other=other) for other in (1, 2))
    script = Script(replace(first, worded=True), then, act("add", one=2, other=2, last=True))
    assert (await run(script)).text == "2\n\n4"


@pytest.mark.parametrize(
    ("move", "told"),
    [
        (act("world_story", text="x", last=True), "nothing there"),
        (replace(act("world_story", text="x", last=True), worded=True), "The drawer holds nothing."),
        (act("world_story", text="x"), "The last thing I found: The drawer holds nothing."),
    ],
)
async def test_a_story_is_told_whole_to_whoever_words_it_and_else_in_few_lines(move: Move, told: str) -> None:
    answer = await run(Script(move), limits=Limits(steps=1), tools={"world_story": TOOLS["drawer"]})
    assert answer.text.endswith(told)


@pytest.mark.parametrize(
    "call",
    [Call("broken", {"text": "x"}), Call("drawer", {"text": "empty"}), Call("add", {"one": 1}), Call("gone", {})],
)
async def test_a_last_call_that_fails_ends_nothing(call: Call) -> None:
    move = Move("", (Call("add", {"one": 1, "other": 2}), call), last=True)
    script = Script(move, DONE)
    answer = await run(script)
    assert answer.text == "four" and [step.failed for step in script.seen[1].steps] == [False, True]


async def test_what_was_said_meanwhile_is_heard_before_the_last_result_stands() -> None:
    ear = Ear()

    def steered(_: Episode) -> Move:
        ear.words = ("in Roman numerals",)
        return act("add", one=2, other=2, last=True)

    script = Script(steered, Move("", answer="IV"))
    assert (await run(script, ear=ear)).text == "IV"
    assert script.seen[1].task.steering == ("in Roman numerals",)


async def test_a_last_move_in_doubt_leaves_the_result_in_doubt() -> None:
    answer = await run(Script(replace(act("add", one=2, other=2, last=True), doubt=True)))
    assert (answer.text, answer.doubt) == ("4", True)


async def test_tools_are_looked_up_as_they_are_now() -> None:
    """Those of worlds come and go with the world's state."""
    offered: list[dict[str, BaseTool]] = [{"echo": echo}, {"echo": echo, "add": add}]
    script = Script(act("echo", text="a"), act("add", one=1, other=1), DONE)
    answer = await think(TASK, script, lambda: offered.pop(0), Ear(), Limits())
    assert [step.observation for step in answer.episode.steps] == ["you said a", "2"]


async def test_a_world_that_is_won_ends_the_run() -> None:
    world = SimpleNamespace(step=lambda action: Observation(f"You {action}.", score=1.0, done=True, won=True))
    answer = await think(TASK, Script(in_world("", "boil")), dict, Ear(), Limits(), world=world)
    assert (answer.text, answer.solved) == ("You boil.", True) and answer.episode.steps[0].action == "boil"


async def settled(reached: Callable[[], bool]) -> None:
    for _ in range(500):
        if reached():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("this was never reached")
