"""The memory as the conversation uses it: what a turn leaves, what bears on a turn, what may be answered again.

The transcript is the source of truth for what was said: a user's notes are made to agree with it when they are first
asked for, so that a crash, a lost folder or a restored backup is made up for without a pass over all users at start.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from functools import partial
from threading import Lock
from typing import Any, NamedTuple

from chat.transcript import Transcript
from chat.worlds.kept import notes_of_tasks
from memory.memory import ASSISTANT, IMPORTED, PERSON, Filter, MemoryFault, Note, Recall, Wanted, turn_of
from memory.store import UserMemory
from memory.times import day_of
from memory.turns import LONGEST, TurnReader
from memory.written import equal

log = logging.getLogger("duet.memory")
OFF = "off"
"""In the notes' own file: set where the person wants no memory at all."""
AGREED = "transcript"
"""In the notes' own file: the newest event that they hold; nothing where they are new."""
UNREAD, MOST = "unread", 1_000
"""In the notes' own file: the turns that tell something and are not read for facts yet; so many of them, the newest."""
WRONG = "you said that it is wrong"
"""By a thumb, which alone brings it back."""
TAKEN_BACK = "its turn was taken back"
ANEW = "you wanted it thought about again"
RESTORED = "restored"
"""In a note's `about`: the person brought it back, whatever became of its turn."""
TELLING, TELLS = ("telling", "memory"), 0.3
"""Scopes of turns that are read for facts, and how probable it must be of another that it tells something."""
HINTS = 0.04
"""The same of a turn that answers a question of the assistant's (`Shellfish.` tells much then), and of all turns where
a strong model reads them: a price that was told wrongly sounds like no news."""
NEAR = 0.45
"""Cosine of two questions from which one may ask what the other asked: of 300 paraphrases of an author 285."""
PASSING = ("moment", "dialogue")
"""Scopes of questions whose answer is none the next time: what they lean on is another by then."""
KEPT_IN = {"date": ("day",), "turn": PASSING, "person": ("person", "telling")}
"""What a result depends on beside its evidence -> the scopes of its question (memory/turns.py)."""


EPISODES, KNOWN = 500, 60
"""Of the newest tasks so many are looked through for those of a type; facts of the person that are looked at."""

Unread = tuple[str, int, float]
"""Session, turn, and when it was said."""


class Heard(NamedTuple):
    """What a turn is to the memory."""

    scope: str
    """How far its answer carries; empty where it cannot be read."""
    tells: bool
    """Something that lasts may be told in it."""


