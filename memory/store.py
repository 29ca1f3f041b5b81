"""The dialogue memory: of each user a folder with his notes in SQLite, the truth, and a vector index made from them.

Users never share a file. Folders are opened when somebody asks and the least used are closed; nothing is read at
start. What is kept can be found by its words at once; vectors follow in the background, and where the index is missing,
damaged or of another embedder it is made again there, while words alone answer.
"""

from __future__ import annotations

import logging
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, tzinfo
from hashlib import sha256
from pathlib import Path
from shutil import rmtree
from threading import Condition, Lock

from memory.chroma import EMBEDDED, Indexes
from memory.faults import unreadable
from memory.lock import FolderLock
from memory.memory import CLOSED, MANY, MemoryFault, Note, Recall, Wanted, holds
from memory.notes import Notes, Row
from memory.ranking import Query, ranked
from memory.times import day_of, spans
from memory.undo import Undo
from memory.vectors import Embeds, Vectors

log = logging.getLogger("duet.memory")
OPEN, AT_MOST, INDEXES = 12, 24, 4
"""Users whose notes are open at once (3 files each), with those who can still undo something, beside whom asked within
AMID; and whose indexes are (17 files, 8 threads and 9 MB each)."""
AMID = 10.0
"""Seconds for which whoever asked for notes may be amid a use of them: nobody is closed before, whatever the limits."""
BY_WORDS, BY_VECTOR = 150, 80
"""Candidates of each kind of search."""
ANYTHING = Wanted()


class MemoryStore:
    """All users' memories in one folder, held by this process alone until `close`. Raises MemoryLocked, MemoryFault."""

    def __init__(
        self, folder: Path, embedder: Embeds, indexes: Indexes | None = EMBEDDED, zone: tzinfo | None = None
    ) -> None:
        """`indexes`: None searches by words alone. `zone`: the person's; without one this machine's."""
        self.folder, self._zone = folder, zone
        self._embedder, self._indexes = embedder, indexes
        self._users: OrderedDict[str, UserMemory] = OrderedDict()
        self._searched: OrderedDict[Vectors, None] = OrderedDict()
        self._searching = Lock()
        self._moving = set[str]()
        """Users who are being opened or closed, outside of the lock: nobody else waits for it."""
        self._changing = Condition()
        self._lock = FolderLock(folder)
        self._closed = False
        self._worker = ThreadPoolExecutor(1, "memory")
        self.opened: Callable[[UserMemory], None] = lambda memory: None
        """Told of each user's memory when it is opened, before anybody else has it."""

    def user(self, name: str) -> UserMemory:
        """The memory of one user. Any text is a name. Safe to keep for one use only: the least used are closed."""
        with self._changing:
            self._changing.wait_for(lambda: name not in self._moving)
            if self._closed:
                raise MemoryFault("The memory is closed.")
            if memory := self._users.get(name):
                leaving = self._use(memory)
            else:
                self._moving.add(name)
        if not memory:
            with self._changes(name):
                memory = self._open(name)
                with self._changing:
                    leaving = self._use(memory)
        for other in leaving:
            with self._changes(other.name):
                other.close()
        return memory

    def settle(self) -> None:
        """Waits until every vector is made."""
        behind = True
        while behind and not self._closed:
            self._worker.submit(lambda: None).result()
            behind = any(any(memory.vectors.progress) for memory in [*self._users.values()])

    def close(self) -> None:
        """Safe to repeat. Vectors that are still to be made are made after the next start."""
        with self._changing:
            if self._closed:
                return
            self._closed = True
            self._changing.wait_for(lambda: not self._moving)
        for memory in self._users.values():
            memory.vectors.stop()
        self._worker.shutdown(cancel_futures=True)
        for memory in self._users.values():
            memory.close()
        if self._indexes:
            self._indexes.close()
        self._lock.release()

    def _open(self, name: str) -> UserMemory:
        memory = UserMemory(name, self._folder(name), self._embedder, self._vectors, self._zone)
        try:
            self.opened(memory)
        except BaseException:
            memory.close()
            raise
        return memory

    @contextmanager
    def _changes(self, name: str) -> Iterator[None]:
        """Whoever asks for this user within it has them behind it."""
        try:
            yield
        finally:
            with self._changing:
                self._moving.discard(name)
                self._changing.notify_all()

    def _use(self, asked: UserMemory) -> Sequence[UserMemory]:
        """Under the lock, who is asked for now. Whom to close instead, the least used: nobody at work, and who can
        still undo something only where there are too many of them."""
        self._users[asked.name] = asked
        self._users.move_to_end(asked.name)
        asked.asked = time.monotonic()
        found, before = list[UserMemory](), asked.asked - AMID
        while len(self._users) > OPEN:
            idle = [m for m in self._users.values() if m is not asked and m.asked <= before and not m.notes.busy]
            free = [memory for memory in idle if not memory.undo.pending]
            if not (chosen := free or (idle if len(self._users) > AT_MOST else [])):
                break
            self._moving.add(chosen[0].name)
            found.append(self._users.pop(chosen[0].name))
        return found

    def _folder(self, name: str) -> Path:
        return self.folder / sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:32]

    def _vectors(self, notes: Notes, folder: Path) -> Vectors:
        return Vectors(notes, folder, self._embedder, self._indexes, self._worker, self._used)

    def _used(self, vectors: Vectors) -> None:
        """The indexes that were used longest ago rest."""
        with self._searching:
            self._searched[vectors] = None
            self._searched.move_to_end(vectors)
            while len(self._searched) > INDEXES:
                self._searched.popitem(last=False)[0].rest()


