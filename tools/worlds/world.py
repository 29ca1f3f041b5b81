"""The one vocabulary of all text worlds: what an adapter offers, and what everybody else may rely on.

A simulator knows its tasks and opens worlds; a world is one running episode of one task. Worlds block and belong to
one thread at a time; whoever shares them (the conversation) calls them through a thread.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Protocol

SETUP = "rm -f .venv/.installed; make setup"
"""Installs what is missing, pinned: `make setup` alone does nothing where it was done once."""


class WorldFault(Exception):
    """A simulator cannot do what was asked; the text is one sentence for the person, with what to do."""


class UnknownTask(WorldFault):
    """There is no such task, variation or split; the sentence names the nearest ones."""


class WorldLost(WorldFault):
    """The engine died in mid-episode. Opening the same spec again and replaying the actions restores it."""


@dataclass(frozen=True)
class Observation:
    """What a world says after a reset or an action."""

    text: str
    score: float | None = None
    """Percent of the engine's full score, 0 to 100 (ScienceWorld may go to -100 on a failing action)."""
    done: bool = False
    """Nothing more can be done: won, failed, or out of steps."""
    won: bool = False
    """The engine's own word that the goal is reached; never inferred from `done`."""


@dataclass(frozen=True)
class WorldSpec:
    """Names one episode, on this machine, for ever: the same spec and actions give the same observations."""

    world: str
    """`scienceworld`, `alfworld`, ...: a name of the map in `tools/worlds/__init__.py`."""
    task: str
    """ScienceWorld: a task name (`boil`). ALFWorld: a game of the data set (`valid_seen/FOLDER/TRIAL`), one of the
    generator (`household/TASK_TYPE`, the variation is its seed), or the path of a game file."""
    variation: int = 0
    options: tuple[str, ...] = ()
    """ScienceWorld's simplifications (`easy`, or their names)."""


@dataclass(frozen=True)
class TaskInfo:
    """One kind of task a simulator offers."""

    name: str
    says: str
    """What is to be done, in a short sentence of plain English: `bring a substance to a boil`."""
    variations: int
    """How many there are; 0 means as many as one likes."""


@dataclass(frozen=True)
class Scene:
    """Where the agent is, as far as it has seen: what the panel and the map draw."""

    place: str
    """`kitchen`; `fridge 1`; `middle of the room`."""
    things: tuple[str, ...] = ()
    """What is seen there, in the world's own words."""
    exits: tuple[str, ...] = ()
    """Places that can be gone to from here (rooms behind doors; receptacles)."""
    holding: tuple[str, ...] = ()


class World(Protocol):
    """One running episode."""

    @property
    def spec(self) -> WorldSpec: ...

    @property
    def goal(self) -> str:
        """The task in the engine's own words; known after `reset`."""

    @property
    def steps(self) -> int:
        """Actions taken since the last reset."""

    def reset(self) -> Observation:
        """Starts the episode anew. Raises WorldFault."""

    def step(self, action: str) -> Observation:
        """Acts. An action that the world does not know or allow is answered in the observation. Raises WorldLost."""

    def admissible(self) -> tuple[str, ...]:
        """Actions possible now, asked of the engine when called. Raises WorldLost."""

    def look(self) -> str:
        """What is seen from here, without taking a step."""

    def inventory(self) -> str:
        """What is carried, without taking a step."""

    def scene(self) -> Scene:
        """Costs the engine a look and an inventory where they are not known; never a step."""

    def gold(self) -> tuple[str, ...]:
        """The simulator's own solution from the start; for the strategy `oracle`, data and tests only.

        Raises WorldFault where it has none.
        """

    def close(self) -> None:
        """Gives the engine back; safe to repeat. The world cannot be used afterwards."""


class Simulator(Protocol):
    """One kind of world. Opening loads what is needed and may take seconds; thread-safe."""

    @property
    def name(self) -> str: ...

    def ready(self) -> str:
        """Empty where it can run here; else one sentence with what to do."""

    def tasks(self) -> tuple[TaskInfo, ...]:
        """Every kind of task, quickly: no engine is started."""

    def variations(self, task: str, split: str) -> Sequence[WorldSpec]:
        """The episodes of a split (`train`, `dev`, `test`; ALFWorld: its own names; `household`: any seed).

        Raises UnknownTask.
        """

    def open(self, spec: WorldSpec) -> World:
        """A world, not yet reset. Raises UnknownTask, WorldFault."""

    def close(self) -> None:
        """Ends every engine; safe to repeat."""


def nearest(word: str, words: list[str]) -> str:
    """The three nearest, to be read."""
    return ", ".join(get_close_matches(word, words, 3, 0) or words[:3])
