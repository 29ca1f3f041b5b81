"""The toy household for strategies, with a scripted model of any kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from minds.dialogue import Answer, Dialogue, Task
from minds.models.language import Abilities
from minds.slow import Limits, Strategy, Workbench, think
from tests.fakes import FakeModel, Heard, Piece
from tests.minds.strategies.test_trials import Resets
from tests.minds.test_world_strategies import Silent
from tests.toyworld import GOAL, INTRO, ToyWorld, ToyWorlds
from tools.worlds.world import WorldSpec

TASK = Task(GOAL, "put the mug away", Dialogue("s", "ada"))
PLAIN = Abilities()
"""Nothing but chat."""
CHAT = Abilities(tools=True, strong=True)
"""Native calls, no schema."""
HELD = Abilities(schema=True, context=8192)
"""Holds its answers to a schema."""


def toy(kind: type[ToyWorld] = ToyWorld) -> ToyWorld:
    world = kind(ToyWorlds(), WorldSpec("alfworld", "mug"))
    world.reset()
    return world


def lines(*said: str | Sequence[Piece]) -> Callable[[Heard], Sequence[Piece]]:
    """One answer after the other; the last one again and again."""
    left = list(said)

    def next_one(_: Heard) -> Sequence[Piece]:
        one = left.pop(0) if len(left) > 1 else left[0]
        return (one,) if isinstance(one, str) else one

    return next_one


def model(*said: str | Sequence[Piece], abilities: Abilities = PLAIN) -> FakeModel:
    return FakeModel(lines(*said), abilities=abilities)


def held(*steps: Any) -> FakeModel:
    """Answers with these JSON objects; an exception is raised."""
    left = list(steps)

    def next_one(_: Heard) -> Sequence[Any]:
        return (left.pop(0) if len(left) > 1 else left[0],)

    return FakeModel(lambda _: [""], next_one, abilities=HELD)


def bench(model: FakeModel, world: ToyWorld | None = None) -> Workbench:
    return Workbench(model, dict, world=world or toy(), opening=INTRO)


async def played(strategy: Strategy, world: ToyWorld, *, steps: int = 20, trials: int | None = None) -> Answer:
    limits = Limits(steps=steps, trials=trials)
    return await think(TASK, strategy, dict, Silent(), limits, world=world, trials=Resets(world))
