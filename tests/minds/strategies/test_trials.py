"""Trials in the one loop: a strategy that failed is told, the world begins anew, and what was learnt is carried on."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from minds.dialogue import Answer, Dialogue, Episode, Move, Task, Trial, Why, in_world
from minds.models.language import ModelFault, Unreachable
from minds.slow import ONE_TRIAL, Limits, Trials, think
from tests.minds.test_world_strategies import Silent
from tests.toyworld import GOAL, GOLD, ToyWorld, ToyWorlds
from tools.worlds.world import WorldFault, WorldSpec

TASK = Task(GOAL, "put the mug away", Dialogue("s", "ada"))
CLUMSY = ("go to desk 1", "take mug 1 from desk 1", "drop mug 1")
DEAD = Unreachable("The model was silent.")


class Tries:
    """Acts as it is told in each trial, and then gives up; `learns` is what it makes of a failure."""

    trial_steps: int | None = None

    def __init__(self, *plans: Sequence[str], trials: int = 3, learns: Move | ModelFault | None = None) -> None:
        self._plans, self.trials = plans, trials
        self._learns = learns or Move("I must not drop it.", tokens=40, asked=1)
        self.seen: list[Episode] = []
        self.told: list[tuple[Episode, Why]] = []

    async def act(self, episode: Episode) -> Move:
        self.seen.append(episode)
        plan = self._plans[min(len(episode.trials), len(self._plans) - 1)]
        if len(episode.steps) < len(plan):
            return in_world("", plan[len(episode.steps)], tokens=5, asked=1)
        return Move("", answer="I am at my wits' end.", gave_up=True)

    async def failed(self, episode: Episode, why: Why) -> Move:
        self.told.append((episode, why))
        if isinstance(self._learns, ModelFault):
            raise self._learns
        return self._learns


class Resets:
    """Begins the toy household anew, as the benchmark does."""

    def __init__(self, world: ToyWorld, before: tuple[Trial, ...] = (), fault: str = "") -> None:
        self._world, self.before, self._fault = world, before, fault
        self.numbers: list[int] = []

    async def again(self, number: int, trial: Trial) -> None:
        if self._fault:
            raise WorldFault(self._fault)
        self.numbers.append(number)
        self._world.reset()


class Numbers(Silent):
    """Hears how steps are numbered."""

    def __init__(self) -> None:
        self.numbers: list[int] = []

    async def acting(self, number: int, *_: object) -> None:
        self.numbers.append(number)


def household() -> ToyWorld:
    world = ToyWorlds().open(WorldSpec("alfworld", "mug"))
    world.reset()
    return world


async def played(
    strategy: Tries, *, limits: Limits | None = None, before: tuple[Trial, ...] = (), fault: str = ""
) -> tuple[Answer, Resets]:
    world = household()
    resets = Resets(world, before, fault)
    limits = limits or Limits(steps=20)
    return await think(TASK, strategy, dict, Silent(), limits, world=world, trials=resets), resets


async def test_after_a_lost_world_the_task_begins_anew_with_what_was_learnt() -> None:
    strategy = Tries(CLUMSY, GOLD)
    answer, resets = await played(strategy)
    assert answer.solved and [step.action for step in answer.episode.steps] == list(GOLD)
    assert resets.numbers == [1]
    (first,) = answer.episode.trials
    assert [step.action for step in first.steps] == list(CLUMSY) and first.why == "lost"
    assert strategy.seen[3].steps == () and strategy.seen[3].trials[-1].learnt.thought == "I must not drop it."


async def test_giving_up_and_running_out_of_steps_are_failures_too() -> None:
    strategy = Tries(("look",), ("look",) * 9, GOLD)
    answer, _ = await played(strategy, limits=Limits(steps=6))
    assert answer.solved and [why for _, why in strategy.told] == ["gave up", "steps"]


async def test_a_trial_may_have_fewer_steps_than_the_run() -> None:
    strategy = Tries(("look",) * 30, GOLD)
    strategy.trial_steps = 7
    answer, _ = await played(strategy)
    assert answer.solved and len(answer.episode.trials[0].steps) == 7


@pytest.mark.parametrize(("of_paper", "of_run", "made"), [(3, None, 3), (3, 2, 2), (2, 5, 2), (3, 1, 1)])
async def test_trials_end_where_the_paper_or_the_run_says(of_paper: int, of_run: int | None, made: int) -> None:
    strategy = Tries(CLUMSY, trials=of_paper)
    answer, resets = await played(strategy, limits=Limits(steps=20, trials=of_run))
    assert not answer.solved and answer.why == "lost"
    assert (len(answer.episode.trials), len(resets.numbers)) == (made - 1, made - 1)


async def test_all_trials_and_what_was_learnt_of_them_are_paid_for() -> None:
    answer, _ = await played(Tries(CLUMSY, GOLD))
    assert (answer.tokens, answer.asked) == (5 * 3 + 40 + 5 * 5, 3 + 1 + 5)
    spent, _ = await played(Tries(CLUMSY, GOLD), limits=Limits(steps=20, tokens=50))
    assert spent.why == "tokens" and len(spent.episode.trials) == 1


async def test_where_the_task_cannot_be_begun_anew_the_answer_says_so() -> None:
    alone = await think(TASK, Tries(CLUMSY, GOLD), dict, Silent(), Limits(steps=20), world=household())
    assert alone.why == "lost" and alone.text.endswith(ONE_TRIAL)
    broken, _ = await played(Tries(CLUMSY, GOLD), fault="The game file is gone.")
    assert broken.why == "lost" and "no further trial: The game file is gone." in broken.text
    assert isinstance(broken.fault, WorldFault) and alone.fault is None


async def test_a_strategy_may_end_the_episode_instead_of_trying_again() -> None:
    strategy = Tries(CLUMSY, GOLD, learns=Move("It broke.", answer="There is only one mug, and it broke."))
    answer, resets = await played(strategy)
    assert answer.text == "There is only one mug, and it broke." and resets.numbers == []


async def test_a_model_that_dies_over_its_reflection_loses_nothing() -> None:
    answer, resets = await played(Tries(CLUMSY, GOLD, learns=DEAD))
    assert answer.why == "lost" and len(answer.episode.steps) == 3 and str(DEAD) in answer.text
    assert answer.fault is DEAD, "whoever counts failures is told that this is none"
    assert resets.numbers == []


class Dying(Tries):
    """Its model dies after two steps."""

    async def act(self, episode: Episode) -> Move:
        if len(episode.steps) == 2:
            raise DEAD
        return await super().act(episode)


async def test_a_model_that_dies_in_mid_episode_ends_it_where_it_stands() -> None:
    answer, resets = await played(Dying(GOLD))
    assert (answer.why, answer.text, len(answer.episode.steps), answer.fault) == ("model", str(DEAD), 2, DEAD)
    assert resets.numbers == [], "a dead model is no failure of the trial"


async def test_a_model_that_dies_before_anything_was_done_is_a_fault() -> None:
    class Dead(Tries):
        async def act(self, episode: Episode) -> Move:
            raise DEAD

    with pytest.raises(Unreachable):
        await played(Dead(GOLD))


async def test_after_a_restart_the_trials_before_count_and_what_they_taught_is_known() -> None:
    strategy = Tries(CLUMSY, GOLD)
    answer, _ = await played(strategy, before=(Trial((), "steps", Move("Look in the drawer.")),))
    assert answer.solved and strategy.seen[0].trials[0].learnt.thought == "Look in the drawer."
    assert [step.action for step in answer.episode.steps] == list(GOLD), "it was the second trial"


async def test_steps_are_numbered_through_all_trials() -> None:
    world, ear = household(), Numbers()
    await think(TASK, Tries(CLUMSY, GOLD), dict, ear, Limits(steps=20), world=world, trials=Resets(world))
    assert ear.numbers == list(range(1, 9))


async def test_a_strategy_without_trials_has_one() -> None:
    class Once:
        async def act(self, episode: Episode) -> Move:
            return in_world("", CLUMSY[len(episode.steps)])

    world = household()
    trials: Trials = Resets(world)
    answer = await think(TASK, Once(), dict, Silent(), Limits(steps=20), world=world, trials=trials)
    assert answer.why == "lost" and answer.episode.trials == ()
