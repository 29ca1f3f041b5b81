"""The world as a strategy sees it in a benchmark: timed, and without what would give the solution away."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tools.worlds.world import Observation, World, WorldFault, WorldSpec

SECRET = "a task of a benchmark"


def clocks() -> NDArray[np.float64]:
    """Milliseconds, shape (2,): of the clock, and of the processor, which others' load does not change."""
    return 1e3 * np.array([time.perf_counter(), time.process_time()])


class ShownWorld:
    """A `World` that keeps the task's name and variation to itself and refuses its solution.

    Only the strategy `oracle` is `told` both; `listed` says whether the admissible actions may be asked for; where the
    task is told in a person's words, `says` is shown in place of the world's own sentence.
    """

    def __init__(self, world: World, listed: bool = True, told: bool = False, says: str = "") -> None:
        self.__world, self.__says = world, says
        self.__listed, self.__told = listed, told
        self.spent = np.zeros(2)
        """In the engine so far, as `clocks` tells it."""

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

    @staticmethod
    def _timed(name: str) -> Any:
        """A method that the engine answers."""

        def asked(self: ShownWorld, *said: str, **named: str) -> Any:
            began = clocks()
            try:
                return getattr(self.__world, name)(*said, **named)
            finally:
                self.spent += clocks() - began

        return asked

    step, look, inventory, scene, close, __reset, __admissible, __gold = map(
        _timed, ("step", "look", "inventory", "scene", "close", "reset", "admissible", "gold")
    )

    def reset(self) -> Observation:
        seen: Observation = self.__reset()
        return replace(seen, text=seen.text.replace(self.__world.goal, self.__says)) if self.__says else seen

    def admissible(self) -> tuple[str, ...]:
        return tuple(self.__admissible()) if self.__listed else ()

    def gold(self) -> tuple[str, ...]:
        if not self.__told:
            raise WorldFault("In a benchmark nobody but the strategy `oracle` is shown the solution.")
        return tuple(self.__gold())
