"""The transcript: the source of truth for everything that was said and done.

Every event of a turn is a row here before anybody sees it. Turns are a tree: each knows which one it follows, and one
that is edited or answered again gets a sibling. One path through it is in view; what is beside it is superseded, and
`choose` brings it back.
"""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import cache
from typing import Any

import sqlalchemy as sa

from chat.deletions import REMOVED, record_deletion, remove_words
from chat.faults import ChatFault
from chat.sessions import Session, new_id, title_of
from chat.settings import Options
from chat.tables import IN_VIEW, OF_THIS_TURN, OF_TURN, events, pictures_of, sessions, turns
from chat.uploads import Document, Uploads
from memory.memory import IMPORTED
from minds.dialogue import Dialogue, Event, Turn
from storage.engine import BREATH, key_of, parts
from tools.desk import Chunk
from tools.pictures import Drawn
from tools.plain import readable

OPEN = "open"
"""State of a turn that is being answered; the others are the states of its `end` event, and `discarded`."""

SAID, TASKS = "said", "tasks"
"""In the `end` of a turn that failed: what the person said in it is remembered."""
SENT = r"[\w.:-]{1,64}"
"""What may be the id that a sender gives to what is sent."""
GONE = "That turn is no longer in the conversation: reload the page."
_EVENT = sa.select(*(events.c[name] for name in ("seq", "session", "turn", "kind", "data", "at")))
_STORED = sa.select(turns.c.session, turns.c.number, turns.c.said, turns.c.state)
_TURN = _STORED.where(IN_VIEW)
# What every turn asks is put together once: that takes longer than asking.
_TURN_EVENTS = _EVENT.where(*OF_THIS_TURN).order_by(events.c.seq)
_INSERT = sa.insert(events)
_THIS = (turns.c.session == sa.bindparam("of_session"), turns.c.number == sa.bindparam("of_turn"))
_END = sa.update(turns).where(*_THIS).values(state=sa.bindparam("ended"))
_BEGIN = sa.insert(turns)
_TITLE = sa.case((sessions.c.title == "", sa.bindparam("words")), else_=sessions.c.title)
_SPEAK = sa.update(sessions).where(sessions.c.id == sa.bindparam("of_session"))
_SPEAK = _SPEAK.values(updated=sa.bindparam("now"), title=_TITLE)
_NUMBER = sa.select(sa.func.max(turns.c.number)).where(turns.c.session == sa.bindparam("of_session"))
_PARENT = _NUMBER.where(IN_VIEW)
_ANY_WORLD = sa.select(events.c.seq).where(OF_THIS_TURN[0], events.c.kind == "world").limit(1)
_PASSING = {"reply": ("delta",), "step": ("act",), "end": ("delta", "act", "status")}
"""Kind of event -> the kinds that it takes the place of."""
_TAKE = {kind: sa.delete(events).where(*OF_THIS_TURN, events.c.kind.in_(passing)) for kind, passing in _PASSING.items()}


@dataclass(frozen=True)
class StoredTurn:
    """A turn's row."""

    session: str
    number: int
    said: str
    state: str


@dataclass(frozen=True)
class Place:
    """Where a turn stands in the tree."""

    parent: int
    """The turn that it follows; 0 for none."""
    in_view: bool = True


