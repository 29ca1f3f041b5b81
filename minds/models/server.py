"""LlamaServer: the app's side of the embedded model's server process; one for each weights file, shared."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import secrets
import select
import subprocess
import sys
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO
from weakref import WeakKeyDictionary

from minds.models.adapted import adapters_of
from minds.models.lanes import Lanes
from minds.models.language import Missing, Unreachable
from minds.models.spec import ModelSettings

log = logging.getLogger(__name__)

SLOTS = 2
"""One for each mind: neither pushes the other's prefix out of the cache. The adapters have one more."""
BATCH = 32
"""Prompt tokens a step. The fast mind's first token waits for the step under way: at 512 that was 20 x idle."""
CACHE_MIB = 256
"""Prompts of other conversations kept in RAM, so that switching back is quick; bounded."""


@dataclass(frozen=True)
class Address:
    """Where a running server listens. A restarted server has another one."""

    url: str
    key: str


class LlamaServer:
    """Starts the process on first use and again when it died. All methods may be called from any thread."""

    def __init__(self, weights: Path, settings: ModelSettings) -> None:
        self.weights, self.adapters = weights, adapters_of(weights)
        self._settings = settings
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._starting: subprocess.Popen[bytes] | None = None
        self._address: Address | None = None
        self.leases = 0
        self.over = False
        """Nobody holds it any more: who is asking still must not start what nobody would stop."""
        self.lanes: WeakKeyDictionary[asyncio.AbstractEventLoop, Lanes] = WeakKeyDictionary()
        """Of each event loop, for asyncio's locks belong to one."""

    @property
    def prefixes(self) -> Path:
        """Where the state of constant prompts is kept between starts (minds/models/prefix.py)."""
        return self.weights.parent / "prefixes"

    @property
    def context(self) -> int:
        """Tokens of one slot."""
        return self._settings.context

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process else None

    def running(self) -> Address | None:
        """The address, when the process lives; never waits."""
        process, address = self._process, self._address
        return address if process and process.poll() is None else None

    def ensure(self) -> Address:
        """The address of a server that has loaded its weights. Seconds on first use. Raises Missing, Unreachable."""
        with self._lock:
            if self.over:
                raise Unreachable("The embedded model was let go of; the next message starts it again.")
            return self.running() or self._start()

    def died(self, within: float = 1.0) -> bool:
        """Whether the process has ended, or does so soon (its connections break a moment before it is gone)."""
        deadline = time.monotonic() + within
        while self.running():
            if time.monotonic() > deadline:
                return False
            time.sleep(0.02)
        return True

    def stop(self) -> None:
        """At once, even while it loads: who waits for that gets Unreachable."""
        starting, self._starting = self._starting, None
        if starting:
            starting.kill()
        with self._lock:
            process, self._process, self._address = self._process, None, None
        if process:
            _end(process)

    def _start(self) -> Address:
        if self._process:
            log.warning("The embedded model's server had ended (code %s); starting it again.", self._process.poll())
            _end(self._process)
        key = secrets.token_urlsafe(32)
        with suppress(OSError):  # a shared, read-only folder: prompts are then read anew at each start
            self.prefixes.mkdir(mode=0o700, parents=True, exist_ok=True)
        with self._log() as out:
            process = subprocess.Popen(
                [sys.executable, "-P", str(Path(__file__).with_name("llama_server.py"))],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=out,
                env={**os.environ, "OMP_WAIT_POLICY": "passive"},
                start_new_session=True,  # Ctrl-C is for the app, which then ends the server in order
            )
        self._starting = process
        try:
            told = self._ask(process, key)
        except BaseException:
            _end(process)
            raise
        finally:
            self._starting = None
        address = Address(told["url"], key)
        self._process, self._address = process, address
        return address

    def _ask(self, process: subprocess.Popen[bytes], key: str) -> dict[str, str]:
        """The key goes through the pipe: the command line and the environment can be read by others."""
        asked = {
            "weights": str(self.weights),
            "adapters": [str(path) for path in self.adapters.values()],
            "key": key,
            "slots": SLOTS + bool(self.adapters),
            "context": self._settings.context,
            "batch": BATCH,
            "cache_mib": CACHE_MIB,
            "prefixes": f"{self.prefixes}/" if self.prefixes.is_dir() else "",
            "threads": _threads(),
        }
        assert process.stdin and process.stdout
        process.stdin.write(json.dumps(asked).encode() + b"\n")
        process.stdin.flush()
        ready, _, _ = select.select([process.stdout], [], [], self._settings.start)
        if not ready:
            raise Unreachable(
                f"The embedded model did not load within {self._settings.start:g} seconds; "
                "close other programs, or set DUET_FAST_MODEL and DUET_SLOW_MODEL to another model."
            )
        told: dict[str, str] = json.loads(process.stdout.readline() or b"{}")
        if not told and self._starting is not process:
            raise Unreachable("The embedded model was ended while it loaded; the next message starts it again.")
        if "url" not in told:
            raise self._failure(told.get("error", f"its process ended with code {process.wait(5)}"))
        return told

    def _failure(self, why: str) -> Missing:
        log.error("%s: the server did not start: %s", self.weights, why)
        if "xllamacpp" in why and ("ImportError" in why or "ModuleNotFoundError" in why):
            mend = "`rm -f .venv/.installed; make setup`"
            return Missing(f"The embedded model's runtime is not installed: run {mend}.")
        return Missing(
            f"The weights {self.weights.name} could not be loaded ({why}); free some memory, or set "
            "DUET_FAST_MODEL and DUET_SLOW_MODEL to embedded:0.5b or another model."
        )

    def _log(self) -> IO[bytes]:
        if self._settings.log_dir is None:
            return Path(os.devnull).open("wb")
        self._settings.log_dir.mkdir(parents=True, exist_ok=True)
        path = self._settings.log_dir / f"{self.weights.stem}.log"
        if path.exists():
            path.replace(path.with_suffix(".log.1"))
        return path.open("wb")


_servers: dict[Path, LlamaServer] = {}
_guard = threading.Lock()


def lease(weights: Path, settings: ModelSettings) -> LlamaServer:
    """The process's one server for these weights; give it back with `release`."""
    key = weights.resolve()
    with _guard:
        server = _servers[key] = _servers.get(key) or LlamaServer(key, settings)
        server.leases += 1
        return server


def release(server: LlamaServer) -> None:
    """Stops the server when nobody else holds it."""
    with _guard:
        server.leases -= 1
        if server.leases:
            return
        del _servers[server.weights]
    server.over = True
    server.stop()


def server_pids() -> list[int]:
    """The processes of all models that are loaded."""
    with _guard:
        return [server.pid for server in _servers.values() if server.pid and server.running()]


def _end(process: subprocess.Popen[bytes]) -> None:
    try:
        process.communicate(timeout=2)  # closes its stdin: it ends then
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()


def _threads() -> int:
    """0 leaves the choice to llama.cpp (the physical cores), unless this process may not use all of them."""
    return usable if (usable := cores()) < (os.cpu_count() or 1) else 0


def cores() -> int:
    """Those that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
