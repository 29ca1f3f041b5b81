"""One user turn, from the person's words to the final reply: the DUMA protocol (paper, section 2.4, figure 2).

said -> a literal action or command of an open world: acted at once, no model
     -> nothing but an expression (387*46): one step of the slow mind, no model
     -> a wish about what is kept, where the minds are small: the memory tool's call (chat/one_call.py)
     -> memory?  -> a verified note answers
     -> the fast mind hears -> it answers: its words are the reply
                            -> it invokes: its words are the interim reply, the slow mind works on the request
                               (chat/slow_run.py), SlowMind[result] -> fast mind words the final reply -> memory
                            -> a word to the run under way: passed on
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from chat.faults import ChatFault
from chat.idle import AfterTurn, Idle
from chat.one_call import OneCall
from chat.remembering import Heard
from chat.replying import Replying
from chat.runs import Run, Runs
from chat.services import Minds, Services, TurnRequest
from chat.settings import Options
from chat.slow_run import SlowRuns, off_record
from chat.tables import pictures_of
from chat.turn_context import Contexts
from chat.uploads import unseen
from chat.worlds.instant import Instant
from chat.worlds.worlds import Worlds
from memory.memory import IMPORTED
from minds.dialogue import Event, Reply, Turn, question_of
from minds.grounds import resting
from minds.languages import name, newest
from minds.models import Role
from minds.models.language import metered
from prompts import spoken
from tools.desk import Desk, ToolFault
from tools.python import execute

RERUNS = 2
"""Programs that people run again at the same time: the sandbox has room for turns beside them."""


class Conversation:
    """Answers turns; everything it does becomes an event of the run."""

    def __init__(self, services: Services, runs: Runs, worlds: Worlds) -> None:
        self._services, self._runs, self._worlds = services, runs, worlds
        self.idle = Idle()
        """What waits until nobody speaks."""
        self._after = AfterTurn(services)
        self._contexts = Contexts(services, worlds)
        self._replying = Replying(services, runs)
        self._slow_runs = SlowRuns(services, runs, self._contexts, self._replying, worlds)
        self._reruns = asyncio.Semaphore(RERUNS)
        self._one_call = OneCall(services, runs, self._contexts, self._replying)

    async def answer(self, run: Run, others: list[Run]) -> None:
        """Raises ModelFault and whatever else fails; the run turns it into an error event."""
        user = self._services.transcript.session(run.turn.session).user
        self.idle.give_way()
        try:
            with metered(lambda words, **values: self._runs.try_emit(run, "status", text=words, **values)):
                try:
                    await self._answer(run, others)
                finally:
                    run.cost = self._services.prices.spent()
            await self._to_read(run, user)
        except Exception:
            run.remembers = run.remembers and not self._off_record(run)
            await self._to_read(run, user)
            raise
        finally:
            self.idle.go_on(partial(self._after.facts, user), partial(self._after.title, run.turn.session))

    async def _to_read(self, run: Run, user: str) -> None:
        """What the person told in it is read for facts later, also where nobody could answer."""
        if run.told_at and not self._off_record(run):
            session, turn = run.turn.session, run.turn.number
            await asyncio.to_thread(self._services.remembering.to_read, user, session, turn, run.told_at)

    async def _answer(self, run: Run, others: list[Run]) -> None:
        before = self._services.transcript.turn_events(run.turn.session, run.turn.number)
        asked, taken_up = await self._asked(run, others, before), interrupted(before)
        in_worlds = asked.said.lstrip().startswith("/") or self._worlds.records(asked.session)
        if in_worlds and await Instant(self._worlds, asked).answer(before):
            return
        if not asked.pictures and not taken_up and (program := await self._one_call.program(asked)):
            await self._one_call.run(asked, program)
            return
        heard = await self._read(asked)
        run.told_at = self._services.now().timestamp() if heard.tells else None
        asked = await self._ready(asked, before)
        if not taken_up and await self._one_call.fulfil(asked, heard.scope):
            return
        asked = await self._contexts.fill(await self._briefed(asked), heard.scope)
        await self._think(asked, taken_up, before)

    async def _asked(self, run: Run, others: list[Run], before: Sequence[Event]) -> TurnRequest:
        """The turn as it was said, by the conversation's options. Raises ModelFault."""
        options = await self._options(run.turn.session, before)
        run.remembers = options.memory
        dialogue = self._services.transcript.dialogue(run.turn.session, before=run.turn.number)
        shown = pictures_of(before[0].data) if before else ()
        minds = self._services.minds(options)
        return TurnRequest(run, others, options, dialogue, minds, pictures=shown)

    async def _read(self, asked: TurnRequest) -> Heard:
        """What the turn is to the memory, where it may be kept."""
        if not asked.options.memory or asked.options.domain:
            return Heard("", False)
        question = question_of(asked.dialogue.last[1])
        told, closely = self._services.remembering.told, asked.minds.slow.abilities.strong
        return await asyncio.to_thread(told, asked.dialogue.user, asked.said, question, closely=closely)

    async def _think(self, asked: TurnRequest, taken_up: Turn | None, before: Sequence[Event]) -> None:
        """The slow mind goes on or is asked alone, or the memory answers, or the fast mind hears."""
        if asked.options.minds == "slow" or (asked.pictures and asked.seeing == ("slow",)):
            taken_up = taken_up or Turn("fast", "", invoke=True, request=asked.said)
        if taken_up:
            await self._slow_runs.think(asked, taken_up, before)
        elif not await self._from_memory(asked):
            await self._hear(asked)

    def _off_record(self, run: Run) -> bool:
        """By its reply, or as a wish about the memory that was not replied to."""
        events = self._services.transcript.turn_events(run.turn.session, run.turn.number)
        steps = [event.data for event in events if event.kind == "step"]
        wished = any(off_record(step.get("action"), step.get("arguments")) for step in steps)
        return wished or any(event.kind == "reply" and event.data.get("off_record") for event in events)

    async def _ready(self, asked: TurnRequest, before: Sequence[Event]) -> TurnRequest:
        """With models that are here: what the person chose while the turn waited for them counts. Raises ChatFault
        where none of them sees what is shown."""
        services = self._services
        if services.ready:
            options = await services.ready(
                lambda: services.transcript.options_of(asked.session, before),
                lambda words: self._runs.emit(asked.run, "status", text=words),
            )
            options = replace(options, memory=asked.options.memory)
            asked = replace(asked, options=options, minds=services.minds(options))
        if asked.pictures and not asked.seeing:
            raise ChatFault(unseen(asked.options))
        return asked

    async def _options(self, session: str, of_turn: Sequence[Event]) -> Options:
        """The conversation's, without memory where the person wants none anywhere, and for a turn out of a file."""
        transcript = self._services.transcript
        options = transcript.options_of(session, of_turn)
        user = transcript.session(session).user
        imported = any(event.data.get(IMPORTED) for event in of_turn[:1])
        on = options.memory and not imported and not await asyncio.to_thread(self._services.remembering.off, user)
        return replace(options, memory=on)

    async def rerun(self, session: str, program: str) -> str:
        """What a program that the person changed prints; nothing is kept of it. Raises ToolFault."""
        transcript = self._services.transcript
        whose = None if (await self._options(session, ())).memory else session
        desk = self._contexts.bare_desk(session, transcript.session(session).user, whose)
        async with self._reruns:
            return (await asyncio.to_thread(execute, program, desk))[0]

    async def forget(self, session: str) -> None:
        """Ends the worlds of a session that is deleted, and what desks keep of the person."""
        await self._worlds.running.close(session)
        await asyncio.to_thread(self._services.counters.forget, session)

    async def warm(self, minds: Minds, domain: str, part: Role) -> None:
        """Loads a model and the constant part of its context."""
        desk = Desk("", self._services.now())
        briefing = await asyncio.to_thread(self._services.counters.briefing, domain, desk) if domain else None
        if part == "fast":
            strong = minds.fast.model.abilities.strong
            await minds.fast.briefed(briefing).warm(briefing.policy(strong=strong) if briefing else "")
        else:
            await self._slow_runs.warm(minds, domain, briefing)

    async def _briefed(self, asked: TurnRequest) -> TurnRequest:
        """At a domain's desk: with its briefing, and what the turn wants where a small fast mind reads it."""
        domain, options, fast = asked.options.domain, asked.options, asked.minds.fast
        if not domain:
            return asked
        desk = await asyncio.to_thread(self._contexts.desk, asked, domain)
        briefing = await asyncio.to_thread(self._services.counters.briefing, domain, desk)
        if options.minds != "slow" or options.strategy == "react":
            briefing = await fast.heard(briefing, asked.usage, alone=options.minds == "fast")
        return replace(asked, briefing=briefing, minds=replace(asked.minds, fast=fast.briefed(briefing)))

    async def _from_memory(self, asked: TurnRequest) -> bool:
        """Whether a verified note answered: where the turn was read as a call, one of the same call."""
        if not asked.options.memory or asked.run.fresh or asked.options.minds == "fast":
            return False
        if asked.briefing and asked.briefing.request:
            call = asked.briefing.recallable
            found = await self._contexts.called(asked, call) if call else None
        else:
            found = await self._contexts.recall(asked, asked.said)
        if found:
            await self._replying.from_memory(asked, *found)
        return found is not None

    async def _hear(self, asked: TurnRequest) -> None:
        """The fast mind's part."""
        reply = Reply(alone=asked.options.minds == "fast")
        pieces = asked.minds.fast.reply(asked.dialogue, asked.said, asked.context, reply, asked.usage)
        text = await self._replying.stream(asked.run, pieces)
        controls = list(reply.controls)
        if controls and controls[0][0] == "steer" and not any(run.hears for run in asked.slow_runs):
            # It comes too late for the run: a request of its own, which waits for what that found.
            words = controls.pop(0)[1] or asked.said
            reply.invoke, reply.request = True, reply.request or words
        invoked = reply.invoke and not reply.alone
        for number, control in enumerate(controls, 1):
            await self._tell(asked, *control, text, last=number == len(controls) and not invoked)
        if invoked:
            filled, text = not text, text or spoken("fast/interim", _language(asked, reply.request))
            more = {"invoke": True, "final": False, "request": reply.request} | ({"filled": True} if filled else {})
            self._replying.emit(asked, by="fast", text=text, p=reply.p, **more)
            await self._slow_runs.think(asked, Turn("fast", text, invoke=True, request=reply.request, filled=filled))
        elif not controls:
            text = text or spoken("fast/speechless", _language(asked))
            below = "fast/cannot" if reply.beyond else "fast/unsure" if reply.doubt else ""
            notes: dict[str, object] = {
                "note": below and spoken(below, name(asked.said)),
                "rests_on": [*reply.rests_on] if reply.recalled else resting(text, asked.said, asked.recalled),
                # What was told stands in the memory as it was told: beside it this would only echo.
                "recalled": reply.recalled,
            }
            more = {key: value for key, value in notes.items() if value}
            self._replying.close(asked, by="fast", text=text, answer=text, doubt=reply.doubt, p=reply.p, **more)

    async def _tell(self, asked: TurnRequest, kind: str, words: str, text: str, *, last: bool) -> None:
        """A word to the run under way: passed on, and acknowledged where the turn has nothing else to say (`last`)."""
        runs, session = asked.slow_runs, asked.session
        if kind == "steer":
            runs = [other for other in runs if other.hears]
            for other in runs:
                other.steering.append(words or asked.said)
                self._runs.emit(other, "run", state="steered", text=words or asked.said)
        elif kind == "pause":
            await self._runs.pause(session)
        elif kind == "resume":
            await self._runs.resume(session)
        else:
            await self._runs.halt(runs)
        if kind == "take over":
            try:
                text = await Instant(self._worlds, asked).take()
            except ToolFault as fault:
                text = str(fault)
        if not last:
            return
        state = runs[0].situation() if runs else ""
        told = text or spoken(f"fast/said_{kind.replace(' ', '_')}", name(asked.said), state=state)
        self._replying.emit(asked, by="fast", text=told, answer=told, doubt=False, off_record=True)


def _language(asked: TurnRequest, *more: str) -> str:
    """The person's; of short words that of `more`, or of their turns before."""
    before = [turn.text for turn in reversed(asked.dialogue.turns) if turn.speaker == "user"]
    return newest([asked.said, *more, *before])


def interrupted(events: Sequence[Event]) -> Turn | None:
    """What the fast mind said before an interrupted slow run, with the request; None where there was none."""
    replies = [e.data for e in events if e.kind == "reply" and not e.data.get("final")]
    if not replies:
        return None
    started = [e.data["question"] for e in events if e.kind == "run" and e.data.get("state") == "started"]
    request = replies[-1].get("request") or (started[-1] if started else events[0].data.get("text", ""))
    filled = bool(replies[-1].get("filled"))
    return Turn("fast", str(replies[-1]["text"]), invoke=True, request=str(request), filled=filled)
