"""The tables that Alembic found when it took over, all of them SQLite's; files of before may lack `elsewhere`."""

from __future__ import annotations

from alembic import op

revision, down_revision = "0001", None
SQL = """
CREATE TABLE IF NOT EXISTS accounts(
    name TEXT PRIMARY KEY, password TEXT NOT NULL, role TEXT NOT NULL, made REAL NOT NULL);
CREATE TABLE IF NOT EXISTS signed_in(
    id TEXT PRIMARY KEY, name TEXT NOT NULL REFERENCES accounts(name) ON DELETE CASCADE, until REAL NOT NULL);
CREATE TABLE IF NOT EXISTS tokens(
    id TEXT PRIMARY KEY, name TEXT NOT NULL REFERENCES accounts(name) ON DELETE CASCADE,
    label TEXT NOT NULL, made REAL NOT NULL);
CREATE TABLE IF NOT EXISTS elsewhere(identity TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS secret(value TEXT NOT NULL);
"""


def upgrade() -> None:
    for statement in SQL.split(";\n"):
        if statement.strip():
            op.execute(statement)
