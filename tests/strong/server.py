"""A strong model, recorded: an OpenAI-compatible server that says what an excellent model said to the same prompts.

An exchange is found by whose it is (fast, slow, or neither: a request without tools), by the person's words of the
turn, by the latest observation and by the names of the tools on offer. Instructions may change, and so may all that
stands in <context>; an observation may be worded a little differently, but not with other figures. What was never
recorded is answered with HTTP 500, which names the nearest recording, and is kept in `unmatched`; with a folder
`by_hand` it waits there instead until somebody writes the reply (tests/strong/play.py).
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from rapidfuzz import fuzz

RECORDINGS = Path(__file__).with_name("recordings.jsonl")
PIECE = 4
"""Characters of a streamed piece, and what counts as a token."""
TAIL = 300
"""Characters at the end of a request without tools by which it is known, and at the beginning of its last message:
instructions stand before."""
PATIENCE = 3000.0
"""Seconds that a reply may take which is written by hand."""
ALIKE = 0.85
"""How much of an observation must be as it was recorded."""
LATER = {"memory"}
"""Tools that came after most of the recordings: whether they are on offer decides nothing."""
_FIGURE = re.compile(r"\d+(?:[.,]\d+)*")
_CONTEXT = re.compile(r"\s*<context>.*?</context>", re.DOTALL)


@dataclass(frozen=True)
class Asked:
    """What of a request decides which reply it gets."""

    who: str
    """fast | slow | plain"""
    said: str
    """The last words of the person before the latest observation; of a plain request the end of its text."""
    observation: str
    tools: tuple[str, ...]

    def fits(self, other: Asked) -> float:
        """How well the recorded `self` fits what is asked, 0 where it does not: the longest words of the person that
        stand there as whole paragraphs, then the nearest observation."""
        if (self.who, self.tools) != (other.who, other.tools) or not _within(self.said, other.said):
            return 0.0
        alike = _alike(self.observation, other.observation)
        return len(self.said) + alike if alike else 0.0

    def told(self) -> str:
        """In one line, for whoever has to find out why nothing fits."""
        seen = f", having seen {self.observation[:200]!r}" if self.observation else ""
        return f"the {self.who} mind, asked {self.said[:200]!r}{seen}, with {', '.join(self.tools) or 'no tools'}"


@dataclass(frozen=True)
class Exchange:
    """One request and what was said to it."""

    asked: Asked
    content: str
    calls: tuple[Mapping[str, Any], ...] = ()
    finish: str = ""
    tokens: int = 0
    """Read, of a request that was made."""


def _within(said: str, more: str) -> bool:
    return f"\n\n{said}\n\n" in f"\n\n{more}\n\n"


def _alike(one: str, other: str) -> float:
    """From 0 to 1; the same figures in the same order are a condition."""
    if one == other:
        return 1.0
    ratio = fuzz.ratio(one, other) / 100
    return ratio if ratio >= ALIKE and _FIGURE.findall(one) == _FIGURE.findall(other) else 0.0


def asked_of(body: Mapping[str, Any]) -> Asked:
    """Reads a chat-completions request."""
    messages = [(m["role"], _text(m)) for m in body["messages"]]
    tools = tuple(sorted({tool["function"]["name"] for tool in body.get("tools") or ()} - LATER))
    if not tools:
        return Asked("plain", _ends(messages[-1][1]), "", ())
    behind = len(messages)  # the words that the program puts behind an observation belong to it
    while behind and messages[behind - 1][0] == "user":
        behind -= 1
    if not behind or messages[behind - 1][0] != "tool":
        seen, at = "", len(messages)
    else:
        first = behind
        while messages[first - 1][0] == "tool":
            first -= 1
        seen, at = "\n\n".join(text for _, text in messages[first:]), first
    said = next((text for role, text in reversed(messages[:at]) if role == "user"), "")
    return Asked("fast" if "think" in tools else "slow", said, seen, tools)


def _ends(text: str) -> str:
    """The end, behind the beginning where the text is longer: what a trial in a world has learnt stands there."""
    return text if len(text) <= TAIL else f"{text[:TAIL]} […]\n\n{text[-TAIL:]}"


def _text(message: Mapping[str, Any]) -> str:
    content = message.get("content") or ""
    if not isinstance(content, str):
        content = "".join(part.get("text", "") for part in content)
    return _CONTEXT.sub("", content).strip()


def read_recordings(path: Path = RECORDINGS) -> list[Exchange]:
    """The exchanges of a file, oldest first."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [_exchange(json.loads(line)) for line in lines if line.strip()]


