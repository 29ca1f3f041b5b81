"""A Duet in memory with minds that follow a script: the page's own tests and its screenshots run against it.

Its transcript is the real one on a file; only the runs are played.
`python -m tests.chat.ui.fake PORT HOME PACE` serves it.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from chat.faults import ChatFault
from chat.fetching import Fetching
from chat.loading import Readiness
from chat.settings import Options, Settings
from chat.transcript import Transcript
from chat.uploads import Document
from minds.dialogue import Event
from tests.chat.ui.rich import PROGRAM, REQUEST, SAID
from tools.desk import Chunk, Desk, ToolFault
from tools.pictures import is_picture, read_picture
from tools.python import execute

SLOW = ("387", "km", "days", "handbook", "program")
RAIN = "[('January', 44), ('February', 38.5), ('March', 51), ('April', 47), ('May', 0), ('June', 12)]"
NOW = "NOW"
"""A word that is said as the time at which it is said."""


@dataclass(frozen=True)
class FakeHealth:
    part: str
    state: str
    text: str


class FakeLoading:
    """Nothing is."""

    def __init__(self) -> None:
        self.changed = lambda: None


class FakeRuns:
    """Plays a fast reply for most messages, one of SAID where they ask for it, and a slow run for a word of SLOW."""

    quota = None

    def __init__(self, transcript: Transcript, pace: float = 0.0) -> None:
        self.transcript, self.pace = transcript, pace
        self._listeners: dict[str, set[asyncio.Queue[Event]]] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._states: dict[str, str] = {}
        self._going = asyncio.Event()
        self._going.set()

    def add(self, session: str, turn: int, kind: str, **data: object) -> None:
        self._tell(self.transcript.append(session, turn, kind, data))

    def _tell(self, event: Event) -> None:
        for queue in self._listeners.get(event.session, ()):
            queue.put_nowait(event)

    async def submit(
        self, session: str, text: str, *, edits: int | None = None, model: str = "", sent: str = ""
    ) -> int:
        if sent and (there := self.transcript.sent(sent, text, session)):
            return there[1]
        if not text.strip():
            raise ChatFault("The message is empty.")
        await self.stop(session)
        event = self.transcript.begin_turn(session, text, supersedes=edits, model=model, sent=sent)
        self._tell(event)
        self._tasks[session] = asyncio.create_task(self._play(session, event.turn, text))
        return event.turn

    async def retry(self, session: str, turn: int, model: str = "") -> int:
        return await self.submit(session, self.transcript.turn(session, turn).said, edits=turn, model=model)

    def under_way(self) -> list[tuple[str, int]]:
        return [(session, 0) for session, state in self._states.items() if state != "idle"]

    async def undo(self, session: str) -> str:
        await self.stop(session)
        if (last := self.transcript.last_turn(session)) is None:
            raise ChatFault("There is no turn to take back.")
        self._tell(self.transcript.supersede(session, last.number))
        return last.said

    async def choose(self, session: str, turn: int) -> None:
        self._tell(self.transcript.choose(session, turn))

    async def act(self, session: str, wish: str) -> str:
        return str(await getattr(self, wish)(session) or "")

    async def stop(self, session: str) -> None:
        if (task := self._tasks.pop(session, None)) and not task.done():
            task.cancel()
            turn = self.transcript.last_turn(session)
            assert turn
            if self.state(session) in ("slow", "paused"):
                self.add(session, turn.number, "run", state="stopped")
            self._states[session] = "idle"
            self._going.set()
            self.add(session, turn.number, "end", state="stopped")

    async def pause(self, session: str) -> None:
        self._going.clear()
        self._states[session] = "paused"
        self.add(session, self._last(session), "run", state="paused")

    async def resume(self, session: str) -> None:
        self._going.set()
        self._states[session] = "slow"
        self.add(session, self._last(session), "run", state="resumed")

    async def discard(self, session: str) -> None:
        self.add(session, self._last(session), "end", state="stopped")
        self._states[session] = "idle"

    async def delete(self, *sessions: str) -> None:
        for session in sessions:
            await self.stop(session)
        self.transcript.delete(*sessions)

    async def delete_all(self, user: str) -> int:
        gone = [session.id for session in self.transcript.sessions(user)]
        await self.delete(*gone)
        return len(gone)

    async def set_feedback(self, session: str, turn: int, value: int) -> None:
        self.transcript.set_feedback(session, turn, value)

    async def add_file(self, session: str, name: str, data: bytes) -> str:
        await (self.add_picture if is_picture(name) else self.add_document)(session, name, data)
        return name

    async def add_document(self, session: str, name: str, data: bytes) -> Document:
        if name.endswith(".pdf") and not data.startswith(b"%PDF"):
            raise ChatFault(f"{name} cannot be read as a PDF: save it again or upload it as text.")
        chunks = [Chunk(name, "", data.decode(errors="replace"))]
        return self.transcript.add_document(session, name, str(len(data)), chunks)

    async def add_picture(self, session: str, name: str, data: bytes) -> None:
        try:
            self.transcript.add_picture(session, await asyncio.to_thread(read_picture, name, data))
        except ToolFault as fault:
            raise ChatFault(str(fault)) from fault

    async def idle(self) -> None:
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    def state(self, session: str) -> str:
        return self._states.get(session, "idle")

    async def follow(self, session: str, after: int = 0) -> AsyncIterator[Event]:
        queue: asyncio.Queue[Event] = asyncio.Queue()
        self._listeners.setdefault(session, set()).add(queue)
        try:
            for event in self.transcript.events(session, after):
                after = event.seq
                yield event
            while True:
                if (event := await queue.get()).seq > after:
                    yield event
        finally:
            self._listeners[session].discard(queue)

    def _last(self, session: str) -> int:
        turn = self.transcript.last_turn(session)
        assert turn
        return turn.number

    async def _say(self, session: str, turn: int, by: str, text: str) -> None:
        for word in text.split(" "):
            await asyncio.sleep(self.pace / 12)
            self.add(session, turn, "delta", by=by, text=f"{word.replace(NOW, str(time.time()))} ")

    async def _play(self, session: str, turn: int, text: str) -> None:
        self._states[session] = "fast"
        self.add(session, turn, "status", text="thinking")
        await asyncio.sleep(self.pace / 2)
        slow = any(word in text for word in SLOW)
        words = "I'll work that out for you, one moment." if slow else f"You said: {text}"
        said: dict[str, Any] = next((reply for word, reply in SAID.items() if word in text), {"text": words})
        if "program" in text:  # a model that only calls the slow mind
            said = {"text": "", "request": REQUEST}
        await self._say(session, turn, "fast", str(said["text"])[:3000])
        cost = {"seconds": 0.84, "tokens": 41}
        asked_of = self.transcript.turn_events(session, turn)[0].data.get("model")
        who = {"model": asked_of} if asked_of else {}
        self.add(session, turn, "reply", **{"by": "fast", "invoke": slow, "final": not slow, **cost, **said, **who})
        if "program" in text:
            await self._compute(session, turn, RAIN if "rain" in text else "2880067194370816120")
        elif slow:
            await self._think(session, turn)
        self._states[session] = "idle"
        self.add(session, turn, "end", state="done")

    async def _think(self, session: str, turn: int) -> None:
        self._states[session] = "slow"
        self.add(session, turn, "run", state="started")
        steps = (
            ("The question asks for a product; the calculator gives it exactly.", "calculator", "387 * 46", "17802"),
            ("Checked with its parts: 400 * 46 - 13 * 46.", "calculator", "400*46 - 13*46", "17802"),
        )
        for number, (thought, action, argument, seen) in enumerate(steps, 1):
            await self._going.wait()
            call = {"number": number, "thought": thought, "action": action, "argument": argument}
            await asyncio.sleep(self.pace)
            self.add(session, turn, "act", **call)
            await asyncio.sleep(self.pace)
            self.add(session, turn, "step", **call, observation=seen, failed=False, seconds=1.9, tokens=231, sources=[])
        await self._going.wait()
        await self._say(session, turn, "slow", "387 times 46 is **17,802**.")
        self.add(session, turn, "run", state="finished")
        self.add(
            session, turn, "reply", by="slow", text="387 times 46 is **17,802**.", invoke=True, final=True, seconds=6.1,
            tokens=540, sources=["calculator"],
        )  # fmt: skip

    async def _compute(self, session: str, turn: int, output: str) -> None:
        """A run of one step, with a program."""
        self._states[session] = "slow"
        self.add(session, turn, "run", state="started")
        call = {"number": 1, "thought": "A loop is enough.", "action": "python", "argument": PROGRAM}
        await asyncio.sleep(self.pace)
        self.add(session, turn, "act", **call)
        await asyncio.sleep(self.pace)
        done = {"observation": output, "failed": False, "seconds": 0.2, "tokens": 120, "sources": []}
        self.add(session, turn, "step", **call, arguments={"program": PROGRAM}, **done)
        self.add(session, turn, "run", state="finished")
        text = "The 90th is $F_{90} = 2880067194370816120$."
        self.add(session, turn, "reply", by="slow", text=text, invoke=False, final=True, model="embedded", calls=3)


@dataclass
class FakeDuet:
    """What the page knows of a Duet."""

    settings: Settings
    transcript: Transcript
    runs: FakeRuns
    parts: list[FakeHealth] = field(default_factory=lambda: [FakeHealth("fast and slow mind", "ready", "embedded")])

    def __post_init__(self) -> None:
        self.fetching = Fetching(self.settings.models_dir)
        self.readiness = Readiness(self.settings.models_dir, lambda _: False)
        self.loading = FakeLoading()

    def health(self, options: Options | None = None) -> list[FakeHealth]:
        return self.parts

    def choose(self, options: Options) -> None:
        self.settings = replace(self.settings, fast_model=options.fast_model, slow_model=options.slow_model)

    def switch(self, options: Options) -> None:
        """Nothing is loaded here."""

    async def rerun(self, session: str, program: str) -> str:
        """In the real sandbox."""
        return (await asyncio.to_thread(execute, program, Desk(session, datetime.now(UTC))))[0]

    def forget_keys(self) -> None:
        """Nor opened."""


def fake_duet(home: Path, pace: float = 0.0) -> FakeDuet:
    transcript = Transcript(home / "duet.sqlite")
    return FakeDuet(
        Settings(home=home, user="ada", sharing=True, whisper=os.environ.get("DUET_WHISPER", "base")),
        transcript,
        FakeRuns(transcript, pace),
    )


def main(port: int, home: Path, pace: float) -> None:
    import uvicorn
    from fastapi import FastAPI

    from chat.ui.page import mount

    duet = fake_duet(home, pace)
    app = mount(FastAPI(), duet)  # type: ignore[arg-type]
    uvicorn.run(app, port=port, log_level="warning", timeout_graceful_shutdown=1)


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]), float(sys.argv[3]))
