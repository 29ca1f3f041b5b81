"""Swift, by world: the learned policy that was trained for it acts, without a language model (SwiftSage 3.2)."""

from __future__ import annotations

import asyncio
from functools import lru_cache

from minds.dialogue import Episode, Move, in_world
from minds.policies.swift_alfworld.policy import ALL_RULES, WEIGHTS, NoPolicy, Play, SwiftAlfworld
from minds.policies.trained import Trained, leaving_out
from minds.slow import Strategy, Workbench
from minds.strategies.swift import Swift, thought

WORLDS = ("scienceworld", "alfworld")
"""Where a policy was trained."""


def learned(bench: Workbench) -> Strategy:
    """The strategy for the bench's world."""
    if bench.world is not None and bench.world.spec.world == "alfworld":
        return SwiftHousehold(bench)
    return Swift(bench)


@lru_cache(maxsize=4)
def policy(trained: Trained) -> SwiftAlfworld:
    """Read once. Raises NoPolicy, UnknownRule."""
    path = trained.weights / WEIGHTS.name if trained.weights else WEIGHTS
    return SwiftAlfworld.load(path, leaving_out(ALL_RULES, trained.without))


class SwiftHousehold:
    """One ALFWorld episode's strategy: picks among the admissible actions, which the engine gives for nothing."""

    def __init__(self, bench: Workbench) -> None:
        if bench.world is None:
            raise ValueError("Swift works in a world")
        self._world, self._bench = bench.world, bench
        self._play: Play | None = None
        self._known = 0

    async def act(self, episode: Episode) -> Move:
        """Gives up where there are no weights. Raises WorldFault."""
        return await asyncio.to_thread(self._act, episode)

    def _act(self, episode: Episode) -> Move:
        try:
            play = self._play = self._play or self._start()
        except NoPolicy as fault:
            return Move("", answer=str(fault), gave_up=True)
        for step in episode.steps[self._known :]:  # whoever took them
            play.told(step.action, step.observation)
        self._known = len(episode.steps)
        action, trust = play.act(self._world.admissible())
        return in_world(thought(trust), action, confidence=trust)

    def _start(self) -> Play:
        bench = self._bench
        return policy(bench.trained).start(self._world.goal, bench.opening, bench.goals)
