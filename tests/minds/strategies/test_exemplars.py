"""Exemplars: the right two for a goal, with the helpers that there are; every observation is the engine's own."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from minds.strategies.examples import exemplars, task_type
from minds.strategies.transcript import one_line, opened
from prompts import render
from tools.worlds import simulator
from tools.worlds.household import KINDS
from tools.worlds.world import WorldSpec

SEEDS = {
    "pick_and_place_simple": (5003, 5017),
    "look_at_obj_in_light": (5011, 5016),
    "pick_clean_then_place_in_recep": (5021, 5019),
    "pick_heat_then_place_in_recep": (5045, 5003),
    "pick_cool_then_place_in_recep": (5008, 5006),
    "pick_two_obj_and_place": (5004, 5001),
}
"""Type of task -> the generator's games that its exemplars were played in, one for each way to word the goal."""
FAILED = (
    WorldSpec("alfworld", "household/look_at_obj_in_light", 3),
    WorldSpec("alfworld", "household/pick_heat_then_place_in_recep", 2),
    WorldSpec("scienceworld", "find-living-thing", 0, ("easy",)),
    WorldSpec("scienceworld", "melt", 0, ("easy",)),
)
LABORATORY = (
    WorldSpec("scienceworld", "find-plant", 0, ("easy",)),
    WorldSpec("scienceworld", "freeze", 0, ("easy",)),
)


@pytest.mark.parametrize("kind", KINDS)
def test_the_type_of_a_household_task_is_told_by_the_games_wording(kind: str) -> None:
    for form in KINDS[kind].goals:
        assert task_type("alfworld", form.format(obj="mug", recep="desk", toggle="desklamp")) == kind


@pytest.mark.parametrize(
    ("goal", "kind"),
    [
        ("bring two pillows to the sofa and put them there", "pick_two_obj_and_place"),
        ("look at the vase under a floorlamp", "look_at_obj_in_light"),
    ],
)
def test_a_goal_in_other_words_is_shown_the_nearest(goal: str, kind: str) -> None:
    assert task_type("alfworld", goal) == kind


def test_other_worlds_have_one_pair_for_all() -> None:
    assert task_type("scienceworld", "Your task is to boil water.") == task_type("textworld", "Cook.") == "scienceworld"


@pytest.mark.parametrize("kind", [*KINDS, "scienceworld"])
@pytest.mark.parametrize("helpers", [{}, {"checker": True}, {"sorter": True}, {"checker": True, "sorter": True}])
def test_who_has_no_helper_is_shown_none(kind: str, helpers: dict[str, bool]) -> None:
    goal = KINDS[kind].goals[0].format(obj="mug", recep="desk", toggle="lamp") if kind in KINDS else ""
    shown = exemplars("alfworld" if kind in KINDS else kind, goal, **helpers)
    assert shown.count("Your task is") == 2 and " | " not in shown
    assert ("is not here." in shown) == helpers.get("checker", False)
    assert ("> sorting(" in shown) == ("Based on the sorting" in shown) == helpers.get("sorter", False)
    assert ("[[" in shown) == bool(helpers)


def trajectories(text: str) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """(opening, (action, observation) ...) of each."""
    for block in text.split("\n\n"):
        opening, *steps = re.split(r"\n> ", block.partition("\nSTATUS: FAIL")[0])
        pairs = [(said, answer) for said, _, answer in (step.partition("\n") for step in steps)]
        yield opening, [pair for pair in pairs if not pair[0].startswith("think:")]


def replay(spec: WorldSpec, opening: str, steps: list[tuple[str, str]]) -> bool:
    """Whether the world is won at the end; every observation must be as it is shown."""
    home = simulator(spec.world)
    world = home.open(spec)
    try:
        assert opened(world.reset().text, world.goal) == opening
        won = False
        for action, shown in steps:
            seen = world.step(action)
            assert one_line(seen.text) == shown, (spec, action)
            won = seen.won
        return won
    finally:
        world.close()
        home.close()


@pytest.mark.real
@pytest.mark.parametrize("kind", SEEDS)
def test_household_exemplars_were_won_in_games_of_the_generator(kind: str) -> None:
    goal = KINDS[kind].goals[0].format(obj="mug", recep="desk", toggle="lamp")
    both = trajectories(exemplars("alfworld", goal))
    for seed, (opening, steps) in zip(SEEDS[kind], both, strict=True):
        assert replay(WorldSpec("alfworld", f"household/{kind}", seed), opening, steps), (kind, seed)


@pytest.mark.real
def test_laboratory_exemplars_were_won_in_train_variations() -> None:
    both = trajectories(exemplars("scienceworld", ""))
    for spec, (opening, steps) in zip(LABORATORY, both, strict=True):
        assert replay(spec, opening, steps), spec


@pytest.mark.real
def test_failures_were_none_the_less_played() -> None:
    shown = [render(f"strategies/sala/failures_{world}") for world in ("alfworld", "scienceworld")]
    for spec, (opening, steps) in zip(FAILED, [one for text in shown for one in trajectories(text)], strict=True):
        assert not replay(spec, opening, steps), spec
