"""Weights fetched in the background: progress, stopping, and what came of it. What was fetched of one is kept."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from chat.faults import sentence
from minds.models import weights
from minds.models.spec import parse

State = Literal["running", "stopped", "failed", "here"]
OFTEN = 0.4
"""Seconds between two words on the progress."""


class _Stopped(Exception):
    """The person thought better of it."""


@dataclass
class Fetch:
    """One download, as it stands."""

    spec: str
    state: State = "running"
    title: str = ""
    done: int = 0
    total: int = 0
    """Bytes; 0 while the hub is asked about the file."""
    source: str = ""
    fault: str = ""
    stopping: bool = False


class Fetching:
    """All downloads of one server. To be used on its event loop."""

    def __init__(self, models_dir: Path, arrived: Callable[[str], None] = lambda spec: None) -> None:
        """`arrived` hears the spec of weights that are here now."""
        self._models_dir, self._arrived = models_dir, arrived
        self._fetches: dict[str, Fetch] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self.changed: Callable[[], None] = lambda: None
        """Is called when there is news to show."""

    def of(self, spec: str) -> Fetch | None:
        """How the download of this spec stands; None where it was not asked for."""
        return self._fetches.get(spec)

    def all(self) -> list[Fetch]:
        return list(self._fetches.values())

    def start(self, spec: str) -> Fetch:
        """Begins, or goes on where it stopped; one that runs already goes on. Raises BadSpec."""
        name = parse(spec).name
        running = self._fetches.get(spec)
        if running and running.state == "running":
            return running
        fetch = self._fetches[spec] = Fetch(spec, title=spec)
        self._tasks[spec] = asyncio.get_running_loop().create_task(self._run(fetch, name))
        self.changed()
        return fetch

    async def ended(self, spec: str) -> bool:
        """Waits for a download; whether the weights are here then."""
        if task := self._tasks.get(spec):
            await asyncio.wait([task])
        return self._fetches[spec].state == "here"

    def drop(self, spec: str) -> None:
        """What failed is no longer spoken of."""
        if spec in self._fetches and self._fetches[spec].state != "running":
            del self._fetches[spec]

    def stop(self, spec: str) -> None:
        """What came is kept for another time."""
        if fetch := self._fetches.get(spec):
            fetch.stopping = True

    async def close(self) -> None:
        """Ends all of them."""
        for fetch in self._fetches.values():
            fetch.stopping = True
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    async def _run(self, fetch: Fetch, name: str) -> None:
        loop = asyncio.get_running_loop()
        try:
            await asyncio.to_thread(self._get, fetch, name, lambda: loop.call_soon_threadsafe(self.changed))
            fetch.state = "here"
            self._arrived(fetch.spec)
        except _Stopped:
            fetch.state = "stopped"
        except Exception as error:
            fetch.state, fetch.fault = "failed", sentence(error)
        self.changed()

    def _get(self, fetch: Fetch, name: str, tell: Callable[[], object]) -> None:
        """In a thread of its own; of the progress it tells now and then."""
        last = 0.0

        def came(done: int, total: int, source: str) -> None:
            nonlocal last
            if fetch.stopping:
                raise _Stopped
            fetch.done, fetch.total, fetch.source = done, total, source
            if (now := time.monotonic()) - last > OFTEN:
                last = now
                tell()

        found = weights.wanted(name, self._models_dir)
        fetch.title, fetch.total = found.title, found.size
        weights.fetch(found, self._models_dir, came)
