"""The agency's desk: its tools in the order in which the model reads them, and what a small model may hand them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from tools.desk import Desk
from tools.housing import contact, homes, loans, search, transit, viewings
from tools.housing.generate import build
from tools.housing.listings import Listings

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

__all__ = ["VERSION", "build", "choices", "make"]

VERSION = "1"
SUMS = {
    **dict.fromkeys(("min_price", "max_price", "price", "loan"), (10_000, float("inf"))),
    **dict.fromkeys(("deposit", "income", "debts"), (100, float("inf"))),
    **dict.fromkeys(("min_size", "max_size"), (15, 1_000)),
}
"""Arguments that a small model would make up where the person named no figure, and from where to where such are."""
_FIGURE = re.compile(r"(?<![\w.-])(\d+(?:,\d{3})*(?:\.\d+)?)\s?(k|thousand|million)?\b")
_UNITS = {"k": 1000, "thousand": 1000, "million": 1_000_000}
ALIKE = 0.8
"""How much a misspelt name is like the right one, at least."""
TALKED = 6
"""Homes that were spoken of last, which a small model chooses from."""


def make(desk: Desk, folder: Path) -> dict[str, BaseTool]:
    tools = [tool for room in (search, homes, transit, loans, viewings, contact) for tool in room.make(desk, folder)]
    return {tool.name: tool for tool in tools}


def choices(desk: Desk, folder: Path) -> Mapping[str, Sequence[object]]:
    """The homes in talk, the newest first; districts and sums that were named; all places, days and hours."""
    listings, today = Listings(folder), desk.now.date()
    said = [desk.said, *(text for turn in reversed([*desk.before, *desk.past]) for text in (turn.reply, turn.said))]
    talked = dict.fromkeys(home for text in said for home in listings.named(text))
    places = [*listings.places()]
    days = [today + timedelta(ahead) for ahead in range(1, viewings.DAYS + 1)]
    named = sums(desk.said, *(turn.said for turn in [*desk.before, *desk.past]))
    return {
        "home": [*talked][:TALKED],
        "place": places,
        "near": places,
        **dict.fromkeys(("district", "not_district"), alike(listings.districts(), " ".join(said))),
        "day": [f"{viewings.long(day)}, {day}" for day in days],
        "time": [f"{hour}:00" for hour in viewings.HOURS],
        **{name: [figure for figure in named if least <= figure < most] for name, (least, most) in SUMS.items()},
    }


def alike(names: Iterable[str], text: str) -> list[str]:
    """The names that stand in a text, also misspelt."""
    words = re.findall(r"\w+", text.lower())
    found = []
    for name in names:
        length = len(name.split())
        spans = {" ".join(words[at : at + length]) for at in range(len(words))}
        if get_close_matches(name.lower(), spans, 1, ALIKE):
            found.append(name)
    return found


def sums(*said: str) -> list[float]:
    """The figures of a text, also in thousands, as they are named where prices are meant: 260k, "up to 260"."""
    found: dict[float, None] = {}
    for figure, unit in _FIGURE.findall(" ".join(said).lower()):
        number = float(figure.replace(",", "")) * _UNITS.get(unit, 1)
        found |= dict.fromkeys([number, number * 1000] if 10 <= number < 1000 else [number])
    return [int(number) if number.is_integer() else number for number in found]
