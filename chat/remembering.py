"""The memory as the conversation uses it: off the event loop, after the reply, and never in its way.

What is to be kept waits until nobody waits for a reply, and is then written in one go; what is asked for meanwhile
is found all the same. The transcript is the source of truth: `notes_of` derives from it what the memory must hold, so
that after a crash (or with a broken index) both are made to agree again.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from threading import Lock
from typing import Any

from chat.transcript import Transcript
from memory.memory import DialogueMemory, MemoryFault, Note, Recall
from memory.verify import holds, personal

log = logging.getLogger("duet.memory")


QUIET = 0.5
"""Seconds after the last note until those that wait are written, where nobody waits for a reply then."""
MOST = 64
"""Notes that wait for such a moment; with more the writing begins at once."""


class Remembering:
    """One for all users. Where the memory cannot be used, the conversation goes on without it, and `fault` says why."""

    def __init__(self, transcript: Transcript, store: Any) -> None:
        self._transcript, self._store = transcript, store
        self._waiting: dict[str, list[Note]] = {}
        self._changing, self._writing = Lock(), Lock()
        self._timer: asyncio.TimerHandle | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self.fault = ""
        """Why the memory cannot be used; empty while it can."""
        self.busy: Callable[[], bool] = lambda: False
        """Whether somebody waits for a reply."""

    async def recall(
        self,
        user: str,
        question: str,
        context: Mapping[str, str],
        *,
        session: str | None = None,
        limit: int = 5,
    ) -> Sequence[Recall]:
        """After all writes of this user; empty when the memory cannot be used."""

        def found() -> Sequence[Recall]:
            self._write(user)
            memory: DialogueMemory = self._store.user(user)
            return memory.recall(question, context, kind="result", session=session, limit=limit)

        try:
            return await asyncio.to_thread(found)
        except MemoryFault as fault:
            self._failed(fault)
            return ()

    def same(self, user: str, question: str, context: Mapping[str, str]) -> Recall | None:
        """The newest result kept under this very question, written or not; blocking, for a moment."""
        with self._changing:
            waiting = self._waiting.get(user, ())
            found = [n for n in waiting if n.kind == "result" and n.question == question and holds(n, context)]
        if found:
            return Recall(found[-1], 1.0, True)
        try:
            memory: DialogueMemory = self._store.user(user)
            return memory.same(question, context)
        except MemoryFault as fault:
            self._failed(fault)
            return None

    def search(self, user: str, session: str | None, text: str) -> Sequence[Recall]:
        """For the recall tool, in its thread: what was said, and what slow runs found; `session`: only there."""
        self._write(user)
        memory: DialogueMemory = self._store.user(user)
        return memory.recall(text, {}, session=session, limit=4)

    def remember(self, user: str, notes: Sequence[Note]) -> None:
        """Writes behind the conversation's back; whoever asks this user's memory meanwhile finds the notes."""
        if not notes:
            return
        with self._changing:
            self._waiting.setdefault(user, []).extend(notes)
        self._arm()

    async def forget(self, user: str, ids: Sequence[str]) -> None:
        def gone() -> None:
            self._write(user)
            self._store.user(user).forget(list(ids))

        try:
            await asyncio.to_thread(gone)
        except MemoryFault as fault:
            self._failed(fault)

    async def settle(self) -> None:
        """Waits for all writes."""
        if self._timer:
            self._timer.cancel()
        self._begin()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def reconcile(self) -> int:
        """Makes memory and transcript agree; how many notes were added or dropped. Blocking; raises MemoryFault."""
        # The memory is read first: a note of a turn that ends meanwhile is then in the transcript, and not among these.
        had = {user: self._store.user(user).ids() for user in self._store.users()}
        wanted: dict[str, dict[str, Note]] = {}
        for user, note in notes_of(self._transcript):
            wanted.setdefault(user, {})[note.id] = note
        changed = 0
        for user in {*wanted, *had}:
            memory: DialogueMemory = self._store.user(user)
            have, want = had.get(user, set()), wanted.get(user, {})
            memory.forget([note for note in have if note not in want])
            memory.remember_all(want[missing] for missing in sorted(want.keys() - have))
            changed += len(have ^ want.keys())
        return changed

    def _arm(self) -> None:
        if self._timer:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(QUIET, self._begin_in_peace)

    def _begin_in_peace(self) -> None:
        if self.busy() and sum(map(len, self._waiting.values())) < MOST:
            self._arm()
        else:
            self._begin()

    def _begin(self) -> None:
        task = asyncio.get_running_loop().create_task(asyncio.to_thread(self._write_all))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _write_all(self) -> None:
        for user in list(self._waiting):
            try:
                self._write(user)
            except MemoryFault as fault:
                self._failed(fault)

    def _write(self, user: str) -> None:
        """What waits for this user; blocking, in any thread. Those who come meanwhile wait for it."""
        with self._writing:
            with self._changing:
                notes = list(self._waiting.get(user, ()))
            try:
                if notes:
                    memory: DialogueMemory = self._store.user(user)
                    memory.remember_all(notes)
            finally:
                with self._changing:  # after a fault too: the next start makes up for it from the transcript
                    self._waiting[user] = self._waiting.get(user, [])[len(notes) :]
                    if not self._waiting[user]:
                        del self._waiting[user]

    def _failed(self, fault: MemoryFault) -> None:
        self.fault = str(fault)
        log.warning("memory: %s", fault)


def notes_of(transcript: Transcript) -> Iterator[tuple[str, Note]]:
    """(user, note) for everything in the view that the memory must hold."""
    for user, session, turn, said, reply, at in transcript.exchanges():
        yield from ((user, note) for note in notes(session, turn, said, reply, at))


def notes(session: str, turn: int, said: str, reply: Mapping[str, Any], at: float) -> list[Note]:
    """The notes of one finished turn: what was said, and the slow result where there is one (DUMA 2.4).

    None of what the memory itself answered, of a reply that was stopped, and of words that were to be off the record.
    """
    if reply["by"] == "memory" or reply.get("stopped") or reply.get("off_record"):
        return []
    kept = [Note(f"{session}:{turn}:said", "dialogue", said, reply["text"], session, at)]
    if found := reply.get("remember"):
        depends = dict(found["depends"])
        if personal(found["question"]):
            depends["session"] = session
        answer = found.get("answer", reply["text"])
        kept.append(Note(f"{session}:{turn}:found", "result", found["question"], answer, session, at, depends))
    return kept


def note_ids(session: str, turns: Sequence[int]) -> list[str]:
    return [f"{session}:{turn}:{kind}" for turn in turns for kind in ("said", "found")]
