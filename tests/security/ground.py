"""A real Duet with minds that follow a script, really served on loopback with all of chat/access before it."""

from __future__ import annotations

import asyncio
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import uvicorn
from fastapi import FastAPI

from chat.access.door import Keeper
from chat.app import Duet, build
from chat.home import Address
from chat.server import listen, make_app, server_of
from chat.services import Swaps
from chat.settings import Settings
from minds.models.language import Abilities, LanguageModel
from minds.models.spec import ModelSettings, Role
from tests.scripted import ScriptedModel

KEY = "the key in server.json"
STRONG = Abilities(tools=True, strong=True)


def opened(spec: str, settings: ModelSettings, role: Role) -> LanguageModel:
    return ScriptedModel(lambda _: "Hello.", abilities=STRONG, settings=settings, spec=f"scripted:{role}")


@dataclass
class Served:
    """A running server. `client` is nobody in particular; it follows no redirects and keeps no connection."""

    duet: Duet
    app: FastAPI
    port: int
    clients: list[httpx2.Client] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.client = self.another()

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def another(self, **more: Any) -> httpx2.Client:
        """A client with cookies of its own."""
        headers = {"Connection": "close", **more.pop("headers", {})}
        usual: dict[str, Any] = {"base_url": self.base, "timeout": 20, "trust_env": False, "headers": headers}
        client = httpx2.Client(**usual | more)
        self.clients.append(client)
        return client


@contextmanager
def served(home: Path, knows: Callable[[Settings, int], Keeper] | None = None, **settings: Any) -> Iterator[Served]:
    """`knows` makes the keeper of the door from the settings and the port."""
    own = Settings(**{"home": home, "user": "ada", **settings})
    duet = build(own, swaps=Swaps(models=opened))
    duet.embedder.warm = lambda: None  # type: ignore[method-assign]
    listener = listen("127.0.0.1", 0)
    port = listener.getsockname()[1]
    address = Address(f"http://127.0.0.1:{port}", KEY, 0)

    async def making() -> FastAPI:
        return make_app(duet, address, knows(own, port) if knows else None)

    app = asyncio.run(making())  # where no loop runs, Gradio makes some for its locks and never closes them
    server: uvicorn.Server = server_of(app)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    here = Served(duet, app, port)
    try:
        yield here
    finally:
        for client in here.clients:
            client.close()
        server.should_exit = True
        thread.join()


def routes_of(app: FastAPI) -> Iterator[tuple[str, str]]:
    """(method, path) of every route, those of mounted applications too; a path may hold {parameters}."""
    stack: list[tuple[str, Any]] = [("", route) for route in app.routes]
    while stack:
        before, route = stack.pop()
        path = before + getattr(route, "path", "")
        inner: Any = getattr(route, "original_router", None) or getattr(route, "app", None)
        if within := getattr(inner, "routes", None):
            stack += [(path, each) for each in within]
        elif path:
            yield from ((method, path) for method in sorted(getattr(route, "methods", None) or ("GET",)))


def filled(path: str, values: Sequence[tuple[str, str]] = ()) -> str:
    """The path with something in place of each parameter."""
    known = dict(values)
    return re.sub(r"\{([^}:]*)[^}]*\}", lambda found: known.get(found[1], "x"), path)


def raw(here: Served, sent: bytes, seconds: float = 10) -> bytes:
    """What comes back for these bytes until the server closes, or says nothing for so long."""
    with socket.create_connection(("127.0.0.1", here.port), timeout=seconds) as line:
        line.sendall(sent)
        heard = b""
        with suppress(TimeoutError, ConnectionError):
            while piece := line.recv(65536):
                heard += piece
        return heard
