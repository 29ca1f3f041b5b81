"""What `let` binds: rows of the domain's database and facts of its tools, found when a script is loaded.

best: {from: homes, where: "district = 'Riverside' AND price < 300000", order: price, pick: 1}   one row
found: {from: homes, where: "price < {budget}", count: 1+}                                       all rows
pay: {call: mortgage, input: "{best} with 50000 deposit"}                                        a tool's facts
slot: {call: viewing_slots, input: "{best}", fact: slots, pick: 1}                               one of its values
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
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chat.evaluation.script_nodes import nearest
from chat.evaluation.scripts import Fact

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

PATIENCE, LARGEST = 5.0, 10_000_000
"""Seconds of one query, bytes of one value."""
REFERENCE = re.compile(r"\{([A-Za-z_]\w*)((?:\.[^{}]+)?)\}")


class Unanswered(Exception):
    """A query or a reference that has no answer; the text says what to change."""


@dataclass(frozen=True)
class Row:
    """One row of a table."""

    values: Mapping[str, Any]

    @property
    def subject(self) -> str:
        """What its facts are about: `H-0421`, `Riverside`."""
        return str(self.values.get("id", self.values.get("name", "")))


@dataclass(frozen=True)
class Rows:
    """All rows that a query found."""

    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Facts:
    """What a tool's artifact asserts."""

    values: Mapping[str, Any]


@dataclass(frozen=True)
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
        """Raises Unanswered."""
        if table not in self.tables:
            raise Unanswered(f"There is no table `{table}` in the domain `{self.domain}`{nearest(table, self.tables)}")
        try:
            rows = self._rows(f"SELECT * FROM {table} WHERE {where or '1'} ORDER BY {order or 'rowid'}")
        except (sqlite3.Error, sqlite3.Warning) as error:
            raise Unanswered(self._refused(table, str(error))) from error
        flags = self._flags(table)
        return Rows(tuple(Row({k: bool(v) if k in flags else v for k, v in row.items()}) for row in rows))

    def _refused(self, table: str, error: str) -> str:
        if found := re.fullmatch(r"no such column: (?:\w+\.)?(\w+)", error):
            return f"SQLite finds no column `{found[1]}` in `{table}`{nearest(found[1], self.tables[table])}"
        return f"SQLite cannot read the condition ({error}): write what may stand behind WHERE and ORDER BY."

    def _flags(self, table: str) -> frozenset[str]:
        """Columns that hold nothing but 0 and 1, both of them, which SQLite has for false and true."""
        if table not in self._known_flags:
            columns = self.tables[table]
            tests = (f"min({c}) = 0 AND max({c}) = 1 AND count(DISTINCT {c}) = 2 AS {c}" for c in columns)
            found = self._rows(f"SELECT {', '.join(tests)} FROM {table}")[0]
            self._known_flags[table] = frozenset(column for column in columns if found[column])
        return self._known_flags[table]

    @cached_property
    def _known_flags(self) -> dict[str, frozenset[str]]:
        return {}

    def _rows(self, sql: str) -> list[dict[str, Any]]:
        from tools.domains import BASE

        with closing(sqlite3.connect(f"file:{self.place / BASE}?mode=ro", uri=True)) as base:
            base.row_factory = sqlite3.Row
            base.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LARGEST)
            until = time.monotonic() + PATIENCE  # a condition is whatever a suite's author wrote
            base.set_progress_handler(lambda: int(time.monotonic() > until), 10_000)
            return [dict(row) for row in base.execute(sql)]

    def has_id(self, table: str, name: str) -> bool:
        if table not in self._ids:
            self._ids[table] = frozenset(Row(row).subject for row in self._rows(f"SELECT * FROM {table}"))
        return name in self._ids[table]

    @cached_property
    def _ids(self) -> dict[str, frozenset[str]]:
        return {}

    def call(self, tool: str, text: str) -> Facts:
        """Raises Unanswered where the tool does not exist or refuses."""
        from tools.desk import ToolFault

        if tool not in self.tools:
            raise Unanswered(f"There is no tool `{tool}` in the domain `{self.domain}`{nearest(tool, self.tools)}")
        try:
            message = self.tools[tool].invoke({"name": tool, "args": {"input": text}, "id": "1", "type": "tool_call"})
        except ToolFault as fault:
            raise Unanswered(f"{tool}[{text}] is refused: {fault}") from fault
        artifact = message.artifact or {}
        return Facts(dict(artifact.get("facts", {})))


@dataclass
class Scope:
    """The names bound so far."""

    base: Base
    bound: dict[str, Any] = field(default_factory=dict)

    def named(self, name: str) -> Any:
        """Raises Unanswered."""
        if name not in self.bound:
            raise Unanswered(f"`{name}` is not defined under `let`{nearest(name, self.bound)}")
        return self.bound[name]

    def value(self, reference: str) -> Any:
        """Of `best.price`, `found.count`, `pay.loan.monthly`, `slot.weekday`, or of a bare name. Raises Unanswered."""
        name, _, path = reference.partition(".")
        if not path:
            return self.named(name)
        found = self.named(name)
        if isinstance(found, str) and path in MOMENT:
            try:
                return MOMENT[path](datetime.fromisoformat(found))
            except ValueError:
                raise Unanswered(f"`{name}` is no time, so it has no `{path}`.") from None
        return self.fact(reference).value

    def fact(self, reference: str) -> Fact:
        """The fact that `best.price` or `pay.loan.monthly` stands for. Raises Unanswered."""
        name, _, path = reference.partition(".")
        found = self.named(name)
        if isinstance(found, Row) and path in found.values:
            return Fact(f"{found.subject}.{path}", found.values[path])
        if isinstance(found, Rows) and path == "count":
            return Fact("search.count", len(found.rows))
        if isinstance(found, Facts) and path:
            return _one_of(found, name, path)
        known = found.values if isinstance(found, Row) else ["count"] if isinstance(found, Rows) else []
        how = nearest(path, known) if known else ": write NAME.COLUMN."
        raise Unanswered(f"`{reference}` is no fact{how}")

    def ids(self, reference: str) -> tuple[str, ...]:
        """The ids behind a name. Raises Unanswered."""
        found = self.named(reference)
        if isinstance(found, Row):
            return (found.subject,)
        if isinstance(found, Rows):
            return tuple(row.subject for row in found.rows)
        if isinstance(found, tuple | list):
            return tuple(map(str, found))
        return (str(found),)

    def filled(self, text: str, written: Callable[[str], str] = str) -> str:
        """The text with every {reference} answered. Raises Unanswered."""

        def one(match: re.Match[str]) -> str:
            value = self.value(match[1] + match[2])
            if isinstance(value, Rows | Facts | list | dict):
                raise Unanswered(f"`{match[0]}` is not one value: pick one of them, or name a column.")
            return written(value.subject if isinstance(value, Row) else plain(value))

        return REFERENCE.sub(one, text)


def _one_of(facts: Facts, name: str, path: str) -> Fact:
    """By its whole name, or by its end, or by what stands behind the subject."""
    fits = [n for n in facts.values if n == path]
    fits = fits or [n for n in facts.values if n.endswith(f".{path}") or n.partition(".")[2].startswith(f"{path}.")]
    if len(fits) != 1:
        known = ", ".join(sorted(facts.values)[:12])
        raise Unanswered(f"`{name}.{path}` is {'several facts' if fits else 'no fact'} of this call; it has: {known}.")
    return Fact(fits[0], facts.values[fits[0]])


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
