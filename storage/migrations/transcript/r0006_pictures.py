"""Pictures that people show, as they were drawn anew."""

from __future__ import annotations

from alembic import op

revision, down_revision = "0006", "0005"
PICTURES = """
CREATE TABLE pictures (
    session TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE, id TEXT NOT NULL, name TEXT NOT NULL,
    width INTEGER NOT NULL, height INTEGER NOT NULL, data BLOB NOT NULL, waiting BOOLEAN NOT NULL,
    added DOUBLE NOT NULL, PRIMARY KEY (session, id))
"""


def upgrade() -> None:
    op.get_bind().exec_driver_sql(PICTURES)
