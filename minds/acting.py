"""Acts calls out: with a tool or in the world; a fault of the tool becomes the observation, never an end."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Protocol

from langchain_core.messages import ToolCall
from langchain_core.tools import BaseTool, ToolException
from pydantic import ValidationError

from minds.dialogue import WORLD, Call, Move, Step
from tools.typed import CHANGES
from tools.worlds.world import World

Tools = Mapping[str, BaseTool]
ToolBox = Callable[[], Tools]
"""The tools as they are now: those of worlds are typed by the world's state, which every step changes."""
OBSERVATION_LIMIT = 6000
"""Characters of an observation that are kept, where its tool does not say that it is to be whole."""
IN_ORDER = "world_"
"""Tools whose names begin so change the world, and its tools with it."""
TELLS = "world_story"
"""The one of them that changes nothing."""


class Listener(Protocol):
    """The loop's line to the person: every method returns when the loop may go on."""

    async def acting(self, number: int, move: Move, call: Call) -> None: ...

    async def stepped(self, number: int, step: Step) -> None: ...

    async def checkpoint(self) -> tuple[str, ...]:
        """Waits while paused; what was said to steer the run so far."""
        ...


async def acted(move: Move, tools: ToolBox, listener: Listener, before: int, world: World | None) -> tuple[Step, ...]:
    """All calls of a move: one after the other where they change what they act on, else at once."""

    async def one(number: int, call: Call, tools: ToolBox = tools) -> Step:
        began = time.monotonic()
        await listener.acting(number, move, call)
        # The model was asked once: only the first of its calls carries what that cost.
        of = move if number == before + 1 else replace(move, tokens=0)
        step = replace(await use(tools, of, call, world), seconds=time.monotonic() - began)
        await listener.stepped(number, step)
        return step

    numbered = list(enumerate(move.calls, before + 1))
    if len(numbered) < 2 or any(call.tool.startswith(IN_ORDER) for call in move.calls):
        return tuple([await one(number, call) for number, call in numbered])
    here = tools()  # outside of worlds they stay as they are
    if any(CHANGES in (here[call.tool].tags or ()) for call in move.calls if call.tool in here):
        return tuple([await one(number, call, lambda: here) for number, call in numbered])
    steps = await asyncio.gather(
        *(one(number, call, lambda: here) for number, call in numbered), return_exceptions=True
    )
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
        text if artifact.get("whole") else cut(text),
        call,
        failed=bool(artifact.get("empty")),
        sources=tuple(artifact.get("sources", ())),
        passages=tuple(artifact.get("passages", ())),
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


def cut(text: str, limit: int = OBSERVATION_LIMIT) -> str:
    """What is over the limit is told as such: what is missing must not be taken for what is not there."""
    if len(text) <= limit:
        return text
    return f"{text[:limit]}\n[cut here: {len(text) - limit} more characters]"
