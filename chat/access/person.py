"""Who asks: the person that a request or an event of the page belongs to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from chat.access.accounts import Person
from chat.faults import ChatFault, UnknownSession

if TYPE_CHECKING:
    from starlette.types import Scope

    from chat.app import Duet
    from chat.sessions import Session
    from chat.settings import Settings

KEY = "duet.person"
"""Where a request's scope says who asks."""


_ASKS: ContextVar[Person | None] = ContextVar("asks", default=None)


def asking(settings: Settings) -> Person:
    """Who asks now; on one's own machine its user. Raises ChatFault where nobody signed in."""
    person = _ASKS.get() or Person(settings.user)
    if not person.name:
        raise ChatFault("Nobody is signed in: reload the page and sign in.")
    return person


def own_session(duet: Duet, session: str) -> Session:
    """The session, if it is the asking person's. Raises UnknownSession."""
    found, person = duet.transcript.session(session), asking(duet.settings)
    if found.user != person.name and not person.owner:
        raise UnknownSession(session)
    return found


@contextmanager
def asked_by(scope: Scope) -> Iterator[None]:
    """Within it, the person of this request is who asks."""
    token = _ASKS.set(scope.get(KEY))
    try:
        yield
    finally:
        _ASKS.reset(token)
