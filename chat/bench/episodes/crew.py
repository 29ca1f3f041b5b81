"""Who plays the episodes: this process, or several. Each engine takes cases and gives outcomes as they come.

A cluster engine (Ray) goes here: one more class with `outcomes` and a line in `engine`. Its actors are `Player`s, made
from a `Setup` that can be sent anywhere; all that an episode gives comes back with its `Outcome`, and only the process
that was started by the person writes files.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Protocol

from chat.bench.episodes.play import Outcome, Player, Setup
from chat.bench.episodes.protocols import Case

LENT = 120
"""Episodes after which a process is replaced: the official ALFWorld engine leaks a few MB in each."""
GONE = "The process that played it ended."


class Engine(Protocol):
    """Plays cases, each once, in any order."""

    def outcomes(self, cases: Sequence[Case]) -> Iterator[Outcome]: ...


def engine(setup: Setup, jobs: int) -> Engine:
    """So many processes, each with a simulator of its own (and Java); 0 plays in this one."""
    return Processes(setup, jobs) if jobs else Here(setup)


class Here:
    """This process plays."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup

    def outcomes(self, cases: Sequence[Case]) -> Iterator[Outcome]:
        player = Player(self._setup)
        try:
            for case in cases:
                yield player.play(case)
        finally:
            player.close()


class Processes:
    """Processes of this machine play; one that dies costs the episode it was at, and is replaced."""

    def __init__(self, setup: Setup, jobs: int) -> None:
        self._setup, self._jobs = setup, jobs

    def outcomes(self, cases: Sequence[Case]) -> Iterator[Outcome]:
        left = list(reversed(cases))
        crew: dict[Connection, Worker] = {}
        try:
            while left or crew:
                while left and len(crew) < self._jobs:
                    worker = Worker(self._setup)
                    worker.give(left.pop())
                    crew[worker.line] = worker
                for line in wait(list(crew)):
                    assert isinstance(line, Connection)
                    outcome = crew[line].take()
                    yield outcome
                    if left and crew[line].fit(outcome):
                        crew[line].give(left.pop())
                    else:
                        crew.pop(line).end()
        finally:
            for worker in crew.values():
                worker.end()


class Worker:
    """One process and the line to it."""

    def __init__(self, setup: Setup) -> None:
        context = multiprocessing.get_context("spawn")
        self.line, far = context.Pipe()
        self._process: SpawnProcess = context.Process(target=serve, args=(far, setup), daemon=True)
        with _one_thread():
            self._process.start()
        far.close()
        self._played = 0

    def give(self, case: Case) -> None:
        self._case = case
        with suppress(OSError):  # it may be gone: `take` says so
            self.line.send(case)

    def take(self) -> Outcome:
        self._played += 1
        try:
            outcome: Outcome = self.line.recv()
        except (EOFError, OSError):
            return Outcome(self._case, fault=GONE)
        return outcome

    def fit(self, last: Outcome) -> bool:
        """Whether it should go on: not after a fault, and not for ever."""
        return not last.fault and self._played < LENT

    def end(self) -> None:
        """Lets it close its simulator, for a while."""
        self.line.close()
        self._process.join(timeout=20)
        if self._process.is_alive():
            self._process.terminate()
            self._process.join()


class _one_thread:
    """Numerical libraries read these when they are loaded: a policy is meant to run on one core."""

    NAMES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")

    def __enter__(self) -> None:
        self._before = {name: os.environ.get(name) for name in self.NAMES}
        os.environ.update(dict.fromkeys(self.NAMES, "1"))

    def __exit__(self, *_: object) -> None:
        for name, value in self._before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def serve(line: Connection, setup: Setup) -> None:
    """A worker's life: cases in, outcomes out, until the line ends."""
    player = Player(setup)
    try:
        while True:
            line.send(player.play(line.recv()))
    except (EOFError, OSError, KeyboardInterrupt):
        pass
    finally:
        player.close()
