"""The memory as the conversation uses it: off the event loop, after the reply, and never in its way.

The transcript is the source of truth: `notes_of` derives from it what the memory must hold, so that after a crash
(or with a broken index) both are made to agree again.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from chat.transcript import Transcript
from memory.memory import DialogueMemory, MemoryFault, Note, Recall
from memory.verify import personal

log = logging.getLogger("duet.memory")


class Remembering:
    """One for all users. Where the memory cannot be used, the conversation goes on without it, and `fault` says why."""

    def __init__(self, transcript: Transcript, store: Any) -> None:
        self._transcript, self._store = transcript, store
        self._writes: dict[str, set[asyncio.Task[None]]] = {}
        self.fault = ""
        """Why the memory cannot be used; empty while it can."""

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
        await asyncio.gather(*self._writes.get(user, ()), return_exceptions=True)
        try:
            return await asyncio.to_thread(self._recall, user, question, context, session, limit)
        except MemoryFault as fault:
            self._failed(fault)
            return ()

    def _recall(
        self, user: str, question: str, context: Mapping[str, str], session: str | None, limit: int
    ) -> Sequence[Recall]:
        memory: DialogueMemory = self._store.user(user)
        return memory.recall(question, context, kind="result", session=session, limit=limit)

    def search(self, user: str, session: str, text: str) -> Sequence[Recall]:
        """For the recall tool, in its thread: what this conversation said, and what its slow runs found."""
        memory: DialogueMemory = self._store.user(user)
        return memory.recall(text, {}, session=session, limit=4)

    def remember(self, user: str, notes: Sequence[Note]) -> None:
        """Writes behind the conversation's back; the next recall of this user waits for it."""
        tasks = self._writes.setdefault(user, set())
        task = asyncio.get_running_loop().create_task(self._write(user, notes))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    async def forget(self, user: str, ids: Sequence[str]) -> None:
        await asyncio.gather(*self._writes.get(user, ()), return_exceptions=True)
        try:
            await asyncio.to_thread(lambda: self._store.user(user).forget(list(ids)))
        except MemoryFault as fault:
            self._failed(fault)

    async def settle(self) -> None:
        """Waits for all writes."""
        await asyncio.gather(*(t for tasks in list(self._writes.values()) for t in tasks), return_exceptions=True)

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
            for missing in want.keys() - have:
                memory.remember(want[missing])
            changed += len(have ^ want.keys())
        return changed

    async def _write(self, user: str, notes: Sequence[Note]) -> None:
        def write() -> None:
            memory: DialogueMemory = self._store.user(user)
            for note in notes:
                memory.remember(note)

        try:
            await asyncio.to_thread(write)
        except MemoryFault as fault:
            self._failed(fault)

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
