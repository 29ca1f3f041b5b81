"""What a script refers to: what stands under `let`, found in the domain's database and by its tools when it is read.

best: {from: homes, where: "district = 'Riverside' AND price < 300000", order: price, pick: 1}   one row
found: {from: homes, where: "price < {budget}", count: 1+}                                       all rows
pay: {call: mortgage, input: {home: "{best}", deposit: 50000}}                                   a tool's facts
slot: {call: viewing_slots, input: {home: "{best}"}, fact: slots, pick: 1}                       one of its values
budget: {value: 300000}
"""

from __future__ import annotations

import json
import re
import sqlite3
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

from langchain_core.tools import BaseTool
from pydantic import AfterValidator, Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass as pydantic_dataclass

from chat.evaluation.marked_yaml import STRICT, Page, Problem, Wrong, nearest
from chat.evaluation.script_words import Ids, Signs, listed
from chat.faults import first_wrong
from tools.desk import Desk, ToolFault
from tools.domains import BASE, open_domain

PATIENCE, LARGEST = 5.0, 10_000_000
"""Seconds of one query, bytes of one value."""
REFERENCE = re.compile(r"\{([A-Za-z_]\w*)((?:\.[^{}]+)?)\}")
MOMENT = {"weekday": "{0:%A}", "day": "{0:%A}, {0.day} {0:%B}", "date": "{0.day} {0:%B}", "hour": "{0:%H:%M}"}
"""What can be said of a time such as 2026-11-24 14:00."""


@dataclass(frozen=True)
class Found:
    """One row of the database, or what a tool asserts."""

    facts: Mapping[str, Any]
    """By the names that tools give them: `H-0421.price`, `loan.monthly`."""
    subject: str = ""
    """What a row is about: `H-0421`, `Riverside`."""

    def fact(self, reference: str, path: str) -> tuple[str, Any]:
        """By its whole name, or by its end, or by what stands behind the subject. Raises Wrong."""
        fits = [name for name in self.facts if name == path] or [
            n for n in self.facts if n.endswith(f".{path}") or n.partition(".")[2].startswith(f"{path}.")
        ]
        if len(fits) != 1:
            there = nearest(path, [name.removeprefix(f"{self.subject}.") for name in self.facts])
            how = "several facts" if fits else "no fact"
            raise Wrong(f"`{reference}` is {how}{there}")
        return fits[0], self.facts[fits[0]]


