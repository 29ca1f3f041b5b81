"""What a person wishes of the memory, where the minds are small: heard by learned odds, read by the model in a form.

A strong model calls the memory tool itself. For a small one the same call is made here: whether a turn may be about
what is kept is learned (memory/sameness.py), which wish it is the model says, held to a schema, and it may say none.
"""

from __future__ import annotations

import asyncio
from typing import Any

from langchain_core.messages import HumanMessage

from chat.expressed import OneCall
from chat.keeping import pending
from chat.replying import cost
from chat.services import TurnRequest
from chat.slow_run import MEMORY
from memory.memory import MemoryFault
from minds.dialogue import Call
from minds.strategies.steps import closed, shown

TOKENS = 120
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


class MemoryWishes(OneCall):
    """Answers one turn, where it is of this kind."""

    async def answer(self, asked: TurnRequest, scope: str) -> bool:
        """Whether it was one. scope: of the turn, as it was learned. Raises ModelFault."""
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

    async def _wished(self, asked: TurnRequest) -> Call | None:
        messages = [*shown("memory/wish"), HumanMessage(asked.said)]
        found = await asked.minds.slow.structured(messages, FORM, max_tokens=TOKENS, usage=asked.usage)
        return None if found.get("do") in (None, "none") else Call(MEMORY, found)

    async def _done(self, asked: TurnRequest, call: Call) -> bool:
        """The call as a step of the slow mind; False where it came to nothing and the turn is still to be answered."""
        answer = await self._called(asked, call)
        if not answer.solved and call.arguments["do"] in ("note", "wrong"):
            asked.run.phase = "fast"
            return False
        self._replying.close(
            asked, by="slow", text=answer.text, slow=answer.text, answer=answer.text, doubt=False, solved=answer.solved,
            recalled=True, off_record=True, **cost(asked),
        )  # fmt: skip
        return True

    def _pending(self, asked: TurnRequest) -> bool:
        turn = asked.run.turn
        try:
            memory = self._services.remembering.of(asked.dialogue.user)
            return pending(memory, self._services.transcript, turn.session, turn.number) is not None
        except MemoryFault:
            return False
