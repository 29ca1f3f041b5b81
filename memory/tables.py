"""One user's notes as tables, and FTS5's index of their words."""

from __future__ import annotations

from sqlalchemy import (
    DDL,
    Boolean,
    Column,
    Double,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    column,
    event,
    table,
)

from storage.schema import MIGRATIONS, Json, Schema

_tables = MetaData()
notes = Table(
    "notes", _tables,
    Column("seq", Integer, primary_key=True),
    Column("id", Text, nullable=False, unique=True),
    Column("kind", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("at", Double, nullable=False),
    Column("answer", Text, nullable=False),
    Column("session", Text, nullable=False),
    Column("turn", Integer, nullable=False),
    Column("speaker", Text, nullable=False),
    Column("depends", Json, nullable=False),
    Column("about", Json, nullable=False),
    Column("out", Text, nullable=False),
    Column("pinned", Boolean, nullable=False),
    Column("before", Integer),
    Column("after", Integer),
    Column("vector", LargeBinary),
    Column("indexed", Boolean, nullable=False, server_default="0"),
    Index("notes_by_session", "session", "seq"),
    Index("notes_by_kind", "kind", "at"),
    sqlite_autoincrement=True,
)  # fmt: skip
Index("notes_by_question", notes.c.text, notes.c.at, sqlite_where=notes.c.kind == "result")
Index("notes_to_index", notes.c.seq, sqlite_where=~notes.c.indexed)
gone = Table("gone", _tables, Column("id", Text, primary_key=True), Column("at", Double, nullable=False))
meta = Table("meta", _tables, Column("name", Text, primary_key=True), Column("value", Text, nullable=False))
words = table("words", column("rowid", Integer), column("said", Text), column("beside", Text))
"""FTS5 stems what is written here: the note's own words, and those of the turns beside it."""
_fts5 = DDL("CREATE VIRTUAL TABLE words USING fts5(said, beside, tokenize='porter unicode61')")  # type: ignore[no-untyped-call]
event.listen(_tables, "after_create", _fts5.execute_if(dialect="sqlite"))
NOTES = Schema(_tables, MIGRATIONS / "notes")
