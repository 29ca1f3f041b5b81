"""The transcript: the source of truth for everything that was said and done.

Every event of a turn is a row here before anybody sees it. A turn that was edited, retried or undone is superseded: it
stays in the file, and no view shows it.
"""

from __future__ import annotations

import json
import secrets
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from chat.database import whole
from chat.documents import Document, Documents
from chat.faults import ChatFault
from chat.sessions import Session, new_id
from chat.settings import Options
from minds.dialogue import Dialogue, Event, Turn
from tools.desk import Chunk

__all__ = ["OPEN", "Document", "Session", "StoredTurn", "Transcript", "title_of"]

OPEN = "open"
"""State of a turn that is being answered; the others are the states of its `end` event, and `discarded`."""


@dataclass(frozen=True)
class StoredTurn:
    """A turn's row."""

    session: str
    number: int
    said: str
    state: str


class Transcript(Documents):
    """All conversations of one DUET_HOME. Every method is quick and may be called from any thread."""

    def adopt(
        self,
        session: Session,
        options: Options,
        turns: Sequence[tuple[StoredTurn, int]],
        events: Sequence[Event],
        documents: Sequence[tuple[str, str, Sequence[Chunk]]],
    ) -> Session:
        """A whole conversation at once (an import), or nothing of it. It gets an id of its own, and so do its events.

        `turns` are (turn, feedback), `documents` (name, digest, chunks).
        """
        adopted = replace(session, id=new_id())
        with self._transaction() as db:
            row = (adopted.user, adopted.title, json.dumps(asdict(options)), adopted.created, adopted.updated)
            db.execute("INSERT INTO sessions VALUES (?,?,?,?,?,?)", (adopted.id, *row))
            for turn, feedback in turns:
                db.execute(
                    "INSERT INTO turns(session, number, said, state, feedback) VALUES (?,?,?,?,?)",
                    (adopted.id, turn.number, turn.said, turn.state, feedback),
                )
            for event in events:
                self._insert(db, adopted.id, event.turn, event.kind, event.data, event.at)
            for name, digest, chunks in documents:
                self._insert_document(
                    db, adopted.id, Document(secrets.token_urlsafe(6), name, digest, 0, time.time()), chunks
                )
        return adopted

    # -- turns and events

    def begin_turn(self, session: str, said: str, *, supersedes: int | None = None) -> Event:
        """Stores the person's turn; with `supersedes` that turn and all after it leave the view. Its `turn` event."""
        self.session(session)
        with self._transaction() as db:
            if supersedes is not None:
                self._supersede(db, session, supersedes)
            number = 1 + int(
                db.execute("SELECT coalesce(max(number),0) FROM turns WHERE session=?", (session,)).fetchone()[0]
            )
            db.execute(
                "INSERT INTO turns(session, number, said, state) VALUES (?,?,?,?)",
                (session, number, said, OPEN),
            )
            now = time.time()
            db.execute(
                "UPDATE sessions SET updated=?, title=CASE title WHEN '' THEN ? ELSE title END WHERE id=?",
                (now, title_of(said), session),
            )
            data: dict[str, object] = {"text": said}
            if supersedes is not None:
                data["edits"] = supersedes
            return self._insert(db, session, number, "turn", data, now)

    def supersede(self, session: str, number: int) -> Event:
        """Takes a turn and all after it out of the view (undo)."""
        with self._transaction() as db:
            self._supersede(db, session, number)
            return self._insert(db, session, number, "superseded", {"from": number}, time.time())

    def append(self, session: str, turn: int, kind: str, data: Mapping[str, object]) -> Event:
        """Stores one event. A `reply` removes its deltas, a `step` its `act`, and an `end` closes the turn."""
        with self._transaction() as db:
            if kind == "reply":
                db.execute("DELETE FROM events WHERE session=? AND turn=? AND kind='delta'", (session, turn))
            elif kind == "step":
                db.execute("DELETE FROM events WHERE session=? AND turn=? AND kind='act'", (session, turn))
            elif kind == "end":
                db.execute(
                    "DELETE FROM events WHERE session=? AND turn=? AND kind IN ('delta','act','status')",
                    (session, turn),
                )
                db.execute("UPDATE turns SET state=? WHERE session=? AND number=?", (data["state"], session, turn))
            return self._insert(db, session, turn, kind, data, time.time())

    def events(self, session: str, after: int = 0) -> list[Event]:
        """The events of the view, oldest first, with seq > `after`."""
        rows = self._read(
            "SELECT e.seq, e.session, e.turn, e.kind, e.data, e.at FROM events e LEFT JOIN turns t"
            " ON t.session=e.session AND t.number=e.turn WHERE e.session=? AND e.seq>?"
            " AND (e.kind='superseded' OR NOT t.superseded) ORDER BY e.seq",
            (session, after),
        )
        return [_event(row) for row in rows]

    def last_event(self, session: str) -> int:
        """The number of its newest event; 0 for none."""
        return int(self._read("SELECT coalesce(max(seq), 0) FROM events WHERE session=?", (session,))[0][0])

    def world_events(self, session: str) -> list[Event]:
        """The events of the view that tell of its world episodes, oldest first (chat/worlds/episodes.py)."""
        if not self._read("SELECT 1 FROM events WHERE session=? AND kind='world' LIMIT 1", (session,)):
            return []
        rows = self._read(
            "SELECT e.seq, e.session, e.turn, e.kind, e.data, e.at FROM events e JOIN turns t ON t.session=e.session"
            " AND t.number=e.turn WHERE e.session=? AND e.kind IN ('world','step') AND NOT t.superseded"
            " AND json_extract(e.data,'$.episode') IS NOT NULL ORDER BY e.seq",
            (session,),
        )
        return [_event(row) for row in rows]

    def turn_events(self, session: str, turn: int) -> list[Event]:
        rows = self._read(
            "SELECT seq, session, turn, kind, data, at FROM events WHERE session=? AND turn=? ORDER BY seq",
            (session, turn),
        )
        return [_event(row) for row in rows]

    def turn(self, session: str, number: int) -> StoredTurn:
        """Raises ChatFault where there is none in the view."""
        rows = self._read(
            "SELECT session, number, said, state FROM turns WHERE session=? AND number=? AND NOT superseded",
            (session, number),
        )
        if not rows:
            raise ChatFault("That turn is no longer in the conversation: reload the page.")
        return StoredTurn(*rows[0])

    def last_turn(self, session: str) -> StoredTurn | None:
        rows = self._read(
            "SELECT session, number, said, state FROM turns WHERE session=? AND NOT superseded"
            " ORDER BY number DESC LIMIT 1",
            (session,),
        )
        return StoredTurn(*rows[0]) if rows else None

    def turns_in(self, *states: str) -> list[StoredTurn]:
        """All turns of the view that are in one of the states."""
        marks = ",".join("?" * len(states))
        rows = self._read(
            f"SELECT session, number, said, state FROM turns WHERE state IN ({marks}) AND NOT superseded"
            " ORDER BY session, number",
            states,
        )
        return [StoredTurn(*row) for row in rows]

    def turns_from(self, session: str, number: int) -> list[int]:
        rows = self._read(
            "SELECT number FROM turns WHERE session=? AND number>=? AND NOT superseded", (session, number)
        )
        return [int(row[0]) for row in rows]

    def all_turns(self, session: str) -> list[int]:
        """Superseded ones too."""
        return [int(row[0]) for row in self._read("SELECT number FROM turns WHERE session=?", (session,))]

    def reopen(self, session: str, turn: int) -> None:
        """An interrupted turn is taken up again: its end is none."""
        with self._transaction() as db:
            db.execute("DELETE FROM events WHERE session=? AND turn=? AND kind='end'", (session, turn))
            db.execute("UPDATE turns SET state=? WHERE session=? AND number=?", (OPEN, session, turn))

    def set_state(self, session: str, turn: int, state: str) -> None:
        self._write("UPDATE turns SET state=? WHERE session=? AND number=?", (state, session, turn))

    def dialogue(self, session: str, *, before: int) -> Dialogue:
        """What was said before turn `before`, slow results included (DUMA, eq. 3 and 5)."""
        about = self.session(session)
        rows = self._read(
            "SELECT e.kind, e.data, e.at FROM events e JOIN turns t ON t.session=e.session AND t.number=e.turn"
            " WHERE e.session=? AND e.kind IN ('turn','reply') AND NOT t.superseded AND e.turn<?"
            " ORDER BY e.turn, e.seq",
            (session, before),
        )
        turns = [turn for kind, data, at in rows for turn in _spoken(kind, json.loads(data), at)]
        return Dialogue(session, about.user, tuple(turns))

    def summary(self, session: str) -> tuple[float, str] | None:
        """(when the last turn was said that it holds, text) of the newest summary that the view's turns made."""
        rows = self._read(
            "SELECT e.data FROM events e JOIN turns t ON t.session=e.session AND t.number=e.turn"
            " WHERE e.session=? AND e.kind='summary' AND NOT t.superseded ORDER BY e.seq DESC LIMIT 1",
            (session,),
        )
        data = json.loads(rows[0][0]) if rows else None
        return (float(data["until"]), str(data["text"])) if data else None

    def keep_summary(self, session: str, until: float, text: str) -> None:
        """Of what was said up to `until`; it goes with the turn that it was made for."""
        if last := self.last_turn(session):
            self.append(session, last.number, "summary", {"until": until, "text": text})

    def exchanges(self, user: str, after: int = 0) -> Iterator[tuple[str, int, str, dict[str, Any], float]]:
        """(session, turn, said, reply event's data, when) of each of a user's turns in view that has its final reply,
        the events with seq > `after`."""
        rows = self._read(
            "SELECT t.session, t.number, t.said, e.data, e.at FROM turns t JOIN sessions s ON s.id=t.session"
            " JOIN events e ON e.session=t.session AND e.turn=t.number AND e.kind='reply'"
            " WHERE s.user=? AND e.seq>? AND NOT t.superseded AND t.feedback>=0 AND json_extract(e.data,'$.final')"
            " ORDER BY e.seq",
            (user, after),
        )
        for session, turn, said, data, at in rows:
            yield session, turn, said, json.loads(data), at

    def taken_back(self, user: str) -> list[tuple[str, int]]:
        """(session, turn) of a user's turns that are out of view, or marked as wrong."""
        rows = self._read(
            "SELECT t.session, t.number FROM turns t JOIN sessions s ON s.id=t.session"
            " WHERE s.user=? AND (t.superseded OR t.feedback<0)",
            (user,),
        )
        return [(str(session), int(turn)) for session, turn in rows]

    def newest(self) -> int:
        """The number of the newest event of all conversations; 0 for none."""
        return int(self._read("SELECT coalesce(max(seq), 0) FROM events")[0][0])

    # -- feedback

    def feedback(self, session: str, turn: int) -> int:
        """1, 0 or -1."""
        rows = self._read("SELECT feedback FROM turns WHERE session=? AND number=?", (session, turn))
        return int(rows[0][0]) if rows else 0

    def set_feedback(self, session: str, turn: int, value: int) -> None:
        self.turn(session, turn)
        self._write(
            "UPDATE turns SET feedback=? WHERE session=? AND number=?",
            (max(-1, min(1, value)), session, turn),
        )

    def _supersede(self, db: sqlite3.Connection, session: str, number: int) -> None:
        self.turn(session, number)
        db.execute(
            "UPDATE turns SET superseded=1, state=CASE state WHEN ? THEN 'stopped' ELSE state END"
            " WHERE session=? AND number>=?",
            (OPEN, session, number),
        )

    def _insert(
        self,
        db: sqlite3.Connection,
        session: str,
        turn: int,
        kind: str,
        data: Mapping[str, object],
        at: float,
    ) -> Event:
        cursor = db.execute(
            "INSERT INTO events(session, turn, kind, data, at) VALUES (?,?,?,?,?)",
            (session, turn, kind, whole(json.dumps(data, ensure_ascii=False)), at),
        )
        return Event(int(cursor.lastrowid or 0), session, turn, kind, data, at)


def title_of(said: str) -> str:
    """A conversation's title from its first turn: its first words, at most 60 characters."""
    words = " ".join(said.split())
    return words if len(words) <= 60 else words[:57].rsplit(" ", 1)[0] + "…"


def _event(row: tuple[int, str, int, str, str, float]) -> Event:
    seq, session, turn, kind, data, at = row
    return Event(seq, session, turn, kind, json.loads(data), at)


def _spoken(kind: str, data: Mapping[str, Any], at: float) -> list[Turn]:
    if kind == "turn":
        return [Turn("user", data["text"], at)]
    if not data.get("final"):
        return [Turn("fast", data["text"], at, invoke=True, request=data.get("request", ""))]
    result = [Turn("slow", data["slow"], at)] if data.get("slow") else []
    return [*result, Turn("fast", data["text"], at)]
