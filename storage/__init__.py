"""The data layer: SQLAlchemy Core over SQLite, brought to its newest tables by Alembic. It imports none of ours."""
