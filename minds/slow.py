"""The slow mind: the only episode loop (Reason, Act, Obs, Finish; DUMA 2.3).

A strategy decides the moves; the loop acts them out with the tools, watches the limits, notices repetition, listens
to the person who steers or pauses, and ends with an Answer. A tool's fault is an observation, never an end.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

from langchain_core.messages import ToolCall
from langchain_core.tools import BaseTool, ToolException

from minds.briefing import Briefing
from minds.dialogue import Answer, Episode, Move, Step, Task, Why
from minds.models.language import LanguageModel
from minds.policies.trained import Trained
from tools.worlds.world import World

OBSERVATION_LIMIT = 1500
"""Characters of an observation that are kept."""
CIRCLES = 3
"""Times that the same step may be taken in a row at the desk: told twice that it repeats itself, a model goes on so."""


@dataclass(frozen=True)
class Limits:
    """Of one slow run."""

    steps: int = 8
    tokens: int = 6000
    seconds: float = 300.0


@dataclass(frozen=True)
class Workbench:
    """What a strategy works with: made for one episode."""

    model: LanguageModel
    tools: Mapping[str, BaseTool]
    temperature: float = 0.0
    note: str = ""
    """What is at hand, said behind the question: ` (documents: handbook.md)`."""
    briefing: Briefing | None = None
    """Of the domain that the conversation is in."""
    world: World | None = None
    """The text world that the task is in; None at the desk."""
    opening: str = ""
    """What the world said first."""
    trained: Trained = Trained()  # noqa: RUF009 (frozen)
    """Which weights and rules a strategy with a learned policy uses."""


class Strategy(Protocol):
    """A new object for each episode, so it may keep what it likes between moves."""

    async def act(self, episode: Episode) -> Move:
        """The next move. Raises ModelFault."""
        ...


class Listener(Protocol):
    """The loop's line to the person: every method returns when the loop may go on."""

    async def acting(self, number: int, move: Move) -> None: ...

    async def stepped(self, number: int, step: Step) -> None: ...

    async def checkpoint(self) -> tuple[str, ...]:
        """Waits while paused; what was said to steer the run so far."""
        ...


async def think(
    task: Task,
    strategy: Strategy,
    tools: Mapping[str, BaseTool],
    listener: Listener,
    limits: Limits,
    done: tuple[Step, ...] = (),
    world: World | None = None,
) -> Answer:
    """Runs one episode to its end; `done` are the steps of a run that was interrupted.

    In a `world` it also ends when the world does: solved where the world says that it is won. Raises ModelFault,
    WorldFault.
    """
    episode, began, spent = Episode(task, done), time.monotonic(), 0
    while True:
        waited = time.monotonic()
        steering = await listener.checkpoint()
        began += time.monotonic() - waited  # a pause costs none of the run's time
        episode = replace(episode, task=replace(task, steering=steering))
        over = _over(episode, limits, spent, time.monotonic() - began)
        if not over and world is None and _circles(episode.steps):
            over = "circles"
        if over:
            return Answer(_unfinished(episode, over), False, episode, over, spent)
        started = time.monotonic()
        move = await strategy.act(replace(episode, notice=_notice(episode, limits)))
        spent += move.tokens
        if move.answer is not None:
            if await listener.checkpoint() != steering:
                continue  # what was said meanwhile is not answered yet
            why: Why = "gave up" if move.gave_up else "finished"
            return Answer(move.answer, not move.gave_up, episode, why, spent)
        number = len(episode.steps) + 1
        await listener.acting(number, move)
        step = replace(await use(tools, move, world), seconds=time.monotonic() - started)
        episode = replace(episode, steps=(*episode.steps, step))
        await listener.stepped(number, step)
        if step.seen and step.seen.done:
            return Answer(step.observation, step.seen.won, episode, tokens=spent)


async def use(tools: Mapping[str, BaseTool], move: Move, world: World | None = None) -> Step:
    """Acts one move out, with a tool or else in the world; a fault of the tool becomes the observation."""
    tool = tools.get(move.action)
    if tool is None and world is not None:
        seen = await asyncio.to_thread(world.step, move.action)
        return Step(move, seen.text[:OBSERVATION_LIMIT], seen=seen)
    if tool is None:
        return Step(move, f"There is no tool `{move.action}`; the tools are: {', '.join(tools)}.", failed=True)
    try:
        message = await asyncio.to_thread(tool.invoke, _tool_call(tool, move.argument))
    except ToolException as fault:
        return Step(move, str(fault), failed=True)
    artifact: Mapping[str, Any] = getattr(message, "artifact", None) or {}
    text = str(getattr(message, "content", message))
    return Step(
        move,
        text[:OBSERVATION_LIMIT],
        failed=bool(artifact.get("empty")),
        sources=tuple(artifact.get("sources", ())),
        depends=artifact.get("depends", {}),
        facts=artifact.get("facts", {}),
        changes=tuple(artifact.get("changes", ())),
        asks=str(artifact.get("asks", "")),
        told=str(artifact.get("told", "")),
    )


def _tool_call(tool: BaseTool, argument: str) -> ToolCall:
    """Every tool takes one string, whatever it is called."""
    return ToolCall(name=tool.name, args={next(iter(tool.args)): argument}, id="step", type="tool_call")


def _over(episode: Episode, limits: Limits, spent: int, seconds: float) -> Why | None:
    if len(episode.steps) >= limits.steps:
        return "steps"
    if spent >= limits.tokens:
        return "tokens"
    return "time" if seconds >= limits.seconds else None


def _circles(steps: tuple[Step, ...]) -> bool:
    """Whether the last steps were all the same one. (In a world one may wait as long as one likes.)"""
    last = steps[-CIRCLES:]
    return len(last) == CIRCLES and all(same(step.move, last[0].move) for step in last)


def _unfinished(episode: Episode, over: str) -> str:
    limit = {"steps": "number of steps", "tokens": "tokens", "time": "time"}.get(over)
    last = next((s.told or s.observation for s in reversed(episode.steps) if not s.failed), "")
    found = f" The last thing I found: {last}" if last else ""
    why = f"I ran out of {limit}" if limit else "I went round in circles"
    return f"{why} before I could finish.{found}"


def _notice(episode: Episode, limits: Limits) -> str:
    """What the loop tells the strategy before its next move."""
    steps = episode.steps
    if len(steps) >= 2 and same(steps[-1].move, steps[-2].move):
        return "You just repeated the same action and got the same result. Do something else, or finish."
    if len(steps) == limits.steps - 1:
        return "This is your last step: finish now with what you know."
    return ""


def same(a: Move, b: Move) -> bool:
    """The same tool with the same input, but for case and blanks."""
    return (a.action, " ".join(a.argument.lower().split())) == (b.action, " ".join(b.argument.lower().split()))
