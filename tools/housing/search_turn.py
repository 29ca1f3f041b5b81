"""A turn that looks for homes: wishes put to the earlier ones, what is missing asked for, the search itself."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from tools.domains import Call, Plan, said
from tools.housing import intents as about
from tools.housing.wants import NEEDS, Wants, dropped, merged, read_wants, without
from tools.numerals import digits

if TYPE_CHECKING:
    from tools.housing.turn import Turn

NAME = "housing"


def search_plan(turn: Turn, drop: str = "") -> Plan | None:
    """None where the turn looks for no home."""
    known, words = turn.track, _completed(turn)
    old = read_wants(known.wish, turn.listings)
    lost = _keys(old, drop) if drop else dropped(turn.said)
    new = Wants({}) if drop else _instead(old, without(read_wants(words, turn.listings), lost), turn.said)
    if known.did[0] == "district" and not new.conditions.get("district") and re.search(r"\bthere\b", turn.said, re.I):
        new = (
            merged(new, read_wants(f"in {known.did[1]}", turn.listings))
            if known.did[1] in turn.listings.districts()
            else new
        )
    more = known.searched and turn.asks(about.MORE) and not new
    relative = _relative(turn) if known.focus or known.shown else ""
    answered = known.open[0] == "ask" and known.open[1] in NEEDS
    none = answered and not new and turn.asks(about.NONE)
    looks = turn.is_about("search", about.LOOKING) or turn.asks(about.LOOKING) or _asks_for_homes(turn)
    if not (new or lost or more or relative or none or looks):
        return None
    if more:
        new = Wants({}, page=old.page + 1)
    wants = merged(without(old, lost), new)
    wants = merged(wants, read_wants(relative, turn.listings)) if relative else wants
    settled = (f"settled:{need}" for need in _settled(lost))
    moves = ("looking", f"wish:{wants.text}", *settled)
    missing = [need for need in still_missing(turn, wants) if need not in _settled(lost)]
    if missing and not (relative or _direct(turn, wants, drop)):
        fresh = Wants(new.conditions, new.reaches)
        lead = said(NAME, "noted", wants=fresh.text) if fresh else "" if known.looking else said(NAME, "gladly")
        question = said(NAME, f"ask {missing[0]}")
        return Plan(reply=f"{lead} {question}".strip(), moves=(*moves, f"ask:{missing[0]}"))
    return Plan((Call("search", wants.text or "any home"),), moves=moves)


def _instead(old: Wants, new: Wants, said: str) -> Wants:
    """`Hillcrest is too far, what about Foundry Park?`: the district that was wanted before is the one that goes."""
    before, now = old.conditions.get("district"), new.conditions.get("district")
    if not before or not now or re.search(r"\b(?:or|and|also|as well|too)\b", said, re.I):
        return new
    left = tuple(name for name in now.values if name not in before.values)
    if not left or len(left) == len(now.values):
        return new
    marks = ", ".join("?" * len(left))
    other = replace(now, said=f"in {' or '.join(map(str, left))}", sql=f"district IN ({marks})", values=left)
    return replace(new, conditions={**new.conditions, "district": other})


def still_missing(turn: Turn, wants: Wants) -> list[str]:
    """What should be known before a search, is not, and was never asked for."""
    return [need for need in NEEDS if need not in wants.known and need not in turn.track.asked]


def _direct(turn: Turn, wants: Wants, drop: str) -> bool:
    """The person wants to see homes at once."""
    asks = turn.said.rstrip().endswith("?") or re.search(about.DIRECT, re.sub(r"\bany(?:thing)?\b", " ", turn.said))
    ordered = turn.asks(_MOST)
    return bool(drop or ((wants or ordered) and (turn.track.searched or asks or ordered)))


_MOST = re.compile(r"\b(?:cheapest|dearest|(?:most|least) expensive|largest|biggest|smallest|newest|quietest)\b", re.I)


def _asks_for_homes(turn: Turn) -> bool:
    homes = r"\b(?:homes?|flats?|apartments?|houses?|studios?|lofts?|propert(?:y|ies)|listings?|something|anything)\b"
    return turn.asks(about.DIRECT) and re.search(homes, turn.said, re.I) is not None and not turn.named


def _completed(turn: Turn) -> str:
    """A bare answer with what was asked for: `300k` to the budget, `two` to the bedrooms."""
    low = digits(turn.said.lower())
    kind, need = turn.track.open
    if need == "budget" or re.search(r"\b(?:budget|spend|have|afford)\b", low):  # nobody minds a home that costs less
        low = re.sub(r"\b(?:around|about|roughly|approximately|circa|some)\s+(?:€ ?)?(?=\d)", "at most ", low)
    number = re.search(r"(?<![\w.,-])(\d[\d.,]*)\s*(k|thousand|m|mio|million)?(?![\w%])", low)
    if kind != "ask" or not number:
        return low
    if need == "budget" and not re.search(r"\d{5}|\d,\d{3}|\d\.\d{3}|\d ?k\b|million|mio|bed|room|m2", low):
        amount = float(number[1].replace(",", ".").rstrip("."))
        factor = 1_000_000 if number[2] in ("m", "mio", "million") or amount < 5 else 1000 if amount < 5000 else 1
        return f"{low[: number.start()]} {amount * factor:.0f} euros {low[number.end() :]}"
    if need == "size" and not re.search(r"bed|room|m2|square|\d{3}", low) and float(number[1].rstrip(".,")) < 10:
        return f"{low[: number.start()]} {number[1]} bedrooms {low[number.end() :]}"
    return low


def _relative(turn: Turn) -> str:
    """`anything cheaper?`, `a bigger one`, `similar ones`: held against the home spoken of, else the list."""
    homes = [turn.listings.get(home) for home in (turn.homes[:1] or turn.track.shown)]
    if not homes or re.search(r"\b(?:than|to) \d", turn.said):
        return ""
    same = f"in {homes[0].district}" if _SAME.search(turn.said) and len(homes) == 1 else ""
    if turn.asks(about.CHEAPER):
        return f"{same} at most {min(home.price for home in homes) - 1000} euros"
    if turn.asks(about.BIGGER):
        return f"{same} at least {max(home.size for home in homes) + 1} m2"
    if turn.asks(about.SMALLER):
        return f"{same} at most {min(home.size for home in homes) - 1} m2"
    if turn.asks(about.SIMILAR) and len(homes) == 1:
        home = homes[0]
        return (
            f"{home.kind} in {home.district}, {home.bedrooms} bedrooms, "
            f"{home.price * 0.85:.0f} to {home.price * 1.15:.0f} euros"
        )
    return same


_SAME = re.compile(r"\b(?:same|this|that) (?:area|district|neighbou?rhood|part|quarter)\b|\baround there\b", re.I)


def _settled(lost: set[str]) -> list[str]:
    """What the person does not want to be asked about any more."""
    of = {"budget": {"price", "budget"}, "district": {"district", "place"}, "size": {"bedrooms", "size", "rooms"}}
    return [need for need in NEEDS if of[need] & lost]


def _keys(wants: Wants, told: str) -> set[str]:
    """The condition that is said so."""
    keys = {key for key, condition in wants.conditions.items() if condition.said == told}
    return keys or ({"place"} if any(reach.said == told for reach in wants.reaches) else set())
