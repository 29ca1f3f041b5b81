"""Links that show a conversation to whoever has them, as it was when the link was made, and nothing else.

Who has the file of the transcript cannot follow its links: only the SHA-256 of a link's secret is kept. A link that was
taken back stays so, also when a backup of before is restored.
"""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass, fields
from hashlib import sha256

from sqlalchemy import ColumnElement, delete, func, insert, select

from chat.deletions import record_deletion
from chat.faults import ChatFault
from chat.sessions import Sessions
from chat.tables import IN_VIEW, events, shares, turns

UNKNOWN = "There is nothing to see under this link: it was taken back, or it is not whole."


@dataclass(frozen=True)
class Share:
    """One link."""

    id: str
    """The SHA-256 of its secret."""
    session: str
    turns: tuple[int, ...]
    upto: int
    """The newest event that it shows."""
    steps: bool
    """Whether it shows how the slow mind came to its results."""
    made: float


class Sharing(Sessions):
    """The conversations of one DUET_HOME, some of them shown."""

    def share(self, session: str, *, steps: bool) -> str:
        """Makes a link that shows what is in view now; its secret, which is kept nowhere. Raises ChatFault."""
        self.session(session)
        secret = secrets.token_urlsafe(32)
        with self._transaction() as db:
            in_view = select(turns.c.number).where(turns.c.session == session, IN_VIEW).order_by(turns.c.number)
            shown = [int(number) for [number] in db.execute(in_view)]
            if not shown:
                raise ChatFault("Nothing has been said here yet: there is nothing to show.")
            upto = db.scalar(select(func.max(events.c.seq)).where(events.c.session == session)) or 0
            row = {"id": _hashed(secret), "session": session, "turns": shown, "upto": upto}
            db.execute(insert(shares), row | {"steps": steps, "made": time.time()})
        return secret

    def shared(self, secret: str) -> Share:
        """What the link of this secret shows. Raises ChatFault."""
        for share in self._shares(shares.c.id == _hashed(secret)):
            return share
        raise ChatFault(UNKNOWN)

    def links(self, session: str) -> list[Share]:
        """The newest first."""
        return self._shares(shares.c.session == session)

    def take_back(self, session: str, link: str) -> None:
        """From now on the link shows nothing."""
        record_deletion(self.path.parent, "share", link)
        self._write(delete(shares).where(shares.c.session == session, shares.c.id == link))

    def _shares(self, where: ColumnElement[bool]) -> list[Share]:
        columns = (shares.c[each.name] for each in fields(Share))
        rows = self._read(select(*columns).where(where).order_by(shares.c.made.desc()))
        return [Share(id_, session, tuple(shown), *rest) for id_, session, shown, *rest in rows]


def _hashed(secret: str) -> str:
    return sha256(secret.encode(errors="replace")).hexdigest()
