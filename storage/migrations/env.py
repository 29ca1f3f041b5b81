"""What Alembic runs: the revisions of one schema, in the transaction of whoever asked (storage/schema.py)."""

from __future__ import annotations

from alembic import context

context.configure(connection=context.config.attributes["connection"], render_as_batch=True, transactional_ddl=True)
with context.begin_transaction():
    context.run_migrations()
