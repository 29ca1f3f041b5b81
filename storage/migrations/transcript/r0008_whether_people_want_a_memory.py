"""Whether each person wants a memory, also where their notes have to be made anew."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision, down_revision = "0008", "0007"


def upgrade() -> None:
    op.add_column("people", sa.Column("remembered", sa.Boolean(), nullable=False, server_default=sa.true()))
