"""The dialogue memory in Chroma: one folder, one process, one collection a user.

Chroma is an index that can be made again (`ChromaStore.rebuilt`): the transcripts are the source of truth.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from itertools import groupby, islice
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

from memory.faults import plain_faults, probe
from memory.lock import FolderLock
from memory.memory import DialogueMemory, MemoryFault, Note, Recall
from memory.results import Results
from memory.verify import differs, spoken

if TYPE_CHECKING:
    import numpy as np
    from chromadb.api import ClientAPI
    from chromadb.api.models.Collection import Collection
    from numpy.typing import NDArray

T = TypeVar("T")
_NEAREST, _FARTHEST = 24, 384
"""How many neighbours are looked at, at least, and at most where the nearest all hold for another day or session."""
_AT_ONCE = 256


class Embeds(Protocol):
    """What the store needs of an embedder: rows of unit length, shape (len(texts), width)."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]: ...


class ChromaStore:
    """All users' memories in one folder, held by this process alone until `close`.

    Raises MemoryLocked, at once, where another process holds the folder, and MemoryFault where it cannot be read.
    """

    def __init__(self, folder: Path, embedder: Embeds) -> None:
        self.folder = folder
        self._embedder = embedder
        self._users: dict[str, ChromaMemory] = {}
        self._making = Lock()
        self._lock = FolderLock(folder)
        try:
            probe(folder)
            with plain_faults(folder):
                self._client: ClientAPI | None = _open(folder)
        except BaseException:
            self._lock.release()
            raise

    @classmethod
    def rebuilt(cls, folder: Path, embedder: Embeds, notes: Iterable[tuple[str, Note]]) -> ChromaStore:
        """Move what is in `folder` to a `memory.broken-DATE` beside it, start anew and remember (user, note) pairs."""
        lock = FolderLock(folder)
        try:
            _move_aside(folder)
        except OSError as fault:
            raise MemoryFault(f"The damaged memory in {folder} cannot be moved away: {fault.strerror}.") from fault
        finally:
            lock.release()
        store = cls(folder, embedder)
        try:
            for user, theirs in groupby(notes, key=lambda pair: pair[0]):
                store.user(user).remember_all(note for _, note in theirs)
        except BaseException:
            store.close()
            raise
        return store

    def user(self, name: str) -> ChromaMemory:
        """The memory of one user; made on first use. Any text is a name, and different names never share notes."""
        with self._making:
            if name not in self._users:
                self._users[name] = ChromaMemory(self.folder, lambda: self._collection(name), self._embedder)
            return self._users[name]

    def users(self) -> set[str]:
        """The names of all who have a memory here."""
        with plain_faults(self.folder):
            found = self._open_client().list_collections()
            return {json.loads(str((collection.metadata or {})["name"])) for collection in found}

    def delete_user(self, name: str) -> None:
        """Forget all that is kept of one user; no fault where nothing is."""
        from chromadb.errors import NotFoundError

        with self._making, plain_faults(self.folder):
            self._users.pop(name, None)
            with contextlib.suppress(NotFoundError):
                self._open_client().delete_collection(_safe(name))

    def close(self) -> None:
        """Safe to repeat. Memories of this store raise MemoryFault from now on."""
        if self._client is not None:
            client, self._client = self._client, None
            for memory in self._users.values():
                memory.results.forget()
            client.close()  # type: ignore[attr-defined]  # the class behind the interface has it
            self._lock.release()

    def _open_client(self) -> ClientAPI:
        if self._client is None:
            raise MemoryFault("The memory is closed.")
        return self._client

    def _collection(self, name: str) -> Collection:
        return self._open_client().get_or_create_collection(
            _safe(name),
            metadata={"name": json.dumps(name)},
            configuration={"hnsw": {"space": "cosine"}},
            embedding_function=None,  # Chroma's own would download a model at the first text
        )