@dataclass(frozen=True, eq=False)
class Base:
    """One generated database and the domain's tools over it, as on the first day."""

    place: Path
    domain: str
    now: datetime

    @cached_property
    def tools(self) -> Mapping[str, BaseTool]:
        return open_domain(self.domain).make(Desk("script", self.now), self.place)

    @cached_property
    def tables(self) -> Mapping[str, Mapping[str, bool]]:
        """Table -> column -> whether it holds nothing but 0 and 1, both of them: what SQLite has for false and true."""
        names = [row["name"] for row in self._rows("SELECT name FROM sqlite_master WHERE type = 'table'")]
        tables = {name: self._rows(f"SELECT * FROM {name}") for name in names if name != "stamp"}
        return {
            name: {column: {row[column] for row in rows} == {0, 1} for column in rows[0]}
            for name, rows in tables.items()
        }

    def no(self, what: str, name: str, known: Collection[str]) -> str:
        """Said of a table or a tool that there is not."""
        return f"There is no {what} `{name}` in the domain `{self.domain}`{nearest(name, known)}"

    def select(self, table: str, where: str = "", order: str = "") -> tuple[Found, ...]:
        """Raises Wrong."""
        if table not in self.tables:
            raise Wrong(self.no("table", table, self.tables), "from")
        try:
            rows = self._rows(f"SELECT * FROM {table} WHERE {where or '1'} ORDER BY {order or 'rowid'}")
        except (sqlite3.Error, sqlite3.Warning) as error:
            sentence = f"SQLite cannot read the condition ({error}): write what may stand behind WHERE and ORDER BY."
            if column := re.fullmatch(r"no such column: (?:\w+\.)?(\w+)", str(error)):
                sentence = f"SQLite finds no column `{column[1]}` in `{table}`{nearest(column[1], self.tables[table])}"
            raise Wrong(sentence, "where" if where else "order") from error
        return tuple(self._row(self.tables[table], row) for row in rows)

    def _row(self, flags: Mapping[str, bool], row: Mapping[str, Any]) -> Found:
        about = str(row.get("id", row.get("name", "")))
        return Found({f"{about}.{name}": bool(v) if flags[name] else v for name, v in row.items()}, about)

    def holds(self, table: str, subject: str) -> bool:
        """Whether a row of the table is about it."""
        about = next((column for column in ("id", "name") if column in self.tables[table]), "''")
        return bool(self._rows(f"SELECT 1 FROM {table} WHERE {about} = ?", subject))

    def _rows(self, sql: str, *values: str) -> list[dict[str, Any]]:
        with closing(sqlite3.connect(f"file:{self.place / BASE}?mode=ro", uri=True)) as base:
            base.row_factory = sqlite3.Row
            base.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LARGEST)
            until = time.monotonic() + PATIENCE  # a condition is whatever a suite's author wrote
            base.set_progress_handler(lambda: int(time.monotonic() > until), 10_000)
            return [dict(row) for row in base.execute(sql, values)]

    def call(self, tool: str, arguments: Mapping[str, Any]) -> Found:
        """Raises Wrong where the tool does not exist or refuses."""
        if tool not in self.tools:
            raise Wrong(self.no("tool", tool, self.tools), "call")
        if unknown := next((name for name in arguments if name not in self.tools[tool].args), ""):
            raise Wrong(f"`{tool}` takes no `{unknown}`{nearest(unknown, self.tools[tool].args)}", "input")
        try:
            call: Any = {"name": tool, "args": dict(arguments), "id": "1", "type": "tool_call"}
            message = self.tools[tool].invoke(call)
        except ToolFault as fault:
            raise Wrong(f"{tool} refuses {dict(arguments)}: {fault}", "input") from fault
        except ValidationError as error:
            named, wrong = first_wrong(error)
            raise Wrong(f"{tool} cannot take {dict(arguments)}: {named or 'input'}: {wrong}.", "input") from error
        return Found(dict((message.artifact or {}).get("facts", {})))


