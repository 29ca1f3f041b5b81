"""Signing in and out, and one's own account: its password and its tokens for the API. Pages without a script."""

from __future__ import annotations

import asyncio
from collections.abc import Hashable
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode

from fastapi import FastAPI, Request
from itsdangerous import BadSignature, TimestampSigner
from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import Scope

from chat.access.accounts import LONGEST, SHORTEST, STAYS, Accounts, Person
from chat.access.door import cookie, keep
from chat.access.elsewhere import Proxy
from chat.access.limits import Counted
from chat.access.person import KEY
from chat.faults import ChatFault

SIGN_IN = "/sign-in"
OPENID, OPENID_BACK = f"{SIGN_IN}/openid", f"{SIGN_IN}/openid/back"
SAID = {
    "wrong": "That is no name and password of an account here.",
    "wait": "Too many attempts: wait a quarter of an hour.",
    "old": "The old password is another one.",
}
"""Faults, which the pages show in their language."""
WRONG, WAIT = SAID["wrong"], SAID["wait"]
WINDOW = 900.0
"""Seconds in which attempts are counted."""
TOGETHER, BY_ADDRESS, BY_NAME = 5, 30, 50
"""Attempts in that time from one address on one name, from one address, on one name."""
AT_ONCE = 2
"""Passwords that are checked side by side: each takes 64 MB."""
_HEADERS = {
    "Cache-Control": "no-store", "Referrer-Policy": "same-origin", "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'",
}  # fmt: skip


class ByAccount:
    """The door's keeper where there are accounts: a signed cookie on the page, a token at the API."""

    at_once = 48
    wanted = "a token of yours, which you make at /account: `Authorization: Bearer ...`"

    def __init__(self, accounts: Accounts, port: int, proxy: Proxy | None = None, provider: str = "") -> None:
        """`provider`: the name of one where people may sign in as well (openid.py)."""
        self.accounts, self.cookie = accounts, f"duet-in-{port}"
        self.proxy, self.provider = proxy, provider
        self.anybody = frozenset({SIGN_IN, OPENID, OPENID_BACK} if provider else {SIGN_IN})
        self.signer = TimestampSigner(accounts.secret, salt="duet sign-in")

    def known(self, scope: Scope, headers: Headers) -> Person | None:
        try:
            named = self.by_proxy(scope, headers)
        except ChatFault:
            return None
        if scope["path"].startswith("/api/"):
            kind, _, token = headers.get("authorization", "").partition(" ")
            return self.accounts.of_token(token) if kind == "Bearer" else None
        return named or self.accounts.signed_in(self.signed(headers))

    def by_proxy(self, scope: Scope, headers: Headers) -> Person | None:
        """Whom the proxy names, before any cookie. Raises ChatFault."""
        named = self.proxy.named(scope, headers) if self.proxy else ""
        return self.accounts.arrive(f"proxy {named}", named) if named else None

    def signed(self, headers: Headers) -> str:
        """The id in the cookie; "" where it is not ours or too old."""
        try:
            return self.signer.unsign(cookie(headers, self.cookie), max_age=STAYS).decode()
        except (BadSignature, UnicodeError):
            return ""

    def refusal(self, scope: Scope, headers: Headers) -> Response:
        try:
            self.by_proxy(scope, headers)
        except ChatFault as fault:
            return PlainTextResponse(str(fault), 403)
        if scope["method"] == "GET" and "text/html" in headers.get("accept", ""):
            return RedirectResponse(_asked_before(scope), 303)
        return PlainTextResponse("Sign in first.", 401)

    def let_in(self, request: Request, person: Person, target: str) -> Response:
        """Signs in, whoever was signed in before."""
        self.accounts.sign_out(self.signed(request.headers))
        answer = RedirectResponse(own_path(target), 303)
        made = self.signer.sign(self.accounts.sign_in(person.name)).decode()
        keep(answer, self.cookie, made, STAYS, secure=request.url.scheme == "https")
        return answer


def _asked_before(scope: Scope) -> str:
    """The sign-in, which leads on to what was asked for."""
    query = scope["query_string"].decode("latin-1")
    target = own_path(quote(scope["path"]) + (f"?{query}" if query else ""))
    return SIGN_IN if target == "/" else f"{SIGN_IN}?{urlencode({'next': target})}"


def own_path(wanted: str) -> str:
    """The path, if a browser reads it as one of this server; else "/"."""
    own = wanted.startswith("/") and not wanted.startswith(("//", SIGN_IN)) and "\\" not in wanted
    return wanted if own and wanted.isascii() and wanted.isprintable() and len(wanted) <= 1000 else "/"


