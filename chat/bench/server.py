"""A Duet that is really served, in a process of its own, to be killed and started again.

It may be a scripted one, for what surrounds the minds, which say the same to everybody. With accounts in the home, that
asks who is there.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path

import httpx2

from chat.access.accounts import Accounts
from chat.bench.ground import PlainModel
from chat.faults import ChatFault
from chat.home import Address, find_server
from chat.services import Swaps
from chat.settings import Settings
from minds.models.language import Said

ROOT = Path(__file__).parents[2]
MAIN = ROOT / "main.py"
PATIENCE = 300.0
"""Seconds in which a server comes up."""
SPEC = "openai:scripted@http://127.0.0.1:9"
"""Needs no weights; nobody is called there."""
DELAY = 0.01
"""Seconds before each word."""
WORDS = "This is what I would say to that, word by word, so that there is time in which something can happen."
_get = partial(httpx2.get, timeout=5, trust_env=False)


class ServerProcess:
    """A server on a free port over a home that outlives it."""

    tokens: Sequence[str] = ()
    """Of those who have accounts there."""

    def __init__(self, home: Path, models: Path, scripted: str = "", given: Mapping[str, str] | None = None) -> None:
        """scripted: the module that serves in place of `main.py serve`. given: more of its environment."""
        self._home, self._asked = home, "/api/duet/hello" if scripted else "/"
        served = ("-P", "-m", scripted, str(home)) if scripted else (str(MAIN), "serve", "--port", "0")
        self._command = (sys.executable, *served)
        own = {"DUET_HOME": str(home), "DUET_MODELS": str(models), "PYTHONPATH": str(ROOT), **(given or {})}
        self._env = {**os.environ, **own}
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> float:
        """Seconds until it answers. Raises ChatFault when it does not come up."""
        began = time.monotonic()
        self._process = subprocess.Popen(self._command, env=self._env, stderr=subprocess.DEVNULL)
        while (seconds := time.monotonic() - began) < PATIENCE:
            address = find_server(self._home)
            with suppress(httpx2.TransportError):
                if address and address.pid == self._process.pid and _get(address.url + self._asked).status_code == 200:
                    return seconds
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
    def address(self) -> Address:
        """Of the server that runs. Raises ChatFault where none does."""
        if address := find_server(self._home):
            return address
        raise ChatFault("The server is not running.")


def api(url: str, token: str, timeout: float = 30) -> httpx2.AsyncClient:
    """A client of the API, as who has this token."""
    headers = {"Authorization": f"Bearer {token}"}
    return httpx2.AsyncClient(base_url=f"{url}/api/duet", headers=headers, timeout=timeout, trust_env=False)


@contextmanager
def serving(
    settings: Settings,
    *,
    users: Sequence[str] = (),
    prepare: Callable[[Path], object] = lambda home: None,
    given: Mapping[str, str] | None = None,
) -> Iterator[ServerProcess]:
    """A server over a home that goes; for `users` that have accounts it is the scripted one. `prepare` puts into the
    home what the server finds there. Raises ChatFault."""
    with tempfile.TemporaryDirectory(prefix="duet-bench-", ignore_cleanup_errors=True) as folder:
        home = Path(folder)
        server = ServerProcess(home, settings.models_dir, __name__ if users else "", given)
        server.tokens = _accounts(home, users) if users else []
        prepare(home)
        try:
            server.start()
            yield server
        finally:
            server.kill()


def _accounts(home: Path, users: Sequence[str]) -> list[str]:
    """The token of each new account."""
    with closing(Accounts(home)) as accounts:
        for name in users:
            accounts.add(name, None)
        return [accounts.make_token(name, "bench") for name in users]


# -- the scripted one


def serve(home: Path, swaps: Swaps) -> None:
    """Serves until it is ended."""
    from chat import server

    server.serve(Settings(home=home, port=0, user="anna", fast_model=SPEC, slow_model=SPEC), swaps)


if __name__ == "__main__":
    serve(Path(sys.argv[1]), Swaps(models=lambda *_: PlainModel(lambda _: Said(WORDS), delay=DELAY)))
