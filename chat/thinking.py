"""The slow mind's part of a turn (DUMA, section 2.3): queued, resumed, followed step by step, worded, kept."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.tools import BaseTool

from chat.context import Context
from chat.counter import all_moves, asked_as, joined, recallable
from chat.parts import Asked, Parts
from chat.replying import Replying, cost
from chat.runs import Run, Runs
from memory.verify import stands_alone
from minds.alone import stand_alone
from minds.dialogue import Answer, Event, Move, Step, Task
from minds.models.language import LanguageModel, Usage
from minds.slow import Workbench, think
from minds.strategies import open_strategy
from prompts import render
from tools.domains import Plan


class Thinking:
    """Runs the slow mind for a turn and hands its result back to the fast mind."""

    def __init__(self, parts: Parts, runs: Runs, context: Context, replying: Replying) -> None:
        self._parts, self._runs, self._context, self._replying = parts, runs, context, replying

    async def think(self, asked: Asked, interim: str, done: tuple[Step, ...] = ()) -> None:
        """One slow run a session at a time, the next waits. `done`: steps of an interrupted run, to go on from."""
        run = asked.run
        run.phase, run.question = "queued", asked.said
        lock = self._runs.slow_lock(asked.session)
        if lock.locked():
            self._runs.emit(run, "run", state="queued")
        async with lock:
            run.phase = "slow"
            began, usage = time.monotonic(), Usage()
            desk = self._context.desk(asked, asked.options.domain)
            tools = await asyncio.to_thread(self._parts.counters.tools, asked.options.domain, desk)
            run.question = question = await self._question(asked, tools, usage)
            asks_memory = asked.options.memory and not run.fresh and question != asked.said
            if asks_memory and (hit := await self._context.recall(asked, question)):
                await self._replying.from_memory(asked, hit, began)
                return
            answer = await self._run(asked, question, tools, done)
            await self._word(asked, interim, answer, began, usage)

    async def _run(self, asked: Asked, question: str, tools: Mapping[str, BaseTool], done: tuple[Step, ...]) -> Answer:
        run, minds, options = asked.run, asked.minds, asked.options
        self._runs.emit(run, "run", state="started", question=question, resumed=len(done))
        at_hand = self._context.documents(asked.session)
        bench = Workbench(minds.slow, tools, options.temperature, at_hand, asked.briefing)
        strategy = open_strategy(options.strategy, bench)
        task = Task(question, asked.said, asked.dialogue)
        answer = await think(task, strategy, tools, Narrator(run, self._runs), self._parts.limits, done)
        self._runs.emit(run, "run", state="finished", solved=answer.solved, why=answer.why, result=answer.text)
        return answer

    async def _question(self, asked: Asked, tools: Mapping[str, BaseTool], usage: Usage) -> str:
        """The question made to stand alone: what it takes from the dialogue is put in."""
        if asked.briefing or not asked.dialogue.turns or stands_alone(asked.said):
            return asked.said  # a domain reads the turn in the dialogue itself
        return await stand_alone(asked.said, asked.dialogue, asked.minds.slow, tools, usage)

    async def _word(self, asked: Asked, interim: str, answer: Answer, began: float, usage: Usage) -> None:
        """The fast mind words the result; what it may not change is checked before it is shown."""
        text, fault = await self._worded(asked, interim, answer, usage)
        behind = Plan()
        if asked.briefing and asked.briefing.plan.calls:
            domain = asked.options.domain
            desk = self._context.desk(asked, domain)
            behind = await asyncio.to_thread(self._parts.counters.behind, domain, desk, answer)
        reply: dict[str, object] = {
            "by": "slow",
            "text": joined(text, behind.add),
            "invoke": False,
            "final": True,
            "slow": answer.text,
            "solved": answer.solved,
            "sources": list(answer.sources),
            **cost(began, usage, answer.tokens),
        }
        if fault and answer.solved:
            reply["note"] = f"The result itself is shown: the fast mind's wording {fault}."
        if asked.briefing:
            reply["moves"] = all_moves(asked.briefing.plan, behind)
        if answer.solved and not asked.run.steering and (kept := self._kept(asked, answer, text)):
            reply["remember"] = kept
        self._replying.close(asked, reply)

    async def _worded(self, asked: Asked, interim: str, answer: Answer, usage: Usage) -> tuple[str, str]:
        """The reply, and what was wrong with the fast mind's wording where the result itself is shown."""
        minds, briefing = asked.minds, asked.briefing
        if asked.options.minds == "slow":
            text, fault = answer.text, ""
        elif answer.solved:
            text, fault = await minds.fast.word(asked.dialogue, asked.said, interim, answer.text, usage, briefing)
        else:
            text, fault = answer.text if briefing else honest(answer, minds.slow), "not solved"
        return (text if briefing else with_sources(text, answer.sources)), fault

    def _kept(self, asked: Asked, answer: Answer, text: str) -> dict[str, object]:
        """The question that the memory keeps the answer under, with what it depends on; empty where it does not."""
        if not asked.briefing:
            question = asked.run.question
            return {"question": question, "depends": answer.depends} if stands_alone(question) else {}
        call = recallable(asked.briefing.plan)
        if not call or answer.episode.steps[-1].move.action != call.tool:
            return {}
        context = self._parts.counters.context(asked.options.domain, asked.session, call)
        depends = answer.depends | {name: context[name] for name in ("domain", "call", "listings")}
        return {"question": asked_as(call), "depends": depends, "answer": text}


class Narrator:
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


def interim_of(events: Sequence[Event]) -> str:
    """What the fast mind said before an interrupted slow run; empty where there was none."""
    replies = [str(e.data["text"]) for e in events if e.kind == "reply" and not e.data.get("final")]
    return replies[-1] if replies else ""


def steps_of(events: Sequence[Event]) -> tuple[Step, ...]:
    """The steps of an interrupted run, to go on from."""
    return tuple(_step(event.data) for event in events if event.kind == "step")


def honest(answer: Answer, model: LanguageModel) -> str:
    """What is said of a task that was not solved, with the setting that helps where the model is small."""
    hint = "" if model.abilities.strong else " " + render("slow/hint", spec=model.spec)
    return f"{answer.text}{hint}"


def with_sources(text: str, sources: Sequence[str]) -> str:
    """The reply quotes where it comes from, whether or not the fast mind kept it."""
    missing = [source for source in sources if source.lower() not in text.lower()]
    return f"{text} [{'; '.join(missing[:2])}]" if missing and len(missing) == len(sources) else text


def _found(step: Step) -> dict[str, object]:
    """What a domain's tool found, changed and asks."""
    found = {"facts": dict(step.facts), "changes": list(step.changes), "asks": step.asks, "told": step.told}
    return {name: value for name, value in found.items() if value}


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
