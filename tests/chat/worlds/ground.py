"""A conversation whose slow mind calls the tools of text worlds as it is told to; the rest is the real thing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from langchain_core.tools import ToolException

from chat.remembering import Remembering
from chat.runs import Run, Runs
from chat.services import Minds, TurnRequest
from chat.settings import Options
from chat.transcript import Transcript
from chat.worlds.instant import Instant
from chat.worlds.session import WorldSession
from chat.worlds.worlds import Worlds
from minds.dialogue import Event
from minds.fast import FastMind
from minds.slow import Limits
from tests.fakes import FakeModel, FakeReader, FakeStore
from tests.toyworld import ToyWorlds
from tools.worlds.running import RunningWorlds
from tools.worlds.tool import make
from tools.worlds.world import Simulator

Calls = Sequence[tuple[str, Mapping[str, Any]]]


@dataclass
class Seen:
    """One use of a tool by the slow mind."""

    tool: str
    text: str
    failed: bool = False
    artifact: Mapping[str, Any] = field(default_factory=dict)


class Ground:
    """`say` submits a turn and returns its events when it has ended; `calls`: what the slow mind does in a turn."""

    def __init__(
        self, folder: Path, worlds: ToyWorlds | None = None, make_home: Callable[[str], Simulator] | None = None
    ) -> None:
        self.folder = folder
        self.transcript = Transcript(folder / "duet.sqlite")
        self.store = FakeStore(folder)
        remembering = Remembering(self.transcript, self.store, FakeReader())
        self.runs = Runs(self.transcript, remembering, 20_000, lambda _: self)
        self.toys = worlds or ToyWorlds()
        self.running = RunningWorlds(make_home or (lambda _: self.toys))
        self.worlds = Worlds(self.transcript, self.runs, self.running, Limits(steps=20))
        self.model = FakeModel(lambda _: [""])
        self.strategy = "oracle"
        self.calls: dict[str, Calls] = {}
        self.seen: list[Seen] = []
        self.tools: list[str] = []
        """The tools at the end of the last slow run."""

    async def answer(self, run: Run, others: list[Run]) -> None:
        """As the conversation does: what was interrupted, what needs no model, then the minds."""
        dialogue = self.transcript.dialogue(run.turn.session, before=run.turn.number)
        options, minds = Options(world_strategy=self.strategy), Minds(FastMind(self.model), self.model)
        turn = TurnRequest(run, others, options, dialogue, minds)
        before = self.transcript.turn_events(run.turn.session, run.turn.number)
        if await Instant(self.worlds, turn).answer(before):
            return
        if run.turn.said in self.calls:
            await self._think(run, turn, before)
        self.runs.emit(run, "reply", by="fast", text="Hello there.", invoke=False, final=True)

    async def forget(self, session: str) -> None:
        await self.running.close(session)

    async def _think(self, run: Run, turn: TurnRequest, before: Sequence[Event]) -> None:
        async with self.runs.slowly(run, run.turn.said):
            self.runs.emit(run, "run", state="started", question=run.turn.said, resumed=0)
            session = WorldSession(self.worlds, turn)
            if step := await session.unfinished(before):
                self.seen.append(Seen(step.action, step.observation, artifact={"told": step.told}))
                return
            await session.ready()
            for name, arguments in self.calls[run.turn.said]:
                await self._use(run, session, name, arguments)
            self.tools = list(make(session))
            self.runs.emit(run, "run", state="finished", solved=True, why="finished", result="")

    async def _use(self, run: Run, session: WorldSession, name: str, arguments: Mapping[str, Any]) -> None:
        tool = make(session)[name]
        call = {"name": name, "args": dict(arguments), "id": "step", "type": "tool_call"}
        try:
            message = await tool.ainvoke(call)
            seen = Seen(name, message.content, artifact=message.artifact)
        except ToolException as fault:
            seen = Seen(name, str(fault), failed=True)
        self.seen.append(seen)
        data = {"thought": "", "argument": "", "failed": seen.failed, "seconds": 0.0, "tokens": 0}
        self.runs.emit(run, "step", number=len(self.seen), action=name, observation=seen.text, sources=[], **data)

    def session(self, user: str = "ada") -> str:
        return self.transcript.new_session(user).id

    async def say(self, session: str, text: str, *calls: tuple[str, Mapping[str, Any]]) -> list[Event]:
        if calls:
            self.calls[text] = calls
        turn = await self.runs.submit(session, text)
        return await self.ended(session, turn)

    async def ended(self, session: str, turn: int) -> list[Event]:
        async with asyncio.timeout(120):
            return [event async for event in self.runs.wait(session, turn)]

    async def close(self) -> None:
        await self.runs.close()
        self.store.close()
        await self.running.shut()
        self.transcript.close()

    async def killed(self) -> Ground:
        """What is there after the process died and was started again: nothing of the old one says its end."""

        def dead(*_: object) -> Event:
            raise RuntimeError("this process is dead")

        self.transcript.append = dead  # type: ignore[method-assign, assignment]
        tasks = [run.task for runs in self.runs._runs.values() for run in runs if run.task]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self.running.shut()
        self.transcript.close()
        self.store.close()
        ground = Ground(self.folder, self.toys)
        ground.calls = self.calls
        ground.runs.recover()
        return ground
