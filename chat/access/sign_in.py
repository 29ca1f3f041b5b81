"""Signing in and out, and one's own account: its password and its tokens for the API. Pages without a script."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from html import escape
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from fastapi import FastAPI, Request
from itsdangerous import BadSignature, TimestampSigner
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response

from chat.access.accounts import STAYS, Account, Accounts
from chat.access.door import cookie, keep
from chat.access.person import KEY, Person
from chat.faults import ChatFault

if TYPE_CHECKING:
    from starlette.datastructures import Headers
    from starlette.types import Scope

SIGN_IN = "/sign-in"
WRONG = "That is no name and password of an account here."
WAIT = "Too many attempts: wait a quarter of an hour."
WINDOW = 900.0
"""Seconds in which attempts are counted."""
TOGETHER, BY_ADDRESS, BY_NAME = 5, 30, 50
"""Attempts in that time from one address on one name, from one address, on one name."""
REMEMBERED = 10_000
AT_ONCE = 2
"""Passwords that are checked side by side: each takes 64 MB."""
_HEADERS = {
    "Cache-Control": "no-store", "Referrer-Policy": "same-origin", "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'",
}  # fmt: skip
_PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Duet</title>
<meta name="viewport" content="width=device-width,initial-scale=1"><style>
body{{font:16px/1.5 system-ui,sans-serif;max-width:26rem;margin:8vh auto;padding:0 1rem;color-scheme:light dark}}
input,button{{font:inherit;width:100%;padding:.5rem;margin:.25rem 0 .75rem;box-sizing:border-box}}
li button{{width:auto;margin-left:1rem}} .fault{{color:#b3261e}} code{{word-break:break-all}}
</style></head><body><h1>Duet</h1>{body}</body></html>"""


class ByAccount:
    """The door's keeper where there are accounts: a signed cookie on the page, a token at the API."""

    anybody: frozenset[str] = frozenset({SIGN_IN})
    at_once = 48

    def __init__(self, accounts: Accounts, port: int) -> None:
        self.accounts, self.cookie = accounts, f"duet-in-{port}"
        self.signer = TimestampSigner(accounts.secret, salt="duet sign-in")

    def known(self, scope: Scope, headers: Headers) -> Person | None:
        if scope["path"].startswith("/api/"):
            kind, _, token = headers.get("authorization", "").partition(" ")
            return person(self.accounts.of_token(token)) if kind == "Bearer" else None
        return person(self.accounts.signed_in(self.signed(headers)))

    def signed(self, headers: Headers) -> str:
        """The id in the cookie; "" where it is not ours or too old."""
        try:
            return self.signer.unsign(cookie(headers, self.cookie), max_age=STAYS).decode()
        except (BadSignature, UnicodeError):
            return ""

    def refusal(self, scope: Scope, headers: Headers) -> Response:
        if scope["method"] == "GET" and "text/html" in headers.get("accept", ""):
            return RedirectResponse(SIGN_IN, 303)
        return PlainTextResponse("Sign in first.", 401)


def person(account: Account | None) -> Person | None:
    """Whom the rest of Duet knows."""
    return Person(account.name, admin=account.role == "admin") if account else None


class Attempts:
    """How often somebody may try. What is not known any more was long ago, or came in a flood of other names."""

    def __init__(self) -> None:
        self._at: OrderedDict[tuple[str, str], list[float]] = OrderedDict()

    def admit(self, address: str, name: str) -> bool:
        """Counts one more, unless there were too many."""
        now = time.monotonic()
        limits = {(address, name): TOGETHER, (address, ""): BY_ADDRESS, ("", name): BY_NAME}
        counts = {key: [at for at in self._at.get(key, ()) if now - at < WINDOW] for key in limits}
        if any(len(counts[key]) >= most for key, most in limits.items()):
            return False
        for key, times in counts.items():
            self._at[key] = [*times, now]
            self._at.move_to_end(key)
        while len(self._at) > REMEMBERED:
            self._at.popitem(last=False)
        return True

    def forget(self, address: str, name: str) -> None:
        """After a success."""
        for key in ((address, name), ("", name)):
            self._at.pop(key, None)


