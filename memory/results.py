"""One user's results by their very questions, in this process: what a program asks is found without a vector."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from threading import Lock

from memory.memory import Note
from memory.verify import holds


class Results:
    """Read once from where the notes are kept, then told of every change. May be called from any thread."""

    def __init__(self, read: Callable[[], Iterable[Note]]) -> None:
        self._read, self._lock = read, Lock()
        self._of: dict[str, dict[str, Note]] | None = None
        """Question -> id -> note; None: to be read."""
        self._question: dict[str, str] = {}

    def newest(self, question: str, context: Mapping[str, str]) -> Note | None:
        """Kept under this question, and true in `context`. Raises what reading raises."""
        with self._lock:
            if self._of is None:
                self._of, self._question = {}, {}
                try:
                    self._put(self._of, self._read())
                except BaseException:
                    self._of = None
                    raise
            found = [note for note in self._of.get(question, {}).values() if holds(note, context)]
        return max(found, key=lambda note: note.at, default=None)

    def add(self, notes: Iterable[Note]) -> None:
        """Those with a known id replace the older ones."""
        with self._lock:
            if self._of is not None:
                self._put(self._of, notes)

    def drop(self, ids: Iterable[str]) -> None:
        """Unknown ids are no fault."""
        with self._lock:
            for gone in ids:
                if self._of is not None and gone in self._question:
                    del self._of[self._question.pop(gone)][gone]

    def forget(self) -> None:
        """All is to be read again."""
        with self._lock:
            self._of = None

    def _put(self, of: dict[str, dict[str, Note]], notes: Iterable[Note]) -> None:
        for note in notes:
            if note.id in self._question:
                del of[self._question.pop(note.id)][note.id]
            if note.kind == "result":
                of.setdefault(note.question, {})[note.id] = note
                self._question[note.id] = note.question
