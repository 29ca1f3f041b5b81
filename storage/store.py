"""One database of the home, its tables at their newest; any thread may use it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import local
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.sql.expression import Executable

from storage.engine import shared, transaction, writer
from storage.schema import Schema, check


class Store:
    """Raises StorageFault, SQLAlchemyError, OSError."""

    def __init__(self, path: Path, schema: Schema, *pragmas: str, checked: bool = False) -> None:
        """`checked`: whether the file is whole is looked at first. A file that is none of ours is left as it is."""
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.path, self._closed = path, False
        self._opened, self._under_way = writer(path, *pragmas), local()
        self._engine = shared(self._connect)
        try:
            with self._engine.connect() as db:
                if checked:
                    check(db)
                    db.rollback()
                schema.settle(db, path)
        except BaseException:
            self._engine.dispose()
            raise

    def close(self) -> None:
        """Waits for whoever is at it. Safe to repeat."""
        if not self._closed:
            with self._engine.connect() as db:
                self._closed = True
                db.detach()

    def _connect(self) -> sqlite3.Connection:
        if self._closed:
            raise sqlite3.ProgrammingError("the database is closed")
        return self._opened()

    def _read(self, query: Executable, values: Any = None) -> Sequence[Any]:
        if db := getattr(self._under_way, "db", None):
            found: Sequence[Any] = db.execute(query, values).all()
            return found
        with self._engine.connect() as db:
            return db.execute(query, values).all()

    def _write(self, query: Executable, values: Any = None) -> int:
        """The number of rows that it met."""
        with self._transaction() as db:
            return db.execute(query, values).rowcount

    @contextmanager
    def _transaction(self) -> Iterator[Connection]:
        """What the thread reads and writes within one belongs to it: there is no other connection."""
        if db := getattr(self._under_way, "db", None):
            yield db
            return
        with self._engine.connect() as db, transaction(db):
            self._under_way.db = db
            try:
                yield db
            finally:
                self._under_way.db = None
