"""DUET_HOME belongs to one process at a time; a server that holds it leaves word where it listens."""

from __future__ import annotations

import json
import os
import secrets
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from psutil import pid_exists

from chat.faults import ChatFault, HomeLocked
from memory.lock import FolderLock
from memory.memory import MemoryFault, MemoryLocked


@dataclass(frozen=True)
class Address:
    """Where a server of this home listens, and the token that its API asks for."""

    url: str
    token: str
    pid: int


class Home:
    """Held from the moment it is made until `release` or the end of the process. Raises HomeLocked, ChatFault."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            with suppress(PermissionError):  # somebody else's folder, which this person may write
                folder.chmod(folder.stat().st_mode & 0o700)
            self._lock = FolderLock(folder)
        except MemoryLocked as locked:
            raise HomeLocked(str(locked)) from locked
        except (MemoryFault, OSError) as fault:
            raise ChatFault(
                f"{folder} cannot be written: make it writable, or set DUET_HOME to another folder."
            ) from fault
        self._address().unlink(missing_ok=True)

    def announce(self, url: str) -> Address:
        """Lets `ask` and `talk` of the same person find the server; the file is readable by nobody else."""
        address = Address(url, secrets.token_urlsafe(24), os.getpid())
        path = self._address()
        path.unlink(missing_ok=True)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            json.dump(asdict(address), file)
        return address

    def release(self) -> None:
        self._address().unlink(missing_ok=True)
        self._lock.release()

    def _address(self) -> Path:
        return self.folder / "server.json"


def find_server(folder: Path) -> Address | None:
    """What a server of this home announced, if its process lives; whether it is that server, only its proof tells."""
    try:
        address = Address(**json.loads((folder / "server.json").read_text()))
        return address if pid_exists(int(address.pid)) else None
    except (OSError, ValueError, TypeError, OverflowError, RecursionError):
        return None
