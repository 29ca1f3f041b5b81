"""The agency's desk: its tools in the order in which the model reads them, and what a small model may hand them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from langchain_core.tools import BaseTool

from tools.desk import Desk
from tools.housing import homes, loans, transit
from tools.housing.changes import HOURS, Diary, ahead, contact, long, store
from tools.housing.generate import build as build
from tools.housing.listings import Listings
from tools.housing.search import Wish, search
from tools.ledger import Findings, consenting, ledger_of
from tools.named import alike, sums
from tools.typed import typed_tool

VERSION = "1"
SUMS = {
    **dict.fromkeys(("min_price", "max_price", "price", "loan"), (10_000, float("inf"))),
    **dict.fromkeys(("deposit", "income", "debts"), (100, float("inf"))),
    **dict.fromkeys(("min_size", "max_size"), (15, 1_000)),
}
"""Arguments that a small model would make up where the person named no figure, and from where to where such are."""
TALKED = 6
"""Homes that were spoken of last, which a small model chooses from."""
LOOKED_UP: dict[str, tuple[str, Callable[..., tuple[str, Findings]]]] = {
    "details": ("What the listing of one home says.", homes.details),
    "compare": ("Puts two to four homes side by side.", homes.compare),
    "price_history": ("Earlier sales of a home, and changes of its price.", homes.history),
    "district": ("A district's streets, prices, noise, schools and stops.", homes.district),
    "commute": ("Minutes from homes to a place, by public transport or on foot, with the changes.", transit.commute),
    "mortgage": ("The monthly payment and the interest of a loan.", loans.mortgage),
    "affordability": ("Which loan and which price an income allows.", loans.affordability),
}
"""Tools that change nothing: name -> description, and what answers from the listings."""
BOOKS = "Books a viewing at a free time; has the person asked first."
CANCELS = "Cancels a viewing that is booked; has the person asked first."
STORES = "Stores a name with a phone number or an email address, so that an agent calls; asks first."


def make(desk: Desk, folder: Path) -> dict[str, BaseTool]:
    listings, ledger = Listings(folder), ledger_of(desk, folder, desk.sessions)
    diary = Diary(desk, listings, ledger)
    tools = [
        typed_tool("search", "Finds homes for sale that are available, five a page.", partial(search, listings), Wish),
        *(typed_tool(name, does, partial(answer, listings)) for name, (does, answer) in LOOKED_UP.items()),
        typed_tool("viewing_slots", "The free times at which a home can be seen.", diary.slots),
        consenting("book_viewing", BOOKS, ledger, diary.wanted, diary.book),
        consenting("cancel_viewing", CANCELS, ledger, diary.unwanted, diary.cancel),
        typed_tool("my_viewings", "The viewings that this person has booked.", diary.mine),
        consenting("leave_contact", STORES, ledger, contact, partial(store, desk, ledger)),
    ]
    return {tool.name: tool for tool in tools}


def choices(desk: Desk, folder: Path) -> Mapping[str, Sequence[object]]:
    """The homes in talk, the newest first; districts and sums that were named; all places, days and hours."""
    listings = Listings(folder)
    said = [desk.said, *(text for turn in reversed([*desk.before, *desk.past]) for text in (turn.reply, turn.said))]
    talked, places = dict.fromkeys(home for text in said for home in listings.named(text)), [*listings.places]
    named = sums(desk.said, *(turn.said for turn in [*desk.before, *desk.past]))
    return {
        "home": [*talked][:TALKED],
        "place": places,
        "near": places,
        **dict.fromkeys(("district", "not_district"), alike(listings.districts, " ".join(said))),
        "day": [f"{long(day)}, {day}" for day in ahead(desk)],
        "time": [f"{hour}:00" for hour in HOURS],
        **{name: [figure for figure in named if least <= figure < most] for name, (least, most) in SUMS.items()},
    }
