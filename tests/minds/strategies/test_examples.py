"""The worked examples: which one a goal is shown, and that the simulators gave them."""

from __future__ import annotations

import pytest

from minds.strategies.examples import Example, all_examples, examples_for
from prompts import FOLDER
from tools.worlds import simulator
from tools.worlds.household import KINDS
from tools.worlds.world import WorldSpec

WORLDS = ("alfworld", "scienceworld")


@pytest.mark.parametrize("kind", KINDS)
def test_every_wording_of_a_household_goal_is_shown_a_task_of_its_kind(kind: str) -> None:
    for form in KINDS[kind].goals:
        goal = form.format(obj="mug", recep="countertop", toggle="desklamp")
        assert [one.name for one in examples_for("alfworld", goal)] == [kind], goal


def test_a_world_without_examples_has_none() -> None:
    assert examples_for("textworld", "open the box") == []


@pytest.mark.parametrize("world", WORLDS)
def test_examples_are_compact_and_think_before_every_action(world: str) -> None:
    for one in all_examples(world):
        text = (FOLDER / "strategies" / "examples" / world / f"{one.name}.txt").read_text(encoding="utf-8")
        assert len(text) < 6000, one.name
        assert one.steps and all(step.thought and step.action and step.observation for step in one.steps), one.name


@pytest.mark.real
@pytest.mark.parametrize("world", WORLDS)
def test_observations_are_the_engines_own_and_the_tasks_are_solved_train_variations(world: str) -> None:
    home = simulator(world)
    try:
        for one in all_examples(world):
            replayed(one, home.open(spec_of(one)))
            if world == "scienceworld":
                train = home.variations(spec_of(one).task, "train")
                assert spec_of(one).variation in {spec.variation for spec in train}
    finally:
        home.close()


def spec_of(one: Example) -> WorldSpec:
    world, task, variation, *options = one.spec
    return WorldSpec(world, task, int(variation), tuple(options))


def replayed(one: Example, world: object) -> None:
    from tools.worlds.world import World

    assert hasattr(world, "reset")
    live: World = world  # type: ignore[assignment]
    live.reset()
    won = False
    for step in one.steps:
        seen = live.step(step.action)
        said = " ".join(seen.text.split())
        shown = step.observation.removesuffix(" […]")
        assert shown.startswith(said) or said.startswith(shown), (one.name, step.action)
        won = won or seen.won
    assert won, one.name
    live.close()


@pytest.mark.real
def test_every_type_of_laboratory_task_is_shown_a_task_of_its_group() -> None:
    """Of train and dev variations: the test's are not looked at."""
    home = simulator("scienceworld")
    wrong = []
    try:
        for task in home.tasks():
            for spec in [*home.variations(task.name, "train")[2:4], *home.variations(task.name, "dev")[:2]]:
                world = home.open(spec)
                world.reset()
                (shown,) = examples_for("scienceworld", world.goal)
                if not any(task.name.startswith(begin) for begin in GROUPS[shown.name]):
                    wrong.append((task.name, shown.name))
                world.close()
    finally:
        home.close()
    assert wrong == []


GROUPS = {
    "matter": ("boil", "melt", "freeze", "change-the-state"),
    "melting_point": ("measure-melting-point",),
    "thermometer": ("use-thermometer",),
    "circuit": ("power-component",),
    "conductivity": ("test-conductivity",),
    "find": ("find-",),
    "grow": ("grow-plant",),
    "fruit": ("grow-fruit",),
    "mix": ("chemistry-mix",),
    "paint": ("chemistry-mix-paint",),
    "lifespan": ("lifespan",),
    "life_stages": ("identify-life-stages",),
    "plane": ("inclined-plane",),
    "genetics": ("mendelian",),
}
