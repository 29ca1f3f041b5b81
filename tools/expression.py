"""A turn that is one plain expression, as the program that works it out: `387*46`, `12 km in miles`, `15% of 80`.

The grammar (expression.lark) reads the whole turn or nothing. What could as well be a date, a score, a range or a
number to be called is not taken: a person who gets a difference for `2-3` was misunderstood, one who waits was not.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tools.convert import convert, note
from tools.desk import ToolFault

if TYPE_CHECKING:
    from lark import Lark, Tree

LONGEST = 120
"""Characters of a turn that is looked at."""
POWERS = 4_000
"""Digits of the largest power that is worked out."""
LARGE = 100
"""A difference that begins with less is as likely a range, a score or hours."""
LANGUAGES = ["en", "de", "fr", "es", "it"]
"""Of months."""
_SIGNS = str.maketrans({"×": "*", "⋅": "*", "·": "*", "÷": "/", "∕": "/", "−": "-", "√": "sqrt", "π": "pi",
                        "²": "^2", "³": "^3", "→": "->", "\u00a0": " ", "\u202f": " ", "’": "'", "″": '"'})  # fmt: skip
_POINT = re.compile(r"(?:[1-9]\d{0,2}(?:,\d{3})+|0|[1-9]\d*)?(?:\.\d+)?")
_COMMA = re.compile(r"(?:[1-9]\d{0,2}(?:\.\d{3})+|0|[1-9]\d*)?(?:,\d+)?")
"""Numbers as they are written in English, and elsewhere."""


class _NotMeant(Exception):
    """The turn is no expression, or cannot be told from something else."""


def program(said: str, today: date) -> str | None:
    """The program that a turn stands for; None where the whole of it is not an expression."""
    if len(said) > LONGEST or not any(sign.isdecimal() for sign in said):
        return None
    echo = " ".join(said.translate({0xA0: " ", 0x202F: " "}).split())
    echo = echo.rstrip("?.").rstrip()
    marked = echo.endswith("=") or echo.startswith("=") or any(sign in said for sign in "×÷−√")
    echo = echo.strip("= ")
    text = echo.translate(_SIGNS).replace("**", "^")
    found = [made for tree in _trees(text) if (made := _made(tree, _Asked(echo, text, marked, today)))]
    return found[0] if len(set(found)) == 1 else None


@dataclass(frozen=True)
class _Asked:
    """A turn: as it is told again, as it is parsed, whether a sign says that it is a sum, and the day."""

    echo: str
    text: str
    marked: bool
    today: date


def _trees(text: str) -> Sequence[Tree[Any]]:
    """All readings."""
    from lark.exceptions import LarkError
    from lark.visitors import CollapseAmbiguities

    try:
        return list(CollapseAmbiguities().transform(_parser().parse(text)))
    except LarkError:
        return []


@cache
def _parser() -> Lark:
    from lark import Lark

    grammar = Path(__file__).with_suffix(".lark").read_text(encoding="utf-8")
    return Lark(grammar, parser="earley", ambiguity="explicit")


def _made(tree: Tree[Any], asked: _Asked) -> str | None:
    [form] = tree.children
    form = form if hasattr(form, "data") else tree
    make = {"conversion": _conversion, "until": _until, "since": _since, "between": _between, "shifted": _shifted}
    try:
        return make.get(form.data, _sum)(form, asked)
    except (_NotMeant, ToolFault, ArithmeticError, ValueError):
        return None


# -- sums


def _sum(tree: Tree[Any], asked: _Asked) -> str:
    numbers = _numbers(tree)
    value = _value(tree, numbers)
    if not _is_sum(tree, asked, value, list(numbers.values())):
        raise _NotMeant
    source = _source(tree, numbers)
    whole = isinstance(value, Fraction) and value.denominator == 1 and "/" not in source and "." not in source
    shape = "" if whole else ":.10g" if abs(value) < 10**9 else ":.15g"
    exact = whole or (isinstance(value, Fraction) and Fraction(format(float(value), shape[1:])) == value)
    return _printed(f"result = {source}", f"{asked.echo} {'=' if exact else '≈'} {{result{shape}}}")


def _numbers(tree: Tree[Any]) -> dict[str, str]:
    """Each number as it is written -> as Python writes it. In one turn all are written in one way."""
    written = [str(token) for token in _tokens(tree, "NUMBER")]
    ways = [(".", ",", _POINT), (",", ".", _COMMA)]
    fitting = [(point, group) for point, group, way in ways if all(way.fullmatch(number) for number in written)]
    if len(fitting) > 1 and not all(number.isdecimal() for number in written):
        fitting = []  # 1,234 and 1.234 are more than a thousand here and little more than one there
    if not fitting:
        raise _NotMeant
    point, group = fitting[0]
    return {number: number.replace(group, "").replace(point, ".") for number in written}


def _tokens(tree: Tree[Any], *kinds: str) -> list[Any]:
    return list(tree.scan_values(lambda token: token.type in kinds))


def _value(tree: Any, numbers: dict[str, str]) -> Fraction | float:
    """Exact where it can be. Raises _NotMeant, ArithmeticError, ValueError."""
    inner = [_value(child, numbers) for child in tree.children if hasattr(child, "data")]
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


def _root(value: Fraction | float) -> Fraction | float:
    found = math.sqrt(value)
    return Fraction(found) if Fraction(found) ** 2 == value else found


def _power(base: Fraction | float, exponent: Fraction | float) -> Fraction | float:
    if base and abs(exponent) * abs(math.log10(abs(base))) > POWERS:
        raise _NotMeant
    found = base**exponent
    if isinstance(found, complex):
        raise _NotMeant
    return found


def _source(tree: Any, numbers: dict[str, str]) -> str:
    """As Python writes it."""
    inner = [_source(child, numbers) for child in tree.children if hasattr(child, "data")]
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


def _is_sum(tree: Tree[Any], asked: _Asked, value: Fraction | float, numbers: list[str]) -> bool:
    """Whether it can be nothing else: `24/7`, `9/11`, `2-3`, `2026-11-23` and `555-1234` can."""
    signs = _tokens(tree, "PLUS", "MINUS", "TIMES", "SLASH", "POWER", "ROOT")
    kinds = {token.type for token in signs}
    grouped = any(_tokens(group, "PLUS", "MINUS", "TIMES", "SLASH") for group in tree.find_data("group"))
    if not signs:
        return tree.data == "share"
    if asked.marked or grouped or kinds - {"MINUS", "SLASH"} or tree.data == "share" or list(tree.find_data("pi")):
        return True
    spaced = all(asked.text[token.start_pos - 1 : token.start_pos + 2] == " - " for token in signs if token == "-")
    return spaced and value > ("SLASH" in kinds) and not _like_a_day(kinds, numbers) and _large(kinds, numbers)


def _large(kinds: set[str], numbers: list[str]) -> bool:
    """Beyond days, hours, scores and blood pressures, or an amount such as 7.35 beside a whole number."""
    points = ["." in number for number in numbers]
    least = 2.5 * LARGE if "SLASH" in kinds else LARGE
    return float(numbers[0]) >= least or (any(points) and not all(points))


def _like_a_day(kinds: set[str], numbers: list[str]) -> bool:
    """It begins with a year: `2026 - 11 - 23`, `2024/25`; `2026 - 1987` is an age."""
    return 1900 <= float(numbers[0]) <= 2100 and ("SLASH" in kinds or float(numbers[1]) <= 31)


# -- units


def _conversion(tree: Tree[Any], asked: _Asked) -> str:
    *amounts, unit = tree.children
    numbers, to = _numbers(tree), _unit(unit)
    given = [(_signed(amount, numbers), _unit(amount.children[-1])) for amount in amounts]
    values = [convert(float(number), of, to) for number, of in given]
    if len(given) > 1 and any(convert(0, of, to) for _, of in given):
        raise _NotMeant  # degrees do not add up
    source = " + ".join(f"convert({number}, {of!r}, {to!r})" for number, of in given)
    told = " ".join(f"{number} {of}" for number, of in given)
    exact = float(f"{sum(values):.7g}") == float(f"{sum(values):.12g}")
    end = "".join(dict.fromkeys(note(of, to) for _, of in given))
    return _printed(f"result = {source}", f"{told} {'=' if exact else '≈'} {{result:.7g}} {to}{end}")


def _unit(tree: Any) -> str:
    return " ".join(map(str, tree.children))


def _signed(amount: Any, numbers: dict[str, str]) -> str:
    return "".join(numbers[token] if token.type == "NUMBER" else "-" for token in amount.children[:-1])


# -- days


def _until(tree: Tree[Any], asked: _Asked) -> str:
    span, day = tree.children
    last = _day(day, asked.today, ahead=True)
    return _counted(str(span), "today()", _code(last), (last - asked.today).days, asked)


def _since(tree: Tree[Any], asked: _Asked) -> str:
    span, day = tree.children
    first = _day(day, asked.today, ahead=False)
    return _counted(str(span), _code(first), "today()", (asked.today - first).days, asked)


def _between(tree: Tree[Any], asked: _Asked) -> str:
    span, *days = tree.children
    first, last = (_day(day, asked.today) for day in days)
    codes = ["today()" if day.data == "today" else _code(on) for day, on in zip(days, (first, last), strict=True)]
    return _counted(str(span), *codes, (last - first).days, asked)


def _counted(span: str, first: str, last: str, days: int, asked: _Asked) -> str:
    if days < 0:
        raise _NotMeant  # something else was meant by that day
    weeks = span[0].lower() in "ws"
    shown = "{days / 7:.4g}" if weeks else "{days}"
    lines = f"first, last = {first}, {last}\ndays = days_between(first, last)"
    return _printed(lines, f"{asked.echo}: {shown} ({{first}} → {{last}})")


def _shifted(tree: Tree[Any], asked: _Asked) -> str:
    day, sign, count, length = tree.children
    start = "today()" if day.data == "today" else _code(_day(day, asked.today))
    number = int(f"{sign}{count}")
    unit = length.lower().removesuffix("s")
    if unit in ("day", "week"):
        lines = f"day = {start} + timedelta(days={number * (7 if unit == 'week' else 1)})"
    else:
        lines = f"day = add_months({start}, {number * (12 if unit == 'year' else 1)})"
    return _printed(lines, f"{asked.echo} = {{day}} ({{weekday(day)}})")


def _day(tree: Any, today: date, *, ahead: bool | None = None) -> date:
    """ahead: where no year is named, the coming day or the last one is meant. Raises _NotMeant."""
    if tree.data == "today":
        return today
    import dateparser

    for parts in (["day", "month", "year"], ["day", "month"]):
        settings = {"REQUIRE_PARTS": parts, "PARSERS": ["absolute-time"], "DATE_ORDER": "DMY",
                    "RELATIVE_BASE": datetime(today.year, 1, 1)}  # fmt: skip
        written = str(tree.children[0])
        iso = {**settings, "DATE_ORDER": "YMD"} if written[:4].isdecimal() else settings
        if found := dateparser.parse(written, languages=LANGUAGES, settings=iso):
            return found.date() if "year" in parts else _nearest(found.date(), today, ahead)
    raise _NotMeant


def _nearest(day: date, today: date, ahead: bool | None) -> date:
    if ahead is None:
        raise _NotMeant
    years = range(today.year, today.year + 9) if ahead else range(today.year, today.year - 9, -1)
    return next(on for on in _in(day, years) if (on >= today if ahead else on <= today))


def _in(day: date, years: range) -> Iterator[date]:
    for year in years:
        try:
            yield day.replace(year=year)
        except ValueError:  # 29 February
            continue


def _code(day: date) -> str:
    return f"date({day.year}, {day.month}, {day.day})"


def _printed(lines: str, told: str) -> str:
    return f"{lines}\nprint(f{told!r})"
