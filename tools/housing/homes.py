"""What is known of a home, of several side by side, of its price over time, and of a district."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from tools.desk import Desk, ToolFault
from tools.housing.listings import (
    FEATURES,
    HEADLINE,
    Home,
    Listings,
    counted,
    facts_of,
    floor_of,
    headline,
    money,
)
from tools.housing.names import find
from tools.ledger import Findings
from tools.plain import clean, plain_tool

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

_ALL = (
    *HEADLINE, "address", "rooms", "bathrooms", "floor", "floors", "year", "energy", *FEATURES, "fee", "noise",
    "listed", "agent", "stop", "stop_walk", "school", "school_walk",
)  # fmt: skip


def make(desk: Desk, folder: Path) -> list[BaseTool]:
    listings = Listings(folder)
    return [
        plain_tool("details", "All about one home. Input: H-0421", lambda text: details(text, listings)),
        plain_tool("compare", "Compares 2 to 4 homes. Input: H-0421 and H-0007", lambda text: compare(text, listings)),
        plain_tool(
            "price_history", "Earlier sales and price changes. Input: H-0421", lambda text: history(text, listings)
        ),
        plain_tool(
            "district",
            "A district's character, prices, noise, schools and stops. Input: Riverside",
            lambda text: district(text, listings),
        ),
    ]


def asked_fields(text: str) -> list[str]:
    """What is asked of a home: `garden`, `price` ...; empty where nothing in particular is."""
    return [name for name, (pattern, _) in _FIELDS.items() if re.search(rf"\b(?:{pattern})\b", text, re.I)]


UNKNOWN = re.compile(
    r"\b(?:cellar|basement|(?:swimming )?pool|sauna|fireplace|internet|wi-?fi|broadband|fibre|view from|furnish\w*|"
    r"furniture|kitchen|dishwasher|solar|air[ -]?condition\w*|alarm|attic|storage(?: room)?|heat(?:ed|ing) (?:with|"
    r"by|system)|"
    r"ceilings?|windows|orientation|south-facing|sunny|renovat\w+|refurbish\w*|insulat\w+|charger|charging|bath ?tub|"
    r"shower|owners?(?: name)?|sellers?|tenants?|neighbours?|why (?:is|are|do|does) .*\bsell\w*|crime|safe|laundry|"
    r"washing machine)\b",
    re.I,
)
"""What people ask of a home that no listing says."""


def _feature(word: str) -> Callable[[Home], str]:
    return lambda home: f"has {'a' if getattr(home, word) else 'no'} {FEATURES[word]}"


_FIELDS: dict[str, tuple[str, Callable[[Home], str]]] = {
    "garden": (r"gardens?|yard", _feature("garden")),
    "balcony": (r"balcon(?:y|ies)|terrace", _feature("balcony")),
    "parking": (r"parking|garage|park (?:my|our|a|the) car", _feature("parking")),
    "lift": (r"lift|elevator", _feature("lift")),
    "pets": (r"pets?|dogs?|cats?", lambda h: "allows pets" if h.pets else "does not allow pets"),
    "price": (r"prices?|how much(?! (?:a|per) month)(?! (?:space|room|noise|larger|bigger|time|longer))|"
    r"cost(?!s? (?:a|per) month)|asking|(?:want|ask) for",
              lambda h: f"costs {money(h.price)}, {money(h.price_m2)} per m2"),
    "size": (r"size|how (?:big|large)|square met\w+|m2", lambda h: f"has {h.size} m2"),
    "bedrooms": (r"bedrooms?", lambda h: f"has {counted(h.bedrooms, 'bedroom')}"),
    "rooms": (r"rooms?", lambda h: f"has {counted(h.rooms, 'room')}"),
    "bathrooms": (r"bath(?:room)?s?", lambda h: f"has {counted(h.bathrooms, 'bathroom')}"),
    "floor": (r"floors?|storey|ground floor|stairs|how high up", lambda h: f"is on: {floor_of(h)}"),
    "year": (r"built|how old|years? (?:built|of construction)|construction year|building year|"
    r"age", lambda h: f"was built in {h.year}"),
    "energy": (r"energy|heating|insulat\w+", lambda h: f"has energy class {h.energy}"),
    "fee": (r"service (?:charge|fee|cost)s?|charges|charged .*\bservice|fees?|running costs",
            lambda h: f"has a service charge of {money(h.fee)} a month" if h.fee else "has no service charge"),
    "noise": (r"nois[ey]|noisy|quiet(?:er|est)?|loud(?:er|est)?|calm|"
    r"decibels?", lambda h: f"has a noise of {h.noise} dB by day"),
    "address": (r"address|where is|located|location|street", lambda h: f"is at {h.address} in {h.district}"),
    "stop": (r"stops?|tram|metro|bus|public transport|station",
             lambda h: f"has the stop {h.stop} {counted(h.stop_walk, 'minute')} on foot away"),
    "school": (r"schools?|kindergarten", lambda h: f"has {h.school} {counted(h.school_walk, 'minute')} on foot away"),
    "status": (r"available|sold|still (?:there|free|for sale|on)|under offer|on offer", lambda h: f"is {h.status}"),
    "agent": (r"agent|who (?:shows|sells|is selling)|contact person|who(?:m)? (?:will|is going to|would|do|will i|"
    r"do i) (?:open|meet|show|be there|i meet|receive)", lambda h: f"is with the agent {h.agent}"),
    "listed": (r"listed|on the market|how long has", lambda h: f"was listed on {h.listed}"),
}  # fmt: skip
"""What can be asked of a home -> how it is asked, and how it is told."""


def details(text: str, listings: Listings) -> tuple[str, Findings]:
    """Every field of a listing, or those named behind a colon: `H-0421: garden, price`. Raises ToolFault."""
    asked = clean(text, "details")
    named = asked.partition(":")[2]
    fields = [name for name in re.findall(r"\w+", named) if name in _FIELDS]
    if not fields and (nothing := UNKNOWN.search(named)):
        return _unsaid(listings.named(asked.partition(":")[0]), nothing[0].strip(), listings)
    if fields:
        homes = listings.named(asked.partition(":")[0])
        if not homes:
            listings.one(asked.partition(":")[0], "details")
        lines = [f"{home.id} {'; it '.join(_FIELDS[name][1](home) for name in fields)}." for home in homes]
        facts = {key: value for home in homes for key, value in facts_of(home, *_ALL).items()}
        facts |= {f"{home.id}.price_m2": home.price_m2 for home in homes}
        return "\n".join(lines), _found(listings, homes, facts)
    home = listings.one(asked, "details")
    has = [word for field, word in FEATURES.items() if getattr(home, field)]
    lacks = [word for field, word in FEATURES.items() if not getattr(home, field)]
    said = (
        f"{headline(home)}. Address: {home.address}. {counted(home.rooms, 'room')}, "
        f"{counted(home.bathrooms, 'bathroom')}, {floor_of(home)}, built in {home.year}, energy class {home.energy}. "
        f"Has: {', '.join(has) or 'none of garden, balcony, parking space, lift'}. "
        f"Has not: {', '.join(lacks) or 'nothing of the usual'}. "
        f"Service charge: {money(home.fee) + ' a month' if home.fee else 'none'}. Noise by day: {home.noise} dB. "
        f"Stop: {home.stop}, {counted(home.stop_walk, 'minute')} on foot. "
        f"School: {home.school}, {counted(home.school_walk, 'minute')} on foot. "
        f"Listed on {home.listed}. Status: {home.status}. Agent: {home.agent}."
    )
    return said, {**_found(listings, [home], dict(facts_of(home, *_ALL))), "told": _told(home, has, lacks)}


def _unsaid(homes: list[Home], what: str, listings: Listings) -> tuple[str, Findings]:
    """What the desk does not know is said to be unknown."""
    lines = [
        f"The listing of {home.id} does not say anything about that ({what}), so I do not know; "
        f"the agent {home.agent} can tell you."
        for home in homes
    ]
    return "\n".join(lines), _found(listings, homes, {f"{home.id}.agent": home.agent for home in homes})


def _told(home: Home, has: list[str], lacks: list[str]) -> str:
    """All about a home as a list for the person."""
    charge = f"{money(home.fee)} a month" if home.fee else "none"
    lines = [
        f"Address: {home.address}, {floor_of(home)}, built in {home.year}, energy class {home.energy}",
        f"{counted(home.rooms, 'room')}, {counted(home.bathrooms, 'bathroom')}; has: {', '.join(has) or '-'}; "
        f"has not: {', '.join(lacks) or '-'}",
        f"Service charge: {charge}; noise by day: {home.noise} dB",
        f"Stop: {home.stop}, {counted(home.stop_walk, 'minute')} on foot; "
        f"school: {home.school}, {counted(home.school_walk, 'minute')} on foot",
        f"Status: {home.status}, listed on {home.listed}, agent {home.agent}",
    ]
    return "\n".join([headline(home), "", *(f"- {line}" for line in lines)])


def compare(text: str, listings: Listings) -> tuple[str, Findings]:
    """Two to four homes, field by field. Raises ToolFault."""
    homes = listings.named(clean(text, "compare"), 5)
    if not 2 <= len(homes) <= 4:
        raise ToolFault("Name two to four homes by their numbers, for example: H-0421 and H-0007.")
    fields = {
        "price": [money(h.price) for h in homes],
        "price per m2": [f"{money(h.price_m2)} per m2" for h in homes],
        "size": [f"{h.size} m2" for h in homes],
        "bedrooms": [counted(h.bedrooms, "bedroom") for h in homes],
        "kind and district": [f"{h.kind} in {h.district}" for h in homes],
        "built": [f"built in {h.year}" for h in homes],
        "energy": [f"energy class {h.energy}" for h in homes],
        "service charge": [f"{money(h.fee)} service charge a month" if h.fee else "no service charge" for h in homes],
        "has": [", ".join(w for f, w in FEATURES.items() if getattr(h, f)) or "-" for h in homes],
        "stop on foot": [f"{counted(h.stop_walk, 'minute')}" for h in homes],
        "noise": [f"{h.noise} dB" for h in homes],
        "status": [h.status for h in homes],
    }
    lines = [
        f"{name[:1].upper()}{name[1:]}: "
        + "; ".join(f"{home.id} {value}" for home, value in zip(homes, values, strict=True))
        for name, values in fields.items()
    ]
    facts = {key: value for home in homes for key, value in facts_of(home, *_ALL).items()}
    facts |= {f"{home.id}.price_m2": home.price_m2 for home in homes}
    told = "\n".join([*(f"- {line}" for line in lines), "", _difference(homes)])
    return "\n".join([*lines, _difference(homes)]), {**_found(listings, homes, facts), "told": told}


def _difference(homes: list[Home]) -> str:
    cheap, dear = (choose(homes, key=lambda h: h.price) for choose in (min, max))
    large = max(homes, key=lambda h: h.size)
    gap = money(dear.price - cheap.price)
    return f"{cheap.id} is the cheapest ({gap} less than {dear.id}); {large.id} is the largest."


def history(text: str, listings: Listings) -> tuple[str, Findings]:
    """What a home was sold for and asked for, oldest first. Raises ToolFault."""
    home = listings.one(clean(text, "price_history"), "price_history")
    events = listings.history(home.id)
    lines = [f"{e['happened']} {e['event']} at {money(e['price'])}" for e in events]
    facts: dict[str, object] = {f"{home.id}.history.{e['happened']}": [e["event"], e["price"]] for e in events}
    facts |= facts_of(home, "price", "status")
    asked = [e["price"] for e in events if e["event"] in ("listed", "price reduced")]
    change = ""
    if len(asked) > 1:
        facts[f"{home.id}.reduced_by"] = asked[0] - asked[-1]
        change = f" The asking price went down by {money(asked[0] - asked[-1])} since it was listed."
    return (
        f"{home.id}: {'; '.join(lines)}. Asking price now: {money(home.price)}.{change}",
        _found(listings, [home], facts),
    )


def district(text: str, listings: Listings) -> tuple[str, Findings]:
    """What a district is like, in figures. Raises ToolFault with the names there are."""
    asked, known = clean(text, "district"), listings.districts()
    if re.fullmatch(r"(?:all|the) districts", asked, re.I):
        return _all_districts(listings)
    if not (name := next(iter(find(asked, known)), "")):
        raise ToolFault(f"Name a district of the city: {', '.join(known)}.")
    row = known[name]
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


def _all_districts(listings: Listings) -> tuple[str, Findings]:
    """The districts with what a square metre costs and how loud it is, cheapest first."""
    rows = sorted(listings.districts().values(), key=lambda row: row["price_m2"])
    lines = [f"- {row['name']}: about {money(row['price_m2'])} per m2, about {row['noise']} dB" for row in rows]
    facts = {f"{row['name']}.{field}": row[field] for row in rows for field in ("price_m2", "noise")}
    said = "\n".join([f"Aldermere has {len(rows)} districts, the cheapest first:", "", *lines])
    return said, {"sources": ["districts"], "depends": {"listings": listings.version()}, "facts": facts}


def _found(listings: Listings, homes: list[Home], facts: dict[str, object]) -> Findings:
    sources = [home.source for home in homes]
    return {"sources": sources, "depends": {"listings": listings.version()}, "facts": facts}
