"""The dialogue memory: of each user a folder with his notes in SQLite, the truth, and a vector index made from them.

Users never share a file. Folders are opened when somebody asks and the least used are closed; nothing is read at
start. What is kept can be found by its words at once; vectors follow in the background, and where the index is missing,
damaged or of another embedder it is made again there, while words alone answer.
"""

from __future__ import annotations

import logging
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from shutil import rmtree
from threading import Lock, RLock
from typing import TYPE_CHECKING, Protocol

from memory.chroma import Index, OpenIndex, embedded
from memory.lock import FolderLock
from memory.memory import KINDS, MemoryFault, Note, Recall, Wanted, holds
from memory.notes import Notes
from memory.ranking import Query, ranked
from memory.times import spans
from memory.undo import Undo
from storage.schema import Newer

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

log = logging.getLogger("duet.memory")
OPEN = 24
"""Users whose files are open at once."""
BY_WORDS, BY_VECTOR = 150, 80
"""Candidates of each kind of search."""
_BATCH = 32
"""Notes that are embedded in one go; whoever asks meanwhile waits for one of them at most."""
GROUPS = ("said", "result")
ANYTHING = Wanted()


class Embeds(Protocol):
    """What the store needs of an embedder: rows of unit length, shape (len(texts), width)."""

    name: str

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]: ...


class MemoryStore:
    """All users' memories in one folder, held by this process alone until `close`. Raises MemoryLocked, MemoryFault."""

    def __init__(self, folder: Path, embedder: Embeds, open_index: OpenIndex | None = embedded) -> None:
        """`open_index`: None searches by words alone."""
        self.folder = folder
        self._embedder, self._open_index = embedder, open_index
        self._users: OrderedDict[str, UserMemory] = OrderedDict()
        self._changing = RLock()
        self._lock = FolderLock(folder)
        _tidied(folder)
        self._closed = False
        self._worker = ThreadPoolExecutor(1, "memory")
        self.opened: Callable[[UserMemory], None] = lambda memory: None
        """Told of each user's memory when it is opened."""

    def user(self, name: str) -> UserMemory:
        """The memory of one user. Any text is a name. Safe to keep for one use only: the least used are closed."""
        with self._changing:
            if self._closed:
                raise MemoryFault("The memory is closed.")
            fresh = name not in self._users
            if fresh:
                self._users[name] = UserMemory(name, self._folder(name), self._embedder, self._open_index, self._worker)
            self._users.move_to_end(name)
            memory = self._users[name]
            while len(self._users) > OPEN:
                self._users.popitem(last=False)[1].close()
        if fresh:
            self.opened(memory)
        return memory

    def delete_user(self, name: str) -> None:
        """Removes all that is kept of one user; no fault where nothing is."""
        with self._changing:
            memory = self._users.pop(name, None)
            if memory:
                memory.erase()
            rmtree(self._folder(name), ignore_errors=True)

    def settle(self) -> None:
        """Waits until every vector is made."""
        if not self._closed:
            self._worker.submit(lambda: None).result()

    def close(self) -> None:
        """Safe to repeat. Vectors that are still to be made are made after the next start."""
        with self._changing:
            if self._closed:
                return
            self._closed = True
            for memory in self._users.values():
                memory.stop()
            self._worker.shutdown(cancel_futures=True)
            for memory in self._users.values():
                memory.close()
            self._lock.release()

    def _folder(self, name: str) -> Path:
        return self.folder / sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:32]