class Transcript(Uploads):
    """All conversations of one DUET_HOME. Every method but `adopt_all` is quick; all may be called from any thread."""

    def adopt(
        self,
        session: Session,
        options: Options,
        said: Sequence[tuple[StoredTurn, int]],
        done: Sequence[Event],
        documents: Sequence[tuple[str, str, Sequence[Chunk]]],
        places: Mapping[int, Place],
        pictures: Mapping[str, Drawn],
    ) -> Session:
        """A whole conversation at once (an import), or nothing of it. It gets an id of its own, and so do its events.

        `said` are (turn, feedback), `done` its events, `documents` (name, digest, chunks), `places` where its turns
        stand; `pictures` are by their id.
        """
        adopted = replace(session, id=new_id())
        with self._transaction() as db:
            db.execute(sa.insert(sessions), asdict(adopted) | {"options": asdict(options)})
            for turn, feedback in said:
                place = places[turn.number]
                row = asdict(turn) | {"session": adopted.id, "feedback": feedback}
                db.execute(sa.insert(turns), row | {"parent": place.parent, "superseded": not place.in_view})
            for event in done:
                marked = {IMPORTED: True} if event.kind == "turn" or event.data.get("final") else {}
                self._insert(db, adopted.id, event.turn, event.kind, {**event.data, **marked}, event.at)
            for id_, drawn in pictures.items():
                self._insert_picture(db, adopted.id, id_, drawn, waiting=False)
            for name, digest, chunks in documents:
                self._insert_document(
                    db, adopted.id, Document(secrets.token_urlsafe(6), name, digest, 0, time.time()), chunks
                )
        return adopted

    def adopt_all(self, many: Sequence[tuple[Any, ...]]) -> list[Session]:
        """`adopt` for each of them, or for none, as far as the disk lets it; it takes long, and others have their turn
        in between."""
        here = list[Session]()
        try:
            for each in many:
                here.append(self.adopt(*each))
                time.sleep(BREATH)
        except BaseException:
            for session in here:
                with suppress(Exception):
                    record_deletion(self.path.parent, "session", session.id)
                with suppress(Exception):  # what stays, as after a kill, is known when the file is brought again
                    self._write(sa.delete(sessions).where(sessions.c.id == session.id))
            raise
        return here

    # -- turns and events

    def begin_turn(
        self, session: str, said: str, *, supersedes: int | None = None, model: str = "", sent: str = ""
    ) -> Event:
        """Stores the person's turn; its `turn` event.

        With `supersedes` that turn and all after it leave the view, and its pictures are shown again; `model`: the spec
        of who is to answer this once; `sent`: the id that its sender gave it.
        """
        self.session(session)
        with self._transaction() as db:
            if supersedes is not None:
                self._supersede(db, session, supersedes)
            number = 1 + int(db.scalar(_NUMBER, {"of_session": session}) or 0)
            parent = db.scalar(_PARENT, {"of_session": session}) or 0
            row = {"session": session, "number": number, "said": said, "state": OPEN, "parent": parent}
            db.execute(_BEGIN, row)
            now = time.time()
            db.execute(_SPEAK, {"of_session": session, "now": now, "words": title_of(said)})
            shown = self._send(db, session, supersedes)
            more = {"edits": supersedes, "model": model, "sent": sent, "pictures": shown}
            data = {"text": said} | {name: value for name, value in more.items() if value}
            return self._insert(db, session, number, "turn", data, now)

    def sent(self, id_: str, text: str, session: str = "", *, user: str = "") -> tuple[str, int] | None:
        """(session, turn) in view of these words sent under this id: there, or as the first ones of any of a user's."""
        whose = events.c.session == session if session else sa.and_(sessions.c.user == user, events.c.turn == 1)
        query = sa.select(events.c.session, events.c.turn, turns.c.said).join(turns, OF_TURN)
        query = query.join(sessions, sessions.c.id == events.c.session)
        named = events.c.kind == "turn", events.c.data["sent"].as_string() == id_, IN_VIEW
        found = self._read(query.where(whose, *named))
        return next(((str(there), int(turn)) for there, turn, said in found if said == readable(text)), None)

    def supersede(self, session: str, number: int) -> Event:
        """Takes a turn and all after it out of the view (undo)."""
        with self._transaction() as db:
            self._supersede(db, session, number)
            self._take_back(db, session, number)
            return self._insert(db, session, number, "superseded", {"from": number}, time.time())

    def places(self, session: str) -> dict[int, Place]:
        """Where each of its turns stands, those out of view too, in the order of their numbers."""
        query = sa.select(turns.c.number, turns.c.parent, turns.c.superseded).where(turns.c.session == session)
        rows = self._read(query.order_by(turns.c.number))
        return {int(number): Place(int(parent), not out) for number, parent, out in rows}

    def choose(self, session: str, number: int) -> Event:
        """Brings a turn into view: all that it follows, and after it the newest of what followed. Raises ChatFault."""
        with self._transaction() as db:
            path = path_through(self.places(session), number)
            of_session = sa.update(turns).where(turns.c.session == session)
            db.execute(of_session.where(turns.c.number.in_(path)).values(superseded=False))
            db.execute(of_session.where(turns.c.number.not_in(path)).values(superseded=True))
            return self._insert(db, session, number, "branch", {"to": path[-1]}, time.time())

    def append(self, session: str, turn: int, kind: str, data: Mapping[str, object]) -> Event:
        """Stores one event. A `reply` removes its deltas, a `step` its `act`, and an `end` closes the turn."""
        with self._transaction() as db:
            here = {"of_session": session, "of_turn": turn}
            if kind in _TAKE:
                db.execute(_TAKE[kind], here)
            if kind == "end":
                db.execute(_END, here | {"ended": data["state"]})
            return self._insert(db, session, turn, kind, data, time.time())

    def events(self, session: str, after: int = 0, first: int = 0, last: int = 0) -> list[Event]:
        """The events of the view, oldest first, with seq > `after`, of the turns `first` to `last` (0: no bound)."""
        values = {"of_session": session, "after": after, "first": first, "last": last}
        return self._events(_view(bool(first), bool(last)), values)

    def spoken(self, session: str, before: int = 0) -> list[Event]:
        """What was said and replied in the view, oldest first, in the turns before this one (0: in all)."""
        query = _viewed(_EVENT, session, "turn", "reply")
        return self._events((query.where(events.c.turn < before) if before else query).order_by(events.c.seq))

    def everything(self, session: str) -> tuple[list[StoredTurn], list[Event]]:
        """All its turns and their events, those out of view too; a place that a restore kept is no turn."""
        whole = _STORED.where(turns.c.session == session, turns.c.parent < turns.c.number)
        rows = self._read(whole.order_by(turns.c.number))
        return [StoredTurn(*row) for row in rows], self._events(
            _EVENT.where(events.c.session == session).order_by(events.c.seq)
        )

    def newest(self, session: str = "") -> int:
        """The number of the newest event, of one conversation or of all; 0 for none."""
        newest = sa.select(sa.func.max(events.c.seq))
        [[found]] = self._read(newest.where(events.c.session == session) if session else newest)
        return int(found or 0)

    def world_events(self, session: str) -> list[Event]:
        """The events of the view that tell of its world episodes, oldest first (chat/worlds/episodes.py)."""
        if not self._read(_ANY_WORLD, {"of_session": session}):
            return []
        return self._events(_WORLDS, {"of_session": session})

    def turn_events(self, session: str, turn: int) -> list[Event]:
        return self._events(_TURN_EVENTS, {"of_session": session, "of_turn": turn})

    def _events(self, query: sa.Select[Any], values: Any = None) -> list[Event]:
        return [Event(*row) for row in self._read(query, values)]

    def turn(self, session: str, number: int) -> StoredTurn:
        """Raises ChatFault where there is none in the view."""
        return _found(self._read(_TURN.where(turns.c.session == session, turns.c.number == number)))

    def last_turn(self, session: str) -> StoredTurn | None:
        rows = self._read(_TURN.where(turns.c.session == session).order_by(turns.c.number.desc()).limit(1))
        return StoredTurn(*rows[0]) if rows else None

    def turns_in(self, *states: str) -> list[StoredTurn]:
        """All turns of the view that are in one of the states."""
        rows = self._read(_TURN.where(turns.c.state.in_(states)).order_by(turns.c.session, turns.c.number))
        return [StoredTurn(*row) for row in rows]

    def turns_from(self, session: str, number: int) -> list[int]:
        query = sa.select(turns.c.number).where(turns.c.session == session, turns.c.number >= number, IN_VIEW)
        return [int(row[0]) for row in self._read(query)]

    def replied_before(self, session: str, turn: int) -> list[int]:
        """The turns of the view whose final reply stood there when this one was said."""
        said = sa.select(sa.func.min(events.c.seq)).where(*OF_THIS_TURN).scalar_subquery()
        query = _viewed(sa.select(events.c.turn), session, "reply").where(events.c.data["final"].as_boolean())
        rows = self._read(query.where(events.c.seq < said), {"of_session": session, "of_turn": turn})
        return [int(row[0]) for row in rows]

    def options_of(self, session: str, of_turn: Sequence[Event]) -> Options:
        """The conversation's, with the model that this one turn was asked of, where one was named."""
        options, model = self.options(session), str(of_turn[0].data.get("model") or "") if of_turn else ""
        return replace(options, fast_model=model, slow_model=model) if model else options

    def reopen(self, session: str, turn: int) -> None:
        """An interrupted turn is taken up again: its end is none."""
        with self._transaction() as db:
            here = {"of_session": session, "of_turn": turn}
            db.execute(sa.delete(events).where(*OF_THIS_TURN, events.c.kind == "end"), here)
            db.execute(_changed(session, turn).values(state=OPEN))

    def set_state(self, session: str, turn: int, state: str) -> None:
        self._write(_changed(session, turn).values(state=state))

    def dialogue(self, session: str, *, before: int) -> Dialogue:
        """What was said before turn `before`, slow results included (DUMA, eq. 3 and 5)."""
        about = self.session(session)
        rows = self._read(_SPOKEN, {"of_session": session, "before": before})
        return Dialogue(session, about.user, tuple(turn for row in rows for turn in _spoken(*row)))

    def summary(self, session: str) -> tuple[int, str] | None:
        """(how many turns of the dialogue it holds, text) of the newest summary that the view's turns made."""
        query = _viewed(sa.select(events.c.data), session, "summary").order_by(events.c.seq.desc()).limit(1)
        found = ((data["turns"], data["text"]) for [data] in self._read(query) if "turns" in data)
        return next(((int(turns), str(text)) for turns, text in found), None)

    def keep_summary(self, session: str, turns: int, text: str) -> None:
        """Of the dialogue's first `turns`; it goes with the turn that it was made for."""
        if last := self.last_turn(session):
            self.append(session, last.number, "summary", {"turns": turns, "text": text})

    def exchanges(self, user: str, after: int = 0) -> Iterator[tuple[str, int, str, dict[str, Any], float]]:
        """(session, turn, said, data, when) of each of a user's turns in view that has its final reply, or failed
        and is remembered all the same; the data of that reply or that end, the events with seq > `after`. Nothing of
        conversations that are off the record by now."""
        replied = sa.and_(events.c.kind == "reply", events.c.data["final"].as_boolean())
        failed = sa.and_(events.c.kind == "end", events.c.data[SAID].as_boolean(), turns.c.said != REMOVED)
        query = (
            sa.select(turns.c.session, turns.c.number, turns.c.said, events.c.data, events.c.at)
            .join(sessions, sessions.c.id == turns.c.session)
            .join(events, OF_TURN)
            .where(sessions.c.user == user, events.c.seq > after, IN_VIEW)
            .where(sa.or_(replied, failed), sa.func.coalesce(sessions.c.options["memory"].as_boolean(), sa.true()))
        )
        for row in self._read(query.order_by(events.c.seq)):
            yield (*row,)

    def task_turns(self, session: str) -> dict[int, float]:
        """Turns in view in which something was done in text worlds that may be remembered, each with its end's time."""
        ended = sa.and_(events.c.kind == "end", events.c.data[TASKS].as_boolean(), turns.c.said != REMOVED)
        query = sa.select(turns.c.number, events.c.at).join(events, OF_TURN)
        rows = self._read(query.where(turns.c.session == session, IN_VIEW, ended))
        return {int(turn): float(at) for turn, at in rows}

    def worlds_since(self, user: str, after: int) -> set[str]:
        """A user's conversations with events of text worlds, or an end, with seq > `after`."""
        query = sa.select(events.c.session).join(sessions, sessions.c.id == events.c.session).distinct()
        ended = sa.and_(events.c.kind == "end", events.c.data[TASKS].as_boolean())
        query = query.where(sessions.c.user == user, events.c.seq > after, sa.or_(events.c.kind == "world", ended))
        return {str(session) for (session,) in self._read(query)}

    def taken_back(self, user: str) -> list[tuple[str, int]]:
        """(session, turn) of a user's turns that are out of view."""
        return self._turns_of(user, turns.c.superseded)

    def wrong(self, user: str) -> list[tuple[str, int]]:
        """(session, turn) of a user's turns in view whose reply is marked as wrong."""
        return self._turns_of(user, sa.and_(IN_VIEW, turns.c.feedback < 0))

    def _turns_of(self, user: str, these: sa.ColumnElement[bool]) -> list[tuple[str, int]]:
        query = sa.select(turns.c.session, turns.c.number).join(sessions).where(sessions.c.user == user, these)
        return [(str(session), int(turn)) for session, turn in self._read(query)]

    def learns(self, session: str, turn: int) -> bool:
        """Whether what was said in a turn may still be kept: it stands in the view, nobody had it deleted, and neither
        its reply nor its conversation is off the record."""
        query = sa.select(sessions.c.options).join(turns, turns.c.session == sessions.c.id)
        query = query.where(turns.c.session == session, turns.c.number == turn, turns.c.said != REMOVED, IN_VIEW)
        rows = self._read(query)
        if not rows or not rows[0][0].get("memory", True):
            return False
        replies = (event for event in self.turn_events(session, turn) if event.kind == "reply")
        return not any(event.data.get("off_record") for event in replies)

    def erased(self, session: str, turn: int) -> bool:
        """Whether no word of what was said in a turn is there any more."""
        there = turns.c.session == session, turns.c.number == turn, turns.c.said != REMOVED
        return not self._read(sa.select(turns.c.number).where(*there))

    def remove(self, some: Sequence[tuple[str, int]]) -> None:
        """What was said in these turns is deleted for good, also in a backup that is restored. Unknown ones are no
        fault."""
        removed = False
        for part in parts(some):
            with self._transaction() as db:
                names = [f"{session}:{turn}" for session, turn in part if remove_words(db, session, turn)]
                record_deletion(self.path.parent, "turn", *names)
            removed = removed or bool(names)
        if removed:
            self._merge_found()
        self._read(sa.text("PRAGMA wal_checkpoint(TRUNCATE)"))

    def telling(self, user: str, ids: Sequence[str]) -> set[tuple[str, int]]:
        """A user's turns that showed one of these notes, or were answered from it: (session, turn)."""
        data, wanted = sa.cast(events.c.data, sa.String), set(ids)
        shows = sa.or_(*(data.contains(f'"{field}"') for field in ("from_note", "rests_on", "memory")))
        told = sa.select(events.c.session, events.c.turn, data).join(sessions, sessions.c.id == events.c.session)
        told = told.where(sessions.c.user == user, events.c.kind.in_(("step", "reply")), shows)
        rows = self._read(told) if wanted else ()
        named = ((str(session), int(turn), re.findall(r"[\w:.-]+", text)) for session, turn, text in rows)
        return {(session, turn) for session, turn, ids in named if not wanted.isdisjoint(i.rstrip(".:") for i in ids)}

    # -- feedback

    def marks(self, session: str) -> dict[int, int]:
        """turn -> 1 or -1, where there is one."""
        given = sa.select(turns.c.number, turns.c.feedback).where(turns.c.session == session, turns.c.feedback != 0)
        return {int(number): int(mark) for number, mark in self._read(given)}

    def set_feedback(self, session: str, turn: int, value: int) -> None:
        self.turn(session, turn)
        self._write(_changed(session, turn).values(feedback=max(-1, min(1, value))))

    def _supersede(self, db: sa.Connection, session: str, number: int) -> None:
        _found(db.execute(_TURN.where(turns.c.session == session, turns.c.number == number)).all())
        state = sa.case((turns.c.state == OPEN, "stopped"), else_=turns.c.state)
        all_after = sa.update(turns).where(turns.c.session == session, turns.c.number >= number)
        db.execute(all_after.values(superseded=True, state=state))

    def _insert(
        self, db: sa.Connection, session: str, turn: int, kind: str, data: Mapping[str, object], at: float
    ) -> Event:
        row = {"session": session, "turn": turn, "kind": kind, "data": data, "at": at}
        return Event(key_of(db.execute(_INSERT, row)), session, turn, kind, data, at)


