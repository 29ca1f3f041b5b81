"""No file of the machine leaves it through the page, whatever is sent to the page, and nothing is fetched for it.

The page is really served, on loopback, and tests/chat/ui/attacker.py finds its events and routes by itself. Each
defence is taken away once, and the attack must then succeed: so the test is able to fail.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

import httpx2
import pytest
import safehttpx  # type: ignore[import-untyped]
import uvicorn
from fastapi import FastAPI

from chat.server import listen
from chat.ui import guard, page
from chat.ui.page import mount
from tests.chat.ui.attacker import Attacker
from tests.chat.ui.fake import FakeDuet, fake_duet

if TYPE_CHECKING:
    import gradio as gr
    from starlette.types import ASGIApp, Receive, Scope, Send

    from chat.app import Duet
    from chat.ui.actions import Actions

build_page = page.build_page
OUTSIDE, WORKING, TEMPORARY = b"the secret outside", b"the secret in the working folder", b"the temporary secret"
Serve = Callable[[], tuple[Attacker, FakeDuet]]


@dataclass(frozen=True)
class Ground:
    """A machine in a folder: Gradio itself would serve what lies in its working and temporary folders."""

    root: Path
    asked: list[str]
    """What the listener, which stands for any other machine, was asked for."""
    paths: list[str]


@pytest.fixture
def ground(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Ground]:
    root = tmp_path.resolve()
    for name, secret in (("", OUTSIDE), ("work", WORKING), ("tmp", TEMPORARY), ("uploads", b"")):
        (root / name).mkdir(exist_ok=True)
        (root / name / "secret.md").write_bytes(secret)
    (root / "work" / "link.md").symlink_to(root / "secret.md")
    monkeypatch.chdir(root / "work")
    monkeypatch.setattr(tempfile, "tempdir", str(root / "tmp"))
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(root / "uploads"))
    # Else Gradio asks Google's DNS where loopback is, and then refuses it: the listener would prove nothing.
    monkeypatch.setattr(safehttpx, "is_public_ip", lambda ip: True)
    # Gradio prints the whole way to every event that fails: some hundred times.
    monkeypatch.setattr(traceback, "print_exc", lambda *_: None)
    asked: list[str] = []
    with listening(asked) as address:
        up = os.path.relpath(root, root / "work")
        paths = [
            f"{root}/secret.md", f"{root}/work/secret.md", f"{root}/tmp/secret.md", "secret.md", f"{up}/secret.md",
            f"{root}/work/link.md", f"{root}/uploads/../secret.md", f"{root}/uploads/x/../../tmp/secret.md",
            f"file://{root}/secret.md", f"//{root}/secret.md", f"{address}/secret.md",
        ]  # fmt: skip
        yield Ground(root, asked, paths)


@contextmanager
def listening(asked: list[str]) -> Iterator[str]:
    """A web server that writes down what it is asked for."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"from elsewhere")

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture
def serve(ground: Ground) -> Iterator[Serve]:
    """Serves the page as it is when called: what a test took away from it before is missing."""
    running: list[tuple[uvicorn.Server, threading.Thread, httpx2.Client]] = []

    def start() -> tuple[Attacker, FakeDuet]:
        duet = fake_duet(ground.root)

        async def mounted() -> FastAPI:
            return mount(FastAPI(openapi_url=None), duet)  # type: ignore[arg-type]

        app = asyncio.run(mounted())
        listener = listen("127.0.0.1", 0)
        server = uvicorn.Server(uvicorn.Config(app, log_config=None, timeout_graceful_shutdown=1))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        base = f"http://127.0.0.1:{listener.getsockname()[1]}"
        # A connection for each request: after an event that fails, Gradio's server drops the one it came by.
        client = httpx2.Client(base_url=base, timeout=60, trust_env=False, headers={"Connection": "close"})
        running.append((server, thread, client))
        return Attacker(client, app, ground.paths), duet

    yield start
    for server, thread, client in running:
        client.close()
        server.should_exit = True
        thread.join()


def leaks(attacker: Attacker) -> list[str]:
    return [where for secret in (OUTSIDE, WORKING, TEMPORARY) for where in attacker.found(secret)]


def cached(ground: Ground) -> list[Path]:
    """Copies of a secret among what Gradio may serve."""
    files = [path for path in (ground.root / "uploads").rglob("*") if path.is_file()]
    return [path for path in files if b"secret" in path.read_bytes()]