def _exchange(line: Mapping[str, Any]) -> Exchange:
    asked = Asked(line["who"], line["said"], line["observation"], tuple(line["tools"]))
    reply = line["reply"]
    return Exchange(asked, reply.get("content") or "", tuple(reply.get("tool_calls", ())), reply.get("finish", ""))


def written(exchange: Exchange) -> str:
    """A line of the file."""
    asked = exchange.asked
    reply: dict[str, Any] = {"content": exchange.content, "tool_calls": list(exchange.calls)}
    if exchange.finish:
        reply["finish"] = exchange.finish
    line = {
        "who": asked.who, "said": asked.said, "observation": asked.observation, "tools": asked.tools, "reply": reply,
    }  # fmt: skip
    return json.dumps(line, ensure_ascii=False)


@dataclass
class StrongModel:
    """The server's state; a test reads `made` and `unmatched`."""

    recordings: list[Exchange]
    rate: float = 0.0
    """Tokens a second; 0 is as fast as it goes."""
    by_hand: Path | None = None
    """Where requests that were not recorded wait for a reply: NNNN.req.json, NNNN.res.json."""
    file: Path = RECORDINGS
    """Where such replies are kept."""
    url: str = ""
    made: list[Exchange] = field(default_factory=list)
    """Every exchange so far, oldest first."""
    unmatched: list[str] = field(default_factory=list)
    """A sentence for each request that nothing was recorded for."""
    going: dict[str, threading.Event] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def spec(self) -> str:
        """The model as Duet's settings name it."""
        return f"openai:by-hand@{self.url}/v1"

    @contextmanager
    def holding(self, who: str) -> Iterator[None]:
        """Requests of this mind wait meanwhile, as they do where a model is slow."""
        self.going[who] = threading.Event()
        try:
            yield
        finally:
            self.going.pop(who).set()

    def answer(self, body: Mapping[str, Any]) -> Exchange | str:
        """The exchange, or why there is none."""
        asked = asked_of(body)
        if held := self.going.get(asked.who):
            held.wait(PATIENCE)
        found = self._found(asked)
        if found is None and self.by_hand:
            found = self._written(asked, body)
        with self._lock:
            if found is None:
                self.unmatched.append(self._nearest(asked))
                return self.unmatched[-1]
            known = {key: body[key] for key in ("messages", "tools") if key in body}
            tokens = len(json.dumps(known, ensure_ascii=False)) // PIECE
            self.made.append(replace(found, tokens=tokens))
            return self.made[-1]

    def _found(self, asked: Asked) -> Exchange | None:
        fits = [(one.asked.fits(asked), one) for one in self.recordings]
        return max((pair for pair in fits if pair[0]), key=lambda pair: pair[0], default=(0.0, None))[1]

    def _nearest(self, asked: Asked) -> str:
        nearest = max(self.recordings, key=lambda one: _likeness(one.asked, asked), default=None)
        near = f" The nearest recording: {nearest.asked.told()}." if nearest else " Nothing is recorded."
        return f"Nothing is recorded for {asked.told()}.{near}"

    def _written(self, asked: Asked, body: Mapping[str, Any]) -> Exchange | None:
        """Waits for a reply by hand, and keeps it."""
        assert self.by_hand is not None
        with self._lock:
            number = 1 + len(list(self.by_hand.glob("*.req.json")))
            request = self.by_hand / f"{number:04d}.req.json"
            request.write_text(json.dumps(body, ensure_ascii=False, indent=1), encoding="utf-8")
        reply, until = self.by_hand / f"{number:04d}.res.json", time.monotonic() + PATIENCE
        while not reply.exists():
            if time.monotonic() > until:
                return None
            time.sleep(0.1)
        time.sleep(0.1)  # until it is written
        said = json.loads(reply.read_text(encoding="utf-8"))
        asked = replace(
            asked, said=asked.said.partition("\n\nRequest: ")[0]
        )  # what the fast mind made of it may differ
        calls = tuple(said.get("tool_calls") or ())
        exchange = Exchange(asked, said.get("content") or "", calls, said.get("finish", ""))
        with self._lock, self.file.open("a", encoding="utf-8") as file:
            self.recordings.append(exchange)
            file.write(written(exchange) + "\n")
        return exchange