def path_through(places: Mapping[int, Place], number: int) -> list[int]:
    """The turns from the first to `number`, and on to the newest that followed. Raises ChatFault."""
    if number not in places:
        raise ChatFault(GONE)
    path, at = [], number
    while at in places:  # a parent is always older: this ends
        path.append(at)
        at = places[at].parent if places[at].parent < at else 0
    path.reverse()
    newest = {place.parent: child for child, place in places.items()}
    while newest.get(path[-1], 0) > path[-1]:
        path.append(newest[path[-1]])
    return path


def siblings(places: Mapping[int, Place]) -> dict[int, list[int]]:
    """Of each turn in view that has some: all turns that follow the same one, itself among them."""
    of: dict[int, list[int]] = {}
    for number, place in places.items():
        of.setdefault(place.parent, []).append(number)
    return {n: of[place.parent] for n, place in places.items() if place.in_view and len(of[place.parent]) > 1}


@cache
def _view(first: bool, last: bool) -> sa.Select[Any]:
    """The events of the view behind one, with a bound of their turns or without."""
    query = _EVENT.outerjoin(turns, OF_TURN).where(OF_THIS_TURN[0], events.c.seq > sa.bindparam("after"))
    query = query.where(events.c.turn >= sa.bindparam("first")) if first else query
    query = query.where(events.c.turn <= sa.bindparam("last")) if last else query
    return query.where(sa.or_(events.c.kind == "superseded", IN_VIEW)).order_by(events.c.seq)


