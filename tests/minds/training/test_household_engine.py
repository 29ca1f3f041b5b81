"""The plain engine alone: generated games are won by their walkthroughs, and it says what the rules say."""

from __future__ import annotations

import pytest

from minds.training.swift_alfworld.household_engine import NOTHING, FastEngine, open_fast
from tools.worlds.household import KINDS, game
from tools.worlds.world import Scene, WorldFault, WorldSpec


@pytest.mark.parametrize("task_type", KINDS)
def test_every_generated_game_is_won_by_its_last_step_and_not_before(task_type: str) -> None:
    for seed in range(30):
        world = open_fast(WorldSpec("alfworld", f"household/{task_type}", seed))
        seen = [world.reset(), *(world.step(step) for step in world.gold())]
        assert [o.won for o in seen] == [*[False] * (len(seen) - 1), True], (seed, world.goal)
        assert NOTHING not in [o.text for o in seen]
        assert world.reset() == seen[0]


def test_what_is_admissible_does_something_and_nothing_else_does() -> None:
    world = open_fast(WorldSpec("alfworld", "household/pick_cool_then_place_in_recep", 8))
    world.reset()
    everything = set[str]()
    for step in world.gold():
        everything |= set(world.admissible())
        world.step(step)
    for command in sorted(everything):
        possible = command in world.admissible()
        assert (world.step(command).text != NOTHING) == possible, command


def test_hands_hold_one_thing_and_closed_places_show_none() -> None:
    world = open_fast(WorldSpec("alfworld", "household/pick_heat_then_place_in_recep/Egg/Fridge", 2))
    world.reset()
    take = next(step for step in world.gold() if step.startswith("take"))
    for step in world.gold()[: world.gold().index(take) + 1]:
        world.step(step)
    assert not [command for command in world.admissible() if command.startswith("take")]
    world.step("go to fridge 1")
    assert world.scene() == Scene("fridge 1", (), world.scene().exits, (take.split(" from ")[0].removeprefix("take "),))
    assert world.look() == "You are facing the fridge 1. Next to it, you see nothing."
    assert "open fridge 1" in world.admissible()


def test_a_goal_of_another_form_is_refused() -> None:
    made = game("pick_and_place_simple", 1)
    strange = made.problem.partition("(:goal")[0] + "(:goal (and (opened ?r)))"
    with pytest.raises(WorldFault, match="goal"):
        FastEngine(type(made)(made.domain, made.grammar, strange, made.goal))
