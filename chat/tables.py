"""The transcript's tables: conversations, turns, events, documents."""

from __future__ import annotations

from sqlalchemy import (
    DDL,
    Boolean,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    bindparam,
    column,
    event,
    false,
    table,
    true,
)

from storage.schema import MIGRATIONS, Json, Schema

WORDS, MODEL, PERSON = "words", "model", "person"
"""By whom a conversation is named: by its first words, the fast mind, or the person."""
_tables = MetaData()


def _session(*, primary_key: bool = False) -> Column[str]:
    whose = ForeignKey("sessions.id", ondelete="CASCADE")
    return Column("session", Text, whose, nullable=False, primary_key=primary_key)


sessions = Table(
    "sessions", _tables,
    Column("id", Text, primary_key=True),
    Column("user", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("options", Json, nullable=False),
    Column("created", Double, nullable=False),
    Column("updated", Double, nullable=False),
    Column("named_by", Text, nullable=False, server_default="person"),
    Column("pinned", Boolean, nullable=False, server_default=false()),
    Column("archived", Boolean, nullable=False, server_default=false()),
    Column("folder", Text, nullable=False, server_default=""),
    Index("sessions_by_user", "user", "updated"),
)  # fmt: skip
turns = Table(
    "turns", _tables,
    _session(primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("said", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("superseded", Boolean, nullable=False, server_default=false()),
    Column("feedback", Integer, nullable=False, server_default="0"),
    Column("parent", Integer, nullable=False, server_default="0"),
    Index("turns_by_state", "state"),
)  # fmt: skip
events = Table(
    "events", _tables,
    Column("seq", Integer, primary_key=True),
    _session(),
    Column("turn", Integer, nullable=False),
    Column("kind", Text, nullable=False),
    Column("data", Json, nullable=False),
    Column("at", Double, nullable=False),
    Index("events_by_session", "session", "seq"),
    Index("events_by_turn", "session", "turn", "kind"),
    sqlite_autoincrement=True,
)  # fmt: skip
documents = Table(
    "documents", _tables,
    Column("id", Text, primary_key=True),
    _session(),
    Column("name", Text, nullable=False),
    Column("digest", Text, nullable=False),
    Column("chunks", Json, nullable=False),
    Column("added", Double, nullable=False),
)  # fmt: skip
pictures = Table(
    "pictures", _tables,
    _session(primary_key=True),
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("width", Integer, nullable=False),
    Column("height", Integer, nullable=False),
    Column("data", LargeBinary, nullable=False),
    Column("waiting", Boolean, nullable=False),
    Column("added", Double, nullable=False),
    info={"since": "0006"},
)  # fmt: skip
shares = Table(
    "shares", _tables,
    Column("id", Text, primary_key=True),
    _session(),
    Column("turns", Json, nullable=False),
    Column("upto", Integer, nullable=False),
    Column("steps", Boolean, nullable=False),
    Column("made", Double, nullable=False),
    Index("shares_by_session", "session"),
    info={"since": "0004"},
)  # fmt: skip
people = Table(
    "people", _tables,
    Column("user", Text, primary_key=True),
    Column("instructions", Text, nullable=False, server_default=""),
    Column("prompts", Json, nullable=False, server_default="{}"),
    Column("remembered", Boolean, nullable=False, server_default=true()),
    info={"since": "0005"},
)  # fmt: skip
found = table("found", column("rowid", Integer), column("text", Text))
"""What was said and replied, by the event's seq; FTS5 finds any three letters in a row, in any language."""
_SPOKEN = "{0}.kind = 'turn' OR ({0}.kind = 'reply' AND json_extract({0}.data, '$.final'))"
_FINDING = (
    "CREATE VIEW spoken AS SELECT seq, json_extract(data, '$.text') AS text FROM events",
    "CREATE VIRTUAL TABLE found USING fts5(text, content='spoken', content_rowid='seq', tokenize='trigram')",
    f"CREATE TRIGGER found_new AFTER INSERT ON events WHEN {_SPOKEN.format('new')} BEGIN "
    "INSERT INTO found(rowid, text) VALUES (new.seq, json_extract(new.data, '$.text')); END",
    f"CREATE TRIGGER found_gone AFTER DELETE ON events WHEN {_SPOKEN.format('old')} BEGIN "
    "INSERT INTO found(found, rowid, text) VALUES ('delete', old.seq, json_extract(old.data, '$.text')); END",
    f"CREATE TRIGGER found_other AFTER UPDATE OF data ON events WHEN {_SPOKEN.format('old')} BEGIN "
    "INSERT INTO found(found, rowid, text) VALUES ('delete', old.seq, json_extract(old.data, '$.text')); "
    "INSERT INTO found(rowid, text) VALUES (new.seq, json_extract(new.data, '$.text')); END",
)
for _statement in _FINDING:
    _made = DDL(_statement)  # type: ignore[no-untyped-call]
    event.listen(_tables, "after_create", _made.execute_if(dialect="sqlite"))
TRANSCRIPT = Schema(_tables, MIGRATIONS / "transcript")
IN_VIEW = ~turns.c.superseded
OF_TURN = (turns.c.session == events.c.session) & (turns.c.number == events.c.turn)
HERE = (events.c.session == bindparam("of_session"), events.c.turn == bindparam("of_turn"))
"""The events of a turn that is named when they are asked for."""