class ChromaMemory(DialogueMemory):
    """One user's notes: the question's vector, and the note itself as JSON beside it."""

    def __init__(self, folder: Path, collection: Callable[[], Collection], embedder: Embeds) -> None:
        self._folder = folder
        self._find = collection
        self._embedder = embedder
        self._collection: Collection | None = None
        self.results = Results(self._kept_results)

    def remember(self, note: Note) -> None:
        """Keep a note; one with the same id is replaced."""
        self.remember_all([note])

    def remember_all(self, notes: Iterable[Note]) -> None:
        """Many notes, far quicker than one by one."""
        rest = iter(notes)
        while batch := list({note.id: note for note in islice(rest, _AT_ONCE)}.values()):
            texts = [_storable(spoken(note.question)) for note in batch]
            rows: Any = list(self._embedder.embed(texts))
            fields: Any = [_fields(note) for note in batch]
            ids = [note.id for note in batch]
            self._ask(lambda c: c.upsert(ids=ids, embeddings=rows, documents=texts, metadatas=fields))  # noqa: B023
            self.results.add(batch)

    def same(self, question: str, context: Mapping[str, str]) -> Recall | None:
        """The newest result kept under this very question that holds in `context`; the collection is read once."""
        found = self.results.newest(question, context)
        return Recall(found, 1.0, True) if found else None

    def recall(
        self,
        question: str,
        context: Mapping[str, str],
        *,
        kind: Literal["result", "dialogue"] | None = None,
        session: str | None = None,
        limit: int = 5,
    ) -> Sequence[Recall]:
        """The nearest notes, verified ones first, then by similarity, then the newest."""
        if limit < 1:
            return ()
        row = self._embedder.embed([_storable(spoken(question))])[0]
        where = _where(kind, session)
        wanted = max(limit, _NEAREST)
        while True:
            found = self._nearest(row, where, wanted)
            recalls = [_judged(question, context, note, similarity) for note, similarity in found]
            # The same question asked every day: today's note may lie behind those of other days.
            stale = len(found) == wanted < _FARTHEST and all(recall.why in _ELSEWHERE for recall in recalls)
            if not stale:
                break
            wanted *= 4
        recalls.sort(key=lambda recall: (not recall.verified, -round(recall.similarity, 4), -recall.note.at))
        return recalls[:limit]

    def ids(self) -> set[str]:
        """All note ids."""
        return set(self._ask(lambda c: c.get(include=[]))["ids"])

    def forget(self, ids: Sequence[str]) -> None:
        """Unknown ids are no fault."""
        for start in range(0, len(ids), _AT_ONCE):
            self._ask(lambda c: c.delete(ids=list(ids[start : start + _AT_ONCE])))  # noqa: B023
        self.results.drop(ids)

    def _kept_results(self) -> list[Note]:
        found: Any = self._ask(lambda c: c.get(where={"kind": "result"}, include=["metadatas"]))
        return [_note(fields) for fields in found["metadatas"]]

    def _nearest(self, row: NDArray[np.float32], where: Any, wanted: int) -> list[tuple[Note, float]]:
        vectors: Any = [row]
        found: Any = self._ask(
            lambda c: c.query(
                query_embeddings=vectors, n_results=wanted, where=where, include=["metadatas", "distances"]
            )
        )
        fields = found["metadatas"][0]
        return [(_note(each), 1 - away) for each, away in zip(fields, found["distances"][0], strict=True)]

    def _ask(self, request: Callable[[Collection], T]) -> T:
        from chromadb.errors import NotFoundError

        with plain_faults(self._folder):
            collection = self._collection = self._collection or self._find()
            try:
                return request(collection)
            except NotFoundError:  # the user was deleted meanwhile: an empty memory
                collection = self._collection = self._find()
                return request(collection)


_ELSEWHERE = {"another day", "another conversation", "other documents"}


def _judged(question: str, context: Mapping[str, str], note: Note, similarity: float) -> Recall:
    why = differs(question, note, context, similarity)
    return Recall(note, round(similarity, 6), not why, why)


def _where(kind: str | None, session: str | None) -> Any:
    wanted = [{"kind": kind}] if kind else []
    if session is not None:
        wanted.append({"session": _storable(session)})
    return {"$and": wanted} if len(wanted) > 1 else wanted[0] if wanted else None


def _fields(note: Note) -> dict[str, str]:
    kept = {"id": note.id, "question": note.question, "answer": note.answer, "session": note.session, "at": note.at}
    text = json.dumps({**kept, "kind": note.kind, "depends": dict(note.depends)})  # ASCII: any text survives
    return {"kind": note.kind, "session": _storable(note.session), "note": text}


def _note(fields: Mapping[str, Any]) -> Note:
    return Note(**json.loads(fields["note"]))


def _storable(text: str) -> str:
    """SQLite ends a text at NUL, and Rust takes no lone surrogates."""
    return text.encode("utf-8", "backslashreplace").decode().replace("\0", "\\0") or " "


def _safe(name: str) -> str:
    """A collection's name for any user name: Chroma takes 3 to 512 characters of a few kinds."""
    return "user-" + sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _open(folder: Path) -> ClientAPI:
    os.environ.setdefault("ANONYMIZED_TELEMETRY", "False")  # read by parts of Chroma that get no settings
    import chromadb
    from chromadb.config import Settings

    # No .env: Chroma would read the person's own. No endpoint: nothing is reported anywhere.
    private: Any = {"_env_file": None, "anonymized_telemetry": False, "chroma_otel_collection_endpoint": ""}
    settings = Settings(**private)
    return chromadb.PersistentClient(str(folder), settings)


def _move_aside(folder: Path) -> None:
    """All but the lock, which is held meanwhile: no other process can start in between."""
    stamp = datetime.now().astimezone().strftime("%Y-%m-%d-%H%M%S")
    broken = folder.with_name(f"{folder.name}.broken-{stamp}")
    broken.mkdir()
    for each in folder.iterdir():
        if each.name != "lock":
            each.rename(broken / each.name)
