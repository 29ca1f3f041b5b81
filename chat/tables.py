"""The transcript's tables: conversations, turns, events, documents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from minds.dialogue import Picture
from storage.schema import MIGRATIONS, Json, Schema

WORDS, MODEL, PERSON = "words", "model", "person"
"""By whom a conversation is named: by its first words, the fast mind, or the person."""
_tables = sa.MetaData()


def _session(*, primary_key: bool = False) -> sa.Column[str]:
    whose = sa.ForeignKey("sessions.id", ondelete="CASCADE")
    return sa.Column("session", sa.Text, whose, nullable=False, primary_key=primary_key)


sessions = sa.Table(
    "sessions", _tables,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("user", sa.Text, nullable=False),
    sa.Column("title", sa.Text, nullable=False),
    sa.Column("options", Json, nullable=False),
    sa.Column("created", sa.Double, nullable=False),
    sa.Column("updated", sa.Double, nullable=False),
    sa.Column("named_by", sa.Text, nullable=False, server_default="person"),
    sa.Column("pinned", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("archived", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("folder", sa.Text, nullable=False, server_default=""),
    sa.Index("sessions_by_user", "user", "updated"),
)  # fmt: skip
turns = sa.Table(
    "turns", _tables,
    _session(primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("said", sa.Text, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("superseded", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("feedback", sa.Integer, nullable=False, server_default="0"),
    sa.Column("parent", sa.Integer, nullable=False, server_default="0"),
    sa.Index("turns_by_state", "state"),
)  # fmt: skip
events = sa.Table(
    "events", _tables,
    sa.Column("seq", sa.Integer, primary_key=True),
    _session(),
    sa.Column("turn", sa.Integer, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("data", Json, nullable=False),
    sa.Column("at", sa.Double, nullable=False),
    sa.Index("events_by_session", "session", "seq"),
    sa.Index("events_by_turn", "session", "turn", "kind"),
    sqlite_autoincrement=True,
)  # fmt: skip
documents = sa.Table(
    "documents", _tables,
    sa.Column("id", sa.Text, primary_key=True),
    _session(),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("digest", sa.Text, nullable=False),
    sa.Column("chunks", Json, nullable=False),
    sa.Column("added", sa.Double, nullable=False),
)  # fmt: skip
pictures = sa.Table(
    "pictures", _tables,
    _session(primary_key=True),
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("width", sa.Integer, nullable=False),
    sa.Column("height", sa.Integer, nullable=False),
    sa.Column("data", sa.LargeBinary, nullable=False),
    sa.Column("waiting", sa.Boolean, nullable=False),
    sa.Column("added", sa.Double, nullable=False),
    info={"since": "0006"},
)  # fmt: skip


def picture_ids(data: Mapping[str, Any]) -> list[str]:
    """Of the pictures that a turn's event shows."""
    return [str(each["id"]) for each in data.get("pictures", ())]


def pictures_of(data: Mapping[str, Any]) -> tuple[Picture, ...]:
    """Those that a turn's event shows, as the minds have them, their bytes not yet at hand."""
    return tuple(Picture(str(each["id"]), str(each["name"])) for each in data.get("pictures", ()))


shares = sa.Table(
    "shares", _tables,
    sa.Column("id", sa.Text, primary_key=True),
    _session(),
    sa.Column("turns", Json, nullable=False),
    sa.Column("upto", sa.Integer, nullable=False),
    sa.Column("steps", sa.Boolean, nullable=False),
    sa.Column("made", sa.Double, nullable=False),
    sa.Index("shares_by_session", "session"),
    info={"since": "0004"},
)  # fmt: skip
people = sa.Table(
    "people", _tables,
    sa.Column("user", sa.Text, primary_key=True),
    sa.Column("instructions", sa.Text, nullable=False, server_default=""),
    sa.Column("prompts", Json, nullable=False, server_default="{}"),
    sa.Column("remembered", sa.Boolean, nullable=False, server_default=sa.true()),
    info={"since": "0005"},
)  # fmt: skip
found = sa.table("found", sa.column("rowid", sa.Integer), sa.column("text", sa.Text))
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
    _made = sa.DDL(_statement)  # type: ignore[no-untyped-call]
    sa.event.listen(_tables, "after_create", _made.execute_if(dialect="sqlite"))
TRANSCRIPT = Schema(_tables, MIGRATIONS / "transcript")
IN_VIEW = ~turns.c.superseded
OF_TURN = (turns.c.session == events.c.session) & (turns.c.number == events.c.turn)
OF_THIS_TURN = (events.c.session == sa.bindparam("of_session"), events.c.turn == sa.bindparam("of_turn"))
"""The events of a turn that is named when they are asked for."""
