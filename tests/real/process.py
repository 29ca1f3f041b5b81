"""Duet as people start it: processes of their own, a home of their own, the real weights."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from chat.home import Address, find_server
from minds.models.catalogue import entry

ROOT = Path(__file__).parents[2]
MAIN = str(ROOT / "main.py")
PATIENCE = 500.0
"""Seconds; a machine may be slow and busy, and no test is about time."""
MODEL = os.environ.get("DUET_TEST_MODEL") or "embedded:0.5b"
"""Of both minds. The smaller one takes half the time of what `embedded` may be."""
Events = list[dict[str, Any]]


def environment(home: Path) -> dict[str, str]:
    """Nothing configured but the home, the model and where its weights are; the test is left out without them."""
    own = Path(os.environ.get("DUET_HOME") or "~/.local/share/duet").expanduser()
    models = Path(os.environ.get("DUET_MODELS") or own / "models").expanduser()
    if not entry(MODEL.removeprefix("embedded:")).path(models).is_file():
        pytest.skip(f"the embedded model is not here: python main.py models fetch {MODEL}")
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("DUET_", "OPENAI_"))}
    minds = {"DUET_FAST_MODEL": MODEL, "DUET_SLOW_MODEL": MODEL}
    return {**clean, **minds, "DUET_HOME": str(home), "DUET_MODELS": str(models)}


def ask(home: Path, text: str, *more: str, env: Mapping[str, str] | None = None, before: Sequence[str] = ()) -> Events:
    """The events of one `ask --json`. `before`: a command that runs it (strace, unshare)."""
    command = [*before, sys.executable, MAIN, "ask", text, "--json", *more]
    done = subprocess.run(
        command, env=env or environment(home), cwd=home, capture_output=True, text=True, timeout=PATIENCE
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def final(events: Events) -> dict[str, Any]:
    """The one final reply."""
    [reply] = [e for e in events if e["event"] == "reply" and e["final"]]
    return reply


class Server:
    """`serve` in a process of its own, on a free port."""

    def __init__(self, home: Path, before: Sequence[str] = ()) -> None:
        self.home, self._own_process = home, not before
        self.log = home / "stderr.txt"
        with self.log.open("ab") as out:
            command = [*before, sys.executable, MAIN, "serve", "--port", "0"]
            self.process = subprocess.Popen(command, env=environment(home), cwd=home, stderr=out)
        self.address = self._up()
        headers = {"Authorization": f"Bearer {self.address.token}"}
        base = f"{self.address.url}/api/duet"
        self.api = httpx2.Client(base_url=base, headers=headers, timeout=60, trust_env=False)

    def _up(self) -> Address:
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            assert self.process.poll() is None, self.log.read_text()
            address = find_server(self.home)
            if address and (address.pid == self.process.pid or not self._own_process):
                try:
                    httpx2.get(f"{address.url}/api/duet/health", timeout=30, trust_env=False)
                    return address
                except httpx2.TransportError:
                    pass
            time.sleep(0.1)
        raise AssertionError("the server did not come up")

    def post(self, path: str, **body: str) -> dict[str, Any]:
        answer = self.api.post(path, json=body)
        assert answer.status_code == 200, answer.text
        return dict(answer.json())

    def events(self, session: str, after: int = 0) -> Iterator[dict[str, Any]]:
        """The log as it comes; `kind` is what `ask --json` calls `event`."""
        with self.api.stream("GET", f"/events/{session}?after={after}", timeout=PATIENCE) as answer:
            for line in answer.iter_lines():
                yield json.loads(line)

    def until(self, session: str, turn: int, *wanted: str, after: int = 0) -> Events:
        """The turn's events up to the first of a wanted kind."""
        seen: Events = []
        for event in self.events(session, after):
            if event["turn"] == turn:
                seen.append(event)
                if event["kind"] in wanted:
                    return seen
        raise AssertionError("the log ended")

    def kill(self) -> None:
        """As kill -9 does."""
        self.api.close()
        self.process.kill()
        self.process.wait()

    def end(self) -> None:
        """As Ctrl+C does."""
        self.api.close()
        if self.process.poll() is None:
            os.kill(self.address.pid, signal.SIGINT)
            try:
                self.process.wait(timeout=60)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


@contextmanager
def serving(home: Path, before: Sequence[str] = ()) -> Iterator[Server]:
    """`before`: a command that runs the server (strace)."""
    server = Server(home, before)
    try:
        yield server
    finally:
        server.end()
