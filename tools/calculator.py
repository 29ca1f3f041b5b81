"""The sum that a text ends with, and what it comes to: a model that works in words writes the sum, and no figure of its
own behind the "=".

    "The pens cost 6 * 1.20" -> "7.20"

Whatever might be the end of a longer sum, or a number that is written in two ways, comes to nothing: the model then
calculates itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any

from tools.expression import GRAMMAR, SIGNS
from tools.sums import NotMeant, numbers_of, way_of, worked_out

if TYPE_CHECKING:
    from lark import Lark, Tree

PLACES, FINE, SMALLEST = 2, 6, Fraction(1, 100)
"""Digits behind the point: of amounts, and of what has more than those. A smaller one would lose too much by that."""
LONGEST = 200
"""Characters of a sum that is worked out."""
_SIGNS, _FIRST = "0123456789.,()+-*/^%$€£¥ ", frozenset("0123456789(-$€£¥")
"""Of a sum, and of its beginning."""
_OPEN = frozenset("0123456789+-*/^%(,")
"""Behind these no sum begins."""
_MONEY = re.compile(r"[$€£¥] ?")
_AMOUNT = re.compile(r"\d[.,]\d\d(?!\d)")
_BULLET = re.compile(r"\A[-+*] ")
_SHARE = re.compile(r"(?:%|\d ?/ ?\d{1,9}) [^\W\d]{1,9}\Z")
"""Before "80 + 10" in "20% of 80 + 10"."""


def come_to(text: str) -> str | None:
    """What the sum at the end of a text comes to, written as its numbers are; None where it ends with none."""
    line = _BULLET.sub("", text.rpartition("\n")[2]).translate(SIGNS).replace(" x ", " * ").replace("**", "^").rstrip()
    for written in () if "\\" in line else _tails(line):  # LaTeX has other signs
        if tree := _tree(_MONEY.sub("", written)):
            try:
                english = "$" in written or "£" in written
                _, value = worked_out(tree, numbers_of(tree, english=english))
                return _written(Fraction(value), written, *way_of(tree, english=english))
            except (NotMeant, ArithmeticError, ValueError):
                return None
    return None


def _tails(line: str) -> Iterator[str]:
    """What the line may end with that is a whole sum, the longest first."""
    begins = len(line.rstrip(_SIGNS))
    if len(line) - begins > LONGEST:
        return
    for at in (begins, *(at + 1 for at in range(begins, len(line)) if line[at] == " ")):
        if line[at : at + 1] in _FIRST and line[at : at + 2] != "- " and not _goes_on(line[:at]):
            yield line[at:]


def _goes_on(before: str) -> bool:
    """Whether what stands there belongs to the same number or sum, or to a clock."""
    known = before.rstrip()
    return known[-1:] in _OPEN or before[-1:].isalnum() or before[-1:] in ("_", ":") or bool(_SHARE.search(known))


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


def _written(value: Fraction, like: str, point: str, group: str) -> str:
    """With the sign of its currency, and as many places as amounts have; what two amounts share has no sign. Raises
    NotMeant."""
    if 0 < abs(value) < SMALLEST:
        raise NotMeant
    places = PLACES if round(value, PLACES) == value else FINE
    whole, rest = divmod(abs(round(value * 10**places)), 10**places)
    part = f"{rest:0{places}d}".rstrip("0")
    if part and (_AMOUNT.search(like) or _MONEY.search(like)):
        part = part.ljust(PLACES, "0")
    told = f"{whole:,}".replace(",", group) if re.search(rf"\d{re.escape(group)}\d{{3}}", like) else str(whole)
    sign = _MONEY.search(like)
    amount = sign and "/" not in like[: sign.start()] and not ("/" in like and len(_MONEY.findall(like)) > 1)
    return "-" * (value < 0) + (sign[0] if sign and amount else "") + told + point * bool(part) + part
