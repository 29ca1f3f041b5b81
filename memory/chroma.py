"""The vector index of one user in Chroma, embedded or on a server. It holds no words, and can be made again."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from shutil import rmtree
from threading import Lock
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from urllib.request import urlopen

from memory.faults import plain_faults, probe
from memory.memory import MemoryFault

if TYPE_CHECKING:
    import numpy as np
    from chromadb.api import ClientAPI
    from chromadb.api.models.Collection import Collection
    from numpy.typing import NDArray

GROUPS = ("said", "result")
_AT_ONCE = 256
PATIENCE = 5.0
"""Seconds for which a server is waited for."""
SEAL = "sealed.json"
"""What the files of vectors were when they were last closed."""


class Index:
    """Vectors by the seqs of notes, in groups that are searched apart, each a collection. Raises MemoryFault."""

    def __init__(
        self, client: ClientAPI, place: Path | str, *, prefix: str = "", close: Callable[[], None] = lambda: None
    ) -> None:
        self._client, self._prefix, self._end = client, prefix, close
        self._place = Path(place)
        with plain_faults(self._place):
            self._collections = {group: self._made(group) for group in GROUPS}

    def put(self, group: str, rows: Mapping[int, NDArray[np.float32]]) -> None:
        vectors: Any = [*rows.values()]
        with plain_faults(self._place):
            self._collections[group].upsert(ids=list(map(str, rows)), embeddings=vectors)

    def nearest(self, group: str, row: NDArray[np.float32], most: int) -> Sequence[int]:
        """Seqs, the nearest first; none where the group is empty."""
        vectors: Any = [row]
        with plain_faults(self._place):
            found = self._collections[group].query(query_embeddings=vectors, n_results=most, include=[])
        return [int(each) for each in found["ids"][0]]

    def drop(self, seqs: Sequence[int]) -> None:
        """Unknown ones are no fault."""
        with plain_faults(self._place):
            for start in range(0, len(seqs), _AT_ONCE):
                for collection in self._collections.values():
                    collection.delete(ids=list(map(str, seqs[start : start + _AT_ONCE])))

    def count(self) -> int:
        with plain_faults(self._place):
            return sum(collection.count() for collection in self._collections.values())

    def seqs(self) -> set[int]:
        with plain_faults(self._place):
            return {int(id_) for each in self._collections.values() for id_ in each.get(include=[])["ids"]}

    def clear(self) -> None:
        with plain_faults(self._place):
            for group, collection in self._collections.items():
                self._client.delete_collection(collection.name)
                self._collections[group] = self._made(group)

    def close(self) -> None:
        """Frees memory and files; safe to repeat."""
        self._end()

    def _made(self, group: str) -> Collection:
        return self._client.get_or_create_collection(
            f"{self._prefix}{group}",
            configuration={"hnsw": {"space": "cosine"}},
            embedding_function=None,  # Chroma's own would download a model at the first text
        )


class Embedded:
    """In each user's own folder; what cannot be read there is thrown away, for it can be made again.

    So is what was not closed in order, or was changed since: one file of vectors that is cut short ends the whole
    process when Chroma reads it.
    """

    def open(self, name: str, folder: Path) -> Index:
        """name: of one user's index and nobody else's. folder: the user's own. Raises MemoryFault."""
        if not _whole(folder / "chroma"):
            self.discard(folder)
        try:
            return self._open(folder / "chroma")
        except MemoryFault:
            self.discard(folder)
            return self._open(folder / "chroma")

    def discard(self, folder: Path) -> bool:
        """After a fault: whether the user's index is gone and is to be made again."""
        rmtree(folder / "chroma", ignore_errors=True)
        return True

    def close(self) -> None:
        """Each index has a client of its own."""

    def _open(self, place: Path) -> Index:
        probe(place)
        with plain_faults(place):
            chroma, settings = _chroma()
            client: Any = chroma.PersistentClient(str(place), settings)

        def end() -> None:
            client.close()
            _seal(place)

        index = Index(client, place, close=end)
        index.count()  # what is damaged says so here
        return index


def _whole(place: Path) -> bool:
    """Whether the files of vectors are as they were left."""
    try:
        sealed = json.loads((place / SEAL).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        sealed = {}
    return bool(sealed == _files(place))


def _seal(place: Path) -> None:
    with suppress(OSError):  # the folder may be gone, or the disk full: it is made again then
        (place / SEAL).write_text(json.dumps(_files(place)), encoding="utf-8")


def _files(place: Path) -> dict[str, list[int]]:
    """Size and time of each."""
    found = ((str(path.relative_to(place)), path.stat()) for path in place.glob("*/*"))
    return {name: [stat.st_size, stat.st_mtime_ns] for name, stat in found}


EMBEDDED = Embedded()


class OnServer:
    """On a Chroma server, http://host:port; each index has collections of its own. Raises MemoryFault."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        try:
            port = parts.port
        except ValueError:  # none of the numbers that a port can have
            port = -1
        if parts.scheme not in ("http", "https") or not parts.hostname or port == -1:
            raise MemoryFault(f"DUET_CHROMA is `{address}`; it must be an address such as http://127.0.0.1:8000.")
        self._address, self._host, self._secure = address, parts.hostname, parts.scheme == "https"
        self._port = port or (443 if self._secure else 80)
        self._client: Any = None
        self._lock = Lock()

    def open(self, name: str, folder: Path) -> Index:
        with self._lock:
            self._client = self._client or self._connected()
        return Index(self._client, self._address, prefix=f"duet-{name}-")

    def _connected(self) -> Any:
        try:
            urlopen(f"{self._address.rstrip('/')}/api/v2/heartbeat", timeout=PATIENCE).close()
            chroma, settings = _chroma()
            client: Any = chroma.HttpClient(self._host, self._port, self._secure, settings=settings)
        except Exception as fault:
            raise MemoryFault(
                f"The Chroma server at {self._address} does not answer: start it, or unset DUET_CHROMA."
            ) from fault
        client._server._session.timeout = PATIENCE  # Chroma would wait for ever, and so would the person
        return client

    def close(self) -> None:
        with self._lock:
            client, self._client = self._client, None
            for each in (client, client._admin_client) if client else ():
                each._server._session.close()  # Chroma leaves its connections open
            if client:
                client.close()

    def discard(self, folder: Path) -> bool:
        """A server that is away comes back with all that it has."""
        return False


Indexes = Embedded | OnServer
"""Where users' indexes are."""


def _chroma() -> tuple[Any, Any]:
    """Chroma and its settings."""
    os.environ.setdefault("ANONYMIZED_TELEMETRY", "False")  # read by parts of Chroma that get no settings
    import chromadb
    from chromadb.config import Settings

    # No .env: Chroma would read the person's own. No endpoint: nothing is reported anywhere.
    private: Any = {"_env_file": None, "anonymized_telemetry": False, "chroma_otel_collection_endpoint": ""}
    return chromadb, Settings(**private)
