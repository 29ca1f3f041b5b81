"""A question about a task: the layers' words where the story bears them out, and the steps in the world's own words."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from minds import recounting
from minds.models.language import Usage
from minds.recounting import bears, like, steps_of
from tests.fakes import FakeModel, in_turn

LINES = (
    "1. go to desk 1 (you): On the desk 1, you see a key 1 and a pen 2.",
    "2. take key 1 from desk 1 (you): You pick up the key 1 from the desk 1.",
    "3. open drawer 3 (I): The drawer 3 is open. [I have seen this done: 90% sure.]",
    "4. move key 1 to drawer 3 (I): You move the key 1 to the drawer 3.",
    "5. open drawer 4 (I): The drawer 4 is open.",
)
THINGS = "key 1: found at desk 1 and taken (step 2, by you); put in or on drawer 3 (step 4, by me)."
STORY = "\n".join(["Task 1 (alfworld): put a key in drawer", *LINES, "Thing by thing:", THINGS])
TOLD = ("Done: put a key in drawer.", f"- {THINGS}", "- You took 2 steps, I took 3.")


def model(asks: str, *written: str) -> FakeModel:
    """Its layers write one after the other; a question is for what `asks` says."""
    lines, found = iter(written), FakeModel(lambda _: [], in_turn(asks))
    found.recounts = FakeModel(lambda _: [next(lines)])
    return found


async def answered(asked: FakeModel, said: str = "where was it?", language: str = "English") -> str:
    return (await recounting.answer(asked, STORY, TOLD, said, language, Usage()))[1]


async def test_the_layers_words_stand_above_the_steps_that_they_rest_on_and_the_things_that_these_are_about() -> None:
    text = await answered(model("else", "Steps: 2", "On desk 1: you took key 1 there at step 2."))
    step = "- 2 (by you): **take key 1 from desk 1**: You pick up the key 1 from the desk 1."
    assert text == f"On desk 1: you took key 1 there at step 2.\n\n{step}\n- {THINGS}\n{TOLD[2]}"


@pytest.mark.parametrize(
    "wrote", ["I took it at step 2.", "It was 25 degrees at step 2.", "You opened it at step 3.", "2 keys: step 2."]
)
async def test_what_the_steps_do_not_bear_out_is_not_said(wrote: str) -> None:
    text = await answered(model("else", "Steps: 2", wrote))
    assert wrote not in text and "**take key 1 from desk 1**" in text


async def test_what_rests_on_no_step_is_not_said_but_how_the_task_stands() -> None:
    text = await answered(model("else", "Steps: none", "Nobody did anything."))
    assert "Nobody" not in text and text.endswith(f"{TOLD[0]}\n{TOLD[2]}")


async def test_a_reason_is_what_was_seen_before_and_what_came_of_it_as_the_world_tells_it() -> None:
    text = await answered(model("reason", "Steps: 3", "I don't know why."), "why that drawer?")
    assert "know" not in text and text.count("**") == 6 and TOLD[0] in text
    assert "seen this done" in text, "why whoever acted did it"


async def test_what_is_counted_is_counted_by_code() -> None:
    text = await answered(model("count", "Steps: 5", "One drawer."), "how many drawers did you open?")
    assert "One" not in text and "**2 ×**" in text and "drawer 3" in text and "drawer 4" in text


async def test_to_a_person_of_another_language_only_the_world_speaks_english() -> None:
    text = await answered(model("else", "Steps: 2", "On desk 1."), "¿dónde estaba?", "Spanish")
    assert text.startswith("Lo que pasó") and "(por ti)" in text and "On desk 1." not in text


def of(numbers: Sequence[int]) -> list[recounting.Told]:
    return [steps_of(STORY)[number] for number in numbers]


def test_several_steps_are_borne_out_together() -> None:
    assert bears("You went there and took key 1 (steps 1 and 2).", of((1, 2)), STORY)
    assert not bears("I did it at steps 2 and 4.", of((2, 4)), STORY)


def test_steps_that_do_the_same_are_those_with_things_of_one_kind_where_there_are_several() -> None:
    every = steps_of(STORY)
    assert [step.number for step in like(of((3, 5)), every)] == [3, 5]
    assert [step.number for step in like(of((2,)), every)] == [2]
