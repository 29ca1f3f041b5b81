"""What each person wishes of all replies, and prompts of their own."""

from __future__ import annotations

from alembic import op

revision, down_revision = "0005", "0004"
PEOPLE = """
CREATE TABLE people (
    user TEXT NOT NULL PRIMARY KEY, instructions TEXT NOT NULL DEFAULT '', prompts TEXT NOT NULL DEFAULT '{}')
"""


def upgrade() -> None:
    op.get_bind().exec_driver_sql(PEOPLE)
