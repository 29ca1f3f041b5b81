"""What was told and is asked back is said by rule, where the model is small."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from minds.dialogue import Dialogue, Turn
from minds.fast import no_echo, uncited
from minds.told import noted, recalled


def dialogue(*said: str) -> Dialogue:
    return Dialogue("s", "anna", tuple(Turn("user", text) for text in said))


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("Please remember my secret word: GINGER-576.", "your secret word is GINGER-576"),
        ("don't forget I'm allergic to nuts", "you're allergic to nuts"),
        ("keep in mind we meet in room 12b", "you meet in room 12b"),
        ("Note that I was born in 1990.", "you were born in 1990"),
    ],
)
def test_what_is_told_is_said_back_to_the_person(said: str, kept: str) -> None:
    assert noted(said) == f"I'll keep that in mind: {kept}."


@pytest.mark.parametrize("said", ["What is 3 times 4?", "Do you remember what I told you?", "remember when we met?"])
def test_a_question_is_no_note(said: str) -> None:
    assert noted(said) == ""


@pytest.mark.parametrize(
    ("told", "asked", "kept"),
    [
        (
            "Please remember my secret word: OTTER-986.",
            "What was my secret word again?",
            "your secret word is OTTER-986",
        ),
        ("remember that anna comes on friday at 6", "when does anna come?", "anna comes on friday at 6"),
        ("Hi, I'm Priya. My cat is called Moss.", "What's my cat called again?", "your cat is called Moss"),
        ("Hi, I'm Priya. My cat is called Moss.", "what is my name?", "your name is Priya"),
    ],
)
def test_what_was_told_answers_what_is_asked_back(told: str, asked: str, kept: str) -> None:
    assert recalled(asked, dialogue("hello", told, "thanks")) == f"You told me: {kept}."


@pytest.mark.parametrize(
    ("told", "asked"),
    [
        ("Remember my dentist appointment is on 12 May", "How many days until my dentist appointment?"),
        ("I want to plan a trip to Rome in May", "What is Rome?"),
        ("My rent is 890 a month", "What is my rent a week?"),
        ("What is my rent if I pay 890?", "What is my rent?"),
        ("My cat is called Moss.", "What is my dog called?"),
    ],
)
def test_more_than_was_told_is_not_recalled(told: str, asked: str) -> None:
    assert recalled(asked, dialogue(told)) == ""


def test_the_latest_word_counts() -> None:
    assert "tulip" in recalled("what's the code?", dialogue("note: the code is rose", "note: the code is tulip"))


async def pieces(*texts: str) -> AsyncIterator[str]:
    for text in texts:
        yield text


async def test_an_echo_is_replaced_and_all_else_passes() -> None:
    assert [p async for p in no_echo(pieces("My cat ", "is called Moss."), "My cat is called Moss.")] == [
        "I'll keep that in mind: your cat is called Moss."
    ]
    shown = [p async for p in no_echo(pieces("My ", "cat", " sleeps", " too."), "My cat is called Moss.")]
    assert "".join(shown) == "My cat sleeps too."
    assert len(shown) == 2


async def test_made_up_sources_are_left_out() -> None:
    text = "".join([p async for p in uncited(pieces("A joke! [jo", "ke.md, Tomato]. And [brackets] stay [here"))])
    assert text == "A joke! And [brackets] stay [here"
