"""The transcript's tables: conversations, turns, events, documents."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, Double, ForeignKey, Index, Integer, MetaData, Table, Text, false

from storage.schema import MIGRATIONS, Json, Schema

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
TRANSCRIPT = Schema(_tables, MIGRATIONS / "transcript")
IN_VIEW = ~turns.c.superseded
OF_TURN = (turns.c.session == events.c.session) & (turns.c.number == events.c.turn)
