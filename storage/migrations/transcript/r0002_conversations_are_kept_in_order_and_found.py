"""Who named a conversation, whether it is pinned or archived, its folder; and an index of all that was said."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision, down_revision = "0002", "0001"
FINDING = """
CREATE VIEW spoken AS SELECT seq, json_extract(data, '$.text') AS text FROM events;
CREATE VIRTUAL TABLE found USING fts5(text, content='spoken', content_rowid='seq', tokenize='trigram');
CREATE TRIGGER found_new AFTER INSERT ON events
WHEN new.kind = 'turn' OR (new.kind = 'reply' AND json_extract(new.data, '$.final'))
BEGIN INSERT INTO found(rowid, text) VALUES (new.seq, json_extract(new.data, '$.text')); END;
CREATE TRIGGER found_gone AFTER DELETE ON events
WHEN old.kind = 'turn' OR (old.kind = 'reply' AND json_extract(old.data, '$.final'))
BEGIN INSERT INTO found(found, rowid, text) VALUES ('delete', old.seq, json_extract(old.data, '$.text')); END;
INSERT INTO found(rowid, text) SELECT seq, json_extract(data, '$.text') FROM events
WHERE kind = 'turn' OR (kind = 'reply' AND json_extract(data, '$.final'));
"""


def upgrade() -> None:
    for name, kind, default in (
        ("named_by", sa.Text(), "person"),
        ("pinned", sa.Boolean(), sa.false()),
        ("archived", sa.Boolean(), sa.false()),
        ("folder", sa.Text(), ""),
    ):
        op.add_column("sessions", sa.Column(name, kind, nullable=False, server_default=default))
    db = op.get_bind()
    for statement in FINDING.split(";\n"):
        if statement.strip():
            db.exec_driver_sql(statement)
