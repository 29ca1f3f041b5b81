"""Demonstrations told again with other values: what is red in one telling is blue in the next, all the way through.

Whether a trait is dominant does not hang on which trait it is, yet the train variations of a type ask about few of
them. A policy that saw only tall and wrinkly peas would learn their names; so colours change places with colours,
shapes with shapes, in the goal, the views and the answers alike.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from typing import Any

from minds.policies.swift.mentions import QUESTION

CLASSES = (
    ("red", "orange", "yellow", "green", "blue", "purple", "white", "brown", "violet"),
    ("round", "wrinkly", "square"),
    ("linear", "elliptical"),
    ("tall", "short"),
    ("large", "small"),
)
"""Values that may change places."""
_WORD = re.compile(rf"\b(?:{'|'.join(word for words in CLASSES for word in words)})\b(?!\s*$)", re.MULTILINE)
"""Not at a line's end: `an orange` is a fruit."""
TOLD = ("look", "inv", "text", "said")


def asks_of_a_value(goal: str) -> bool:
    """Whether a goal asks about a value (`whether tall plant height is dominant`)."""
    return QUESTION.search(goal.lower()) is not None


def revalued(episode: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """A stored episode (its `goal` and `rows`) with values exchanged; the same seed exchanges the same ones."""
    dice = random.Random(f"{episode['task']} {episode['variation']} {seed}")
    other = {one: two for words in CLASSES for one, two in zip(words, dice.sample(words, len(words)), strict=True)}

    def said(text: str) -> str:
        return _WORD.sub(lambda found: other[found[0]], text)

    rows = [{**row, **{name: said(row[name]) for name in TOLD}} for row in episode["rows"]]
    return {**episode, "goal": said(episode["goal"]), "rows": rows}
