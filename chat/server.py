"""The server: the page and a small API for `ask` and `talk`, on one event loop, on loopback."""

from __future__ import annotations

import asyncio
import errno
import json
import logging
import secrets
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict, replace
from typing import Annotated, Any
from urllib.parse import quote, urlsplit

import uvicorn
from fastapi import FastAPI, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, StreamingResponse
from pydantic import BaseModel, Field

from chat.access.accounts import Accounts, has_accounts
from chat.access.door import HELLO, Door, Keeper, Open, Token
from chat.access.elsewhere import Proxy, address_of
from chat.access.limits import SERVER, Limits, Protocol, more_files
from chat.access.person import Quotas, asking, own_session
from chat.access.same_site import SameSite
from chat.access.sign_in import ByAccount, add_sign_in
from chat.app import Duet, build
from chat.backups import daily
from chat.faults import ChatFault, sentence
from chat.home import Address, proof_of
from chat.services import Swaps
from chat.settings import Settings, check_reach, is_loopback
from chat.transcript import SENT
from tools.plain import readable

log = logging.getLogger("duet.server")
Number = Annotated[int, Query(ge=0, lt=2**63)]
"""Of an event: what SQLite can hold."""


class Opening(BaseModel):
    """Asks for a new conversation, or for a known one of this user; only the owner of the server names users."""

    user: str = ""
    session: str | None = None
    domain: str | None = None


class Whose(BaseModel):
    """Names a user."""

    user: str


class Message(BaseModel):
    """A turn of a conversation. With the `id` and words of one that is there it is that one: nothing is said twice."""

    session: str
    text: str
    id: Annotated[str, Field(pattern=rf"^({SENT})?$")] = ""


