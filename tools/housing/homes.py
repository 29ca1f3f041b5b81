"""What is known of a home, of several side by side, of its price over time, and of a district."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from sqlite3 import Row
from statistics import median
from typing import Annotated, Any, Literal

from pydantic import Field

from tools.housing.listings import FEATURES, District, Home, HomeName, Listings, counted, money
from tools.ledger import Findings

_ALL = [field for field in Home.model_fields if field not in ("id", "x", "y")] + ["price_m2"]
UNSAID = "something the listing does not say"
Asked = Literal[
    "price", "size", "bedrooms", "rooms", "bathrooms", "floor", "year built", "energy class", "service charge", "noise",
    "address", "stop", "school", "garden", "balcony", "parking", "pets", "lift", "status", "agent", "date listed",
    "something the listing does not say",
]  # fmt: skip
"""What people ask of a home."""
About = Annotated[Sequence[Asked], Field(description="What is asked; leave out for all that is known")]
_SIDE_BY_SIDE = ("year built", "energy class", "service charge", "noise", "stop", *FEATURES, "status")
Homes = Annotated[list[HomeName], Field(min_length=2, max_length=4)]
OneOrAll = Annotated[District | None, Field(description="Leave out to have all of them side by side")]
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


def details(listings: Listings, home: HomeName, about: About = ()) -> tuple[str, Findings]:
    """Every field of a listing, or those asked for."""
    seen = listings.get(home)
    artifact = listings.found([seen], seen.facts(*_ALL))
    if not about:
        return _whole(seen), artifact
    said = [_told(seen, asked) for asked in about if asked != UNSAID]
    lines = [f"{seen.id} {'; it '.join(said)}."] if said else []
    if len(said) < len(about):
        lines.append(f"The listing of {seen.id} does not say that, so I do not know; {seen.agent}, the agent, can.")
    return " ".join(lines), artifact


def _told(home: Home, asked: str) -> str:
    return _TOLD[asked](home) if asked in _TOLD else f"has {'a' if getattr(home, asked) else 'no'} {FEATURES[asked]}"


def _whole(home: Home) -> str:
    """As a list."""
    lacks = [word for word in FEATURES.values() if word not in home.has]
    lines = [
        home.headline,
        "",
        f"- Address: {home.address}, {home.level}, built in {home.year}, energy class {home.energy}",
        f"- {counted(home.rooms, 'room')}, {counted(home.bathrooms, 'bathroom')}; has: {', '.join(home.has) or '-'}; "
        f"has not: {', '.join(lacks) or '-'}",
        f"- Service charge: {f'{money(home.fee)} a month' if home.fee else 'none'}; noise by day: {home.noise} dB",
        f"- Stop: {home.stop}, {counted(home.stop_walk, 'minute')} on foot; "
        f"school: {home.school}, {counted(home.school_walk, 'minute')} on foot",
        f"- Status: {home.status}, listed on {home.listed}, agent {home.agent}",
    ]
    return "\n".join(lines)


def compare(listings: Listings, homes: Homes, about: About = ()) -> tuple[str, Findings]:
    """Field by field."""
    seen = [listings.get(home) for home in homes]
    asked = [field for field in about or _SIDE_BY_SIDE if field != UNSAID]
    lines = [f"- {'; '.join(f'{home.id} {_told(home, field)}' for home in seen)}" for field in asked]
    facts = {key: value for home in seen for key, value in home.facts(*_ALL).items()}
    cheap, dear = (choose(seen, key=lambda h: h.price) for choose in (min, max))
    small, large = (choose(seen, key=lambda h: h.size) for choose in (min, max))
    gap = money(dear.price - cheap.price)
    price = f"{cheap.id} is the cheapest ({gap} less than {dear.id})" if cheap != dear else "They cost the same"
    difference = f"{price}; {f'{large.id} is the largest' if large != small else 'they are equally large'}."
    return "\n".join([*(f"- {home.headline}" for home in seen), *lines, "", difference]), listings.found(seen, facts)


def history(listings: Listings, home: HomeName) -> tuple[str, Findings]:
    """What a home was sold for and asked for, oldest first."""
    seen = listings.get(home)
    events = listings.history(seen.id)
    told = "; ".join(f"{e['happened']} {e['event']} at {money(e['price'])}" for e in events)
    said = f"{seen.id}: {told}. Asking price now: {money(seen.price)}."
    facts: dict[str, Any] = {f"{seen.id}.history.{e['happened']}": [e["event"], e["price"]] for e in events}
    asked = [e["price"] for e in events if e["event"] in ("listed", "price reduced")]
    if len(asked) > 1:
        facts[f"{seen.id}.reduced_by"] = asked[0] - asked[-1]
        said += f" The asking price went down by {money(asked[0] - asked[-1])} since it was listed."
    return said, listings.found([seen], facts | seen.facts("price", "status"))


def district(listings: Listings, district: OneOrAll = None) -> tuple[str, Findings]:
    """What a district is like, in figures; without one all of them, cheapest first."""
    rows = [row for name, row in listings.districts.items() if district in (None, name)]
    said, facts = _district(listings, rows[0]) if district else (_districts(rows), {})
    facts |= {f"{row['name']}.{field}": row[field] for row in rows for field in ("price_m2", "noise")}
    return said, {**listings.found([], facts), "sources": [f"district {district}" if district else "districts"]}


def _district(listings: Listings, row: Row) -> tuple[str, dict[str, Any]]:
    name = row["name"]
    places = [p for p in listings.places.values() if p["district"] == name]
    schools = [f"{p['name']} ({p['kind']}, rating {p['rating']} of 10)" for p in places if "school" in p["kind"]]
    stops = [p["name"] for p in places if p["kind"] == "stop"]
    homes = listings.where("district = ? AND status = 'available'", (name,))
    middle = round(median(home.price for home in homes))
    ratings = {f"{p['name']}.rating": p["rating"] for p in places if p["rating"]}
    said = (
        f"{name}: {row['character']}. About {money(row['price_m2'])} per m2; {counted(len(homes), 'home')} available, "
        f"the median price is {money(middle)}. Noise by day: about {row['noise']} dB. "
        f"Schools: {', '.join(schools) or 'none of its own'}. Stops: {', '.join(stops) or 'none of its own'}."
    )
    return said, {f"{name}.homes": len(homes), f"{name}.price": middle, **ratings}


def _districts(rows: Sequence[Row]) -> str:
    cheapest = sorted(rows, key=lambda row: row["price_m2"])
    lines = [f"- {row['name']}: about {money(row['price_m2'])} per m2, about {row['noise']} dB" for row in cheapest]
    return "\n".join([f"Aldermere has {len(rows)} districts, the cheapest first:", "", *lines])
