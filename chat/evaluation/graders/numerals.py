"""Numbers in a text, also in words: `twenty-three` is 23, `two hundred and five` 205, `1.5 million` 1500000."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

from text_to_num import alpha2digit

_FACTORS = {"hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9, "dozen": 12}
_SCALES = "|".join(_FACTORS)
_SCALED = re.compile(rf"(?<![\w.])(\d+(?:\.\d+)?)[ -]?({_SCALES})\b")


def digits(text: str) -> str:
    """`text` (lower case) with its spelled-out numbers as digits."""
    text = re.sub(r"-(?=(?:bed|bath)?room|min|year)", " ", text)
    text = _scaled(re.sub(rf"\ba ({_SCALES})\b", r"one \1", text))
    return _scaled(alpha2digit(text, "en", 0))


def _scaled(text: str) -> str:
    return _SCALED.sub(lambda m: f"{(Decimal(m[1]) * _FACTORS[m[2]]).normalize():f}", text)


def numbers(text: str) -> Iterator[float]:
    """1,250.50 and 84k, numbers as words, and which floor; other ordinals only count things."""
    for found in re.finditer(r"(\d[\d,]*(?:\.\d+)?)(?!\d|(?:st|nd|rd|th)\b(?! floor))(\s?k\b)?", digits(text.lower())):
        yield float(found[1].replace(",", "")) * (1000 if found[2] else 1)
