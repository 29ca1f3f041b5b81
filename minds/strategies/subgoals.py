"""Sub-goals in a text world (Hashemzadeh et al. 2024): one small learned policy says what next, another one how.

The thought says which sub-goal a step is for; a move tells which one the step before it reached.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from minds.dialogue import Move
from minds.policies.subgoals import household
from minds.policies.subgoals.play import SubgoalPlay, SubgoalPolicy
from minds.policies.swift.play import Play
from minds.policies.swift.policy import ALL_RULES, WEIGHTS
from minds.policies.swift_alfworld.policy import Play as HouseholdSwift
from minds.policies.swift_alfworld.policy import SwiftAlfworld
from minds.policies.trained import Trained, leaving_out
from minds.slow import Workbench
from minds.strategies.swift import Swift, SwiftHousehold, teleports

NEXT = "My sub-goal is to {}. {}"


def learned(bench: Workbench) -> Subgoals | SubgoalsHousehold:
    """The strategy for the bench's world."""
    return (SubgoalsHousehold if bench.in_world.spec.world == "alfworld" else Subgoals)(bench)


@lru_cache(maxsize=4)
def policy(world: str, trained: Trained) -> SubgoalPolicy:
    """The trained policy of a kind of world, read once. Raises NoPolicy, UnknownRule."""
    return SubgoalPolicy.load(world, trained.weights or WEIGHTS, leaving_out(ALL_RULES, trained.without))


@lru_cache(maxsize=4)
def household_policy(trained: Trained) -> SwiftAlfworld:
    """The same of households. Raises NoPolicy."""
    return household.policy(trained.weights or WEIGHTS)


def aiming(move: Move, play: SubgoalPlay | household.HouseholdPlay) -> Move:
    """With the sub-goals that the move is for, and that the one before it reached."""
    return replace(move, thought=NEXT.format(play.worded(), move.thought), reached=play.reached)


class Subgoals(Swift):
    """One episode's strategy: Swift's, with the two-level policy in Swift's place."""

    def _start(self) -> Play:
        return policy(self._world.spec.world, self._bench.trained).start(self._world.goal, teleports(self._world.spec))

    def _chosen(self, play: Play) -> Move:
        assert isinstance(play, SubgoalPlay)
        return aiming(super()._chosen(play), play)


class SubgoalsHousehold(SwiftHousehold):
    """The same in ALFWorld."""

    policy = staticmethod(household_policy)

    def _chosen(self, play: HouseholdSwift) -> Move:
        assert isinstance(play, household.HouseholdPlay)
        return aiming(super()._chosen(play), play)
