"""The words of a script as types: references are filled in, and tools, demands and ids held against what there is.

A model that is made in code, without a `Known` as its context, takes everything as it is given.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BeforeValidator, StringConstraints, ValidationInfo
from pydantic.dataclasses import dataclass as pydantic_dataclass

from chat.evaluation.marked_yaml import STRICT, Wrong, nearest
from chat.evaluation.references import Scope

T = TypeVar("T")
_PROMISE = re.compile(r"(?:\bwill|'ll) (?:\w+ )?(?:call|ring|phone|contact) you\b(?![^.!]*\bif you\b)", re.I)
_REQUEST = re.compile(r"\b(?:tell me|let me know|please (?:say|give|share|name)|could you (?:say|share|give))\b", re.I)


@dataclass(frozen=True)
class Known:
    """What one dialogue may refer to. Its methods raise Wrong."""

    scope: Scope
    signs: Signs
    ids: Ids | None = None
    absent: Collection[str] = ()
    """Ids that are named on purpose though they do not exist."""

    def filled(self, said: str) -> str:
        text = self.scope.filled(said)
        there = self.scope.base.subjects(self.ids.table) if self.ids else ()
        for name in self.ids.pattern.findall(text) if self.ids else ():
            if name not in self.absent and name.upper() not in there:
                told = f"There is no {name} in this database: take one from a query, or list it under `absent`."
                raise Wrong(told, word=name)
        return text

    def tool(self, name: str) -> str:
        if name not in (tools := self.scope.base.tools):
            raise Wrong(self.scope.base.no("tool", name, tools))
        return name

    def demand(self, name: str) -> str:
        if name not in self.signs.asks:
            raise Wrong(f"`{name}` has no sign under `signs: asks:` in suite.yaml{nearest(name, self.signs.asks)}")
        return name

    def condition(self, kind: str, value: str) -> None:
        """One that can never hold is wrong."""
        if kind == "matches":
            compiled(value)
        elif kind == "called":
            self.tool(value)
        elif kind == "asked_for":
            self.demand(value)
        elif kind == "offered" and value not in self.signs.offers:
            how = f"add it to `signs: offers:` in suite.yaml{nearest(value, self.signs.offers)}"
            raise Wrong(f"`{value}` has no sign: {how}", kind)


def listed(raw: Any) -> Any:
    """What stands alone is a list of one."""
    return raw if isinstance(raw, list | tuple) else [raw]


def compiled(said: str) -> re.Pattern[str]:
    """In any case. Raises Wrong."""
    try:
        return re.compile(said, re.I)
    except (re.error, OverflowError, RecursionError) as error:
        how = "mend it, or put \\ before its signs"
        raise Wrong(f"`{said[:80]}` is no regular expression ({error}): {how}.") from error


def _pattern(raw: Any, info: ValidationInfo) -> Any:
    if isinstance(raw, str):
        return compiled(info.context.scope.filled(raw, re.escape) if info.context else raw)
    return raw


def _any_of(raw: Any) -> Any:
    if isinstance(raw, re.Pattern):
        return raw
    if not all(isinstance(each, str) for each in listed(raw)):
        raise Wrong("Patterns are expected here: write one, or a list of them.")
    return compiled("|".join(f"(?:{compiled(each).pattern})" for each in listed(raw)))


def _known(check: str) -> AfterValidator:
    """By a method of the context's `Known`, where there is one."""
    return AfterValidator(lambda said, info: getattr(info.context, check)(said) if info.context else said)


def _change(change: Mapping[str, str]) -> Mapping[str, str]:
    for name in ("kind", "done"):
        if name not in change:
            raise Wrong(f"`{name}` is missing in a change: add `{name}: ...`.")
    if change["done"] not in ("made", "cancelled"):
        raise Wrong(f"`done` is `{change['done']}`: it should be one of made, cancelled.", "done")
    return change


def unnamed(raw: Any, info: ValidationInfo, *where: str) -> Any:
    """Ids for the names of what `let` found; ids stay. Raises Wrong."""
    if not info.context or not all(isinstance(each, str) for each in listed(raw)):
        return raw
    found, ids = list[str](), info.context.ids
    for place, said in enumerate(listed(raw)):
        try:
            whole = ids and ids.pattern.fullmatch(said)
            found += [info.context.filled(said)] if whole else info.context.scope.ids(said)
        except Wrong as wrong:
            raise Wrong(str(wrong), *where, place) from wrong
    return list(dict.fromkeys(found))


Many = Annotated[tuple[T, ...], BeforeValidator(listed)]
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Words = Annotated[Text, _known("filled")]
"""What is said, with every {reference} answered."""
Pattern = Annotated[re.Pattern[str], BeforeValidator(_pattern)]
"""A regular expression in any case."""
Tool = Annotated[Text, _known("tool")]
Demand = Annotated[Text, _known("demand")]
Change = Annotated[Mapping[str, Words], AfterValidator(_change)]
Patterns = Annotated[re.Pattern[str], BeforeValidator(_any_of)]
"""One pattern, or one of several."""


@pydantic_dataclass(frozen=True, config=STRICT)
class Signs:
    """How a program sees what a reply does: patterns for what it asks for and what it offers."""

    asks: Mapping[str, Patterns] = field(default_factory=dict)
    """Demand (`budget`) -> what is found in a question for it."""
    offers: Mapping[str, Patterns] = field(default_factory=dict)
    """`viewing` -> what is found in a sentence that offers one."""

    def asked(self, reply: str) -> frozenset[str]:
        """The demands that a reply asks for: their sign stands in a question, or in a request (`tell me ...`)."""
        said = [s for s in sentences(reply) if s.endswith("?") or _REQUEST.search(s)]
        return frozenset(name for name, sign in self.asks.items() if any(map(sign.search, said)))

    def offered(self, reply: str) -> frozenset[str]:
        """What a reply offers: its sign stands in a sentence that is no mere promise (`I will call you back`)."""
        said = [s for s in sentences(reply) if s.endswith("?") or not _PROMISE.search(s)]
        return frozenset(name for name, sign in self.offers.items() if any(map(sign.search, said)))


@pydantic_dataclass(frozen=True, config=STRICT)
class Ids:
    """How a home is named in words, so that a number that does not exist is found."""

    pattern: Pattern
    table: str


def sentences(reply: str) -> list[str]:
    return [part.strip() for part in re.split(r"(?<=[.!?])\s+|\n+", reply) if part.strip()]
