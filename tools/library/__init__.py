"""A town library's desk: a second, small domain, made of the same files."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tools.domains import About, Plan

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

    from tools.desk import Deed, Desk

ABOUT = About(
    "library",
    "Aldermere Town Library",
    "The desk of a town library: books, opening hours and reservations.",
    "Welcome to the town library. Which book or subject are you looking for?",
    "I am here for the library's books, hours and reservations. What are you looking for?",
)
VERSION = "1"
_CUES = (
    ("reserve_book", r"\breserv\w*|\bput .* aside\b|\bhold\b"),
    ("opening_hours", r"\b(?:open\w*|clos\w*|hours)\b"),
    ("find_books", r"\bbooks?\b|\bnovels?\b|\bread\w*|\bauthor\b|\bby [A-Z]|\btitles?\b"),
)


def build(path: Path, seed: int) -> None:
    """240 books in eight subjects."""
    from tools.library import shelves

    shelves.build(path, seed)


def make(desk: Desk, folder: Path) -> dict[str, BaseTool]:
    from tools.library import shelves

    return {tool.name: tool for tool in shelves.make(desk, folder)}


def plan(desk: Desk, folder: Path) -> Plan:
    """The first cue decides; what waits for an answer comes before it."""
    from tools.library import shelves

    return shelves.plan(desk, folder, understands(desk.said))


def afterwards(desk: Desk, folder: Path, deeds: Sequence[Deed]) -> Plan:
    """A library asks no more than its tools do."""
    return Plan()


def understands(text: str) -> tuple[str, ...]:
    return tuple(name for name, cue in _CUES if re.search(cue, text))
