"""An estate agency's online desk, the scenario of DUMA (section 3): homes, loans, ways to work, viewings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from tools.domains import About

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

    from tools.desk import Desk

ABOUT = About(
    "housing",
    "Aldermere Homes",
    "The online desk of an estate agency: homes for sale, prices, ways to work, loans and viewings.",
    "Hello, this is Aldermere Homes. Are you looking for a home, or do you have one in mind already?",
)
VERSION = "1"
TALKED = 6
"""Homes that were spoken of last, which a small model chooses from."""


def build(path: Path, seed: int) -> None:
    """2,000 homes in a made-up city."""
    from tools.housing import generate

    generate.build(path, seed)


def make(desk: Desk, folder: Path) -> dict[str, BaseTool]:
    """In the order in which the model reads them."""
    from tools.housing import contact, homes, loans, search, transit, viewings

    tools = [tool for room in (search, homes, transit, loans, viewings, contact) for tool in room.make(desk, folder)]
    return {tool.name: tool for tool in tools}


def choices(desk: Desk, folder: Path) -> Mapping[str, Sequence[str]]:
    """The homes in talk, the newest first; all places; the days and hours of viewings."""
    from tools.housing.listings import Listings
    from tools.housing.viewings import DAYS, HOURS, long

    listings, today = Listings(folder), desk.now.date()
    said = [desk.said, *(text for turn in reversed([*desk.before, *desk.past]) for text in (turn.reply, turn.said))]
    talked = dict.fromkeys(home for text in said for home in listings.named(text))
    places = [*listings.places()]
    days = [today + timedelta(ahead) for ahead in range(1, DAYS + 1)]
    return {
        "home": [*talked][:TALKED],
        "place": places,
        "near": places,
        "day": [f"{long(day)}, {day}" for day in days],
        "time": [f"{hour}:00" for hour in HOURS],
    }