class UserMemory:
    """One user's notes. Every method may be called from any thread; raises MemoryFault."""

    def __init__(
        self, name: str, folder: Path, embedder: Embeds, open_index: OpenIndex | None, worker: ThreadPoolExecutor
    ) -> None:
        self.name = name
        self._folder, self._embedder, self._worker = folder, embedder, worker
        self._open_index = open_index
        self._found: Index | None = None
        self._stopped, self._queued, self._guard = False, False, Lock()
        self._using = RLock()
        self.notes = _opened(folder)
        self.forgotten: Callable[[Sequence[str]], None] = lambda ids: None
        """Told of what was deleted: where else it stands it has to go too."""
        self.progress = (0, 0)
        """Vectors made, and to be made, where the index is being made again."""
        self.undo = Undo(self.notes, self._delete)
        if self.notes.count():
            self._follow()

    # -- keeping

    def keep(self, notes: Iterable[Note]) -> None:
        """Acknowledged as soon as it is on the disk; found by its words from then on, by its meaning soon after."""
        if self.notes.keep(notes):
            self._follow()

    def withdraw(self, ids: Sequence[str], why: str) -> None:
        """No longer given; `restore` brings it back."""
        self.notes.mark(ids, why)

    def restore(self, ids: Sequence[str]) -> None:
        self.notes.mark(ids, "")

    def forget(self, ids: Sequence[str]) -> list[str]:
        """Deleted for good: notes, words, vectors, with what else their turns left that says the same; their ids.

        What would bring them back (a log, a backup) is refused.
        """
        ids = self.notes.with_their_turns(ids)
        self.undo.end()  # it may hold their words
        self._delete(ids)
        return ids

    def _delete(self, ids: Sequence[str]) -> None:
        seqs = self.notes.delete(ids)
        if seqs and self._open_index:
            self._later(lambda: self._ready().drop(seqs))
        self.forgotten(ids)

    def edit(self, id_: str, **fields: object) -> Note:
        """Changes text, answer, about, out or pinned of a note. Raises MemoryFault where there is none."""
        note = self.notes.get(id_)
        if note is None:
            raise MemoryFault(f"There is no note `{id_}`: list them to see what is kept.")
        changed = replace(note, **fields)  # type: ignore[arg-type]
        self.keep([changed])
        return changed

    # -- asking

    def recall(self, text: str, now: datetime, wanted: Wanted = ANYTHING, limit: int = 10) -> list[Recall]:
        """The notes that bear on a text, the best first: by words and by meaning, a turn with those beside it."""
        if limit < 1 or not text.strip():
            return []
        row = self._embedder.embed([text])[0]
        words = self.notes.search(text, wanted.kinds, wanted.session, BY_WORDS)
        near = self._nearest("said", row, BY_VECTOR) if set(wanted.kinds) - {"result"} else []
        near += self._nearest("result", row, BY_VECTOR) if "result" in wanted.kinds else []
        rows = self.notes.rows([*words, *near])
        rows |= self.notes.rows({seq for r in rows.values() for seq in (r.before, r.after) if seq} - rows.keys())
        found = ranked(rows, Query(text, row, words, wanted, spans(text, now)))
        return [Recall(r.note, round(score, 6), round(cosine, 6)) for r, score, cosine in found[:limit]]

    def results(self, question: str, limit: int = 12) -> list[Recall]:
        """Results that may answer a question, the nearest first: candidates, to be verified."""
        row = self._embedder.embed([question])[0]
        words = list(self.notes.search(question, ("result",), "", limit))
        rows = self.notes.rows([*words, *self._nearest("result", row, limit)])
        found = ranked(rows, Query(question, row, {}, Wanted(("result",))))
        return [
            Recall(r.note, score, round(cosine, 6)) for r, score, cosine in sorted(found, key=lambda f: -f[2])[:limit]
        ]

    def same(self, question: str, context: Mapping[str, str]) -> Note | None:
        """The newest result kept under this very question that holds: for questions that a program wrote."""
        return next((n for n in self.notes.newest_result(question) if holds(n, context) and not n.imported), None)

    # -- the index

    def stop(self) -> None:
        self._stopped = True

    def close(self) -> None:
        self.undo.end()
        self.stop()
        with self._using:
            if self._found:
                self._found.close()
                self._found = None
            self.notes.close()

    def erase(self) -> None:
        """Closes it, and empties what stands elsewhere than in its folder."""
        with self._using:
            if self._open_index:
                self._ready().clear()
        self.close()

    def _nearest(self, group: str, row: NDArray[np.float32], most: int) -> list[int]:
        """None while the index is being made, and where it cannot be used."""
        if not self._found:
            self._follow()
            return []
        try:
            with self._using:
                return list(self._found.nearest(group, row, most)) if self._found else []
        except MemoryFault as fault:
            log.warning("the index is made again: %s", fault)
            self._broken()
            return []

    def _follow(self) -> None:
        """Has the index follow the notes, in the background."""
        with self._guard:
            if self._queued or self._stopped or not self._open_index:
                return
            self._queued = True
        self._later(self._catch_up)

    def _later(self, work: Callable[[], None]) -> None:
        def done(future: Future[None]) -> None:
            if not future.cancelled() and (fault := future.exception()):
                log.warning("memory: %s", fault)

        try:
            self._worker.submit(work).add_done_callback(done)
        except RuntimeError:  # the store is closing
            return

    def _catch_up(self) -> None:
        """Embeds what is new and puts it into the index; opens, checks and if need be empties it before."""
        with self._guard:
            self._queued = False
        if self._stopped:
            return
        try:
            index = self._ready()
            done = 0
            while not self._stopped and (todo := self.notes.unindexed(_BATCH)):
                self._put(index, todo)
                done += len(todo)
                self.progress = (done, done + len(todo))
            self.progress = (0, 0)
        except MemoryFault as fault:
            if not self._stopped:
                log.warning("the index is made again: %s", fault)
                self._broken()

    def _put(self, index: Index, todo: Sequence[tuple[int, Note, bytes]]) -> None:
        import numpy as np

        new = [note.line for _, note, vector in todo if not vector]
        made = iter(self._embedder.embed(new)) if new else iter(())
        rows = {s: np.frombuffer(v, np.float16).astype(np.float32) if v else next(made) for s, _, v in todo}
        with self._using:
            for group in GROUPS:
                some = {s: rows[s] for s, note, _ in todo if (note.kind == "result") == (group == "result")}
                if some:
                    index.put(group, some)
        texts = {seq: note.text for seq, note, _ in todo}
        self.notes.indexed({seq: row.astype(np.float16).tobytes() for seq, row in rows.items()}, texts)

    def _ready(self) -> Index:
        """The index, open and of one mind with the notes."""
        with self._using:
            if self._found is None:
                assert self._open_index is not None
                same = self.notes.meta("embedder") in ("", self._embedder.name)
                found = self._open_index(self.name, self._folder, GROUPS, self._embedder.name)
                if not same or found.count() != self.notes.in_index():
                    found.clear()
                    self.notes.reindex(embedded=same)
                self.notes.set_meta("embedder", self._embedder.name)
                self._found = found
            return self._found

    def _broken(self) -> None:
        """Whatever is in the index is made anew."""
        with self._using:
            if self._found:
                self._found.close()
                self._found = None
            rmtree(self._folder / "chroma", ignore_errors=True)
            self.notes.reindex(embedded=True)


def _tidied(folder: Path) -> None:
    """One index for all users, as older versions had it, is made anew for each; its words must not stay behind."""
    if (folder / "chroma.sqlite3").exists():
        for each in folder.iterdir():
            if each.name != "lock":
                rmtree(each) if each.is_dir() else each.unlink()


def _opened(folder: Path) -> Notes:
    """A file that cannot be read is moved aside: the conversations know what was in it."""
    try:
        return Notes(folder / "notes.sqlite")
    except MemoryFault as fault:
        if isinstance(fault.__cause__, Newer) or not (folder / "notes.sqlite").exists():
            raise
        log.warning("moved aside: %s", fault)
        folder.rename(folder.with_name(f"{folder.name}.broken-{int(time.time())}"))
        return Notes(folder / "notes.sqlite")


__all__ = ["KINDS", "Embeds", "MemoryStore", "UserMemory"]
