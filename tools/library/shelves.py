"""The library's books, hours and reservations."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from tools.days import WEEKDAYS
from tools.desk import Desk, Exchange, ToolFault
from tools.domains import BASE, Call, Plan, stamp
from tools.ledger import Findings, Ledger, agreement, answered, asking, withdrawn
from tools.plain import clean, plain_tool

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

BOOKS, SHOWN, DAYS_KEPT = 240, 5, 7
HOURS = ("10:00 to 19:00", "10:00 to 19:00", "14:00 to 20:00", "10:00 to 19:00", "10:00 to 19:00", "10:00 to 15:00", "")
"""From Monday on; closed where it is empty."""
_SUBJECTS = ["gardening", "history", "travel", "cooking", "astronomy", "crime", "poetry", "sailing"]
_FIRST = ("Quiet", "Long", "Hidden", "Northern", "Small", "Bright", "Last", "Wandering", "Silver", "Patient")
_SECOND = ("Harbour", "Orchard", "Winter", "Compass", "Kitchen", "Lantern", "River", "Garden", "Letters", "Stars")
_NAMES = (
    "Ida Falk",
    "Tom Arden",
    "Lena Moreau",
    "Yusuf Demir",
    "Clara Whitlock",
    "Pavel Horak",
    "Rosa Quint",
    "Ken Ito",
)
_WORDS = "a an the any book books novel novels on about by is are there do you have for i want me"
_FILLERS = frozenset(_WORDS.split())


def build(path: Path, seed: int) -> None:
    """One table, the same for the same seed."""
    dice = Random(seed).random
    with closing(sqlite3.connect(path)) as base, base:
        base.execute("CREATE TABLE books (id TEXT PRIMARY KEY, title TEXT, author TEXT, subject TEXT, year INTEGER)")
        for number in range(1, BOOKS + 1):
            first, second, author, subject = (
                names[int(dice() * len(names))] for names in (_FIRST, _SECOND, _NAMES, _SUBJECTS)
            )
            row = (f"B-{number:03d}", f"The {first} {second}", author, subject, 1950 + int(dice() * 75))
            base.execute("INSERT INTO books VALUES (?, ?, ?, ?, ?)", row)


def make(desk: Desk, folder: Path) -> list[BaseTool]:
    ledger = Ledger(folder, desk.session, said=desk.said or None)
    return [
        plain_tool("find_books", "Finds books. Input: gardening books by Ida Falk", lambda t: find(t, ledger)),
        plain_tool("opening_hours", "When the library is open. Input: Saturday", lambda t: hours(t, desk)),
        plain_tool(
            "reserve_book",
            "Reserves a book; asks the person first. Input: B-012, then: yes CODE",
            lambda text: reserve(text, ledger, desk),
        ),
    ]


def find(text: str, ledger: Ledger) -> tuple[str, Findings]:
    """Books of which every word is in title, author or subject. Raises ToolFault."""
    words = [w for w in re.findall(r"[\w-]+", clean(text, "find_books").lower()) if w not in _FILLERS]
    if not words:
        raise ToolFault("Say a title, an author or a subject, for example: gardening books by Ida Falk.")
    found = [row for row in _books(ledger.folder) if all(w in " ".join(map(str, row)).lower() for w in words)]
    taken = {entry.key for entry in ledger.entries("reservation", everyone=True, ended=False)}
    lines = [
        f"{row['id']}: {row['title']} by {row['author']}, {row['subject']}, {row['year']}"
        + (" (reserved)" if row["id"] in taken else "")
        for row in found[:SHOWN]
    ]
    said = f"Searched: {' '.join(words)}. {len(found)} found{':' if found else '.'}"
    return "\n".join([said, *lines]), {
        "sources": [f"catalogue {row['id']}" for row in found[:SHOWN]],
        "depends": {"listings": stamp(ledger.folder), "changes": ledger.revision()},
        "facts": {"find.count": len(found)} | {f"{row['id']}.title": row["title"] for row in found[:SHOWN]},
    }


def hours(text: str, desk: Desk) -> tuple[str, Findings]:
    """Of the day named, today without one. Raises ToolFault."""
    low, today = clean(text, "opening_hours").lower(), desk.now.date()
    named = next((day for day in WEEKDAYS if day in low), "")
    day = today + timedelta((WEEKDAYS[named] - today.weekday()) % 7 if named else 1 if "tomorrow" in low else 0)
    time = HOURS[day.weekday()]
    said = f"On {day:%A} the library is {'open from ' + time if time else 'closed'}."
    return said, {"depends": {"date": today.isoformat()}, "facts": {f"hours.{day:%A}": time or "closed"}}


def reserve(text: str, ledger: Ledger, desk: Desk) -> tuple[str, Findings]:
    """Proposes, and with the person's yes reserves. Raises ToolFault."""
    asked = clean(text, "reserve_book")
    if reply := answered(ledger, "reservation", asked):
        proposal, agreed = reply
        if not agreed:
            return withdrawn(ledger, proposal)
        return _enter(proposal.details["book"], proposal.said, ledger, desk, lambda: ledger.close(proposal, done=True))
    found = re.search(r"\bb-?(\d{1,3})\b", asked, re.I)
    book = next((row for row in _books(ledger.folder) if found and row["id"] == f"B-{int(found[1]):03d}"), None)
    if book is None:
        raise ToolFault("Say which book by its number, for example: B-012; the search gives the numbers.")
    _untaken(book["id"], ledger)
    said = f"reservation of {book['title']} ({book['id']}) for {DAYS_KEPT} days"
    text, artifact = asking("reserve_book", ledger.propose("reservation", {"book": book["id"]}, said))
    return text, {"sources": [f"catalogue {book['id']}"], "depends": {"changes": ledger.revision()}, **artifact}


