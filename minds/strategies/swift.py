"""Swift in a text world (SwiftSage, Lin et al. 2023, 3.2): a small learned policy acts, without a language model.

The weights are Duet's own (minds/policies/swift, swift_alfworld); a step takes milliseconds and no tokens. What others
did in the episode (the person, another strategy) is taken in as far as it is understood.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import lru_cache
from typing import Generic, TypeVar

from minds.dialogue import Episode, Move, Step, in_world
from minds.policies.swift.play import Play
from minds.policies.swift.policy import ALL_RULES, WEIGHTS, NoPolicy, SwiftPolicy, witness
from minds.policies.swift_alfworld import policy as household
from minds.policies.trained import Trained, leaving_out
from minds.slow import Strategy, Workbench
from tools.worlds.running import RunningWorld
from tools.worlds.world import WorldSpec

SURE, UNSURE = "I have seen this done: {:.0%} sure.", "I am not sure of this one: {:.0%}."
DOUBT = 0.5
"""Below this confidence the thought says so."""
P = TypeVar("P")


def learned(bench: Workbench) -> Strategy:
    """The strategy for the bench's world."""
    return (SwiftHousehold if bench.in_world.spec.world == "alfworld" else Swift)(bench)


def thought(confidence: float) -> str:
    """How sure it is, in words."""
    return (SURE if confidence >= DOUBT else UNSURE).format(confidence)


def teleports(spec: WorldSpec) -> bool:
    """Whether a world's simplifications allow to go anywhere in one step."""
    return not {"easy", "teleportAction"}.isdisjoint(spec.options)


@lru_cache(maxsize=4)
def policy(world: str, trained: Trained) -> SwiftPolicy:
    """The trained policy of a kind of world, read once. Raises NoPolicy, UnknownRule."""
    return SwiftPolicy.load(world, trained.weights or WEIGHTS, leaving_out(ALL_RULES, trained.without))


class Learned(ABC, Generic[P]):
    """One episode's strategy: a learned policy's play, which is told what was done, by whomever."""

    def __init__(self, bench: Workbench) -> None:
        self._bench, self._world = bench, bench.in_world
        self._play: P | None = None
        self._known = 0

    async def act(self, episode: Episode) -> Move:
        """Gives up where no policy was trained for the world. Raises WorldFault."""
        return await asyncio.to_thread(self._act, episode)

    def _act(self, episode: Episode) -> Move:
        try:
            play = self._play = self._play or self._start()
        except NoPolicy as fault:
            return Move("", answer=str(fault), gave_up=True)
        new, self._known = episode.steps[self._known :], len(episode.steps)
        self._take_in(play, new)
        return self._chosen(play)

    # What a policy does differently

    @abstractmethod
    def _start(self) -> P:
        """Raises NoPolicy."""

    @abstractmethod
    def _take_in(self, play: P, steps: Sequence[Step]) -> None:
        """What was done since the policy was asked last."""

    @abstractmethod
    def _chosen(self, play: P) -> Move: ...


class Swift(Learned[Play]):
    """ScienceWorld's."""

    _asked, _view, _waits = "", ("", ""), False
    """The action that was asked for, in which view, and whether nobody knows yet what came of it."""

    def _chosen(self, play: Play) -> Move:
        self._view = self._seen()
        self._asked, confidence = play.act(*self._view)
        self._waits = True
        return self._move(play, confidence)

    def _seen(self) -> tuple[str, str]:
        return self._world.look(), self._world.inventory()

    def _start(self) -> Play:
        bench, spec = self._bench, self._world.spec
        return policy(spec.world, bench.trained).start(self._world.goal, teleports(spec), bench.lost)

    def _move(self, play: Play, confidence: float) -> Move:
        """What it says with the action."""
        return in_world(thought(confidence), self._asked, confidence=confidence)

    def _take_in(self, play: Play, steps: Sequence[Step]) -> None:
        for step, view in zip(steps, self._views(steps), strict=True):
            score = (step.seen.score or 0.0) if step.seen else play.memory.score
            if self._waits and step.action == self._asked:
                play.told(step.observation, score)
            elif step.seen is not None:
                if not self._waits and play.pending:  # its own, of which it was told, counts before another's
                    play.settle()
                witness(play, *view, step.action, step.observation, score)
            self._waits = False

    def _views(self, steps: Sequence[Step]) -> list[tuple[str, str]]:
        """What was seen and carried before each step. Before those that others took behind each other nobody looked: a
        world that can be led there again is; else it is what is seen now."""
        if len(steps) < 2 and self._view[0]:
            return [self._view] * len(steps)
        if isinstance(self._world, RunningWorld):
            return self._world.before_each(len(steps))
        now = self._seen()
        return [self._view if self._view[0] else now, *([now] * len(steps))][: len(steps)]


@lru_cache(maxsize=4)
def household_policy(trained: Trained) -> household.SwiftAlfworld:
    """Read once. Raises NoPolicy, UnknownRule."""
    path = trained.weights / household.WEIGHTS.name if trained.weights else household.WEIGHTS
    return household.SwiftAlfworld.load(path, leaving_out(household.ALL_RULES, trained.without))


class SwiftHousehold(Learned[household.Play]):
    """One ALFWorld episode's strategy: picks among the admissible actions, which the engine gives for nothing."""

    def _start(self) -> household.Play:
        bench = self._bench
        return household_policy(bench.trained).start(self._world.goal, bench.opening, bench.goals)

    def _take_in(self, play: household.Play, steps: Sequence[Step]) -> None:
        for step in steps:
            play.told(step.action, step.observation)

    def _chosen(self, play: household.Play) -> Move:
        action, trust = play.act(self._world.admissible())
        return in_world(thought(trust), action, confidence=trust)
