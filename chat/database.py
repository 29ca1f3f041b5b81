"""The transcript's file: SQLite in WAL mode. Writes survive the death of the process (synchronous=NORMAL under WAL)."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from chat.backups import fault_of
from chat.faults import DiskFull, is_disk_full
from chat.schema import MIGRATIONS, migrate, own


class Database:
    """One file; every method may be called from any thread."""

    def __init__(self, path: Path, migrations: Sequence[str] = MIGRATIONS) -> None:
        """Raises ChatFault where the file is damaged, foreign or of a newer Duet; it is left as it is then."""
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        self._lock = threading.RLock()
        try:
            own(path)
            self._db = sqlite3.connect(path, check_same_thread=False, isolation_level=None, timeout=5)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=NORMAL")
            self._db.execute("PRAGMA foreign_keys=ON")
            migrate(self._db, path, migrations)
        except (sqlite3.DatabaseError, OSError) as error:
            raise fault_of(error, path) from error

    def close(self) -> None:
        with self._lock:
            self._db.close()

    def _read(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        with self._lock:
            return self._db.execute(query, _bound(values)).fetchall()

    def _write(self, query: str, values: Sequence[Any] = ()) -> None:
        with self._transaction() as db:
            db.execute(query, _bound(values))

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                self._db.execute("BEGIN IMMEDIATE")
                yield self._db
                self._db.execute("COMMIT")
            except BaseException as error:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                if is_disk_full(error):
                    raise DiskFull() from error
                raise


def whole(text: str) -> str:
    """Without halves of characters (a stream may be cut within one), which cannot be stored."""
    return text.encode(errors="replace").decode()


def _bound(values: Sequence[Any]) -> list[Any]:
    """What is asked for may be anybody's text: an id that cannot be stored is one that is not there."""
    return [whole(value) if isinstance(value, str) else value for value in values]
