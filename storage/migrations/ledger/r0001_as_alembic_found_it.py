"""The tables that Alembic found when it took over, all of them SQLite's; homes of before may lack an index."""

from __future__ import annotations

from alembic import op

revision, down_revision = "0001", None
SQL = """
CREATE TABLE IF NOT EXISTS entries (
    id INTEGER PRIMARY KEY, session TEXT NOT NULL, kind TEXT NOT NULL, key TEXT NOT NULL, details TEXT NOT NULL,
    made TEXT NOT NULL, ended TEXT);
CREATE UNIQUE INDEX IF NOT EXISTS one_each ON entries (kind, key) WHERE ended IS NULL;
CREATE TABLE IF NOT EXISTS proposals (
    session TEXT NOT NULL, code TEXT NOT NULL, run TEXT NOT NULL, kind TEXT NOT NULL, details TEXT NOT NULL,
    said TEXT NOT NULL, state TEXT NOT NULL, PRIMARY KEY (session, code));
"""


def upgrade() -> None:
    for statement in SQL.split(";\n"):
        if statement.strip():
            op.execute(statement)
