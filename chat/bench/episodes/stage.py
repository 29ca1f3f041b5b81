"""The world as a strategy sees it in a benchmark: timed, and without what would give the solution away."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from tools.worlds.world import Observation, Scene, World, WorldFault, WorldSpec

T = TypeVar("T")
SECRET = "a task of a benchmark"


class Stopwatch:
    """`with` it time runs: on the clock, and of the processor (which others' load does not change); in seconds."""

    def __init__(self) -> None:
        self.seconds = self.processor = 0.0

    def __enter__(self) -> None:
        self._began = time.perf_counter(), time.process_time()

    def __exit__(self, *_: object) -> None:
        clock, worked = self._began
        self.seconds += time.perf_counter() - clock
        self.processor += time.process_time() - worked


class ShownWorld:
    """A `World` that keeps the task's name and variation to itself and refuses its solution.

    Only the strategy `oracle` is `told` both; `listed` says whether the admissible actions may be asked for; where the
    task is told in a person's words, `says` is shown in place of the world's own sentence.
    """

    def __init__(self, world: World, listed: bool = True, told: bool = False, says: str = "") -> None:
        self.__world, self.__says = world, says
        self.__listed, self.__told = listed, told
        self.spent = Stopwatch()
        """In the engine so far."""

    @property
    def spec(self) -> WorldSpec:
        """Its kind of world only."""
        spec = self.__world.spec
        return spec if self.__told else WorldSpec(spec.world, SECRET, 0, spec.options)

    @property
    def goal(self) -> str:
        return self.__says or self.__world.goal

    @property
    def steps(self) -> int:
        return self.__world.steps

    def reset(self) -> Observation:
        seen = self._timed(self.__world.reset)
        return replace(seen, text=seen.text.replace(self.__world.goal, self.__says)) if self.__says else seen

    def step(self, action: str) -> Observation:
        return self._timed(lambda: self.__world.step(action))

    def admissible(self) -> tuple[str, ...]:
        return self._timed(self.__world.admissible) if self.__listed else ()

    def look(self) -> str:
        return self._timed(self.__world.look)

    def inventory(self) -> str:
        return self._timed(self.__world.inventory)

    def location(self) -> str:
        return self._timed(self.__world.location)

    def scene(self) -> Scene:
        return self._timed(self.__world.scene)

    def gold(self) -> tuple[str, ...]:
        if not self.__told:
            raise WorldFault("In a benchmark nobody but the strategy `oracle` is shown the solution.")
        return self._timed(self.__world.gold)

    def close(self) -> None:
        self.__world.close()

    def _timed(self, question: Callable[[], T]) -> T:
        with self.spent:
            return question()
