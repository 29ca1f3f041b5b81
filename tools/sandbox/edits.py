"""A program as small models write it, made ready for monty: fences off, and the few things it lacks put otherwise.

Every edit stays on its line, so that an error names the line that the model wrote.
"""

from __future__ import annotations

import ast
import math
import textwrap
import warnings
from collections.abc import Iterator, Sequence, Set
from contextlib import suppress

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
}
"""What the prelude has in place of a module's."""
_MODULES = {
    "operator": "add sub mul truediv floordiv mod pow neg eq ne lt le gt ge xor and_ or_ itemgetter",
    "csv": "reader DictReader",
    "io": "StringIO",
    "bisect": "bisect bisect_left bisect_right insort",
    "heapq": "heapify heappush heappop heapreplace nsmallest nlargest",
}
_FROM |= {(module, name): f"_{module}.{name}" for module, names in _MODULES.items() for name in names.split()}
_WHOLE = {module: f"_{module}" for module in ("fractions", "zoneinfo", "pytz", *_MODULES)}
_CLASSES = ("date", "datetime", "time", "timedelta", "timezone")
_ALL = {"math": [name for name in vars(math) if not name.startswith("_")], "datetime": _CLASSES}
ZEROS = 20
"""Figures of a program that may begin with one."""
_MADE = ("now", "today", "fromisoformat", "combine", "fromtimestamp")
"""Class methods of `datetime` that are called on the module by mistake."""


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


def edited(program: str, outside: Set[str] = frozenset()) -> str:
    """The program with what monty lacks put otherwise; as it was where this Python cannot parse it. `outside`: the
    functions that a host answers for."""
    tree = _tree(program := _without_deletions(_without_zeros(program)))
    if tree is None:
        return program
    source = _Source(program)
    edits = [*_imports(tree, source), *_names(tree, source)]
    if any(isinstance(node, ast.Name) and node.id in outside for node in ast.walk(tree)):
        edits += _by_key(tree, source)
    zoned = any("ZoneInfo" in text or "_zoneinfo" in text or "_pytz" in text for _, _, text in edits)
    edits += _calls(tree, source, zoned or "ZoneInfo" in program)
    return _applied(program, edits)


def _applied(program: str, edits: Sequence[Edit]) -> str:
    for first, last, text in _inside_first(edits):
        program = program[:first] + text + program[last:]
    return program


def _inside_first(edits: Sequence[Edit]) -> list[Edit]:
    """So that none moves what another one counts on: from the end, and what is replaced before what is put in there."""
    order = sorted(range(len(edits)), key=lambda n: (edits[n][0], edits[n][1] > edits[n][0], n), reverse=True)
    return [edits[n] for n in order]


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
        return self.place(node.lineno, node.col_offset), self.place(last, column)

    def place(self, line: int, column: int) -> int:
        return self._starts[line - 1] + len(self._lines[line - 1].encode()[:column].decode())


def _tree(program: str) -> ast.Module | None:
    try:
        return _parsed(program)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _parsed(program: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        return ast.parse(program)


def _without_zeros(program: str) -> str:
    """`time(9, 05)`, as clocks write it, is `time(9, 5)`."""
    for _ in range(ZEROS):
        try:
            _parsed(program)
        except SyntaxError as error:
            if not error.msg.startswith("leading zeros") or not error.lineno or not error.offset:
                break
            at = _Source(program).place(error.lineno, error.offset - 1)
            program = program[:at] + program[at + 1 :]
        except (ValueError, RecursionError, MemoryError):
            break
        else:
            break
    return program


def _without_deletions(program: str) -> str:
    """`del row[2], rows[2:4]` as calls and assignments; a name may as well stay. What cannot be put so stays as it is,
    for monty to refuse."""
    tree = _tree(program)
    if tree is None:
        return program
    source, edits = _Source(program), list[Edit]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Delete) and all(instead := [_gone(target) for target in _single(node.targets)]):
            first, last = source.span(node)
            edits.append((first, last, "; ".join(instead or ["pass"]) + "\n" * program.count("\n", first, last)))
    return _applied(program, edits)


def _single(targets: Sequence[ast.expr]) -> Iterator[ast.expr]:
    for target in targets:
        if isinstance(target, ast.Tuple | ast.List):
            yield from _single(target.elts)
        else:
            yield target


