"""ScienceWorld: 30 kinds of tasks of elementary science, in the simulator of the `scienceworld` package."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from tools.worlds.pool import Pool
from tools.worlds.rooms import read_scene
from tools.worlds.world import (
    SETUP,
    Observation,
    Scene,
    TaskInfo,
    UnknownTask,
    WorldFault,
    WorldLost,
    WorldSpec,
    nearest,
)

if TYPE_CHECKING:
    from tools.worlds.jvm import JavaSimulator, Jvm

    Simulators = Pool[Jvm, JavaSimulator]

TASKS = Path(__file__).with_name("scienceworld.json")
SIMPLIFICATIONS = ("teleportAction", "selfWateringFlowerPots", "openContainers", "openDoors", "noElectricalAction")
EASY = ("teleportAction", "noElectricalAction", "openDoors", "selfWateringFlowerPots")
"""What the package's `easy` switches on (the electrical actions stay where the task needs them)."""
ELECTRICAL = ("power-component", "conductivity")
LONGEST = 1000
"""Letters of an action that are read; the simulator understands nothing that is as long."""
IDLE_ACTIONS = frozenset({"reset task", "task"})
"""Valid for the simulator, but no step in an episode."""


class ScienceWorlds:
    """The simulator. One Java process for all episodes, started by the first."""

    name = "scienceworld"

    def __init__(self, cap: int = 8) -> None:
        """`cap`: simulators held at once."""
        self.pool: Simulators = Pool(_start, _make, cap)

    def ready(self) -> str:
        if find_spec("scienceworld") is None:
            return f"ScienceWorld is not installed; install it with: {SETUP}"
        from tools.worlds.jvm import java

        return "" if java() else f"ScienceWorld needs Java; install it with: {SETUP}"

    def tasks(self) -> tuple[TaskInfo, ...]:
        return tuple(_tasks().values())

    def variations(self, task: str, split: str) -> Sequence[WorldSpec]:
        splits = split_variations(_task(task).variations)
        if split not in splits:
            raise UnknownTask(f"ScienceWorld has no split `{split}`; choose train, dev or test.")
        return [WorldSpec(self.name, task, number) for number in splits[split]]

    def open(self, spec: WorldSpec) -> ScienceWorld:
        count = _task(spec.task).variations
        if not 0 <= spec.variation < count:
            raise UnknownTask(f"`{spec.task}` has no variation {spec.variation}; choose one of 0 to {count - 1}.")
        simplifications = simplified(spec)
        if problem := self.ready():
            raise WorldFault(problem)
        return ScienceWorld(spec, simplifications, self.pool)

    def close(self) -> None:
        self.pool.close()


class ScienceWorld:
    """One episode. The simulator that holds it may be lent to others; it is then put back by replaying the actions."""

    def __init__(self, spec: WorldSpec, simplifications: str, pool: Simulators) -> None:
        self.spec = spec
        self._simplifications, self._pool = simplifications, pool
        self._actions: list[str] = []
        self.goal = ""
        self._seen: dict[str, str] = {}
        self._gold: tuple[str, ...] | None = None
        self._open = True

    @property
    def steps(self) -> int:
        return len(self._actions)

    def reset(self) -> Observation:
        self._actions, self._seen = [], {}
        with self._simulator(fresh=True) as engine:
            self.goal = engine.goal()
            self._seen["look"] = engine.look()
        return Observation(self._seen["look"], score=0.0)

    def step(self, action: str) -> Observation:
        action = cleaned(action)
        with self._simulator() as engine:
            seen = engine.step(action)
            self._actions.append(action)
            self._seen = {}
        return seen

    def admissible(self) -> tuple[str, ...]:
        with self._simulator() as engine:
            return tuple(dict.fromkeys(action for action in engine.valid() if action not in IDLE_ACTIONS))

    def look(self) -> str:
        return self._see("look")

    def inventory(self) -> str:
        return self._see("inventory")

    def scene(self) -> Scene:
        return read_scene(self.look(), self.inventory())

    def gold(self) -> tuple[str, ...]:
        """Found in another simulator than the episode's, which goes on undisturbed."""
        if self._gold is None:
            errand = _Errand()
            with _clearly(self._pool, errand) as (engine, _):
                engine.load(self.spec.task, self.spec.variation, self._simplifications, gold=True)
                self._gold = engine.gold()
            self._pool.give_back(errand)
        if not self._gold:
            raise WorldFault(f"ScienceWorld knows no solution of `{self.spec.task}` {self.spec.variation}.")
        return self._gold

    def close(self) -> None:
        self._open, self._seen = False, {}
        self._pool.give_back(self)

    def _see(self, what: str) -> str:
        if what not in self._seen:
            with self._simulator() as engine:
                self._seen[what] = engine.look() if what == "look" else engine.inventory()
        return self._seen[what]

    @contextmanager
    def _simulator(self, fresh: bool = False) -> Iterator[JavaSimulator]:
        if not self._open:
            raise WorldFault("This episode is closed; start it again.")
        with _clearly(self._pool, self) as (engine, ours):
            if fresh or not ours:
                if complaint := engine.load(self.spec.task, self.spec.variation, self._simplifications):
                    raise WorldFault(f"ScienceWorld cannot load this task: {complaint.strip().rstrip('.')}.")
                for action in self._actions:
                    engine.step(action)
            yield engine


