"""The slow mind at the wheel: until the world ends, it gives up, a limit is reached or the person takes over."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from chat.episodes import Record, step_data
from chat.parts import Asked, Parts
from chat.runs import Run, Runs
from chat.stage import Live, Stage
from chat.telling import ending, short_goal, steps_of
from chat.world_log import WorldLog
from minds.dialogue import Answer, Step, Task
from minds.slow import Limits, Workbench, think
from minds.strategies import default_world_strategy, open_strategy


class Driving:
    """Drives; one slow run a session at a time, the next waits."""

    def __init__(self, parts: Parts, runs: Runs, log: WorldLog, stage: Stage, limits: Limits) -> None:
        self._parts, self._runs, self._log, self._stage, self._limits = parts, runs, log, stage, limits
        self._driven: dict[str, int] = {}
        """Session -> the episode that the slow mind drives in just now: nobody else may touch that world."""

    def holds(self, session: str, number: int) -> bool:
        """Whether the slow mind drives in this episode just now."""
        return self._driven.get(session) == number

    async def drive(self, asked: Asked, record: Record) -> None:
        """Acts from where the episode stands, and tells how it went. Raises ModelFault, WorldFault."""
        run, session = asked.run, asked.session
        if record.last.done:
            self._log.say(run, f"There is nothing left to do here. {ending(record)}", record)
            return
        self._log.turn_wheel(run, record, "slow")
        if not self._has_interim(run):
            self._log.say(run, f"I am on it: {short_goal(record)}.", record, invoke=True, final=False)
        run.phase, run.question = "queued", record.goal
        lock = self._runs.slow_lock(session)
        if lock.locked():
            self._runs.emit(run, "run", state="queued")
        async with lock, self._driving(session, record.number):
            run.phase = "slow"
            await self._go(asked, self._log.again(session, record))

    async def _go(self, asked: Asked, record: Record) -> None:
        began, name, done = time.monotonic(), _strategy(asked, record), steps_of(record)
        answer = await self._answer(asked, record, name, done)
        record = self._log.again(asked.session, record)
        self._log.say(
            asked.run,
            ending(record, answer, len(done), oracle=name == "oracle"),
            record,
            by="slow",
            solved=record.last.won,
            strategy=name,
            seconds=round(time.monotonic() - began, 3),
            tokens=answer.tokens,
        )

    async def _answer(self, asked: Asked, record: Record, name: str, done: tuple[Step, ...]) -> Answer:
        run, slow = asked.run, asked.minds.slow
        live = await self._stage.at(asked.session, record)
        self._runs.emit(run, "run", state="started", question=record.goal, resumed=0, strategy=name)
        bench = Workbench(slow, {}, asked.options.temperature, world=live, opening=record.opening.text)
        limits = Limits(len(done) + self._limits.steps, self._limits.tokens, self._limits.seconds)
        driver = Driver(run, self._runs, self._log, live, record.number)
        task = Task(record.goal, asked.said, asked.dialogue)
        answer = await think(task, open_strategy(name, bench), {}, driver, limits, done, live)
        self._runs.emit(run, "run", state="finished", solved=answer.solved, why=answer.why, result=answer.text)
        return answer

    @asynccontextmanager
    async def _driving(self, session: str, number: int) -> AsyncIterator[None]:
        self._driven[session] = number
        try:
            yield
        finally:
            del self._driven[session]

    def _has_interim(self, run: Run) -> bool:
        events = self._parts.transcript.turn_events(run.turn.session, run.turn.number)
        return any(event.kind == "reply" for event in events)


class Driver:
    """The slow loop's listener in a world: every step becomes an event before the loop goes on."""

    def __init__(self, run: Run, runs: Runs, log: WorldLog, live: Live, number: int) -> None:
        self._run, self._runs, self._log, self._live, self._number = run, runs, log, live, number

    async def acting(self, number: int, move: Any) -> None:
        self._runs.emit(self._run, "act", number=number, thought=move.thought, action=move.action, argument="")

    async def stepped(self, number: int, step: Step) -> None:
        assert step.seen is not None
        scene = await asyncio.to_thread(self._live.scene)
        self._run.steps.append(f"{step.move.action}: {step.observation[:120]}")
        self._log.step(
            self._run,
            number,
            step.move.action,
            thought=step.move.thought,
            observation=step.seen.text,
            failed=step.failed,
            seconds=round(step.seconds, 3),
            tokens=step.move.tokens,
            **step_data(self._number, step.seen, scene, "slow"),
            **({"reached": step.move.reached} if step.move.reached else {}),
        )

    async def checkpoint(self) -> tuple[str, ...]:
        await self._run.going.wait()
        return tuple(self._run.steering)


def _strategy(asked: Asked, record: Record) -> str:
    """The one that the episode was begun with, or that the settings name."""
    name = record.strategy or asked.options.world_strategy
    if name == "auto":
        return default_world_strategy(record.spec.world, asked.minds.slow.abilities.strong)
    return name
