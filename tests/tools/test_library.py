"""The second domain: books, hours, and a reservation that is asked about."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from tools.desk import Desk, ToolFault
from tools.domains import changes, fresh, open_domain, prepare


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return prepare("library", tmp_path_factory.mktemp("library"))


@pytest.fixture
def place(built: Path, tmp_path: Path) -> Path:
    return fresh(built, tmp_path / "desk")


def use(place: Path, tool: str, text: str, session: str = "s") -> str:
    desk = Desk(session, datetime(2026, 11, 22, 10, tzinfo=ZoneInfo("Europe/Berlin")))
    return str(open_domain("library").make(desk, place)[tool].invoke(text))


def test_books_are_found_by_every_word(place: Path) -> None:
    found = use(place, "find_books", "do you have gardening books by Ida Falk?")
    lines = found.splitlines()
    assert lines[0].startswith("Searched: gardening ida falk.") and len(lines) > 1
    assert all("Ida Falk, gardening" in line for line in lines[1:])
    assert "0 found." in use(place, "find_books", "dragons")


@pytest.mark.parametrize(
    ("asked", "wanted"),
    [
        ("Saturday", "On Saturday the library is open from 10:00 to 15:00."),
        ("today?", "On Sunday the library is closed."),
        ("tomorrow", "On Monday the library is open from 10:00 to 19:00."),
    ],
)
def test_hours(place: Path, asked: str, wanted: str) -> None:
    assert use(place, "opening_hours", asked) == wanted


def test_a_reservation_waits_for_the_yes(place: Path) -> None:
    assert "Not done yet" in use(place, "reserve_book", "please keep B-12 for me")
    assert changes(place) == ()
    assert use(place, "reserve_book", "yes").startswith("Reserved: ")
    assert [entry.key for entry in changes(place, "s")] == ["B-012"]
    assert use(place, "reserve_book", "yes").startswith("Reserved already")
    assert len(changes(place)) == 1
    with pytest.raises(ToolFault, match="B-012 is reserved already"):
        use(place, "reserve_book", "B-012", session="t")
    with pytest.raises(ToolFault, match="Say which book"):
        use(place, "reserve_book", "B-999")


def test_cues() -> None:
    library = open_domain("library")
    assert library.understands("Do you have books by Ida Falk?") == ("find_books",)
    assert library.understands("are you open today")[0] == "opening_hours"
    assert library.understands("please reserve that book")[0] == "reserve_book"
    assert library.understands("hello") == ()


def test_which_book_is_asked_for_where_none_is_named(place: Path) -> None:
    desk = Desk("s", datetime(2026, 11, 22, 10, tzinfo=ZoneInfo("Europe/Berlin")), said="please reserve one for me")
    plan = open_domain("library").plan(desk, place)
    assert not plan.calls and plan.reply.startswith("Which book") and not plan.interim
