"""Files of SQLite as all of Duet opens them, a transaction on one, and the store that keeps one open."""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from threading import local
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.util import LRUCache

PATIENCE = 60.0
"""Seconds for which a thread waits for the file's one connection."""
AT_ONCE, BREATH = 50, 0.01
"""Rows of one of `parts`, and seconds between two transactions: without them the same thread is the first again."""
Row = TypeVar("Row")
_COMPILED: LRUCache[Any, Any] = LRUCache(1_000)
"""Compiled queries are kept, more than there are."""
WAL = ("journal_mode=WAL", "synchronous=NORMAL")
"""What is committed survives the death of the process, and readers of other processes never wait."""


class Damaged(Exception):
    """What SQLite found."""


class _Cursor(sqlite3.Cursor):
    """What is asked for may be anybody's text: an id that cannot be stored is one that is not there."""

    def execute(self, statement: str, values: Any = ()) -> _Cursor:
        try:
            return super().execute(statement, values)
        except UnicodeEncodeError:
            return super().execute(statement, _whole_row(values))

    def executemany(self, statement: str, rows: Iterable[Any]) -> _Cursor:
        return super().executemany(statement, [_whole_row(row) for row in rows])  # none of them may be written twice


class _Connection(sqlite3.Connection):
    def cursor(self, factory: Any = _Cursor) -> Any:
        return super().cursor(factory)


def own(path: Path) -> None:
    """The file is its owner's alone, from its first byte on."""
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    with suppress(PermissionError):
        path.chmod(0o600)


def writer(path: Path, *pragmas: str, timeout: float = 5.0) -> Callable[[], sqlite3.Connection]:
    """Opens the file, and makes it where there is none. `timeout`: seconds for which it waits for other processes."""

    def connect() -> sqlite3.Connection:
        own(path)
        db = _opened(path, timeout)
        try:
            for pragma in pragmas:
                db.execute(f"PRAGMA {pragma}")
        except BaseException:
            db.close()
            raise
        return db

    return connect


def shared(connect: Callable[[], sqlite3.Connection]) -> sa.Engine:
    """One connection, which threads take in turn: SQLite has one writer at a time anyway."""
    return _engine(connect, sa.QueuePool, pool_size=1, max_overflow=0, timeout=PATIENCE)


def afresh(connect: Callable[[], sqlite3.Connection]) -> sa.Engine:
    """Opens the file for each use and closes it behind it."""
    return _engine(connect, sa.NullPool)


def reading(path: Path) -> sa.Engine:
    """The file as it is, opened for each use; whoever writes to it is told that it is read-only."""
    address = f"{path.resolve().as_uri()}?mode=ro"
    return afresh(lambda: _opened(address, 5, uri=True))


def _opened(address: str | Path, timeout: float, *, uri: bool = False) -> sqlite3.Connection:
    return sqlite3.connect(
        address, timeout=timeout, check_same_thread=False, isolation_level=None, uri=uri, factory=_Connection
    )


def _engine(connect: Any, kind: type[sa.Pool], **limits: Any) -> sa.Engine:
    pool, compiled = kind(connect, dialect=_dialect(), **limits), {"compiled_cache": _COMPILED}
    # What was said has no place in the text of an error, so it has none in a log.
    return sa.Engine(pool, _dialect(), sa.make_url("sqlite://"), hide_parameters=True, execution_options=compiled)


@cache
def _dialect() -> sa.Dialect:
    """One for all files: what is compiled of a query belongs to it, and a file is often opened for a single one."""
    engine = sa.create_engine("sqlite://", json_serializer=written)
    engine.connect().close()  # it asks the library of its version
    engine.dispose()
    return engine.dialect


def _whole_row(values: Any) -> Any:
    if isinstance(values, dict):
        return {name: whole(value) if isinstance(value, str) else value for name, value in values.items()}
    return tuple(whole(value) if isinstance(value, str) else value for value in values)


@contextmanager
def transaction(db: sa.Connection) -> Iterator[sa.Connection]:
    """Whole or not at all; committed, and thus kept, when it is left. No other one may be under way on `db`."""
    with db.begin():
        if db.dialect.name == "sqlite":  # the lock first: one that reads and then writes could not get it any more
            db.exec_driver_sql("BEGIN IMMEDIATE")
        yield db


def parts(rows: Sequence[Row]) -> Iterator[Sequence[Row]]:
    """Of very many rows some at a time, for transactions of their own: other threads have their turn in between."""
    for start in range(0, len(rows), AT_ONCE):
        if start:
            time.sleep(BREATH)
        yield rows[start : start + AT_ONCE]


def key_of(inserted: sa.CursorResult[Any]) -> int:
    """The number that a new row was given."""
    key = inserted.inserted_primary_key
    assert key is not None
    return int(key[0])


def cause(error: BaseException) -> BaseException:
    """What the driver said, without the statement around it."""
    return getattr(error, "orig", None) or error


def written(value: object) -> str:
    return whole(json.dumps(value, ensure_ascii=False))


def whole(text: str) -> str:
    """Without halves of characters (a stream may be cut within one), which cannot be stored."""
    return text.encode(errors="replace").decode()


def check(db: sa.Connection) -> None:
    """Raises Damaged where SQLite finds the file not whole."""
    found = pragma(db, "quick_check(1)") or "ok"
    if found != "ok":
        raise Damaged(str(found).splitlines()[-1])


def pragma(db: sa.Connection, name: str) -> Any:
    """What SQLite says to it; nothing where it was set, or another database is asked."""
    said = db.exec_driver_sql(f"PRAGMA {name}") if db.dialect.name == "sqlite" else None
    return said.scalar() if said and said.returns_rows else 0


class Store:
    """One database of the home, its tables at their newest; any thread may use it.

    Raises StorageFault, SQLAlchemyError, OSError.
    """

    def __init__(
        self, path: Path, settle: Callable[[sa.Connection, Path], None], *pragmas: str, checked: bool = False
    ) -> None:
        """`settle`: of the tables' Schema. `checked`: whether the file is whole is looked at first. A file that is none
        of ours is left as it is."""
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.path, self._closed = path, False
        self._opened, self._under_way = writer(path, *pragmas), local()
        self._engine = shared(self._connect)
        try:
            with self._engine.connect() as db:
                if checked:
                    check(db)
                    db.rollback()
                settle(db, path)
        except BaseException:
            self._engine.dispose()
            raise

    def close(self) -> None:
        """Waits for whoever is at it. Safe to repeat."""
        if not self._closed:
            with self._engine.connect() as db:
                self._closed = True
                db.detach()

    @property
    def busy(self) -> bool:
        """Whether somebody is at it."""
        pool = self._engine.pool
        return isinstance(pool, sa.QueuePool) and pool.checkedout() > 0

    def _connect(self) -> sqlite3.Connection:
        if self._closed:
            raise sqlite3.ProgrammingError("the database is closed")
        return self._opened()

    def _read(self, query: sa.Executable, values: Any = None) -> Sequence[Any]:
        if db := getattr(self._under_way, "db", None):
            found: Sequence[Any] = db.execute(query, values).all()
            return found
        with self._engine.connect() as db:
            return db.execute(query, values).all()

    def _write(self, query: sa.Executable, values: Any = None) -> int:
        """The number of rows that it met."""
        with self._transaction() as db:
            return db.execute(query, values).rowcount

    @contextmanager
    def _transaction(self) -> Iterator[sa.Connection]:
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
