"""What a search can ask of a home, each thing read from plain words into a condition in SQL that can be said back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tools.housing.ranges import Span, Words

NEAR_SCHOOL, NEAR_STOP, QUIET = 8, 6, 50
"""What `near` and `quiet` are taken for: minutes on foot; decibels by day."""


@dataclass(frozen=True)
class Condition:
    """One thing that is asked of a home."""

    said: str
    sql: str
    values: tuple[object, ...] = ()


_KINDS = (
    (r"townhouses?|terraced? (?:houses?|homes?)|row ?houses?", "townhouse"),
    (r"penthouses?", "penthouse"),
    (r"studios?(?: flats?| apartments?)?", "studio"),
    (r"lofts?(?: flats?| apartments?)?", "loft"),
    (r"flats?|apartments?|apts?|condos?|condominiums?|maisonettes?", "flat"),
    (r"houses?|villas?|detached(?: houses?| homes?)?|bungalows?", "house"),
)


def _kind(words: Words) -> Iterator[Condition]:
    wanted: list[str] = []
    unwanted: list[str] = []
    for pattern, kind in _KINDS:
        while found := words.take(rf"\b(?P<no>no |not (?:a |an )?|except (?:for )?|without )?(?:{pattern})\b"):
            (unwanted if found["no"] else wanted).append(kind)
    for kinds, test, no in ((wanted, "IN", ""), (unwanted, "NOT IN", "no ")):
        if kinds := list(dict.fromkeys(kinds)):
            marks = ", ".join("?" * len(kinds))
            yield Condition(no + " or ".join(kinds), f"kind {test} ({marks})", tuple(kinds))


_BED = r"bed(?: ?rooms?|s)?|br|bdrs?|bdrms?"
_SQUARE = r"m2|m\^2|sq\.? ?m(?:et(?:er|re)s?)?|sqms?|square[ -]met(?:er|re)s?|qm"
_FEET = r"sq\.? ?(?:ft|feet)|square (?:feet|foot)"


def _amounts(words: Words) -> Iterator[Condition]:
    small = r"\d{1,2}"
    if words.take(r"\bno (?:service )?(?:charge|fee)\b"):
        yield Condition("no service charge", "fee = 0")
    if fee := words.span(r"\d{1,4}", r"(?:euros )?(?:service (?:charge|fee)|fee)", "service charge|service fee|fee"):
        yield _limits("fee", fee, "service charge {} euros a month", "at most")
    if bedrooms := words.span(small, _BED, "bedrooms?|beds"):
        yield _limits("bedrooms", bedrooms, "{} bedrooms")
    if bathrooms := words.span(small, r"bath(?:room)?s?", "bathrooms?|baths?"):
        yield _limits("bathrooms", bathrooms, "{} bathrooms", "at least")
    if rooms := words.span(small, r"rooms?", "rooms?"):
        yield _limits("rooms", rooms, "{} rooms")
    if feet := words.span(r"\d{3,5}", _FEET):
        low, high = (None if end is None else round(end * 0.092903) for end in (feet.low, feet.high))
        yield _limits("size", Span(low, high, feet.about), "{} m2", "about")
    if size := words.span(r"\d{2,4}", _SQUARE, "size|area"):
        yield _limits("size", size, "{} m2", "about")
    if price := words.span(r"\d{5,8}", r"(?:euros?|eur)?", "price|budget|cost"):
        yield _limits("price", price, "{} euros", "at most")


def _limits(column: str, span: Span, said: str, alone: str = "") -> Condition:
    """`alone`: what a single number is taken for, `at most`, `at least` or `about`."""
    low, high = span.low, span.high
    if span.exact and alone == "at most":
        low = None
    elif span.exact and alone == "at least":
        high = None
    elif span.exact and alone == "about" and low is not None:
        low, high = round(low * 0.9), round(low * 1.1)
    text = said.format(_ends(low, high))
    text = text[:-1] if said == "{} bedrooms" and low == high == 1 else text
    if low is None:
        return Condition(text, f"{column} <= ?", (high,))
    if high is None:
        return Condition(text, f"{column} >= ?", (low,))
    return Condition(text, f"{column} BETWEEN ? AND ?", (low, high))


def _ends(low: float | None, high: float | None) -> str:
    if low is None:
        return f"at most {high:,.0f}"
    if high is None:
        return f"at least {low:,.0f}"
    return f"{low:,.0f}" if low == high else f"{low:,.0f} to {high:,.0f}"


_FEATURES = {
    "garden": r"gardens?|yard|backyard",
    "balcony": r"balcon(?:y|ies)|terraces?|patio",
    "parking": r"parking(?: (?:space|spot|place)s?)?|garages?|carport|place for (?:my|our|a|the) car|car park",
    "pets": r"pets?(?:[ -]friendly| allowed| welcome)?|(?:my |our |a |two |2 )?(?:dogs?|cats?)(?: allowed)?",
    "lift": r"lifts?|elevators?|step[ -]free",
}
_SAID = {"garden": "garden", "balcony": "balcony", "parking": "parking", "pets": "pets allowed", "lift": "lift"}


def _features(words: Words) -> Iterator[Condition]:
    for field, pattern in _FEATURES.items():
        found = words.take(
            rf"\b(?P<no>no |without (?:a |an )?|not )?(?:a |an )?(?:{pattern})(?: (?:yes|true|no|false))?\b"
        )
        if found:
            no = bool(found["no"]) or found[0].endswith((" no", " false"))
            yield Condition(f"no {_SAID[field]}" if no else _SAID[field], f"{field} = {int(not no)}")


_STORIES = "kind NOT IN ('house', 'townhouse')"
_PLAIN: tuple[tuple[str, str, str], ...] = (
    (r"(?:any|all) status(?:es)?|including sold|sold or available", "any status", "status != ''"),
    (r"under offer", "under offer", "status = 'under offer'"),
    (r"(?:already )?sold", "sold", "status = 'sold'"),
    (r"(?:price )?(?:reduced|reductions?|drops?|dropped)(?: price| in price)?", "price reduced",
     "id IN (SELECT home FROM history WHERE event = 'price reduced')"),
    (r"(?:not|no|above|except)(?: on| the| on the)* ground floor", "not on the ground floor", "floor > 0"),
    (r"ground floor", "ground floor", f"floor = 0 AND {_STORIES}"),
    (r"top floor", "top floor", f"floor = floors - 1 AND {_STORIES}"),
    (r"quiet|calm|peaceful|low noise|silent", f"quiet (at most {QUIET} dB)", f"noise <= {QUIET}"),
    (r"energy[ -]efficient|low energy", "energy class B or better", "energy <= 'B'"),
    (r"(?:new|newly)[ -]?(?:build|built|buildings?|construction)", "built in 2015 or later", "year >= 2015"),
    (r"modern", "built in 2000 or later", "year >= 2000"),
    (r"(?:old|period|historic|pre-war) (?:buildings?|homes?|houses?)|period|historic", "built before 1940",
     "year < 1940"),
)  # fmt: skip


def _plain(words: Words) -> Iterator[Condition]:
    for pattern, said, sql in _PLAIN:
        if words.take(rf"\b(?:{pattern})\b"):
            yield Condition(said, sql)
    if found := words.take(
        r"\benergy (?:class |rating |label )?(?:of )?(?:at least )?([a-g])\b(?: or better| or above)?"
    ):
        yield Condition(f"energy class {found[1].upper()} or better", "energy <= ?", (found[1].upper(),))
    if found := words.take(r"\b(?:built|year)(?: in| is)? (after|since|from|at least|before|until|at most) (\d{4})\b"):
        later = found[1] in ("after", "since", "from", "at least")
        test = ">" if found[1] == "after" else ">=" if later else "<" if found[1] == "before" else "<="
        yield Condition(f"built {found[1].replace('at least', 'since')} {found[2]}", f"year {test} ?", (int(found[2]),))
    if found := words.take(r"\bfloor (?:at least )?(\d{1,2})(?: or (?:higher|above))?\b"):
        yield Condition(f"floor {found[1]} or higher", "floor >= ?", (int(found[1]),))


_NEAR = (
    r"(?:near(?:by)?|close to|(?:with)?in (?:walking )?(?:reach|distance) (?:of|to)|next to|beside|(?:within |max |"
    r"at most )?(?P<minutes>\d{1,2}) ?min(?:ute)?s?(?: walk| on foot)?(?: of| from| to)?)(?: a| an| the| any| some)*"
)


def _ways(words: Words) -> Iterator[Condition]:
    """`school within 8 minutes on foot`: what is said back can be read again."""
    pattern = r"\b(?P<kind>primary |elementary |secondary )?school within (?P<minutes>\d{1,2}) minutes(?: on foot)?\b"
    if found := words.take(pattern):
        yield Condition(
            f"school within {found['minutes']} minutes on foot", "school_walk <= ?", (int(found["minutes"]),)
        )
        if found["kind"]:
            yield _school("secondary" if found["kind"].startswith("second") else "primary")
    if found := words.take(r"\bstop within (\d{1,2}) minutes(?: on foot)?\b"):
        yield Condition(f"stop within {found[1]} minutes on foot", "stop_walk <= ?", (int(found[1]),))
    if found := words.take(r"\bbuilt in (\d{4}) or later\b"):
        yield Condition(f"built in {found[1]} or later", f"year >= {found[1]}")


def _kinds_near(words: Words) -> Iterator[Condition]:
    if words.take(r"\bschool rated 8 or better\b"):
        yield _GOOD_SCHOOL
    if found := words.take(r"\b(primary|secondary) school\b"):
        yield _school(found[1])
    if found := words.take(r"\b(metro|tram|bus) stop\b"):
        yield _stop(found[1])


_GOOD_SCHOOL = Condition("school rated 8 or better", "school IN (SELECT name FROM places WHERE rating >= 8)")


def _school(kind: str) -> Condition:
    return Condition(f"{kind} school", "school IN (SELECT name FROM places WHERE kind LIKE ?)", (f"{kind}%",))


def _stop(line: str) -> Condition:
    sql = "stop IN (SELECT one FROM links WHERE line LIKE ? UNION SELECT other FROM links WHERE line LIKE ?)"
    return Condition(f"{line} stop", sql, (f"{line}%", f"{line}%"))


def _near(words: Words) -> Iterator[Condition]:
    kinds = r"(?P<good>good |great |excellent |well[ -]rated )?(?P<kind>primary |elementary |secondary |high )?"
    if found := words.take(rf"\b{_NEAR} {kinds}schools?\b|\b(?P<good2>good |great |excellent )schools?\b"):
        minutes = int(found["minutes"] or NEAR_SCHOOL)
        yield Condition(f"school within {minutes} minutes on foot", "school_walk <= ?", (minutes,))
        if found["good"] or found["good2"]:
            yield _GOOD_SCHOOL
        if kind := (found["kind"] or "").strip():
            yield _school("primary" if kind in ("primary", "elementary") else "secondary")
    means = r"(?P<line>metro|underground|subway|tram|bus|train)? ?(?:stops?|stations?|lines?|public transport|transit)?"
    if found := words.take(rf"\b{_NEAR} (?=metro|under|sub|tram|bus|train|stop|stat|public|trans){means}"):
        minutes = int(found["minutes"] or NEAR_STOP)
        yield Condition(f"stop within {minutes} minutes on foot", "stop_walk <= ?", (minutes,))
        line = {"underground": "metro", "subway": "metro", "train": "metro"}.get(found["line"] or "", found["line"])
        if line:
            yield _stop(line)


READERS: tuple[Callable[[Words], Iterator[Condition]], ...] = (
    _ways,
    _near,
    _kinds_near,
    _plain,
    _amounts,
    _kind,
    _features,
)
