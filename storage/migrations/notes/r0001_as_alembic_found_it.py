"""The tables that Alembic found when it took over, all of them SQLite's; homes of before may lack an index."""

from __future__ import annotations

from alembic import op

revision, down_revision = "0001", None
SQL = """
CREATE TABLE IF NOT EXISTS notes (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, text TEXT NOT NULL,
    at REAL NOT NULL, answer TEXT NOT NULL, session TEXT NOT NULL, turn INTEGER NOT NULL, speaker TEXT NOT NULL,
    depends TEXT NOT NULL, about TEXT NOT NULL, out TEXT NOT NULL, pinned INTEGER NOT NULL,
    before INTEGER, after INTEGER, vector BLOB, indexed INTEGER NOT NULL DEFAULT 0);
CREATE INDEX IF NOT EXISTS notes_by_session ON notes(session, seq);
CREATE INDEX IF NOT EXISTS notes_by_kind ON notes(kind, at);
CREATE INDEX IF NOT EXISTS notes_by_question ON notes(text, at) WHERE kind='result';
CREATE INDEX IF NOT EXISTS notes_to_index ON notes(seq) WHERE indexed=0;
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(said, beside, tokenize='porter unicode61');
CREATE TABLE IF NOT EXISTS gone (id TEXT PRIMARY KEY, at REAL NOT NULL);
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
"""


def upgrade() -> None:
    for statement in SQL.split(";\n"):
        if statement.strip():
            op.execute(statement)
