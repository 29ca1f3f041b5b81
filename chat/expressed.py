"""A turn that is nothing but an expression (`387*46`, `12 km in miles`): one step of the slow mind, and no model.

It is worked out beside whatever else is under way, also while the models still load. Answering it anew asks the minds:
whoever does so meant something else.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from chat.narrator import Narrator
from chat.replying import Replying, cost
from chat.runs import Runs
from chat.services import Services, TurnRequest
from chat.slow_run import evidence
from chat.turn_context import Contexts
from minds.dialogue import Answer, Call, Episode, Move, Task
from minds.slow import think
from tools.expression import program

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

PYTHON = "python"
SURE = 1
"""As a result of the strongest models (chat/slow_run.py)."""


class OneCall:
    """Answers a turn by one call of a tool that is known beforehand."""

    def __init__(self, services: Services, runs: Runs, contexts: Contexts, replying: Replying) -> None:
        self._services, self._runs = services, runs
        self._contexts, self._replying = contexts, replying

    async def _called(self, asked: TurnRequest, call: Call) -> Answer:
        """The call as a step of the slow mind."""
        run, emit = asked.run, self._runs.emit
        run.phase, run.question = "slow", asked.said
        emit(run, "run", state="started", question=asked.said, resumed=0)
        tools = await asyncio.to_thread(self._tools, asked, call.tool)
        task, narrator = Task(asked.said, asked.said, asked.dialogue), Narrator(run, self._runs)
        answer = await think(task, Written(call), lambda: tools, narrator, self._services.limits)
        emit(run, "run", state="finished", solved=answer.solved, why=answer.why, result=answer.text)
        return answer

    def _tools(self, asked: TurnRequest, name: str) -> dict[str, BaseTool]:
        return {name: self._services.counters.tools("", self._contexts.desk(asked))[name]}


class Expressed(OneCall):
    """Answers one turn, where it is nothing but an expression."""

    async def program(self, asked: TurnRequest) -> str:
        """What the turn stands for; empty where the minds are to have it. A domain's desk has sums of its own."""
        options = asked.options
        if options.domain or options.minds != "both" or asked.run.fresh:
            return ""
        return await asyncio.to_thread(program, asked.said, self._services.now().date()) or ""

    async def answer(self, asked: TurnRequest, program: str) -> None:
        """Runs the program as a step, and says what it printed."""
        answer = await self._called(asked, Call(PYTHON, {"program": program}))
        # No model had a part in it, so none is named.
        self._replying.close(
            asked, by="slow", text=answer.text, slow=answer.text, answer=answer.text, doubt=not answer.solved,
            solved=answer.solved, model="", small=False, **cost(asked), **_kept(asked, answer),
        )  # fmt: skip


class Written:
    """A strategy whose one move is known."""

    def __init__(self, call: Call) -> None:
        self._call = call

    async def act(self, episode: Episode) -> Move:
        """The call; behind it, where it failed, what is wrong."""
        if episode.steps:
            return Move("", answer=episode.steps[-1].observation, gave_up=True, worded=True)
        return Move("", (self._call,), last=True, worded=True)


def _kept(asked: TurnRequest, answer: Answer) -> dict[str, object]:
    """It was worked out: whatever model would think, it could not do better."""
    if not answer.solved:
        return {}
    found_by = {**evidence(asked, answer.episode.steps), "model": "", "strength": str(SURE)}
    return {"remember": {"question": asked.said, "depends": answer.depends, **found_by}}
