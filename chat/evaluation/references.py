"""What a script refers to: rows of the domain's database and facts of its tools, found when the script is read.

best: {from: homes, where: "district = 'Riverside' AND price < 300000", order: price, pick: 1}   one row
found: {from: homes, where: "price < {budget}", count: 1+}                                       all rows
pay: {call: mortgage, input: {home: "{best}", deposit: 50000}}                                   a tool's facts
slot: {call: viewing_slots, input: {home: "{best}"}, fact: slots, pick: 1}                       one of its values
budget: {value: 300000}
"""

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chat.evaluation.marked_yaml import Wrong, nearest

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

PATIENCE, LARGEST = 5.0, 10_000_000
"""Seconds of one query, bytes of one value."""
REFERENCE = re.compile(r"\{([A-Za-z_]\w*)((?:\.[^{}]+)?)\}")
Row = Mapping[str, Any]
Rows = tuple[Row, ...]


@dataclass(frozen=True)
class Facts:
    """What a tool's artifact asserts."""

    values: Mapping[str, Any]


def subject(row: Row) -> str:
    """What its facts are about: `H-0421`, `Riverside`."""
    return str(row.get("id", row.get("name", "")))


@dataclass(frozen=True, eq=False)
class Base:
    """One generated database and the domain's tools over it, as on the first day."""

    place: Path
    domain: str
    now: datetime

    @cached_property
    def tools(self) -> Mapping[str, BaseTool]:
        from tools.desk import Desk
        from tools.domains import open_domain

        return open_domain(self.domain).make(Desk("script", self.now), self.place)

    @cached_property
    def tables(self) -> Mapping[str, tuple[str, ...]]:
        """Table -> columns."""
        names = [str(row["name"]) for row in self._rows("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {
            name: tuple(str(row["name"]) for row in self._rows(f"PRAGMA table_info({name})"))
            for name in names
            if name != "stamp"
        }

    def select(self, table: str, where: str, order: str) -> Rows:
        """Raises Wrong."""
        if table not in self.tables:
            there = nearest(table, self.tables)
            raise Wrong(f"There is no table `{table}` in the domain `{self.domain}`{there}", "from")
        try:
            rows = self._rows(f"SELECT * FROM {table} WHERE {where or '1'} ORDER BY {order or 'rowid'}")
        except (sqlite3.Error, sqlite3.Warning) as error:
            raise Wrong(self._refused(table, str(error)), "where" if where else "order") from error
        flags = self._flags(table)
        return tuple({k: bool(v) if k in flags else v for k, v in row.items()} for row in rows)

    def _refused(self, table: str, error: str) -> str:
        if found := re.fullmatch(r"no such column: (?:\w+\.)?(\w+)", error):
            return f"SQLite finds no column `{found[1]}` in `{table}`{nearest(found[1], self.tables[table])}"
        return f"SQLite cannot read the condition ({error}): write what may stand behind WHERE and ORDER BY."

    @cache  # noqa: B019  a database is read for as long as its suite
    def _flags(self, table: str) -> frozenset[str]:
        """Columns that hold nothing but 0 and 1, both of them, which SQLite has for false and true."""
        columns = self.tables[table]
        tests = (f"min({c}) = 0 AND max({c}) = 1 AND count(DISTINCT {c}) = 2 AS {c}" for c in columns)
        found = self._rows(f"SELECT {', '.join(tests)} FROM {table}")[0]
        return frozenset(column for column in columns if found[column])

    def _rows(self, sql: str) -> list[dict[str, Any]]:
        from tools.domains import BASE

        with closing(sqlite3.connect(f"file:{self.place / BASE}?mode=ro", uri=True)) as base:
            base.row_factory = sqlite3.Row
            base.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LARGEST)
            until = time.monotonic() + PATIENCE  # a condition is whatever a suite's author wrote
            base.set_progress_handler(lambda: int(time.monotonic() > until), 10_000)
            return [dict(row) for row in base.execute(sql)]

    @cache  # noqa: B019
    def subjects(self, table: str) -> frozenset[str]:
        """What the rows of a table are about."""
        return frozenset(subject(row) for row in self._rows(f"SELECT * FROM {table}"))

    def call(self, tool: str, arguments: Mapping[str, Any]) -> Facts:
        """Raises Wrong where the tool does not exist or refuses."""
        from pydantic import ValidationError

        from tools.desk import ToolFault

        if tool not in self.tools:
            raise Wrong(f"There is no tool `{tool}` in the domain `{self.domain}`{nearest(tool, self.tools)}", "call")
        if unknown := next((name for name in arguments if name not in self.tools[tool].args), ""):
            raise Wrong(f"`{tool}` takes no `{unknown}`{nearest(unknown, self.tools[tool].args)}", "input")
        try:
            call: Any = {"name": tool, "args": dict(arguments), "id": "1", "type": "tool_call"}
            message = self.tools[tool].invoke(call)
        except ToolFault as fault:
            raise Wrong(f"{tool} refuses {dict(arguments)}: {fault}", "input") from fault
        except ValidationError as error:
            wrong = error.errors()[0]
            named = ".".join(map(str, wrong["loc"])) or "input"
            raise Wrong(f"{tool} cannot take {dict(arguments)}: {named}: {wrong['msg']}.", "input") from error
        return Facts(dict((message.artifact or {}).get("facts", {})))


