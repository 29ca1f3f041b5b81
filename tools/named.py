"""What a text names of a desk's: what a small model may write in the arguments of tools is held to it (`choices`)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches

ALIKE = 0.8
"""How much a misspelt name is like the right one, at least: 0 to 1."""
_FIGURE = re.compile(r"(?<![\w.-])(\d+(?:,\d{3}|[ .]000\b)*(?:\.\d+)?)\s?(k|thousand|million)?(?:\b|(?=m))")
_UNITS = {"": 1, "k": 1000, "thousand": 1000, "million": 1_000_000}


def alike(names: Iterable[str], text: str) -> list[str]:
    """The names that stand in a text, also misspelt."""
    words = re.findall(r"\w+", text.lower())
    found = []
    for name in names:
        length = len(name.split())
        spans = {" ".join(words[at : at + length]) for at in range(len(words))}
        if get_close_matches(name.lower(), spans, 1, ALIKE):
            found.append(name)
    return found


def sums(*said: str) -> list[float]:
    """The figures of a text, also in thousands, as they are named where prices are meant: 260k, "up to 260"."""
    found: dict[float, None] = {}
    for figure, unit in _FIGURE.findall(" ".join(said).lower()):
        number = float(re.sub(r"[, ]|\.(?=000)", "", figure)) * _UNITS[unit]
        found |= dict.fromkeys([number, number * 1000] if 10 <= number < 1000 else [number])
    return [int(number) if number.is_integer() else number for number in found]
