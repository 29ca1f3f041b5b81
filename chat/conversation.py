"""One user turn, from the person's words to the final reply: the DUMA protocol (paper, section 2.4, figure 2).

said -> memory?  -> a verified note answers at once
     -> fast mind -> Invoke[False]: its response is the reply
                  -> Invoke[True]: its response is the interim reply, the slow mind works,
                     SlowMind[result] -> fast mind words the final reply -> memory
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256
from typing import Any

from langchain_core.tools import BaseTool

from chat.counter import Counters, Tools, all_moves, asked_as, joined, recallable
from chat.remembering import Remembering, notes
from chat.runs import Run, Runs
from chat.settings import Options
from chat.transcript import Transcript
from chat.wheel import Wheel
from memory.memory import Recall
from memory.verify import stands_alone
from minds.alone import follows_up, stand_alone
from minds.briefing import Briefing
from minds.dialogue import Answer, Dialogue, Episode, Event, Move, Step, Task
from minds.fast import FastMind, Opening
from minds.models.language import LanguageModel, Usage
from minds.requests import Read
from minds.slow import Limits, Workbench, think
from minds.steer import Wish
from minds.strategies import open_strategy
from minds.strategies.crutches import READERS
from minds.strategies.steps import step_messages
from prompts import render
from tools import open_tools
from tools.desk import Desk, Remembered
from tools.documents import speaks_of
from tools.domains import Plan


@dataclass(frozen=True)
class Minds:
    """The two minds of one conversation."""

    fast: FastMind
    slow: LanguageModel


@dataclass(frozen=True)
class Swaps:
    """What minds and tools are passed through before each use: an evaluation breaks or counts them here."""

    minds: Callable[[Minds], Minds] = lambda minds: minds
    tools: Callable[[Tools], Tools] = dict


@dataclass(frozen=True)
class Parts:
    """What the conversation is wired to."""

    transcript: Transcript
    remembering: Remembering
    minds: Callable[[Options], Minds]
    """Raises ModelFault where a spec cannot be opened."""
    embed: Callable[[Sequence[str]], Any]
    now: Callable[[], datetime]
    limits: Limits
    requests: Callable[[str, Dialogue], Read]
    """Reads a wish for a task in a world: minds/requests."""
    counters: Counters
    """The desks of domains."""


class Conversation:
    """Answers turns; everything it does becomes an event of the run."""

    def __init__(self, parts: Parts, runs: Runs, wheel: Wheel) -> None:
        self._parts, self._runs, self._wheel = parts, runs, wheel

    async def answer(self, run: Run, others: list[Run], word: Wish) -> None:
        """Raises ModelFault and whatever else fails; the run turns it into an error event."""
        turn = run.turn
        if word != "talk":
            self._obeyed(run, others, word)
            return
        options = self._parts.transcript.options(turn.session)
        dialogue = self._parts.transcript.dialogue(turn.session, before=turn.number)
        before = self._parts.transcript.turn_events(turn.session, turn.number)
        minds = self._parts.minds(options)
        if await self._wheel.resume(run, options, dialogue, minds, before):
            return
        briefing = await self._briefed(run, options, dialogue, minds)
        if interim := _interim_of(before):  # an interrupted slow run is taken up again
            await self._think(run, options, dialogue, minds, interim, _steps_of(before), briefing)
        elif options.minds == "slow":
            await self._think(run, options, dialogue, minds, "", (), briefing)
        elif briefing or not await self._wheel.answer(run, others, options, dialogue, minds):
            await self._answer_fast(run, others, options, dialogue, minds, briefing)

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

    async def _briefed(self, run: Run, options: Options, dialogue: Dialogue, minds: Minds) -> Briefing | None:
        """Of the conversation's domain, with the plan of this turn where a mind is small."""
        if not options.domain:
            return None
        small = not (minds.fast.model.abilities.strong and minds.slow.abilities.strong)
        desk = self._desk(run, dialogue, options.domain)
        return await asyncio.to_thread(self._parts.counters.briefing, options.domain, desk, planned=small)

    async def _answer_fast(
        self,
        run: Run,
        others: list[Run],
        options: Options,
        dialogue: Dialogue,
        minds: Minds,
        briefing: Briefing | None = None,
    ) -> None:
        """Memory and fast mind start together; a verified note wins."""
        said, began, usage = run.turn.said, time.monotonic(), Usage()
        slow_now = [r for r in others if r.phase != "fast"]
        # A small model parrots what it is told about the run; asked for it, it is told the person as it stands.
        situation = slow_now[0].situation() if slow_now and minds.fast.model.abilities.strong else ""
        opening_task = asyncio.create_task(minds.fast.open(dialogue, said, situation, usage, briefing))
        try:
            asked = _asks_memory(said, briefing) if options.memory and not run.fresh else ""
            if asked and (hit := await self._recall(run, dialogue, asked, options.domain, briefing)):
                await self._from_memory(run, hit, began, options, dialogue, briefing)
                await _dropped(opening_task)
                return
            opening = await opening_task
            if options.minds == "fast":
                opening = replace(opening, decision=replace(opening.decision, invoke=False, by="alone"))
            elif not briefing:
                opening = await self._reconsidered(run, dialogue, minds, opening)
        finally:
            opening_task.cancel()
        invoke = opening.decision.invoke
        text = await self._stream(run, minds.fast.respond(opening, said, usage), final=not invoke)
        reply: dict[str, object] = {
            "by": "fast",
            "text": text,
            "invoke": invoke,
            "final": not invoke,
            "p": round(opening.decision.p, 3),
            **_cost(began, usage),
        }
        if invoke:
            self._runs.emit(run, "reply", **reply)
            await self._think(run, options, dialogue, minds, text, (), briefing)
        else:
            reply |= {"moves": list(briefing.plan.moves)} if briefing else {}
            self._close(run, dialogue, reply, options)

    async def _reconsidered(self, run: Run, dialogue: Dialogue, minds: Minds, opening: Opening) -> Opening:
        """What the gate cannot know: what the uploaded documents speak of, and what a tool makes of a follow-up."""
        decision = opening.decision
        if decision.invoke or decision.by == "told" or minds.fast.model.abilities.strong:
            return opening
        by = await asyncio.to_thread(self._needed, run, dialogue)
        return replace(opening, decision=replace(decision, invoke=True, by=by)) if by else opening

    def _needed(self, run: Run, dialogue: Dialogue) -> str:
        chunks = self._parts.transcript.chunks(run.turn.session)
        if chunks and speaks_of(run.turn.said, chunks, self._parts.embed):
            return "documents"
        if any(turn.speaker == "slow" for turn in dialogue.turns[-3:]):
            tools = open_tools(self._desk(run, dialogue), READERS)
            return "follow-up" if follows_up(run.turn.said, dialogue, tools) else ""
        return ""

    async def _think(
        self,
        run: Run,
        options: Options,
        dialogue: Dialogue,
        minds: Minds,
        interim: str,
        done: tuple[Step, ...],
        briefing: Briefing | None = None,
    ) -> None:
        """The slow mind's part of the turn; one slow run a session at a time, the next waits."""
        run.phase, run.question = "queued", run.turn.said
        lock = self._runs.slow_lock(run.turn.session)
        if lock.locked():
            self._runs.emit(run, "run", state="queued")
        async with lock:
            run.phase = "slow"
            began, usage = time.monotonic(), Usage()
            desk = self._desk(run, dialogue, options.domain)
            tools = await asyncio.to_thread(self._parts.counters.tools, options.domain, desk)
            question = run.turn.said
            if not briefing:  # a domain reads the turn in the dialogue itself
                question = await self._question(run.turn.said, dialogue, minds.slow, tools, usage)
            run.question = question
            asks_memory = options.memory and not run.fresh and question != run.turn.said
            if asks_memory and (hit := await self._recall(run, dialogue, question)):
                await self._from_memory(run, hit, began, options, dialogue, briefing)
                return
            self._runs.emit(run, "run", state="started", question=question, resumed=len(done))
            bench = Workbench(minds.slow, tools, options.temperature, self._at_hand(run), briefing)
            strategy = open_strategy(options.strategy, bench)
            task = Task(question, run.turn.said, dialogue)
            answer = await think(task, strategy, tools, _Narrator(run, self._runs), self._parts.limits, done)
            self._runs.emit(run, "run", state="finished", solved=answer.solved, why=answer.why, result=answer.text)
            await self._word(run, options, dialogue, minds, interim, answer, began, usage, briefing)

    async def _word(
        self,
        run: Run,
        options: Options,
        dialogue: Dialogue,
        minds: Minds,
        interim: str,
        answer: Answer,
        began: float,
        usage: Usage,
        briefing: Briefing | None = None,
    ) -> None:
        """The fast mind words the result; what it may not change is checked before it is shown."""
        behind = Plan()
        if options.minds == "slow":
            text, fault = answer.text, ""
        elif answer.solved:
            text, fault = await minds.fast.word(dialogue, run.turn.said, interim, answer.text, usage, briefing)
        else:
            text, fault = answer.text if briefing else honest(answer, minds.slow), "not solved"
        if briefing is None:
            text = with_sources(text, answer.sources)
        elif briefing.plan.calls:
            desk = self._desk(run, dialogue, options.domain)
            behind = await asyncio.to_thread(self._parts.counters.behind, options.domain, desk, answer)
        steps_tokens = sum(step.move.tokens for step in answer.episode.steps)
        reply: dict[str, object] = {
            "by": "slow",
            "text": joined(text, behind.add),
            "invoke": False,
            "final": True,
            "slow": answer.text,
            "solved": answer.solved,
            "sources": list(answer.sources),
            **_cost(began, usage, steps_tokens),
        }
        if fault and answer.solved:
            reply["note"] = f"The result itself is shown: the fast mind's wording {fault}."
        if briefing:
            reply["moves"] = all_moves(briefing.plan, behind)
            call = recallable(briefing.plan)
            if answer.solved and not run.steering and call and answer.episode.steps[-1].move.action == call.tool:
                context = self._parts.counters.context(options.domain, run.turn.session, call)
                kept = {name: context[name] for name in ("domain", "call", "listings")}
                reply["remember"] = {"question": asked_as(call), "depends": answer.depends | kept, "answer": text}
        elif answer.solved and not run.steering and stands_alone(run.question):
            reply["remember"] = {"question": run.question, "depends": answer.depends}
        self._close(run, dialogue, reply, options)

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

    async def _question(
        self, said: str, dialogue: Dialogue, model: LanguageModel, tools: Mapping[str, BaseTool], usage: Usage
    ) -> str:
        """The question made to stand alone: what it takes from the dialogue is put in."""
        if not dialogue.turns or stands_alone(said):
            return said
        return await stand_alone(said, dialogue, model, tools, usage)

    async def _recall(
        self, run: Run, dialogue: Dialogue, question: str, domain: str = "", briefing: Briefing | None = None
    ) -> Recall | None:
        context = self._context(run, dialogue)
        if briefing:
            call = recallable(briefing.plan)
            context |= await asyncio.to_thread(self._parts.counters.context, domain, run.turn.session, call)
        found = await self._parts.remembering.recall(dialogue.user, question, context)
        return next((recall for recall in found if recall.verified), None)

    def _context(self, run: Run, dialogue: Dialogue) -> dict[str, str]:
        """Where a question is asked: what the notes' `depends` are held against."""
        return {
            "date": self._parts.now().date().isoformat(),
            "session": run.turn.session,
            "documents": self._digest(run.turn.session),
        }

    def _digest(self, session: str) -> str:
        documents = self._parts.transcript.documents(session)
        return sha256("".join(sorted(d.digest for d in documents)).encode()).hexdigest() if documents else ""

    def _desk(self, run: Run, dialogue: Dialogue, domain: str = "") -> Desk:
        session, transcript = run.turn.session, self._parts.transcript

        def recall(text: str) -> list[Remembered]:
            found = self._parts.remembering.search(dialogue.user, session, text)
            # What was told answers; what was asked before mostly repeats the question.
            found = sorted(found, key=lambda r: r.note.question.rstrip().endswith("?"))
            return [Remembered(r.note.question, r.note.answer, r.note.at) for r in found]

        desk = Desk(
            session,
            self._parts.now(),
            transcript.chunks(session),
            self._digest(session),
            recall,
            self._parts.embed,
        )
        return self._parts.counters.at_desk(desk, run.turn.said, run.turn.number) if domain else desk

    def _at_hand(self, run: Run) -> str:
        names = [document.name for document in self._parts.transcript.documents(run.turn.session)]
        return f" (documents: {', '.join(names[:5])})" if names else ""

    async def _from_memory(
        self, run: Run, hit: Recall, began: float, options: Options, dialogue: Dialogue, briefing: Briefing | None
    ) -> None:
        more: dict[str, object] = {}
        behind = Plan()
        if briefing and briefing.plan.calls:
            desk = self._desk(run, dialogue, options.domain)
            behind = await asyncio.to_thread(
                self._parts.counters.remembered, options.domain, desk, briefing.plan.calls[0]
            )
            more = {"moves": all_moves(briefing.plan, behind)}
        self._runs.emit(
            run,
            "reply",
            by="memory",
            text=joined(hit.note.answer, behind.add),
            invoke=False,
            final=True,
            question=hit.note.question,
            similarity=round(hit.similarity, 3),
            **more,
            **_cost(began, Usage()),
        )

    def _close(self, run: Run, dialogue: Dialogue, reply: Mapping[str, object], options: Options) -> None:
        """The final reply, then the notes behind it."""
        event = self._runs.emit(run, "reply", **reply, **({} if options.memory else {"off_record": True}))
        kept = notes(run.turn.session, run.turn.number, run.turn.said, event.data, event.at)
        self._parts.remembering.remember(dialogue.user, kept)

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


