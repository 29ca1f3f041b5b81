"""The server: the page and a small API for `ask` and `talk`, on one event loop, on loopback."""

from __future__ import annotations

import json
import logging
import secrets
import socket
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import asdict
from typing import Any

import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, StreamingResponse
from starlette.middleware.trustedhost import TrustedHostMiddleware

from chat.app import Duet, build
from chat.faults import ChatFault, sentence
from chat.home import Address
from chat.settings import Settings

log = logging.getLogger("duet.server")


def serve(settings: Settings) -> int:
    """Serves until it is told to end. Raises ChatFault when it cannot start (port, home)."""
    listener = listen(settings.host, settings.port)
    duet = build(settings)
    url = f"http://{in_url(settings.host)}:{listener.getsockname()[1]}"
    address = duet.home.announce(url)
    server = uvicorn.Server(uvicorn.Config(make_app(duet, address), log_config=None, timeout_graceful_shutdown=3))
    print(f"Duet is at {url}  (Ctrl+C ends it)", file=sys.stderr, flush=True)
    server.run(sockets=[listener])
    return 0


def in_url(host: str) -> str:
    """As addresses are written: those with colons stand in brackets."""
    return f"[{host}]" if ":" in host else host


def listen(host: str, port: int) -> socket.socket:
    """The port is taken before anything else is started. Raises ChatFault."""
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise ChatFault(
            f"{host}:{port} cannot be used ({error.strerror}): another program may have it; choose another with --port."
        ) from error
    return listener


def make_app(duet: Duet, address: Address) -> FastAPI:
    """The API under /api, the page under /. The API asks for the token that only the owner's processes can read."""
    from chat.ui import mount

    @asynccontextmanager
    async def life(_: FastAPI) -> AsyncIterator[None]:
        duet.start(offering=True)
        try:
            yield
        finally:
            await duet.close()

    app = FastAPI(lifespan=life, openapi_url=None)
    # A foreign name that resolves to this machine (DNS rebinding) is refused.
    local = ["127.0.0.1", "localhost", "[::1]", in_url(duet.settings.host)]
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=local)
    _guard(app, address)
    _routes(app, duet)
    return mount(app, duet)


def _guard(app: FastAPI, address: Address) -> None:
    @app.middleware("http")
    async def check(request: Request, proceed: Callable[[Request], Any]) -> Any:
        if request.url.path.startswith("/api/duet"):
            given = request.headers.get("authorization", "").removeprefix("Bearer ")
            if not secrets.compare_digest(given.encode(), address.token.encode()):
                return JSONResponse({"error": "This needs the token in DUET_HOME/server.json."}, 401)
        return await proceed(request)

    @app.exception_handler(ChatFault)
    async def refuse(_: Request, fault: ChatFault) -> JSONResponse:
        return JSONResponse({"error": sentence(fault)}, 400)


def _routes(app: FastAPI, duet: Duet) -> None:
    @app.get("/api/duet/health")
    async def health() -> list[dict[str, str]]:
        return [asdict(line) for line in duet.health()]

    @app.post("/api/duet/sessions")
    async def new_session(body: dict[str, str]) -> dict[str, str]:
        return {"session": duet.open_session(body["user"], body.get("session"), body.get("domain"))}

    @app.post("/api/duet/turns")
    async def submit(body: dict[str, str]) -> dict[str, int]:
        return {"turn": await duet.runs.submit(body["session"], body["text"])}

    @app.post("/api/duet/{session}/{wish}")
    async def act(session: str, wish: str) -> dict[str, str]:
        acts = {
            "stop": duet.runs.stop,
            "pause": duet.runs.pause,
            "resume": duet.runs.resume,
            "discard": duet.runs.discard,
            "undo": duet.runs.undo,
        }
        if wish not in acts:
            raise ChatFault(f"There is no `{wish}`; there are: {', '.join(acts)}.")
        return {"text": await acts[wish](session) or ""}

    @app.get("/api/duet/events/{session}")
    async def events(session: str, after: int = 0) -> StreamingResponse:
        duet.transcript.session(session)
        return StreamingResponse(_lines(duet, session, after), media_type="application/x-ndjson")


async def _lines(duet: Duet, session: str, after: int) -> AsyncIterator[str]:
    async for event in duet.runs.follow(session, after):
        yield json.dumps(asdict(event)) + "\n"  # ASCII: some line breaks of Unicode would cut a line in two
