"""The door: every request belongs to a person or is refused, but for the few that may come from anybody.

On one's own machine it stands open, since who reaches loopback there is its person; with `--token` the address that is
printed opens it, and a cookie keeps it open; where there are accounts, it asks who is there (accounts.py, sign_in.py).
"""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import suppress
from http.cookies import CookieError, SimpleCookie
from typing import Protocol
from urllib.parse import parse_qsl, urlencode

from sqlalchemy.exc import SQLAlchemyError
from starlette.datastructures import Headers
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from chat.access.accounts import Person
from chat.access.limits import Pace
from chat.access.person import KEY, asked_by
from chat.home import is_owners, proof_of, same

API = "/api/duet/"
HELLO = f"{API}hello"
"""Where a process of the owner asks the server to prove itself, before it says anything."""
YEAR = 365 * 24 * 3600
AGAIN = 5.0
"""Seconds after which it is looked whether the person of a stream is still known."""
BUSY = "Too many of your pages are open at once: close some."
CLOSED = "Open the address that Duet printed when it started: it holds the token that this page asks for."


class Keeper(Protocol):
    """Knows people by what their requests carry."""

    anybody: frozenset[str] = frozenset()
    """Paths that need no person."""
    at_once: int = 0
    """Requests of one person that are answered at the same time, streams included; 0 for any number."""
    wanted: str = "the token in DUET_HOME/server.json"
    """What the API needs."""

    def known(self, scope: Scope, headers: Headers) -> Person | None: ...

    def refusal(self, scope: Scope, headers: Headers) -> Response: ...


class Door:
    """Refuses whom neither the keeper nor the server's own key knows; behind it, `asking` says who it is."""

    def __init__(self, app: ASGIApp, keeper: Keeper, key: str, shown: str = "") -> None:
        """`key`: the token in DUET_HOME/server.json; `shown`: below it anybody may read, where it is not empty."""
        self._app, self._keeper, self._key, self._shown = app, keeper, key, shown
        self._under_way: Counter[str] = Counter()
        self._pace = Pace()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            return await self._app(scope, receive, send)
        headers = Headers(scope=scope)
        owner = self._key and is_owners(self._key, scope, headers)
        person = Person("owner", owner=True) if owner else self._keeper.known(scope, headers)
        if person is None and not self._is_anybodys(scope):
            return await self._refuse(scope, headers, receive, send)
        scope[KEY] = person
        name = person.name if person and not person.owner else ""
        if name and 0 < self._keeper.at_once <= self._under_way[name]:
            return await PlainTextResponse(BUSY, 429)(scope, receive, send)
        self._under_way[name] += 1
        try:
            if name and self._keeper.at_once:
                await self._pace.keep(name)
            with asked_by(scope):
                await self._app(scope, self._while_known(scope, headers, receive) if name else receive, send)
        finally:
            self._under_way[name] -= 1
            self._under_way += Counter()  # those at nothing go

    def _while_known(self, scope: Scope, headers: Headers, receive: Receive) -> Receive:
        """Hangs up on a stream whose person has signed out meanwhile, or lost the password or the account."""

        async def heard() -> Message:
            while True:
                try:
                    async with asyncio.timeout(AGAIN):
                        return await receive()
                except TimeoutError:
                    with suppress(SQLAlchemyError):  # a fault of the disk signs nobody out
                        if self._keeper.known(scope, headers) != scope[KEY]:
                            return {"type": "http.disconnect"}

        return heard

    def _is_anybodys(self, scope: Scope) -> bool:
        path, reads = scope["path"], scope["type"] == "http" and scope["method"] in ("GET", "HEAD")
        return path in (HELLO, *self._keeper.anybody) or bool(self._shown and reads and path.startswith(self._shown))

    async def _refuse(self, scope: Scope, headers: Headers, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            return await send({"type": "websocket.close", "code": 1008})
        if scope["path"].startswith("/api/"):
            answer: Response = JSONResponse({"error": f"This needs {self._keeper.wanted}."}, 401)
        else:
            answer = self._keeper.refusal(scope, headers)
        return await answer(scope, receive, send)


class Open(Keeper):
    """One's own machine: whoever asks is its user. The API alone wants its key, which other logins cannot read."""

    def __init__(self, user: str) -> None:
        self._person = Person(user)

    def known(self, scope: Scope, headers: Headers) -> Person | None:
        return None if scope["path"].startswith("/api/") else self._person

    def refusal(self, scope: Scope, headers: Headers) -> Response:
        return PlainTextResponse(CLOSED, 401)


class Token(Keeper):
    """A machine shared with others: the token in the address, then a cookie that tells nothing of it."""

    def __init__(self, user: str, token: str, port: int) -> None:
        self._person, self._token = Person(user), token
        self._cookie = f"duet-{port}"  # cookies know no ports, so that two Duets would share one
        self._proof = proof_of(token, "cookie")

    def known(self, scope: Scope, headers: Headers) -> Person | None:
        if scope["path"].startswith("/api/"):
            return None
        return self._person if same(cookie(headers, self._cookie), self._proof) else None

    def refusal(self, scope: Scope, headers: Headers) -> Response:
        """With the token in its address: the way in."""
        pairs = parse_qsl(scope["query_string"].decode("latin-1"))
        if scope["method"] != "GET" or not same(dict(pairs).get("token", ""), self._token):
            return PlainTextResponse(CLOSED, 401)
        rest = urlencode([pair for pair in pairs if pair[0] != "token"])
        answer = RedirectResponse(f"/?{rest}" if rest else "/", 303, headers={"Referrer-Policy": "no-referrer"})
        keep(answer, self._cookie, self._proof, YEAR, secure=scope["scheme"] == "https")
        return answer


def keep(answer: Response, name: str, value: str, seconds: int, *, secure: bool) -> None:
    """A cookie that no script reads and no other site's request carries."""
    answer.set_cookie(name, value, max_age=seconds, httponly=True, samesite="lax", secure=secure)


def cookie(headers: Headers, name: str) -> str:
    """ "" where there is none, or more than one of this name."""
    found = []
    for line in headers.getlist("cookie"):
        for part in line.split(";"):
            try:
                found += [morsel.value for morsel in SimpleCookie(part.strip()).values() if morsel.key == name]
            except CookieError:
                continue
    return found[0] if len(found) == 1 else ""