class UserMemory:
    """One user's notes. Every method may be called from any thread; raises MemoryFault."""

    def __init__(
        self, name: str, folder: Path, embedder: Embeds, vectors: Callable[[Notes, Path], Vectors], zone: tzinfo | None
    ) -> None:
        self.name, self._embedder, self.zone = name, embedder, zone
        self.asked = 0.0
        """When somebody asked for it last, by the monotonic clock."""
        self.notes = _opened(folder)
        self.vectors = vectors(self.notes, folder)
        self.forgotten: Callable[[Sequence[str]], Iterable[tuple[str, int]]] = lambda ids: ()
        """Told of what was deleted: where else it stands it has to go too. The turns that showed it."""
        self.undo = Undo(self.notes, self.keep, self._delete)
        if self.notes.count():
            self.vectors.follow()

    @property
    def person(self) -> str:
        """As which the person is known, a number that every change raises."""
        return self.notes.meta("person") or "0"

    def changed(self) -> None:
        """What was found for this person may be otherwise from now on."""
        with self.notes._transaction():
            self.notes.set_meta("person", str(int(self.person) + 1))

    # -- keeping

    def keep(self, notes: Iterable[Note]) -> None:
        """Acknowledged as soon as it is on the disk; found by its words from then on, by its meaning soon after."""
        if self.notes.keep(list(notes)):  # whatever is asked to make them is asked before the notes are held
            self.vectors.follow()

    def withdraw(self, ids: Sequence[str], why: str) -> None:
        """No longer given, and what it took the place of is so again; `restore` brings it back."""
        self.notes.mark(ids, why)
        if ids:
            self.changed()
        for id_ in self._moved(ids, "until", CLOSED):
            self._one_holds(id_)

    def restore(self, ids: Sequence[str]) -> None:
        self.notes.mark(ids, "")
        if ids:
            self.changed()
        self._moved(ids, CLOSED, "until")
        for id_ in ids:
            self._one_holds(id_)

    def close_fact(self, old: Note, day: str, by: str) -> None:
        """It no longer holds since `day`; `by`: the id of the fact that takes its place, or tells its end."""
        self.keep([replace(old, about={**old.about, "until": day, "by": by})])

    def _one_holds(self, id_: str) -> None:
        """Of a fact that came back and those of the same attribute of the same subject, the newest is current: what
        was told while it was out did not close it, and what it had closed may have been closed by another since."""
        note = self.notes.get(id_)
        if not note or note.kind != "fact" or not note.current or note.imported or note.about["attribute"] in MANY:
            return
        for other in self.notes.facts(note.about["subject"], note.about["attribute"], note.about["quote"]):
            same = note.about["value"].casefold() == other.about["value"].casefold()
            if not (same or other.imported) and (note.session, note.turn) != (other.session, other.turn):
                old, new = sorted((other, note), key=lambda one: one.at)
                self.close_fact(old, day_of(new.at, self.zone), new.id)
                if old is note:
                    return

    def _moved(self, ids: Sequence[str], from_: str, to: str) -> list[str]:
        """Of facts that these took the place of: since when they are no longer so goes to another place of `about`;
        the ids of those."""
        found = [note for note in self.notes.closed_by(ids) if note.about.get(from_)]
        self.keep(replace(note, about={**note.about, from_: "", to: note.about[from_]}) for note in found)
        return [note.id for note in found]

    def forget(self, ids: Sequence[str], *, everywhere: bool = True) -> list[str]:
        """Deleted for good: notes, words, vectors; their ids. What would bring them back (a log, a backup) is refused.

        `everywhere`: what else says the same in the turns that told it, and what was made of it elsewhere, goes too.
        """
        ids = self.notes.with_their_turns(ids) if everywhere else list(ids)
        self.undo.end()  # it may hold their words
        self._delete(ids, everywhere)
        self.changed()
        return ids

    def forget_aside(self) -> None:
        """What was moved aside of these notes because it could not be read."""
        folder = self.notes.path.parent
        for aside in folder.parent.glob(f"{folder.name}.broken-*"):
            rmtree(aside, ignore_errors=True)

    def _delete(self, ids: Sequence[str], everywhere: bool = True) -> None:
        self.vectors.drop(self.notes.delete(ids, everywhere=everywhere))
        if everywhere:
            self.forget_made_of(ids)

    def forget_made_of(self, ids: Sequence[str]) -> None:
        """What was made of deleted notes elsewhere goes with them: all that turns which showed them left, but facts."""
        left = [id_ for session, turn in self.forgotten(ids) for id_ in self.notes.of_session(session, turn)]
        if made := [note.id for note in self.notes.of(left) if note.kind in ("turn", "result")]:
            self._delete(made, everywhere=False)

    # -- asking

    def recall(self, text: str, now: datetime, wanted: Wanted = ANYTHING, limit: int = 10) -> list[Recall]:
        """The notes that bear on a text, the best first: by words and by meaning, a turn with those beside it."""
        if limit < 1 or not text.strip():
            return []
        row = self._embedder.embed([text])[0]
        words = self.notes.search(text, wanted.kinds, wanted.session, BY_WORDS)
        near = self.vectors.nearest("said", row, BY_VECTOR) if set(wanted.kinds) - {"result"} else []
        near += self.vectors.nearest("result", row, BY_VECTOR) if "result" in wanted.kinds else []
        found = ranked(self.notes.rows([*words, *near]), Query(text, row, words, wanted, spans(text, now)))
        recalls = self._recalls(found[:limit])
        former = self.notes.former(r.note for r in recalls if r.note.kind in ("turn", "fact"))
        return [replace(r, former=former.get((r.note.session, r.note.turn), ())) for r in recalls]

    def results(self, question: str, here: Mapping[str, str], limit: int = 12) -> list[tuple[Note, float]]:
        """Results that hold here and may answer a question, the nearest first, with the cosine of both questions:
        candidates, to be verified."""
        row = self._embedder.embed([question])[0]
        words = list(self.notes.search(question, ("result",), "", limit, here))
        rows = self.notes.rows([*words, *self.vectors.nearest("result", row, BY_VECTOR)])
        found = ranked(rows, Query(question, row, {}, Wanted(("result",))))
        recalls = self._recalls(sorted(found, key=lambda f: -f[2]))
        notes = [recall.note for recall in recalls if holds(recall.note, here)][:limit]
        cosines = self._embedder.embed([note.text for note in notes]) @ row  # a vector may be still to be made
        return sorted(zip(notes, map(float, cosines), strict=True), key=lambda found: -found[1])

    def _recalls(self, found: Sequence[tuple[Row, float, float]]) -> list[Recall]:
        notes = {note.id: note for note in self.notes.of([row.id for row, _, _ in found])}
        return [
            Recall(notes[row.id], round(score, 6), round(cosine, 6) if row.vector else 0.0)
            for row, score, cosine in found
            if row.id in notes  # it may have been deleted meanwhile
        ]

    def same(self, question: str, context: Mapping[str, str]) -> Note | None:
        """The newest result kept under this very question that holds: for questions that a program wrote."""
        return next((note for note in self.notes.newest_result(question) if holds(note, context)), None)

    # -- ending

    def close(self) -> None:
        """What goes wrong with one user's notes is no fault of whoever had them closed: what could be undone stands
        beside them, and ends when they are next opened."""
        for end in (self.undo.end, self.vectors.close, self.notes.close):
            try:
                end()
            except Exception as fault:
                log.warning("not closed: %s", fault)


def _opened(folder: Path) -> Notes:
    """A file that is damaged, or has other tables, is moved aside: the conversations know what was in it. One that
    cannot be opened just now (a full disk, too many files open) stays."""
    try:
        return Notes(folder / "notes.sqlite")
    except MemoryFault as fault:
        if not unreadable(fault.__cause__):
            raise
        log.warning("moved aside: %s", fault)
        folder.rename(folder.with_name(f"{folder.name}.broken-{int(time.time())}"))
        return Notes(folder / "notes.sqlite")
