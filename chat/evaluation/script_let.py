"""Reads `let`: each query is answered at once, and what it finds is held against how much it should find."""

from __future__ import annotations

import re
from typing import Any

from chat.evaluation.script_nodes import Fields, scalar
from chat.evaluation.script_queries import Rows, Scope, Unanswered

KEYS = ("from", "where", "order", "pick", "count", "call", "input", "fact", "value")
_COUNT = re.compile(r"(\d+)(?:(\+)|-(\d+))?")


def bind(fields: Fields, scope: Scope) -> None:
    """Every name under `let`, in the order in which they stand there; a later one may use an earlier one."""
    let = fields.inner("let", (), "the names under `let`")
    for name in let or ():
        assert let is not None
        if not re.fullmatch(r"[A-Za-z_]\w*", name):
            let.wrong(name, f"`{name}` is no name: use letters, digits and _, such as `best_home`.")
            continue
        if scalar(let.value(name)) is not None:
            scope.bound[name] = _plain_value(let.text(name))
            continue
        query = let.inner(name, KEYS, "a query")
        before = len(fields.page.problems)
        value = _answered(query, name, scope) if query else None
        # A query that failed is said once: what refers to it is not said again.
        scope.bound[name] = value if len(fields.page.problems) == before else None


def _answered(query: Fields, name: str, scope: Scope) -> Any:
    kinds = [kind for kind in ("from", "call", "value") if kind in query]
    if len(kinds) != 1:
        query.page.wrong(query.node, f"The query `{name}` needs one of `from: TABLE`, `call: TOOL` or `value: ...`.")
        return None
    try:
        if kinds == ["value"]:
            return _plain_value(scope.filled(query.text("value")))
        found = _rows(query, scope) if kinds == ["from"] else _facts(query, scope)
    except Unanswered as problem:
        query.wrong(_blamed(query, str(problem)), str(problem))
        return None
    return _picked(query, name, found)


def _blamed(query: Fields, sentence: str) -> str:
    """The key that the sentence is about."""
    if sentence.startswith("SQLite"):
        return "where" if "where" in query else "order"
    if sentence.startswith("There is no t"):
        return "from" if "from" in query else "call"
    return next((key for key in ("fact", "input", "where", "from", "call") if key in query), "from")


def _rows(query: Fields, scope: Scope) -> Any:
    for key in ("input", "fact"):
        if key in query:
            query.wrong(key, f"`{key}` belongs to `call`, not to `from`: take it out, or write `call: TOOL`.")
    table, where, order = (scope.filled(query.text(key)) for key in ("from", "where", "order"))
    return scope.base.select(table, where, order)


def _facts(query: Fields, scope: Scope) -> Any:
    for key in ("where", "order"):
        if key in query:
            query.wrong(key, f"`{key}` belongs to `from`, not to `call`: take it out, or write `from: TABLE`.")
    query.needs("input")
    facts = scope.base.call(query.text("call"), scope.filled(query.text("input")))
    if "fact" not in query:
        return facts
    scope.bound["_"] = facts
    return scope.fact(f"_.{scope.filled(query.text('fact'))}").value


def _picked(query: Fields, name: str, found: Any) -> Any:
    many = found.rows if isinstance(found, Rows) else found if isinstance(found, list) else None
    if many is None:
        for key in ("pick", "count"):
            if key in query:
                query.wrong(key, f"`{key}` needs several to choose from, and this is one: take it out.")
        return found
    low, high = _wanted(query)
    if not low <= len(many) <= high:
        there = f"finds {len(many)}" if many else "finds nothing"
        meant = f"count: {len(many)}"
        query.page.wrong(
            query.node, f"The query `{name}` {there}: change its condition, or write `{meant}` if that is meant."
        )
        return None
    if "pick" not in query:
        return found
    at = query.whole("pick", 1, 1)
    if at > len(many):
        query.wrong("pick", f"`pick` is {at}, but `{name}` finds only {len(many)}: choose a smaller number.")
        return None
    return many[at - 1]


def _wanted(query: Fields) -> tuple[int, int]:
    said = query.text("count", "1+")
    if not (found := _COUNT.fullmatch(said)):
        query.wrong("count", f"`count` is `{said}`: write a number, `2-5`, or `1+` for at least one.")
        return 0, 10**9
    low = int(found[1])
    return low, 10**9 if found[2] else int(found[3] or low)


def _plain_value(said: str) -> Any:
    return int(said) if re.fullmatch(r"-?\d+", said) else float(said) if re.fullmatch(r"-?\d+\.\d+", said) else said
