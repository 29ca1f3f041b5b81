"""Recall hands on what to look for, shows what the memory found, and says when it found nothing."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from tools.desk import Desk, Kept, Search, ToolFault
from tools.recall import remember

NOW = datetime(2026, 11, 21, 10, tzinfo=ZoneInfo("Europe/Berlin"))


def desk(*found: Kept) -> tuple[Desk, list[Search]]:
    asked: list[Search] = []

    def recall(search: Search) -> Sequence[Kept]:
        asked.append(search)
        return found

    return Desk(session="s7", now=NOW, recall=recall), asked


def test_it_gives_what_was_found_and_that_it_holds_here_alone() -> None:
    at, asked = desk(Kept("", 'the user said: "My sister is called Annegret."'), Kept("", "I live in Lyon."))
    text, artifact = remember(Search(about=" my  sister's name "), at)
    assert asked == [Search(about="my sister's name")]
    assert text == 'the user said: "My sister is called Annegret."\nI live in Lyon.'
    assert artifact == {"depends": {"session": "s7"}}


def test_kind_time_and_speaker_are_handed_on() -> None:
    at, asked = desk()
    remember(Search(about="tea", kind="fact", since="2026-05-01", until="2026-05-31", speaker="Ben"), at)
    assert asked == [Search(about="tea", kind="fact", since="2026-05-01", until="2026-05-31", speaker="Ben")]
    with pytest.raises(ToolFault, match="`last May` is no day"):
        remember(Search(about="tea", since="last May"), at)


def test_control_characters_do_not_pass() -> None:
    at, _ = desk(Kept("", "two\x1b[31m"))
    assert remember(Search(about="x"), at)[0] == "two [31m"


def test_code_keeps_its_lines_and_a_quotation_its_signs() -> None:
    code = 'you said:\n~~~~\ndef area(r: float) -> float:\n    """π × r² – in m²"""\n    return pi * r**2\n~~~~'
    at, _ = desk(Kept("", code), Kept("", code))
    assert remember(Search(about="area"), at)[0] == code


def test_nothing_found_is_a_sentence_and_nothing_asked_a_fault() -> None:
    at, asked = desk()
    assert remember(Search(about="my dog's name"), at)[0] == 'Nothing was said before about "my dog\'s name".'
    with pytest.raises(ToolFault, match="Nothing was asked for"):
        remember(Search(about=" \x00"), at)
    remember(Search(about="y" * 10_240), at)
    assert len(asked[-1].about) == 300
