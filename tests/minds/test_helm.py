"""Words about the wheel, and all that is none."""

from __future__ import annotations

import pytest

from minds.helm import Word, hear


@pytest.mark.parametrize(
    ("said", "word"),
    [
        ("let me do this bit", Word("take")),
        ("I'll take over", Word("take")),
        ("I’d like to try it myself please", Word("take")),
        ("my turn!", Word("take")),
        ("go on", Word("give")),
        ("ok, go ahead please", Word("give")),
        ("finish it for me", Word("give")),
        ("your turn", Word("give")),
        ("undo that", Word("undo")),
        ("undo", Word("undo")),
        ("Undo the last 3 steps", Word("undo", count=3)),
        ("take that back", Word("undo")),
        ("undo the last step too", Word("undo")),
        ("undo that as well please", Word("undo")),
        ("undo one more", Word("undo")),
        ("and undo the step before that", Word("undo")),
        ("another step back", Word("undo")),
        ("go back two steps", Word("undo", count=2)),
        ("undo the last couple of steps", Word("undo", count=2)),
        ("what have you tried?", Word("tried")),
        ("what did you do so far", Word("tried")),
        ("why did you open the fridge?", Word("why", "open the fridge")),
        ("stop the task", Word("leave")),
        ("close the world", Word("leave")),
        ("where am I?", Word("look")),
        ("what do I see here?", Word("look")),
        ("what's in my inventory?", Word("carry")),
        ("what is my goal?", Word("goal")),
        ("is it done?", Word("score")),
        ("how many steps so far?", Word("score")),
        ("what can I do here?", Word("options")),
        ("go back to the first task", Word("back", "first")),
        ("switch to task 2", Word("back", "2")),
        ("back to scienceworld", Word("back", "scienceworld")),
    ],
)
def test_words_about_the_wheel(said: str, word: Word) -> None:
    assert hear(said) == word


@pytest.mark.parametrize(
    "said",
    [
        "take the mug", "open the fridge", "go to the kitchen", "go back to the kitchen", "why is the sky blue?",
        "wait",
        "leave the mug on the desk", "stop the stove", "put it back", "what is 3 times 4?", "let us talk about cats",
        "continue to the bedroom", "where is the mug?", "undo the jar lid", "x" * 200, "", "leave the room",
    ],
)  # fmt: skip
def test_everything_else_is_none(said: str) -> None:
    assert hear(said) is None
