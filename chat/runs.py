"""Runs in the background, detached from any browser: submit, follow, steer, pause, stop, resume.

A run belongs to the server. Followers only read the event log: what is stored before, then what comes.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any, Protocol, TypeVar

from chat.deletions import REMOVED
from chat.faults import ChatFault, UnknownSession, sentence
from chat.remembering import ANEW, TAKEN_BACK, WRONG, Remembering, notes_of
from chat.transcript import OPEN, SAID, TASKS, StoredTurn, Transcript
from chat.uploads import Document
from minds.dialogue import Event
from minds.models.language import unheard
from tools.desk import ToolFault
from tools.pictures import is_picture, read_picture
from tools.plain import readable
from tools.reading import read_document

log = logging.getLogger("duet.runs")
Read = TypeVar("Read")
ACTS = ("stop", "pause", "resume", "discard", "undo")
"""What a person may wish of what is under way, or of the last turn."""


@dataclass
class Run:
    """One turn being answered. Lives on the event loop only."""

    turn: StoredTurn
    fresh: bool = False
    """Asked again on purpose: the memory is not to answer."""
    phase: str = "fast"
    """fast | queued | slow | wording"""
    going: asyncio.Event = field(default_factory=asyncio.Event)
    """Cleared while paused."""
    steering: list[str] = field(default_factory=list)
    heard: int = 0
    """How much of it the slow mind knew when it chose what it does now."""
    question: str = ""
    steps: list[str] = field(default_factory=list)
    """What the slow mind did so far, a line each: for the fast mind to speak of."""
    told_at: float | None = None
    """When the person told something in it that is to be read for facts."""
    cost: Mapping[str, object] = field(default_factory=dict)
    """What it took of models, once it is over."""
    remembers: bool = False
    """What the person says in it may be kept, also where the turn fails."""
    task: asyncio.Task[None] | None = None

    def __post_init__(self) -> None:
        self.going.set()

    @property
    def over(self) -> bool:
        return self.task is not None and self.task.done()

    @property
    def hears(self) -> bool:
        """Whether the slow mind still takes up what the person adds."""
        return self.phase in ("queued", "slow") and not self.over

    def situation(self) -> str:
        """The run's state, for the fast mind and for the person who asks."""
        if self.phase == "queued":
            return f"Waiting behind it: {self.question.rstrip(' .')}."
        done = "; ".join(self.steps[-3:]) or "it has just begun"
        paused = "" if self.going.is_set() else " It is paused."
        about = self.question.rstrip(" .")
        return f"The slow mind is still working on: {about}. So far: {done}.{paused}"


class Answering(Protocol):
    """What answers a turn: Conversation."""

    async def answer(self, run: Run, others: list[Run]) -> None: ...

    async def forget(self, session: str) -> None:
        """Ends what runs and is kept elsewhere for a session that is deleted."""


class Quota(Protocol):
    """What one account may have at once. Raises ChatFault."""

    def run(self, session: str) -> None: ...

    def upload(self, user: str, size: int) -> None: ...


