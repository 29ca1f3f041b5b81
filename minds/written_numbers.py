"""Numbers as people of different countries write them, turned into what a program reads: 1.386,50 is 1386.50 where a
comma parts whole and decimals. What may be meant otherwise stays as it is written, and so does code.
"""

from __future__ import annotations

import re
from functools import cache

from babel import Locale

from minds.grounds import BLANKS, CODE, parts
from minds.languages import certainly, comma

SIGNS = "€$£"
_THOUSANDS = re.compile(rf"(?<![\w.,])[1-9]\d{{0,2}}(?:(?:\.\d{{3}})+|(?:[{BLANKS}]\d{{3}})+(?=,\d))(?!\.?\d|,\d{{3}})")
_DECIMALS = re.compile(r"(?<![\w.,])(\d+),(\d{1,2}|\d{4,})(?![\d,]|\.\d)")
_POINT = re.compile(r"(?<![\w.,])(?:0\.\d+|\d+\.(?:\d{1,2}|\d{4,})|[\d,]*\d,\d{3}(?:\.\d+)?)(?![\d,]|\.)")
_PRICE = re.compile(
    rf"[{SIGNS}]?\s?(?<![\w.,])(?:\d+|[1-9]\d{{0,2}}(?:\.\d{{3}})+),\d\d(?!\d|[.,]\d)\s?([{SIGNS}]|[^\W\d]{{2,}})?"
)


def plainly(text: str, before: str = "") -> str:
    """A text with its numbers as a program writes them.

    before: what the same person said, which tells their language where the text is too short for that. In a language
    with a decimal point a price with a comma (46,50 pesos) shows that 1.386 is no fraction. Nothing is changed where
    another number has a decimal point, as 0.75 and 1,386 have.
    """
    way = comma(text if certainly(text) or not before else before)
    prose = CODE.sub(" ", text)
    if any(not parts(found[0]) for found in _POINT.finditer(prose)) or not (way or _priced(prose)):
        return text
    done, at = "", 0
    for code in CODE.finditer(text):
        done, at = done + _changed(text[at : code.start()], way) + code[0], code.end()
    return done + _changed(text[at:], way)


def _changed(text: str, way: bool) -> str:
    text = _THOUSANDS.sub(lambda found: found[0] if _address(found[0]) else re.sub(r"\D", "", found[0]), text)
    return _DECIMALS.sub(_pointed, text) if way else text


def _pointed(found: re.Match[str]) -> str:
    """A pair in brackets is two numbers."""
    around = found.string[max(found.start() - 1, 0) : found.start()] + found.string[found.end() : found.end() + 1]
    return found[0] if around in ("()", "[]") else f"{found[1]}.{found[2]}"


def _address(written: str) -> bool:
    """Of a computer: 192.168.100.200."""
    groups = written.split(".")
    return len(groups) == 4 and all(int(group) < 256 for group in groups)


def _priced(text: str) -> bool:
    """Whether an amount of money has a decimal comma."""
    named = ((price[0].strip(), price[1] or "") for price in _PRICE.finditer(text))
    return any(price[0] in SIGNS or bool({name, name.casefold()} & _money()) for price, name in named)


@cache
def _money() -> frozenset[str]:
    """What currencies are called in English, without their countries: peso, pesos, UYU. `all` is no ALL."""
    named = {code: name.split()[-1].casefold() for code, name in Locale("en").currencies.items()}
    return frozenset({*SIGNS, *named, *named.values(), *(f"{name}s" for name in named.values())})