def _enter(book: str, said: str, ledger: Ledger, desk: Desk, done: Callable[[], None]) -> tuple[str, Findings]:
    mine = {entry.key for entry in ledger.entries("reservation", ended=False)}
    if book in mine:
        return f"Reserved already: {said}.", {"depends": {"session": ledger.session, "changes": ledger.revision()}}
    _untaken(book, ledger)
    ledger.enter("reservation", book, {"book": book}, desk.now.isoformat())
    done()
    change = {"kind": "reservation", "done": "made", "key": book}
    return f"Reserved: {said}.", {"depends": {"session": ledger.session}, "changes": [change]}


def _untaken(book: str, ledger: Ledger) -> None:
    if any(entry.key == book for entry in ledger.entries("reservation", everyone=True, ended=False)):
        raise ToolFault(f"{book} is reserved already; offer another book.")


def _books(folder: Path) -> list[sqlite3.Row]:
    with closing(sqlite3.connect(f"file:{folder / BASE}?mode=ro", uri=True)) as base:
        base.row_factory = sqlite3.Row
        return base.execute("SELECT * FROM books ORDER BY id").fetchall()


def plan(desk: Desk, folder: Path, understood: Sequence[str]) -> Plan:
    """A yes or no to what waits, a book that is pointed at, or what the words are a cue for."""
    waiting = Ledger(folder, desk.session).waiting()
    agreed = agreement(desk.said)
    if waiting and agreed is not None and any(deed.asks for exchange in desk.past[-1:] for deed in exchange.deeds):
        return Plan((Call("reserve_book", f"{'yes' if agreed else 'no'} {waiting.code}", True),))
    text = _pointed(desk.said, [row for exchange in desk.past[-2:] for row in _shown(exchange)])
    calls = [Call(tool, text, tool == "reserve_book") for tool in understood]
    if "reserve_book" in understood and not re.search(r"\bb-?\d", text, re.I):
        calls = [call for call in calls if call.tool != "reserve_book"]
        return Plan(
            tuple(calls[:1]), reply="" if calls else "Which book shall I put aside? Please name it by its number."
        )
    return Plan(tuple(calls[:1]))


def _shown(exchange: Exchange) -> list[str]:
    return re.findall(r"^(B-\d{3}):", exchange.reply, re.M)


_ORDINALS = ("first", "second", "third", "fourth", "fifth")


def _pointed(said: str, shown: list[str]) -> str:
    """`the second one` and `it` as a book's number."""
    for at, word in enumerate(_ORDINALS[: len(shown)]):
        said = re.sub(rf"\b(?:the )?{word}(?: (?:one|book))?\b", shown[at], said, flags=re.I)
    alone = shown[0] if len(shown) == 1 else ""
    return re.sub(r"\b(?:it|that one|that book|this one)\b", alone, said) if alone else said
