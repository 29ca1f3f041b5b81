"""A real Chromium and servers for it. Each page a test opens is watched: nothing but loopback, no foreign script."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Dialog, Page, sync_playwright

ROOT = Path(__file__).parents[2]
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip
Open = Callable[..., Page]


def chromium() -> str:
    """The browser's path; the test is left out where there is none."""
    for name in (os.environ.get("DUET_CHROMIUM") or "chromium", "chromium", "chromium-browser", "google-chrome"):
        if path := shutil.which(name):
            return path
    pytest.skip("no Chromium here: install Debian's package `chromium` to run the browser tests")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = chromium()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Open]:
    """Opens pages like `open_page(url, width=375)`; at the end of the test says what they must not have done."""
    contexts: list[BrowserContext] = []
    seen: list[str] = []
    faults: list[str] = []

    def refuse(dialog: Dialog) -> None:
        faults.append(f"a dialog says {dialog.message}")
        dialog.dismiss()

    def open_one(url: str, *, width: int = 1280, height: int = 800, **options: Any) -> Page:
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(30_000)
        page.on("request", lambda request: seen.append(request.url))
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("dialog", refuse)
        page.goto(url)
        page.wait_for_selector("body.ready")
        return page

    yield open_one
    for context in contexts:
        context.close()
    hosts = {urlsplit(url).hostname for url in seen if url.startswith(("http", "ws"))}
    assert hosts == {"127.0.0.1"}
    assert faults == []


class Server:
    """A server process on a free port of loopback, which can be killed and started again."""

    def __init__(self, command: Callable[[int], list[str]], env: dict[str, str]) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
        self._command, self._env = command(port), {**os.environ, **env}
        self.url = f"http://127.0.0.1:{port}/"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self._process = subprocess.Popen(self._command, cwd=ROOT, env=self._env)
        for _ in range(600):
            assert self._process.poll() is None, "the server ended"
            try:
                urllib.request.urlopen(self.url, timeout=5).close()
                return
            except (urllib.error.URLError, OSError):
                time.sleep(0.2)
        raise AssertionError("the server did not answer")

    @contextmanager
    def silent(self) -> Iterator[None]:
        """Within it, its lines stay open and nothing comes."""
        assert self._process
        self._process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self._process.send_signal(signal.SIGCONT)

    def end(self, *, kill: bool = False) -> None:
        if self._process and self._process.poll() is None:
            self._process.kill() if kill else self._process.terminate()
            self._process.wait(30)


def scripted(home: str, pace: float) -> Server:
    """The page before minds that follow a script; `pace`: seconds between two steps."""
    return Server(lambda port: [sys.executable, "-m", "tests.chat.ui.fake", str(port), home, str(pace)], {})


@pytest.fixture(scope="module")
def fake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """With a step every half second."""
    yield from running(scripted(str(tmp_path_factory.mktemp("home")), 0.5))


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Ten times as fast."""
    yield from running(scripted(str(tmp_path_factory.mktemp("home")), 0.05))


def running(server: Server) -> Iterator[Server]:
    """The server while a test needs it."""
    try:
        server.start()
        yield server
    finally:
        server.end()


def shot(page: Page, name: str) -> None:
    """Where DUET_SHOTS names a folder, how it looks."""
    if folder := os.environ.get("DUET_SHOTS"):
        page.wait_for_timeout(400)
        page.screenshot(path=str(Path(folder) / f"{name}.png"))
