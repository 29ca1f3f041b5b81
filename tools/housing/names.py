"""Names in a text: districts, places and schools, also where they are shortened or misspelled a little."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import SequenceMatcher

_CLOSE = 0.84
"""Likeness from which a misspelled name counts."""


def find(text: str, names: Iterable[str]) -> list[str]:
    """The names in the text, in the order in which they stand there."""
    return [name for _, _, name in spans(text, names)]


def spans(text: str, names: Iterable[str]) -> list[tuple[int, int, str]]:
    """(start, end, name) for each name; a longer name wins over one inside it."""
    found: list[tuple[int, int, str]] = []
    low = text.lower()
    for name in sorted(names, key=len, reverse=True):
        for match in re.finditer(rf"\b{_loose(name)}\b", low):
            if all(match.end() <= start or match.start() >= end for start, end, _ in found):
                found.append((match.start(), match.end(), name))
    return sorted(found)


def _loose(name: str) -> str:
    return r"[\s-]?".join(map(re.escape, name.lower().split()))


def guess(words: str, names: Iterable[str]) -> str:
    """The name that is meant by a misspelling, or by its beginning; empty where none is near."""
    words = words.lower().strip(" ?.!,")
    if len(words) < 4:
        return ""
    begun = [name for name in names if name.lower().startswith(words + " ")]
    if len(begun) == 1:
        return begun[0]
    rated = [(SequenceMatcher(None, words, name.lower()).ratio(), name) for name in names]
    best = max(rated, default=(0.0, ""))
    return best[1] if best[0] >= _CLOSE else ""
