"""Processes of the owner and the server know each other, and who takes the port of a dead server learns nothing."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx2
import pytest

from chat import home
from chat.home import Address, find_server, proof_of, same, signature
from chat.line import _reach
from tests.security.ground import KEY, Served

ROOT = Path(__file__).parents[2]
MAIN = [sys.executable, str(ROOT / "main.py")]
PATIENCE = 300.0
"""Seconds; the machine may be busy, and this is not about time."""
Answer = Callable[[str], str]


@contextmanager
def impostor(answer: Answer, port: int = 0) -> Iterator[tuple[int, list[str]]]:
    """Somebody else's server on the port: what it heard, heads and bodies."""
    heard: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            heard.append(f"{self.requestline}\n{self.headers}")
            body = answer(self.path).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_GET

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server.server_port, heard
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.mark.parametrize(
    "answer",
    [lambda path: "[]", lambda path: "{}", lambda path: "", lambda path: "null", lambda path: '{"proof": ""}',
     lambda path: '{"proof": null}', lambda path: json.dumps({"proof": path}),
     lambda path: '{"proof": "' + "0" * 64 + '"}',
     lambda path: json.dumps({"proof": path.partition("nonce=")[2]}),
     lambda path: json.dumps({"proof": proof_of("another key", "server\n" + path.partition("nonce=")[2])})],
    ids=range(10),
)  # fmt: skip
async def test_who_took_the_port_is_told_nothing(answer: Answer) -> None:
    with impostor(answer) as (port, heard):
        assert await _reach(Address(f"http://127.0.0.1:{port}", KEY, os.getpid())) is None
    assert len(heard) == 1 and KEY not in heard[0] and "authorization" not in heard[0].lower()


async def test_sending_the_key_itself_would_give_it_away() -> None:
    with impostor(lambda path: "[]") as (port, heard):
        headers = {"Authorization": f"Bearer {KEY}"}
        httpx2.get(f"http://127.0.0.1:{port}/api/duet/health", headers=headers, trust_env=False)
    assert KEY in heard[0]


async def test_the_server_itself_is_known_and_spoken_to(here: Served) -> None:
    client = await _reach(Address(here.base, KEY, os.getpid()))
    assert client is not None
    assert (await client.get("/health")).status_code == 200
    opened = (await client.post("/sessions", json={"user": "ada"})).json()["session"]
    assert (await client.post(f"/{opened}/stop?x=ü")).status_code == 200
    await client.aclose()


@pytest.mark.parametrize(
    "headers",
    [{}, {"x": "y"}, {"method": "POST"}, {"target": "/api/duet/turns"}, {"at": -100}, {"at": 100}, {"key": "another"}],
    ids=str,
)  # fmt: skip
def test_a_signature_holds_for_its_request_and_its_minute(here: Served, headers: dict[str, object]) -> None:
    at = str(int(time.time()) + int(str(headers.get("at", 0))))
    key, method = str(headers.get("key", KEY)), str(headers.get("method", "GET"))
    proof = signature(key, at, method, str(headers.get("target", "/api/duet/health")))
    answer = here.client.get("/api/duet/health", headers={"authorization": f"Duet {at}:{proof}"})
    assert answer.status_code == (200 if headers in ({}, {"x": "y"}) else 401)


def test_without_the_window_an_old_signature_is_taken(here: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(home, "WINDOW", 1e9)
    at = str(int(time.time()) - 1000)
    proof = signature(KEY, at, "GET", "/api/duet/health")
    assert here.client.get("/api/duet/health", headers={"authorization": f"Duet {at}:{proof}"}).status_code == 200


def test_nothing_is_like_nothing() -> None:
    assert not same("", "") and not same("é", "e") and same("x", "x")


def test_the_address_of_a_dead_process_is_none(tmp_path: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    address = {"url": "http://127.0.0.1:1", "token": KEY, "pid": ended.pid}
    (tmp_path / "server.json").write_text(json.dumps(address))
    assert find_server(tmp_path) is None
    (tmp_path / "server.json").write_text(json.dumps(address | {"pid": os.getpid()}))
    assert find_server(tmp_path) is not None


@pytest.mark.real
def test_a_server_that_was_killed_leaves_a_key_that_opens_nothing(tmp_path: Path) -> None:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("DUET_", "OPENAI_"))}
    own = {**clean, "DUET_HOME": str(tmp_path / "home")}
    models = ["--fast-model", "gguf:none.gguf", "--slow-model", "gguf:none.gguf"]
    serve = [*MAIN, "serve", "--port", "0", "--token", *models]
    with subprocess.Popen(serve, env=own, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as server:
        try:
            assert server.stderr
            url, token = re.findall(r"(http://127\.0\.0\.1:\d+)/\?token=(\S+)", server.stderr.readline())[0]
            assert answered(url) == 401
            assert answered(f"{url}/?token={token}") == 303
            announced = find_server(tmp_path / "home")
            assert announced and announced.token not in token
        finally:
            server.kill()
    assert (tmp_path / "home" / "server.json").exists() and find_server(tmp_path / "home") is None
    with impostor(lambda path: "[]", int(url.rpartition(":")[2])) as (_, heard):
        ask = [*MAIN, "ask", "my secret question", "--session", "nope"]
        said = subprocess.run(ask, env=own, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE)
    assert heard == [] and "no conversation" in said.stderr


def answered(url: str) -> int:
    """The status, once the server is up."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            return httpx2.get(url, trust_env=False, timeout=PATIENCE).status_code
        except httpx2.TransportError:
            assert time.monotonic() < until
            time.sleep(0.1)
