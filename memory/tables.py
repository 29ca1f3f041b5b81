"""One user's notes as tables, and FTS5's index of their words."""

from __future__ import annotations

import sqlalchemy as sa

from storage.schema import MIGRATIONS, Json, Schema

_tables = sa.MetaData()
notes = sa.Table(
    "notes", _tables,
    sa.Column("seq", sa.Integer, primary_key=True),
    sa.Column("id", sa.Text, nullable=False, unique=True),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("at", sa.Double, nullable=False),
    sa.Column("answer", sa.Text, nullable=False),
    sa.Column("session", sa.Text, nullable=False),
    sa.Column("turn", sa.Integer, nullable=False),
    sa.Column("speaker", sa.Text, nullable=False),
    sa.Column("depends", Json, nullable=False),
    sa.Column("about", Json, nullable=False),
    sa.Column("out", sa.Text, nullable=False),
    sa.Column("pinned", sa.Boolean, nullable=False),
    sa.Column("before", sa.Integer),
    sa.Column("after", sa.Integer),
    sa.Column("vector", sa.LargeBinary),
    sa.Column("indexed", sa.Boolean, nullable=False, server_default="0"),
    sa.Index("notes_by_session", "session", "seq"),
    sa.Index("notes_by_kind", "kind", "at"),
    sqlite_autoincrement=True,
)  # fmt: skip
sa.Index("notes_by_question", notes.c.text, notes.c.at, sqlite_where=notes.c.kind == "result")
sa.Index("notes_to_index", notes.c.seq, sqlite_where=~notes.c.indexed)
TOLD_AGAIN = sa.text("json_extract(about, '$.again') <> ''")
"""Facts that later turns told too, in the index's own words, since SQLite finds the index only so."""
sa.Index("notes_told_again", notes.c.seq, sqlite_where=TOLD_AGAIN)
gone = sa.Table("gone", _tables, sa.Column("id", sa.Text, primary_key=True), sa.Column("at", sa.Double, nullable=False))
meta = sa.Table(
    "meta", _tables, sa.Column("name", sa.Text, primary_key=True), sa.Column("value", sa.Text, nullable=False)
)
words = sa.table("words", sa.column("rowid", sa.Integer), sa.column("said", sa.Text), sa.column("beside", sa.Text))
"""FTS5 stems what is written here: the note's own words, and those of the turns beside it."""
_fts5 = sa.DDL("CREATE VIRTUAL TABLE words USING fts5(said, beside, tokenize='porter unicode61')")  # type: ignore[no-untyped-call]
sa.event.listen(_tables, "after_create", _fts5.execute_if(dialect="sqlite"))
NOTES = Schema(_tables, MIGRATIONS / "notes")
