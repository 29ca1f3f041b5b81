"""`let` of a script: each query is answered when it is read, and what it finds is held against how much it should."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from chat.evaluation.marked_yaml import Page, Problem, Wrong
from chat.evaluation.references import Scope

STRICT = ConfigDict(extra="forbid", str_strip_whitespace=True)


def _count(said: str) -> str:
    if not re.fullmatch(r"\d+(?:\+|-\d+)?", said):
        raise Wrong(f"`count` is `{said}`: write a number, `2-5`, or `1+` for at least one.")
    return said


@dataclass(frozen=True, config=STRICT)
class Query:
    """One thing looked up."""

    pick: Annotated[int, Field(ge=1)] | None = None
    """Which of several, from 1."""
    count: Annotated[str, AfterValidator(_count)] = "1+"

    def found(self, scope: Scope) -> Any:
        """Raises Wrong."""
        raise NotImplementedError

    def chosen(self, name: str, scope: Scope) -> Any:
        """What is bound to the name. Raises Wrong."""
        found = self.found(scope)
        if not isinstance(found, tuple | list):
            if self.pick is not None or self.count != "1+":
                key = "pick" if self.pick is not None else "count"
                raise Wrong(f"`{key}` needs several to choose from, and this is one: take it out.", key)
            return found
        low, _, high = self.count.rstrip("+").partition("-")
        if not int(low) <= len(found) <= (10**9 if self.count.endswith("+") else int(high or low)):
            there = f"finds {len(found)}" if found else "finds nothing"
            meant = f"change its condition, or write `count: {len(found)}` if that is meant."
            raise Wrong(f"The query `{name}` {there}: {meant}")
        if self.pick and self.pick > len(found):
            sentence = f"`pick` is {self.pick}, but `{name}` finds only {len(found)}: choose a smaller number."
            raise Wrong(sentence, "pick")
        return found[self.pick - 1] if self.pick else found


@dataclass(frozen=True, config=STRICT)
class RowsQuery(Query):
    """Rows of a table, by SQL."""

    table: str = Field(default="", alias="from")
    where: str = ""
    order: str = ""

    def found(self, scope: Scope) -> Any:
        return scope.base.select(*(scope.filled(text) for text in (self.table, self.where, self.order)))


@dataclass(frozen=True, config=STRICT, kw_only=True)
class CallQuery(Query):
    """A tool's facts, or one of them."""

    call: str = ""
    input: dict[str, Any] = Field(default_factory=dict)
    """The tool's arguments by name."""
    fact: str = ""

    def found(self, scope: Scope) -> Any:
        facts = scope.base.call(self.call, scope.filled_all(self.input))
        if not self.fact:
            return facts
        return Scope(scope.base, {"_": facts}).fact(f"_.{scope.filled(self.fact)}")[1]


@dataclass(frozen=True, config=STRICT)
class ValueQuery(Query):
    """A number or words."""

    value: str = ""

    def found(self, scope: Scope) -> Any:
        return typed(scope.filled(self.value))


KINDS: Mapping[str, type[Query]] = {"from": RowsQuery, "call": CallQuery, "value": ValueQuery}


def typed(said: str) -> Any:
    """A number where it is one, true and false, or the words."""
    if re.fullmatch(r"-?\d+(?:\.\d+)?", said):
        return float(said) if "." in said else int(said)
    return {"true": True, "false": False}.get(said, said)


def bind(page: Page, scope: Scope) -> Iterator[Problem]:
    """Every name under `let`, in the order in which they stand there; a later one may use an earlier one."""
    let = page.data.get("let", {})
    if not isinstance(let, dict):
        yield page.problem(("let",), "Here the names under `let` are expected, as keys and values such as `name: ...`.")
        return
    for name, query in let.items():
        scope.bound[name] = None  # one that failed is said once: what refers to it is not said again
        try:
            scope.bound[name] = _answered(name, query, scope)
        except Wrong as wrong:
            if str(wrong):
                yield page.problem(("let", name, *wrong.where), str(wrong))
        except ValidationError as error:
            yield from page.problems(error, {"let": ("a query", Query), name: ("a query", _kind(query))}, ("let", name))


def _kind(query: Any) -> type[Query]:
    return next((model for key, model in KINDS.items() if key in query), Query)


def _answered(name: str, query: Any, scope: Scope) -> Any:
    if not re.fullmatch(r"[A-Za-z_]\w*", name):
        raise Wrong(f"`{name}` is no name: use letters, digits and _, such as `best_home`.")
    if isinstance(query, str):
        return typed(query)
    if not isinstance(query, dict) or len(KINDS.keys() & query.keys()) != 1:
        raise Wrong(f"The query `{name}` needs one of `from: TABLE`, `call: TOOL` or `value: ...`.")
    return TypeAdapter(_kind(query)).validate_python(query).chosen(name, scope)
