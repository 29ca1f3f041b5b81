"""Strategies in a world, on the toy household: the oracle."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from minds.dialogue import Call, Dialogue, Episode, Move, Step, Task, in_world
from minds.slow import Limits, Strategy, Workbench, think
from minds.strategies.line_agent import LineAgent
from minds.strategies.oracle import OFF, Oracle
from minds.strategies.swift import Learned
from tests.fakes import FakeModel
from tests.toyworld import GOAL, GOLD, ToyWorld, ToyWorlds
from tools.worlds.world import WorldSpec

TASK = Task(GOAL, "put the mug away", Dialogue("s", "ada"))


def silent(_: object) -> list[str]:
    return []


class Silent:
    """A listener that lets the loop go on."""

    async def acting(self, number: int, move: Move, call: Call) -> None: ...

    async def stepped(self, number: int, step: Step) -> None: ...

    async def checkpoint(self) -> tuple[str, ...]:
        return ()


def toy() -> ToyWorld:
    world = ToyWorlds().open(WorldSpec("alfworld", "mug"))
    world.reset()
    return world


async def test_the_loop_ends_when_the_world_is_won() -> None:
    world = toy()
    strategy = Oracle(Workbench(FakeModel(silent), dict, world=world))
    answer = await think(TASK, strategy, dict, Silent(), Limits(steps=20), world=world)
    assert answer.solved and answer.why == "finished"
    assert [step.action for step in answer.episode.steps] == list(GOLD)
    assert answer.episode.steps[-1].seen and answer.episode.steps[-1].seen.won


@pytest.mark.parametrize("kind", [Learned, LineAgent])
def test_an_agent_that_lacks_a_part_is_not_made(kind: Callable[[Workbench], Strategy]) -> None:
    with pytest.raises(TypeError, match="abstract"):
        kind(Workbench(FakeModel(silent), dict, world=toy()))


async def test_the_oracle_gives_up_where_it_is_off_its_path() -> None:
    world = toy()
    done = (Step(in_world("", "look"), "nothing new"),)
    move = await Oracle(Workbench(FakeModel(silent), dict, world=world)).act(Episode(TASK, done))
    assert (move.answer, move.gave_up) == (OFF, True)
