"""Sums in a turn that is an expression: what they come to, how Python writes them, and whether one is meant at all."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Sequence
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


def way_of(tree: Tree[Any], *, english: bool = False) -> tuple[str, str]:
    """How all its numbers are written: their point, and what parts thousands. `english`: where that could be either, it
    is the English way. Raises NotMeant."""
    written = [str(token) for token in _tokens(tree, "NUMBER")]
    ways = [(".", ",", _POINT), (",", ".", _COMMA)]
    fitting = [(point, group) for point, group, way in ways if all(way.fullmatch(number) for number in written)]
    if len(fitting) > 1 and not english and not all(number.isdecimal() for number in written):
        fitting = []  # 1,234 and 1.234 are more than a thousand here and little more than one there
    if not fitting:
        raise NotMeant
    return fitting[0]


def numbers_of(tree: Tree[Any], *, english: bool = False) -> dict[str, str]:
    """Each number as it is written -> as Python writes it. Raises NotMeant."""
    point, group = way_of(tree, english=english)
    return {str(n): str(n).replace(group, "").replace(point, ".") for n in _tokens(tree, "NUMBER")}


def _tokens(tree: Tree[Any], *kinds: str) -> list[Any]:
    return list(tree.scan_values(lambda token: getattr(token, "type", "") in kinds))


def worked_out(tree: Any, numbers: dict[str, str]) -> tuple[str, Any]:
    """How Python writes it, and what it comes to, exact if it can be. Raises NotMeant, ArithmeticError, ValueError."""
    if tree.data in ("number", "percent"):
        number = numbers[tree.children[0]]
        return number, Fraction(number) / (100 if tree.data == "percent" else 1)
    inner = [child for child in tree.children if hasattr(child, "data")]
    form, work = _FORMS[tree.data]
    if tree.data == "multiply" and any(child.data == "percent" for child in inner):
        form = "{} * {} / 100"
    parts = [worked_out(child, numbers) for child in inner]
    return form.format(*(source for source, _ in parts)), work(*(value for _, value in parts))


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


_FORMS: dict[str, tuple[str, Callable[..., Any]]] = {
    "pi": ("math.pi", lambda: math.pi),
    "group": ("({})", operator.pos),
    "root": ("math.sqrt({})", _root),
    "negative": ("-{}", operator.neg),
    "power": ("{} ** {}", _power),
    "add": ("{} + {}", operator.add),
    "subtract": ("{} - {}", operator.sub),
    "multiply": ("{} * {}", operator.mul),
    "divide": ("{} / {}", operator.truediv),
    "share": ("{} / 100 * ({})", operator.mul),
    "more": ("({}) * (1 + {} / 100)", lambda one, other: one * (1 + other)),
    "less": ("({}) * (1 - {} / 100)", lambda one, other: one * (1 - other)),
}
"""A rule of the grammar -> how Python writes it, and what it comes to."""


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
