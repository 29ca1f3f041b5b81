"""What a turn says and does, as events: its replies with the notes behind them, and the slow mind's steps."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

from chat.remembering import notes_of
from chat.runs import Run, Runs
from chat.services import Services, TurnRequest
from memory.memory import Note
from minds.dialogue import Call, Event, Move, Step, Turn
from minds.languages import strange
from minds.models.answers import thought_out
from minds.models.language import ModelFault

FIRST = "first"
"""Who words a first answer, which is checked before the reply is final."""


class Replying:
    """Streams, stores and ends the replies of a turn."""

    def __init__(self, services: Services, runs: Runs) -> None:
        self._services, self._runs = services, runs

    async def stream(self, run: Run, pieces: AsyncIterator[str], by: str = "fast") -> str:
        """Emits the pieces as deltas; what was said before a stop stays as the reply. Where it turns out that they were
        thoughts at first, the reply is what stands behind these."""
        text = ""
        try:
            async for piece in pieces:
                text += piece
                self._runs.emit(run, "delta", by=by, text=piece)
        except asyncio.CancelledError as cancelled:
            self.stopped(run, by, thought_out(text), cancelled)
            raise
        return thought_out(text).strip()

    def stopped(self, run: Run, by: str, text: str, cancelled: asyncio.CancelledError) -> None:
        """What was said before a stop is the reply; what the end of the server interrupts is answered anew."""
        if text.strip() and cancelled.args != ("interrupted",):
            with suppress(Exception):  # the turn may have been deleted meanwhile; the stop itself must go on
                self._runs.emit(run, "reply", by=by, text=text.strip(), invoke=False, final=True, stopped=True)

    def close(self, asked: TurnRequest, **reply: object) -> None:
        """The final reply, then the notes behind it."""
        model = asked.minds.fast.model if asked.options.minds != "slow" else asked.minds.slow
        more: dict[str, object] = {"model": model.spec} | ({} if model.abilities.strong else {"small": True})
        more |= ({"cut": True} if asked.usage.cut else {}) | reply | asked.written
        # As the turn began, and still: the person may have wished otherwise while it was thought about.
        remembers = asked.options.memory and self._services.remembering.wanted(asked.session)
        event = self.emit(asked, **more | ({} if remembers else {"off_record": True}))
        kept = list(notes_of(asked.session, asked.run.turn.number, asked.said, event.data, event.at))
        self._services.remembering.keep(asked.dialogue.user, kept)

    def emit(self, asked: TurnRequest, **reply: object) -> Event:
        """A reply with what it cost; `p`: how probable it was that the slow mind is needed, where that was weighed."""
        p = reply.pop("p", None)
        weighed = {"p": round(p, 3)} if isinstance(p, float) else {}
        cost = asked.cost(self._services.prices)
        return self._runs.emit(asked.run, "reply", **{"invoke": False, "final": True, **cost, **weighed, **reply})

    async def from_memory(self, asked: TurnRequest, note: Note, likeness: float) -> None:
        """A verified note is the reply, with what a desk's turn says behind it."""
        request = asked.briefing.request if asked.briefing else None
        text = await self._in_their_language(asked, request.told(note.answer) if request else note.answer)
        of_note = {"question": note.text, "from_note": note.id, "similarity": round(likeness, 3)}
        self.emit(asked, by="memory", text=text, answer=note.answer, doubt=False, **of_note, **asked.written)

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


class Narrator:
    """The slow loop's listener: every step becomes an event before the loop goes on."""

    def __init__(self, run: Run, runs: Runs, lost: int = 0) -> None:
        """lost: numbers that steps of an interrupted run would have, which a crash came before."""
        self._run, self._runs, self._lost = run, runs, lost
        self._move = 0
        self.saying = ""
        """What the slow mind has said so far of its answer."""

    def aloud(self, piece: str) -> None:
        """It may yet turn out to be the thought of a step: an empty piece says so."""
        if not piece:
            self.saying = ""
            return
        self.saying += piece
        self._runs.emit(self._run, "delta", by="slow", move=self._move, text=piece)

    async def acting(self, number: int, move: Move, call: Call) -> None:
        self.saying = ""
        did = {"thought": move.thought, "action": call.action, "argument": call.argument}
        self._runs.emit(self._run, "act", number=number + self._lost, **did)

    async def stepped(self, number: int, step: Step) -> None:
        self._run.steps.append(f"{step.action}[{step.argument[:200]}] gave {step.observation[:200]}")
        self._runs.emit(
            self._run,
            "step",
            number=number + self._lost,
            thought=step.move.thought,
            action=step.action,
            argument=step.argument,
            arguments=dict(step.call.arguments),
            observation=step.observation,
            failed=step.failed,
            seconds=round(step.seconds, 3),
            tokens=step.move.tokens,
            sources=list(step.sources),
            depends=dict(step.depends),
            **_found(step),
        )
        if step.move.first and not step.failed:
            self._runs.emit(self._run, "delta", by=FIRST, text=step.observation)

    async def checkpoint(self) -> tuple[str, ...]:
        await self._run.going.wait()
        self._move += 1
        self._run.heard = len(self._run.steering)
        return tuple(self._run.steering)


def _found(step: Step) -> dict[str, object]:
    """What a domain's tool found, changed and asks."""
    found = {"facts": dict(step.facts), "changes": list(step.changes), "asks": step.asks, "told": step.told}
    return {name: value for name, value in found.items() if value}
