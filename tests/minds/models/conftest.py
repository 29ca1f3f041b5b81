"""A server that speaks just enough of the OpenAI protocol to break it in every way, and a tiny transformers model."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

Answer = Callable[["Call"], None]


@dataclass
class Call:
    """One request, and what a test may do with it."""

    handler: BaseHTTPRequestHandler
    body: dict[str, Any]
    closed: threading.Event

    def status(self, code: int, message: str = "no", headers: dict[str, str] | None = None) -> None:
        self.raw(code, json.dumps({"error": {"message": message, "code": code}}), headers or {})

    def raw(self, code: int, text: str, headers: dict[str, str] | None = None) -> None:
        self.handler.send_response(code)
        for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
            self.handler.send_header(name, value)
        self.handler.send_header("Content-Length", str(len(text.encode())))
        self.handler.end_headers()
        self.handler.wfile.write(text.encode())

    def begin(self) -> None:
        self.handler.send_response(200)
        self.handler.send_header("Content-Type", "text/event-stream")
        self.handler.end_headers()

    def piece(self, delta: dict[str, Any], finish: str | None = None, **more: Any) -> None:
        choice = {"index": 0, "delta": delta, "finish_reason": finish, **more}
        self.event({"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "m", "choices": [choice]})

    def event(self, data: dict[str, Any]) -> None:
        self.handler.wfile.write(f"data: {json.dumps(data)}\n\n".encode())
        self.handler.wfile.flush()

    def end(self, finish: str = "stop") -> None:
        self.piece({}, finish)
        usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
        usage |= {"prompt_tokens_details": {"cached_tokens": 5}}  # type: ignore[dict-item]
        self.event(
            {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "m", "choices": [], "usage": usage}
        )
        self.handler.wfile.write(b"data: [DONE]\n\n")

    def say(self, *pieces: str, finish: str = "stop") -> None:
        self.begin()
        for piece in pieces:
            self.piece({"content": piece})
        self.end(finish)

    def wait_until_closed(self) -> None:
        """Returns when the client has hung up."""
        connection: socket.socket = self.handler.connection
        connection.settimeout(0.05)
        for _ in range(400):
            try:
                if connection.recv(1) == b"":
                    self.closed.set()
                    return
            except TimeoutError:
                time.sleep(0.01)
            except OSError:
                self.closed.set()
                return


@dataclass
class FakeServer:
    """`answers` are used in order, the last one again and again."""

    url: str = ""
    answers: list[Answer] = field(default_factory=list)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    closed: threading.Event = field(default_factory=threading.Event)

    def then(self, *answers: Answer) -> None:
        self.answers.extend(answers)

    def next(self) -> Answer:
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


@contextmanager
def serving() -> Iterator[FakeServer]:
    state = FakeServer()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            state.bodies.append(body)
            state.keys.append(self.headers.get("Authorization", ""))
            state.headers.append(dict(self.headers))
            try:
                state.next()(Call(self, body, state.closed))
            except (BrokenPipeError, ConnectionResetError):
                state.closed.set()
            self.close_connection = True

        def do_GET(self) -> None:
            state.headers.append(dict(self.headers))
            self.send_error(404)

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    state.url = f"http://127.0.0.1:{server.server_port}/v1"
    yield state
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def fake() -> Iterator[FakeServer]:
    with serving() as state:
        yield state


@pytest.fixture
def other() -> Iterator[FakeServer]:
    """A second server: the same machine, another port, so another address."""
    with serving() as state:
        yield state


TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def make_tiny(folder: Path) -> Path:
    """A chat model that runs: two layers, random weights, a tokenizer trained on a few lines."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM

    raw = Tokenizer(models.BPE())
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    raw.decoder = decoders.ByteLevel()
    special = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=400, special_tokens=special, initial_alphabet=alphabet, show_progress=False
    )
    raw.train_from_iterator(["The capital of France is Paris.", "True False Invoke Response hello world"] * 5, trainer)
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=raw, eos_token="<|im_end|>", pad_token="<|endoftext|>")
    tokenizer.chat_template = TEMPLATE
    torch.manual_seed(0)
    config = Qwen2Config(
        vocab_size=len(tokenizer),
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=512,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    Qwen2ForCausalLM(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tiny(tmp_path_factory.mktemp("tiny"))