@dataclass
class Scope:
    """What one dialogue may refer to, the names bound so far among it. Its methods raise Wrong."""

    base: Base
    signs: Signs = Signs()  # noqa: RUF009 (frozen)
    ids: Ids | None = None
    absent: Collection[str] = ()
    """Ids that are named on purpose though they do not exist."""
    bound: dict[str, Any] = field(default_factory=dict)
    """What `let` found; None for a query that failed, which is said there."""

    def named(self, name: str) -> Any:
        """Raises Wrong without a sentence for a query that failed."""
        if name not in self.bound:
            raise Wrong(f"`{name}` is not defined under `let`{nearest(name, self.bound)}")
        if self.bound[name] is None:
            raise Wrong("")
        return self.bound[name]

    def value(self, reference: str) -> Any:
        """Of `best.price`, `found.count`, `pay.loan.monthly`, `slot.weekday`, or of a bare name."""
        name, _, path = reference.partition(".")
        found = self.named(name)
        if not isinstance(found, str) or path not in MOMENT:
            return self.fact(reference)[1] if path else found
        try:
            return MOMENT[path].format(datetime.fromisoformat(found))
        except ValueError:
            raise Wrong(f"`{name}` is no time, so it has no `{path}`.") from None

    def fact(self, reference: str) -> tuple[str, Any]:
        """Name and value of the fact that `best.price` or `pay.loan.monthly` stands for."""
        name, _, path = reference.partition(".")
        found = self.named(name)
        if isinstance(found, tuple):
            found = Found({"search.count": len(found)}, "search")
        if path and isinstance(found, Found):
            return found.fact(reference, path)
        raise Wrong(f"`{reference}` is no fact: write NAME.COLUMN.")

    def named_ids(self, reference: str) -> list[str]:
        """The ids behind a name."""
        return [each.subject if isinstance(each, Found) else str(each) for each in listed(self.named(reference))]

    def filled(self, text: str, written: Callable[[str], str] = str) -> str:
        """The text with every {reference} answered."""

        def one(match: re.Match[str]) -> str:
            value = self.value(match[1] + match[2])
            value = value.subject or value if isinstance(value, Found) else value
            if isinstance(value, Found | list | tuple):
                raise Wrong(f"`{match[0]}` is not one value: pick one of them, or name a column.")
            return written(str(int(value) if isinstance(value, float) and value.is_integer() else value))

        return REFERENCE.sub(one, text)

    def said(self, text: str) -> str:
        """The same of a person's words: what looks like an id in them must be one."""
        text = self.filled(text)
        if ids := self.ids:
            names = [found[0] for found in ids.pattern.finditer(text) if found[0] not in self.absent]
            if absent := next((name for name in names if not self.base.holds(ids.table, name.upper())), ""):
                raise Wrong(f"There is no {absent} in this database: take one from a query, or list it under `absent`.")
        return text

    def known(self, what: str, name: str) -> str:
        """A tool, or what has a sign: `asks`, `offers`."""
        if what == "tool" and name not in self.base.tools:
            raise Wrong(self.base.no("tool", name, self.base.tools))
        if what != "tool" and name not in (signs := getattr(self.signs, what)):
            raise Wrong(f"`{name}` has no sign under `signs: {what}:` in suite.yaml{nearest(name, signs)}")
        return name


# -- queries


def _count(said: str) -> str:
    if not re.fullmatch(r"\d+\+?", said):
        raise Wrong(f"`count` is `{said}`: write a number, or `1+` for at least one.")
    return said


OWN: Mapping[str, tuple[str, ...]] = {"from": ("where", "order"), "call": ("input", "fact"), "value": ()}
"""What a query is by -> the keys that go with it alone."""


@pydantic_dataclass(frozen=True, config=STRICT)
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
            return scope.base.select(*map(scope.filled, (self.table, self.where, self.order)))
        if self.call is None:
            return typed(scope.filled(self.value))
        written = scope.filled(json.dumps(self.input, ensure_ascii=False), lambda value: json.dumps(value)[1:-1])
        facts = scope.base.call(self.call, json.loads(written))
        return facts.fact(f"{self.call}.{self.fact}", scope.filled(self.fact))[1] if self.fact else facts

    def chosen(self, name: str, scope: Scope) -> Any:
        """What is bound to the name. Raises Wrong."""
        found = self.found(scope)
        if not isinstance(found, tuple | list):
            if stray := "pick" if self.pick else "count" if self.count != "1+" else "":
                raise Wrong(f"`{stray}` needs several to choose from, and this is one: take it out.", stray)
            return found
        least, there = int(self.count.rstrip("+")), len(found)
        if there < least or (there > least and not self.count.endswith("+")):
            meant = f"change its condition, or write `count: {there}` if that is meant."
            raise Wrong(f"The query `{name}` finds {there or 'nothing'}: {meant}")
        if self.pick and self.pick > there:
            raise Wrong(f"`pick` is {self.pick}, but `{name}` finds only {there}: choose a smaller number.", "pick")
        return found[self.pick - 1] if self.pick else found


def typed(said: str) -> Any:
    """A number where it is one, true and false, or the words: what begins with a 0 is a telephone's, or the like."""
    if re.fullmatch(r"-?(?:0|[1-9]\d*)(?:\.\d+)?", said):
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
