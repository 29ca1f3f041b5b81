"""A program as small models write it, made ready for monty: fences off, and the few things it lacks put otherwise.

Every edit stays on its line, so that an error names the line that the model wrote.
"""

from __future__ import annotations

import ast
import math
import textwrap
import warnings
from collections.abc import Iterator, Set

Edit = tuple[int, int, str]
"""From and to (in characters), and what stands there instead."""

_FROM = {
    ("fractions", "Fraction"): "Fraction",
    ("zoneinfo", "ZoneInfo"): "ZoneInfo",
    ("backports.zoneinfo", "ZoneInfo"): "ZoneInfo",
    ("pytz", "timezone"): "ZoneInfo",
    ("pytz", "utc"): "UTC",
    ("dateutil.relativedelta", "relativedelta"): "relativedelta",
    ("dateutil", "relativedelta"): "_relativedelta",
    ("datetime", "UTC"): "UTC",
    ("collections", "OrderedDict"): "dict",
    ("functools", "cache"): "cache",
}
"""What the prelude has in place of a module's."""
_WHOLE = {"fractions": "_fractions", "zoneinfo": "_zoneinfo", "pytz": "_pytz"}
_MATH = [name for name in vars(math) if not name.startswith("_")]


def without_fence(program: str) -> str:
    """Out of a fence of back-quotes, with its line breaks written as such where they came as two characters."""
    text = textwrap.dedent(program.replace("\r\n", "\n"))
    if "```" in text and _tree(text) is None:
        text = text.split("```")[1]
        first, _, rest = text.partition("\n")
        text = rest if first.strip().lower() in ("python", "py", "python3", "") else text
    text = textwrap.dedent(text).strip()
    if "\n" not in text and "\\n" in text and _tree(text) is None:
        broken = text.replace("\\n", "\n").replace('\\"', '"')
        return broken if _tree(broken) is not None else text
    return text


def edited(program: str) -> str:
    """The program with what monty lacks put otherwise; as it was where this Python cannot parse it."""
    tree = _tree(program)
    if tree is None:
        return program
    source = _Source(program)
    edits = [*_imports(tree, source), *_names(tree, source)]
    zoned = any("ZoneInfo" in text or "_zoneinfo" in text or "_pytz" in text for _, _, text in edits)
    edits += _calls(tree, source, zoned or "ZoneInfo" in program)
    order = sorted(range(len(edits)), key=lambda n: (edits[n][0], n), reverse=True)  # what is inside comes first
    for first, last, text in (edits[n] for n in order):
        program = program[:first] + text + program[last:]
    return program


class _Source:
    """Where the nodes of a tree stand in the text: Python counts lines, and columns in bytes."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._lines = text.split("\n")
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line) + 1)

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        last, column = node.end_lineno or node.lineno, node.end_col_offset or 0
        return self._place(node.lineno, node.col_offset), self._place(last, column)

    def _place(self, line: int, column: int) -> int:
        return self._starts[line - 1] + len(self._lines[line - 1].encode()[:column].decode())


def _tree(program: str) -> ast.Module | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            return ast.parse(program)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _imports(tree: ast.Module, source: _Source) -> Iterator[Edit]:
    for node in ast.walk(tree):
        lines = None
        if isinstance(node, ast.Import):
            lines = _whole(node)
        elif isinstance(node, ast.ImportFrom):
            lines = _named(node)
        if lines is not None and isinstance(node, ast.stmt):
            first, last = source.span(node)
            yield first, last, "; ".join(lines or ["pass"]) + "\n" * source.text[first:last].count("\n")


def _whole(node: ast.Import) -> list[str] | None:
    if not any(alias.name in _WHOLE for alias in node.names):
        return None
    return [
        f"{alias.asname or alias.name} = {_WHOLE[alias.name]}" if alias.name in _WHOLE else f"import {_kept(alias)}"
        for alias in node.names
    ]


def _named(node: ast.ImportFrom) -> list[str] | None:
    module, names = node.module or "", [alias.name for alias in node.names]
    if names == ["*"]:
        return [f"from math import {', '.join(_MATH)}"] if module == "math" else None
    if not any((module, name) in _FROM for name in names):
        return None
    others = ", ".join(_kept(alias) for alias in node.names if (module, alias.name) not in _FROM)
    lines = [f"from {module} import {others}"] if others else []
    for alias in node.names:
        there = _FROM.get((module, alias.name), "")
        if there and (alias.asname or alias.name) != there:
            lines.append(f"{alias.asname or alias.name} = {there}")
    return lines


def _kept(alias: ast.alias) -> str:
    return f"{alias.name} as {alias.asname}" if alias.asname else alias.name


def _names(tree: ast.Module, source: _Source) -> Iterator[Edit]:
    """`str.lower` as a function of its own."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "str":
            yield *source.span(node), f"(lambda _s, *_a: _s.{node.attr}(*_a))"


def _calls(tree: ast.Module, source: _Source, zoned: bool) -> Iterator[Edit]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        first, last = source.span(node.func)
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        named = {keyword.arg for keyword in node.keywords}
        if isinstance(node.func, ast.Attribute) and name in _REPLACED:
            yield first, last, _REPLACED[name]
        elif zoned and name == "datetime" and "tzinfo" in named:
            yield first, first, "_zoned("
            yield last, last, ")"
        elif zoned and isinstance(node.func, ast.Attribute) and (wrapper := _wrapper(name, node, named)):
            yield first, first, f"{wrapper}("
            yield source.text.rindex(".", first, last), last, ")"


_REPLACED = {"strptime": "_strptime", "utcnow": "_utcnow"}


def _wrapper(name: str, node: ast.Call, named: Set[str | None]) -> str:
    """The prelude's function for a call that may be given a ZoneInfo, which monty's datetime does not take."""
    if name == "astimezone":
        return "_moved"
    if name == "replace" and "tzinfo" in named:
        return "_replaced"
    return "_clock" if name == "now" and (node.args or "tz" in named) else ""
