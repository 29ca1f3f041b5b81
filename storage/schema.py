"""The tables of one kind of database, and how a file that an earlier version wrote is brought to them.

A new file gets the newest tables at once. One that is there already is taken through the revisions that it lacks, by
Alembic, all of them or none; Alembic is loaded only then. What was released is never changed: a revision is added.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any

from sqlalchemy import JSON, Column, Connection, MetaData, String, Table, inspect
from sqlalchemy.ext.compiler import compiles

from storage.engine import pragma, transaction

MIGRATIONS = Path(__file__).parent / "migrations"
COUNTED = 1
"""The version (PRAGMA user_version) of transcripts when Alembic took over."""
_version = Table("alembic_version", MetaData(), Column("version_num", String(32), primary_key=True))
_migrating = Lock()
"""Alembic's context is the process's."""


class StorageFault(Exception):
    """A file that cannot be used as it is; the text is one sentence that says what to do."""


class Foreign(StorageFault): ...


class Newer(StorageFault): ...


class Json(JSON):
    """Stored as text in SQLite, as it always was."""


@compiles(Json, "sqlite")
def _as_text(*_: Any, **__: Any) -> str:
    return "TEXT"


@dataclass(frozen=True)
class Schema:
    """Tables, and the folder of the revisions that lead to them: `r0001_what_it_does.py`, revision `0001`."""

    tables: MetaData
    folder: Path

    @cached_property
    def revisions(self) -> tuple[str, ...]:
        """Oldest first."""
        return tuple(sorted(path.stem[1:5] for path in self.folder.glob("r[0-9]*.py")))

    def settle(self, db: Connection, path: Path) -> None:
        """Brings the database, which no transaction is under way in, to the newest tables. Raises StorageFault."""
        if self._outdated(db, path):
            with _without_foreign_keys(db), transaction(db):
                if version := self.version(db, path):  # another process may have been here meanwhile
                    self._upgrade(db, version)
                else:
                    for tables in (self.tables, _version.metadata):
                        tables.create_all(db, checkfirst=False)
                    db.execute(_version.insert(), {"version_num": self.revisions[-1]})

    def version(self, db: Connection, path: Path) -> str:
        """Its revision; `0000` for tables of before Alembic, nothing where there are none yet. Raises StorageFault."""
        names, counted = set(inspect(db).get_table_names()), pragma(db, "user_version")
        oldest = {name for name, table in self.tables.tables.items() if not table.info.get("since")}
        if (names or counted) and not names >= oldest:
            raise Foreign(
                f"{path} is the database of another program: move it away, or set DUET_HOME to another folder."
            )
        known = _version.name in names and db.execute(_version.select()).scalar()
        if counted > COUNTED or (known and known > self.revisions[-1]):
            raise Newer(f"{path} was written by a newer Duet: update Duet, or set DUET_HOME to another folder.")
        return str(known or "0000") if names else ""

    def _outdated(self, db: Connection, path: Path) -> bool:
        try:
            return self.version(db, path) != self.revisions[-1]
        finally:
            db.rollback()

    def _upgrade(self, db: Connection, version: str) -> None:
        if version == self.revisions[-1]:
            return
        from alembic import command
        from alembic.config import Config

        config = Config(attributes={"connection": db})
        options = {"script_location": MIGRATIONS, "version_locations": self.folder, "path_separator": "newline"}
        for name, value in options.items():
            config.set_main_option(name, str(value).replace("%", "%%"))
        with _migrating:
            command.upgrade(config, "head")


@contextmanager
def _without_foreign_keys(db: Connection) -> Iterator[None]:
    """While tables are rewritten: dropping the old one would take with it all that refers to it."""
    on = pragma(db, "foreign_keys")
    pragma(db, "foreign_keys=0")
    db.rollback()
    try:
        yield
    finally:
        pragma(db, f"foreign_keys={on}")
        db.rollback()
