"""One user turn, from the person's words to the final reply: the DUMA protocol (paper, section 2.4, figure 2).

said -> memory?  -> a verified note answers at once
     -> fast mind -> Invoke[False]: its response is the reply
                  -> Invoke[True]: its response is the interim reply, the slow mind works (chat/thinking.py),
                     SlowMind[result] -> fast mind words the final reply -> memory
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import suppress
from dataclasses import replace

from chat.context import Context
from chat.counter import recallable
from chat.parts import Asked, Minds, Parts
from chat.replying import Replying, cost
from chat.runs import Run, Runs
from chat.thinking import Thinking, interim_of, steps_of
from chat.wheel import Wheel
from memory.memory import Recall
from memory.verify import stands_alone
from minds.alone import follows_up
from minds.briefing import Briefing
from minds.dialogue import Dialogue, Episode, Task
from minds.fast import Opening
from minds.models.language import Usage
from minds.steer import Wish
from minds.strategies.crutches import READERS
from minds.strategies.steps import step_messages
from prompts import render
from tools import open_tools
from tools.desk import Desk
from tools.documents import speaks_of
from tools.domains import Plan


class Conversation:
    """Answers turns; everything it does becomes an event of the run."""

    def __init__(self, parts: Parts, runs: Runs, wheel: Wheel) -> None:
        self._parts, self._runs, self._wheel = parts, runs, wheel
        self._context = Context(parts)
        self._replying = Replying(parts, runs, self._context)
        self._thinking = Thinking(parts, runs, self._context, self._replying)

    async def answer(self, run: Run, others: list[Run], word: Wish) -> None:
        """Raises ModelFault and whatever else fails; the run turns it into an error event."""
        turn, transcript = run.turn, self._parts.transcript
        if word != "talk":
            self._obeyed(run, others, word)
            return
        options = transcript.options(turn.session)
        dialogue = transcript.dialogue(turn.session, before=turn.number)
        before = transcript.turn_events(turn.session, turn.number)
        asked = Asked(run, others, options, dialogue, self._parts.minds(options))
        if await self._wheel.resume(asked, before):
            return
        asked = replace(asked, briefing=await self._briefed(asked))
        if interim := interim_of(before):  # an interrupted slow run is taken up again
            await self._thinking.think(asked, interim, steps_of(before))
        elif options.minds == "slow":
            await self._thinking.think(asked, "")
        elif asked.briefing or not await self._wheel.answer(asked):
            await self._answer_fast(asked)

    async def forget(self, session: str) -> None:
        """Ends the worlds of a session that is deleted."""
        await self._wheel.close(session)

    async def warm(self, minds: Minds, domain: str = "", *, fast: bool = False) -> None:
        """Loads a model and the constant part of its context."""
        said, desk = "hello", Desk("", self._parts.now())
        briefing = await asyncio.to_thread(self._parts.counters.briefing, domain, desk) if domain else None
        if fast:
            await minds.fast.warm(briefing)
            return
        tools = await asyncio.to_thread(self._parts.counters.tools, domain, desk)
        task = Task(said, said, Dialogue("", ""))
        await minds.slow.warm(step_messages(Episode(task), tools, briefing=briefing))

    async def _briefed(self, asked: Asked) -> Briefing | None:
        """Of the conversation's domain, with the plan of this turn where a mind is small."""
        domain = asked.options.domain
        if not domain:
            return None
        small = not (asked.minds.fast.model.abilities.strong and asked.minds.slow.abilities.strong)
        desk = self._context.desk(asked, domain)
        return await asyncio.to_thread(self._parts.counters.briefing, domain, desk, planned=small)

    async def _answer_fast(self, asked: Asked) -> None:
        """Memory and fast mind start together; a verified note wins."""
        began, usage = time.monotonic(), Usage()
        fast, briefing = asked.minds.fast, asked.briefing
        opening_task = asyncio.create_task(fast.open(asked.dialogue, asked.said, _situation(asked), usage, briefing))
        try:
            if asked.options.memory and not asked.run.fresh and (hit := await self._recalled(asked)):
                await self._replying.from_memory(asked, hit, began)
                await _dropped(opening_task)
                return
            opening = await self._decided(asked, await opening_task)
        finally:
            opening_task.cancel()
        invoke = opening.decision.invoke
        text = await self._stream(asked.run, fast.respond(opening, asked.said, usage), final=not invoke)
        reply: dict[str, object] = {
            "by": "fast",
            "text": text,
            "invoke": invoke,
            "final": not invoke,
            "p": round(opening.decision.p, 3),
            **cost(began, usage),
        }
        if invoke:
            self._runs.emit(asked.run, "reply", **reply)
            await self._thinking.think(asked, text)
        else:
            reply |= {"moves": list(briefing.plan.moves)} if briefing else {}
            self._replying.close(asked, reply)

    async def _recalled(self, asked: Asked) -> Recall | None:
        """What the memory has for this turn: of a planned call the same call, else the same question."""
        plan = asked.briefing.plan if asked.briefing else Plan()
        if plan.calls:
            return await self._context.called(asked, call) if (call := recallable(plan)) else None
        alone = stands_alone(asked.said) and not (plan.reply or plan.add)
        return await self._context.recall(asked, asked.said) if alone else None

    async def _decided(self, asked: Asked, opening: Opening) -> Opening:
        """Whether to invoke, with what the gate cannot know: what documents speak of, what follows up a result."""
        decision = opening.decision
        if asked.options.minds == "fast":
            return replace(opening, decision=replace(decision, invoke=False, by="alone"))
        if asked.briefing or decision.invoke or decision.by == "told" or asked.minds.fast.model.abilities.strong:
            return opening
        by = await asyncio.to_thread(self._needed, asked)
        return replace(opening, decision=replace(decision, invoke=True, by=by)) if by else opening

    def _needed(self, asked: Asked) -> str:
        chunks = self._parts.transcript.chunks(asked.session)
        if chunks and speaks_of(asked.said, chunks, self._parts.embed):
            return "documents"
        if any(turn.speaker == "slow" for turn in asked.dialogue.turns[-3:]):
            tools = open_tools(self._context.desk(asked), READERS)
            return "follow-up" if follows_up(asked.said, asked.dialogue, tools) else ""
        return ""

    async def _stream(self, run: Run, pieces: AsyncIterator[str], *, final: bool) -> str:
        """Emits the pieces as deltas; what was said before a stop stays as the reply."""
        text = ""
        try:
            async for piece in pieces:
                text += piece
                self._runs.emit(run, "delta", by="fast", text=piece)
        except asyncio.CancelledError as cancelled:
            # What the end of the server interrupts is answered anew.
            if text.strip() and cancelled.args != ("interrupted",):
                with suppress(Exception):  # the turn may have been deleted meanwhile; the stop itself must go on
                    self._runs.emit(run, "reply", by="fast", text=text.strip(), invoke=False, final=final, stopped=True)
            raise
        return text.strip() or render("fast/speechless")

    def _obeyed(self, run: Run, others: list[Run], word: Wish) -> None:
        """A word to the run under way: passed on, and acknowledged."""
        slow = [r for r in others if r.phase != "fast"]
        if word == "steer":
            for other in slow:
                other.steering.append(run.turn.said)
                self._runs.emit(other, "run", state="steered", text=run.turn.said)
        state = slow[0].situation() if slow else ""
        text = render(f"fast/said_{word}", state=state) if slow or word == "stop" else render("fast/said_nothing")
        self._runs.emit(run, "reply", by="fast", text=text, invoke=False, final=True, off_record=True)


def _situation(asked: Asked) -> str:
    """The slow run under way. A small model parrots it; asked for it, it is told the person as it stands."""
    slow_now = [r for r in asked.others if r.phase != "fast"]
    return slow_now[0].situation() if slow_now and asked.minds.fast.model.abilities.strong else ""


async def _dropped(opening: asyncio.Task[Opening]) -> None:
    """The fast mind's answer is not needed; its model is told so, and what failed there is nobody's concern."""
    opening.cancel()
    with suppress(asyncio.CancelledError, Exception):
        if isinstance(rest := (await opening).rest, AsyncGenerator):
            await rest.aclose()