class _Errand:
    """Holds a simulator for something that is no episode."""


@contextmanager
def _clearly(pool: Simulators, holder: object) -> Iterator[tuple[JavaSimulator, bool]]:
    """Lends; a Java that is gone becomes one sentence."""
    from tools.worlds.jvm import JavaFault, JvmLost, cause

    engine: JavaSimulator | None = None
    try:
        with pool.lend(holder) as (engine, ours):
            yield engine, ours
    except JavaFault as error:
        raise WorldFault(f"ScienceWorld failed ({cause(error)}); start the episode again.") from error
    except JvmLost as error:
        if engine is not None:
            engine.jvm.end()  # it may hang instead of being dead
        raise WorldLost("ScienceWorld's Java process ended in mid-step; open the episode again.") from error


def _start() -> Jvm:
    from scienceworld.constants import JAR_PATH

    from tools.worlds.jvm import Jvm

    return Jvm(Path(JAR_PATH))


def _make(jvm: Jvm) -> JavaSimulator:
    from tools.worlds.jvm import JvmLost

    try:
        return jvm.simulator()
    except JvmLost:
        jvm.end()  # killed, but not gone yet: the next use is to start another
        raise


def cleaned(action: str) -> str:
    """On one line, without control characters, no longer than the simulator could understand."""
    printable = "".join(letter if letter.isprintable() else " " for letter in action[: 10 * LONGEST])
    return " ".join(printable.split())[:LONGEST]


def simplified(spec: WorldSpec) -> str:
    """The options as the simulator reads them. Raises WorldFault."""
    known = ("easy", *SIMPLIFICATIONS)
    for option in spec.options:
        if option not in known:
            raise WorldFault(f"ScienceWorld has no simplification `{option}`; it has: {', '.join(known)}.")
    electrical = any(word in spec.task for word in ELECTRICAL)
    if electrical and "noElectricalAction" in spec.options:
        raise WorldFault(f"`{spec.task}` needs electrical actions; leave out `noElectricalAction`.")
    named = [o for o in spec.options if o != "easy"]
    if "easy" in spec.options:
        if not named:
            return "easy"  # alone, the simulator knows what it means
        named += [o for o in EASY if not (electrical and o == "noElectricalAction")]
    return ",".join(dict.fromkeys(named))


def split_variations(count: int) -> dict[str, range]:
    """The package's rule: the first half is for training, a quarter each for dev and test (which has the rest)."""
    few = {1: (1, 1, 0), 2: (1, 1, 1), 3: (1, 2, 2), 4: (2, 3, 3)}
    quarter = count // 4
    train, dev, test = few.get(count, (2 * quarter, 3 * quarter, 3 * quarter))
    return {"train": range(train), "dev": range(train, dev), "test": range(test, count)}


@cache
def _tasks() -> dict[str, TaskInfo]:
    listed = json.loads(TASKS.read_text(encoding="utf-8"))
    return {name: TaskInfo(name, about["says"], about["variations"]) for name, about in listed.items()}


def _task(name: str) -> TaskInfo:
    """Raises UnknownTask."""
    if name not in _tasks():
        raise UnknownTask(f"ScienceWorld has no task `{name}`; the nearest are: {nearest(name, list(_tasks()))}.")
    return _tasks()[name]
