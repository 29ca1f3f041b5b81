"""Whole tasks in text worlds, played by a recorded strong model that answered from the prompts: what of its paper is
seen at work in each."""

from __future__ import annotations

from dataclasses import replace

import pytest

from minds.dialogue import Answer
from tests.strong.server import StrongModel, serving
from tests.strong.worlds import EPISODES, play

pytestmark = pytest.mark.real


async def replayed(name: str, strategy: str = "") -> tuple[Answer, StrongModel]:
    """The episode as it was recorded, won; by another strategy, as that plays it."""
    recorded = EPISODES[name]
    with serving(file=recorded.file) as model:
        answer = await play(model, replace(recorded, strategy=strategy or recorded.strategy))
    assert model.unmatched == [] and (answer.solved or strategy)
    return answer, model


def thoughts(answer: Answer) -> str:
    return "\n".join(step.move.thought for step in answer.episode.steps)


def asked(model: StrongModel, begins: str) -> list[str]:
    """What a helper was asked."""
    return [one.asked.said for one in model.made if one.asked.said.startswith(begins)]


async def test_interact_heats_an_egg_the_places_are_sorted_and_a_wrong_word_is_mended() -> None:
    answer, model = await replayed("interact_heat")
    assert len(asked(model, "Object: egg")) == 1
    assert "sorting(egg): [fridge 1, countertop 1, diningtable 1" in thoughts(answer)
    last = answer.episode.steps[-1]
    assert (last.move.wrote, last.action) == ("put egg 3 in/on countertop 1", "move egg 3 to countertop 1")


async def test_interact_looks_for_two_things_and_is_told_at_each_place_that_they_are_not_there() -> None:
    answer, model = await replayed("interact_look")
    assert thoughts(answer).count("Checker: cd is not here.") >= 4
    assert "Checker: desklamp is not here." in thoughts(answer)
    assert len(asked(model, "Object: ")) == 2
    assert asked(model, "Required: desklamp")[0].endswith("a cd 2, and a pen 1."), "asked beside the sorter"


async def test_interact_puts_two_mugs_away_and_goes_back_for_the_second() -> None:
    answer, model = await replayed("interact_two")
    actions = [step.action for step in answer.episode.steps]
    assert "I should go back to sidetable 1" in thoughts(answer)
    assert actions.count("go to sidetable 1") == 2 and len(actions) == 8, "no other place is visited"
    assert len(asked(model, "Object: mug")) == 1 and len(asked(model, "Required: mug")) == 2


async def test_sala_needs_no_adaptation_where_the_first_trial_wins() -> None:
    answer, model = await replayed("sala_put")
    assert answer.episode.trials == () and len(model.made) == 8


@pytest.mark.parametrize("name", ["sala_keychain", "sala_two"])
async def test_sala_fails_learns_and_then_wins(name: str) -> None:
    answer, model = await replayed(name)
    (first,) = answer.episode.trials
    assert (first.why, len(first.steps)) == ("steps", EPISODES[name].steps)
    assert "In the next trial, I will" in first.learnt.thought
    (ended,) = [one.asked.said for one in model.made if one.asked.said.endswith("STATUS: FAIL\nNew plan:")]
    later = [one.asked.said for one in model.made if one.asked.said.startswith(first.learnt.thought[:200])]
    assert ended and len(later) >= len(answer.episode.steps), "every prompt of the second trial begins with it"
    assert len(answer.episode.steps) <= EPISODES[name].steps


@pytest.mark.parametrize("name", ["react_put", "react_cool", "react_living"])
async def test_react_thinks_before_every_action_and_writes_only_what_is_possible(name: str) -> None:
    answer, model = await replayed(name)
    steps = answer.episode.steps
    assert len(model.made) == len(steps) and all(step.move.thought for step in steps)
    assert [step.move.wrote for step in steps if step.move.wrote] == []


async def test_reflexion_needs_no_reflection_where_the_first_trial_wins() -> None:
    answer, _ = await replayed("reflexion_plant")
    assert answer.episode.trials == () and len(answer.episode.steps) == 4


@pytest.mark.parametrize("name", ["reflexion_clean", "reflexion_two"])
async def test_reflexion_knows_in_its_second_trial_where_things_are(name: str) -> None:
    answer, model = await replayed(name)
    (first,) = answer.episode.trials
    assert (first.why, len(first.steps)) == ("steps", EPISODES[name].steps)
    assert "In the next trial I will" in first.learnt.thought and "in vain" in first.learnt.thought
    above = [one for one in model.made if one.asked.said.startswith("You tried this task before and failed.")]
    assert len(above) == len(answer.episode.steps) < len(first.steps)


async def test_duet_plans_where_swift_is_not_sure_and_wins_what_swift_loses() -> None:
    answer, model = await replayed("duet_thermometer")
    asked, *_ = (step for step in answer.episode.steps if "I asked Sage" in step.move.thought)
    assert "cannot be taken back and the policy is only 54% sure" in asked.move.thought
    assert asked.action == "teleport to kitchen" and len(model.made) == 2
    alone, _ = await replayed("duet_thermometer", strategy="swift")
    assert not alone.solved


async def test_swiftsage_asks_before_a_critical_act_and_runs_the_buffer_to_its_end() -> None:
    answer, model = await replayed("swiftsage_animal")
    said = [step.move.thought for step in answer.episode.steps]
    assert "is a critical decision. Q1:" in said[1] and all(f"Q{n}:" in said[1] for n in range(1, 6))
    assert said[2:] == ["I follow the plan."] * 3 and len(model.made) == 2, "one plan, one grounding, four actions"


async def test_swiftsage_plans_where_nothing_earns_a_reward_and_swift_goes_on_behind_it() -> None:
    answer, model = await replayed("swiftsage_boil")
    said = [step.move.thought for step in answer.episode.steps]
    assert [("5 steps brought no reward" in one) for one in said].count(True) == 2 and len(model.made) == 4
    swifts = [step for step in answer.episode.steps if step.move.confidence is not None]
    assert len(swifts) > len(answer.episode.steps) / 2, "Swift acts most of the time"


async def test_swiftsage_meets_the_broken_stove_and_takes_another_way() -> None:
    answer, model = await replayed("swiftsage_freeze")
    steps = answer.episode.steps
    (at,) = (n for n, step in enumerate(steps) if "met an exception" in step.move.thought)
    assert "appears broken" in steps[at - 1].observation and "Q5: I put the pot on the stove" in steps[at].move.thought
    assert [step.action for step in steps[at:]][-1] == "wait" and len(model.made) == 4