def add_sign_in(app: FastAPI, keeper: ByAccount) -> None:
    """The routes; those under /account need somebody who is signed in, as all others do."""
    attempts, checking = Attempts(), asyncio.Semaphore(AT_ONCE)
    accounts = keeper.accounts

    async def checked(request: Request, name: str, password: str) -> Account | None:
        """Raises ChatFault where there were too many attempts."""
        address = request.client.host if request.client else ""
        if not attempts.admit(address, name):
            raise ChatFault(WAIT)
        async with checking:
            account = await asyncio.to_thread(accounts.check, name, password)
        if account:
            attempts.forget(address, name)
        return account

    @app.get(SIGN_IN, include_in_schema=False)
    async def ask() -> Response:
        return _page(_form())

    @app.post(SIGN_IN, include_in_schema=False)
    async def sign_in(request: Request) -> Response:
        given = await _fields(request)
        name = given.get("name", "").strip().lower()[:64]
        try:
            account = await checked(request, name, given.get("password", ""))
        except ChatFault as fault:
            return _page(_form(str(fault)), 429)
        if account is None:
            return _page(_form(WRONG), 401)
        accounts.sign_out(keeper.signed(request.headers))
        answer = RedirectResponse("/", 303)
        made = keeper.signer.sign(accounts.sign_in(account.name)).decode()
        keep(answer, keeper.cookie, made, STAYS, secure=request.url.scheme == "https")
        return answer

    @app.post("/sign-out", include_in_schema=False)
    async def sign_out(request: Request) -> Response:
        accounts.sign_out(keeper.signed(request.headers))
        answer = RedirectResponse(SIGN_IN, 303)
        answer.delete_cookie(keeper.cookie, httponly=True, samesite="lax")
        return answer

    @app.get("/account", include_in_schema=False)
    async def account(request: Request) -> Response:
        return _page(_account(keeper, _who(request)))

    @app.post("/account/{what}", include_in_schema=False)
    async def change(request: Request, what: str) -> Response:
        who, given = _who(request), await _fields(request)
        try:
            if what == "password":
                if not await checked(request, who.name, given.get("old", "")):
                    raise ChatFault("The old password is another one.")
                await asyncio.to_thread(accounts.set_password, who.name, given.get("new", ""))
                return RedirectResponse(SIGN_IN, 303)
            if what == "token":
                made = accounts.make_token(who.name, given.get("label", ""))
                said = f"<p>Your new token, shown this once: <code>{made}</code></p>"
                return _page(said + _account(keeper, who))
            if what == "revoke":
                accounts.revoke(who.name, given.get("id", ""))
                return RedirectResponse("/account", 303)
        except ChatFault as fault:
            return _page(f'<p class="fault">{escape(str(fault))}</p>' + _account(keeper, who), 400)
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


def _page(body: str, status: int = 200) -> Response:
    return HTMLResponse(_PAGE.format(body=body), status, headers=_HEADERS)


def _form(fault: str = "") -> str:
    told = f'<p class="fault" role="alert">{escape(fault)}</p>' if fault else ""
    return (
        f'{told}<form method="post" action="{SIGN_IN}"><label>Name<input name="name" autocomplete="username" required '
        'autofocus></label><label>Password<input name="password" type="password" autocomplete="current-password" '
        "required></label><button>Sign in</button></form>"
    )


def _account(keeper: ByAccount, who: Person) -> str:
    tokens = "".join(
        f'<li>{escape(token.label)}, {time.strftime("%Y-%m-%d", time.gmtime(token.made))}<form method="post" '
        f'action="/account/revoke"><button name="id" value="{token.id}">Revoke</button></form></li>'
        for token in keeper.accounts.tokens(who.name)
    )
    return (
        f"<p>You are <b>{escape(who.name)}</b>{' (admin)' if who.admin else ''}. "
        '<a href="/">To the conversations</a></p>'
        '<form method="post" action="/sign-out"><button>Sign out</button></form>'
        '<h2>Password</h2><form method="post" action="/account/password">'
        '<input name="old" type="password" placeholder="The old one" autocomplete="current-password" required>'
        '<input name="new" type="password" placeholder="The new one" autocomplete="new-password" required>'
        f"<button>Change</button></form><h2>Tokens for the API</h2><ul>{tokens}</ul>"
        '<form method="post" action="/account/token"><input name="label" placeholder="What it is for" maxlength="60">'
        "<button>Make a token</button></form>"
    )
