"""Names and numbers in a reply: homes, places and districts as they are written, and figures in one form."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from chat.evaluation.graders.numerals import digits
from tools.plain import one_line

_SIGNED = re.compile(r"\bh[-_ ]?(\d{1,4})\b", re.I)


def home_ids(text: str) -> list[str]:
    """`H-0421`, `h 421`, `home 0421`, each once, in order; a bare number counts with four digits and a leading 0."""
    found = [(m.start(), int(m[1])) for m in _SIGNED.finditer(text)]
    found += [(m.start(), int(m[1])) for m in re.finditer(r"\b(?:homes?|listings?|number)\s*#?(\d{1,4})\b", text, re.I)]
    found += [(m.start(), int(m[1])) for m in re.finditer(r"(?<![\d.,:+-])(?<!\d )(0\d{3})\b(?![ /-]?\d)", text)]
    return list(dict.fromkeys(f"H-{number:04d}" for _, number in sorted(found)))


def spans(text: str, names: Iterable[str]) -> list[tuple[int, int, str]]:
    """(start, end, name) for each name; a longer name wins over one inside it."""
    found: list[tuple[int, int, str]] = []
    low = text.lower()
    for name in sorted(names, key=len, reverse=True):
        for match in _loose(name).finditer(low):
            if all(match.end() <= start or match.start() >= end for start, end, _ in found):
                found.append((match.start(), match.end(), name))
    return sorted(found)


@cache
def _loose(name: str) -> re.Pattern[str]:
    """The name as a word, with or without what joins its parts."""
    parts = r"[\s-]?".join(map(re.escape, name.lower().split()))
    return re.compile(rf"\b{parts}\b")


_SIGNS = ((r"<=?", " at most "), (r">=?", " at least "), (r"[=:;\"'{}\[\]()?!]", " "), (r"_", " "))


_FIRST = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh")
_FLOORS = {name: number for number, name in enumerate(_FIRST, 1)}


def _floor(found: re.Match[str]) -> str:
    """`third floor` and `3rd floor` as `floor 3`."""
    number = _FLOORS.get(found[1]) or re.sub(r"(?<=\d)(?:st|nd|rd|th)$", "", found[1])
    return f"floor {number}" if str(number).isdigit() else found[0]


def plain(text: str) -> str:
    """Lower case, numbers in digits (`250k`, `1,200`, `two hundred thousand`), signs as words."""
    text = one_line(text).lower()
    text = re.sub(r"\bhalf a million\b", "500000", re.sub(r"\b(?:a )?quarter of a million\b", "250000", text))
    text = re.sub(r"\b(?:the )?(\w+) floor\b", _floor, text)
    text = re.sub(r"[€£$]\s?(?=\d)", "", re.sub(r"(?<=\d)\s?[€£$]", " euros", text))
    text = re.sub(r"\bh[-_ ]?(\d{1,4})\b", lambda m: f"h-{int(m[1]):04d}", text)
    text = re.sub(r"(?<=\d)[,.](?=\d{3}(?!\d))|(?<=\d) (?=000\b)", "", text)
    text = re.sub(r"(?<!\d)(\d+(?:\.\d+)?)\s?k\b", lambda m: f"{float(m[1]) * 1000:.0f}", text)
    text = re.sub(r"(?<!\d)(\d+(?:\.\d+)?)\s?(?:mio|mln|m)\b(?! ?2)", lambda m: f"{float(m[1]) * 10**6:.0f}", text)
    for sign, word in _SIGNS:
        text = re.sub(sign, word, text)
    text = re.sub(r"\b(\d{2,3})\s?(-|to|and)\s?(\d{2,3})000\b", r"\g<1>000 \2 \g<3>000", digits(text))
    return " ".join(text.split())
