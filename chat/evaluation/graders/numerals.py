"""Numbers in words become digits: `twenty-three` is 23, `two hundred and five` 205, `1.5 million` 1500000."""

from __future__ import annotations

import re
from decimal import Decimal

_UNITS = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13,
    "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17,
    "eighteen": 18, "nineteen": 19,
}  # fmt: skip
_TENS = {
    "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70,
    "eighty": 80, "ninety": 90,
}  # fmt: skip
_SCALES = {"hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_WORD = "(?:" + "|".join([*_UNITS, *_TENS, *_SCALES]) + r")\b"
_BETWEEN = r"(?:[ -]|(?<=hundred) and |(?<=thousand) and |(?<=million) and )"
_RUN = re.compile(rf"\b{_WORD}(?:{_BETWEEN}{_WORD})*")
_SCALED = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)[ -]?(hundred|thousand|million|billion|trillion|dozen)\b")
_FACTORS = {**_SCALES, "dozen": 12}


def digits(text: str) -> str:
    """`text` (lower case) with its spelled-out cardinal numbers as digits."""
    text = re.sub(r"\b(?:a|one) (hundred|thousand|million|billion|trillion|dozen)\b", r"one \1", text)
    text = _RUN.sub(lambda found: " ".join(map(str, _numbers(found[0]))), _scaled(text))
    text = re.sub(r"\b(\d+) point ((?:\d ?)+)(?!\w)", lambda m: f"{m[1]}.{m[2].replace(' ', '')} ", text)
    return _scaled(text).strip()


def _scaled(text: str) -> str:
    return _SCALED.sub(lambda m: f"{(Decimal(m[1]) * _FACTORS[m[2]]).normalize():f}", text)


def _numbers(words: str) -> list[int]:
    """One number, or several where the words do not join into one (`five ten`)."""
    done: list[int] = []
    total, current, scale, begun = 0, 0, 10**15, False
    for word in re.split(r"[ -]+", words):
        if word == "and":
            continue
        if word == "hundred":
            current = (current or 1) * 100
        elif word in _SCALES and _SCALES[word] < scale:
            scale = _SCALES[word]
            total, current = total + (current or 1) * scale, 0
        else:
            value = _UNITS.get(word, _TENS.get(word, _SCALES.get(word, 0)))
            if begun and not _joins(value, current, total):
                done.append(total + current)
                total, current, scale = 0, 0, 10**15
            current += value
        begun = True
    return [*done, total + current]


def _joins(value: int, current: int, total: int) -> bool:
    """Whether `value` goes on the number begun: `five` after `twenty`, `thirty` after `hundred`."""
    if not value or value >= 100 or not (current or total):
        return False
    last = current % 100
    return last == 0 or (value < 10 and last >= 20 and last % 10 == 0)
