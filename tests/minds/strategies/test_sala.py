"""SALA with a scripted model, on the toy household: one model for thoughts, actions and adaptations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from minds.dialogue import Answer, Dialogue, Episode, Task
from minds.models.language import Abilities, Garbled, ModelFault, Unreachable
from minds.slow import Limits, Workbench, retrying, think
from minds.strategies import open_strategy
from minds.strategies.sala import SALA, adaptation
from tests.fakes import SMALL, STRONG, FakeModel, Heard, Piece
from tests.minds.strategies.test_trials import Resets
from tests.minds.test_world_strategies import Silent
from tests.toyworld import GOAL, GOLD, INTRO, ToyWorlds
from tools.worlds.world import WorldSpec

TASK = Task(GOAL, "put the mug away", Dialogue("s", "ada"))
PLAIN = Abilities(context=8192)
CLUMSY = ("think: I take it and drop it.", "go to desk 1", "take mug 1 from desk 1", "drop mug 1")
LEARNT = "I dropped mug 1 and it broke. In the next trial, I will go to drawer 1 and open it first."


def model_of(*said: str | ModelFault, abilities: Abilities = PLAIN) -> FakeModel:
    """Its words in turn."""
    left = iter(said)

    def says(_: Heard) -> Sequence[Piece]:
        return [next(left)]

    return FakeModel(says, abilities=abilities)


async def played(model: FakeModel, **limits: Any) -> tuple[Answer, Resets]:
    world = ToyWorlds().open(WorldSpec("alfworld", "mug"))
    opening = world.reset().text
    strategy = open_strategy("sala", Workbench(model, dict, world=world, opening=opening))
    resets = Resets(world)
    how = Limits(**{"steps": 99, "tokens": 10**6, **limits})
    return await think(TASK, strategy, dict, Silent(), how, world=world, trials=resets), resets


def asked(model: FakeModel, number: int) -> str:
    """The transcript that the model saw."""
    return model.heard[number].last


async def test_a_failed_trial_is_followed_by_one_that_has_learnt() -> None:
    model = model_of(*CLUMSY, LEARNT, *GOLD)
    answer, resets = await played(model)
    assert answer.solved and resets.numbers == [1]
    assert answer.episode.trials[0].learnt.thought == LEARNT
    assert [step.action for step in answer.episode.steps] == list(GOLD)


async def test_one_prompt_serves_thoughts_actions_and_adaptations() -> None:
    model = model_of(*CLUMSY, LEARNT, *GOLD)
    await played(model)
    heads = {str(heard.messages[0].content) for heard in model.heard}
    assert len(heads) == 1, "the same model with the same exemplars"
    (head,) = heads
    assert head.count("Your task is to:") == 4 and head.count("STATUS: FAIL\nNew plan:") == 2
    assert head.index("STATUS: FAIL") > head.rindex("You move the "), "ReAct's two come first"
    assert "[[" not in head and "sorting(" not in head and "is not here" not in head


async def test_where_a_trial_failed_the_model_goes_on_behind_status_and_new_plan() -> None:
    model = model_of(*CLUMSY, LEARNT, *GOLD)
    await played(model)
    told = asked(model, len(CLUMSY))
    assert told.startswith(INTRO) and "> drop mug 1\nThe mug breaks." in told
    assert told.endswith("STATUS: FAIL\nNew plan:")


async def test_of_a_failed_trial_the_adaptation_alone_is_carried_on_above_the_task() -> None:
    model = model_of(*CLUMSY, LEARNT, *GOLD)
    await played(model)
    assert asked(model, len(CLUMSY) + 1) == f"{LEARNT}\n{INTRO}\nYour task is to: {GOAL}\n>"


async def test_a_new_adaptation_takes_the_place_of_the_one_before() -> None:
    model = model_of(*CLUMSY, "First plan.", *CLUMSY, "Second plan.", *GOLD)
    answer, _ = await played(model)
    assert answer.solved and len(answer.episode.trials) == 2
    assert asked(model, 2 * len(CLUMSY) + 2).startswith("Second plan.\nYou are in the middle")


async def test_a_trial_has_at_most_fifty_steps_and_there_are_at_most_nine() -> None:
    every = ("look",) * 50
    model = model_of(*(line for _ in range(9) for line in (*every, "Again.")))
    answer, resets = await played(model, steps=999)
    assert (answer.why, len(answer.episode.steps)) == ("steps", 50)
    assert [len(trial.steps) for trial in answer.episode.trials] == [50] * 8
    assert resets.numbers == list(range(1, 9))


async def test_a_run_may_have_fewer_trials() -> None:
    model = model_of(*CLUMSY, LEARNT, *CLUMSY)
    answer, _ = await played(model, trials=2)
    assert answer.why == "lost" and len(answer.episode.trials) == 1
    answer, _ = await played(model_of(*CLUMSY), trials=1)
    assert answer.why == "lost" and not answer.episode.trials


@pytest.mark.parametrize("abilities", [PLAIN, SMALL, STRONG, Abilities(tools=True)])
async def test_it_runs_on_any_chat_model(abilities: Abilities) -> None:
    answer, _ = await played(model_of(*CLUMSY, LEARNT, *GOLD, abilities=abilities))
    assert answer.solved


async def test_a_model_that_goes_on_with_what_was_begun_is_begun_the_plan() -> None:
    model = model_of(*CLUMSY, LEARNT, *GOLD, abilities=SMALL)
    await played(model)
    told = model.heard[len(CLUMSY)]
    assert told.prefix == "New plan:" and told.last.endswith("STATUS: FAIL")


async def test_what_was_written_in_vain_becomes_the_nearest_action_and_the_log_says_so() -> None:
    answer, _ = await played(model_of("walk to the desk 1", "look"), steps=2, trials=1)
    first = answer.episode.steps[0]
    assert (first.action, first.move.wrote) == ("go to desk 1", "walk to the desk 1")


async def test_a_model_that_dies_over_the_adaptation_loses_nothing() -> None:
    answer, resets = await played(model_of(*CLUMSY, Unreachable("The model was silent.")))
    assert answer.why == "lost" and len(answer.episode.steps) == 3 and "silent" in answer.text
    assert resets.numbers == []


async def test_a_model_that_dies_in_the_second_trial_ends_the_episode_there() -> None:
    answer, _ = await played(model_of(*CLUMSY, LEARNT, "go to desk 1", Unreachable("The model was silent.")))
    assert (answer.why, len(answer.episode.steps), len(answer.episode.trials)) == ("model", 1, 1)


@pytest.mark.parametrize("first", ["```\n> go to desk 1\n```", "My next line:\n> go to desk 1"])
async def test_fences_and_headings_are_no_line(first: str) -> None:
    answer, _ = await played(model_of(first, *GOLD[1:]), trials=1)
    assert answer.solved and answer.episode.steps[0].move.wrote is None


async def test_a_model_that_writes_nothing_loses_its_step_and_goes_on() -> None:
    answer, _ = await played(model_of(Garbled("The model answered nothing."), *GOLD), trials=1)
    assert answer.solved and answer.episode.steps[0].move.wrote == ""


DO = "1. go to fridge 1 2. take it"


@pytest.mark.parametrize(
    ("said", "plan"),
    [
        ("New plan: I was stuck.\nI will open it.\n\nYou are in the middle", "I was stuck. I will open it."),
        ("Here it is:\n\n1. go to fridge 1\n2. take it", f"Here it is: {DO}"),
        ("STATUS: FAIL\n**New plan:** 1. go to fridge 1\n2. take it\n> go to fridge 1", DO),
        (f"> {DO}\nYour task is to: put it away.", DO),
        (f"I wait.\n\nNew plan: {DO}", DO),
        ("", ""),
    ],
)
def test_an_adaptation_is_all_that_was_planned_in_one_line(said: str, plan: str) -> None:
    assert adaptation(said, INTRO) == plan


async def test_where_nothing_was_learnt_the_next_trial_begins_all_the_same() -> None:
    model = model_of(*CLUMSY, Garbled("All of it was thinking."), *GOLD)
    answer, _ = await played(model)
    assert answer.solved and [trial.learnt.thought for trial in answer.episode.trials] == [""]
    assert asked(model, len(CLUMSY) + 1).startswith(INTRO)


async def test_the_loop_knows_that_it_tries_again() -> None:
    world = ToyWorlds().open(WorldSpec("alfworld", "mug"))
    strategy = SALA(Workbench(model_of("look"), dict, world=world, opening=world.reset().text))
    assert retrying(strategy) and (strategy.trials, strategy.trial_steps) == (9, 50)
    assert (await strategy.act(Episode(TASK))).action == "look"
