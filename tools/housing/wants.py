"""What the person wants so far: wishes of several turns put together, in words that the search reads again."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from tools.housing.conditions import Condition
from tools.housing.listings import Listings
from tools.housing.wishes import Reach, Wish, read_wish

NEEDS = ("budget", "district", "size")
"""What should be known before a search, in the order in which it is asked for."""
_ORDER = Wish(()).order


@dataclass(frozen=True)
class Wants:
    """The wish so far."""

    conditions: Mapping[str, Condition]
    """By what they speak of: `price`, `district`, `garden`."""
    reaches: tuple[Reach, ...] = ()
    order: tuple[str, str] = _ORDER
    page: int = 1

    @property
    def text(self) -> str:
        """`in Riverside, 2 bedrooms, at most 260,000 euros`, with the order where it is not the usual one."""
        parts = [re.sub(r" \([^()]*\)", "", self.conditions[key].said) for key in sorted(self.conditions, key=_rank)]
        parts += [reach.said for reach in self.reaches]
        parts += [self.order[0]] if self.order != _ORDER else []
        parts += [f"page {self.page}"] if self.page > 1 else []
        return ", ".join(parts)

    @property
    def known(self) -> frozenset[str]:
        """Which of `NEEDS` are."""
        keys = {*self.conditions}
        told = {"budget"} if "price" in keys else set()
        told |= {"district"} if "district" in keys or self.reaches else set()
        sized = keys & {"bedrooms", "size", "rooms"} or (
            "kind" in keys and self.conditions["kind"].values == ("studio",)
        )
        return frozenset(told | ({"size"} if sized else set()))

    def __bool__(self) -> bool:
        return bool(self.conditions or self.reaches)


def _rank(key: str) -> tuple[int, str]:
    return (_FIRST.index(key) if key in _FIRST else len(_FIRST), key)


_FIRST = ("kind", "bedrooms", "size", "district", "price")


def read_wants(text: str, listings: Listings) -> Wants:
    """The wants that a text says; empty ones where it says none."""
    return of_wish(read_wish(text, listings.districts(), listings.places())) if text else Wants({})


def of_wish(wish: Wish) -> Wants:
    conditions = {_key(c): c for c in wish.conditions if c.said != "available" and not c.said.endswith("itself")}
    return Wants(conditions, wish.reaches, wish.order, wish.page)


def merged(old: Wants, new: Wants) -> Wants:
    """What is newly said replaces what was said of the same thing; the pages begin anew."""
    places = {reach.place for reach in new.reaches}
    kept = tuple(reach for reach in old.reaches if reach.place not in places)
    conditions = {**old.conditions, **new.conditions}
    if "district" in new.conditions:
        conditions.pop("district not", None)
    order = new.order if new.order != _ORDER else old.order
    return Wants(conditions, (*kept, *new.reaches), order, new.page)


def without(old: Wants, keys: set[str]) -> Wants:
    """`place` leaves out all ways to places."""
    kept = {key: condition for key, condition in old.conditions.items() if key not in keys}
    return replace(old, conditions=kept, reaches=() if "place" in keys else old.reaches, page=1)


def _key(condition: Condition) -> str:
    """What a condition speaks of."""
    column = condition.sql.split()[0]
    if column == "district":
        return "district not" if "NOT IN" in condition.sql else "district"
    if column == "kind":
        return "kind not" if "NOT IN" in condition.sql else "kind"
    if column == "school":
        return "school kind" if condition.values else "school rating"
    return column


_KEYS = {
    "budget": r"budget|price|cost|expensive|money",
    "district": r"district|area|neighbou?rhood|where|location|place|part of (?:the )?(?:city|town)",
    "garden": r"garden|yard", "balcony": r"balcony|terrace", "parking": r"parking|garage", "pets": r"pets?|"
        r"dogs?|cats?",
    "lift": r"lift|elevator", "bedrooms": r"bedrooms?", "size": r"size|big|large|m2|square met\w+",
    "school_walk": r"schools?", "noise": r"quiet|noise|calm", "kind": r"kind|type|house or flat|flat or house",
    "stop_walk": r"stop|metro|tram|bus|station", "energy": r"energy", "year": r"age|built|modern|new",
}  # fmt: skip
_BEFORE = (
    r"no matter (?:which|what|how)|don't (?:need|care|mind)|do not (?:need|care|mind)|not need|no preference|"
    r"drop|forget|skip|"
    r"leave out|remove|never mind|ignore|regardless|(?:open|flexible) (?:about|on|with|as to)|whatever|whichever"
)
_AFTER = (
    r"doesn't matter|does not matter|don't matter|(?:is|are) (?:not|no longer) (?:needed|necessary|important)|"
    r"isn't (?:needed|"
    r"necessary|important)|not (?:needed|necessary|important)|no matter|(?:is|are) (?:fine|ok|okay)|"
    r"is (?:open|flexible)|any"
)


def dropped(text: str) -> set[str]:
    """What is said to matter no more: {"garden"}; empty where nothing is."""
    low = text.lower().replace("’", "'")
    keys = {key for key, pattern in _KEYS.items() if _is_dropped(low, pattern, key)}
    keys |= {"district"} if re.search(r"\b(?:anywhere|all over (?:the )?(?:city|town))\b", low) else set()
    keys |= {"price"} if "budget" in keys else set()
    keys |= {"place", "district not"} if "district" in keys else set()
    return keys | ({"bedrooms", "rooms"} if "size" in keys else set())


def _is_dropped(low: str, pattern: str, key: str) -> bool:
    near = r"\W+(?:\w+\W+){0,3}?"
    if key in ("budget", "district", "size", "kind") and re.search(rf"\bany (?:{pattern})\b", low):
        return True
    after = rf"\b(?:without (?:a |an |the )?)?(?:{pattern})\W+(?:\w+\W+){{0,2}}?(?:{_AFTER})\b"
    fine = re.search(after, low)
    if fine and fine[0].endswith(("fine", "ok", "okay", " any")) and not fine[0].startswith("without"):
        fine = None
    return bool(fine or re.search(rf"\b(?:{_BEFORE}){near}(?:{pattern})\b", low))
