"""A server in a process of its own, to be killed and started again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import httpx2

from chat.faults import ChatFault
from chat.home import Address, find_server

MAIN = Path(__file__).parents[2] / "main.py"
SERVE = (sys.executable, str(MAIN), "serve", "--port", "0")


class ServerProcess:
    """`python main.py serve --port 0` over a home that outlives it."""

    def __init__(
        self,
        home: Path,
        models: Path,
        command: Sequence[str] = SERVE,
        asked: str = "/",
        given: Mapping[str, str] | None = None,
    ) -> None:
        """`asked`: the path whose answer tells that it is up. given: more of its environment."""
        self._command, self._asked = command, asked
        own = {"DUET_HOME": str(home), "DUET_MODELS": str(models), **(given or {})}
        self._home, self._env = home, {**os.environ, **own}
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, patience: float = 120.0) -> float:
        """Seconds until the page answers. Raises ChatFault when it does not come up."""
        began = time.monotonic()
        self._process = subprocess.Popen(self._command, env=self._env, stderr=subprocess.DEVNULL)
        while time.monotonic() - began < patience:
            address = self.address()
            if address and address.pid == self._process.pid and self._answers(address.url + self._asked):
                return time.monotonic() - began
            time.sleep(0.05)
        raise ChatFault("The server did not come up.")

    def kill(self) -> None:
        """As `kill -9` does."""
        if self._process:
            self._process.kill()
            self._process.wait()

    def end(self) -> None:
        """As Ctrl+C does; all is written."""
        if self._process:
            self._process.send_signal(signal.SIGINT)
            self._process.wait(timeout=60)

    @property
    def pid(self) -> int:
        """Of the process that runs now; 0 before the first."""
        return self._process.pid if self._process else 0

    def address(self) -> Address | None:
        return find_server(self._home)

    def client(self) -> httpx2.AsyncClient:
        """Of the API; to be closed by the caller."""
        address = self.address()
        if address is None:
            raise ChatFault("The server is not running.")
        headers = {"Authorization": f"Bearer {address.token}"}
        return httpx2.AsyncClient(base_url=f"{address.url}/api/duet", headers=headers, timeout=30, trust_env=False)

    @staticmethod
    def _answers(url: str) -> bool:
        try:
            return httpx2.get(url, timeout=5, trust_env=False).status_code == 200
        except httpx2.TransportError:
            return False
