"""The agency's desk: its tools in the order in which the model reads them, and what a small model may hand them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from difflib import get_close_matches
from functools import partial
from pathlib import Path

from langchain_core.tools import BaseTool

from tools.desk import Desk
from tools.housing import homes, loans, transit, viewings
from tools.housing.contact import Contact, Contacts
from tools.housing.generate import build
from tools.housing.listings import Listings
from tools.housing.search import Wish, search
from tools.housing.viewings import Diary
from tools.ledger import Ledger, consenting, run_of
from tools.typed import typed_tool

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


LOOKED_UP = (
    ("search", "Finds homes for sale that are available, five a page.", Wish, search),
    ("details", "What the listing of one home says.", homes.Details, homes.details),
    ("compare", "Puts two to four homes side by side.", homes.Several, homes.compare),
    ("price_history", "Earlier sales of a home, and changes of its price.", homes.OneHome, homes.history),
    ("district", "A district's streets, prices, noise, schools and stops.", homes.OneDistrict, homes.district),
    (
        "commute", "Minutes from homes to a place, by public transport or on foot, with the changes.", transit.Trip,
        transit.commute,
    ),
    ("mortgage", "The monthly payment and the interest of a loan.", loans.Mortgage, loans.mortgage),
    ("affordability", "Which loan and which price an income allows.", loans.Affordability, loans.affordability),
)  # fmt: skip
"""Tools that change nothing: name, description, arguments, and what answers from the listings."""
BOOKS = "Books a viewing at a free time; has the person asked first."
CANCELS = "Cancels a viewing that is booked; has the person asked first."
STORES = "Stores a name with a phone number or an email address, so that an agent calls; asks first."


def make(desk: Desk, folder: Path) -> dict[str, BaseTool]:
    listings, ledger = Listings(folder), Ledger(folder, desk.session, run_of(desk), desk.sessions)
    diary, contacts = Diary(desk, listings, ledger), Contacts(desk, ledger)
    tools = [
        *(typed_tool(name, does, takes, partial(answer, listings)) for name, does, takes, answer in LOOKED_UP),
        typed_tool("viewing_slots", "The free times at which a home can be seen.", viewings.Slots, diary.slots),
        consenting("book_viewing", BOOKS, viewings.Booking, ledger, diary.wanted, diary.book),
        consenting("cancel_viewing", CANCELS, viewings.Cancelling, ledger, diary.unwanted, diary.cancel),
        typed_tool("my_viewings", "The viewings that this person has booked.", viewings.Nothing, diary.mine),
        consenting("leave_contact", STORES, Contact, ledger, contacts.checked, contacts.store),
    ]
    return {tool.name: tool for tool in tools}


def choices(desk: Desk, folder: Path) -> Mapping[str, Sequence[object]]:
    """The homes in talk, the newest first; districts and sums that were named; all places, days and hours."""
    listings, today = Listings(folder), desk.now.date()
    said = [desk.said, *(text for turn in reversed([*desk.before, *desk.past]) for text in (turn.reply, turn.said))]
    talked, places = dict.fromkeys(home for text in said for home in listings.named(text)), [*listings.places()]
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
