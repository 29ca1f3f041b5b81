"""Facts that several turns told are found without reading all facts."""

from __future__ import annotations

from alembic import op

revision, down_revision = "0002", "0001"


def upgrade() -> None:
    op.execute("CREATE INDEX IF NOT EXISTS notes_told_again ON notes(seq) WHERE json_extract(about, '$.again') <> ''")