class _Narrator:
    """The slow loop's listener: every step becomes an event before the loop goes on."""

    def __init__(self, run: Run, runs: Runs) -> None:
        self._run, self._runs = run, runs

    async def acting(self, number: int, move: Move) -> None:
        self._runs.emit(
            self._run, "act", number=number, thought=move.thought, action=move.action, argument=move.argument
        )

    async def stepped(self, number: int, step: Step) -> None:
        self._run.steps.append(f"{step.move.action}[{step.move.argument}] gave {step.observation[:120]}")
        self._runs.emit(
            self._run,
            "step",
            number=number,
            thought=step.move.thought,
            action=step.move.action,
            argument=step.move.argument,
            observation=step.observation,
            failed=step.failed,
            seconds=round(step.seconds, 3),
            tokens=step.move.tokens,
            sources=list(step.sources),
            depends=dict(step.depends),
            **_found(step),
        )

    async def checkpoint(self) -> tuple[str, ...]:
        await self._run.going.wait()
        return tuple(self._run.steering)


def honest(answer: Answer, model: LanguageModel) -> str:
    """What is said of a task that was not solved, with the setting that helps where the model is small."""
    hint = "" if model.abilities.strong else " " + render("slow/hint", spec=model.spec)
    return f"{answer.text}{hint}"


