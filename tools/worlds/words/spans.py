"""A sentence in pieces, each a reading of its own: `we gonna need that wood, grab it` is asked for in its last."""

from __future__ import annotations

import re
from dataclasses import dataclass

CUT = re.compile(r"\s*(?:[,.;:!?()…—]+|\s-+\s)\s*|\s+(?:and|so|but|because|cause|cos|coz|cuz|since|then|thus)\s+")
LEAD = re.compile(r"^(?:and|so|but|because|then|or)\s+", re.IGNORECASE)
MOST = 5
"""Pieces of a sentence; of more the shortest are left with their neighbours."""


@dataclass(frozen=True)
class Span:
    """The pieces from `first` to `last` of `count`, in the person's words."""

    first: int
    last: int
    count: int
    text: str


def spans(says: str) -> list[Span]:
    """Every run of pieces but the whole."""
    cuts = _pieces(says)
    runs = [(i, j) for i in range(len(cuts)) for j in range(i, len(cuts)) if j - i + 1 < len(cuts)]
    return [Span(i, j, len(cuts), LEAD.sub("", says[cuts[i][0] : cuts[j][1]])) for i, j in runs]


def _pieces(says: str) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    at = 0
    for match in CUT.finditer(says):
        if re.search(r"\w", says[at : match.start()]):
            found.append((at, match.start()))
        at = match.end()
    if re.search(r"\w", says[at:]):
        found.append((at, len(says)))
    while len(found) > MOST:
        short = min(range(len(found) - 1), key=lambda i: found[i + 1][1] - found[i][0])
        found[short : short + 2] = [(found[short][0], found[short + 1][1])]
    return found
