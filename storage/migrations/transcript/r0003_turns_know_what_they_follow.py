"""Which turn each turn follows (0: none does), told from how the conversation went: edits and what was taken back."""

from __future__ import annotations

from itertools import groupby

import sqlalchemy as sa
from alembic import op

revision, down_revision = "0003", "0002"
WENT = """
SELECT session, turn, kind, json_extract(data, '$.edits'), json_extract(data, '$.from') FROM events
WHERE kind IN ('turn', 'superseded') ORDER BY session, seq
"""
FOLLOWS = "UPDATE turns SET parent = ? WHERE session = ? AND number = ?"


def upgrade() -> None:
    op.add_column("turns", sa.Column("parent", sa.Integer(), nullable=False, server_default="0"))
    db = op.get_bind()
    went = db.exec_driver_sql(WENT).all()
    for session, events in groupby(went, key=lambda event: event[0]):
        path: list[int] = []
        for _, turn, kind, edits, taken_back in events:
            again = edits if kind == "turn" else taken_back
            if again in path:
                path = path[: path.index(again)]
            if kind == "turn":
                parent = path[-1] if path else 0
                db.exec_driver_sql(
                    "UPDATE turns SET parent = ? WHERE session = ? AND number = ?", (parent, session, turn)
                )
                path.append(turn)