def outside(ground: Ground) -> set[Path]:
    """The machine's files but for what was uploaded and Duet's own."""
    uploads = ground.root / "uploads"
    return {p for p in ground.root.rglob("*") if not p.is_relative_to(uploads) and not p.name.startswith("duet.sqlite")}


class Unguarded:
    """In place of the guard: lets everything through."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, send)


def unlaunched(duet: Duet, actions: Actions) -> gr.Blocks:
    """The page as Gradio leaves it."""
    blocks = build_page(duet, actions)
    blocks.has_launched = False
    return blocks


@pytest.mark.slow
@pytest.mark.parametrize("launched", [True, False])
def test_no_file_leaves_and_nothing_is_fetched(
    serve: Serve, ground: Ground, monkeypatch: pytest.MonkeyPatch, launched: bool
) -> None:
    if not launched:  # the guard holds by itself
        monkeypatch.setattr(page, "build_page", unlaunched)
    before = outside(ground)
    attacker, duet = serve()
    attacker.try_everything()
    assert len(attacker.events()) >= 4 and len(list(attacker.routes())) >= 60
    assert leaks(attacker) == [] and cached(ground) == [] and ground.asked == []
    assert outside(ground) == before
    assert [d for s in duet.transcript.sessions("ada") for d in duet.transcript.documents(s.id)] == []


@pytest.mark.real
def test_without_the_guard_a_launched_page_keeps_its_files_and_still_fetches(
    serve: Serve, ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page, "Guard", Unguarded)
    attacker, _ = serve()
    attacker.paths = [*ground.paths[:3], ground.paths[-1]]  # all of them take long where nothing is refused
    attacker.try_everything()
    assert leaks(attacker) == [] and cached(ground) == []
    assert ground.asked != []


@pytest.mark.real
def test_without_any_defence_the_attack_succeeds(serve: Serve, ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "Guard", Unguarded)
    monkeypatch.setattr(page, "build_page", unlaunched)
    attacker, _ = serve()
    attacker.paths = [*ground.paths[:3], ground.paths[-1]]  # all of them take long where nothing is refused
    attacker.try_events()  # one way in is enough
    for secret in (OUTSIDE, WORKING, TEMPORARY):
        assert any("/conversations/" in way for way in attacker.found(secret)), attacker.found(secret)
    assert cached(ground) != []
    assert ground.asked != []


# -- what must go on working


def test_what_was_uploaded_becomes_a_document_and_leaves_no_file(serve: Serve, ground: Ground) -> None:
    attacker, duet = serve()
    sent = attacker.client.post("/gradio_api/upload", files={"files": ("notes.md", b"28 days", "text/markdown")})
    [path] = sent.json()
    [event] = [event for event in attacker.events() if event["api_name"] == "add"]
    file = {"path": path, "orig_name": "notes.md", "size": 7, "meta": {"_type": "gradio.FileData"}}
    body = {"data": [[file], ""], "fn_index": event["id"], "session_hash": "mine"}
    assert attacker.client.post("/gradio_api/queue/join", json=body).status_code == 200
    attacker.listen(event, "mine")
    [session] = duet.transcript.sessions("ada")
    assert [d.name for d in duet.transcript.documents(session.id)] == ["notes.md"]
    assert session.id.encode() in attacker.heard["queue/data after add"]
    assert [
        p for p in ground.root.rglob("*") if p.is_file() and p.suffix == ".md" and b"28 days" in p.read_bytes()
    ] == []


@pytest.mark.parametrize(
    "body",
    ["", "no JSON", '{"data": [{"path": "/etc/passwd"}]}', '{"path": 1}', '{"path": "a\\u0000b"}', "[" * 100_000,
     '{"data": [{"path": "UPLOADS/a.md", "more": [{"path": "/etc/passwd"}]}]}', '{"path": "UPLOADS/../a.md"}'],
)  # fmt: skip
def test_an_event_may_name_uploads_only(ground: Ground, body: str) -> None:
    uploads = str(ground.root / "uploads")
    assert not guard.harmless(body.replace("UPLOADS", uploads).encode())
    assert guard.harmless(b'{"data": ["path", null, {"id": 1}]}')
    assert guard.harmless(f'{{"data": [{{"path": "{uploads}/a/notes.md"}}]}}'.encode())