class Remembering:
    """One for all users. Where the memory cannot be used, the conversation goes on without it, and `fault` says why."""

    def __init__(
        self, transcript: Transcript, store: Any, reader: TurnReader, now: Callable[[], datetime] = datetime.now
    ) -> None:
        """`now`: the person's clock, whose zone says on which day something was found."""
        self.transcript, self._store, self._reader, self._now = transcript, store, reader, now
        self.fault = ""
        """Why the memory cannot be used; empty while it can."""
        self._late = set[str]()
        """Users whose notes may still hold something of a deleted conversation."""
        self._listing = Lock()
        store.opened = self.reconcile

    def of(self, user: str) -> UserMemory:
        """Raises MemoryFault."""
        memory: UserMemory = self._store.user(user)
        if user in self._late:
            self._forget_deleted(memory)
        return memory

    # -- what comes back

    def bearing(self, user: str, text: str, now: datetime, wanted: Wanted, limit: int = 10) -> Sequence[Recall]:
        """The notes that bear on a text, the best first; blocking. Empty where the memory cannot be used."""
        with self._unless_broken():
            return self.of(user).recall(text, now, wanted, limit)
        return ()

    def known(self, user: str) -> Sequence[Note]:
        """What holds of the person, as they told it: pinned facts, then the newest; blocking."""
        with self._unless_broken():
            return [note for note in self.of(user).notes.told_of(PERSON, KNOWN) if not note.imported]
        return ()

    def noted(self, user: str, ids: Collection[str]) -> Sequence[Note]:
        """These notes in this order, but for what is out; blocking. None where the memory cannot be used."""
        with self._unless_broken():
            return [note for note in self.of(user).notes.of(list(ids)) if not note.out]
        return ()

    def worded(self, user: str, words: str, ids: Sequence[str]) -> Set[str]:
        """Which of these notes have all the words; blocking. None where the memory cannot be used."""
        with self._unless_broken():
            return set(self.of(user).notes.matching(Filter(words=words, ids=tuple(ids)))) if ids else set()
        return set()

    def answer(self, user: str, question: str, context: Mapping[str, str], strength: int) -> tuple[Note, bool] | None:
        """The newest result kept under these very words, else the one whose question is nearest, which may ask for
        something else, and whether the words are the same; long questions are compared by their words alone. Blocking.

        strength: of the model that would think; a stronger one is not served what a weaker one thought.
        """
        with self._unless_broken():
            here = self._here(user, question, context)
            found = self.of(user).results(question, here) if here else []
            held = [(n, cosine) for n, cosine in found if strength <= int(n.about.get("strength", "0"))]
            if alike := [note for note, _ in held if equal(question, note.text)]:
                return max(alike, key=lambda note: note.at), True
            near = [n for n, cosine in held if cosine >= NEAR and max(len(question), len(n.text)) <= LONGEST]
            return (near[0], False) if near else None
        return None

    def tasks(self, user: str, world: str, task: str, most: int = 3) -> list[Note]:
        """What became of the newest tasks of a type, the newest last; blocking. None where there is no memory."""
        with self._unless_broken():
            known = self.of(user).notes.page(Filter(("episode",), state="current"), EPISODES)
            same = [n for n in known if (n.about.get("world"), n.about.get("task")) == (world, task) and not n.imported]
            return sorted(same, key=lambda note: note.at)[-most:]
        return []

    def same(self, user: str, question: str, context: Mapping[str, str]) -> Note | None:
        """The newest result kept under this very question, as a program wrote it; blocking, for a moment."""
        with self._unless_broken():
            return self.of(user).same(question, context)
        return None

    # -- what is kept

    def off(self, user: str) -> bool:
        """Whether the person wants nothing remembered and nothing recalled, in no conversation; blocking. Where the
        notes cannot be read, the transcript knows what they said last."""
        with self._unless_broken():
            return bool(self.of(user).notes.meta(OFF))
        return not self.transcript.remembered(user)

    def wanted(self, session: str) -> bool:
        """Whether the person wants a memory in a conversation as it is now, and at all; blocking."""
        transcript = self.transcript
        return transcript.options(session).memory and not self.off(transcript.session(session).user)

    def learns(self, user: str, session: str, turn: int) -> bool:
        """Whether a turn may still be learned from, some time after it was said; blocking."""
        return not self.off(user) and self.transcript.learns(session, turn)

    def keep(self, user: str, notes: Sequence[Note]) -> None:
        """On the disk when it returns, some milliseconds later."""
        with self._unless_broken():
            if notes:
                memory = self.of(user)
                memory.keep(self._scoped(memory, note) for note in notes)
                self.fault = ""

    def remembers_tasks(self, session: str, turn: int) -> bool:
        """Whether something was done in text worlds in a turn and may be remembered; blocking, for a moment."""
        done = any("episode" in event.data for event in self.transcript.turn_events(session, turn))
        return done and self.wanted(session)

    def agree_on_tasks(self, user: str, session: str) -> None:
        """What is kept of a conversation's tasks in text worlds is what its view tells; blocking, for a moment."""
        with self._unless_broken():
            self._agree_on_tasks(self.of(user), session)

    def told(self, user: str, said: str, question: str = "", *, closely: bool = False) -> Heard:
        """What a person says, to a question of the assistant's if there was one; what they tell, or wish of the
        memory, may change what was found for them before. closely: also what only may tell something is to be read.
        Blocking, for a moment."""
        with self._unless_broken():
            scope = self._reader.scope(said)
            heard = (said, f"{question} {said}") if question else (said,)
            p = 1.0 if scope in TELLING else max(map(self._reader.tells, heard))
            if p >= TELLS:  # of a mere hint it is known once it was read
                self.of(user).changed()
            return Heard(scope, p >= (HINTS if closely or question else TELLS))
        return Heard("", False)

    def to_read(self, user: str, session: str, turn: int, at: float) -> None:
        """A turn is to be read for facts once nobody speaks, if need be after the next start; blocking."""
        self._list_unread(user, lambda unread: [*unread, (session, turn, at)][-MOST:])

    def was_read(self, user: str, session: str, turn: int) -> None:
        """It was, or it never will be; blocking."""
        self._list_unread(user, lambda unread: [one for one in unread if one[:2] != (session, turn)])

    def unread(self, user: str) -> list[Unread]:
        """The turns that are to be read for facts, the oldest first; blocking."""
        with self._unless_broken():
            return _unread(self.of(user))
        return []

    def person(self, user: str) -> str:
        """As which the person is known, a number that every change raises; blocking. Empty where it cannot be read."""
        with self._unless_broken():
            return self.of(user).person
        return ""

    def scoped(self, question: str, moment: Mapping[str, str]) -> dict[str, str]:
        """What of the moment that a question was asked in its answer depends on: of whom or when the question is."""
        with self._unless_broken():
            return self._of_scope(question, moment)
        return {}

    def withdraw(self, user: str, session: str, turns: Sequence[int], ids: Sequence[str], why: str) -> None:
        """From now on nothing of these turns is given, nor the notes `ids` and the turns that say them; they can be
        brought back. Of a turn whose reply is WRONG, what the person told in it stays."""
        with self._unless_broken():
            memory = self.of(user)
            left = _left_by(memory, session, turns, why)
            # What is out for another reason stays so: else it would come back with what is done here.
            memory.withdraw([note.id for note in (*left, *_with_turns(memory, ids)) if not note.out], why)

    def bring_back(
        self, user: str, session: str, turns: Sequence[int], ids: Sequence[str] = (), why: str = TAKEN_BACK
    ) -> None:
        """What `withdraw` took out is given again, but for what is out for another reason."""
        with self._unless_broken():
            memory = self.of(user)
            left = (*_left_by(memory, session, turns), *_with_turns(memory, ids))
            memory.restore([note.id for note in left if note.out == why])

    def forget_deleted(self, user: str) -> None:
        """Deletes all that comes from a user's deleted conversations, for good; where that fails, before anything else
        is done with these notes."""
        self._late.add(user)
        with self._unless_broken():
            self.of(user)

    async def settle(self) -> None:
        """Waits until everything that was kept can be found by its meaning too."""
        if settle := getattr(self._store, "settle", None):
            await asyncio.to_thread(settle)

    def reconcile(self, memory: UserMemory) -> None:
        """Makes a user's notes and the transcript agree: told when the notes are opened."""
        memory.forgotten = partial(self._removed, memory.name)
        self._forget_deleted(memory)
        gone = memory.notes.gone_everywhere()
        if str(len(gone)) != memory.notes.meta("removed"):  # a crash came between, or a backup was restored
            deleted = set(self.transcript.deleted())
            memory.forget_made_of([id_ for id_ in gone if id_.rsplit(":", 2)[0] not in deleted])
            memory.notes.set_meta("removed", str(len(gone)))
        transcript = self.transcript
        agreed = int(memory.notes.meta(AGREED) or 0)
        if not self._is_off(memory):
            self._keep_missing(memory)
            for session in transcript.worlds_since(memory.name, agreed) | self._with_tasks_out(memory):
                self._agree_on_tasks(memory, session)
        memory.restore(self._in_view_again(memory))
        for why, turns in ((TAKEN_BACK, transcript.taken_back(memory.name)), (WRONG, transcript.wrong(memory.name))):
            left = [note for session, turn in turns for note in _left_by(memory, session, [turn], why)]
            memory.withdraw([note.id for note in left if not (note.out or note.about.get(RESTORED))], why)

    # -- inside

    def _list_unread(self, user: str, change: Callable[[list[Unread]], list[Unread]]) -> None:
        with self._unless_broken(), self._listing:
            memory = self.of(user)
            memory.notes.set_meta(UNREAD, json.dumps(change(_unread(memory))))

    def _is_off(self, memory: UserMemory) -> bool:
        """Whether the person wants no memory: notes that had to be made anew are told by the transcript."""
        if not memory.notes.meta(AGREED) and not self.transcript.remembered(memory.name):
            memory.notes.set_meta(OFF, OFF)
        off = bool(memory.notes.meta(OFF))
        self.transcript.set_remembered(memory.name, not off)
        return off

    def _keep_missing(self, memory: UserMemory) -> None:
        """What was said since they agreed last, as far as it is not kept yet."""
        last = self.transcript.newest()
        agreed = int(memory.notes.meta(AGREED) or 0)
        new = [note for row in self.transcript.exchanges(memory.name, agreed) for note in notes_of(*row)]
        missing = [note for note in new if memory.notes.get(note.id) is None]
        memory.keep(self._scoped(memory, note) for note in missing)
        memory.notes.set_meta(AGREED, str(last))

    def _agree_on_tasks(self, memory: UserMemory, session: str) -> None:
        # Of the tasks that stand in the view as ended those of which every turn may be remembered.
        turns, events = self.transcript.task_turns(session), self.transcript.world_events(session)
        told = {note.id: note for note in notes_of_tasks(session, events, turns)}
        kept = [n for n in memory.notes.page(Filter(("episode",)), EPISODES) if n.session == session and not n.imported]
        memory.keep(note for id_, note in told.items() if memory.notes.get(id_) is None)
        gone = [n.id for n in kept if not (n.out or n.about.get(RESTORED) or n.id in told)]
        memory.withdraw(gone, TAKEN_BACK)
        memory.restore([n.id for n in kept if n.out == TAKEN_BACK and n.id in told])

    def _with_tasks_out(self, memory: UserMemory) -> set[str]:
        """Conversations of which a task was taken back: a crash may have come behind it."""
        out = memory.notes.page(Filter(("episode",), state="former"), EPISODES)
        return {note.session for note in out if note.out == TAKEN_BACK}

    def _in_view_again(self, memory: UserMemory) -> list[str]:
        """What is out with its turn, which is in view: a crash came between. A result may be out for having been
        given where it was wrong; it is found anew."""
        out = memory.notes.page(Filter(("turn", "fact"), state="former"), memory.notes.count())
        return [n.id for n in out if n.out == TAKEN_BACK and self.transcript.learns(n.session, n.turn)]

    def _forget_deleted(self, memory: UserMemory) -> None:
        self._late.add(memory.name)
        if ids := memory.notes.of_sessions(self.transcript.deleted()):
            memory.forget(ids, everywhere=False)  # what other conversations made of it is for the person to delete
        self._late.discard(memory.name)

    def _removed(self, user: str, ids: Sequence[str]) -> set[tuple[str, int]]:
        """The transcript holds no word of the user's turns that told what was deleted, or showed it; the latter."""
        turns = (id_.rsplit(":", 2) for id_ in ids if id_.count(":") >= 2)
        told = {(session, turn_of(number)) for session, number, _ in turns}
        shown = self.transcript.telling(user, ids)
        self.transcript.remove(sorted(told | shown))
        return shown

    def _here(self, user: str, question: str, context: Mapping[str, str]) -> Mapping[str, str]:
        """The context with the person's state; empty where the question's answer cannot be one from before.

        That a turn tells something, or is about the memory, is no reason: what asks the same as a question does not.
        """
        if self._reader.scope(question) in PASSING:
            return {}
        return {**context, "person": self.of(user).person}

    def _scoped(self, memory: UserMemory, note: Note) -> Note:
        """A result with all that it depends on; what its turn did not say of the moment is as it is kept."""
        if note.kind != "result" or "call" in note.depends:
            return note
        day = day_of(note.at, self._now().tzinfo)
        moment = {"date": day, "turn": f"{note.session}:{note.turn}", "person": memory.person}
        return replace(note, depends={**self._of_scope(note.text, moment), **note.depends})

    def _of_scope(self, question: str, moment: Mapping[str, str]) -> dict[str, str]:
        scope = self._reader.scope(question)
        return {name: moment[name] for name, scopes in KEPT_IN.items() if scope in scopes and name in moment}

    @contextmanager
    def _unless_broken(self) -> Iterator[None]:
        """Where the memory fails within it, that is told, and what stands behind it goes on."""
        try:
            yield
        except MemoryFault as fault:
            self.fault = str(fault)
            log.warning("memory: %s", fault)


