"""Sub-goals in a text world (Hashemzadeh et al. 2024): one small learned policy says what next, another one how.

The thought says which sub-goal a step is for; a move tells which one the step before it reached.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from minds.dialogue import Move
from minds.policies.subgoals.play import ALL_RULES, SubgoalPlay, SubgoalPolicy
from minds.policies.swift.play import Play
from minds.policies.swift.policy import WEIGHTS
from minds.policies.trained import Trained, leaving_out
from minds.strategies.swift import Swift, teleports

NEXT = "My sub-goal is to {}. {}"


@lru_cache(maxsize=4)
def policy(world: str, trained: Trained) -> SubgoalPolicy:
    """The trained policy of a kind of world, read once. Raises NoPolicy, UnknownRule."""
    return SubgoalPolicy.load(world, trained.weights or WEIGHTS, leaving_out(ALL_RULES, trained.without))


class Subgoals(Swift):
    """One episode's strategy: Swift's, with the two-level policy in Swift's place."""

    def _start(self) -> Play:
        return policy(self._world.spec.world, self._bench.trained).start(self._world.goal, teleports(self._world.spec))

    def _move(self, play: Play, confidence: float) -> Move:
        assert isinstance(play, SubgoalPlay)
        move = super()._move(play, confidence)
        return replace(move, thought=NEXT.format(play.worded(), move.thought), reached=play.reached)