@dataclass
class Scope:
    """The names bound so far."""

    base: Base
    bound: dict[str, Any] = field(default_factory=dict)
    """What `let` found; None for a query that failed, which is said there."""

    def named(self, name: str) -> Any:
        """Raises Wrong; without a sentence for a query that failed."""
        if name not in self.bound:
            raise Wrong(f"`{name}` is not defined under `let`{nearest(name, self.bound)}", word=f"{{{name}")
        if self.bound[name] is None:
            raise Wrong("")
        return self.bound[name]

    def value(self, reference: str) -> Any:
        """Of `best.price`, `found.count`, `pay.loan.monthly`, `slot.weekday`, or of a bare name. Raises Wrong."""
        name, _, path = reference.partition(".")
        found = self.named(name)
        if not path:
            return found
        if isinstance(found, str) and path in MOMENT:
            try:
                return MOMENT[path](datetime.fromisoformat(found))
            except ValueError:
                raise Wrong(f"`{name}` is no time, so it has no `{path}`.") from None
        return self.fact(reference)[1]

    def fact(self, reference: str) -> tuple[str, Any]:
        """Name and value of the fact that `best.price` or `pay.loan.monthly` stands for. Raises Wrong."""
        name, _, path = reference.partition(".")
        found = self.named(name)
        if isinstance(found, Mapping) and path in found:
            return f"{subject(found)}.{path}", found[path]
        if isinstance(found, tuple) and path == "count":
            return "search.count", len(found)
        if isinstance(found, Facts) and path:
            return _one_of(found, name, path)
        known = list(found) if isinstance(found, Mapping) else ["count"] if isinstance(found, tuple) else []
        how = nearest(path, known) if known else ": write NAME.COLUMN."
        raise Wrong(f"`{reference}` is no fact{how}", word=f"{{{name}")

    def ids(self, reference: str) -> tuple[str, ...]:
        """The ids behind a name. Raises Wrong."""
        found = self.named(reference)
        many = found if isinstance(found, tuple | list) else [found]
        return tuple(subject(each) if isinstance(each, Mapping) else str(each) for each in many)

    def filled(self, text: str, written: Callable[[str], str] = str) -> str:
        """The text with every {reference} answered. Raises Wrong."""

        def one(match: re.Match[str]) -> str:
            value = self.value(match[1] + match[2])
            if isinstance(value, Facts | list | tuple):
                raise Wrong(f"`{match[0]}` is not one value: pick one of them, or name a column.", word=match[0])
            return written(subject(value) if isinstance(value, Mapping) else plain(value))

        return REFERENCE.sub(one, text)

    def filled_all(self, value: Any) -> Any:
        """The same in every text of lists and mappings. Raises Wrong."""
        if isinstance(value, Mapping):
            return {key: self.filled_all(each) for key, each in value.items()}
        if isinstance(value, list):
            return [self.filled_all(each) for each in value]
        return self.filled(value) if isinstance(value, str) else value


def _one_of(facts: Facts, name: str, path: str) -> tuple[str, Any]:
    """By its whole name, or by its end, or by what stands behind the subject."""
    fits = [n for n in facts.values if n == path]
    fits = fits or [n for n in facts.values if n.endswith(f".{path}") or n.partition(".")[2].startswith(f"{path}.")]
    if len(fits) != 1:
        known = ", ".join(sorted(facts.values)[:12])
        raise Wrong(f"`{name}.{path}` is {'several facts' if fits else 'no fact'} of this call; it has: {known}.")
    return fits[0], facts.values[fits[0]]


def plain(value: Any) -> str:
    """Whole numbers without a point."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


MOMENT: Mapping[str, Callable[[datetime], str]] = {
    "weekday": lambda at: f"{at:%A}",
    "day": lambda at: f"{at:%A}, {at.day} {at:%B}",
    "date": lambda at: f"{at.day} {at:%B}",
    "hour": lambda at: f"{at:%H:%M}",
}
"""What can be said of a time such as 2026-11-24 14:00."""
