"""Swift, by world: the learned policy that was trained for it acts, without a language model (SwiftSage 3.2)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from minds.dialogue import Move, Step, in_world
from minds.policies.swift_alfworld.policy import ALL_RULES, WEIGHTS, Play, SwiftAlfworld
from minds.policies.trained import Trained, leaving_out
from minds.slow import Strategy, Workbench
from minds.strategies.swift import Learned, Swift, thought

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


class SwiftHousehold(Learned[Play]):
    """One ALFWorld episode's strategy: picks among the admissible actions, which the engine gives for nothing."""

    def _take_in(self, play: Play, steps: Sequence[Step]) -> None:
        for step in steps:
            play.told(step.action, step.observation)

    def _chosen(self, play: Play) -> Move:
        action, trust = play.act(self._world.admissible())
        return in_world(thought(trust), action, confidence=trust)

    def _start(self) -> Play:
        bench = self._bench
        return policy(bench.trained).start(self._world.goal, bench.opening, bench.goals)
