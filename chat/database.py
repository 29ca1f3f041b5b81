"""The transcript's file: SQLite in WAL mode. Writes survive the death of the process (synchronous=NORMAL under WAL)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection

from chat.backups import FAULTS, fault_of
from chat.faults import DiskFull, is_disk_full
from chat.tables import TRANSCRIPT
from storage.engine import WAL
from storage.schema import Schema
from storage.store import Store


class Database(Store):
    """One file; every method may be called from any thread."""

    def __init__(self, path: Path, schema: Schema = TRANSCRIPT) -> None:
        """Raises ChatFault where the file is damaged, foreign or of a newer Duet; it is left as it is then."""
        try:
            super().__init__(path, schema, *WAL, "foreign_keys=ON", "secure_delete=ON", checked=True)
        except FAULTS as error:
            raise fault_of(error, path) from error

    @contextmanager
    def _transaction(self) -> Iterator[Connection]:
        try:
            with super()._transaction() as db:
                yield db
        except BaseException as error:
            if is_disk_full(error):
                raise DiskFull() from error
            raise
