"""Conversations: whose they are, what they are called, and how they are answered."""

from __future__ import annotations

import secrets
import time
from dataclasses import asdict, dataclass

from sqlalchemy import delete, insert, or_, select, update

from chat.backups import record_deletion
from chat.database import Database
from chat.faults import UnknownSession
from chat.settings import Options
from chat.tables import IN_VIEW, OF_TURN, events, sessions, turns
from storage.engine import whole

_SESSION = select(*(sessions.c[name] for name in ("id", "user", "title", "created", "updated")))


@dataclass(frozen=True)
class Session:
    """One conversation of one user."""

    id: str
    user: str
    title: str
    created: float
    updated: float


def new_id() -> str:
    """Stands on command lines too, where a dash in front would make it a flag."""
    made = secrets.token_urlsafe(9)
    return new_id() if made.startswith("-") else made


class Sessions(Database):
    """The conversations of one DUET_HOME."""

    def new_session(self, user: str, title: str = "", options: Options | None = None) -> Session:
        now = time.time()
        session = Session(new_id(), user, title, now, now)
        self._write(insert(sessions), asdict(session) | {"options": asdict(options or Options())})
        return session

    def sessions(self, user: str, search: str = "") -> list[Session]:
        """Newest first; `search` looks in titles and in what was said on both sides."""
        query = _SESSION.where(sessions.c.user == user).order_by(sessions.c.updated.desc())
        if search:
            text = events.c.data["text"].as_string()
            said = select(events.c.seq).join(turns, OF_TURN).where(
                events.c.session == sessions.c.id, IN_VIEW, events.c.kind.in_(("turn", "reply")),
                text.icontains(search, autoescape=True),
            )  # fmt: skip
            query = query.where(or_(sessions.c.title.icontains(search, autoescape=True), said.exists()))
        return [Session(*row) for row in self._read(query)]

    def replied(self, user: str, most: int) -> dict[str, int]:
        """The number of the newest final reply in each of the newest conversations; 0 where there is none."""
        final = (events.c.session == sessions.c.id, events.c.kind == "reply", events.c.data["final"].as_boolean())
        newest = select(events.c.seq).where(*final).order_by(events.c.seq.desc()).limit(1).scalar_subquery()
        query = select(sessions.c.id, newest).where(sessions.c.user == user)
        rows = self._read(query.order_by(sessions.c.updated.desc()).limit(most))
        return {str(session): int(seq or 0) for session, seq in rows}

    def earlier(self, session: str, user: str, domain: str, most: int) -> list[str]:
        """The user's conversations before this one at the same desk that may be remembered: ids, oldest first."""
        options, this = sessions.c.options, sessions.alias()
        query = select(sessions.c.id).where(
            sessions.c.user == user, options["domain"].as_string() == domain, options["memory"].as_boolean(),
            sessions.c.created < select(this.c.created).where(this.c.id == session).scalar_subquery(),
        )  # fmt: skip
        rows = self._read(query.order_by(sessions.c.created.desc()).limit(most))
        return [str(row[0]) for row in reversed(rows)]

    def session(self, session: str) -> Session:
        """Raises UnknownSession."""
        for row in self._read(_SESSION.where(sessions.c.id == session)):
            return Session(*row)
        raise UnknownSession(session)

    def rename(self, session: str, title: str) -> None:
        self.session(session)
        self._change(session, title=whole(title.strip()[:200]))

    def delete(self, session: str) -> None:
        self.session(session)
        record_deletion(self.path.parent, "session", session)
        self._write(delete(sessions).where(sessions.c.id == session))

    def options(self, session: str) -> Options:
        for [options] in self._read(select(sessions.c.options).where(sessions.c.id == session)):
            return Options(**options)
        raise UnknownSession(session)

    def set_options(self, session: str, options: Options) -> None:
        self.session(session)
        self._change(session, options=asdict(options))

    def _change(self, session: str, **values: object) -> None:
        self._write(update(sessions).where(sessions.c.id == session).values(values))
