"""Conversations: whose they are, what they are called, and how they are answered."""

from __future__ import annotations

import json
import secrets
import time
from dataclasses import asdict, dataclass
from typing import Any

from chat.backups import record_deletion
from chat.database import Database, whole
from chat.faults import UnknownSession
from chat.settings import Options


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
        row = (session.id, user, title, json.dumps(asdict(options or Options())), now, now)
        self._write("INSERT INTO sessions VALUES (?,?,?,?,?,?)", row)
        return session

    def sessions(self, user: str, search: str = "") -> list[Session]:
        """Newest first; `search` looks in titles and in what was said on both sides."""
        query = "SELECT id, user, title, created, updated FROM sessions s WHERE user=?"
        values: list[Any] = [user]
        if search:
            pattern = "%" + search.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"
            query += (
                " AND (title LIKE ? ESCAPE '\\' OR EXISTS (SELECT 1 FROM events e JOIN turns t ON t.session=e.session"
                " AND t.number=e.turn WHERE e.session=s.id AND NOT t.superseded AND e.kind IN ('turn','reply')"
                " AND json_extract(e.data,'$.text') LIKE ? ESCAPE '\\'))"
            )
            values += [pattern, pattern]
        return [Session(*row) for row in self._read(query + " ORDER BY updated DESC", values)]

    def replied(self, user: str, most: int) -> dict[str, int]:
        """The number of the newest final reply in each of the newest conversations; 0 where there is none."""
        rows = self._read(
            "SELECT id, (SELECT seq FROM events WHERE session=s.id AND kind='reply' AND json_extract(data,'$.final')"
            " ORDER BY seq DESC LIMIT 1) FROM sessions s WHERE user=? ORDER BY updated DESC LIMIT ?",
            (user, most),
        )
        return {str(session): int(seq or 0) for session, seq in rows}

    def earlier(self, session: str, user: str, domain: str, most: int) -> list[str]:
        """The user's conversations before this one at the same desk that may be remembered: ids, oldest first."""
        rows = self._read(
            "SELECT id FROM sessions WHERE user=? AND json_extract(options,'$.domain')=?"
            " AND json_extract(options,'$.memory') AND created < (SELECT created FROM sessions WHERE id=?)"
            " ORDER BY created DESC LIMIT ?",
            (user, domain, session, most),
        )
        return [str(row[0]) for row in reversed(rows)]

    def session(self, session: str) -> Session:
        """Raises UnknownSession."""
        rows = self._read("SELECT id, user, title, created, updated FROM sessions WHERE id=?", (session,))
        if not rows:
            raise UnknownSession(session)
        return Session(*rows[0])

    def rename(self, session: str, title: str) -> None:
        self.session(session)
        self._write("UPDATE sessions SET title=? WHERE id=?", (whole(title.strip()[:200]), session))

    def delete(self, session: str) -> None:
        self.session(session)
        record_deletion(self.path.parent, "session", session)
        self._write("DELETE FROM sessions WHERE id=?", (session,))

    def options(self, session: str) -> Options:
        rows = self._read("SELECT options FROM sessions WHERE id=?", (session,))
        if not rows:
            raise UnknownSession(session)
        return Options(**json.loads(rows[0][0]))

    def set_options(self, session: str, options: Options) -> None:
        self.session(session)
        self._write("UPDATE sessions SET options=? WHERE id=?", (json.dumps(asdict(options)), session))
