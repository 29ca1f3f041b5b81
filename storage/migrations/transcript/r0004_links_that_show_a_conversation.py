"""Read-only links: the SHA-256 of each one's secret, and which turns it shows, up to which event."""

from __future__ import annotations

from alembic import op

revision, down_revision = "0004", "0003"
SHARES = """
CREATE TABLE shares (
    id TEXT NOT NULL PRIMARY KEY, session TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
    turns TEXT NOT NULL, upto INTEGER NOT NULL, steps BOOLEAN NOT NULL, made DOUBLE NOT NULL)
"""


def upgrade() -> None:
    op.execute(SHARES)
    op.create_index("shares_by_session", "shares", ["session"])
