"""Who asks: the person that a request or an event of the page belongs to; how much one account may have at once, so
that nobody takes it all; and what only admins may."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace

from starlette.types import Scope

from chat.access.accounts import Accounts, Person
from chat.app import Duet
from chat.faults import ChatFault, UnknownSession
from chat.sessions import Session
from chat.settings import Options, Settings
from tools.worlds.alfworld import is_named
from tools.worlds.world import WorldFault, WorldSpec

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


class Quotas:
    """Of a Duet with accounts. Methods raise ChatFault, which says what the limit is."""

    def __init__(self, duet: Duet, accounts: Accounts) -> None:
        self._duet, self._accounts = duet, accounts
        duet.runs.quota = self
        duet.running.allows, duet.running.owner = self.world, self._user

    def run(self, session: str) -> None:
        """Before a turn is begun or taken up again."""
        user, most = self._user(session), self._duet.settings.max_runs
        running = sum(self._user(other) == user for other, _ in self._duet.runs.under_way())
        if running >= most:
            raise ChatFault(
                f"{most} turns of yours are being answered, which is the most at once: wait for one, or stop it."
            )

    def upload(self, user: str, size: int) -> None:
        """Before a document, a picture or an exported conversation of so many bytes is taken."""
        most = self._duet.settings.max_uploaded
        if self._duet.transcript.uploaded(user) + size > most:
            raise ChatFault(f"Your files would take more than {most // 1_000_000} MB: remove some first.")

    def world(self, session: str, spec: WorldSpec) -> None:
        """A game file is any file of the server: those are opened by admins only. Raises WorldFault."""
        path = spec.world == "textworld" or ".." in spec.task or (spec.world == "alfworld" and not is_named(spec.task))
        if path and not self._accounts.account(self._user(session)).admin:
            raise WorldFault(
                "Game files are opened by the admins of this Duet only; name a task, such as"
                " `household/pick_and_place_simple`."
            )

    def _user(self, session: str) -> str:
        return self._duet.transcript.session(session).user


def allowed(settings: Settings, options: Options, kept: Options | None = None) -> Options:
    """The options, where the asking person may choose these models; those that were `kept` so far are not chosen.
    Raises ChatFault."""
    models = {settings.fast_model, settings.slow_model, *settings.allowed_models.split()}
    had = {kept.fast_model, kept.slow_model} if kept else set()
    for spec in (options.fast_model, options.slow_model):
        if spec not in models | had and not asking(settings).admin:
            raise ChatFault(
                f"Models are chosen by the admins of this Duet; you can choose: {', '.join(sorted(models))}."
            )
    return options


def within(settings: Settings, options: Options) -> Options:
    """The options, with the settings' models where the asking person may not choose theirs."""
    try:
        return allowed(settings, options)
    except ChatFault:
        return replace(options, fast_model=settings.fast_model, slow_model=settings.slow_model)
