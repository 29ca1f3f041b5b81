"""Who plays the episodes: this process, or several. All that an episode gives comes back with its `Outcome`, and only
the process that was started by the person writes files, so that a cluster could play too."""

from __future__ import annotations

import atexit
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from contextlib import closing
from multiprocessing import get_context
from queue import SimpleQueue

from chat.bench.episodes.play import Outcome, Player, Setup
from chat.bench.episodes.protocols import Case

LENT = 120
"""Episodes after which a process is replaced: the official ALFWorld engine leaks a few MB in each."""


def outcomes(setup: Setup, jobs: int, cases: Sequence[Case]) -> Iterator[Outcome]:
    """Plays each once, in any order: in so many processes, each with a simulator of its own (and Java), of which one
    that dies costs the episode it was at and is replaced; 0 plays in this one."""
    if not jobs:
        with closing(Player(setup)) as player:
            yield from map(player.play, cases)
        return

    def begun() -> ProcessPoolExecutor:
        """One process, which starts when it is needed."""
        return ProcessPoolExecutor(1, get_context("spawn"), _begin, (setup,), max_tasks_per_child=LENT)

    idle = SimpleQueue[ProcessPoolExecutor]()
    for _ in range(jobs):
        idle.put(begun())

    def play(case: Case) -> Outcome:
        process = idle.get()
        try:
            outcome = process.submit(_play, case).result()
        except Exception as error:  # it died, or what happened there is no fault that it knows
            outcome = Outcome(case, fault=f"The process that played it ended ({type(error).__name__}).")
        if outcome.fault:
            process.shutdown(wait=False)  # it closes its simulator, and nobody waits for that
        idle.put(begun() if outcome.fault else process)
        return outcome

    with ThreadPoolExecutor(jobs) as threads:
        try:
            for done in as_completed([threads.submit(play, case) for case in cases]):
                yield done.result()
        finally:
            threads.shutdown(cancel_futures=True)
            for _ in range(jobs):
                idle.get().shutdown(wait=False)


# -- in the process that plays

_players: list[Player] = []


def _begin(setup: Setup) -> None:
    import numpy  # noqa: F401  # its libraries must be there to be told
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    threadpool_limits(1)  # a policy is meant to run on one core
    _players.append(Player(setup))
    atexit.register(_players[0].close)


def _play(case: Case) -> Outcome:
    return _players[0].play(case)
