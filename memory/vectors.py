"""The vectors of one user's notes: made and put into the index in the background, wherever that is.

The index is of one mind with the notes, or it is made again. While it is made, or cannot be used, words alone answer.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Event, Lock, RLock
from typing import TYPE_CHECKING, Protocol
from uuid import uuid4

from memory.chroma import GROUPS, Index, Indexes
from memory.memory import MemoryBusy, MemoryFault, Note
from memory.notes import Notes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

log = logging.getLogger("duet.memory")
BATCH = 32
"""Notes that are embedded in one go; whoever asks meanwhile waits for one of them at most."""
OPENING = 0.3
"""Seconds for which a search waits for its index to be opened: long enough for one that is whole."""


class Embeds(Protocol):
    """What the memory needs of an embedder: rows of unit length, shape (len(texts), width)."""

    name: str

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]: ...


class Vectors:
    """May be called from any thread."""

    def __init__(
        self,
        notes: Notes,
        folder: Path,
        embedder: Embeds,
        indexes: Indexes | None,
        worker: ThreadPoolExecutor,
        used: Callable[[Vectors], None] = lambda vectors: None,
    ) -> None:
        """`indexes`: None for none. `used` is told before the index is opened, or used again."""
        self._notes, self._folder, self._embedder = notes, folder, embedder
        self._indexes, self._worker, self._used = indexes, worker, used
        self._index: Index | None = None
        self._opened, self._resting = Event(), False
        self._stopped, self._queued, self._guard = False, False, Lock()
        self._using = RLock()
        self.progress = (0, 0)
        """Vectors made, and to be made, while some are."""

    def nearest(self, group: str, row: NDArray[np.float32], most: int) -> list[int]:
        """Seqs, the nearest first; none while the index is being made, and where it cannot be used."""
        if not self._indexes or self._stopped:
            return []
        self._use()
        if (found := self._near(group, row, most)) is None:
            self.follow()
            self._opened.wait(OPENING)
            found = self._near(group, row, most)
        return found or []

    def follow(self) -> None:
        """Has the index follow the notes, in the background."""
        with self._guard:
            if self._queued or self._stopped or not self._indexes:
                return
            self._queued = True
        self._later(self._catch_up)

    def drop(self, seqs: Sequence[int]) -> None:
        """In the background, too."""
        if seqs and self._indexes:
            self._later(lambda: self._ready().drop(seqs))

    def rest(self) -> None:
        """Closes the index, in the background, unless it is wanted before that."""
        self._resting = True
        self._later(self._rested)

    def stop(self) -> None:
        self._stopped = True
        self._opened.set()

    def close(self) -> None:
        self.stop()
        self._shut()

    # -- inside

    def _near(self, group: str, row: NDArray[np.float32], most: int) -> list[int] | None:
        """None where the index is not open."""
        try:
            with self._using:
                return list(self._index.nearest(group, row, most)) if self._index else None
        except MemoryFault as fault:
            self._failed(fault)
            return []

    def _rested(self) -> None:
        with self._using:
            if self._resting:
                self._shut()

    def _use(self) -> None:
        self._used(self)
        self._resting = False

    def _shut(self) -> None:
        with self._using:
            if self._index:
                self._index.close()
                self._index = None
            if not self._stopped:
                self._opened.clear()

    def _later(self, work: Callable[[], None]) -> None:
        def done() -> None:
            try:
                work()
            except Exception as fault:
                if not self._stopped:
                    self._failed(fault)

        with suppress(RuntimeError):  # the store is closing
            self._worker.submit(done)

    def _catch_up(self) -> None:
        """Embeds some of what is new and puts it into the index; opens, checks and if need be empties it before."""
        with self._guard:
            self._queued = False
        if self._stopped:
            return
        index, done = self._ready(), self.progress[0]
        if todo := self._notes.unindexed(BATCH):
            self._put(index, todo)
            done += len(todo)
            self.progress = (done, done + self._notes.to_index())
            self.follow()  # behind what others wait for
        else:
            self.progress = (0, 0)

    def _put(self, index: Index, todo: Sequence[tuple[int, Note, bytes]]) -> None:
        import numpy as np

        new = [note.line for _, note, vector in todo if not vector]
        made = iter(self._embedder.embed(new) if new else ())
        rows = {s: np.frombuffer(v, np.float16).astype(np.float32) if v else next(made) for s, _, v in todo}
        with self._using:
            for group in GROUPS:
                some = {s: rows[s] for s, note, _ in todo if (note.kind == "result") == (group == "result")}
                if some:
                    index.put(group, some)
        self._notes.indexed((seq, note.text, rows[seq].astype(np.float16).tobytes()) for seq, note, _ in todo)

    def _ready(self) -> Index:
        """The index, open and of one mind with the notes."""
        self._use()
        with self._using:
            if self._index is None:
                assert self._indexes is not None
                same = self._notes.meta("embedder") in ("", self._embedder.name)
                if not self._notes.meta("index"):  # nobody else's, however many Duets with users of one name there are
                    self._notes.set_meta("index", uuid4().hex)
                name = self._notes.meta("index")
                found = self._indexes.open(name, self._folder)
                if not same or found.count() != self._notes.in_index():
                    self._agree(found, same)
                self._notes.set_meta("embedder", self._embedder.name)
                self._index = found
                self._opened.set()
            return self._index

    def _agree(self, index: Index, same: bool) -> None:
        """What was changed or deleted leaves it; all is put anew where it lacks something or had another embedder."""
        there, wanted = index.seqs(), self._notes.seqs_in_index()
        if same and wanted <= there:
            index.drop(list(there - wanted))
        else:
            index.clear()
            self._notes.reindex(embedded=same)

    def _failed(self, fault: Exception) -> None:
        """It is opened again when it is next wanted; what was damaged is made again then."""
        self.progress = (0, 0)
        if not isinstance(fault, MemoryFault):  # nothing is known of the index: the next note has it go on
            log.error("vectors could not be made", exc_info=fault)
            return
        if isinstance(fault, MemoryBusy):
            self.follow()
            return
        log.warning("the index cannot be used: %s", fault)
        assert self._indexes is not None
        with self._using:
            self._shut()
            if self._indexes.discard(self._folder):
                self._notes.reindex(embedded=True)
