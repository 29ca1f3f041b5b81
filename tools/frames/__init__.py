# ruff: noqa: E501  (one pattern a line reads better than folded ones)
"""Everyday sums read by what is asked for: change, a share, what is left, a percentage, how many more, an area.

What a question asks for fixes the outer sum, whatever the story around it: `change` is what was handed over less the
bill, a `share` the bill over the people. Each frame knows one such question; it speaks only where every figure of the
text has its place in the sum, and where no word stands that the frame does not know to change one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

from tools.arithmetic import evaluate
from tools.desk import ToolFault
from tools.frames.bills import money
from tools.frames.measured import groups, held, over_time, pace, repeated, shape
from tools.frames.parts import fraction, part_of, per_one, percentage, proportion, shared_things
from tools.frames.stocks import compared, profit, saving, stock
from tools.frames.text import Reading, Text, in_plain

_DATED = re.compile(
    r"\b(?:january|february|march|april|june|july|august|september|october|november|december|jan|feb|aug|sept?|oct|nov|dec)\b"
    r"|\d:\d\d|\b(?:what date|which date|weekday|what day)\b"
)


_CONVERTS = re.compile(
    r"\bhow (?:many|much) (?:square |cubic |us )?[a-z]+ (?:is|are) (?:it|that|this|\d)|\bconvert\b"
    r"|\bhow many (?:square |cubic |us )?(?:met|feet|foot|inch|pound|gram|kilo|lit|ounce|gallon|yard|mile|cm|mm|km|acre|hectare)\w* (?:is|are|in)\b"
)
"""Dates and conversions are for other tools."""


_UNSURE = re.compile(
    r"\b(?:or|derivative|integral|equation|riddle|instead of|which (?:is|one|of))\b|\b[xyz]\b(?! ?\d)|\^|\bworst case\b"
)
"""Two things are weighed against each other, or it is mathematics of another kind."""
_ELSE = re.compile(r"\band an? (?!half)[a-z]+\b|\b(?:before|original|originally|net|at first)\b|\bnormal\b")
"""In the asking clause: more than the figures tell, or the sum turned round."""


def read_frame(said: str) -> Reading | None:
    """The sum that `said` asks for, where one frame can place all its figures."""
    text = in_plain(said)
    if not text or not text.figures or _DATED.search(text.all) or _UNSURE.search(text.all):
        return None
    if len(text.figures) == 1 and _CONVERTS.search(text.all):
        return None
    if _ELSE.search(text.asked) and not re.search(r"\d ?%", text.asked):
        return None
    if re.match(r"how much (?:tax|vat|interest)\b", text.asked) and "%" not in text.all:
        return None
    for frame in _FRAMES:
        found = frame(text)
        if found and _places_all(found.sum, text.figures) and _sound(found.sum):
            return found
    return None


def _places_all(expression: str, figures: list[str]) -> bool:
    have = Counter(re.findall(r"\d+(?:\.\d+)?", expression))
    return not Counter(figures) - have


def _sound(expression: str) -> bool:
    """Nobody asks in a story for less than nothing."""
    try:
        return evaluate(expression) >= 0
    except ToolFault:
        return False


_FRAMES: tuple[Callable[[Text], Reading | None], ...] = (
    percentage, part_of, over_time, per_one, profit, saving, shape, pace, compared, groups, shared_things, proportion, fraction,
    held, stock, repeated, money,
)  # fmt: skip