def _gone(target: ast.expr) -> str:
    """Empty for an attribute, a slice with a step, and what is too deeply nested to be written anew."""
    with suppress(RecursionError):
        match target:
            case ast.Name():
                return "pass"
            case ast.Subscript(slice=ast.Slice(step=step)):
                return "" if step else f"{ast.unparse(target)} = []"
            case ast.Subscript(value=value, slice=at):
                return ast.unparse(ast.Call(ast.Attribute(value, "pop"), [at], []))
    return ""


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
        return [f"from {module} import {', '.join(_ALL[module])}"] if module in _ALL else None
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
    """`str.lower` as a function of its own, and `datetime` as the module or the class, whichever is meant."""
    module = _is_module(tree, "datetime")
    for node in ast.walk(tree):
        if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
            continue
        if node.value.id == "str":
            yield *source.span(node), f"(lambda _s, *_a: _s.{node.attr}(*_a))"
        elif node.value.id == "datetime" and not module and node.attr in _CLASSES and node.attr != "timedelta":
            yield *source.span(node), f"_{node.attr}"
        elif node.value.id == "datetime" and module and node.attr in _MADE:
            yield *source.span(node.value), "_datetime"


def _is_module(tree: ast.Module, name: str) -> bool:
    """Whether it is imported as a whole."""
    imports = (node for node in ast.walk(tree) if isinstance(node, ast.Import))
    return any((alias.asname or alias.name) == name for node in imports for alias in node.names)


def _calls(tree: ast.Module, source: _Source, zoned: bool) -> Iterator[Edit]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        first, last = source.span(node.func)
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        named = {keyword.arg for keyword in node.keywords}
        yield from _methods(node, source)
        if name == "timedelta":
            yield first, last, "_span"
        elif name == "today" and _of_datetime(tree, getattr(node.func, "value", None)):
            yield last - len(name), last, "now"
        elif isinstance(node.func, ast.Attribute) and name in _REPLACED:
            yield first, last, _REPLACED[name]
        elif zoned and name == "datetime" and "tzinfo" in named:
            yield first, first, "_zoned("
            yield last, last, ")"
        elif isinstance(node.func, ast.Attribute) and (wrapper := _wrapper(name, node, named, zoned)):
            yield first, first, f"{wrapper}("
            yield source.text.rindex(".", first, last), last, ")"


def _by_key(tree: ast.Module, source: _Source) -> Iterator[Edit]:
    """`sorted(cities, key=lambda one: distance(home, one))`: within its own, monty can ask nobody outside."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id="sorted" | "max" | "min" as name), keywords=named):
                if any(keyword.arg == "key" for keyword in named):
                    yield *source.span(node.func), f"_{name}"


def _rebound(tree: ast.Module, name: str) -> bool:
    """Whether a program gives the name to something of its own, which is not the class of that name."""
    for node in ast.walk(tree):
        match node:
            case ast.alias(asname=alias) if alias == name != node.name:
                return True
            case ast.Assign(value=ast.Attribute(attr=attr)) if attr == name:
                continue
            case ast.Assign(targets=targets) if any(isinstance(t, ast.Name) and t.id == name for t in targets):
                return True
            case ast.For(target=ast.Name(id=bound)) | ast.arg(arg=bound) | ast.ClassDef(name=bound) if bound == name:
                return True
    return False


def _of_datetime(tree: ast.Module, owner: ast.expr | None) -> bool:
    """Whether a method is called on the class, as in `dt.datetime.today`, not on what the program itself calls so."""
    if isinstance(owner, ast.Name):
        return owner.id == "datetime" and not _rebound(tree, owner.id)
    return isinstance(owner, ast.Attribute) and owner.attr == "datetime"


def _methods(call: ast.Call, source: _Source) -> Iterator[Edit]:
    """`key=prices.get`: a method that is given away, as a function."""
    for given in (keyword.value for keyword in call.keywords if keyword.arg == "key"):
        if isinstance(given, ast.Attribute) and not (isinstance(given.value, ast.Name) and given.value.id == "str"):
            first, last = source.span(given)
            yield first, first, "(lambda _k: "
            yield last, last, "(_k))"


_REPLACED = {"strptime": "_strptime", "utcnow": "_utcnow"}


_LACKED = {"isocalendar": "_iso_week", "is_integer": "_is_whole"}
"""Methods that monty's dates and floats are without."""


def _wrapper(name: str, node: ast.Call, named: Set[str | None], zoned: bool) -> str:
    """The prelude's function for a call that monty lacks, or that may be given a ZoneInfo, which it does not take."""
    if name in _LACKED or not zoned:
        return _LACKED.get(name, "")
    if name == "astimezone":
        return "_moved"
    if name == "replace" and "tzinfo" in named:
        return "_replaced"
    return "_clock" if name == "now" and (node.args or "tz" in named) else ""
