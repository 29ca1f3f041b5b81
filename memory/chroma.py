"""The vector index of one user in Chroma, embedded or on a server. It holds no words, and can be made again."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlsplit

from memory.faults import plain_faults, probe
from memory.memory import MemoryFault

if TYPE_CHECKING:
    import numpy as np
    from chromadb.api import ClientAPI
    from chromadb.api.models.Collection import Collection
    from numpy.typing import NDArray

_AT_ONCE = 256


class Index(Protocol):
    """Vectors by the seqs of notes, in groups that are searched apart. Raises MemoryFault."""

    def put(self, group: str, rows: Mapping[int, NDArray[np.float32]]) -> None: ...

    def nearest(self, group: str, row: NDArray[np.float32], most: int) -> Sequence[int]:
        """Seqs, the nearest first; none where the group is empty."""
        ...

    def drop(self, seqs: Sequence[int]) -> None:
        """Unknown ones are no fault."""
        ...

    def count(self) -> int: ...

    def clear(self) -> None: ...

    def close(self) -> None: ...


class ChromaIndex:
    """A collection for each group, made when first written; those of another embedder are emptied when opened."""

    def __init__(
        self, client: ClientAPI, groups: Sequence[str], place: Path | str, *, prefix: str, embedder: str
    ) -> None:
        self._client, self._prefix, self._embedder = client, prefix, embedder
        self._groups, self._place = groups, Path(place)
        self._open: dict[str, Collection] = {}
        with plain_faults(self._place):
            for collection in client.list_collections():
                if collection.name in map(self._named, groups) and (collection.metadata or {}).get("by") != embedder:
                    client.delete_collection(collection.name)

    def put(self, group: str, rows: Mapping[int, NDArray[np.float32]]) -> None:
        seqs = list(rows)
        with plain_faults(self._place):
            for start in range(0, len(seqs), _AT_ONCE):
                some = seqs[start : start + _AT_ONCE]
                vectors: Any = [rows[seq] for seq in some]
                self._collection(group).upsert(ids=[str(seq) for seq in some], embeddings=vectors)

    def nearest(self, group: str, row: NDArray[np.float32], most: int) -> Sequence[int]:
        vectors: Any = [row]
        with plain_faults(self._place):
            found = self._collection(group).query(query_embeddings=vectors, n_results=most, include=[])
        return [int(each) for each in found["ids"][0]]

    def drop(self, seqs: Sequence[int]) -> None:
        with plain_faults(self._place):
            for group in self._groups:
                for start in range(0, len(seqs), _AT_ONCE):
                    self._collection(group).delete(ids=[str(seq) for seq in seqs[start : start + _AT_ONCE]])

    def count(self) -> int:
        with plain_faults(self._place):
            return sum(self._collection(group).count() for group in self._groups)

    def clear(self) -> None:
        with plain_faults(self._place):
            known = {collection.name for collection in self._client.list_collections()}
            for group in self._groups:
                self._open.pop(group, None)
                if self._named(group) in known:
                    self._client.delete_collection(self._named(group))

    def close(self) -> None:
        """Frees memory and files; safe to repeat."""
        self._open.clear()
        close = getattr(self._client, "close", None)  # the class behind the interface has it
        if close and not self._prefix:
            close()

    def _collection(self, group: str) -> Collection:
        if group not in self._open:
            self._open[group] = self._client.get_or_create_collection(
                self._named(group),
                metadata={"by": self._embedder},
                configuration={"hnsw": {"space": "cosine"}},
                embedding_function=None,  # Chroma's own would download a model at the first text
            )
        return self._open[group]

    def _named(self, group: str) -> str:
        return f"{self._prefix}{group}"


OpenIndex = Callable[[str, Path, Sequence[str], str], Index]
"""(user, folder, groups, embedder's name) -> the index, opened. Raises MemoryFault."""


def embedded(user: str, folder: Path, groups: Sequence[str], embedder: str) -> Index:
    """In the user's own folder; what cannot be read there is thrown away, for it can be made again."""
    place = folder / "chroma"
    try:
        return _embedded(place, groups, embedder)
    except MemoryFault:
        rmtree(place, ignore_errors=True)
        return _embedded(place, groups, embedder)


def _embedded(place: Path, groups: Sequence[str], embedder: str) -> Index:
    probe(place)
    with plain_faults(place):
        client = _chroma().PersistentClient(str(place), _settings())
    index = ChromaIndex(client, groups, place, prefix="", embedder=embedder)
    index.count()  # what is damaged says so here
    return index


def on_server(address: str) -> OpenIndex:
    """On a Chroma server, http://host:port; each user's collections have names of their own. Raises MemoryFault."""
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise MemoryFault(f"DUET_CHROMA is `{address}`; it must be an address such as http://127.0.0.1:8000.")

    def opened(user: str, folder: Path, groups: Sequence[str], embedder: str) -> Index:
        prefix = "duet-" + sha256(user.encode("utf-8", "surrogatepass")).hexdigest()[:32] + "-"
        port = parts.port or (443 if parts.scheme == "https" else 80)
        try:
            client = _chroma().HttpClient(str(parts.hostname), port, parts.scheme == "https", settings=_settings())
        except Exception as fault:
            raise MemoryFault(
                f"The Chroma server at {address} does not answer: start it, or unset DUET_CHROMA."
            ) from fault
        return ChromaIndex(client, groups, address, prefix=prefix, embedder=embedder)

    return opened


def _chroma() -> Any:
    os.environ.setdefault("ANONYMIZED_TELEMETRY", "False")  # read by parts of Chroma that get no settings
    import chromadb

    return chromadb


def _settings() -> Any:
    from chromadb.config import Settings

    # No .env: Chroma would read the person's own. No endpoint: nothing is reported anywhere.
    private: Any = {"_env_file": None, "anonymized_telemetry": False, "chroma_otel_collection_endpoint": ""}
    return Settings(**private)