def serve(settings: Settings, swaps: Swaps | None = None) -> int:
    """Serves until it is told to end. Raises ChatFault when it cannot start (port, home).

    swaps: what stands in for minds and tools.
    """
    check_reach(settings)
    more_files()
    accounts = accounts_of(settings) if has_accounts(settings.home) or settings.known_elsewhere else None
    if accounts:  # nobody is the machine's own person then
        settings = replace(settings, user="", token="")
    if settings.token == "new":
        settings = replace(settings, token=secrets.token_urlsafe(24))
    with listen(settings.host, settings.port) as listener:
        port = listener.getsockname()[1]
        duet = build(settings, swaps=swaps)
        url = f"http://{in_url(settings.host)}:{port}"
        address = duet.home.announce(url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:"))
        opened = f"http://{in_url(reached_at(settings.host))}:{port}"
        opened += f"/?token={quote(settings.token)}" if settings.token else ""
        print(f"Duet is at {opened}  (Ctrl+C ends it)", file=sys.stderr, flush=True)
        app = make_app(duet, address, keeper(settings, port, accounts))
        server_of(app, settings.proxy_from).run(sockets=[listener])
    return 0


def server_of(app: FastAPI, proxies: str = "") -> uvicorn.Server:
    """uvicorn with Duet's limits; X-Forwarded- headers are believed of this machine and of `proxies`."""
    more: dict[str, Any] = {**SERVER, "forwarded_allow_ips": ["127.0.0.1", *proxies.split()]} if proxies else SERVER
    return uvicorn.Server(uvicorn.Config(app, log_config=None, timeout_graceful_shutdown=3, http=Protocol, **more))


def accounts_of(settings: Settings) -> Accounts:
    """Raises ChatFault."""
    return Accounts(settings.home, settings.admins.split(), settings.new_accounts)


def keeper(settings: Settings, port: int, accounts: Accounts | None = None) -> Keeper:
    """Who knows people here."""
    if accounts:
        proxy = Proxy(settings.proxy_header, settings.proxy_from) if settings.proxy_header else None
        return ByAccount(accounts, port, proxy, urlsplit(settings.oidc_issuer).netloc)
    return Token(settings.user, settings.token, port) if settings.token else Open(settings.user)


def in_url(host: str) -> str:
    """As addresses are written: those with colons stand in brackets."""
    return f"[{host}]" if ":" in host else host


def reached_at(host: str) -> str:
    """In place of all addresses (`0.0.0.0`, `::`), which none can open, the one that others reach this machine by."""
    address = address_of(host)
    if address and address.is_unspecified:
        family, far = (socket.AF_INET6, "2001:db8::1") if ":" in host else (socket.AF_INET, "192.0.2.1")
        with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as way:
            way.connect((far, 9))  # which sends nothing
            return str(way.getsockname()[0])
        return "::1" if ":" in host else "127.0.0.1"  # there is no way out of this machine
    return host


def listen(host: str, port: int) -> socket.socket:
    """The port is taken before anything else is started. Raises ChatFault."""
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(2048)  # until it listens, another server could bind it as well, and never be reached
    except OSError as error:
        listener.close()
        mend = "another program may have it; choose another with --port"
        if error.errno not in (errno.EADDRINUSE, errno.EACCES):
            mend = "--host must be an address of this machine, as 127.0.0.1, or 0.0.0.0 for all of them"
        raise ChatFault(f"{host}:{port} cannot be used ({error.strerror}): {mend}.") from error
    return listener


def make_app(duet: Duet, address: Address, knows: Keeper | None = None) -> FastAPI:
    """The API under /api, the page under /; before both stand the checks of chat/access, the last one outermost."""
    from chat.ui.page import mount
    from chat.ui.routes import SHARED

    @asynccontextmanager
    async def life(_: FastAPI) -> AsyncIterator[None]:
        try:
            duet.start(offering=True)
        except Exception as fault:  # uvicorn tells the log alone
            print(sentence(fault), file=sys.stderr, flush=True)
            raise
        beside = [asyncio.create_task(work) for work in (daily(duet.settings.home), duet.let_go())]
        try:
            yield
        finally:
            for task in beside:
                task.cancel()
            await duet.close()

    app = FastAPI(lifespan=life, openapi_url=None)
    _routes(app, duet, address)
    if isinstance(knows, ByAccount):
        knows.accounts.taken = lambda name: bool(duet.transcript.sessions(name))
        duet.transcript.shows = lambda name: any(person.name == name for person in knows.accounts.all())
        add_sign_in(app, knows)
        if knows.provider:
            from chat.access.openid import Provider, add_openid

            add_openid(app, knows, Provider(duet.settings))
        Quotas(duet, knows.accounts)
    mount(app, duet)
    app.add_middleware(Limits)
    shown = SHARED if duet.settings.sharing else ""
    app.add_middleware(Door, keeper=knows or Open(duet.settings.user), key=address.token, shown=shown)
    settings = duet.settings
    names = [settings.host, *settings.names.split()]
    app.add_middleware(SameSite, names=names, any_address=not is_loopback(settings.host))
    return app


def _routes(app: FastAPI, duet: Duet, address: Address) -> None:
    @app.exception_handler(ChatFault)
    async def refuse(_: Request, fault: ChatFault) -> JSONResponse:
        return JSONResponse({"error": sentence(fault)}, 400)

    @app.exception_handler(RequestValidationError)
    async def malformed(_: Request, fault: RequestValidationError) -> JSONResponse:
        """Without what was sent: it may be anything, also what no JSON can hold."""
        wrong = fault.errors()[0]
        place = ".".join(str(part) for part in wrong["loc"])[:80].encode(errors="replace").decode()
        return JSONResponse({"error": f"The request is not understood at `{place}`: {wrong['msg'][:200]}."}, 422)

    @app.get(HELLO)
    async def hello(nonce: str = "") -> dict[str, str]:
        """Proves that this server holds the key of DUET_HOME/server.json; whoever took its port does not."""
        return {"proof": proof_of(address.token, f"server\n{nonce[:100]}")}

    @app.get("/api/duet/health")
    async def health() -> list[dict[str, str]]:
        return [asdict(line) for line in duet.health()]

    @app.post("/api/duet/sessions")
    async def new_session(body: Opening) -> dict[str, str]:
        person = asking(duet.settings)
        user = readable(body.user or duet.settings.user) if person.owner else person.name
        if not user.strip():
            raise ChatFault("Say whose conversation it is to be: `user`.")
        return {"session": duet.open_session(user, body.session, body.domain)}

    @app.post("/api/duet/turns")
    async def submit(body: Message) -> dict[str, int]:
        return {"turn": await duet.runs.submit(own_session(duet, body.session).id, body.text, sent=body.id)}

    @app.post("/api/duet/files/{session}")
    async def add_file(session: str, name: str, request: Request) -> dict[str, str]:
        return {"text": await duet.runs.add_file(own_session(duet, session).id, name, await request.body())}

    @app.post("/api/memory/{wish}")
    @app.post("/api/duet/memory/{wish}")
    def memory(wish: str, body: dict[str, Any]) -> dict[str, Any]:
        person, named = asking(duet.settings), body.pop("user", None)
        return duet.fulfil(str(named) if named and person.owner else person.name, wish, body)

    @app.post("/api/duet/users/forget")
    async def forget_user(body: Whose) -> dict[str, int]:
        if not asking(duet.settings).owner:
            raise ChatFault("Only who owns the server deletes all that is kept of somebody.")
        return {"conversations": await duet.forget_user(body.user)}

    @app.post("/api/duet/{session}/{wish}")
    async def act(session: str, wish: str) -> dict[str, str]:
        return {"text": await duet.runs.act(own_session(duet, session).id, wish)}

    @app.get("/api/duet/events/{session}")
    async def events(session: str, after: Number = 0) -> StreamingResponse:
        own_session(duet, session)
        return StreamingResponse(_lines(duet, session, after), media_type="application/x-ndjson")


async def _lines(duet: Duet, session: str, after: int) -> AsyncIterator[str]:
    async for event in duet.runs.follow(session, after):
        yield json.dumps(asdict(event)) + "\n"  # ASCII: some line breaks of Unicode would cut a line in two
