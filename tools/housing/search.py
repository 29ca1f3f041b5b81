"""The search for homes: what was understood is said back, and where nothing fits, what stands in the way."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tools.desk import Desk, ToolFault
from tools.housing.conditions import Condition
from tools.housing.listings import HEADLINE, Home, Listings, counted, facts_of, headline
from tools.housing.names import find
from tools.housing.transit import Network
from tools.housing.wishes import Wish, read_wish
from tools.ledger import Findings
from tools.plain import clean, plain_tool

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

_EXAMPLE = "2 bedroom flats in Riverside under 250000 near a school, cheapest first"


def make(desk: Desk, folder: Path) -> list[BaseTool]:
    listings = Listings(folder)
    description = "Finds homes for sale. Input: 2 bedroom flats in Riverside under 250000, cheapest first"
    return [plain_tool("search", description, lambda text: search(text, listings))]


def search(text: str, listings: Listings) -> tuple[str, Findings]:
    """The first homes that fit, numbered by the agency. Raises ToolFault where nothing can be read."""
    asked = clean(text, "search")
    wish = _like(asked, listings)
    if not wish.said.removeprefix("available") and wish.unknown:
        raise ToolFault(f'"{" ".join(wish.unknown)[:60]}" is nothing to search by; write for example: {_EXAMPLE}.')
    if wish.nowhere:
        names = ", ".join(listings.districts())
        raise ToolFault(f'"{wish.nowhere[:40]}" is no place in Aldermere; the districts are: {names}.')
    found = matching(wish, listings)
    pages = max(1, -(-len(found) // wish.show))
    shown = found[(wish.page - 1) * wish.show : wish.page * wish.show]
    lines = [_understood(wish), _counted(wish, found, pages)]
    lines += [_line(home, wish) for home in shown]
    facts: dict[str, Any] = {"search.count": len(found), "search.shown": [home.id for home in shown]}
    if not found:
        without = _in_the_way(wish, listings)
        facts |= {f"search.without {said}": count for count, said in without}
        lines.append(_loosened(without))
    elif wish.page < pages:
        lines.append(f"For more, search the same with: page {wish.page + 1}")
    for home in shown:
        facts |= facts_of(home, *HEADLINE, *_EXTRA)
    return "\n".join(lines), {
        "sources": [home.source for home in shown],
        "depends": {"listings": listings.version()},
        "facts": facts,
        "told": _told(wish, found, shown, pages, lines[-1]),
    }


def _told(wish: Wish, found: list[Home], shown: list[Home], pages: int, loosened: str) -> str:
    """The list for the person."""
    wanted = wish.said.removeprefix("available").removeprefix(", ") or "any home"
    if not found:
        return f"No home fits all of this: {wanted}. {'' if loosened.startswith('Leaving') else loosened}".strip()
    if not shown:
        return f"That was all: {counted(len(found), 'home')} with {wanted}."
    more = f", {wish.order[0]}, page {wish.page} of {pages}" if pages > 1 else f", {wish.order[0]}"
    unread = f" I could not read: {', '.join(wish.unknown)[:60]}." if wish.unknown else ""
    lead = f"{counted(len(found), 'home')} found ({wanted}{more}):{unread}"
    return "\n".join([lead, "", *(f"- {_line(home, wish)}" for home in shown)])


_EXTRA = (
    "garden",
    "balcony",
    "parking",
    "pets",
    "lift",
    "stop",
    "stop_walk",
    "school",
    "school_walk",
    "energy",
    "year",
)


_THAN = (
    r"\b(?:(?P<like>similar(?: ones?| homes?)? to|like|as)|(?P<cheap>cheaper|less(?: expensive)?) than|"
    r"(?P<big>bigger|larger) than)"
)


def blocking(text: str, listings: Listings) -> str:
    """Which one wish to give up where nothing fits: the one without which there are most homes, the price last."""
    ways = _in_the_way(_like(clean(text, "search"), listings), listings)
    free = [said for _, said in ways if "euros" not in said and said != "available"]
    return next(iter(free), "")


def _like(text: str, listings: Listings) -> Wish:
    """The wish, in which `similar to H-0421` and `cheaper than H-0421` stand for that home's own figures."""
    districts, places = listings.districts(), listings.places()
    found = re.search(rf"{_THAN}\s+(?:home )?(h[-_ ]?\d{{1,4}})\b", text, re.I)
    if not found:
        return read_wish(text, districts, places)
    home = listings.one(found[4], "search")
    words = (
        f" under {home.price - 1000} " if found["cheap"] else f" at least {home.size + 1} m2 " if found["big"] else ""
    )
    if found["like"]:
        words = f" {home.kind} {home.bedrooms} bedrooms {home.price * 0.85:.0f} to {home.price * 1.15:.0f} euros "
        words += "" if find(text, districts) else f"in {home.district} "
    wish = read_wish(text[: found.start()] + words + text[found.end() :], districts, places)
    return replace(wish, conditions=(*wish.conditions, Condition(f"not {home.id} itself", "id != ?", (home.id,))))


def matching(wish: Wish, listings: Listings) -> list[Home]:
    """All homes that fit, in the order that is wished for."""
    condition = " AND ".join(f"({c.sql})" for c in wish.conditions) or "1"
    homes = listings.where(condition, [v for c in wish.conditions for v in c.values], wish.order[1])
    if wish.reaches:
        network = Network(listings)
        for reach in wish.reaches:
            to = network.towards(reach.place)
            homes = [home for home in homes if to.minutes(home) <= reach.minutes]
    return homes


def _understood(wish: Wish) -> str:
    said = f"Searched: {wish.said}; {wish.order[0]}."
    if wish.unknown:
        said += f" Not understood: {', '.join(wish.unknown)[:80]}."
    return said


def _counted(wish: Wish, found: list[Home], pages: int) -> str:
    if not found:
        return "No home fits all of it."
    if wish.page > pages:
        return f"{counted(len(found), 'home')} found, that is {counted(pages, 'page')}; there is no page {wish.page}."
    page = f", page {wish.page} of {pages}" if pages > 1 else ""
    return f"{counted(len(found), 'home')} found{page}:"


def _line(home: Home, wish: Wish) -> str:
    """The headline and what it has, so that the person can choose."""
    has = [word for field, word in _HAS.items() if getattr(home, field)]
    if "school" in wish.said:
        has.append(f"{home.school} {home.school_walk} min on foot")
    if "stop" in wish.said:
        has.append(f"stop {home.stop} {home.stop_walk} min on foot")
    return f"{headline(home)}" + (f", {', '.join(has)}" if has else "")


_HAS = {"garden": "garden", "balcony": "balcony", "parking": "parking", "pets": "pets allowed", "lift": "lift"}


def _in_the_way(wish: Wish, listings: Listings) -> list[tuple[int, str]]:
    """For each condition, how many homes there would be without it; the three that stand in the way most."""
    counts = []
    for at, condition in enumerate(wish.conditions):
        others = wish.conditions[:at] + wish.conditions[at + 1 :]
        counts.append((len(matching(replace(wish, conditions=others), listings)), condition.said))
    for at, reach in enumerate(wish.reaches):
        rest = wish.reaches[:at] + wish.reaches[at + 1 :]
        counts.append((len(matching(replace(wish, reaches=rest), listings)), reach.said))
    return [each for each in sorted(counts, reverse=True) if each[0]][:3]


def _loosened(without: list[tuple[int, str]]) -> str:
    if not without:
        return "Leaving out one of these is not enough: ask which two matter least."
    said = "; ".join(f'without "{said}" {counted(count, "home")}' for count, said in without)
    return f"It would be {said}."
