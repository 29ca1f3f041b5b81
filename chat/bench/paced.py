"""A model server of a benchmark's own: OpenAI's streaming protocol at a given pace.

It keeps when the first token of each answer left it, and when the caller hung up: the caller is listened to while the
next token is waited for, so that the moment is known to a millisecond.
"""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import uvicorn
from starlette.requests import Request
from starlette.responses import JSONResponse, StreamingResponse
from starlette.types import Receive, Scope, Send

Body = Mapping[str, Any]
"""A chat-completions request."""


@dataclass(frozen=True)
class Saying:
    """One answer: pieces of text, then a tool call; or a refusal in place of both."""

    pieces: Sequence[str] = ()
    tool: str = ""
    arguments: Mapping[str, object] = field(default_factory=dict)
    silence: float = 0.0
    """Seconds before the first token."""
    refusal: Mapping[str, object] | None = None
    """The `error` of a 400."""


@dataclass
class Exchange:
    """A request and its answer. Moments are seconds as time.time() tells them, 0.0 until they come."""

    saying: Saying
    first: float = 0.0
    hung_up: float = 0.0
    over: threading.Event = field(default_factory=threading.Event)


@dataclass
class PacedServer:
    """The server, and what a benchmark or a test reads of it."""

    answer: Callable[[Body], Saying]
    pause: float
    """Seconds between tokens."""
    url: str = ""
    made: list[Exchange] = field(default_factory=list)
    """Oldest first."""

    def spec(self, model: str) -> str:
        """A model of this server as Duet's settings name it."""
        return f"openai:{model}@{self.url}/v1"

    def asked(self, piece: str, patience: float) -> Exchange:
        """The newest exchange whose answer begins with this piece, waited for. Raises TimeoutError."""
        until = time.monotonic() + patience
        while time.monotonic() < until:
            for one in reversed(self.made):
                if list(one.saying.pieces[:1]) == [piece]:
                    return one
            time.sleep(0.005)
        raise TimeoutError(piece)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """An application of ASGI."""
        exchange = Exchange(self.answer(json.loads(await Request(scope, receive).body())))
        self.made.append(exchange)
        answer: JSONResponse | StreamingResponse
        if exchange.saying.refusal is not None:
            answer = JSONResponse({"error": dict(exchange.saying.refusal)}, 400)
        else:  # Duet asks for nothing but streams
            answer = StreamingResponse(self._told(exchange), media_type="text/event-stream")
        older = {**scope, "asgi": {"spec_version": "2.3"}}  # in which the caller is listened to while it is waited
        await answer(older, receive, send)
        exchange.over.set()

    async def _told(self, exchange: Exchange) -> AsyncIterator[str]:
        """The events, at the given pace."""
        saying = exchange.saying
        written = {"name": saying.tool, "arguments": json.dumps(saying.arguments, ensure_ascii=False)}
        call = {"index": 0, "id": f"call_{time.time_ns()}", "type": "function", "function": written}
        try:
            yield _event({"role": "assistant", "content": ""})
            await asyncio.sleep(saying.silence)
            exchange.first = time.time()
            for delta in [{"content": piece} for piece in saying.pieces] + [{"tool_calls": [call]}] * bool(saying.tool):
                yield _event(delta)
                await asyncio.sleep(self.pause)
            yield _event({}, "tool_calls" if saying.tool else "stop")
            yield "data: [DONE]\n\n"
        except (asyncio.CancelledError, GeneratorExit):  # the caller went
            exchange.hung_up = time.time()
            raise


@contextmanager
def paced(answer: Callable[[Body], Saying], rate: float = 0.0) -> Iterator[PacedServer]:
    """On a free port of loopback, in a thread of its own. rate: tokens a second, 0 for as fast as it goes."""
    model = PacedServer(answer, 1 / rate if rate else 0.0)
    ends = [("Connection", "close")]  # no client is left with an open one when this server, or its own loop, ends
    config = uvicorn.Config(model, log_level="critical", lifespan="off", timeout_graceful_shutdown=1, headers=ends)
    server = uvicorn.Server(config)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        model.url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        try:
            yield model
        finally:
            server.should_exit = True
            thread.join()


_BASE = {"id": "chatcmpl-paced", "created": 0, "model": "paced", "object": "chat.completion.chunk"}


def _event(delta: Mapping[str, object], finish: str | None = None) -> str:
    return f"data: {json.dumps({**_BASE, 'choices': [{'index': 0, 'delta': delta, 'finish_reason': finish}]})}\n\n"


def texts(body: Body, role: str) -> list[str]:
    """What this role said, oldest first."""
    return [str(m.get("content") or "") for m in body["messages"] if m["role"] == role]


def offered(body: Body) -> list[str]:
    """Names of the tools."""
    return [tool["function"]["name"] for tool in body.get("tools") or ()]
