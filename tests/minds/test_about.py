"""What Duet knows of itself, and which of it a turn asks about."""

from __future__ import annotations

import pytest

from memory.embedder import Embedder
from minds.about import itself, nearest


@pytest.mark.slow
@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("How do I delete our chat from yesterday?", "three dots"),
        ("can you set an alarm for tomorrow 6 am", "no alarm"),
        ("do you have access to the internet?", "no access to the internet"),
        ("how can i give you a pdf", "paper clip"),
        ("how do I close this and find you again tomorrow?", "nothing is lost"),
        ("who made you?", "the Duet project"),
    ],
)
def test_a_turn_about_duet_is_told_the_line_that_answers_it(said: str, told: str) -> None:
    found, may_be = nearest(said, Embedder().embed)
    assert found and told in found[0] and may_be, found


@pytest.mark.parametrize("said", ["What is 18% of 245?", "I slept badly, the neighbours had a party.", "", "??"])
def test_another_turn_is_told_nothing_of_it(said: str) -> None:
    assert nearest(said, Embedder().embed) == ((), False)


@pytest.mark.parametrize("said", ["who are you?", "are you chatgpt?", "Wie lösche ich ein Gespräch?", "谁开发了你？"])
def test_a_turn_that_may_be_about_duet_is_known_as_such(said: str) -> None:
    assert nearest(said, Embedder().embed)[1]


def test_no_line_is_too_long_to_be_compared() -> None:
    first, *lines = itself().splitlines()
    assert first.startswith("Asked about Duet itself") and lines
    assert all(0 < len(line) <= 250 for line in lines), "its first 256 tokens are read"
