"""What a text names of a desk's: what a small model may write in the arguments of tools is held to it (`choices`)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from rapidfuzz.fuzz import partial_ratio

ALIKE = 80
"""How much a misspelt name is like the right one, at least: percent."""
_FIGURE = re.compile(r"(?<![\w.-])(\d+(?:,\d{3})*(?:\.\d+)?)\s?(k|thousand|million)?\b")
_UNITS = {"": 1, "k": 1000, "thousand": 1000, "million": 1_000_000}


def alike(names: Iterable[str], text: str) -> list[str]:
    """The names that stand in a text, also misspelt."""
    low = text.lower()
    return [name for name in names if partial_ratio(name.lower(), low, score_cutoff=ALIKE)]


def sums(*said: str) -> list[float]:
    """The figures of a text, also in thousands, as they are named where prices are meant: 260k, "up to 260"."""
    found: dict[float, None] = {}
    for figure, unit in _FIGURE.findall(" ".join(said).lower()):
        number = float(figure.replace(",", "")) * _UNITS[unit]
        found |= dict.fromkeys([number, number * 1000] if 10 <= number < 1000 else [number])
    return [int(number) if number.is_integer() else number for number in found]
