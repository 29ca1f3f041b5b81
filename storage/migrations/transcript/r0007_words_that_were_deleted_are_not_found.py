"""The index of what was said follows a text that changes, as one that is deleted does; it is made anew once."""

from __future__ import annotations

from alembic import op

revision, down_revision = "0007", "0006"
SPOKEN = "{0}.kind = 'turn' OR ({0}.kind = 'reply' AND json_extract({0}.data, '$.final'))"
STATEMENTS = (
    f"CREATE TRIGGER found_other AFTER UPDATE OF data ON events WHEN {SPOKEN.format('old')} BEGIN "
    "INSERT INTO found(found, rowid, text) VALUES ('delete', old.seq, json_extract(old.data, '$.text')); "
    "INSERT INTO found(rowid, text) VALUES (new.seq, json_extract(new.data, '$.text')); END",
    "INSERT INTO found(found) VALUES ('delete-all')",
    "INSERT INTO found(rowid, text) SELECT seq, json_extract(data, '$.text') FROM events "
    f"WHERE {SPOKEN.format('events')}",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.get_bind().exec_driver_sql(statement)
