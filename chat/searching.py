"""Conversations found by what was said in them, on both sides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Select, func, select, text

from chat.sessions import SESSION, Session, Sessions
from chat.tables import IN_VIEW, OF_TURN, events, found, sessions, turns

LETTERS = 3
"""The index knows letters by threes: shorter words are looked for in the texts themselves."""
EACH = 3
"""Hits of one conversation that are shown."""
READ = 300
"""Hits that are read, the newest."""


@dataclass(frozen=True)
class Hit:
    """A message that holds all the words; `turn` is 0 where it is the title."""

    session: Session
    turn: int
    text: str


class Searching(Sessions):
    """The conversations of one DUET_HOME, searched."""

    def search(self, user: str, words: str, most: int = 100) -> list[list[Hit]]:
        """The newest hits of each conversation, the one that was hit last first; every word must stand there."""
        wanted = words.split()
        if not wanted:
            return []
        hits: dict[str, list[Hit]] = {}
        for hit in [*self._said(user, wanted), *self._titled(user, wanted)]:
            of_session = hits.setdefault(hit.session.id, [])
            if len(of_session) < EACH and (hit.turn or not of_session):
                of_session.append(hit)
        return list(hits.values())[:most]

    def _said(self, user: str, wanted: Sequence[str]) -> list[Hit]:
        said = events.c.data["text"].as_string()
        place = func.row_number().over(partition_by=events.c.session, order_by=events.c.seq.desc())
        all_hits = select(events.c.seq, place.label("place")).join(sessions, sessions.c.id == events.c.session)
        all_hits = all_hits.join(turns, OF_TURN).where(sessions.c.user == user, IN_VIEW)
        newest = _holding(all_hits, said, wanted).subquery()
        query = select(*SESSION, events.c.turn, said).join(events, events.c.session == sessions.c.id)
        query = query.join(newest, newest.c.seq == events.c.seq).where(newest.c.place <= EACH)
        rows = self._read(query.order_by(events.c.seq.desc()).limit(READ), _asked(wanted))
        return [Hit(Session(*row[:-2]), int(row[-2]), str(row[-1])) for row in rows]

    def _titled(self, user: str, wanted: Sequence[str]) -> list[Hit]:
        query = select(*SESSION).where(sessions.c.user == user, *_all(sessions.c.title, wanted))
        rows = self._read(query.order_by(sessions.c.updated.desc()).limit(READ))
        return [Hit(Session(*row), 0, str(row[2])) for row in rows]


def _holding(query: Select[Any], said: ColumnElement[str], wanted: Sequence[str]) -> Select[Any]:
    if _asked(wanted):
        query = query.join(found, found.c.rowid == events.c.seq).where(text("found MATCH :asked"))
    else:
        query = query.where(events.c.kind.in_(("turn", "reply")))
    return query.where(*_all(said, [word for word in wanted if len(word) < LETTERS]))


def _asked(wanted: Sequence[str]) -> dict[str, str]:
    """The words as FTS5 wants them; none where all are too short for it."""
    whole = [f'"{word.replace(chr(34), chr(34) * 2)}"' for word in wanted if len(word) >= LETTERS]
    return {"asked": " ".join(whole)} if whole else {}


def _all(where: ColumnElement[str], wanted: Sequence[str]) -> list[ColumnElement[bool]]:
    return [where.icontains(word, autoescape=True) for word in wanted]