def _viewed(query: sa.Select[Any], session: str | sa.BindParameter[str], *kinds: str) -> sa.Select[Any]:
    """Events of these kinds whose turn is in the view."""
    return query.join(turns, OF_TURN).where(events.c.session == session, events.c.kind.in_(kinds), IN_VIEW)


_DEEDS = _viewed(_EVENT, sa.bindparam("of_session"), "world", "step")
_WORLDS = _DEEDS.where(events.c.data["episode"].as_string().is_not(None)).order_by(events.c.seq)
_SAID_AT = sa.func.min(events.c.at).over(partition_by=events.c.turn)
_SPOKEN = (
    _viewed(sa.select(events.c.kind, events.c.data, _SAID_AT), sa.bindparam("of_session"), "turn", "reply")
    .where(events.c.turn < sa.bindparam("before"))
    .order_by(events.c.turn, events.c.seq)
)


def _changed(session: str, turn: int) -> sa.Update:
    return sa.update(turns).where(turns.c.session == session, turns.c.number == turn)


def _found(rows: Sequence[Any]) -> StoredTurn:
    if not rows:
        raise ChatFault(GONE)
    return StoredTurn(*rows[0])


def _spoken(kind: str, data: Mapping[str, Any], at: float) -> list[Turn]:
    if data.get(REMOVED):
        return []
    if kind == "turn":
        return [Turn("user", data["text"], at, pictures=pictures_of(data))]
    if not data.get("final"):
        request, filled = data.get("request", ""), bool(data.get("filled"))
        return [Turn("fast", data["text"], at, invoke=True, request=request, filled=filled)]
    result = [Turn("slow", data["slow"], at)] if data.get("slow") else []
    return [*result, Turn("fast", data["text"], at, world="episode" in data or bool(data.get("world")))]