def with_sources(text: str, sources: Sequence[str]) -> str:
    """The reply quotes where it comes from, whether or not the fast mind kept it."""
    missing = [source for source in sources if source.lower() not in text.lower()]
    return f"{text} [{'; '.join(missing[:2])}]" if missing and len(missing) == len(sources) else text


def _interim_of(events: Sequence[Event]) -> str:
    replies = [str(e.data["text"]) for e in events if e.kind == "reply" and not e.data.get("final")]
    return replies[-1] if replies else ""


def _steps_of(events: Sequence[Event]) -> tuple[Step, ...]:
    """The steps of an interrupted run, to go on from."""
    return tuple(_step(event.data) for event in events if event.kind == "step")


def _found(step: Step) -> dict[str, object]:
    """What a domain's tool found, changed and asks."""
    found = {"facts": dict(step.facts), "changes": list(step.changes), "asks": step.asks, "told": step.told}
    return {name: value for name, value in found.items() if value}


def _asks_memory(said: str, briefing: Briefing | None) -> str:
    """What the memory is asked; empty where it cannot have the answer."""
    if briefing and briefing.plan.calls:
        return asked_as(call) if (call := recallable(briefing.plan)) else ""
    return said if stands_alone(said) and not (briefing and (briefing.plan.reply or briefing.plan.add)) else ""


def _step(data: Mapping[str, Any]) -> Step:
    move = Move(data["thought"], data["action"], data["argument"], tokens=int(data["tokens"]))
    return Step(
        move,
        data["observation"],
        float(data["seconds"]),
        bool(data["failed"]),
        tuple(data.get("sources", ())),
        data.get("depends", {}),
        facts=data.get("facts", {}),
        changes=tuple(data.get("changes", ())),
        asks=data.get("asks", ""),
        told=data.get("told", ""),
    )


def _cost(began: float, usage: Usage, more_tokens: int = 0) -> dict[str, object]:
    tokens = usage.read + usage.written + more_tokens
    return {"seconds": round(time.monotonic() - began, 3), "tokens": tokens}


async def _dropped(opening: asyncio.Task[Opening]) -> None:
    """The fast mind's answer is not needed; its model is told so, and what failed there is nobody's concern."""
    opening.cancel()
    with suppress(asyncio.CancelledError, Exception):
        if isinstance(rest := (await opening).rest, AsyncGenerator):
            await rest.aclose()
