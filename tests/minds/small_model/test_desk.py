"""A small model at a desk: what it reads, what it may write, and that a turn costs one call."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, cast

import pytest

from minds.briefing import Briefing
from minds.models.language import Usage
from minds.small_model.desk import SAY, forms, heard, messages
from tests.fakes import FakeModel
from tools.desk import Desk, Exchange
from tools.domains import about, examples, open_domain, prepare

SAID = Exchange("hello", "Welcome! Which book?")
LOOKED = Exchange(
    "sailing?", "1 found:\nB-012: The Long Compass", {"tool": "find_books", "subject": "sailing", "then": ""}
)


def said_as(words: str, _: object) -> list[dict[str, object]]:
    return [{"tool": SAY, SAY: words}]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return prepare("library", tmp_path_factory.mktemp("library"))


def briefing(place: Path, said: str, *past: Exchange, waiting: tuple[str, str] | None = None) -> Briefing:
    desk, library = Desk("s", datetime(2026, 11, 22, tzinfo=UTC), said=said, past=past), open_domain("library")
    return Briefing(about("library"), desk, library.make(desk, place), library.choices(desk, place), waiting)


def offered(briefing: Briefing) -> Mapping[str, Sequence[dict[str, Any]]]:
    """Tool -> the ways in which it may be called."""
    found: dict[str, list[dict[str, Any]]] = {}
    for form in cast("list[dict[str, Any]]", [*forms(briefing)]):
        found.setdefault(form["properties"]["tool"]["const"], []).append(form["properties"])
    return found


def test_arguments_are_those_that_the_talk_has(place: Path) -> None:
    [before] = offered(briefing(place, "hello"))["reserve_book"]
    assert "book" not in before
    [after] = offered(briefing(place, "the first one", SAID, LOOKED))["reserve_book"]
    assert after["book"] == {"enum": ["B-012"]} and "confirm" not in after


def test_an_answer_can_be_given_only_to_what_waits(place: Path) -> None:
    waits = offered(briefing(place, "yes", LOOKED, waiting=("reserve_book", "QX7M")))
    assert waits["reserve_book"][1]["confirm"] == {"const": "QX7M"} and len(waits["find_books"]) == 1


def test_the_constant_part_comes_first_and_the_talk_only_grows(place: Path) -> None:
    one, two = messages(briefing(place, "hello")), messages(briefing(place, "sailing?", SAID))
    head = 1 + 2 * len(examples("library"))
    assert one[:head] == two[:head] and two[: len(one)] == one
    three = messages(briefing(place, "the first one", SAID, LOOKED))
    assert three[: len(two)] == two and "B-012" in str(three[-1].content)
    assert json.loads(str(three[-2].content)) == {"tool": "find_books", "subject": "sailing", "then": ""}


async def test_a_turn_is_one_call(place: Path) -> None:
    usage = Usage()
    model = FakeModel(lambda _: [], lambda _: [{"tool": "reserve_book", "book": "B-012"}])
    request = await heard(model, briefing(place, "the first one", LOOKED), usage)
    assert request.call and request.call.arguments == {"book": "B-012"} and request.changes and len(model.heard) == 1


async def test_words_are_the_reply_and_never_empty(place: Path) -> None:
    for words, told in (("Gladly!", "Gladly!"), (" ", about("library").greeting)):
        model = FakeModel(lambda _: [], partial(said_as, words))
        request = await heard(model, briefing(place, "hello"), Usage(), alone=True)
        assert request.call is None and request.say == told
