"""Every regular expression of the product, found by walking its modules and reading its calls of `re`."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

_constants: Any = importlib.import_module("re._constants")
_parser: Any = importlib.import_module("re._parser")
ROOT = Path(__file__).parents[2]
ROOMS = ("chat", "memory", "minds", "prompts", "tools")
APART = ("minds.training", "chat.bench")
"""What no conversation reaches."""
USES = frozenset({"search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer"})


Use = tuple[re.Pattern[str], str]
"""A pattern and the method that it is used by; one that searches finds all that others do."""


def patterns() -> dict[Use, str]:
    """Each pattern of text, as it is used, with the place where it was found first."""
    found: dict[Use, str] = {}
    for module in modules():
        text = Path(module.__file__).read_text("utf-8") if module.__file__ else ""
        for pattern, name in held(module):
            for method in used(text, name):
                found.setdefault((pattern, method), f"{module.__name__}.{name}")
        for pattern, method, line in called(text):
            found.setdefault((pattern, method), f"{module.__name__}:{line}")
    return {use: where for use, where in found.items() if isinstance(use[0].pattern, str)}


def used(text: str, name: str) -> set[str]:
    """How the module calls a pattern of this name; as a search where this is not to be seen."""
    methods = set(re.findall(rf"\b{name}\.(match|fullmatch|search|sub|subn|split|findall|finditer)\(", text))
    plain = len(re.findall(rf"\b{name}\b", text)) == 1 + len(re.findall(rf"\b{name}\.\w+\(", text))
    return {method if method in ("match", "fullmatch") else "search" for method in methods} if plain else {"search"}


def modules() -> Iterator[ModuleType]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for room in ROOMS:
            for info in pkgutil.walk_packages(importlib.import_module(room).__path__, f"{room}."):
                if not info.name.startswith(APART) and not info.name.endswith("__main__"):
                    yield importlib.import_module(info.name)


def held(module: ModuleType) -> Iterator[tuple[re.Pattern[str], str]]:
    """Those that the module, its classes and its tables hold."""
    todo: list[tuple[str, object]] = list(vars(module).items())
    seen: set[int] = set()
    while todo:
        name, value = todo.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, re.Pattern):
            yield value, name
        elif isinstance(value, list | tuple | set | frozenset) and len(value) < 1000:
            todo += [("in " + name, each) for each in value]
        elif isinstance(value, dict) and len(value) < 1000:
            todo += [("in " + name, each) for each in (*value, *value.values())]
        elif isinstance(value, type) and value.__module__ == module.__name__:
            todo += [(key, each) for key, each in vars(value).items()]


def called(text: str) -> Iterator[tuple[re.Pattern[str], str, int]]:
    """Those that stand written out in a call of `re`, with the method and the line."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            function = node.func
            if not isinstance(function, ast.Attribute) or ast.unparse(function.value) != "re":
                continue
            if function.attr in USES and isinstance(node.args[0].value, str):
                flags = [ast.unparse(each) for each in (*node.args[1:], *(word.value for word in node.keywords))]
                method = function.attr if function.attr in ("match", "fullmatch") else "search"
                yield re.compile(node.args[0].value, _flags(flags)), method, node.lineno


def _flags(written: list[str]) -> int:
    names = [
        name for text in written if re.fullmatch(r"re\.[A-Z]+( \| re\.[A-Z]+)*", text) for name in text.split(" | ")
    ]
    return sum(int(getattr(re, name.removeprefix("re."))) for name in names)


# -- what is worst for them


def worst(pattern: re.Pattern[str], length: int) -> Iterator[str]:
    """Texts of this length made of what the pattern repeats: each of its characters, pairs of them, its words."""
    own = characters(pattern)
    units = [*own, *(one + other for one in own for other in own if one != other), *WORDS]
    for unit in dict.fromkeys(units):
        text = (unit * (length // len(unit) + 1))[: length - 1]
        yield text + "\0"
    yield from (start + own[0] * (length - len(start)) for start in words(pattern) if own)


WORDS = (
    " ",
    "\n",
    "a",
    "1",
    "a ",
    "1 ",
    "1,",
    "1.",
    "a, ",
    "A",
    "é",
    "\t",
    "- ",
    "'",
    '"',
    "(",
    "[",
    "the ",
    "a b c ",
    "12 ",
)


def characters(pattern: re.Pattern[str]) -> list[str]:
    """Some of each kind that the pattern speaks of, at most twelve."""
    found: dict[str, None] = {}
    for part in _parts(_parser.parse(pattern.pattern, pattern.flags)):
        found.update(dict.fromkeys(_some(part)))
    return list(found)[:12]


def words(pattern: re.Pattern[str]) -> list[str]:
    """How its texts may begin, as far as they are written out."""
    text, found = "", []
    for name, value in _parser.parse(pattern.pattern, pattern.flags):
        if name is _constants.LITERAL:
            text += chr(value)
        elif text:
            break
    if text:
        found.append(text)
    return found


def _parts(tree: Any) -> Iterator[tuple[Any, Any]]:
    """All nodes of a parsed pattern, those that are repeated first."""
    later: list[Any] = []
    for name, value in tree:
        inner = list(_within(value))
        if name in (_constants.MAX_REPEAT, _constants.MIN_REPEAT, _constants.POSSESSIVE_REPEAT):
            for each in inner:
                yield from _parts(each)
        else:
            later += inner
            if not inner:
                yield name, value
    for each in later:
        yield from _parts(each)


def _within(value: Any) -> Iterator[Any]:
    if isinstance(value, _parser.SubPattern):
        yield value
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _within(each)


def _some(part: tuple[Any, Any]) -> Iterator[str]:
    name, value = part
    if name is _constants.LITERAL:
        yield chr(value)
    elif name is _constants.RANGE:
        yield chr(value[0])
    elif name in (_constants.ANY, _constants.NOT_LITERAL):
        yield from ("a", " ")
    elif name is _constants.CATEGORY:
        yield from CATEGORIES.get(str(value), "a")
    elif name is _constants.IN:
        if value and value[0][0] is _constants.NEGATE:
            yield from ("a", " ", "1")
        for each in value:
            yield from _some(each)


CATEGORIES = {"CATEGORY_SPACE": " \n", "CATEGORY_DIGIT": "1", "CATEGORY_WORD": "a1", "CATEGORY_NOT_SPACE": "a.",
              "CATEGORY_NOT_WORD": " .", "CATEGORY_NOT_DIGIT": "a"}  # fmt: skip
