"""The final reply of a turn as an event, and the notes behind it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping

from chat.context import Context
from chat.counter import all_moves, joined
from chat.parts import Asked, Parts
from chat.remembering import notes
from chat.runs import Runs
from memory.memory import Recall
from minds.models.language import Usage
from tools.domains import Plan


class Replying:
    """Ends a turn."""

    def __init__(self, parts: Parts, runs: Runs, context: Context) -> None:
        self._parts, self._runs, self._context = parts, runs, context

    def close(self, asked: Asked, reply: Mapping[str, object]) -> None:
        """The final reply, then the notes behind it."""
        hidden = {} if asked.options.memory else {"off_record": True}
        event = self._runs.emit(asked.run, "reply", **reply, **hidden)
        kept = notes(asked.session, asked.run.turn.number, asked.said, event.data, event.at)
        self._parts.remembering.remember(asked.dialogue.user, kept)

    async def from_memory(self, asked: Asked, hit: Recall, began: float) -> None:
        """A verified note is the reply; a domain may add to it."""
        more: dict[str, object] = {}
        behind = Plan()
        if asked.briefing and asked.briefing.plan.calls:
            domain, call = asked.options.domain, asked.briefing.plan.calls[0]
            desk = self._context.desk(asked, domain)
            behind = await asyncio.to_thread(self._parts.counters.remembered, domain, desk, call)
            more = {"moves": all_moves(asked.briefing.plan, behind)}
        self._runs.emit(
            asked.run,
            "reply",
            by="memory",
            text=joined(hit.note.answer, behind.add),
            invoke=False,
            final=True,
            question=hit.note.question,
            similarity=round(hit.similarity, 3),
            **more,
            **cost(began, Usage()),
        )


def cost(began: float, usage: Usage, more_tokens: int = 0) -> dict[str, object]:
    """Seconds since `began` and tokens read and written, for a reply."""
    tokens = usage.read + usage.written + more_tokens
    return {"seconds": round(time.monotonic() - began, 3), "tokens": tokens}
