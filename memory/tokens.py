"""Cuts a question into tokens and holds what is known of English words (words.toml).

A token's first character says what it is: `#387` number, `~km` unit, `@times` operation, `"` a quoted text,
else a word.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from pathlib import Path


@dataclass(frozen=True)
class Words:
    """memory/words.toml, turned around: spelling to canonical word."""

    light: frozenset[str]
    figuring: frozenset[str]
    same: dict[str, str]
    units: dict[str, str]
    short: dict[str, str]
    spelt: dict[str, str]


@lru_cache(maxsize=1)
def words() -> Words:
    """The lists, read on first use."""
    with Path(__file__).with_name("words.toml").open("rb") as file:
        lists = tomllib.load(file)

    def turned(table: dict[str, str], itself: bool = True) -> dict[str, str]:
        pairs = {spelling: name for name, spellings in table.items() for spelling in spellings.split()}
        return pairs | ({name: name for name in table} if itself else {})

    return Words(
        light=frozenset(lists["light"].split()),
        figuring=frozenset(lists["figuring"].split()),
        same=turned(lists["same"]),
        units=turned(lists["units"]),
        short=turned(lists["short"], itself=False),
        spelt=turned(lists["spelt"], itself=False),
    )


_TOKEN = re.compile(
    r"(?P<address>https?://\S+|[\w.+-]+@[\w-]+\.[\w.]+)"
    r"|(?P<iso>\d{4}-\d{2}-\d{2}\b)"
    r"|(?P<time>\b\d{1,2}(?::\d{2})\s?(?:[ap]\.?m\b\.?)?|\b\d{1,2}\s?[ap]\.?m\b\.?)"
    r"|(?P<nth>\d+(?:st|nd|rd|th)\b)"
    r"|(?P<number>\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\d])|\d+(?:\.\d+)?|\.\d+)"
    r"|(?P<word>[^\W\d_]+(?:[\w]*\d\w*(?:-\w+)*|-\w*\d[\w-]*)|[^\W\d_]+(?:'(?!s\b)[^\W\d_]+)?)"
    r"|(?P<possessive>'s?(?!\w))"
    r"|(?P<sign>\*\*|[-+*/^%=()!√$€£¥°<>,\"&#|~@])"
)
_SIGNS = {
    "*": "@times", "/": "@over", "+": "@plus", "**": "@power", "^": "@power", "=": "@equals", "√": "@sqrt",
    "!": "@bang", "<": "@less", ">": "@more", "&": "and", "|": "@or", "(": "(", ")": ")", ",": ",", '"': '"',
    "-": "@minus", "#": "@hash", "~": "@tilde", "@": "@at",
}  # fmt: skip


def scan(text: str, names: set[str]) -> list[str]:
    found: list[str] = []
    for match in _TOKEN.finditer(text):
        kind, token = match.lastgroup, match[0]
        before, after = text[match.start() - 1 : match.start()], text[match.end() : match.end() + 1]
        if kind == "number":
            found.append("#" + str(Fraction(token.replace(",", ""))))
        elif kind == "nth":
            found.append("#" + token[:-2] + "th")
        elif kind == "iso":
            found.append("#d:" + token)
        elif kind == "time":
            found.append("#t:" + _clock(token))
        elif kind == "address":
            found.append(token.lower().rstrip(".,?!"))
        elif kind == "word":
            last = not re.search(r"[^\W_]", re.sub(r"^\s*/\s*\w+", "", text[match.end() :]))
            found.append(_word(token, found, names, glued=before.isdigit(), last=last))
        elif kind == "possessive":
            found.append("'s")
        elif kind == "sign":
            found.extend(_sign(token, before, after, found))
    return found


def _clock(text: str) -> str:
    digits = re.findall(r"\d+", text)
    half = re.search(r"([ap])\.?m", text.lower())
    hour, minute = int(digits[0]), int(digits[1]) if len(digits) > 1 else 0
    if half:
        hour = hour % 12 + (12 if half[1] == "p" else 0)
    return f"{hour:02}:{minute:02}" + ("" if half or hour > 12 else "?")


def _word(token: str, found: list[str], names: set[str], glued: bool, last: bool) -> str:
    """A unit where one may stand, else the word in lower case."""
    lower, known = token.lower(), words()
    counted = bool(found) and found[-1].startswith("#")
    if glued and lower == "x":
        return "@times"
    if len(token) == 2 and token[1] in "bBwW" and lower[0] in "kmgtp":
        return "~" + token  # Mb is no MB
    target = bool(found) and (found[-1] in ("@over", "~degree") or (last and found[-1] in ("to", "into", "in", "as")))
    if lower in known.short and (counted or target):
        return "~" + known.short[lower]
    if lower in known.units and not (lower in names and not counted and lower in ("bar", "stone", "newton")):
        return "~" + known.units[lower]
    return lower


def _sign(sign: str, before: str, after: str, found: list[str]) -> list[str]:
    known = words()
    if sign in known.units:
        return ["~" + known.units[sign]]
    if sign == "-" and before.isalnum() and after.isalnum() and not (before.isdigit() and after.isdigit()):
        return []  # twenty-five, well-known
    if sign == "!" and not before.isdigit():
        return []
    if sign == "/" and not (found and found[-1][0] in "#)~"):
        return ["or"]
    return [_SIGNS[sign]]
