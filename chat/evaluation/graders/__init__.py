"""What a program decides. A grader reads a dialogue with what its script expects, and says what was right and wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from chat.evaluation.graders.case import Case

GRADERS = {
    "facts": "chat.evaluation.graders.facts:facts",
    "trade": "chat.evaluation.graders.facts:trade",
    "tools": "chat.evaluation.graders.tools:tools",
    "mining": "chat.evaluation.graders.talk:mining",
    "invitation": "chat.evaluation.graders.talk:invitation",
    "invoking": "chat.evaluation.graders.talk:invoking",
    "timing": "chat.evaluation.graders.talk:timing",
}
"""Name in a rubric -> function. A new one is a function and a line here."""


@dataclass(frozen=True)
class Item:
    """One thing that was right or wrong."""

    turn: int
    """The exchange's number."""
    right: bool
    why: str
    quote: str = ""
    fatal: bool = False
    """Wrong so that nothing else counts: the score is 0."""
    beside: bool = False
    """Counts only where nothing else is to be counted (something forbidden that was rightly left)."""
    extends: bool = True
    """It went beyond what was asked, where the best score asks for that."""


@dataclass(frozen=True)
class Verdict:
    """All items of a dialogue; empty: the metric does not apply."""

    items: tuple[Item, ...]
    least: Literal["half", "one"] = "half"
    """What the middle score asks for (DUMA, table 1)."""
    missing: str = ""
    """What was not done for the best score, where nothing was wrong."""


Grader = Callable[["Case"], Verdict]


def open_grader(name: str) -> Grader:
    """Raises KeyError."""
    module, _, function = GRADERS[name].partition(":")
    grader: Grader = getattr(import_module(module), function)
    return grader


def fold(verdict: Verdict, turn: int = 0) -> tuple[int | None, str, Item | None]:
    """Score, reason, and the item to quote, of the dialogue or one of its turns; a score of None: does not apply.

    0 for less than half (or none), 2 for all with an extension of at least one of them, 1 between.
    """
    items = [item for item in verdict.items if turn in (0, item.turn)]
    counted = [item for item in items if not item.beside] or items
    if not counted:
        return None, "", None
    wrong = [item for item in items if not item.right]
    if fatal := next((item for item in wrong if item.fatal), None):
        return 0, fatal.why, fatal
    right = sum(item.right for item in counted)
    said = f"{right} of {len(counted)} right"
    if wrong:
        enough = right > 0 if verdict.least == "one" else right * 2 >= len(counted)
        return int(enough), f"{said}; turn {wrong[0].turn}: {wrong[0].why}", wrong[0]
    if not any(item.extends for item in counted):
        return 1, f"{said}; {verdict.missing}", counted[-1]
    return 2, f"{said}; {counted[-1].why}", counted[-1]
