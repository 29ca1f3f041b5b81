"""Recall words what the memory found, briefly, and says when it found nothing."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from tools.desk import Desk, Remembered, ToolFault
from tools.recall import remember

NOW = datetime(2026, 11, 21, 10, tzinfo=ZoneInfo("Europe/Berlin"))


def desk(*found: Remembered) -> tuple[Desk, list[str]]:
    asked: list[str] = []

    def recall(text: str) -> Sequence[Remembered]:
        asked.append(text)
        return found

    return Desk(session="s7", now=NOW, recall=recall), asked


def test_it_gives_what_was_said_and_replied() -> None:
    at, asked = desk(Remembered("My sister is called Annegret.", "Noted!", 1.0), Remembered("I live in Lyon.", "", 2.0))
    text, artifact = remember(" my  sister's name ", at)
    assert asked == ["my sister's name"]
    assert text == "You said: My sister is called Annegret. / Reply: Noted!\nYou said: I live in Lyon."
    assert artifact == {"depends": {"session": "s7"}}


def test_at_most_five_and_short() -> None:
    at, _ = desk(*(Remembered(f"{n} " + "word " * 500, "reply " * 500, n) for n in range(9)))
    lines = remember("words", at)[0].splitlines()
    assert len(lines) == 5
    assert all(len(line) < 740 and line.endswith("…") for line in lines)


def test_control_characters_and_line_ends_do_not_pass() -> None:
    at, _ = desk(Remembered("one\ntwo\x1b[31m", "three\r\nfour", 1.0))
    assert remember("x", at)[0] == "You said: one two [31m / Reply: three four"


def test_nothing_found_is_a_sentence_and_nothing_asked_a_fault() -> None:
    at, asked = desk()
    assert remember("my dog's name", at)[0] == 'Nothing was said before about "my dog\'s name".'
    with pytest.raises(ToolFault, match="Nothing was asked for"):
        remember(" \x00", at)
    remember("y" * 10_240, at)
    assert len(asked[-1]) == 300
