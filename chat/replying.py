"""The replies of a turn as events, and the notes behind them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import suppress

from chat.counter import as_read
from chat.remembering import notes_of
from chat.runs import Run, Runs
from chat.services import Services, TurnRequest
from chat.turn_context import Contexts
from memory.memory import Note
from minds.dialogue import Reply, Turn
from minds.languages import strange
from minds.models.language import ModelFault
from minds.models.meter import spent


class Replying:
    """Streams, stores and ends the replies of a turn."""

    def __init__(self, services: Services, runs: Runs, contexts: Contexts) -> None:
        self._services, self._runs, self._contexts = services, runs, contexts

    async def stream(self, run: Run, pieces: AsyncIterator[str], by: str = "fast") -> str:
        """Emits the pieces as deltas; what was said before a stop stays as the reply."""
        text = ""
        try:
            async for piece in pieces:
                text += piece
                self._runs.emit(run, "delta", by=by, text=piece)
        except asyncio.CancelledError as cancelled:
            self.stopped(run, by, text, cancelled)
            raise
        return text.strip()

    def stopped(self, run: Run, by: str, text: str, cancelled: asyncio.CancelledError) -> None:
        """What was said before a stop is the reply; what the end of the server interrupts is answered anew."""
        if text.strip() and cancelled.args != ("interrupted",):
            with suppress(Exception):  # the turn may have been deleted meanwhile; the stop itself must go on
                self._runs.emit(run, "reply", by=by, text=text.strip(), invoke=False, final=True, stopped=True)

    def interim(self, asked: TurnRequest, text: str, reply: Reply) -> None:
        """What is said while the slow mind works, with the request that it was given."""
        self._runs.emit(
            asked.run,
            "reply",
            by="fast",
            text=text,
            invoke=True,
            final=False,
            request=reply.request,
            **_weighed(reply.p),
            **cost(asked),
            **self._services.prices.cost(spent()),
        )

    def close(self, asked: TurnRequest, **reply: object) -> None:
        """The final reply, then the notes behind it."""
        hidden = {} if self._remembers(asked) else {"off_record": True}
        cut = {"cut": True} if asked.usage.cut else {}
        model = asked.minds.fast.model if asked.options.minds != "slow" else asked.minds.slow
        said_by = {"model": model.spec} | ({} if model.abilities.strong else {"small": True})
        weighed = _weighed(reply.pop("p", None))
        whole = {
            "invoke": False,
            "final": True,
            **said_by,
            **cost(asked),
            **self._services.prices.cost(spent()),
            **cut,
            **weighed,
            **reply,
            **hidden,
            **as_read(asked.briefing),
        }
        event = self._runs.emit(asked.run, "reply", **whole)
        kept = list(notes_of(asked.session, asked.run.turn.number, asked.said, event.data, event.at))
        self._services.remembering.keep(asked.dialogue.user, kept)

    def _remembers(self, asked: TurnRequest) -> bool:
        """As the turn began, and still: the person may have wished otherwise while it was thought about."""
        now = self._services.transcript.options(asked.session).memory
        return asked.options.memory and now and not self._services.remembering.off(asked.dialogue.user)

    async def from_memory(self, asked: TurnRequest, note: Note, likeness: float) -> None:
        """A verified note is the reply, with what a desk's turn says behind it."""
        request = asked.briefing.request if asked.briefing else None
        told = request.told(note.answer) if request else note.answer
        self._runs.emit(
            asked.run,
            "reply",
            by="memory",
            text=await self._in_their_language(asked, told),
            answer=note.answer,
            doubt=False,
            invoke=False,
            final=True,
            question=note.text,
            from_note=note.id,
            similarity=round(likeness, 3),
            **as_read(asked.briefing),
            **cost(asked),
        )

    async def _in_their_language(self, asked: TurnRequest, told: str) -> str:
        """What was found when somebody asked in another language is worded anew; where that fails, told as it is."""
        if not (strange(asked.said, told) or strange(told, asked.said)):
            return told
        called = Turn("fast", "", invoke=True, request=asked.said)
        pieces = asked.minds.fast.word(asked.dialogue, asked.said, asked.context, called, told, asked.usage)
        try:
            return await self.stream(asked.run, pieces) or told
        except ModelFault:
            return told


def cost(asked: TurnRequest, more_tokens: int = 0, more_calls: int = 0) -> dict[str, object]:
    """Seconds since the turn was taken up, tokens read and written, and calls of models, for a reply."""
    usage = asked.usage
    return {
        "seconds": round(time.monotonic() - asked.began, 3),
        "tokens": usage.read + usage.written + more_tokens,
        "calls": usage.calls + more_calls,
    }


def _weighed(p: object) -> dict[str, object]:
    """How probable it was that the slow mind is needed, where that was weighed."""
    return {"p": round(p, 3)} if isinstance(p, float) else {}
