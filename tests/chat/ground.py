"""A conversation with scripted minds and a memory in a dictionary; everything else is the real thing."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from chat.app import strategy
from chat.conversation import Conversation
from chat.counter import Counters, Tools
from chat.remembering import Remembering
from chat.runs import Runs
from chat.services import Minds, Services
from chat.settings import Options
from chat.transcript import Transcript
from chat.worlds.worlds import Worlds
from memory.memory import Note
from minds.dialogue import Event
from minds.fast import FastMind
from minds.models.language import ModelFault, ToolCall
from minds.slow import Limits
from minds.small_model.fast import SmallFast
from tests.fakes import SMALL, STRONG, FakeGate, FakeModel, FakeReader, FakeStore, Heard, Piece, flat, tools_of
from tests.toyworld import ToyWorlds
from tools.desk import Desk
from tools.worlds.running import RunningWorlds

SUM = "What is 387 times 46?"
AGAIN, OTHERWISE = "what is 387 times 46", "what's 387 multiplied by 46"
SLOWLY = ["turn", "interim", "run-started", "step", "run-finished", "reply", "end-done"]
PRODUCT = "387 * 46 = 17802"
CHRISTMAS = "When is Christmas?"


def small_talk(heard: Heard) -> Sequence[Piece]:
    """Words a result as it stands, calls the slow mind for figures, and answers the rest."""
    if heard.found:
        return [heard.found]
    if "(This was found: " in heard.last:
        return [heard.last.partition("(This was found: ")[2].partition(". Tell me so")[0]]
    if heard.stop:  # a request that is to stand alone
        return [heard.last.rpartition("Last message: ")[2]]
    if heard.free and re.search(r"\d", heard.said):
        return ["Let me see.", ToolCall("think", {"request": heard.said})]
    return ["Hello ", "there."]


def solve(heard: Heard) -> Sequence[Any]:
    """Multiplies with the tool, then says what was observed."""
    return [heard.found] if heard.found else [times(heard.said)]


def times(said: str) -> ToolCall:
    """The call for a product that is asked for."""
    one, other = re.findall(r"\d+", said.rpartition("Request:")[2])[:2]
    return ToolCall("multiply", {"one": int(one), "other": int(other)})


TIMES = times(SUM)


def program(heard: Heard) -> Sequence[Piece]:
    """What a small model writes for a product: a program, and the same in words."""
    one, other = re.findall(r"\d+", heard.said.rpartition("Request:")[2])[:2]
    if not heard.prefix:
        return [f"{one} times {other}.\n\nIt is {int(one) * int(other)}."]
    return [f"print({one} * ", f"{other})\n"]


def no_word_to_it(heard: Heard) -> Sequence[Any]:
    """How a small model takes words beside a run that are about something else."""
    return [{"kind": "talk"}]


class OwnTools(Counters):
    """Small tools in place of everybody's; a domain keeps its own."""

    def tools(self, domain: str, desk: Desk) -> Tools:
        return super().tools(domain, desk) if domain else tools_of(desk)


class Talk:
    """All parts of one server. `say` submits a turn and returns its events when it has ended."""

    def __init__(
        self, folder: Path, store: FakeStore | None = None, max_message: int = 2000, embed: Any = flat
    ) -> None:
        self.folder = folder
        self.transcript = Transcript(folder / "duet.sqlite")
        self.store = store or FakeStore(folder)
        self.fast, self.gate = FakeModel(small_talk, no_word_to_it, abilities=STRONG, spec="fast"), FakeGate()
        self.slow = FakeModel(program, solve, abilities=STRONG, spec="slow")
        self.now = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
        self.fault: ModelFault | None = None
        self.english: dict[str, str] = {}
        """What is said in other languages, with what it is in English."""
        self.reader = FakeReader()
        self.remembering = Remembering(self.transcript, self.store, self.reader)
        self.counters = OwnTools(folder / "domains", self.transcript)
        services = Services(
            self.transcript,
            self.remembering,
            self._minds,
            partial(strategy, gate=self.gate),
            embed,
            lambda: self.now,
            Limits(steps=6),
            self.counters,
            english=self._english,
        )

        def answering(runs: Runs) -> Conversation:
            self.running = RunningWorlds(lambda _: ToyWorlds())
            self.worlds = Worlds(self.transcript, runs, self.running, Limits(steps=20))
            self.conversation = Conversation(services, runs, self.worlds)
            return self.conversation

        self.runs = Runs(self.transcript, self.remembering, max_message, answering)

    def made_small(self, *, context: int = 8192) -> Talk:
        """Both minds are small models from now on, and a gate decides."""
        self.fast.abilities = replace(SMALL, context=context)
        self.slow.abilities = replace(SMALL, context=context)
        return self

    async def _english(self, said: str, model: object, usage: object) -> str:
        return self.english.get(said, said)

    def _minds(self, options: Options) -> Minds:
        """As chat/app.py has it."""
        if self.fault:
            raise self.fault
        if self.fast.abilities.strong:
            return Minds(FastMind(self.fast), self.slow)
        return Minds(SmallFast(self.fast, self.gate), self.slow)

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

    def kept(self, user: str = "ada") -> list[Note]:
        """The notes that may be given."""
        return [note for note in self.store.user(user).notes.page(limit=1000) if not note.out]

    def notes(self, user: str = "ada") -> set[str]:
        return {note.kind for note in self.kept(user)}

    async def close(self) -> None:
        await self.runs.close()
        self.conversation.idle.give_way()
        await self.remembering.settle()
        self.store.close()
        await self.running.shut()
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


def thinks(talk: Talk, request: str = "", interim: str = "Let me see.") -> None:
    """The fast mind calls the slow one, whatever is said, and words a result as it stands."""

    def says(heard: Heard) -> Sequence[Piece]:
        return [heard.found] if heard.found else [interim, ToolCall("think", {"request": request or heard.said})]

    talk.fast.says = says


def interim(events: Sequence[Event]) -> dict[str, Any]:
    [found] = [event for event in events if event.kind == "reply" and not event.data["final"]]
    return dict(found.data)


def questions(events: Sequence[Event]) -> list[object]:
    return [event.data["question"] for event in events if name(event) == "run-started"]


async def slow_run(talk: Talk, session: str) -> tuple[int, asyncio.Event]:
    """A slow run that waits after its first step; (turn, the event that lets it go on)."""
    held = asyncio.Event()

    def steps(heard: Heard) -> Sequence[Any]:
        asked = next(str(m.content) for m in reversed(heard.messages) if "<context>" in str(m.content))
        if SUM not in asked:
            return solve(heard)
        return [held, PRODUCT] if PRODUCT in heard.everything else [TIMES]

    talk.slow.steps = steps
    turn = await talk.runs.submit(session, SUM)
    await talk.until(lambda: f"{turn}:step" in talk.view(session) and len(talk.slow.heard) >= 2)
    return turn, held


def tells(talk: Talk, kind: str, words: str = "", said: str = "") -> None:
    """The fast mind passes what is said on to the run."""
    talk.fast.says = lambda _: [said, ToolCall("tell_slow_mind", {"kind": kind, "words": words})]
