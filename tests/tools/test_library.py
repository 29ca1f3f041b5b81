"""The second domain: books, hours, and a reservation that is asked about."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from pydantic import ValidationError

from tools.desk import Desk, Exchange, ToolFault
from tools.domains import changes, fresh, open_domain, prepare


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return prepare("library", tmp_path_factory.mktemp("library"))


@pytest.fixture
def place(built: Path, tmp_path: Path) -> Path:
    return fresh(built, tmp_path / "desk")


def use(
    place: Path, tool: str, session: str = "s", days: int = 0, before: tuple[str, ...] = (), **arguments: Any
) -> tuple[str, dict[str, Any]]:
    now = datetime(2026, 11, 22, 10, tzinfo=ZoneInfo("Europe/Berlin")) + timedelta(days)
    desk = Desk(session, now, sessions=before)
    call = {"name": tool, "args": arguments, "id": "1", "type": "tool_call"}
    message = open_domain("library").make(desk, place)[tool].invoke(call)
    return str(message.content), message.artifact


def test_books_are_found_by_all_that_is_said(place: Path) -> None:
    found, artifact = use(place, "find_books", author="Ida Falk", subject="gardening")
    lines = found.splitlines()
    assert lines[0].endswith("found (author Ida Falk, subject gardening):") and len(lines) > 1
    assert all("Ida Falk, gardening" in line for line in lines[1:]) and artifact["facts"]["find.count"] > 0
    assert use(place, "find_books", title="dragons")[0].startswith("0 found")
    with pytest.raises(ToolFault, match="Which title, author or subject"):
        use(place, "find_books")
    with pytest.raises(ValidationError):
        use(place, "find_books", subject="dragons")


@pytest.mark.parametrize(
    ("day", "wanted"),
    [
        ("Saturday", "On Saturday the library is open from 10:00 to 15:00."),
        ("today", "On Sunday the library is closed."),
        ("Sunday", "On Sunday the library is closed."),
        ("tomorrow", "On Monday the library is open from 10:00 to 19:00."),
    ],
)
def test_hours(place: Path, day: str, wanted: str) -> None:
    assert use(place, "opening_hours", day=day)[0] == wanted


def test_a_reservation_waits_for_the_yes(place: Path) -> None:
    text, artifact = use(place, "reserve_book", book="b-012")
    assert "Not done yet" in text and changes(place) == ()
    assert use(place, "reserve_book", confirm=artifact["asks"])[0].startswith("Reserved: ")
    assert [entry.key for entry in changes(place, "s")] == ["B-012"]
    assert use(place, "reserve_book", confirm=artifact["asks"])[0].startswith("Reserved already")
    assert len(changes(place)) == 1
    with pytest.raises(ToolFault, match=r"B-012 is reserved already\. Would another book do"):
        use(place, "reserve_book", "t", book="B-012")
    with pytest.raises(ToolFault, match=r"B-012 is reserved already\. It is kept for you"):
        use(place, "reserve_book", book="B-012")
    with pytest.raises(ToolFault, match="Which book shall I put aside"):
        use(place, "reserve_book", book="B-999")


def test_a_book_is_kept_for_seven_days(place: Path) -> None:
    code = use(place, "reserve_book", book="B-012")[1]["asks"]
    title = use(place, "reserve_book", confirm=code)[0].removeprefix("Reserved: reservation of ").partition(" (")[0]
    assert "(reserved)" in use(place, "find_books", "t", 6, title=title)[0]
    assert "(reserved)" not in use(place, "find_books", "t", 8, title=title)[0]
    with pytest.raises(ToolFault, match=r"was used already, .* is over since"):
        use(place, "reserve_book", days=8, confirm=code)
    code = use(place, "reserve_book", "t", 8, book="B-012")[1]["asks"]
    assert use(place, "reserve_book", "t", 8, confirm=code)[0].startswith("Reserved: ")


def test_all_that_was_found_can_be_seen_page_by_page(place: Path) -> None:
    text, artifact = use(place, "find_books", subject="sailing")
    count = artifact["facts"]["find.count"]
    pages = -(-count // 5)
    assert text.splitlines()[0] == f"{count} found (subject sailing), page 1 of {pages}:"
    each = [use(place, "find_books", subject="sailing", page=page)[0] for page in range(1, pages + 1)]
    assert len({line for page in each for line in page.splitlines()[1:]}) == count
    with pytest.raises(ToolFault, match=f"There are {pages} pages of subject sailing"):
        use(place, "find_books", subject="sailing", page=pages + 1)


def test_a_person_sees_and_cancels_what_they_reserved(place: Path) -> None:
    with pytest.raises(ToolFault, match="nothing can be cancelled"):
        use(place, "cancel_reservation", book="B-012")
    for book in ("B-012", "B-013"):
        use(place, "reserve_book", confirm=use(place, "reserve_book", book=book)[1]["asks"])
    assert "(B-012) until Sunday, 29 November; " in use(place, "my_reservations")[0]
    assert use(place, "my_reservations", "t")[0] == "Nothing is reserved."
    with pytest.raises(ToolFault, match=r"Which reservation shall I cancel\? There are: .*B-012.*B-013"):
        use(place, "cancel_reservation")
    code = use(place, "cancel_reservation", "t", before=("s",), book="b-012")[1]["asks"]
    text, artifact = use(place, "cancel_reservation", "t", before=("s",), confirm=code)
    assert text.startswith("Cancelled: the reservation of") and artifact["changes"][0]["done"] == "cancelled"
    assert [entry.key for entry in changes(place) if not entry.ended] == ["B-013"]
    assert use(place, "cancel_reservation", "t", before=("s",), confirm=code)[0].startswith("Nothing to do")
    again = use(place, "reserve_book", "t", book="B-012")[1]["asks"]
    use(place, "reserve_book", "t", confirm=again)
    with pytest.raises(ToolFault, match="anew since"):
        use(place, "cancel_reservation", "t", before=("s",), confirm=code)
    with pytest.raises(ToolFault, match="It is kept for you"):
        use(place, "reserve_book", "u", before=("s",), book="B-013")
    assert use(place, "my_reservations", days=8)[0] == "Nothing is reserved."


def test_a_small_model_chooses_among_the_books_that_were_named(place: Path) -> None:
    past = [Exchange("gardening?", "2 found: B-012: The Long Winter\nB-140: The Quiet Stars")]
    desk = Desk("s", datetime(2026, 11, 22, 10, tzinfo=ZoneInfo("Europe/Berlin")), said="the second", past=past)
    assert open_domain("library").choices(desk, place) == {"book": ["B-012", "B-140"]}