class Runs:
    """All runs of one server. Coroutines belong to one event loop."""

    def __init__(
        self,
        transcript: Transcript,
        remembering: Remembering,
        max_message: int,
        answering: Callable[[Runs], Answering],
    ) -> None:
        """`answering` makes what answers the turns; it may keep these runs, and uses them only once a turn begins."""
        self._transcript, self.remembering, self._max_message = transcript, remembering, max_message
        self._runs: dict[str, list[Run]] = {}
        self._bells: dict[str, set[asyncio.Event]] = {}
        self._unstored: dict[str, list[Event]] = {}
        """Events of a full disk: those who follow see them, and nobody else ever will."""
        self.quota: Quota | None = None
        """Where there are accounts."""
        self._slow_turns: dict[str, asyncio.Lock] = {}
        self._conversation = answering(self)

    # -- what a person does

    async def submit(
        self,
        session: str,
        text: str,
        *,
        edits: int | None = None,
        fresh: bool = False,
        model: str = "",
        sent: str = "",
    ) -> int:
        """Stores the turn and starts to answer it; its number. Raises ChatFault, and then nothing was stored.

        `sent`: an id that the sender chose; the same words with the same once more, because the answer was lost, are
        the turn that is there.
        """
        if sent and (there := self._transcript.sent(sent, text, session)):
            return there[1]
        most = self._max_message
        said = readable(text) if len(text) <= 4 * most else text
        if len(said) > most:
            raise ChatFault(
                f"The message has {len(said):,} characters and the limit is {most:,}: shorten it, or upload it as a "
                "document."
            )
        if not said.strip():
            raise ChatFault("The message is empty: type what you would like to say or ask.")
        if self.quota:
            self.quota.run(session)
        if edits is not None:
            await self._take_back(session, edits, wrong=fresh)
        event = self._transcript.begin_turn(session, said, supersedes=edits, model=model, sent=sent)
        if edits is not None:
            self._agree_on_tasks(session)
        self._ring(session)
        self._start(Run(StoredTurn(session, event.turn, said, OPEN), fresh=fresh))
        return event.turn

    async def retry(self, session: str, turn: int, model: str = "") -> int:
        """Asks the same again, once of another `model` where one is named; the memory does not answer this time."""
        said = self._transcript.turn(session, turn).said
        if self._removed(session, turn):
            raise ChatFault("The words of this turn were deleted: type anew what you would like to ask.")
        return await self.submit(session, said, edits=turn, fresh=True, model=model)

    async def undo(self, session: str) -> str:
        """Takes the last turn back; its text, empty where that was deleted."""
        last = self._transcript.last_turn(session)
        if last is None:
            raise ChatFault("There is nothing to undo in this conversation.")
        await self._take_back(session, last.number)
        self._transcript.supersede(session, last.number)
        self._agree_on_tasks(session)
        self._ring(session)
        return "" if self._removed(session, last.number) else last.said

    async def choose(self, session: str, turn: int) -> None:
        """Another version of a turn comes into view, with what followed it; so does what is remembered of them."""
        if self._runs.get(session):
            raise ChatFault("Something is being answered here: wait for it or stop it, then look at the other version.")
        before = set(self._transcript.turns_from(session, 1))
        self._transcript.choose(session, turn)
        after = set(self._transcript.turns_from(session, 1))
        self._out(session, sorted(before - after), TAKEN_BACK, [])
        self.remembering.bring_back(self._transcript.session(session).user, session, sorted(after - before))
        self._agree_on_tasks(session)
        self._ring(session)

    async def stop(self, session: str) -> None:
        """Ends all that is under way in the session; the only thing that does."""
        await self.halt(self._runs.get(session, []))

    async def halt(self, runs: list[Run], *why: str) -> None:
        """Ends these runs, for good where nothing else is said."""
        await asyncio.sleep(0)  # a task that never began could not tell its end
        tasks = [run.task for run in runs if run.task]
        for task in tasks:
            task.cancel(*why)
        await asyncio.gather(*tasks, return_exceptions=True)

    @asynccontextmanager
    async def slowly(self, run: Run, question: str) -> AsyncIterator[bool]:
        """Within it, the run is the session's slow one, the next waits; whether it had to wait itself."""
        run.phase, run.question = "queued", question
        lock = self._slow_turns.setdefault(run.turn.session, asyncio.Lock())
        if waits := lock.locked():
            self.emit(run, "run", state="queued")
        async with lock:
            run.phase = "slow"
            yield waits

    async def pause(self, session: str) -> None:
        for run in self._slow(session):
            if run.going.is_set():
                run.going.clear()
                self.emit(run, "run", state="paused")

    async def resume(self, session: str) -> None:
        """A paused run goes on; where there is none, a turn that was interrupted, or else the last one where it failed,
        is taken up where it was: what was found until then is not looked for, or paid for, once more."""
        paused = [run for run in self._slow(session) if not run.going.is_set()]
        for run in paused:
            run.going.set()
            self.emit(run, "run", state="resumed")
        last = self._transcript.last_turn(session)
        failed = [last] if last and last.state == "failed" and not self._removed(session, last.number) else []
        for turn in (self._interrupted(session) or failed) if not paused else ():
            if self.quota:
                self.quota.run(session)
            self._transcript.reopen(session, turn.number)
            events = self._transcript.turn_events(session, turn.number)
            steered = [e.data for e in events if e.kind == "run" and e.data["state"] == "steered"]
            run = Run(turn, steering=[str(data["text"]) for data in steered])
            self.emit(run, "run", state="resumed")
            self._start(run)

    async def discard(self, session: str) -> None:
        """An interrupted turn is given up."""
        for turn in self._interrupted(session):
            self._transcript.set_state(session, turn.number, "discarded")
            self.emit(Run(turn), "run", state="discarded")

    async def delete(self, *sessions: str) -> None:
        """Ends the sessions' runs and removes their transcripts, documents and notes. Raises UnknownSession."""
        users = {self._transcript.session(session).user for session in sessions}
        left = list(sessions)
        while left:
            for session in left:
                await self.stop(session)
                await self._conversation.forget(session)
            left = [session for session in sessions if self._runs.get(session)]  # somebody went on there meanwhile
        self._transcript.delete(*sessions)
        for user in users:
            await asyncio.to_thread(self.remembering.forget_deleted, user)
        for session in sessions:
            self._ring(session)
        await asyncio.to_thread(self._transcript.wipe)

    async def delete_all(self, user: str) -> int:
        """All conversations of a user, pinned and archived ones too; how many there were."""
        count, asked = 0, {session.id for session in self._transcript.sessions(user)}
        while gone := [session.id for session in self._transcript.sessions(user) if session.id in asked]:
            with suppress(UnknownSession):  # one was deleted elsewhere meanwhile: the rest is read anew
                await self.delete(*gone)
                count += len(gone)
        return count

    async def set_feedback(self, session: str, turn: int, value: int) -> None:
        """1, 0 or -1. What was marked as wrong is no longer given from memory, until the mark is taken back."""
        wrong = self._transcript.marks(session).get(turn, 0) < 0
        self._transcript.set_feedback(session, turn, value)
        if value < 0:
            self._out(session, [turn], WRONG, [turn])
        elif wrong:
            user = self._transcript.session(session).user
            self.remembering.bring_back(user, session, [turn], self._served([turn], session), WRONG)

    async def add_file(self, session: str, name: str, data: bytes) -> str:
        """A picture or a document, by its name; what it is called here. Raises ChatFault."""
        if is_picture(name):
            await self.add_picture(session, name, data)
            return name
        return (await self.add_document(session, name, data)).name

    async def add_document(self, session: str, name: str, data: bytes) -> Document:
        """Raises ChatFault with the reason why the file cannot be used."""
        chunks = await self._read(read_document, session, name, data)
        return self._transcript.add_document(session, name, sha256(data).hexdigest(), chunks)

    async def add_picture(self, session: str, name: str, data: bytes) -> None:
        """It waits for the next turn. Raises ChatFault with the reason why the file cannot be used."""
        self._transcript.add_picture(session, await self._read(read_picture, session, name, data))

    async def _read(self, reader: Callable[[str, bytes], Read], session: str, name: str, data: bytes) -> Read:
        user = self._transcript.session(session).user
        if self.quota:
            self.quota.upload(user, len(data))
        try:
            return await asyncio.to_thread(reader, name, data)
        except ToolFault as fault:
            raise ChatFault(str(fault)) from fault

    async def act(self, session: str, wish: str) -> str:
        """One of ACTS; what was taken back, where that is asked. Raises ChatFault."""
        if wish not in ACTS:
            raise ChatFault(f"There is no `{wish}`; there are: {', '.join(ACTS)}.")
        return str(await getattr(self, wish)(session) or "")

    # -- what a follower sees

    def under_way(self) -> list[tuple[str, int]]:
        """(session, turn) of all that is being answered, the oldest first."""
        return [(run.turn.session, run.turn.number) for run in self._all()]

    def state(self, session: str) -> str:
        """idle | fast | slow | paused | interrupted"""
        runs = self._runs.get(session, [])
        if slow := self._slow(session):
            return "slow" if all(run.going.is_set() for run in slow) else "paused"
        if runs:
            return "fast"
        return "interrupted" if self._interrupted(session) else "idle"

    async def follow(self, session: str, after: int = 0) -> AsyncIterator[Event]:
        """Stored events with seq > after, then each new one, until the caller stops. Raises UnknownSession."""
        self._transcript.session(session)
        bell, told = asyncio.Event(), len(self._unstored.get(session, ()))
        self._bells.setdefault(session, set()).add(bell)
        try:
            while True:
                bell.clear()
                for event in self._transcript.events(session, after):
                    after = event.seq
                    yield event
                for event in self._unstored.get(session, ())[told:]:
                    told += 1
                    yield replace(event, seq=after)
                await bell.wait()
        finally:
            self._bells[session].discard(bell)

    async def wait(self, session: str, turn: int) -> AsyncIterator[Event]:
        """The events of one turn until its end."""
        first = self._transcript.turn_events(session, turn)
        async for event in self.follow(session, first[0].seq - 1 if first else 0):
            if event.turn == turn:
                yield event
                if event.kind in ("end", "superseded"):
                    return

    def emit(self, run: Run, kind: str, **data: object) -> Event:
        """Stores an event of the run's turn, then tells the followers. Raises DiskFull."""
        event = self._transcript.append(run.turn.session, run.turn.number, kind, data)
        self._ring(run.turn.session)
        return event

    def try_emit(self, run: Run, kind: str, **data: object) -> Event:
        """Where nothing can be stored (disk full, conversation deleted) the run still ends."""
        try:
            return self.emit(run, kind, **data)
        except Exception as error:
            log.warning("could not store %s %s: %s", kind, data, error)
            event = Event(0, run.turn.session, run.turn.number, kind, data, time.time())
            self._unstored.setdefault(run.turn.session, []).append(event)
            self._ring(run.turn.session)
            return event

    # -- the server's life

    def recover(self) -> int:
        """After a start: turns that a dead server left open are interrupted. How many."""
        left = self._transcript.turns_in(OPEN)
        for turn in left:
            if not (replied := self._replied(turn)):
                events = self._transcript.turn_events(turn.session, turn.number)
                heard = {"state": "interrupted", "heard": events[-1].at}
                self._transcript.append(turn.session, turn.number, "run", heard)
            end: dict[str, object] = {"state": "done" if replied else "interrupted"}
            self._transcript.append(turn.session, turn.number, "end", end | self._task_mark(turn))
        return len(left)

    async def close(self) -> None:
        """Interrupts all runs; they can be resumed after the next start."""
        await asyncio.sleep(0)  # what is submitted just now is one of them
        while runs := self._all():
            await self.halt(runs, "interrupted")

    async def idle(self) -> None:
        """Returns when nothing is being answered."""
        while tasks := [run.task for run in self._all() if run.task]:
            await asyncio.wait(tasks)

    # -- inside

    def _all(self) -> list[Run]:
        return [run for runs in self._runs.values() for run in runs]

    def _start(self, run: Run) -> None:
        others = list(self._runs.setdefault(run.turn.session, []))
        self._runs[run.turn.session].append(run)
        run.task = asyncio.get_running_loop().create_task(self._answer(run, others))

    async def _answer(self, run: Run, others: list[Run]) -> None:
        """One turn from begin to end: whatever happens, the turn ends, in the log too."""
        state = "failed"
        try:
            await self._conversation.answer(run, [other for other in others if not other.over])
            state = "done"
        except asyncio.CancelledError as cancelled:
            state = "interrupted" if cancelled.args == ("interrupted",) else "stopped"
            with suppress(Exception):  # nothing may be readable any more
                whole = not self._replied(run.turn).get("stopped", True)
                state = "done" if whole else state  # only what the memory is to learn of it was left to do
            if state != "done":
                self.try_emit(run, "run", state=state)
        except Exception as error:  # the boundary: a person reads one sentence, the log has the rest
            self.try_emit(
                run, "error", text=sentence(error), **run.cost, **({"unheard": True} if unheard(error) else {})
            )
        finally:
            self._runs[run.turn.session].remove(run)
            self._end(run, state)

    def _replied(self, turn: StoredTurn) -> Mapping[str, Any]:
        """Its final reply, with whether it was `stopped`; empty where there is none."""
        replies = (e.data for e in self._transcript.turn_events(turn.session, turn.number) if e.kind == "reply")
        return next(({"stopped": False, **data} for data in replies if data.get("final")), {})

    def _end(self, run: Run, state: str) -> None:
        """In the log; where the turn failed, what the person said in it is remembered: no reply does that."""
        turn, user, marks = run.turn, "", dict[str, object]()
        if state == "failed" and run.remembers:
            with suppress(Exception):  # the conversation may have been deleted meanwhile; the turn ends all the same
                user = self._transcript.session(turn.session).user
                marks |= {SAID: True} if self.remembering.learns(user, turn.session, turn.number) else {}
        marks |= self._task_mark(turn)
        end = self.try_emit(run, "end", state=state, **marks)
        if SAID in marks:
            self.remembering.keep(user, list(notes_of(turn.session, turn.number, turn.said, end.data, end.at)))
        if TASKS in marks:
            self._agree_on_tasks(turn.session)

    def _task_mark(self, turn: StoredTurn) -> dict[str, object]:
        """Of the end of a turn in which something was done in text worlds that may be remembered."""
        with suppress(Exception):  # as above
            return {TASKS: True} if self.remembering.remembers_tasks(turn.session, turn.number) else {}
        return {}

    def _agree_on_tasks(self, session: str) -> None:
        """The view changed, or a task in a text world ended."""
        with suppress(Exception):  # as above
            self.remembering.agree_on_tasks(self._transcript.session(session).user, session)

    async def _take_back(self, session: str, turn: int, *, wrong: bool = False) -> None:
        """Ends and forgets a turn and all after it; `wrong`: and what it was answered from itself."""
        while self._transcript.turn(session, turn):  # it may be taken back elsewhere, or more be said, meanwhile
            if not (later := [run for run in self._runs.get(session, []) if run.turn.number >= turn]):
                break
            await self.halt(later)
        self._out(session, self._transcript.turns_from(session, turn), TAKEN_BACK, [])
        self._out(session, [], ANEW, [turn] if wrong else [])

    def _out(self, session: str, turns: list[int], why: str, wrong: list[int]) -> None:
        """What these turns left is no longer given; nor what those that are `wrong` were answered from."""
        user = self._transcript.session(session).user
        self.remembering.withdraw(user, session, turns, self._served(wrong, session), why)

    def _removed(self, session: str, turn: int) -> bool:
        """Whether its words were deleted; somebody may have said the word that stands in their place."""
        return any(event.data.get(REMOVED) for event in self._transcript.turn_events(session, turn))

    def _served(self, turns: list[int], session: str) -> list[str]:
        """The notes that these turns were answered from."""
        done = (event for turn in turns for event in self._transcript.turn_events(session, turn))
        return [str(e.data["from_note"]) for e in done if e.kind == "reply" and e.data.get("from_note")]

    def _slow(self, session: str) -> list[Run]:
        return [run for run in self._runs.get(session, []) if run.phase != "fast"]

    def _interrupted(self, session: str) -> list[StoredTurn]:
        return [turn for turn in self._transcript.turns_in("interrupted") if turn.session == session]

    def _ring(self, session: str) -> None:
        for bell in self._bells.get(session, ()):
            bell.set()
