"""The slow mind: the only episode loop (Reason, Act, Obs, Finish; DUMA 2.3).

A strategy decides the moves; the loop acts out their calls, side by side where nothing depends on their order, watches
the limits, notices repetition, listens to the person who steers or pauses, and ends with an Answer. A tool's fault is
an observation, never an end.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from langchain_core.messages import ToolCall
from langchain_core.tools import BaseTool, ToolException
from pydantic import ValidationError

from minds.dialogue import WORLD, Answer, Call, Episode, Move, Step, Task, Why
from minds.models.language import LanguageModel
from minds.policies.trained import Trained
from tools.worlds.world import World

Tools = Mapping[str, BaseTool]
ToolBox = Callable[[], Tools]
"""The tools as they are now: those of worlds are typed by the world's state, which every step changes."""
OBSERVATION_LIMIT = 6000
"""Characters of an observation that are kept."""
CIRCLES = 3
"""Times that the same step may be taken in a row outside worlds: told twice, a model goes on so."""
IN_ORDER = "world_"
"""Tools whose names begin so change what they act on: their calls are acted out one after the other."""


@dataclass(frozen=True)
class Limits:
    """Of one slow run."""

    steps: int = 16
    tokens: int = 60_000
    """Read outside the prefix cache, and written."""
    seconds: float = 300.0


@dataclass(frozen=True)
class Workbench:
    """What a strategy works with: made for one episode."""

    model: LanguageModel
    tools: ToolBox = dict
    temperature: float = 0.0
    world: World | None = None
    """The text world that the task is in; None outside of worlds."""
    opening: str = ""
    """What the world said first."""
    trained: Trained = Trained()  # noqa: RUF009 (frozen)
    """Which weights and rules a strategy with a learned policy uses."""
    aloud: Callable[[str], None] | None = None
    """Hears what the model says with native calls as it comes: its answer, or the thought of the calls behind it."""
    aids: Mapping[str, Any] = field(default_factory=dict)
    """What the wiring gives a small model's strategy beside (minds/small_model)."""


class Strategy(Protocol):
    """A new object for each episode, so it may keep what it likes between moves."""

    async def act(self, episode: Episode) -> Move:
        """The next move. Raises ModelFault."""
        ...


class Listener(Protocol):
    """The loop's line to the person: every method returns when the loop may go on."""

    async def acting(self, number: int, move: Move, call: Call) -> None: ...

    async def stepped(self, number: int, step: Step) -> None: ...

    async def checkpoint(self) -> tuple[str, ...]:
        """Waits while paused; what was said to steer the run so far."""
        ...


async def think(
    task: Task,
    strategy: Strategy,
    tools: ToolBox,
    listener: Listener,
    limits: Limits,
    done: tuple[Step, ...] = (),
    world: World | None = None,
) -> Answer:
    """Runs one episode to its end; `done` are the steps of a run that was interrupted.

    In a `world` it also ends when the world does: solved where the world says that it is won. Raises ModelFault,
    WorldFault.
    """
    episode, began, spent, asked = Episode(task, done), time.monotonic(), 0, 0
    while True:
        waited = time.monotonic()
        steering = await listener.checkpoint()
        began += time.monotonic() - waited  # a pause costs none of the run's time
        episode = replace(episode, task=replace(task, steering=steering))
        over = _over(episode, limits, spent, time.monotonic() - began)
        if not over and world is None and _circles(episode.steps):
            over = "circles"
        if over:
            return Answer(_unfinished(episode, over), False, episode, over, spent, asked)
        move = await strategy.act(replace(episode, notice=_notice(episode, limits)))
        spent, asked = spent + move.tokens, asked + move.asked
        if move.answer is not None:
            if await listener.checkpoint() != steering:
                continue  # what was said meanwhile is not answered yet
            why: Why = "gave up" if move.gave_up else "finished"
            answer = Answer(move.answer, not move.gave_up, episode, why, spent, asked, move.doubt, move.worded)
            return replace(answer, own=True, thought=move.thought, cut=move.cut)
        steps = await _acted(move, tools, listener, len(episode.steps), world)
        episode = replace(episode, steps=(*episode.steps, *steps))
        began += sum(step.aside[0] for step in steps)
        last = steps[-1]
        if last.seen and last.seen.done:
            return Answer(last.observation, last.seen.won, episode, tokens=spent, asked=asked)
        if move.last and not any(step.failed for step in steps) and await listener.checkpoint() == steering:
            found = "\n\n".join(step.told or step.observation for step in steps)
            return Answer(found, True, episode, tokens=spent, asked=asked, doubt=move.doubt, worded=move.worded)


