"""Which replies rest on what the memory told."""

from __future__ import annotations

import pytest

from chat.resting import leans, resting
from memory.memory import Note
from minds.dialogue import Call, Move, Step

REX = Note("rex", "turn", "My dog is called Rex.", 1.0, speaker="user")
BERLIN = Note("home", "fact", "user, lives in: Berlin (I live in Berlin)", 1.0, about={"value": "Berlin"})
PIE = Note("diet", "fact", "user, likes: pie (I like pie)", 1.0, about={"value": "pie"})
TWO = Note("two", "fact", "user, children: 2 (I have 2 children)", 1.0, about={"value": "2"})
SUM = Note("sum", "result", "What is 387 times 46?", 1.0, "17802")


@pytest.mark.parametrize(
    ("said", "reply", "notes"),
    [
        ("What is my dog called?", "Your dog is called Rex.", ["rex"]),
        ("Where do I live?", "You live in Berlin.", ["home"]),
        ("Berlin is cold today", "Berlin can be cold.", []),
        ("What shall I bake?", "A pie, since you like it.", ["diet"]),
        ("How much was that sum?", "It was 17,802.", ["sum"]),
        ("How are you?", "I am fine, thanks.", []),
        ("Tell me all", "Rex lives in Berlin and eats pie.", ["rex", "home", "diet"]),
    ],
)
def test_names_figures_and_values_that_the_person_did_not_just_say(said: str, reply: str, notes: list[str]) -> None:
    assert resting(reply, said, [REX, BERLIN, PIE, SUM]).get("rests_on", []) == notes


def test_a_value_within_another_word_or_figure_is_none() -> None:
    assert resting("Children need 9 to 12 hours.", "how much sleep?", [TWO]) == {}
    assert resting("You have 2 children.", "how many children?", [TWO]) == {"rests_on": ["two"]}
    tokyo = Note("tokyo", "fact", "user, lives in: 東京", 1.0, about={"value": "東京"})
    assert resting("あなたは東京に住んでいます。", "どこに住んでいる？", [tokyo]) == {"rests_on": ["tokyo"]}


@pytest.mark.parametrize(
    ("program", "found", "question", "before", "wanted"),
    [
        ("print(300 / 4 * 7)", "525", "and if we are 7?", "300 g of rice for 4", True),
        ("print(300 / 4 * 7)", "525", "300 g of rice for 4, and if we are 7?", "300 g of rice for 4", False),
        ("print(f'It is {18 * 23}.')", "It is 414.", "what is 18 times 23", "It is 12 boxes.", False),
        ('print(distance("Porto", "Berlin"))', "2310.5", "how far is it", "Ana lives in Porto, I in Berlin", True),
        ('print(distance("Porto", "Berlin"))', "2310.5", "how far is porto from berlin", "Ana lives in Porto", False),
        ("x = 1", "It is in Österreich.", "where is it?", "Österreich is lovely", True),
        ("x = 1", "It is lovely.", "how is it?", "It is lovely in Porto", False),
        ("", "", "", "", False),
    ],
)
def test_what_was_worked_out_with_what_was_told_before_is_no_answer_elsewhere(
    program: str, found: str, question: str, before: str, wanted: bool
) -> None:
    step = Step(Move("", ()), found, Call("python", {"program": program}))
    assert leans([step], question, [before]) is wanted
