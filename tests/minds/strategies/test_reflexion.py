"""Reflexion: what the model says of a failed trial stands above the task in the next."""

from __future__ import annotations

from minds.models.language import Garbled, Usage
from minds.strategies.reflexion import KEPT, Reflexion
from tests.fakes import FakeModel, Heard, Piece
from tests.minds.strategies.test_trials import CLUMSY
from tests.minds.strategies.toy import PLAIN, bench, played, toy
from tests.toyworld import GOLD, INTRO

LESSON = "I dropped mug 1 and it broke. Next time I carry it to drawer 1."


def clumsy_at_first(trials: int = 1) -> FakeModel:
    """Drops the mug in so many trials; then it does what it should."""
    left: list[str] = [*CLUMSY * trials, *GOLD]

    def says(heard: Heard) -> list[str]:
        if "You acted in a text world and failed" in str(heard.messages[0].content):
            return [LESSON]
        return [left.pop(0)]

    return FakeModel(says, abilities=PLAIN)


def asked_of(model: FakeModel) -> list[Heard]:
    """The calls for actions."""
    return [heard for heard in model.heard if "and failed" not in str(heard.messages[0].content)]


async def test_a_reflection_on_a_failed_trial_is_read_in_the_next() -> None:
    world, model = toy(), clumsy_at_first()
    answer = await played(Reflexion(bench(model, world)), world)
    assert answer.solved and answer.episode.trials[0].learnt.thought == LESSON
    second = asked_of(model)[len(CLUMSY)]
    above, _, task = second.last.partition(INTRO)
    assert LESSON in above and "mug breaks" not in task, "of the first trial nothing is left but the lesson"
    assert LESSON not in asked_of(model)[0].last


async def test_the_model_reflects_on_the_whole_trial_with_examples_and_why_it_failed() -> None:
    world, model = toy(), clumsy_at_first()
    await played(Reflexion(bench(model, world)), world)
    (reflecting,) = (heard for heard in model.heard if "and failed" in str(heard.messages[0].content))
    assert [message.type for message in reflecting.messages] == ["system", "human", "ai", "human", "ai", "human"]
    assert "> drop mug 1\nThe mug breaks." in reflecting.last
    assert reflecting.last.endswith("The world ended the task: it was failed.")


async def test_at_most_four_trials_and_the_last_three_reflections() -> None:
    world, model = toy(), clumsy_at_first(9)
    answer = await played(Reflexion(bench(model, world)), world)
    assert not answer.solved and len(answer.episode.trials) == 3
    assert asked_of(model)[-1].last.count(LESSON) == KEPT


async def test_an_empty_reflection_leaves_the_next_trial_without_one() -> None:
    world = toy()
    left: list[Piece] = [*CLUMSY, Garbled("All of it was thinking."), *GOLD]
    answer = await played(Reflexion(bench(FakeModel(lambda _: [left.pop(0)], abilities=PLAIN), world)), world)
    assert answer.solved and [trial.learnt.thought for trial in answer.episode.trials] == [""]


async def test_with_one_trial_it_is_react() -> None:
    world, model = toy(), clumsy_at_first()
    answer = await played(Reflexion(bench(model, world)), world, trials=1)
    assert answer.why == "lost" and len(model.heard) == len(CLUMSY)


async def test_a_reflection_says_what_it_cost() -> None:
    world, model = toy(), clumsy_at_first()
    answer = await played(Reflexion(bench(model, world)), world)
    learnt = answer.episode.trials[0].learnt
    assert (learnt.read, learnt.written, learnt.asked, learnt.tokens) == (10, 1, 1, Usage(10, 1).paid)
