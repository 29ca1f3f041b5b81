"""Every kind of task of both simulators, along its own solution: all that is admissible is verbs and names."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tools.worlds import simulator
from tools.worlds.actions import TEMPLATES, action_space
from tools.worlds.scienceworld import ScienceWorlds
from tools.worlds.world import Simulator, World, WorldSpec

pytestmark = pytest.mark.real
LONG_SOLUTIONS = ("mendelian-genetics-known-plant", "mendelian-genetics-unknown-plant")
"""Of which only the first state is looked at: finding one takes 10 seconds and more."""
STATES = 5


@pytest.fixture(scope="module")
def laboratory() -> Iterator[ScienceWorlds]:
    made = ScienceWorlds(cap=2)
    yield made
    made.close()


@pytest.mark.parametrize("task", [task.name for task in ScienceWorlds().tasks()])
def test_a_laboratorys_actions(laboratory: ScienceWorlds, task: str) -> None:
    _check(laboratory, WorldSpec("scienceworld", task, 0, ("easy",)), gold=task not in LONG_SOLUTIONS)


@pytest.mark.parametrize("task", [task.name for task in simulator("alfworld").tasks()])
def test_a_households_actions(task: str) -> None:
    home = simulator("alfworld")
    _check(home, WorldSpec("alfworld", task, 7), gold=True)
    home.close()


def _check(home: Simulator, spec: WorldSpec, *, gold: bool) -> None:
    world = home.open(spec)
    world.reset()
    _exact(world)
    path = world.gold() if gold else ()
    stops = {round(len(path) * (n + 1) / STATES) for n in range(STATES)}
    for number, action in enumerate(path, 1):
        world.step(action)
        if number in stops:
            _exact(world)
    world.close()


def _exact(world: World) -> None:
    space = action_space(world.admissible())
    assert len(space.verbs) < 30 and set(space.verbs) <= {*TEMPLATES, "choose number {object}"}
    for action in space.admissible:
        parts = space.parts(action)
        assert parts.action == action == space.action(parts.verb, parts.object, parts.other)
