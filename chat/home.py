"""DUET_HOME belongs to one process at a time; a server that holds it leaves word where it listens.

A process of the owner and the server know each other: both hold the key of DUET_HOME, and neither sends it. Who takes
the port of a dead server learns nothing from what comes there.
"""

from __future__ import annotations

import hmac
import json
import os
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from psutil import pid_exists

from chat.faults import ChatFault, HomeLocked
from memory.lock import FolderLock
from memory.memory import MemoryFault, MemoryLocked

if TYPE_CHECKING:
    import httpx2
    from starlette.datastructures import Headers
    from starlette.types import Scope


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
            served = find_server(folder)
            said = f"Duet is served from {folder} already, at {served.url}" if served else ""
            raise HomeLocked(f"{said}: use that, or stop process {served.pid}." if served else str(locked)) from locked
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


# -- how a process of the owner and the server know each other


WINDOW = 60
"""Seconds for which a signed request is taken."""


def proof_of(key: str, text: str) -> str:
    """Shows that one holds the key, without it."""
    return hmac.new(key.encode(), text.encode(), sha256).hexdigest()


def same(one: str, other: str) -> bool:
    """Compared in a time that tells nothing; "" is like nothing."""
    return bool(one) and hmac.compare_digest(one.encode(errors="replace"), other.encode())


def signature(key: str, at: str, method: str, target: str) -> str:
    """Of a request; `target` is its path with the query."""
    return proof_of(key, f"request\n{at}\n{method}\n{target}")


def signer(key: str) -> Callable[[httpx2.Request], httpx2.Request]:
    """Signs a client's requests."""

    def sign(request: httpx2.Request) -> httpx2.Request:
        at = str(int(time.time()))
        proof = signature(key, at, request.method, request.url.raw_path.decode("ascii"))
        request.headers["Authorization"] = f"Duet {at}:{proof}"
        return request

    return sign


def is_owners(key: str, scope: Scope, headers: Headers) -> bool:
    """Whether the request carries the server's key, or is signed with it."""
    kind, _, given = headers.get("authorization", "").partition(" ")
    if kind == "Bearer":
        return same(given, key)
    at, _, proof = given.partition(":")
    if kind != "Duet" or not at.isdecimal() or len(at) > 12 or abs(time.time() - int(at)) > WINDOW:
        return False
    target = scope["raw_path"].decode("latin-1")
    query = scope["query_string"].decode("latin-1")
    return same(proof, signature(key, at, scope["method"], f"{target}?{query}" if query else target))