async def _acted(move: Move, tools: ToolBox, listener: Listener, before: int, world: World | None) -> tuple[Step, ...]:
    """All calls of a move: one after the other where they change what they act on, else at once."""

    async def one(number: int, call: Call) -> Step:
        began = time.monotonic()
        await listener.acting(number, move, call)
        # The model was asked once: only the first of its calls carries what that cost.
        of = move if number == before + 1 else replace(move, tokens=0)
        step = replace(await use(tools, of, call, world), seconds=time.monotonic() - began)
        await listener.stepped(number, step)
        return step

    numbered = list(enumerate(move.calls, before + 1))
    if any(call.tool.startswith(IN_ORDER) for call in move.calls):
        return tuple([await one(number, call) for number, call in numbered])
    steps = await asyncio.gather(*(one(number, call) for number, call in numbered), return_exceptions=True)
    for step in steps:
        if isinstance(step, BaseException):
            raise step  # a defect; no call may go on behind the run's end
    return tuple(step for step in steps if isinstance(step, Step))


async def use(tools: ToolBox, move: Move, call: Call, world: World | None = None) -> Step:
    """Acts one call out, with a tool or in the world; a fault of the tool becomes the observation."""
    if call.tool == WORLD and world is not None:
        seen = await asyncio.to_thread(world.step, call.action)
        return Step(move, seen.text[:OBSERVATION_LIMIT], call, seen=seen)
    if call.fault:
        return Step(move, call.fault, call, failed=True)
    here = tools()
    tool = here.get(call.tool)
    if tool is None:
        return Step(move, f"There is no tool `{call.tool}`; the tools are: {', '.join(here)}.", call, failed=True)
    try:
        asked = ToolCall(name=tool.name, args=dict(call.arguments), id="step", type="tool_call")
        message = await tool.ainvoke(asked)
    except ToolException as fault:
        return Step(move, str(fault), call, failed=True)
    except ValidationError as fault:
        return Step(move, misfit(tool.name, fault), call, failed=True)
    artifact: Mapping[str, Any] = getattr(message, "artifact", None) or {}
    text = str(getattr(message, "content", message))
    return Step(
        move,
        _cut(text),
        call,
        failed=bool(artifact.get("empty")),
        sources=tuple(artifact.get("sources", ())),
        depends=artifact.get("depends", {}),
        facts=artifact.get("facts", {}),
        changes=tuple(artifact.get("changes", ())),
        asks=str(artifact.get("asks", "")),
        told=str(artifact.get("told", "")),
        aside=(float(artifact.get("seconds", 0.0)), int(artifact.get("tokens", 0))),
    )


def misfit(tool: str, fault: ValidationError) -> str:
    """What is wrong with a call's arguments, for the model to write them anew."""
    wrong = "; ".join(f"{'.'.join(map(str, e['loc'])) or 'arguments'}: {e['msg']}" for e in fault.errors()[:4])
    return f"The arguments of {tool} do not fit: {wrong}."


def _cut(text: str) -> str:
    """What is over the limit is told as such: what is missing must not be taken for what is not there."""
    if len(text) <= OBSERVATION_LIMIT:
        return text
    return f"{text[:OBSERVATION_LIMIT]}\n[cut here: {len(text) - OBSERVATION_LIMIT} more characters]"


def _over(episode: Episode, limits: Limits, spent: int, seconds: float) -> Why | None:
    if len(episode.steps) >= limits.steps:
        return "steps"
    if spent >= limits.tokens:
        return "tokens"
    return "time" if seconds >= limits.seconds else None


def _circles(steps: tuple[Step, ...]) -> bool:
    """Whether the last steps were all the same one. (In a world one may wait as long as one likes.)"""
    last = steps[-CIRCLES:]
    return len(last) == CIRCLES and all(same(step, last[0]) for step in last)


def _unfinished(episode: Episode, over: str) -> str:
    limit = {"steps": "number of steps", "tokens": "tokens", "time": "time"}.get(over)
    last = next((s.told or s.observation for s in reversed(episode.steps) if not s.failed), "")
    found = f" The last thing I found: {last}" if last else ""
    why = f"I ran out of {limit}" if limit else "I went round in circles"
    return f"{why} before I could finish.{found}"


def _notice(episode: Episode, limits: Limits) -> str:
    """What the loop tells the strategy before its next move."""
    steps = episode.steps
    if len(steps) >= 2 and same(steps[-1], steps[-2]):
        return "You just repeated the same action and got the same result. Do something else, or finish."
    if len(steps) == limits.steps - 1:
        return "This is your last step: finish now with what you know."
    return ""


def same(a: Step, b: Step) -> bool:
    """The same tool with the same input, but for case and blanks."""
    return (a.action, " ".join(a.argument.lower().split())) == (b.action, " ".join(b.argument.lower().split()))
