"""Lends running simulators to episodes: started on first use, used again, capped, ended when idle or when we end."""

from __future__ import annotations

import atexit
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Generic, Protocol, TypeVar

from tools.worlds.world import WorldFault


class Process(Protocol):
    """What holds simulators, and takes them along when it dies."""

    @property
    def alive(self) -> bool: ...

    def end(self) -> None: ...


P = TypeVar("P", bound=Process)
S = TypeVar("S")


def _nobody() -> None: ...


class _Place(Generic[P, S]):
    """One simulator, and whose episode it holds."""

    def __init__(self, process: P, simulator: S) -> None:
        self.process, self.simulator = process, simulator
        self.holder: Callable[[], object | None] = _nobody
        self.busy = True
        self.used = time.monotonic()

    def held_by(self, holder: object) -> bool:
        return self.holder() is holder


class Pool(Generic[P, S]):
    """At most `cap` simulators in one process; whoever comes when all are held takes the one unused for longest.

    Whose simulator was taken gets another one at its next use, and puts its episode there again. Thread-safe.
    """

    def __init__(
        self, start: Callable[[], P], make: Callable[[P], S], cap: int = 8, patience: float = 120.0, idle: float = 300.0
    ) -> None:
        self._start, self._make = start, make
        self._cap, self._patience, self._idle = cap, patience, idle
        self._places: list[_Place[P, S]] = []
        self._coming = 0
        self._changed = threading.Condition()
        self._starting = threading.Lock()
        self._process: P | None = None
        self._used = time.monotonic()
        atexit.register(_close, weakref.ref(self))

    @contextmanager
    def lend(self, holder: object) -> Iterator[tuple[S, bool]]:
        """A simulator, and whether it still holds the holder's episode; it is held until somebody needs it more.

        Raises WorldFault when none comes free in time.
        """
        place, ours = self._take(holder)
        try:
            yield place.simulator, ours
        except BaseException:
            place.holder = _nobody  # what it holds now is not known
            raise
        finally:
            with self._changed:
                place.busy, place.used = False, time.monotonic()
                self._used = place.used
                self._changed.notify()

    def give_back(self, holder: object) -> None:
        """The holder needs it no more."""
        with self._changed:
            for place in self._places:
                if place.held_by(holder):
                    place.holder = _nobody
            self._changed.notify()

    def process(self) -> P | None:
        """The one that runs now, if any."""
        with self._changed:
            return self._process if self._process and self._process.alive else None

    def close(self) -> None:
        """Ends the process; safe to repeat. A later use starts a new one."""
        with self._changed:
            process, self._process, self._places = self._process, None, []
            self._changed.notify_all()
        if process:
            process.end()

    def _take(self, holder: object) -> tuple[_Place[P, S], bool]:
        until = time.monotonic() + self._patience
        with self._changed:
            while not (place := self._choose(holder)):
                if len(self._places) + self._coming < self._cap:
                    self._coming += 1
                    break
                if not self._changed.wait(until - time.monotonic()):
                    raise WorldFault(f"All {self._cap} running simulators are busy; stop an episode or try again.")
            if place:
                ours, place.busy = place.held_by(holder), True
                place.holder = weakref.ref(holder)
                return place, ours
        return self._new(holder), False

    def _choose(self, holder: object) -> _Place[P, S] | None:
        """The holder's own; one nobody holds; where no more may be made, the one unused for longest."""
        self._places = [p for p in self._places if p.process.alive]
        idle = sorted((p for p in self._places if not p.busy), key=lambda p: p.used)
        mine = [p for p in idle if p.held_by(holder)] or [p for p in idle if p.held_by(None)]
        if not mine and len(self._places) + self._coming >= self._cap:
            mine = idle
        return mine[0] if mine else None

    def _new(self, holder: object) -> _Place[P, S]:
        try:
            process = self._running()
            place = _Place(process, self._make(process))
            place.holder = weakref.ref(holder)
            with self._changed:
                self._places.append(place)
            return place
        finally:
            with self._changed:
                self._coming -= 1
                self._used = time.monotonic()
                self._changed.notify()

    def _running(self) -> P:
        with self._starting:
            if self._process is None or not self._process.alive:
                if self._process is not None:
                    self._process.end()
                self._process = self._start()
                threading.Thread(target=_keep, args=(weakref.ref(self),), daemon=True, name="worlds").start()
            return self._process

    def _tick(self) -> float:
        """Ends an idle process; seconds until it is worth looking again."""
        with self._changed:
            rest = self._idle - (time.monotonic() - self._used)
            if rest > 0 or self._coming or any(p.busy for p in self._places):
                return max(rest, 0.05)
            process, self._process, self._places = self._process, None, []
        if process:
            process.end()
        return self._idle


def _keep(pool: weakref.ref[Pool[P, S]]) -> None:
    """Ends an idle process, until none runs or the pool is gone."""
    wait = 1.0
    while True:
        time.sleep(min(wait, 5.0))
        here = pool()
        if here is None or here.process() is None:
            return
        wait = here._tick()
        del here  # or it would live as long as we wait


def _close(pool: weakref.ref[Pool[P, S]]) -> None:
    here = pool()
    if here is not None:
        here.close()
