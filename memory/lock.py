"""One process at a time: a lock that its holder's death frees, and that says who the holder is."""

from __future__ import annotations

import fcntl
import os
import sys
from pathlib import Path

from psutil import pid_exists

from memory.memory import MemoryFault, MemoryLocked


class FolderLock:
    """Taken when made, freed by `release` or by the end of the process. Raises MemoryLocked, MemoryFault."""

    def __init__(self, folder: Path) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._file = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as fault:
            raise MemoryFault(
                f"The memory's folder {folder} cannot be written ({fault.strerror}): "
                "make it writable, or set DUET_HOME to another folder."
            ) from fault
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = _holder(self._file)
            os.close(self._file)
            raise MemoryLocked(
                f"{folder} is in use by {holder}: stop it, or set DUET_HOME to another folder."
            ) from None
        os.ftruncate(self._file, 0)
        os.pwrite(self._file, f"{os.getpid()}\n{_command()}\n".encode(errors="replace"), 0)

    def release(self) -> None:
        """Safe to repeat. The file stays: deleting it would let two processes lock two files of one name."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def _holder(file: int) -> str:
    pid, _, command = os.pread(file, 500, 0).decode(errors="replace").partition("\n")
    alive = pid.isdigit() and pid_exists(int(pid))  # one that has just taken the lock has yet to write its name
    return f"process {pid} ({command.strip() or 'unknown command'})" if alive else "another process"


def _command() -> str:
    """The program and its first word only: what follows may be a question or a key."""
    return " ".join([Path(sys.argv[0]).name or "python", *sys.argv[1:2]])[:80]
