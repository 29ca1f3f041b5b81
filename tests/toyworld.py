"""A toy household that speaks the vocabulary of worlds: one mug, one desk, one closed drawer. In memory, and mortal."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from tools.worlds.world import Observation, Scene, TaskInfo, UnknownTask, WorldLost, WorldSpec

GOAL = "put the mug in the drawer."
GOLD = ("go to desk 1", "take mug 1 from desk 1", "go to drawer 1", "open drawer 1", "move mug 1 to drawer 1")
INTRO = "You are in the middle of a room. Looking quickly around you, you see a desk 1, and a drawer 1."


@dataclass
class ToyWorld:
    """Won when the mug lies in the drawer; lost for ever when the mug is dropped."""

    home: ToyWorlds
    spec: WorldSpec
    place: str = ""
    mug: str = "desk 1"
    open: bool = False
    steps: int = 0
    goal: str = GOAL
    closed: bool = False

    def reset(self) -> Observation:
        self.place, self.mug, self.open, self.steps = "", "desk 1", False, 0
        return Observation(self.look(), score=0.0)

    def step(self, action: str) -> Observation:
        self._alive()
        time.sleep(self.home.slow)
        text = self._acted(action) if action in self.admissible() else "Nothing happens."
        self.steps += 1
        won, lost = self.mug == "drawer 1", self.mug == "nowhere"
        return Observation(text, score=100.0 if won else 0.0, done=won or lost, won=won)

    def _acted(self, action: str) -> str:
        if action.startswith("go to"):
            self.place = action.removeprefix("go to ")
            return self.look()
        if action in ("look", "inventory"):
            return self.look() if action == "look" else self.inventory()
        if action == "open drawer 1":
            self.open = True
            return "You open the drawer 1. The drawer 1 is open. In it, you see nothing."
        self.mug = {"take": "hand", "move": "drawer 1", "drop": "nowhere"}[action.split()[0]]
        return {
            "hand": "You pick up the mug 1 from the desk 1.",
            "drawer 1": "You move the mug 1 to the drawer 1.",
            "nowhere": "The mug breaks.",
        }[self.mug]

    def admissible(self) -> tuple[str, ...]:
        self._alive()
        acts = [f"go to {place}" for place in ("desk 1", "drawer 1") if place != self.place]
        if self.place == "desk 1" and self.mug == "desk 1":
            acts.append("take mug 1 from desk 1")
        if self.place == "drawer 1" and not self.open:
            acts.append("open drawer 1")
        if self.mug == "hand":
            acts += ["drop mug 1", *(["move mug 1 to drawer 1"] if self.place == "drawer 1" and self.open else [])]
        return (*acts, "look", "inventory")

    def look(self) -> str:
        if not self.place:
            return f"{INTRO} It is room {self.spec.variation}." if self.spec.variation else INTRO
        if self.place == "drawer 1" and not self.open:
            return "The drawer 1 is closed."
        return f"On the {self.place}, you see {'a mug 1' if self.mug == self.place else 'nothing'}."

    def inventory(self) -> str:
        return "You are carrying: a mug 1." if self.mug == "hand" else "You are not carrying anything."

    def scene(self) -> Scene:
        things, held = (("mug 1",) if self.mug == where else () for where in (self.place, "hand"))
        return Scene(self.place or "middle of the room", things, ("desk 1", "drawer 1"), held)

    def gold(self) -> tuple[str, ...]:
        return GOLD

    def close(self) -> None:
        if not self.closed:
            self.closed = True
            self.home.closed += 1

    def _alive(self) -> None:
        if self.home.dying:
            self.home.dying -= 1
            raise WorldLost("The world's engine ended; it is started again.")


@dataclass
class ToyWorlds:
    """Opens toy households; `dying`: so many calls from now on find a dead engine."""

    name: str = "alfworld"
    dying: int = 0
    slow: float = 0.0
    """Seconds that a step takes."""
    opened: list[ToyWorld] = field(default_factory=list)
    closed: int = 0

    def ready(self) -> str:
        return ""

    def tasks(self) -> tuple[TaskInfo, ...]:
        return (TaskInfo("mug", "put a mug in a drawer", 1),)

    def variations(self, task: str, split: str) -> Sequence[WorldSpec]:
        return (WorldSpec(self.name, task),)

    def open(self, spec: WorldSpec) -> ToyWorld:
        if spec.task != "mug":
            raise UnknownTask(f"There is no task `{spec.task}`; there is: mug.")
        world = ToyWorld(self, spec)
        self.opened.append(world)
        return world

    def close(self) -> None:
        pass
