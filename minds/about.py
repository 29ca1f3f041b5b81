"""What Duet knows of itself: how it is used and what it can do, a line each in prompts/fast/about.txt behind one that
says what they are for, and what it cannot, in prompts/fast/beyond.txt.

All lines stand in the instructions of a strong fast mind. A small model overlooks the one that is asked for among so
many, and refuses more of all else behind them: it is told all where a turn may ask for one, the nearest beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from minds.languages import foreign
from prompts import render

NEAR, MOST = 0.36, 2
"""Cosine from which a turn is about Duet: none of the 225 turns of the everyday questions kept for tuning is."""
MAYBE = 0.25
"""From which it may be: all of 20 questions about Duet, a tenth of 320 turns near to what it cannot do."""


def itself() -> str:
    """All lines, for the instructions."""
    return f"{render('fast/about')}\n{render('fast/beyond')}"


def nearest(said: str, embed: Callable[[Sequence[str]], Any]) -> tuple[tuple[str, ...], bool]:
    """The lines that a turn asks about, the nearest first, none where it is about something else; and whether it may
    be about Duet at all, which the encoder cannot tell of other languages than English. Blocking.

    embed: texts -> rows of unit length.
    """
    lines = itself().splitlines()[1:]
    turn, *rows = embed([said, *lines])
    likeness = [float(turn @ row) for row in rows]
    found = sorted(zip(likeness, lines, strict=True), reverse=True)[:MOST]
    return tuple(line for cosine, line in found if cosine >= NEAR), found[0][0] >= MAYBE or foreign(said)
