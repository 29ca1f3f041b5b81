"""The last thing that a person did to their notes, which can be taken back for a while: an edit or a deletion.

What is deleted is out of sight at once; for good when the time is over, when the next thing is done, or when the notes
are closed. The words of before an edit stay on the disk for as long. It is written beside the notes, so that a crash in
between neither loses nor keeps what was to go.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from threading import RLock, Timer
from typing import Any

from memory.memory import LEAVING, MemoryFault, Note
from memory.notes import Notes

SECONDS = 300.0
_NAME = "undo"
_WORDS = ("quote", "value", "edited")
"""What an edit changes in a note's `about`."""


class Undo:
    """Of one user. `keep` stores notes, `forget` deletes them for good. Blocking; raises MemoryFault."""

    def __init__(
        self, notes: Notes, keep: Callable[[Iterable[Note]], None], forget: Callable[[Sequence[str]], object]
    ) -> None:
        self._notes, self._keep, self._forget = notes, keep, forget
        self._lock, self._timer = RLock(), Timer(0, self.end)
        self._until = 0.0
        self.end()

    @property
    def pending(self) -> bool:
        """Whether it was promised that something can be taken back; told without a look at the notes."""
        return time.monotonic() < self._until

    def edited(self, before: Note, beside: Sequence[str] = ()) -> None:
        """`before`: the note as it was; `beside`: notes in use that are taken out with the edit."""
        with self._lock:
            if "edited" not in self._done():  # else the words of before that one go with these
                self.end()
            self._write({"edited": asdict(before), "beside": list(beside)})

    def leave(self, ids: Sequence[str]) -> None:
        """Out of sight from now on."""
        with self._lock:
            self.end()
            self._write({"left": {note.id: note.out for note in self._notes.of(ids)}})
            self._notes.mark(ids, LEAVING)

    def back(self) -> list[str]:
        """Takes it back; the ids of the notes that it was done to, none where there is nothing to take back."""
        with self._lock, self._notes._transaction():  # a crash amid it would leave them out of sight for ever
            done = self._done()
            self.drop()
            if edited := done.get("edited"):
                return self._reworded(Note(**edited), done.get("beside", []))
            left: Mapping[str, str] = done.get("left", {})
            for out in set(left.values()):
                self._notes.mark([id_ for id_, before in left.items() if before == out], out)
            return list(left)

    def _reworded(self, before: Note, beside: Sequence[str]) -> list[str]:
        """The words of before an edit, on the note as it is now; not on one that was closed or taken out since."""
        now = self._notes.get(before.id)
        if now is None or (before.current and not now.current):
            return []
        about = {name: value for name, value in now.about.items() if name not in _WORDS}
        about |= {name: before.about[name] for name in _WORDS if name in before.about}
        self._keep([replace(now, text=before.text, answer=before.answer, about=about)])
        self._notes.mark(beside, "")
        return [before.id]

    def end(self) -> None:
        """From now on it can no longer be taken back."""
        with self._lock:
            done = self._done()
            if left := done.get("left"):
                self._forget(list(left))
            self.drop()
            if "edited" in done:
                self._notes.sweep()

    def drop(self) -> None:
        """Nothing is known any more of what was done."""
        with self._lock:
            if self._notes.meta(_NAME):
                self._write({})

    def _over(self) -> None:
        with suppress(MemoryFault):  # the notes may have been closed meanwhile, with what was left to do
            self.end()

    def _done(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self._notes.meta(_NAME) or "{}")
        return found

    def _write(self, done: Mapping[str, object]) -> None:
        self._notes.set_meta(_NAME, json.dumps(done) if done else "")
        self._until = time.monotonic() + SECONDS if done else 0.0
        self._timer.cancel()
        if done:
            self._timer = Timer(SECONDS, self._over)
            self._timer.daemon = True
            self._timer.start()
