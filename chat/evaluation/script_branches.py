"""How a scripted person goes on: the branch whose condition holds for the assistant's last reply."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from chat.evaluation.script_words import Signs
from chat.evaluation.turns import Expect, Turn, When


@dataclass(frozen=True)
class Spoken:
    """What the person says now, and what is expected then."""

    person: str
    expect: Expect
    tells: tuple[str, ...]


def chosen(turn: Turn, reply: str, called: Collection[str], signs: Signs) -> Spoken:
    """`reply`: the assistant's last; `called`: the tools used for it. Raises ValueError for a turn with a goal."""
    if turn.person is not None:
        return Spoken(turn.person, turn.expect, turn.tells)
    for branch in turn.branches or ():
        if branch.when is None or holds(branch.when, reply, called, signs):
            tells = turn.tells if branch.tells is None else branch.tells
            return Spoken(branch.person, branch.expect or turn.expect, tells)
    raise ValueError(f"turn {turn.number} has a goal: a simulated person says its words")


def holds(when: When, reply: str, called: Collection[str], signs: Signs) -> bool:
    if when.kind == "contains":
        return when.value.lower() in reply.lower()
    if when.kind == "matches":
        return bool(re.search(when.value, reply, re.I))
    if when.kind == "called":
        return when.value in called
    return when.value in (asked(reply, signs) if when.kind == "asked_for" else offered(reply, signs))


def asked(reply: str, signs: Signs) -> frozenset[str]:
    """The demands that a reply asks for: their sign stands in a question, or in a request (`tell me ...`)."""
    questions = [s for s in sentences(reply) if s.endswith("?") or _REQUEST.search(s)]
    return frozenset(name for name, sign in signs.asks.items() if any(sign.search(s) for s in questions))


def offered(reply: str, signs: Signs) -> frozenset[str]:
    """What a reply offers: its sign stands in a sentence that is no mere promise (`I will call you back`)."""
    said = [s for s in sentences(reply) if s.endswith("?") or not _PROMISE.search(s)]
    return frozenset(name for name, sign in signs.offers.items() if any(sign.search(s) for s in said))


def sentences(reply: str) -> list[str]:
    return [part.strip() for part in re.split(r"(?<=[.!?])\s+|\n+", reply) if part.strip()]


_PROMISE = re.compile(r"(?:\bwill|'ll) (?:\w+ )?(?:call|ring|phone|contact) you\b(?![^.!]*\bif you\b)", re.I)
_REQUEST = re.compile(r"\b(?:tell me|let me know|please (?:say|give|share|name)|could you (?:say|share|give))\b", re.I)