def _likeness(one: Asked, other: Asked) -> float:
    parts = ((one.said, other.said), (one.observation, other.observation), (" ".join(one.tools), " ".join(other.tools)))
    return sum(fuzz.ratio(a, b) for a, b in parts) + 100 * (one.who == other.who)


@contextmanager
def serving(
    recordings: Sequence[Exchange] | None = None,
    *,
    rate: float = 0.0,
    by_hand: Path | None = None,
    file: Path = RECORDINGS,
) -> Iterator[StrongModel]:
    """On a free port, in threads of its own."""
    model = StrongModel(list(read_recordings(file) if recordings is None else recordings), rate, by_hand, file)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with suppress(BrokenPipeError, ConnectionResetError):  # the person stopped it
                _send(self, body, model.answer(body), model.rate)
            self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    model.url = f"http://127.0.0.1:{server.server_address[1]}"
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    try:
        yield model
    finally:
        server.shutdown()
        server.server_close()


# -- the protocol


def _send(handler: BaseHTTPRequestHandler, body: Mapping[str, Any], answer: Exchange | str, rate: float) -> None:
    if isinstance(answer, str):
        _send_json(handler, 500, {"error": {"message": answer, "code": 500}})
    elif not body.get("stream"):
        _send_json(handler, 200, _whole(answer))
    else:
        _stream(handler, answer, rate)


def _send_json(handler: BaseHTTPRequestHandler, code: int, data: object) -> None:
    text = json.dumps(data).encode()
    handler.send_response(code)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", str(len(text)))
    if code >= 500:
        handler.send_header("x-should-retry", "false")  # of the official clients
    handler.end_headers()
    handler.wfile.write(text)


def _whole(answer: Exchange) -> dict[str, Any]:
    message = {"role": "assistant", "content": answer.content or None}
    if answer.calls:
        message["tool_calls"] = _calls(answer)  # type: ignore[assignment]
    choice = {"index": 0, "message": message, "finish_reason": _finish(answer)}
    return {**_base("chat.completion"), "choices": [choice], "usage": _usage(answer)}


def _stream(handler: BaseHTTPRequestHandler, answer: Exchange, rate: float) -> None:
    """The words in pieces, each call in two, then the usage."""
    handler.send_response(200)
    handler.send_header("Content-Type", "text/event-stream")
    handler.end_headers()

    def event(delta: Mapping[str, Any] | None, finish: str | None = None, **more: object) -> None:
        choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": finish}]
        data = {**_base("chat.completion.chunk"), "choices": choices, **more}
        handler.wfile.write(f"data: {json.dumps(data)}\n\n".encode())
        handler.wfile.flush()
        if rate:
            time.sleep(1 / rate)

    event({"role": "assistant", "content": ""})
    for start in range(0, len(answer.content), PIECE):
        event({"content": answer.content[start : start + PIECE]})
    for call in _calls(answer):
        arguments = call["function"]["arguments"]
        half = len(arguments) // 2
        event({"tool_calls": [{**call, "function": {**call["function"], "arguments": arguments[:half]}}]})
        event({"tool_calls": [{"index": call["index"], "function": {"arguments": arguments[half:]}}]})
    event({}, _finish(answer))
    event(None, usage=_usage(answer))
    handler.wfile.write(b"data: [DONE]\n\n")


def _calls(answer: Exchange) -> list[dict[str, Any]]:
    """Arguments that are a text are sent as they are: a model may write what is no JSON."""

    def arguments(call: Mapping[str, Any]) -> str:
        given = call["arguments"]
        return given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)

    return [
        {
            "index": number,
            "id": f"call_{time.time_ns()}_{number}",
            "type": "function",
            "function": {"name": call["name"], "arguments": arguments(call)},
        }
        for number, call in enumerate(answer.calls)
    ]


def _finish(answer: Exchange) -> str:
    return answer.finish or ("tool_calls" if answer.calls else "stop")


def _base(kind: str) -> dict[str, Any]:
    return {"id": f"chatcmpl-{time.time_ns()}", "object": kind, "created": int(time.time()), "model": "by-hand"}


def _usage(answer: Exchange) -> dict[str, int]:
    spoken = len(answer.content) + len(json.dumps(list(answer.calls), ensure_ascii=False))
    wrote = max(1, spoken // PIECE)
    return {"prompt_tokens": answer.tokens, "completion_tokens": wrote, "total_tokens": answer.tokens + wrote}
