"""A conversation with scripted minds and a memory in a dictionary; everything else is the real thing."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from chat.conversation import Conversation
from chat.counter import Counters
from chat.parts import Minds, Parts
from chat.remembering import Remembering
from chat.runs import Runs
from chat.settings import Options
from chat.stage import Stage
from chat.transcript import Transcript
from chat.wheel import Wheel
from minds.dialogue import Event
from minds.fast import FastMind
from minds.models.language import Abilities, ModelFault
from minds.slow import Limits
from tests.fakes import FakeGate, FakeModel, FakeStore, Heard, Piece, flat, step
from tests.toyworld import ToyWorlds

STRONG = Abilities(schema=True, strong=True)


def small_talk(heard: Heard) -> Sequence[Piece]:
    """Words a result as it stands, begins an invoked turn, and answers the rest."""
    if heard.last.startswith("SlowMind["):
        return [heard.last.removeprefix("SlowMind[")]
    if heard.prefix.endswith("Let me"):
        return [" see"]
    return ["Hello ", "there.", "]"]


def solve(heard: Heard) -> Sequence[Any]:
    """Multiplies with the calculator, then says what was observed."""
    if heard.last.startswith("Obs: "):
        return [step("finish", heard.last.removeprefix("Obs: ").partition("\n")[0])]
    one, other = re.findall(r"\d+", heard.last.rpartition("Query ")[2])[1:3]
    return [step("calculator", f"{one} * {other}")]


class Talk:
    """All parts of one server. `say` submits a turn and returns its events when it has ended."""

    def __init__(
        self, folder: Path, store: FakeStore | None = None, max_message: int = 2000, embed: Any = flat
    ) -> None:
        self.folder = folder
        self.transcript = Transcript(folder / "duet.sqlite")
        self.store = store or FakeStore()
        self.fast, self.gate = FakeModel(small_talk), FakeGate()
        # In words the slow mind is only asked to make a question stand alone: nothing said leaves it as it is.
        self.slow = FakeModel(lambda _: [""], solve, abilities=STRONG)
        self.now = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
        self.fault: ModelFault | None = None
        self.remembering = Remembering(self.transcript, self.store)
        self.worlds = ToyWorlds()
        self.stage = Stage(lambda _: self.worlds)
        self.requested: dict[str, Any] = {}
        """What is read out of a turn as a wish for a world, by the turn's words."""
        self.counters = Counters(folder / "domains", self.transcript)
        parts = Parts(
            self.transcript,
            self.remembering,
            self._minds,
            embed,
            lambda: self.now,
            Limits(steps=6),
            lambda said, _: self.requested.get(said),
            self.counters,
        )

        def answering(runs: Runs) -> Conversation:
            self.wheel = Wheel(parts, runs, self.stage, Limits(steps=20))
            return Conversation(parts, runs, self.wheel)

        self.runs = Runs(self.transcript, self.remembering, max_message, answering)

    def _minds(self, options: Options) -> Minds:
        if self.fault:
            raise self.fault
        return Minds(FastMind(self.fast, self.gate, flat), self.slow)  # type: ignore[arg-type]

    def session(self, user: str = "ada", **options: Any) -> str:
        return self.transcript.new_session(user, options=Options(**options)).id

    async def say(self, session: str, text: str, **more: Any) -> list[Event]:
        turn = await self.runs.submit(session, text, **more)
        return await self.ended(session, turn)

    async def ended(self, session: str, turn: int) -> list[Event]:
        """The turn's events, once nothing more comes."""
        async with asyncio.timeout(20):
            return [event async for event in self.runs.wait(session, turn)]

    async def until(self, reached: Callable[[], object]) -> None:
        async with asyncio.timeout(20):
            while not reached():
                await asyncio.sleep(0.005)

    def view(self, session: str) -> list[str]:
        return [f"{e.turn}:{name(e)}" for e in self.transcript.events(session)]

    def notes(self, user: str = "ada") -> set[str]:
        return {note.kind for note in self.store.user(user).notes.values()}

    async def close(self) -> None:
        await self.runs.close()
        await self.remembering.settle()
        self.transcript.close()

    async def killed(self) -> Talk:
        """What is there after the process died and was started again: nothing of the old one says its end."""

        def dead(*_: object) -> Event:
            raise RuntimeError("this process is dead")

        self.transcript.append = dead  # type: ignore[method-assign, assignment]
        tasks = [run.task for runs in self.runs._runs.values() for run in runs if run.task]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self.transcript.close()
        talk = Talk(self.folder, self.store)
        talk.runs.recover()
        return talk


def name(event: Event) -> str:
    """turn, delta, interim, reply, run-started, step, end-done ..."""
    if event.kind == "reply":
        return "reply" if event.data["final"] else "interim"
    return f"{event.kind}-{event.data['state']}" if event.kind in ("run", "end") else event.kind


def names(events: Sequence[Event]) -> list[str]:
    return [name(event) for event in events]


def reply(events: Sequence[Event]) -> dict[str, Any]:
    """The final reply's data."""
    [found] = [event for event in events if event.kind == "reply" and event.data["final"]]
    return dict(found.data)


@asynccontextmanager
async def a_talk(folder: Path, **more: Any) -> AsyncIterator[Talk]:
    talk = Talk(folder, **more)
    try:
        yield talk
    finally:
        await talk.close()
