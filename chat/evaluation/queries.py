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


OWN: Mapping[str, tuple[str, ...]] = {"from": ("where", "order"), "call": ("input", "fact"), "value": ()}
"""What a query is by -> the keys that go with it alone."""


@dataclass(frozen=True, config=STRICT)
class Query:
    """One thing looked up: rows of a table, by SQL; a tool's facts, or one of them; a number or words."""

    table: str | None = Field(default=None, alias="from")
    where: str = ""
    order: str = ""
    call: str | None = None
    input: dict[str, Any] = Field(default_factory=dict)
    """The tool's arguments by name."""
    fact: str = ""
    value: str = ""
    pick: Annotated[int, Field(ge=1)] | None = None
    """Which of several, from 1."""
    count: Annotated[str, AfterValidator(_count)] = "1+"

    def found(self, scope: Scope) -> Any:
        """Raises Wrong."""
        if self.table is not None:
            return scope.base.select(*(scope.filled(text) for text in (self.table, self.where, self.order)))
        if self.call is None:
            return typed(scope.filled(self.value))
        facts = scope.base.call(self.call, scope.filled_all(self.input))
        return Scope(scope.base, {"_": facts}).fact(f"_.{scope.filled(self.fact)}")[1] if self.fact else facts

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
            yield from page.problems(error, {name: ("a query", Query)}, ("let", name))


def _answered(name: str, query: Any, scope: Scope) -> Any:
    if not re.fullmatch(r"[A-Za-z_]\w*", name):
        raise Wrong(f"`{name}` is no name: use letters, digits and _, such as `best_home`.")
    if isinstance(query, str):
        return typed(query)
    if not isinstance(query, dict) or len(kinds := OWN.keys() & query.keys()) != 1:
        raise Wrong(f"The query `{name}` needs one of `from: TABLE`, `call: TOOL` or `value: ...`.")
    if stray := next((key for kind in OWN.keys() - kinds for key in OWN[kind] if key in query), ""):
        raise Wrong(f"`{stray}` is no key of a query by `{kinds.pop()}`: take it out.", stray)
    return TypeAdapter(Query).validate_python(query).chosen(name, scope)