class Attempts(Counted):
    """How often somebody may try: in the last quarter of an hour, from an address, on a name, and both."""

    def __init__(self) -> None:
        super().__init__(WINDOW)

    def admit(self, address: str, name: Hashable) -> bool:
        """Counts one more, unless there were too many."""
        limits = {(address, name): TOGETHER, (address, ""): BY_ADDRESS, ("", name): BY_NAME}
        if any(len(self.of(key)) >= most for key, most in limits.items()):
            return False
        for key in limits:
            self.add(key)
        return True


def add_sign_in(app: FastAPI, keeper: ByAccount) -> None:
    """The routes; those under /account need somebody who is signed in, as all others do."""
    attempts, checking = Attempts(), asyncio.Semaphore(AT_ONCE)
    accounts = keeper.accounts

    async def checked(request: Request, name: str, password: str) -> Person | None:
        """Raises ChatFault where there were too many attempts."""
        address = request.client.host if request.client else ""
        tried = (name, accounts.password_of(name))  # who is given a new password begins anew
        if not attempts.admit(address, tried):
            raise ChatFault(WAIT)
        async with checking:
            account = await asyncio.to_thread(accounts.check, name, password)
        if account:
            attempts.forget((address, tried))
            attempts.forget(("", tried))
        return account

    @app.get(SIGN_IN, include_in_schema=False)
    async def ask(request: Request) -> Response:
        return sign_in_page(keeper, target=request.query_params.get("next", ""))

    @app.post(SIGN_IN, include_in_schema=False)
    async def sign_in(request: Request) -> Response:
        given = await _fields(request)
        name, target = given.get("name", "").strip().lower()[:64], given.get("next", "")
        try:
            if account := await checked(request, name, given.get("password", "")):
                return keeper.let_in(request, account, target)
            return sign_in_page(keeper, WRONG, 401, target)
        except ChatFault as fault:
            return sign_in_page(keeper, str(fault), 429 if str(fault) == WAIT else 503, target)

    @app.post("/sign-out", include_in_schema=False)
    async def sign_out(request: Request) -> Response:
        accounts.sign_out(keeper.signed(request.headers))
        answer = RedirectResponse(SIGN_IN, 303)
        answer.delete_cookie(keeper.cookie, httponly=True, samesite="lax")
        return answer

    @app.get("/account", include_in_schema=False)
    async def account(request: Request) -> Response:
        return _account(keeper, _who(request))

    @app.post("/account/{what}", include_in_schema=False)
    async def change(request: Request, what: str) -> Response:
        who, given = _who(request), await _fields(request)
        try:
            if what == "password":
                if not await checked(request, who.name, given.get("old", "")):
                    raise ChatFault(SAID["old"])
                await asyncio.to_thread(accounts.set_password, who.name, given.get("new", ""))
                return RedirectResponse(SIGN_IN, 303)
            if what == "token":
                return _account(keeper, who, token=accounts.make_token(who.name, given.get("label", "")))
            if what == "revoke":
                accounts.revoke(who.name, given.get("id", ""))
                return RedirectResponse("/account", 303)
        except ChatFault as fault:
            return _account(keeper, who, 400, fault=str(fault))
        return JSONResponse({"error": "There is no such change."}, 404)


def _who(request: Request) -> Person:
    found = request.scope.get(KEY)
    assert isinstance(found, Person)  # the door let nobody else in
    return found


async def _fields(request: Request) -> dict[str, str]:
    """Of a form; a body that is none has none."""
    try:
        return dict(parse_qsl((await request.body()).decode("ascii"), max_num_fields=10))
    except ValueError:
        return {}


def _page(status: int, **of: Any) -> Response:
    from chat.ui.drawing import drawn  # the page is there by now

    return HTMLResponse(drawn("accounts.html", **of), status, headers=_HEADERS)


def sign_in_page(keeper: ByAccount, fault: str = "", status: int = 200, target: str = "") -> Response:
    """With what went wrong; `target` is where the person wanted to go."""
    target = own_path(target)
    link = f"{OPENID}?{urlencode({'next': target})}" if keeper.provider else ""
    by_password = keeper.accounts.by_password() or not link
    return _page(status, fault=fault, target=target, name=keeper.provider, link=link, by_password=by_password)


def _account(keeper: ByAccount, who: Person, status: int = 200, **of: str) -> Response:
    tokens = keeper.accounts.tokens(who.name)
    return _page(status, who=who, tokens=tokens, shortest=SHORTEST, longest=LONGEST, **of)
