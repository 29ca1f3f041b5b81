"""The transcript's file: SQLite in WAL mode. Writes survive the death of the process (synchronous=NORMAL under WAL)."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from chat.faults import ChatFault, DiskFull, is_disk_full

SCHEMA = """
CREATE TABLE IF NOT EXISTS sessions (
    id TEXT PRIMARY KEY, user TEXT NOT NULL, title TEXT NOT NULL, options TEXT NOT NULL,
    created REAL NOT NULL, updated REAL NOT NULL);
CREATE INDEX IF NOT EXISTS sessions_by_user ON sessions(user, updated);
CREATE TABLE IF NOT EXISTS turns (
    session TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE, number INTEGER NOT NULL,
    said TEXT NOT NULL, state TEXT NOT NULL, superseded INTEGER NOT NULL DEFAULT 0, feedback INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (session, number));
CREATE INDEX IF NOT EXISTS turns_by_state ON turns(state);
CREATE TABLE IF NOT EXISTS events (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, session TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
    turn INTEGER NOT NULL, kind TEXT NOT NULL, data TEXT NOT NULL, at REAL NOT NULL);
CREATE INDEX IF NOT EXISTS events_by_session ON events(session, seq);
CREATE INDEX IF NOT EXISTS events_by_turn ON events(session, turn, kind);
CREATE TABLE IF NOT EXISTS documents (
    id TEXT PRIMARY KEY, session TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
    name TEXT NOT NULL, digest TEXT NOT NULL, chunks TEXT NOT NULL, added REAL NOT NULL);
"""


class Database:
    """One file; every method may be called from any thread."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._lock = threading.RLock()
        try:
            self._db = sqlite3.connect(path, check_same_thread=False, isolation_level=None, timeout=5)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=NORMAL")
            self._db.execute("PRAGMA foreign_keys=ON")
            self._db.executescript(SCHEMA)
        except sqlite3.DatabaseError as error:
            if is_disk_full(error):
                raise DiskFull() from error
            raise ChatFault(
                f"The transcript {path} cannot be opened ({error}): move it aside or set DUET_HOME to another folder."
            ) from error

    def close(self) -> None:
        with self._lock:
            self._db.close()

    def _read(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        with self._lock:
            return self._db.execute(query, values).fetchall()

    def _write(self, query: str, values: Sequence[Any] = ()) -> None:
        with self._transaction() as db:
            db.execute(query, values)

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                self._db.execute("BEGIN IMMEDIATE")
                yield self._db
                self._db.execute("COMMIT")
            except BaseException as error:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                if is_disk_full(error):
                    raise DiskFull() from error
                raise


def whole(text: str) -> str:
    """Without halves of characters (a stream may be cut within one), which cannot be stored."""
    return text.encode(errors="replace").decode()
