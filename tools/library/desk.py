"""The library's books, hours and reservations."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from random import Random
from typing import Annotated, Literal, get_args

from langchain_core.tools import BaseTool
from pydantic import Field

from tools.desk import Desk, ToolFault
from tools.domains import rows, stamp
from tools.ledger import Entry, Findings, Proposal, Proposed, consenting, ledger_of, to_end
from tools.typed import typed_tool

VERSION = "1"
BOOKS, SHOWN, DAYS_KEPT, KIND = 240, 5, 7, "reservation"
HOURS = ("10:00 to 19:00", "10:00 to 19:00", "14:00 to 20:00", "10:00 to 19:00", "10:00 to 19:00", "10:00 to 15:00", "")
"""From Monday on; closed where it is empty."""
Subject = Literal["gardening", "history", "travel", "cooking", "astronomy", "crime", "poetry", "sailing"]
Day = Literal["today", "tomorrow", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
Name = Annotated[str, Field(max_length=80)]
Book = Annotated[str, Field(description="Its number, such as B-012")]
Page = Annotated[int, Field(ge=1, le=99)]
_FIRST = ["Quiet", "Long", "Hidden", "Northern", "Small", "Bright", "Last", "Wandering", "Silver", "Patient"]
_SECOND = ["Harbour", "Orchard", "Winter", "Compass", "Kitchen", "Lantern", "River", "Garden", "Letters", "Stars"]
_NAMES = [
    "Ida Falk", "Tom Arden", "Lena Moreau", "Yusuf Demir", "Clara Whitlock", "Pavel Horak", "Rosa Quint", "Ken Ito",
]  # fmt: skip


def build(path: Path, seed: int) -> None:
    """One table, the same for the same seed."""
    dice = Random(seed).random
    with closing(sqlite3.connect(path)) as base, base:
        base.execute("CREATE TABLE books (id TEXT PRIMARY KEY, title TEXT, author TEXT, subject TEXT, year INTEGER)")
        for number in range(1, BOOKS + 1):
            parts = (_FIRST, _SECOND, _NAMES, get_args(Subject))
            first, second, author, subject = (names[int(dice() * len(names))] for names in parts)
            row = (f"B-{number:03d}", f"The {first} {second}", author, subject, 1950 + int(dice() * 75))
            base.execute("INSERT INTO books VALUES (?, ?, ?, ?, ?)", row)


def make(desk: Desk, folder: Path) -> dict[str, BaseTool]:
    ledger = ledger_of(desk, folder, desk.sessions)
    ledger.expire(KIND, (desk.now - timedelta(DAYS_KEPT)).isoformat(), desk.now.isoformat())

    def taken() -> set[str]:
        return {entry.key for entry in ledger.entries(KIND, everyone=True, ended=False)}

    def find(
        title: Name = "", author: Name = "", subject: Subject | None = None, page: Page = 1
    ) -> tuple[str, Findings]:
        asked = {"title": title, "author": author, "subject": subject or ""}
        said = ", ".join(f"{field} {wish}" for field, wish in asked.items() if wish)
        if not said:
            raise ToolFault("Which title, author or subject are you looking for?")
        books = rows(folder, "SELECT * FROM books ORDER BY id")
        found = [book for book in books if all(wish.lower() in book[field].lower() for field, wish in asked.items())]
        pages = max(1, -(-len(found) // SHOWN))
        if page > pages:
            raise ToolFault(f"There {'is one page' if pages == 1 else f'are {pages} pages'} of {said}.")
        kept, shown = taken(), found[SHOWN * (page - 1) : SHOWN * page]
        lines = [
            f"{book['id']}: {book['title']} by {book['author']}, {book['subject']}, {book['year']}"
            + (" (reserved)" if book["id"] in kept else "")
            for book in shown
        ]
        facts = {"find.count": len(found)} | {f"{book['id']}.title": book["title"] for book in shown}
        depends = {"listings": stamp(folder), "changes": ledger.revision()}
        part = f", page {page} of {pages}" if pages > 1 else ""
        lead = f"{len(found)} found ({said}){part}{':' if found else '.'}"
        sources = [f"catalogue {book['id']}" for book in shown]
        return "\n".join([lead, *lines]), {"sources": sources, "depends": depends, "facts": facts}

    def hours(day: Day = "today") -> tuple[str, Findings]:
        today = desk.now.date()
        week = [today + timedelta(days) for days in range(7)]
        on = {"today": week[0], "tomorrow": week[1]}.get(day) or next(on for on in week if f"{on:%A}" == day)
        time = HOURS[on.weekday()]
        said = f"On {on:%A} the library is {'open from ' + time if time else 'closed'}."
        return said, {"depends": {"date": today.isoformat()}, "facts": {f"hours.{on:%A}": time or "closed"}}

    def own() -> tuple[Entry, ...]:
        return ledger.entries(KIND, ended=False)

    def title(book: str) -> str:
        found = rows(folder, "SELECT title FROM books WHERE id = ?", (book,))
        return f"{found[0]['title']} ({book})" if found else ""

    def propose(book: Book = "") -> Proposed:
        book = book.strip().upper()
        if not title(book):
            raise ToolFault("Which book shall I put aside? Please name it by its number, such as B-012.")
        if book in taken():
            other = "It is kept for you." if book in [entry.key for entry in own()] else "Would another book do?"
            raise ToolFault(f"{book} is reserved already. {other}")
        name = f"reservation of {title(book)} for {DAYS_KEPT} days"
        return {"book": book}, name, f"Shall I go ahead with the {name}?"

    def mine() -> tuple[str, Findings]:
        ends = [(entry.key, datetime.fromisoformat(entry.made) + timedelta(DAYS_KEPT)) for entry in own()]
        kept = [f"{title(book)} until {day:%A}, {day.day} {day:%B}" for book, day in ends]
        depends = {"session": ledger.session, "changes": ledger.revision(), "date": desk.now.date().isoformat()}
        return f"Reserved are: {'; '.join(kept)}." if kept else "Nothing is reserved.", {"depends": depends}

    def unwanted(book: Book = "") -> Proposed:
        meant = [entry for entry in own() if book.strip().upper() in ("", entry.key)]
        return to_end(KIND, own(), meant, lambda entry: f"reservation of {title(entry.key)}")

    def reserve(proposal: Proposal) -> tuple[str, Findings]:
        return ledger.make(proposal, KIND, str(proposal.details["book"]), desk.now, "Reserved")

    cancel = partial(ledger.take_back, kind=KIND, when=desk.now)
    asks = "Reserves a book; has the person asked first."
    undoes = "Cancels a reservation; has the person asked first."
    return {
        "find_books": typed_tool("find_books", "Finds books by title, author or subject, five a page.", find),
        "opening_hours": typed_tool("opening_hours", "When the library is open.", hours),
        "reserve_book": consenting("reserve_book", asks, ledger, propose, reserve),
        "cancel_reservation": consenting("cancel_reservation", undoes, ledger, unwanted, cancel),
        "my_reservations": typed_tool("my_reservations", "The books that this person has reserved.", mine),
    }


def choices(desk: Desk, folder: Path) -> Mapping[str, Sequence[str]]:
    """The books that were named, the newest first."""
    said = [desk.said, *(text for turn in reversed(desk.past) for text in (turn.reply, turn.said))]
    return {"book": list(dict.fromkeys(book for text in said for book in re.findall(r"\bB-\d{3}\b", text)))[:8]}
