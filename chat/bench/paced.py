"""A model server of a benchmark's own: OpenAI's streaming protocol at a given pace.

It keeps when the first token of each answer left it, and when the caller hung up: a caller's socket is looked at while
it waits for the next token, so that the moment is known to a millisecond.
"""

from __future__ import annotations

import json
import select
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

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
    finish: str = ""
    """By default what fits."""


@dataclass
class Exchange:
    """A request and its answer. Moments are seconds as time.time() tells them, 0.0 until they come."""

    body: Body
    saying: Saying
    first: float = 0.0
    hung_up: float = 0.0
    over: threading.Event = field(default_factory=threading.Event)

    @property
    def text(self) -> str:
        return "".join(self.saying.pieces)


@dataclass
class PacedServer:
    """What a benchmark or a test reads of it."""

    url: str = ""
    made: list[Exchange] = field(default_factory=list)
    """Oldest first."""

    def spec(self, model: str) -> str:
        """A model of this server as Duet's settings name it."""
        return f"openai:{model}@{self.url}/v1"

    def said(self, piece: str) -> Exchange | None:
        """The newest exchange whose answer begins with this piece, where it was asked for."""
        return next((one for one in reversed(self.made) if list(one.saying.pieces[:1]) == [piece]), None)

    def asked(self, piece: str, patience: float) -> Exchange:
        """The same, waited for. Raises TimeoutError."""
        until = time.monotonic() + patience
        while time.monotonic() < until:
            if found := self.said(piece):
                return found
            time.sleep(0.005)
        raise TimeoutError(piece)


@contextmanager
def paced(answer: Callable[[Body], Saying], rate: float = 0.0) -> Iterator[PacedServer]:
    """On a free port of loopback, in threads of its own. rate: tokens a second, 0 for as fast as it goes."""
    state = PacedServer()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            exchange = Exchange(body, answer(body))
            state.made.append(exchange)
            with suppress(BrokenPipeError, ConnectionResetError):
                _Sending(self, exchange, 1 / rate if rate else 0.0).send()
            self.close_connection = True
            exchange.over.set()

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    state.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Sending:
    """One answer on its way."""

    def __init__(self, handler: BaseHTTPRequestHandler, exchange: Exchange, pause: float) -> None:
        self._handler, self._exchange, self._pause = handler, exchange, pause

    def send(self) -> None:
        saying = self._exchange.saying
        if saying.refusal is not None:
            self._json(400, {"error": dict(saying.refusal)})
        elif self._exchange.body.get("stream"):
            self._stream()
        else:
            self._json(200, {**_BASE, "object": "chat.completion", "choices": [self._whole()], "usage": self._usage()})

    def _stream(self) -> None:
        self._handler.send_response(200)
        self._handler.send_header("Content-Type", "text/event-stream")
        self._handler.end_headers()
        self._event({"role": "assistant", "content": ""})
        if self._hung_up(self._exchange.saying.silence):
            return
        self._exchange.first = time.time()
        for delta in self._deltas():
            self._event(delta)
            if self._hung_up(self._pause):
                return
        self._event({}, self._finish())
        self._event(None, usage=self._usage())
        self._handler.wfile.write(b"data: [DONE]\n\n")

    def _deltas(self) -> Iterator[dict[str, object]]:
        saying = self._exchange.saying
        for piece in saying.pieces:
            yield {"content": piece}
        if saying.tool:
            yield {"tool_calls": self._calls()}

    def _event(self, delta: Mapping[str, object] | None, finish: str | None = None, **more: object) -> None:
        choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": finish}]
        data = {**_BASE, "object": "chat.completion.chunk", "choices": choices, **more}
        self._handler.wfile.write(f"data: {json.dumps(data)}\n\n".encode())

    def _hung_up(self, seconds: float) -> bool:
        """Waits so long; whether the caller went meanwhile."""
        connection = self._handler.connection
        readable, _, _ = select.select([connection], [], [], seconds)
        if not readable:
            return False
        try:
            gone = not connection.recv(1, socket.MSG_PEEK)
        except ConnectionError:
            gone = True
        if gone:
            self._exchange.hung_up = time.time()
        return gone

    def _calls(self) -> list[dict[str, object]]:
        saying = self._exchange.saying
        written = {"name": saying.tool, "arguments": json.dumps(saying.arguments, ensure_ascii=False)}
        return [{"index": 0, "id": f"call_{time.time_ns()}", "type": "function", "function": written}]

    def _whole(self) -> dict[str, object]:
        message: dict[str, object] = {"role": "assistant", "content": self._exchange.text}
        if self._exchange.saying.tool:
            message["tool_calls"] = self._calls()
        return {"index": 0, "message": message, "finish_reason": self._finish()}

    def _finish(self) -> str:
        return self._exchange.saying.finish or ("tool_calls" if self._exchange.saying.tool else "stop")

    def _usage(self) -> dict[str, int]:
        read, wrote = tokens_of(self._exchange.body), 1 + len(self._exchange.saying.pieces)
        return {"prompt_tokens": read, "completion_tokens": wrote, "total_tokens": read + wrote}

    def _json(self, code: int, data: object) -> None:
        text = json.dumps(data).encode()
        self._handler.send_response(code)
        self._handler.send_header("Content-Type", "application/json")
        self._handler.send_header("Content-Length", str(len(text)))
        self._handler.end_headers()
        self._handler.wfile.write(text)


_BASE = {"id": "chatcmpl-paced", "created": 0, "model": "paced"}
TOKEN = 4
"""Characters that are reckoned for one of a prompt."""


def tokens_of(body: Body) -> int:
    """Of the whole prompt, its tools included, about."""
    known = {key: body[key] for key in ("messages", "tools") if key in body}
    return len(json.dumps(known, ensure_ascii=False)) // TOKEN


def texts(body: Body, role: str) -> list[str]:
    """What this role said, oldest first."""
    return [str(m.get("content") or "") for m in body["messages"] if m["role"] == role]


def offered(body: Body) -> list[str]:
    """Names of the tools."""
    return [tool["function"]["name"] for tool in body.get("tools") or ()]
