"""How large, how slow and how many requests may be, so that nobody keeps the page from the others."""

from __future__ import annotations

import asyncio
import re
import resource
import time
from collections import OrderedDict
from collections.abc import Hashable
from contextlib import suppress
from typing import Any

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from chat.access.accounts import Person
from chat.access.elsewhere import PEER
from chat.access.person import KEY

UPLOAD = "/gradio_api/upload"
LARGE = re.compile(r"/(api/(duet/)?)?memory/(import|forget)/?|/api/duet/files/[^/]+/?")
"""What is asked with an export, with the ids of all that is kept, or with a file may be as large as an upload."""
BODY = 1_000_000
"""Bytes of a request's body; a message of the longest kind takes a fifth."""
UPLOADED = 64_000_000
"""Bytes of one upload, which may be several files (each at most 20 MB)."""
HOURLY, MOST_UPLOADS = 1_000_000_000, 2_000
"""Bytes that one person may upload in an hour, and how often."""
PAUSE, WHOLE = 10.0, 120.0
"""Seconds between two pieces of a body, and for all of it."""
LINGER = 5.0
"""Seconds in which the rest of a refused body is read away, so that the refusal is heard."""
RATE, BURST = 10.0, 100
"""Requests of one account in a second that are answered at once, and how many may come together before that."""
HEAD = 10.0
"""Seconds in which a request's head must have come."""
HEADERS = 32_000
"""Bytes of a request's head."""
KEEP_ALIVE = 5
FILES = 4096
REMEMBERED = 10_000
"""Keys of what is counted."""
CONNECTIONS = 1000
"""Open at once, those that follow included; one more is told to come again later (503)."""
SERVER: dict[str, Any] = {
    "access_log": False,
    "timeout_keep_alive": KEEP_ALIVE,
    "limit_concurrency": CONNECTIONS,
    "h11_max_incomplete_event_size": HEADERS,
    "ws": "none",
}
"""Settings of uvicorn. The page uses no websockets. Addresses hold tokens and links' secrets: no log keeps them."""


class TooMuch(HTTPException):
    """A body that is refused: any application within, Gradio's too, answers with its status and sentence."""


class Limits:
    """Bounds what a request may bring: bodies are read whole before anything sees them, uploads piece by piece."""

    def __init__(self, app: ASGIApp, body: int = BODY, uploaded: int = UPLOADED, pause: float = PAUSE) -> None:
        self._app, self._body, self._uploaded, self._pause = app, body, uploaded, pause
        self._hour = Hour()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        upload = scope["path"].rstrip("/") == UPLOAD
        most = self._uploaded if upload or LARGE.fullmatch(scope["path"]) else self._body
        bounded = Bounded(receive, most, self._pause)
        try:
            length = Headers(scope=scope).get("content-length", "")
            bounded.announced(length)
            size = int(length) if length.isdecimal() else most
            if (upload or size > self._body) and not self._hour.take(scope.get(KEY), size):
                raise TooMuch(429, "So much was uploaded in this hour that there is no room for more: come back later.")
            if not upload:
                await bounded.fetch()
        except TooMuch as refusal:
            answer = PlainTextResponse(refusal.detail, refusal.status_code, headers={"Connection": "close"})
            await answer(scope, receive, send)
            return await _read_away(receive)
        return await self._app(scope, bounded, send)


class Counted:
    """What came under each key in the last `seconds`. What is not known any more was long ago, or came in a flood."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._came: OrderedDict[Hashable, list[tuple[float, int]]] = OrderedDict()

    def of(self, key: Hashable) -> list[int]:
        """Each with its size."""
        return [size for _at, size in self._recent(key)]

    def add(self, key: Hashable, size: int = 1) -> None:
        self._came[key] = [*self._recent(key), (time.monotonic(), size)]
        self._came.move_to_end(key)
        while len(self._came) > REMEMBERED:
            self._came.popitem(last=False)

    def forget(self, key: Hashable) -> None:
        self._came.pop(key, None)

    def _recent(self, key: Hashable) -> list[tuple[float, int]]:
        now = time.monotonic()
        return [(at, size) for at, size in self._came.get(key, ()) if now - at < self._seconds]


class Hour(Counted):
    """What each person uploaded in the last hour: it lies on the disk until it is looked through."""

    def __init__(self) -> None:
        super().__init__(3600)

    def take(self, person: Person | None, size: int) -> bool:
        """Whether there is room for so many bytes more; then they are counted."""
        name = person.name if person else ""
        taken = self.of(name)
        fits = sum(taken) + size <= HOURLY and len(taken) < MOST_UPLOADS
        if fits:
            self.add(name, size)
        return fits


class Pace:
    """Requests beyond RATE wait for their turn: who sends more of them keeps nobody waiting but themselves."""

    def __init__(self) -> None:
        self._next: dict[str, float] = {}
        """When the next request of each account would come, at the full rate."""

    async def keep(self, name: str) -> None:
        now = time.monotonic()
        due = max(self._next.get(name, 0.0), now - BURST / RATE)
        self._next[name] = due + 1 / RATE
        if due > now:
            await asyncio.sleep(due - now)


async def _read_away(receive: Receive) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(LINGER):
            while (await receive()).get("more_body"):
                pass


class Bounded:
    """A `receive` that raises TooMuch beyond `most` bytes and after `pause` seconds without any."""

    def __init__(self, receive: Receive, most: int, pause: float) -> None:
        self._receive, self._most, self._pause = receive, most, pause
        self._until = time.monotonic() + WHOLE
        self._held: list[Message] = []
        self._count, self._over = 0, False

    def announced(self, length: str) -> None:
        """Refuses by what the head says already."""
        if length.isdecimal() and int(length) > self._most:
            raise self._too_large()

    async def fetch(self) -> None:
        """Reads all of it now; it is handed on as one piece."""
        pieces = []
        while not self._over:
            message = await self._next()
            pieces.append(message.get("body", b""))
            if message["type"] == "http.disconnect":
                self._held = [message]
                return
        self._held = [{"type": "http.request", "body": b"".join(pieces), "more_body": False}]

    async def __call__(self) -> Message:
        if self._held:
            return self._held.pop()
        return await (self._receive() if self._over else self._next())

    async def _next(self) -> Message:
        pause = min(self._pause, self._until - time.monotonic())
        try:
            async with asyncio.timeout(pause):
                message = await self._receive()
        except TimeoutError:
            raise TooMuch(408, "The request took too long to arrive: send it again.") from None
        self._count += len(message.get("body", b""))
        if self._count > self._most:
            raise self._too_large()
        self._over = not message.get("more_body", False)
        return message

    def _too_large(self) -> TooMuch:
        return TooMuch(413, f"The request is larger than {self._most // 1_000_000} MB, which is the most it may be.")


class Protocol(H11Protocol):
    """uvicorn's own, but a connection on which no whole head arrives in time is closed."""

    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.app_state = {**self.app_state, PEER: self.client[0] if self.client else ""}
        self._watch()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        self._unwatch()
        super().connection_lost(exc)

    def _watch(self) -> None:
        if self.cycle is not None and not self.cycle.response_complete:
            self._unwatch()
        elif self._late is None:
            self._late = self.loop.call_later(HEAD, self.transport.close)

    def _unwatch(self) -> None:
        if self._late:
            self._late.cancel()
            self._late = None


def more_files() -> None:
    """Lets this process open as many files as it may: each connection is one."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = FILES if hard == resource.RLIM_INFINITY else min(FILES, hard)
    with suppress(OSError, ValueError):
        if soft < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
