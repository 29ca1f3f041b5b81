"""A town library's desk: a second, small domain, made of the same files."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tools.domains import About

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

    from tools.desk import Desk

ABOUT = About(
    "library",
    "Aldermere Town Library",
    "The desk of a town library: books, opening hours and reservations.",
    "Welcome to the town library. Which book or subject are you looking for?",
)
VERSION = "1"


def build(path: Path, seed: int) -> None:
    from tools.library import shelves

    shelves.build(path, seed)


def make(desk: Desk, folder: Path) -> dict[str, BaseTool]:
    from tools.library import shelves

    return shelves.make(desk, folder)


def choices(desk: Desk, folder: Path) -> Mapping[str, Sequence[str]]:
    """The books that were named, the newest first."""
    said = [desk.said, *(text for turn in reversed(desk.past) for text in (turn.reply, turn.said))]
    return {"book": list(dict.fromkeys(book for text in said for book in re.findall(r"\bB-\d{3}\b", text)))[:8]}
