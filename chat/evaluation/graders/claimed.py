"""Holds what a reply asserts against the database, and against what the tools found in the same dialogue.

`true`: the database (or a tool's fact) says so. `false`: it says otherwise. `unsupported`: nobody ever said it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from chat.evaluation.graders.claims import Claim, numbers, slack, words
from tools.desk import ToolFault
from tools.housing.listings import Home, Listings
from tools.housing.transit import towards

Known = Mapping[str, Sequence[Any]]


@dataclass(frozen=True)
class Checked:
    """A claim and what became of it."""

    claim: Claim
    verdict: Literal["true", "false", "unsupported"]
    actual: Any = None
    """What is so instead, where the database knows."""


def fact(name: str, listings: Listings) -> Any:
    """The value of `H-0421.price`, `H-0421.minutes.University`, `Riverside.noise`, `Mercer Academy.rating`.

    Any column of a home, and price_m2, minutes.PLACE, changes.PLACE, walk.PLACE, sold_at, asked_at. Raises KeyError.
    """
    subject, _, field = name.partition(".")
    if not re.fullmatch(r"H-\d{4}", subject):
        return dict({**listings.districts, **listings.places}[subject])[field]
    try:
        home = listings.get(subject)
    except ToolFault as fault:
        raise KeyError(name) from fault
    return _of_home(home, field, listings)


def _of_home(home: Home, field: str, listings: Listings) -> Any:
    column, _, place = field.partition(".")
    if column in ("minutes", "changes", "walk") and place in listings.places:
        near = {home.stop: home.stop_walk, home.school: home.school_walk} if column == "walk" else {}
        way = towards(place, listings).way(home)
        return near.get(place, way.changes if column == "changes" else way.minutes)
    if column in ("sold_at", "asked_at"):
        events = ("sold",) if column == "sold_at" else ("listed", "price reduced")
        return [row["price"] for row in listings.history(home.id) if row["event"] in events]
    if not hasattr(home, column) or place:
        raise KeyError(f"{home.id}.{field}")
    return getattr(home, column)


def check(
    claims: Iterable[Claim], listings: Listings, found: Iterable[Mapping[str, Any]] = (), said: str = ""
) -> list[Checked]:
    """Every claim with its verdict. `found`: the facts of tool calls, the newest last; `said`: the person's words,
    whose figures may be repeated."""
    known, repeated = defaultdict[str, list[Any]](list), set(numbers(said))
    for name, value in (pair for facts in found for pair in facts.items()):
        known[name].append(value)
    return [_checked(claim, listings, known, repeated) for claim in claims]


def _checked(claim: Claim, listings: Listings, known: Known, said: set[float]) -> Checked:
    subject, _, field = claim.name.partition(".")
    if field in ("slot", "booked"):
        return _time(claim, subject, field, known)
    if subject in ("", "loan", "afford"):
        return _anywhere(claim, claim.name.removeprefix("."), known, said)
    try:
        actual = fact(claim.name, listings)
    except KeyError:
        return _anywhere(claim, field, known, said)
    values = [*(actual if isinstance(actual, list) else [actual]), *known.get(claim.name, ())]
    return Checked(claim, "true" if any(_same(claim, value) for value in values) else "false", actual)


def _anywhere(claim: Claim, field: str, known: Known, said: set[float]) -> Checked:
    """A figure without a home: true where a tool found it, or the person said it."""
    if claim.name.endswith(".id"):
        return Checked(claim, "false")
    if isinstance(claim.value, float | int) and float(claim.value) in said:
        return Checked(claim, "true")
    kin = {*words()["kin"].get(field, [field])}
    names = [name for name in known if {name, name.partition(".")[2]} & kin]
    names += [name for name in known if field == "count" and name.startswith("search.without")]
    values = [value for name in names for value in known[name]]
    prices = {float(value) for name in known if name.endswith(".price") for value in known[name]}
    gap = field == "difference" and claim.value in {abs(a - b) for a in prices for b in prices if a > b}
    if gap or any(_same(claim, value) for value in values):
        return Checked(claim, "true")
    told = field.startswith(("loan.", "afford.")) and bool(values)
    return Checked(claim, "false" if told else "unsupported", values[-1] if told else None)


def _same(claim: Claim, value: Any) -> bool:
    if isinstance(claim.value, bool) or isinstance(value, bool) or not isinstance(value, int | float):
        return bool(claim.value == value)
    if not isinstance(claim.value, int | float):
        return False
    room = 0.02 * abs(value) if claim.about else slack(float(claim.value), float(value))
    return abs(claim.value - value) <= room


def _time(claim: Claim, home: str, field: str, known: Known) -> Checked:
    """A viewing: among the times that a tool offered, or booked."""
    booked = list(known.get(f"{home}.booked", ()))
    offered = [at for times in known.get(f"{home}.slots", ()) for at in times]
    # A time that was booked and then cancelled may still be spoken of, as one that is booked it may not.
    values = booked[-1:] if field == "booked" else [*offered, *booked]
    if any(at and claim.value in (at, "0000" + at[4:]) for at in values):
        return Checked(claim, "true")
    return Checked(claim, "false" if field == "booked" or values else "unsupported", values or None)
