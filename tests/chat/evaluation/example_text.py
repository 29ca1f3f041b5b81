"""A text that a regular expression finds: the shortest way through it. For minds that say what a script looks for."""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib import import_module
from typing import Any

# Python's own reader of patterns. By name, since type checkers disagree on whether it is there.
kinds: Any = import_module("re._constants")
reader: Any = import_module("re._parser")


def example(pattern: re.Pattern[str]) -> str:
    """Some text in which the pattern is found, where there is a simple one; else its words alone."""
    text = "".join(_walk(reader.parse(pattern.pattern)))
    return text if pattern.search(text) else " ".join(re.findall(r"[A-Za-z]+", pattern.pattern))


def _walk(parsed: Iterable[tuple[Any, Any]]) -> Iterable[str]:
    for kind, value in parsed:
        if kind is kinds.LITERAL:
            yield chr(value)
        elif kind is kinds.ANY:
            yield " "
        elif kind is kinds.NOT_LITERAL:
            yield "a" if value != ord("a") else "b"
        elif kind is kinds.IN:
            yield _of_set(value)
        elif kind is kinds.BRANCH:
            ways = ["".join(_walk(way)) for way in value[1]]
            yield next((way for way in ways if way.strip()), ways[0])
        elif kind is kinds.SUBPATTERN:
            yield from _walk(value[-1])
        elif kind in (kinds.MAX_REPEAT, kinds.MIN_REPEAT, kinds.POSSESSIVE_REPEAT):
            least, _, inner = value
            yield "".join(_walk(inner)) * least
        elif kind is kinds.ATOMIC_GROUP:
            yield from _walk(value)


def _of_set(parts: Iterable[tuple[Any, Any]]) -> str:
    for kind, value in parts:
        if kind is kinds.NEGATE:
            return "x"
        if kind is kinds.LITERAL:
            return chr(value)
        if kind is kinds.RANGE:
            return chr(value[0])
        if kind is kinds.CATEGORY:
            return {kinds.CATEGORY_DIGIT: "1", kinds.CATEGORY_SPACE: " "}.get(value, "x")
    return ""
