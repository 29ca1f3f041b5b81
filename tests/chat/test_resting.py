"""Which replies rest on what the memory told."""

from __future__ import annotations

import pytest

from chat.resting import resting
from memory.memory import Note

REX = Note("rex", "turn", "My dog is called Rex.", 1.0, speaker="user")
BERLIN = Note("home", "fact", "user, lives in: Berlin (I live in Berlin)", 1.0, about={"value": "Berlin"})
PIE = Note("diet", "fact", "user, likes: pie (I like pie)", 1.0, about={"value": "pie"})
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
