"""How far apart two colours are on the painters' wheel (red, yellow, blue and what lies between them).

General knowledge, from no world: the traditional wheel of every school paint box. Which colours to mix is learned.
"""

from __future__ import annotations

import re
from functools import lru_cache

WHEEL = ("red", "orange", "yellow", "green", "blue", "violet")
"""Sixty degrees apart; `violet` and `purple` are one."""
NAMES = {name: place * 2 for place, name in enumerate(WHEEL)} | {"purple": 10}
COLOUR = re.compile(rf"\b({'|'.join(NAMES)})(?:-({'|'.join(NAMES)}))?\b")


@lru_cache(maxsize=4096)
def place(text: str) -> int:
    """The place (0 to 11) of the first colour named in a text, `yellow-green` half way between; -1 without one."""
    found = COLOUR.search(text.lower())
    if not found:
        return -1
    one = NAMES[found.group(1)]
    other = NAMES[found.group(2)] if found.group(2) else one
    return (one + ((other - one + 6) % 12 - 6) // 2) % 12


@lru_cache(maxsize=16384)
def apart(name: str, goal: str) -> int:
    """Steps of thirty degrees (0 to 6) between a thing's colour and the first colour of a goal; -1 without both."""
    here, there = place(name), place(goal)
    return -1 if here < 0 or there < 0 else min((here - there) % 12, (there - here) % 12)
