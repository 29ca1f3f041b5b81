"""The words of a script as types: references are filled in, and tools, demands and ids held against what there is.

A model that is made in code, without a `Scope` (references.py) as its context, takes everything as it is given.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BeforeValidator, StringConstraints, ValidationInfo
from pydantic.dataclasses import dataclass as pydantic_dataclass

from chat.evaluation.marked_yaml import STRICT, Wrong

T = TypeVar("T")
_PROMISE = re.compile(r"(?:\bwill|'ll) (?:\w+ )?(?:call|ring|phone|contact) you\b(?![^.!]*\bif you\b)", re.I)
_REQUEST = re.compile(r"\b(?:tell me|let me know|please (?:say|give|share|name)|could you (?:say|share|give))\b", re.I)


def listed(raw: Any) -> Any:
    """What stands alone is a list of one."""
    return raw if isinstance(raw, list | tuple) else [raw]


def _pattern(raw: Any, info: ValidationInfo) -> Any:
    """Raises Wrong."""
    if not isinstance(raw, str):
        return raw
    said = info.context.filled(raw, re.escape) if info.context else raw
    try:
        return re.compile(said, re.I)
    except (re.error, OverflowError, RecursionError) as error:
        how = "mend it, or put \\ before its signs"
        raise Wrong(f"`{said[:80]}` is no regular expression ({error}): {how}.") from error


def _known(what: str) -> AfterValidator:
    """Held against what there is, where there is a context."""
    return AfterValidator(lambda name, info: info.context.known(what, name) if info.context else name)


def _change(change: Mapping[str, str]) -> Mapping[str, str]:
    for name in ("kind", "done"):
        if name not in change:
            raise Wrong(f"`{name}` is missing in a change: add `{name}: ...`.")
    if change["done"] not in ("made", "cancelled"):
        raise Wrong(f"`done` is `{change['done']}`: it should be one of made, cancelled.", "done")
    return change


ID = re.compile(r"[A-Z]-\d{3,4}")
"""What is seen as an id in a reply, in capitals: H-0421, B-012."""


def _ids(raw: Any, info: ValidationInfo) -> Any:
    """Ids for the names of what `let` found; ids stay. Raises Wrong."""
    scope = info.context
    if not scope or not all(isinstance(each, str) for each in listed(raw)):
        return listed(raw)
    whole = scope.ids.pattern.fullmatch if scope.ids else lambda said: None
    found = [[scope.said(said)] if whole(said) else scope.named_ids(said) for said in listed(raw)]
    if unseen := next((name for names in found for name in names if not ID.fullmatch(name)), ""):
        raise Wrong(f"`{unseen}` is no id such as H-0421, and only those are seen in a reply: look for it with `says`.")
    return list(dict.fromkeys(name for names in found for name in names))


Many = Annotated[tuple[T, ...], BeforeValidator(listed)]
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Words = Annotated[Text, AfterValidator(lambda said, info: info.context.said(said) if info.context else said)]
"""What is said, with every {reference} answered."""
Named = Annotated[tuple[Text, ...], BeforeValidator(_ids)]
"""Ids, or names of what `let` found."""
Pattern = Annotated[re.Pattern[str], BeforeValidator(_pattern)]
"""A regular expression in any case."""
Tool = Annotated[Text, _known("tool")]
Demand = Annotated[Text, _known("asks")]
Offer = Annotated[Text, _known("offers")]
Change = Annotated[Mapping[str, Words], AfterValidator(_change)]


@pydantic_dataclass(frozen=True, config=STRICT)
class Signs:
    """How a program sees what a reply does: patterns for what it asks for and what it offers."""

    asks: Mapping[str, Many[Pattern]] = field(default_factory=dict)
    """Demand (`budget`) -> what is found in a question for it."""
    offers: Mapping[str, Many[Pattern]] = field(default_factory=dict)
    """`viewing` -> what is found in a sentence that offers one."""

    def asked(self, reply: str) -> frozenset[str]:
        """The demands that a reply asks for: their sign stands in a question, or in a request (`tell me ...`)."""
        return _seen(self.asks, [s for s in sentences(reply) if s.endswith("?") or _REQUEST.search(s)])

    def offered(self, reply: str) -> frozenset[str]:
        """What a reply offers: its sign stands in a sentence that is no mere promise (`I will call you back`)."""
        return _seen(self.offers, [s for s in sentences(reply) if s.endswith("?") or not _PROMISE.search(s)])


def _seen(signs: Mapping[str, Sequence[re.Pattern[str]]], said: Sequence[str]) -> frozenset[str]:
    return frozenset(name for name, ways in signs.items() if any(way.search(each) for way in ways for each in said))


@pydantic_dataclass(frozen=True, config=STRICT)
class Ids:
    """How a home is named in words, so that a number that does not exist is found."""

    pattern: Pattern
    table: str


def sentences(reply: str) -> list[str]:
    return [part.strip() for part in re.split(r"(?<=[.!?])\s+|\n+", reply) if part.strip()]
