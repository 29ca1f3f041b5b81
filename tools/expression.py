"""A turn that is one plain expression, as the program that works it out: `387*46`, `12 km in miles`, `15% of 80`.

The grammar (expression.lark) reads the whole turn or nothing. What could as well be a date, a score, a range or a
number to be called is not taken: a person who gets a difference for `2-3` was misunderstood, one who waits was not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from functools import cache
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tools.convert import convert, note
from tools.desk import ToolFault
from tools.sandbox.dates import named_day
from tools.sums import NotMeant, is_meant, numbers_of, worked_out

if TYPE_CHECKING:
    from lark import Lark, Tree

GRAMMAR = Path(__file__).with_suffix(".lark")
LONGEST = 120
"""Characters of a turn that is looked at."""
SIGNS = str.maketrans({"×": "*", "⋅": "*", "·": "*", "÷": "/", "∕": "/", "−": "-", "√": "sqrt", "π": "pi",
                        "²": "^2", "³": "^3", "→": "->", "\u00a0": " ", "\u202f": " ", "’": "'", "″": '"'})  # fmt: skip


def program(said: str, today: date) -> str | None:
    """The program that a turn stands for; None where the whole of it is not an expression."""
    if len(said) > LONGEST or not any(sign.isdecimal() for sign in said):
        return None
    echo = " ".join(said.translate({0xA0: " ", 0x202F: " "}).split())
    echo = echo.rstrip("?.").rstrip()
    marked = echo.endswith("=") or echo.startswith("=") or any(sign in said for sign in "×÷−√")
    echo = echo.strip("= ")
    text = echo.translate(SIGNS).replace("**", "^")
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

    return Lark(GRAMMAR.read_text(encoding="utf-8"), parser="earley", ambiguity="explicit")


def _made(tree: Tree[Any], asked: _Asked) -> str | None:
    [form] = tree.children
    form = form if hasattr(form, "data") else tree
    make = {"conversion": _conversion, "shifted": _shifted, **dict.fromkeys(("until", "since", "between"), _counted)}
    try:
        return make.get(form.data, _sum)(form, asked)
    except (NotMeant, ToolFault, ArithmeticError, ValueError):
        return None


# -- sums


def _sum(tree: Tree[Any], asked: _Asked) -> str:
    numbers = numbers_of(tree)
    source, value = worked_out(tree, numbers)
    if not is_meant(tree, asked.text, asked.marked, value, list(numbers.values())):
        raise NotMeant
    whole = isinstance(value, Fraction) and value.denominator == 1 and "/" not in source and "." not in source
    shapes = (":.10g", ":.12g") if abs(value) < 10**9 else (":.15g",)  # with 12, cents of millions
    told = isinstance(value, Fraction)
    fitting = [each for each in shapes if told and Fraction(format(float(value), each[1:])) == value]
    shape, exact = "" if whole else [*fitting, *shapes][0], whole or bool(fitting)
    if fitting and "-" in source:  # what a difference of floats leaves is no figure of it
        places = next(places for places in count() if (value * 10**places).denominator == 1)
        source = f"round({source}{f', {places}' * bool(places)})"
    return _printed(f"result = {source}", f"{asked.echo} {'=' if exact else '≈'} {{result{shape}}}")


# -- units


def _conversion(tree: Tree[Any], asked: _Asked) -> str:
    *amounts, unit = tree.children
    numbers, to = numbers_of(tree), _unit(unit)
    given = [(_signed(amount, numbers), _unit(amount.children[-1])) for amount in amounts]
    values = [convert(float(number), of, to) for number, of in given]
    if len(given) > 1 and any(convert(0, of, to) for _, of in given):
        raise NotMeant  # degrees do not add up
    source = " + ".join(f"convert({number}, {of!r}, {to!r})" for number, of in given)
    told = " ".join(f"{number} {of}" for number, of in given)
    exact = float(f"{sum(values):.7g}") == float(f"{sum(values):.12g}")
    shape = ".0f" if exact and 10**7 <= abs(sum(values)) < 10**15 else ".7g"
    end = "".join(dict.fromkeys(note(of, to) for _, of in given))
    return _printed(f"result = {source}", f"{told} {'=' if exact else '≈'} {{result:{shape}}} {to}{end}")


def _unit(tree: Any) -> str:
    return " ".join(map(str, tree.children))


def _signed(amount: Any, numbers: dict[str, str]) -> str:
    return "".join(numbers[token] if token.type == "NUMBER" else "-" for token in amount.children[:-1])


# -- days


def _counted(tree: Tree[Any], asked: _Asked) -> str:
    span, *named = tree.children
    ahead, today = {"until": True, "since": False}.get(tree.data), (asked.today, "today()")
    days = [_day(day, asked.today, ahead=ahead) for day in named]
    (first, start), (last, end) = {"until": [today, *days], "since": [*days, today]}.get(tree.data, days)
    if last < first:
        raise NotMeant  # something else was meant by that day
    shown = "{days / 7:.4g}" if str(span)[0].lower() in "ws" else "{days}"
    lines = f"first, last = {start}, {end}\ndays = days_between(first, last)"
    return _printed(lines, f"{asked.echo}: {shown} ({{first}} → {{last}})")


def _shifted(tree: Tree[Any], asked: _Asked) -> str:
    day, sign, count, length = tree.children
    (_, start), number = _day(day, asked.today), int(f"{sign}{count}")
    unit = str(length).lower().removesuffix("s")
    if unit in ("day", "week"):
        lines = f"day = {start} + timedelta(days={number * (7 if unit == 'week' else 1)})"
    else:
        lines = f"day = add_months({start}, {number * (12 if unit == 'year' else 1)})"
    return _printed(lines, f"{asked.echo} = {{day}} ({{weekday(day)}})")


def _day(tree: Any, today: date, *, ahead: bool | None = None) -> tuple[date, str]:
    """The day, and how a program writes it. ahead: where no year is named, the coming day or the last one is meant.

    Raises NotMeant.
    """
    if tree.data == "today":
        return today, "today()"
    try:
        day = named_day(str(tree.children[0]), lambda: today, ahead=ahead)
    except ValueError:
        raise NotMeant from None
    return day, f"date({day.year}, {day.month}, {day.day})"


def _printed(lines: str, told: str) -> str:
    return f"{lines}\nprint(f{told!r})"
