"""An estate agency's online desk, the scenario of DUMA (section 3): homes, loans, ways to work, viewings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tools.domains import About, Plan

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

    from tools.desk import Deed, Desk

ABOUT = About(
    "housing",
    "Aldermere Homes",
    "The online desk of an estate agency: homes for sale, prices, ways to work, loans and viewings.",
    "Hello, this is Aldermere Homes. Are you looking for a home, or do you have one in mind already?",
    "I am here for homes in Aldermere: searching, prices, ways to work, loans and viewings. What can I do for you?",
)
VERSION = "1"


def build(path: Path, seed: int) -> None:
    """2,000 homes in a made-up city."""
    from tools.housing import generate

    generate.build(path, seed)


def make(desk: Desk, folder: Path) -> dict[str, BaseTool]:
    """In the order in which the model reads them."""
    from tools.housing import contact, homes, loans, search, transit, viewings

    tools = [tool for room in (search, homes, transit, loans, viewings, contact) for tool in room.make(desk, folder)]
    return {tool.name: tool for tool in tools}


def plan(desk: Desk, folder: Path) -> Plan:
    """What the turn wants: see tools/housing/turns.py."""
    from tools.housing import turns

    return turns.plan(desk, folder)


def afterwards(desk: Desk, folder: Path, deeds: Sequence[Deed]) -> Plan:
    """A question that is still open, or an invitation."""
    from tools.housing import turns

    return turns.afterwards(desk, folder, deeds)


def understands(text: str) -> tuple[str, ...]:
    """The tools whose cue is in the words, the likeliest first."""
    from tools.housing.cues import understands as read

    return read(text)