def _unread(memory: UserMemory) -> list[Unread]:
    return [(str(session), int(turn), float(at)) for session, turn, at in json.loads(memory.notes.meta(UNREAD) or "[]")]


def _left_by(memory: UserMemory, session: str, turns: Sequence[int], why: str = "") -> list[Note]:
    """What the turns left; of those that were WRONG, which is said of Duet's reply, nothing that the person told."""
    left = memory.notes.of([id_ for turn in turns for id_ in memory.notes.of_session(session, turn)])
    return [note for note in left if why != WRONG or note.speaker != PERSON]


def _with_turns(memory: UserMemory, ids: Sequence[str]) -> list[Note]:
    """These notes, and the turns that say them."""
    return [one for note in memory.notes.of(ids) for one in (note, *memory.notes.turns_of(note))]


def said_id(session: str, turn: int) -> str:
    """Of the note of what the person said in a turn."""
    return f"{session}:{turn}:said"


def notes_of(session: str, turn: int, said: str, reply: Mapping[str, Any], at: float) -> Iterator[Note]:
    """The notes of one finished turn: what was said on both sides, and the slow result where there is one (DUMA 2.4).

    Of a turn that failed, whose `end` stands in place of a reply, what the person said. Nothing of what the memory
    itself answered or recalled, of a reply that was stopped, of words off the record, and of a conversation that came
    in a file: whoever wrote it, it was not said here.
    """
    if reply.get("by") == "memory" or any(reply.get(name) for name in ("stopped", "off_record", IMPORTED)):
        return
    reply_id, found_id = (f"{session}:{turn}:{kind}" for kind in ("reply", "found"))
    yield Note(said_id(session, turn), "turn", said, at, session=session, turn=turn, speaker=PERSON)
    if "text" not in reply:
        return
    if not (reply.get("recalled") or reply.get("world")):  # a world's own story tells of it, elsewhere it would mislead
        yield Note(reply_id, "turn", str(reply["text"]), at, session=session, turn=turn, speaker=ASSISTANT)
    if found := reply.get("remember"):
        answer = found.get("answer", reply["text"])
        about = {name: str(found[name]) for name in ("model", "strength", "evidence") if name in found}
        yield Note(found_id, "result", found["question"], at, answer, session, turn, "", dict(found["depends"]), about)
