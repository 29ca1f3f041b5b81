"""The sum that a text ends with, and what it comes to: a model that works in words writes the sum, and no figure of its
own behind the "=".

    "The pens cost 6 * 1.20" -> "7.20"
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any

from tools.expression import GRAMMAR, SIGNS
from tools.sums import NotMeant, numbers_of, worked_out

if TYPE_CHECKING:
    from lark import Lark, Tree

PLACES, FINE = 2, 6
"""Digits behind the point: of amounts, and of what has more than those."""
LONGEST = 200
"""Characters of a sum that is worked out."""
_SIGNS, _FIRST = "0123456789.,()+-*/^%$€£¥ ", frozenset("0123456789(-$€£¥")
"""Of a sum, and of its beginning."""
_MONEY = re.compile(r"[$€£¥] ?")
_AMOUNT = re.compile(r"\d[.,]\d\d(?!\d)")
_THOUSANDS = re.compile(r"\d[.,]\d{3}(?!\d)")


def come_to(text: str) -> str | None:
    """What the sum at the end of a text comes to, written as its numbers are; None where it ends with none."""
    line = text.rpartition("\n")[2].translate(SIGNS).replace(" x ", " * ").replace("**", "^").rstrip()
    for written in _tails(line):
        if tree := _tree(_MONEY.sub("", written)):
            try:
                _, value = worked_out(tree, numbers_of(tree, english=True))
                return _written(Fraction(value), written)
            except (NotMeant, ArithmeticError, ValueError):
                return None
    return None


def _tails(line: str) -> Iterator[str]:
    """What the line may end with that is a sum, the longest first; a clock's minutes begin none."""
    begins = len(line.rstrip(_SIGNS))
    if len(line) - begins > LONGEST:
        return
    for at in (begins, *(at + 1 for at in range(begins, len(line)) if line[at] == " ")):
        if line[at : at + 1] in _FIRST and not (at and (line[at - 1].isalnum() or line[at - 1] in ":_")):
            yield line[at:]


def _tree(written: str) -> Tree[Any] | None:
    from lark.exceptions import LarkError

    try:
        tree = _parser().parse(written)
    except LarkError:
        return None
    return None if tree.data in ("number", "negative", "percent", "pi") else tree


@cache
def _parser() -> Lark:
    from lark import Lark

    return Lark(GRAMMAR.read_text(encoding="utf-8"), parser="earley", start="sum")


def _written(value: Fraction, like: str) -> str:
    """With the sign of its currency where it begins with one, and as many places as amounts have."""
    places = PLACES if round(value, PLACES) == value else FINE
    text = f"{float(round(value, places)):,.{places}f}".rstrip("0").rstrip(".")
    whole, _, part = text.partition(".")
    if part and len(part) < PLACES and (_AMOUNT.search(like) or _MONEY.match(like)):
        part = part.ljust(PLACES, "0")
    comma = "," in _THOUSANDS.sub("", like) and not ("." in like and like.rindex(".") > like.rindex(","))
    grouped = _THOUSANDS.search(like)
    whole = whole.replace(",", "" if not grouped else "." if comma else ",")
    sign = _MONEY.match(like)
    of_money = sign and not ("/" in like and len(_MONEY.findall(like)) > 1)
    return (sign[0] if sign and of_money else "") + whole + ("," if comma else ".") * bool(part) + part
