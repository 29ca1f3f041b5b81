"""The form of a line, as models write it."""

from __future__ import annotations

import pytest

from minds.strategies.lines import bare, line_of, lines_of, thought_of

GO = "go to fridge 1"


@pytest.mark.parametrize(
    "wrote",
    [
        GO,
        f"> {GO}",
        f"> > {GO.title().lower()}.",
        f"`{GO}`",
        f"**Action:** {GO}",
        f"Action 2: {GO}",
        f"Next action: {GO}",
        f"1. {GO}",
        f"2) **{GO}**",
        f'- "{GO}"',
    ],
)
def test_signs_numbers_and_headings_around_an_action_are_no_part_of_it(wrote: str) -> None:
    assert bare(wrote) == GO


@pytest.mark.parametrize("wrote", ["0", "1.", "0: apple (in bowl)"])
def test_a_number_that_answers_a_question_stays(wrote: str) -> None:
    assert bare(wrote) == wrote.rstrip(".")


@pytest.mark.parametrize("begins", ["think: ", "> think: ", "Thought: ", "**think:** ", "*think*: ", "> > think : "])
def test_a_thought_is_one_however_it_is_marked(begins: str) -> None:
    assert thought_of(f"{begins}I look for an [[apple]].") == "I look for an [[apple]]."
    assert thought_of("go to the thinker 1") is None


@pytest.mark.parametrize(
    "said",
    [
        f"```\n> {GO}\n```",
        f"```text\n{GO}\n```",
        f"\n\n> {GO}",
        f"Here is my next line:\n\n> {GO}",
        f"OK.\n> {GO}",
        f"You see a fridge 1.\n> {GO}",
        f"> {GO}\nYou open the fridge 1.\n> take egg 1 from fridge 1",
        f"{GO}\nThe fridge 1 is closed.\n> open fridge 1",
    ],
)
def test_the_next_line_is_the_first_that_is_the_agents_own(said: str) -> None:
    assert line_of(said, ["> look", "You see a fridge 1."]) == GO


def test_a_line_that_was_written_before_may_be_written_again_and_nothing_may_be_written() -> None:
    assert line_of("> look", ["> look"]) == line_of("look", ["> look"]) == "look"
    assert line_of("```\n```\n>\n") == ""


def test_a_thought_comes_before_the_action_behind_it() -> None:
    assert line_of(f"Thought: I am hungry.\nAction: {GO}") == "think: I am hungry."


def test_headings_and_fences_are_no_lines_of_a_list() -> None:
    assert lines_of("Here are the best:\n\n```\n1. look\n2. go\n```\n**Others:**") == ["1. look", "2. go"]
