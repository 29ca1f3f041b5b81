"""Turns what goes wrong in Chroma and its database into one sentence for a person."""

from __future__ import annotations

import errno
import logging
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from sqlalchemy.exc import TimeoutError as WaitedTooLong

from memory.memory import MemoryBusy, MemoryFault, MemoryLocked
from storage.engine import cause
from storage.schema import Foreign, Newer

_log = logging.getLogger(__name__)
PASSING = (errno.EMFILE, errno.ENFILE, errno.EIO)
"""What keeps a file from being opened and may be over soon."""


def probe(folder: Path) -> None:
    """Look at Chroma's database before Chroma does: where another program writes to it, Chroma waits for minutes."""
    path = folder / "chroma.sqlite3"
    if not path.exists():
        return
    try:
        with closing(sqlite3.connect(path, timeout=0.3, isolation_level=None)) as database:
            database.execute("BEGIN IMMEDIATE")
            database.execute("SELECT count(*) FROM sqlite_master").fetchone()
            database.execute("ROLLBACK")
    except sqlite3.DatabaseError as fault:
        if _held(fault):
            raise MemoryLocked(
                f"The memory in {folder} is in use by a program other than Duet: "
                "stop it, or set DUET_HOME to another folder."
            ) from fault
        raise damage(folder, fault) from fault


def _held(fault: BaseException) -> bool:
    """Somebody else writes to the file; the last byte of a code is its kind."""
    code = getattr(fault, "sqlite_errorcode", None) or 0
    return code & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


@contextmanager
def plain_faults(folder: Path) -> Iterator[None]:
    try:
        yield
    except (MemoryFault, KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException as fault:  # a panic in Chroma's Rust part is a BaseException
        raise damage(folder, fault) from fault


def damage(folder: Path, fault: BaseException) -> MemoryFault:
    if isinstance(fault, Newer):
        return MemoryFault(str(fault))
    fault = cause(fault)
    if isinstance(fault, WaitedTooLong) or _held(fault):
        return MemoryBusy("The memory is busy: ask again in a minute.")
    text = f"{type(fault).__name__}: {fault}"
    _log.warning("memory: %s", text)
    if "database is closed" in text or ("bindings" in text and isinstance(fault, AttributeError)):
        return MemoryFault("The memory is closed.")
    if ("full" in text and "disk" in text) or "No space left" in text:
        return MemoryFault(f"The disk that holds the memory in {folder} is full: free some space.")
    if "readonly" in text or "unable to open" in text or "ermission denied" in text:
        return MemoryFault(f"The memory in {folder} cannot be written: make the folder writable.")
    if isinstance(fault, OSError) and fault.errno in PASSING:
        return MemoryFault(f"The memory in {folder} cannot be opened ({fault.strerror}): ask again in a minute.")
    return MemoryFault(
        f"The memory in {folder} is damaged: move that folder away; it is built again from the conversations."
    )


def unreadable(fault: BaseException | None) -> bool:
    """Whether what is there is no file, or SQLite read it and found it damaged, another program's, or with other tables
    than it says; what it could not do it may do later."""
    found = fault and cause(fault)
    if isinstance(found, sqlite3.OperationalError):
        return str(found).startswith(("no such table", "no such column"))
    return type(found) in (sqlite3.DatabaseError, Foreign, IsADirectoryError)
