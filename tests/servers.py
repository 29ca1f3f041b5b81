"""Servers of models on loopback, as Ollama, LM Studio, llama-server, vLLM and a provider with keys answer."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

LISTS: Mapping[str, Mapping[str, Any]] = {
    "Ollama": {"object": "list", "data": [{"id": "qwen3:4b", "object": "model", "owned_by": "library"}]},
    "LM Studio": {
        "object": "list",
        "data": [{"id": "qwen/qwen3-4b", "object": "model", "owned_by": "organization_owner"}],
    },
    "llama-server": {
        "models": [{"name": "gemma.gguf"}],
        "data": [{"id": "gemma.gguf", "owned_by": "llamacpp", "meta": {"n_ctx_train": 131072, "n_ctx": 8192}}],
    },
    "vLLM": {"object": "list", "data": [{"id": "Qwen/Qwen3-8B", "owned_by": "vllm", "max_model_len": 40960}]},
    "provider": {"data": [{"id": "grand-1"}, {"id": "grand-1-mini", "context_window": 128_000}]},
}


@dataclass
class Fake:
    """One of them. What it was asked is kept, and how."""

    kind: str
    key: str = ""
    """The one that it takes; "" for everybody."""
    port: int = 0
    asked: list[str] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    tools: bool = True
    reads: str = ""
    """What it sees in any picture; "" for a server that takes none."""
    status: int = 200
    body: bytes = b""
    """In the place of its list."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"


@contextmanager
def running(kind: str, key: str = "") -> Iterator[Fake]:
    state = Fake(kind, key)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._note({})
            if self.path == "/api/ps" and kind == "Ollama":
                return self._json(200, {"models": [{"name": "qwen3:4b", "context_length": 4096}]})
            if self.path != "/v1/models":
                return self._json(404, {"error": "no"})
            if not self._known():
                return self._json(401, {"error": {"message": f"wrong key {self.headers.get('Authorization')}"}})
            return self._send(state.status, state.body or json.dumps(LISTS[kind]).encode())

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            self._note(body)
            if not self._known():
                return self._json(401, {"error": {"message": "wrong key"}})
            if body.get("tools") and not state.tools:
                return self._json(400, {"error": {"message": f"{body['model']} does not support tools"}})
            if "image_url" in json.dumps(body) and not state.reads:
                return self._json(400, {"error": {"message": f"{body['model']} takes no pictures"}})
            return self._stream(body)

        def _note(self, body: dict[str, Any]) -> None:
            state.asked.append(f"{self.command} {self.path}")
            state.headers.append(dict(self.headers))
            state.bodies.append(body)

        def _known(self) -> bool:
            return not state.key or self.headers.get("Authorization") == f"Bearer {state.key}"

        def _stream(self, body: dict[str, Any]) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            for delta, finish in self._deltas(body):
                choice = {"index": 0, "delta": delta, "finish_reason": finish}
                self._event({"choices": [choice]})
            self._event({"choices": [], "usage": {"prompt_tokens": 40, "completion_tokens": 20, "total_tokens": 60}})
            self.wfile.write(b"data: [DONE]\n\n")

        def _deltas(self, body: dict[str, Any]) -> list[tuple[dict[str, Any], str | None]]:
            if any(tool["function"]["name"] == "add" for tool in body.get("tools", ())):
                function = {"name": "add", "arguments": '{"one": 17, "other": 25}'}
                return [({"tool_calls": [{"index": 0, "id": "1", "type": "function", "function": function}]}, None),
                        ({}, "tool_calls")]  # fmt: skip
            if "image_url" in json.dumps(body):
                return [({"content": f"It is {state.reads}."}, None), ({}, "stop")]
            return [({"content": f"{body['model']} "}, None), ({"content": "answers."}, None), ({}, "stop")]

        def _event(self, data: dict[str, Any]) -> None:
            whole = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "m", **data}
            self.wfile.write(f"data: {json.dumps(whole)}\n\n".encode())

        def _json(self, status: int, data: object) -> None:
            self._send(status, json.dumps(data).encode())

        def _send(self, status: int, data: bytes) -> None:
            self.send_response(status)
            if 300 <= status < 400:
                self.send_header("Location", "http://127.0.0.1:9/v1/models")
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    state.port = server.server_port
    yield state
    server.shutdown()
    server.server_close()
    thread.join()
