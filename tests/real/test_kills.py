"""kill -9 amid turns, uploads, world steps, memory writes and restores; DUET_KILLS=200 kills as often.

A real server with a scripted model; each time something is sent, the server is killed at a random moment, and comes up
again. What was acknowledged is there afterwards, and every database passes SQLite's own integrity check.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path

import httpx2
import pytest

from chat.backups import backup
from chat.bench.server import MAIN, ServerProcess, api
from chat.faults import ChatFault
from chat.line import RemoteLine
from chat.note_imports import FORMAT, PREFIX
from chat.settings import Settings
from tests.real.scripted_server import ACTION

AMID = ("turn", "slow turn", "upload", "world", "memory", "restore")
MOMENTS = (0.0, 0.02, 0.1, 0.4, 1.2)
"""Seconds, of which a random part passes before the kill."""


KILLS = int(os.environ.get("DUET_KILLS") or len(AMID))

pytestmark = pytest.mark.real


@pytest.mark.timeout(600 + 60 * KILLS)
def test_what_was_acknowledged_is_there_after_every_kill(tmp_path: Path) -> None:
    killing = Killing(tmp_path)
    asyncio.run(killing.all(KILLS))
    killing.check()


@dataclass
class Acknowledged:
    """What the server said that it has."""

    turns: dict[tuple[str, int], str] = field(default_factory=dict)
    notes: set[str] = field(default_factory=set)
    documents: set[str] = field(default_factory=set)


class Killing:
    """One home, and the servers that die over it."""

    def __init__(self, home: Path) -> None:
        self._home, self._rng = home, random.Random(11)
        self._server = ServerProcess(home, Settings(home=home).models_dir, "tests.real.scripted_server")
        self._told, self._session = Acknowledged(), ""

    async def all(self, times: int) -> None:
        await self._start()
        for number in range(times):
            amid = AMID[number % len(AMID)]
            await (self._restore() if amid == "restore" else self._once(amid, number))
            await self._start()
            assert not damaged(self._home), f"kill {number}, amid a {amid}"
        self._server.end()

    async def _start(self) -> None:
        await asyncio.to_thread(self._server.start)

    async def _once(self, amid: str, number: int) -> None:
        task = asyncio.create_task(self._doing(amid, number))
        await asyncio.sleep(self._rng.choice(MOMENTS) * self._rng.random())
        self._server.kill()
        await task

    async def _doing(self, amid: str, number: int) -> None:
        """What was acknowledged before the server died is written down."""
        with suppress(httpx2.HTTPError, ChatFault, json.JSONDecodeError):
            address = self._server.address
            async with api(address.url, address.token) as client:
                line = RemoteLine(client)
                if not self._session or self._rng.random() < 0.2:
                    self._session = await line.open_session("anna", None)
                await self._does(line, amid, number)

    async def _does(self, line: RemoteLine, amid: str, number: int) -> None:
        if amid == "memory":
            note = {"id": f"note-{number}", "kind": "turn", "text": f"note {number}", "at": time.time()}
            await line.memory("anna", "import", {"format": FORMAT, "notes": [note]})
            self._told.notes.add(f"{PREFIX}note-{number}")
        elif amid == "upload":
            await line.add_file(self._session, name := f"notes-{number}.md", b"# Notes\n\nSome.")
            self._told.documents.add(name)
        else:
            for text in _said(amid, number):
                turn = await line.submit(self._session, text)
                self._told.turns[self._session, turn] = text

    async def _restore(self) -> None:
        """The command is killed; before it and after it the transcript holds the same."""
        await asyncio.to_thread(self._server.end)
        backup(self._home)
        restoring = subprocess.Popen(
            [sys.executable, str(MAIN), "restore", "--home", str(self._home)],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        await asyncio.sleep(self._rng.random() * 1.5)
        restoring.kill()
        restoring.wait()

    def check(self) -> None:
        """Nothing that was acknowledged is lost, and no turn is left open."""
        with closing(sqlite3.connect(self._home / "duet.sqlite")) as db:
            rows = db.execute("SELECT session, number, said, state FROM turns").fetchall()
            documents = {str(row[0]) for row in db.execute("SELECT name FROM documents")}
        told, turns = self._told, {(session, number): said for session, number, said, _ in rows}
        print(f"{len(told.turns)} turns, {len(told.notes)} notes, {len(told.documents)} documents acknowledged")
        assert {key: turns.get(key) for key in told.turns} == told.turns
        assert told.notes <= _notes(self._home) and told.documents <= documents
        assert told.turns and "open" not in {state for *_, state in rows}


def _said(amid: str, number: int) -> tuple[str, ...]:
    if amid == "world":
        return ("/play scienceworld 0 --human", ACTION, "open door")
    return (f"What is {number} times 7?",) if amid == "slow turn" else (f"hello, number {number}",)


def damaged(home: Path) -> list[Path]:
    """Databases of this home that do not pass; they may be in use."""
    return [path for path in home.rglob("*.sqlite*") if path.suffix in (".sqlite", ".sqlite3") and not _whole(path)]


def _whole(path: Path) -> bool:
    with closing(sqlite3.connect(path, timeout=30)) as db:
        try:
            return bool(db.execute("PRAGMA integrity_check").fetchall() == [("ok",)])
        except sqlite3.DatabaseError:
            return False


def _notes(home: Path) -> set[str]:
    found: set[str] = set()
    for path in home.rglob("notes.sqlite"):
        with closing(sqlite3.connect(path)) as db:
            found |= {str(row[0]) for row in db.execute("SELECT id FROM notes")}
    return found
