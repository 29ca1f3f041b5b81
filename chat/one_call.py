"""Turns that are answered by one call of a tool, known before the fast mind hears them.

One that is nothing but an expression (`387*46`, `12 km in miles`) is worked out by no model, beside whatever else is
under way, also while the models still load; each time, for a comparison that is learned takes 7/2 for 7//2. Answering
it anew asks the minds: whoever does so meant something else.

A wish about what is kept a strong model fulfils by the memory tool itself. For a small one the same call is made here:
whether a turn may be about that is learned (memory/turns.py), which wish it is the model says, held to a schema, and
it may say none.
"""

from __future__ import annotations

import asyncio
from typing import Any

from langchain_core.messages import HumanMessage

from chat.keeping import pending
from chat.replying import Narrator, Replying
from chat.runs import Runs
from chat.services import Services, TurnRequest
from chat.slow_run import MEMORY
from chat.turn_context import Contexts
from memory.memory import MemoryFault
from minds.dialogue import Answer, Call, Episode, Move, Task
from minds.slow import think
from minds.strategies.steps import closed, shown
from tools.expression import program

PYTHON = "python"
TOKENS = 900
"""More than the longest note takes in any script: its words are held to their lengths by the form."""
_TEXT: dict[str, Any] = {"type": "string", "maxLength": 200}
_NOTED = dict.fromkeys(("subject", "attribute", "value", "quote"), _TEXT)
_WISHES: dict[str, dict[str, Any]] = {
    "none": {},
    "show": {"about": _TEXT},
    "note": _NOTED,
    "forget": {"which": {"enum": ["about", "last", "conversation", "everything"]}, "about": _TEXT},
    "wrong": {},
    "off": {},
}
FORM: dict[str, object] = {"anyOf": [closed({"do": {"const": do}, **more}) for do, more in _WISHES.items()]}
AGREED: dict[str, object] = closed({"answer": {"enum": ["yes", "no", "other"]}})


class OneCall:
    """Answers a turn, where it is of this kind."""

    def __init__(self, services: Services, runs: Runs, contexts: Contexts, replying: Replying) -> None:
        self._services, self._runs = services, runs
        self._contexts, self._replying = contexts, replying

    async def program(self, asked: TurnRequest) -> str:
        """Of an expression; empty where the minds are to have the turn. A domain's desk has sums of its own."""
        options = asked.options
        if options.domain or options.minds != "both" or asked.run.fresh:
            return ""
        return await asyncio.to_thread(program, asked.said, self._services.now().date()) or ""

    async def run(self, asked: TurnRequest, program: str) -> None:
        """Runs the program as a step, and says what it printed."""
        answer = await self._called(asked, Call(PYTHON, {"program": program}))
        # No model had a part in it, so none is named.
        self._close(asked, answer, doubt=not answer.solved, model="", small=False)

    async def fulfil(self, asked: TurnRequest, scope: str) -> bool:
        """Whether it was a wish about what is kept. scope: of the turn, as it was learned. Raises ModelFault."""
        able, options = asked.minds.slow.abilities, asked.options
        if able.strong or not able.schema or options.domain or not options.memory or options.minds != "both":
            return False
        call = await self._agreed(asked) or (await self._wished(asked) if scope == MEMORY else None)
        return call is not None and await self._done(asked, call)

    async def _agreed(self, asked: TurnRequest) -> Call | None:
        """Their yes to a deletion that the turn before proposed."""
        if not await asyncio.to_thread(self._pending, asked):
            return None
        messages = [*shown("memory/agreed"), HumanMessage(asked.said)]
        found = await asked.minds.slow.structured(messages, AGREED, max_tokens=12, usage=asked.usage)
        return Call(MEMORY, {"do": "confirm"}) if found.get("answer") == "yes" else None

    def _pending(self, asked: TurnRequest) -> bool:
        turn = asked.run.turn
        try:
            memory = self._services.remembering.of(asked.dialogue.user)
            return pending(memory, self._services.transcript, turn.session, turn.number) is not None
        except MemoryFault:
            return False

    async def _wished(self, asked: TurnRequest) -> Call | None:
        messages = [*shown("memory/wish"), HumanMessage(asked.said)]
        found = await asked.minds.slow.structured(messages, FORM, max_tokens=TOKENS, usage=asked.usage)
        return None if found.get("do") in (None, "none") else Call(MEMORY, found)

    async def _done(self, asked: TurnRequest, call: Call) -> bool:
        """False where it came to nothing and the turn is still to be answered."""
        answer = await self._called(asked, call)
        if not answer.solved and call.arguments["do"] in ("note", "wrong"):
            asked.run.phase = "fast"
            return False
        self._close(asked, answer, doubt=False, recalled=True, off_record=True)
        return True

    async def _called(self, asked: TurnRequest, call: Call) -> Answer:
        """The call as a step of the slow mind."""
        run, emit = asked.run, self._runs.emit
        run.phase, run.question = "slow", asked.said
        emit(run, "run", state="started", question=asked.said, resumed=0)
        desk = await asyncio.to_thread(self._contexts.desk, asked)
        tools = await asyncio.to_thread(self._services.counters.tools, "", desk)
        task, narrator = Task(asked.said, asked.said, asked.dialogue), Narrator(run, self._runs)
        answer = await think(task, Written(call), lambda: tools, narrator, self._services.limits)
        emit(run, "run", state="finished", solved=answer.solved, why=answer.why, result=answer.text)
        return answer

    def _close(self, asked: TurnRequest, answer: Answer, **more: object) -> None:
        said = dict.fromkeys(("text", "slow", "answer"), answer.text)
        self._replying.close(asked, by="slow", solved=answer.solved, **said, **more)


class Written:
    """A strategy whose one move is known."""

    def __init__(self, call: Call) -> None:
        self._call = call

    async def act(self, episode: Episode) -> Move:
        """The call; behind it, where it failed, what is wrong."""
        if episode.steps:
            return Move("", answer=episode.steps[-1].observation, gave_up=True, worded=True)
        return Move("", (self._call,), last=True, worded=True)
