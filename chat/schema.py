"""The transcript's tables, version by version (PRAGMA user_version), and what is no transcript of ours."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from chat.faults import ChatFault

MIGRATIONS = (
    """
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
""",
)
"""The first is what there was before versions were counted. What was released is never changed: one more is added."""
TABLES = frozenset({"sessions", "turns", "events", "documents"})


def own(path: Path) -> None:
    """The file is its owner's alone, from its first byte on."""
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    with suppress(PermissionError):
        path.chmod(0o600)


def migrate(db: sqlite3.Connection, path: Path, migrations: Sequence[str] = MIGRATIONS) -> None:
    """Brings the tables to the newest version, each step whole or not at all. Raises ChatFault, DatabaseError."""
    version = examine(db, path, len(migrations))
    for number, script in enumerate(migrations[version:], version + 1):
        db.execute("BEGIN IMMEDIATE")
        try:
            if _version(db) < number:  # another process may have been here meanwhile
                for statement in script.split(";"):
                    db.execute(statement)
                db.execute(f"PRAGMA user_version={number}")
            db.execute("COMMIT")
        except BaseException:
            db.execute("ROLLBACK")
            raise


def examine(db: sqlite3.Connection, path: Path, newest: int = len(MIGRATIONS)) -> int:
    """The version of its tables; 0 where there are none yet. Raises ChatFault where it is not ours, DatabaseError."""
    version = _version(db)
    tables = {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type='table'")}
    if (tables or version) and not tables >= TABLES:
        raise ChatFault(f"{path} is the database of another program: move it away, or set DUET_HOME to another folder.")
    if version > newest:
        raise ChatFault(f"{path} was written by a newer Duet: update Duet, or set DUET_HOME to another folder.")
    [[found]] = db.execute("PRAGMA quick_check(1)").fetchall()
    if found != "ok":
        raise sqlite3.DatabaseError(str(found).splitlines()[-1])
    return version


def _version(db: sqlite3.Connection) -> int:
    [[version]] = db.execute("PRAGMA user_version").fetchall()
    return int(version)
