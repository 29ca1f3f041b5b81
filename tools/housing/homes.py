"""What is known of a home, of several side by side, of its price over time, and of a district."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BaseModel, Field

from tools.desk import Desk
from tools.housing.listings import FEATURES, HEADLINE, District, Home, HomeName, Listings, counted, money
from tools.ledger import Findings
from tools.typed import typed_tool

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

_ALL = (
    *HEADLINE, "address", "rooms", "bathrooms", "floor", "floors", "year", "energy", *FEATURES, "fee", "noise",
    "listed", "agent", "stop", "stop_walk", "school", "school_walk", "price_m2",
)  # fmt: skip
Asked = Literal[
    "price", "size", "bedrooms", "rooms", "bathrooms", "floor", "year built", "energy class", "service charge", "noise",
    "address", "stop", "school", "garden", "balcony", "parking", "pets", "lift", "status", "agent", "date listed",
    "something the listing does not say",
]  # fmt: skip
"""What people ask of a home."""
UNSAID = "something the listing does not say"
_SIDE_BY_SIDE = ("year built", "energy class", "service charge", "noise", "stop", *FEATURES, "status")


About = Annotated[list[Asked], Field(description="What is asked; leave out for all that is known")]


class OneHome(BaseModel):
    """What `price_history` takes."""

    home: HomeName


class Details(OneHome):
    """What `details` takes."""

    about: About = []


class Several(BaseModel):
    """What `compare` takes."""

    homes: Annotated[list[HomeName], Field(min_length=2, max_length=4)]
    about: About = []


class OneDistrict(BaseModel):
    """What `district` takes."""

    district: District | None = Field(None, description="Leave out to have all of them side by side")


def make(desk: Desk, folder: Path) -> list[BaseTool]:
    listings = Listings(folder)
    return [
        typed_tool(
            "details", "What the listing of one home says.", Details,
            lambda home, about: details(listings.get(home), about, listings),
        ),
        typed_tool(
            "compare", "Puts two to four homes side by side.", Several,
            lambda homes, about: compare([listings.get(home) for home in homes], about, listings),
        ),
        typed_tool(
            "price_history", "Earlier sales of a home, and changes of its price.", OneHome,
            lambda home: history(listings.get(home), listings),
        ),
        typed_tool(
            "district", "A district's streets, prices, noise, schools and stops.", OneDistrict,
            lambda district: of_district(district, listings) if district else all_districts(listings),
        ),
    ]  # fmt: skip


_TOLD: dict[str, Callable[[Home], str]] = {
    "price": lambda h: f"costs {money(h.price)}, {money(h.price_m2)} per m2",
    "size": lambda h: f"has {h.size} m2",
    "bedrooms": lambda h: f"has {counted(h.bedrooms, 'bedroom')}",
    "rooms": lambda h: f"has {counted(h.rooms, 'room')}",
    "bathrooms": lambda h: f"has {counted(h.bathrooms, 'bathroom')}",
    "floor": lambda h: f"is on: {h.level}",
    "year built": lambda h: f"was built in {h.year}",
    "energy class": lambda h: f"has energy class {h.energy}",
    "service charge": lambda h: f"has a service charge of {money(h.fee)} a month" if h.fee else "has no service charge",
    "noise": lambda h: f"has a noise of {h.noise} dB by day",
    "address": lambda h: f"is at {h.address} in {h.district}",
    "stop": lambda h: f"has the stop {h.stop} {counted(h.stop_walk, 'minute')} on foot away",
    "school": lambda h: f"has {h.school} {counted(h.school_walk, 'minute')} on foot away",
    "pets": lambda h: "allows pets" if h.pets else "does not allow pets",
    "status": lambda h: f"is {h.status}",
    "agent": lambda h: f"is with the agent {h.agent}",
    "date listed": lambda h: f"was listed on {h.listed}",
}


def details(home: Home, about: Sequence[str], listings: Listings) -> tuple[str, Findings]:
    """Every field of a listing, or those asked for."""
    artifact = listings.found([home], home.facts(*_ALL))
    if not about:
        return _whole(home), artifact
    said = [_told(home, asked) for asked in about if asked != UNSAID]
    lines = [f"{home.id} {'; it '.join(said)}."] if said else []
    if len(said) < len(about):
        lines.append(f"The listing of {home.id} does not say that, so I do not know; {home.agent}, the agent, can.")
    return " ".join(lines), artifact


def _told(home: Home, asked: str) -> str:
    if asked in _TOLD:
        return _TOLD[asked](home)
    return f"has {'a' if getattr(home, asked) else 'no'} {FEATURES[asked]}"


def _whole(home: Home) -> str:
    """As a list."""
    lacks = [word for word in FEATURES.values() if word not in home.has]
    charge = f"{money(home.fee)} a month" if home.fee else "none"
    lines = [
        f"Address: {home.address}, {home.level}, built in {home.year}, energy class {home.energy}",
        f"{counted(home.rooms, 'room')}, {counted(home.bathrooms, 'bathroom')}; has: {', '.join(home.has) or '-'}; "
        f"has not: {', '.join(lacks) or '-'}",
        f"Service charge: {charge}; noise by day: {home.noise} dB",
        f"Stop: {home.stop}, {counted(home.stop_walk, 'minute')} on foot; "
        f"school: {home.school}, {counted(home.school_walk, 'minute')} on foot",
        f"Status: {home.status}, listed on {home.listed}, agent {home.agent}",
    ]
    return "\n".join([home.headline, "", *(f"- {line}" for line in lines)])


def compare(homes: Sequence[Home], about: Sequence[str], listings: Listings) -> tuple[str, Findings]:
    """Field by field."""
    asked = [field for field in about or _SIDE_BY_SIDE if field != UNSAID]
    lines = [f"- {'; '.join(f'{home.id} {_told(home, field)}' for home in homes)}" for field in asked]
    facts = {key: value for home in homes for key, value in home.facts(*_ALL).items()}
    text = "\n".join([*(f"- {home.headline}" for home in homes), *lines, "", _difference(homes)])
    return text, listings.found(homes, facts)


def _difference(homes: Sequence[Home]) -> str:
    cheap, dear = (choose(homes, key=lambda h: h.price) for choose in (min, max))
    large = max(homes, key=lambda h: h.size)
    gap = money(dear.price - cheap.price)
    return f"{cheap.id} is the cheapest ({gap} less than {dear.id}); {large.id} is the largest."


def history(home: Home, listings: Listings) -> tuple[str, Findings]:
    """What a home was sold for and asked for, oldest first."""
    events = listings.history(home.id)
    lines = [f"{e['happened']} {e['event']} at {money(e['price'])}" for e in events]
    facts: dict[str, object] = {f"{home.id}.history.{e['happened']}": [e["event"], e["price"]] for e in events}
    facts |= home.facts("price", "status")
    asked = [e["price"] for e in events if e["event"] in ("listed", "price reduced")]
    change = ""
    if len(asked) > 1:
        facts[f"{home.id}.reduced_by"] = asked[0] - asked[-1]
        change = f" The asking price went down by {money(asked[0] - asked[-1])} since it was listed."
    return (
        f"{home.id}: {'; '.join(lines)}. Asking price now: {money(home.price)}.{change}",
        listings.found([home], facts),
    )


def of_district(name: str, listings: Listings) -> tuple[str, Findings]:
    """What a district is like, in figures."""
    row = listings.districts()[name]
    places = [p for p in listings.places().values() if p["district"] == name]
    schools = [f"{p['name']} ({p['kind']}, rating {p['rating']} of 10)" for p in places if "school" in p["kind"]]
    stops = [p["name"] for p in places if p["kind"] == "stop"]
    flats = listings.where("district = ? AND status = 'available'", (name,), "price")
    middle = flats[len(flats) // 2].price
    facts = {
        f"{name}.homes": len(flats), f"{name}.price": middle, f"{name}.price_m2": row["price_m2"],
        f"{name}.noise": row["noise"],
    }  # fmt: skip
    facts |= {f"{p['name']}.rating": p["rating"] for p in places if p["rating"]}
    said = (
        f"{name}: {row['character']}. About {money(row['price_m2'])} per m2; {counted(len(flats), 'home')} available, "
        f"the median price is {money(middle)}. Noise by day: about {row['noise']} dB. "
        f"Schools: {', '.join(schools) or 'none of its own'}. Stops: {', '.join(stops) or 'none of its own'}."
    )
    return said, {"sources": [f"district {name}"], "depends": {"listings": listings.version()}, "facts": facts}


def all_districts(listings: Listings) -> tuple[str, Findings]:
    """The districts with what a square metre costs and how loud it is, cheapest first."""
    rows = sorted(listings.districts().values(), key=lambda row: row["price_m2"])
    lines = [f"- {row['name']}: about {money(row['price_m2'])} per m2, about {row['noise']} dB" for row in rows]
    facts = {f"{row['name']}.{field}": row[field] for row in rows for field in ("price_m2", "noise")}
    said = "\n".join([f"Aldermere has {len(rows)} districts, the cheapest first:", "", *lines])
    return said, {"sources": ["districts"], "depends": {"listings": listings.version()}, "facts": facts}
