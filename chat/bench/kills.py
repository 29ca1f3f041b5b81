"""`bench kills`: kill -9 amid turns, uploads, world steps, memory writes and restores.

A real server with a scripted model; each time something is sent, the server is killed at a random moment, and comes up
again. What was acknowledged is there afterwards, and every database passes SQLite's own integrity check.
"""

from __future__ import annotations

import asyncio
import json
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2

from chat.backups import backup
from chat.bench import Ask
from chat.bench.page_events import upload
from chat.bench.process import MAIN, ServerProcess
from chat.bench.scripted_server import ACTION, command
from chat.faults import ChatFault
from chat.line import RemoteLine
from chat.note_imports import FORMAT, PREFIX

AMID = ("turn", "slow turn", "upload", "world", "memory", "restore")
MOMENTS = (0.0, 0.02, 0.1, 0.4, 1.2)
"""Seconds, of which a random part passes before the kill."""


def run(ask: Ask) -> dict[str, object]:
    """Figures: kills by what they fell into, what was acknowledged of each kind, what was lost, damaged databases."""
    with tempfile.TemporaryDirectory(prefix="duet-bench-", ignore_cleanup_errors=True) as folder:
        return asyncio.run(Killing(Path(folder), ask).all(ask.times))


@dataclass
class Acknowledged:
    """What the server said that it has."""

    turns: dict[tuple[str, int], str] = field(default_factory=dict)
    notes: set[str] = field(default_factory=set)
    documents: set[str] = field(default_factory=set)


class Killing:
    """One home, and the servers that die over it."""

    def __init__(self, home: Path, ask: Ask) -> None:
        self._home, self._rng = home, random.Random(11)
        self._server = ServerProcess(home, ask.settings.models_dir, command(home), "/api/duet/hello")
        self._told, self._kills = Acknowledged(), Counter[str]()
        self._session, self._damaged, self._slowest = "", 0, 0.0

    async def all(self, times: int) -> dict[str, object]:
        await self._start()
        for number in range(times):
            amid = AMID[number % len(AMID)]
            await (self._restore() if amid == "restore" else self._once(amid, number))
            self._kills[amid] += 1
            await self._start()
            self._damaged += len(damaged(self._home))
            print(f"{number + 1}: killed amid a {amid}; up again after {self._slowest:.1f} s at most", flush=True)
        self._server.end()
        return self._figures()

    async def _start(self) -> None:
        self._slowest = max(self._slowest, await asyncio.to_thread(self._server.start, 300.0))

    async def _once(self, amid: str, number: int) -> None:
        task = asyncio.create_task(self._doing(amid, number))
        await asyncio.sleep(self._rng.choice(MOMENTS) * self._rng.random())
        self._server.kill()
        await task

    async def _doing(self, amid: str, number: int) -> None:
        """What was acknowledged before the server died is written down."""
        with suppress(httpx2.HTTPError, ChatFault, json.JSONDecodeError):
            async with self._server.client() as client:
                line = RemoteLine(client)
                if not self._session or self._rng.random() < 0.2:
                    self._session = await line.open_session("anna", None)
                await self._does(line, amid, number)

    async def _uploads(self, name: str) -> None:
        if not (address := self._server.address()):
            return
        kept = await asyncio.to_thread(upload, address.url, self._session, name, b"# Notes\n\nSome.")
        if kept:
            self._told.documents.add(name)

    async def _does(self, line: RemoteLine, amid: str, number: int) -> None:
        if amid == "memory":
            note = {"id": f"note-{number}", "kind": "turn", "text": f"note {number}", "at": time.time()}
            await line.memory("anna", "import", {"format": FORMAT, "notes": [note]})
            self._told.notes.add(f"{PREFIX}note-{number}")
        elif amid == "upload":
            await self._uploads(f"notes-{number}.md")
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

    def _figures(self) -> dict[str, object]:
        with closing(sqlite3.connect(self._home / "duet.sqlite")) as db:
            turns = {
                (session, number): said
                for session, number, said in db.execute("SELECT session, number, said FROM turns")
            }
            documents = {str(row[0]) for row in db.execute("SELECT name FROM documents")}
            left_open = db.execute("SELECT count(*) FROM turns WHERE state='open'").fetchone()[0]
        told, notes = self._told, _notes(self._home)
        return {
            "kills": sum(self._kills.values()),
            "amid": dict(self._kills),
            "acknowledged": {"turns": len(told.turns), "notes": len(told.notes), "documents": len(told.documents)},
            "lost": sum(turns.get(key) != said for key, said in told.turns.items())
            + len(told.notes - notes)
            + len(told.documents - documents),
            "left_open": left_open,
            "damaged_databases": self._damaged,
            "slowest_start": round(self._slowest, 1),
        }


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
            rows: list[Any] = db.execute("SELECT id FROM notes").fetchall()
            found |= {str(row[0]) for row in rows}
    return found
