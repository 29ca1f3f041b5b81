"""Sums in a turn that is an expression: what they come to, how Python writes them, and whether one is meant at all."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lark import Tree

POWERS = 4_000
"""Digits of the largest power that is worked out."""
LARGE = 100
"""A difference that begins with less is as likely a range, a score or hours."""
_POINT = re.compile(r"(?:[1-9]\d{0,2}(?:,\d{3})+|0|[1-9]\d*)?(?:\.\d+)?")
_COMMA = re.compile(r"(?:[1-9]\d{0,2}(?:\.\d{3})+|0|[1-9]\d*)?(?:,\d+)?")
"""Numbers as they are written in English, and elsewhere."""


class NotMeant(Exception):
    """The turn is no expression, or cannot be told from something else."""


def numbers_of(tree: Tree[Any]) -> dict[str, str]:
    """Each number as it is written -> as Python writes it. In one turn all are written in one way."""
    written = [str(token) for token in _tokens(tree, "NUMBER")]
    ways = [(".", ",", _POINT), (",", ".", _COMMA)]
    fitting = [(point, group) for point, group, way in ways if all(way.fullmatch(number) for number in written)]
    if len(fitting) > 1 and not all(number.isdecimal() for number in written):
        fitting = []  # 1,234 and 1.234 are more than a thousand here and little more than one there
    if not fitting:
        raise NotMeant
    point, group = fitting[0]
    return {number: number.replace(group, "").replace(point, ".") for number in written}


def _tokens(tree: Tree[Any], *kinds: str) -> list[Any]:
    return list(tree.scan_values(lambda token: getattr(token, "type", "") in kinds))


def value_of(tree: Any, numbers: dict[str, str]) -> Any:
    """Exact where it can be. Raises NotMeant, ArithmeticError, ValueError."""
    inner = [value_of(child, numbers) for child in tree.children if hasattr(child, "data")]
    match tree.data:
        case "number" | "percent":
            return Fraction(numbers[tree.children[0]]) / (100 if tree.data == "percent" else 1)
        case "pi":
            return math.pi
        case "root_of":
            return _root(Fraction(numbers[tree.children[1]]))
        case "root":
            return _root(inner[0])
        case "power":
            return _power(*inner)
        case "negative":
            return -inner[0]
        case "group":
            return inner[0]
    one, other = inner
    return {
        "add": lambda: one + other, "subtract": lambda: one - other, "multiply": lambda: one * other,
        "divide": lambda: one / other, "share": lambda: one * other, "more": lambda: one * (1 + other),
        "less": lambda: one * (1 - other),
    }[tree.data]()  # fmt: skip


def _root(value: Any) -> Any:
    found = math.sqrt(value)
    return Fraction(found) if Fraction(found) ** 2 == value else found


def _power(base: Any, exponent: Any) -> Any:
    if base and abs(exponent) * abs(math.log10(abs(base))) > POWERS:
        raise NotMeant
    found = base**exponent
    if isinstance(found, complex):
        raise NotMeant
    return found


def source_of(tree: Any, numbers: dict[str, str]) -> str:
    """As Python writes it."""
    inner = [source_of(child, numbers) for child in tree.children if hasattr(child, "data")]
    first = tree.children[0] if tree.children else ""
    if tree.data in ("number", "percent"):
        return numbers[first]
    if tree.data == "root_of":
        return f"math.sqrt({numbers[tree.children[1]]})"
    if tree.data == "multiply" and "percent" in [getattr(child, "data", "") for child in tree.children]:
        return f"{inner[0]} * {inner[1]} / 100"
    forms = {
        "pi": "math.pi", "group": "({})", "root": "math.sqrt({})", "negative": "-{}", "power": "{} ** {}",
        "add": "{} + {}", "subtract": "{} - {}", "multiply": "{} * {}", "divide": "{} / {}",
        "share": "{} / 100 * ({})", "more": "({}) * (1 + {} / 100)", "less": "({}) * (1 - {} / 100)",
    }  # fmt: skip
    return forms[tree.data].format(*inner)


def is_meant(tree: Tree[Any], text: str, marked: bool, value: Any, numbers: Sequence[str]) -> bool:
    """Whether it can be nothing else: `24/7`, `9/11`, `2-3`, `2026-11-23` and `555-1234` can."""
    signs = _tokens(tree, "PLUS", "MINUS", "TIMES", "SLASH", "POWER", "ROOT")
    kinds = {token.type for token in signs}
    grouped = any(_tokens(group, "PLUS", "MINUS", "TIMES", "SLASH") for group in tree.find_data("group"))
    if not signs:
        return tree.data == "share"
    if marked or grouped or kinds - {"MINUS", "SLASH"} or tree.data == "share" or list(tree.find_data("pi")):
        return True
    spaced = all(text[token.start_pos - 1 : token.start_pos + 2] == " - " for token in signs if token == "-")
    return (
        spaced and value > (1 if "SLASH" in kinds else 0) and not _like_a_day(kinds, numbers) and _large(kinds, numbers)
    )


def _large(kinds: set[str], numbers: Sequence[str]) -> bool:
    """Beyond days, hours, scores and blood pressures, or an amount such as 7.35 beside a whole number."""
    points = ["." in number for number in numbers]
    least = 2.5 * LARGE if "SLASH" in kinds else LARGE
    return float(numbers[0]) >= least or (any(points) and not all(points))


def _like_a_day(kinds: set[str], numbers: Sequence[str]) -> bool:
    """It begins with a year: `2026 - 11 - 23`, `2024/25`; `2026 - 1987` is an age."""
    return 1900 <= float(numbers[0]) <= 2100 and ("SLASH" in kinds or float(numbers[1]) <= 31)
