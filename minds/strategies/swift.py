"""Swift in a text world (SwiftSage, Lin et al. 2023, 3.2): a small learned policy acts, without a language model.

The weights are Duet's own (minds/policies/swift, swift_alfworld); a step takes milliseconds and no tokens. What others
did in the episode (the person, another strategy) is taken in as far as it is understood.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Generic, TypeVar

from minds.dialogue import Episode, Move, Step, in_world
from minds.policies.swift.play import Play
from minds.policies.swift.policy import ALL_RULES, WEIGHTS, NoPolicy, SwiftPolicy, witness
from minds.policies.swift_alfworld import policy as household
from minds.policies.swift_alfworld.goals import Goal
from minds.policies.trained import Trained, leaving_out
from minds.slow import Workbench
from tools.worlds.running import RunningWorld
from tools.worlds.world import WorldSpec

SURE, UNSURE = "I have seen this done: {:.0%} sure.", "I am not sure of this one: {:.0%}."
DOUBT = 0.5
"""Below this confidence the thought says so."""
P = TypeVar("P")


def learned(bench: Workbench) -> Learned[Any]:
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

    @property
    def goals(self) -> Mapping[Goal, float]:
        """What the task may still be, where a person told it in words of their own."""
        return self._bench.goals

    def watch(self, number: int) -> None:
        """Before step `number`, which may be another's: a policy that reads views looks now. Raises WorldFault."""

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

    _asked, _waits = "", False
    """The action that was asked for, and whether nobody knows yet what came of it."""

    def __init__(self, bench: Workbench) -> None:
        super().__init__(bench)
        self._before: dict[int, tuple[str, str]] = {}
        """Number of a step -> what was seen and carried before it."""

    def watch(self, number: int) -> None:
        """Raises WorldFault."""
        self._before[number] = self._world.look(), self._world.inventory()

    def _chosen(self, play: Play) -> Move:
        self.watch(self._known)
        self._asked, confidence = play.act(*self._before[self._known])
        self._waits = True
        return in_world(thought(confidence), self._asked, confidence=confidence)

    def _start(self) -> Play:
        bench, spec = self._bench, self._world.spec
        return policy(spec.world, bench.trained).start(self._world.goal, teleports(spec), bench.lost)

    def _take_in(self, play: Play, steps: Sequence[Step]) -> None:
        for step, view in zip(steps, self._views(len(steps)), strict=True):
            score = (step.seen.score or 0.0) if step.seen else play.memory.score
            if self._waits and step.action == self._asked:
                play.told(step.observation, score)
            elif step.seen is not None:
                if not self._waits and play.pending:  # its own, of which it was told, counts before another's
                    play.settle()
                witness(play, *view, step.action, step.observation, score)
            self._waits = False

    def _views(self, count: int) -> list[tuple[str, str]]:
        """What was seen and carried before each of the last steps. Where nobody looked, before the strategy began, a
        world that can be led there again is; else it is what is seen now."""
        numbers = range(self._known - count, self._known)
        if all(number in self._before for number in numbers):
            return [self._before[number] for number in numbers]
        if isinstance(self._world, RunningWorld):
            return self._world.before_each(count)
        now = self._world.look(), self._world.inventory()
        return [self._before.get(number, now) for number in numbers]


@lru_cache(maxsize=4)
def household_policy(trained: Trained) -> household.SwiftAlfworld:
    """Read once. Raises NoPolicy."""
    return household.SwiftAlfworld.load(
        trained.weights / household.WEIGHTS.name if trained.weights else household.WEIGHTS
    )


class SwiftHousehold(Learned[household.Play]):
    """One ALFWorld episode's strategy: picks among the admissible actions, which the engine gives for nothing."""

    policy = staticmethod(household_policy)

    def _start(self) -> household.Play:
        bench = self._bench
        return self.policy(bench.trained).start(self._world.goal, bench.opening, bench.goals)

    @property
    def goals(self) -> Mapping[Goal, float]:
        """Those that were reached and did not win are none of them."""
        return self._play.belief.odds if self._play and self._play.belief else super().goals

    def _take_in(self, play: household.Play, steps: Sequence[Step]) -> None:
        for step in steps:
            play.told(step.action, step.observation)

    def _chosen(self, play: household.Play) -> Move:
        action, trust = play.act(self._world.admissible())
        return in_world(thought(trust), action, confidence=trust)
