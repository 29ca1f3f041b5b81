"""Two exemplars of a goal's own type of task, as ReAct (Yao et al. 2023, C.4) and InterAct (appendix A) show them.

Files under prompts/strategies/exemplars, a trajectory each behind a blank line, played in the simulators: games of the
generator, train variations. They hold InterAct's marks, `[[egg]]`, its sorter's orders and, before a ` | `, what its
checker says in place of the world; whoever has no such helper is shown them without.
"""

from __future__ import annotations

import re
from functools import cache

from rapidfuzz import fuzz, process

from prompts import render

SLOTS = ("{obj}", "{recep}", "{toggle}")
PLACES = {"alfworld": "household", "scienceworld": "laboratory"}
"""Worlds that there are exemplars for, and what an agent is told of where it is."""
OTHER = "scienceworld"
"""Whose exemplars another world's tasks are shown."""
MARKED = re.compile(r"\[\[([^\[\]\n]+)\]\]")
TWO_WORDS = re.compile(r"^(.*?) \| (.*)$", re.MULTILINE)
"""The checker's, the world's."""
SORTING = re.compile(r"^> sorting\(.*\n\[.*\n", re.MULTILINE)
SORTED = "Based on the sorting provided, "


def exemplars(world: str, goal: str, *, checker: bool = False, sorter: bool = False) -> str:
    """The two, with the helpers that there are; with none of them they are ReAct's."""
    shown = render(f"strategies/exemplars/{task_type(world, goal)}")
    shown = TWO_WORDS.sub(r"\1" if checker else r"\2", shown)
    if not sorter:
        shown = SORTING.sub("", shown).replace(SORTED, "")
    return shown if sorter or checker else MARKED.sub(r"\1", shown)


def task_type(world: str, goal: str) -> str:
    """ALFWorld: the one of its six types that words its goals so, or most nearly so. Elsewhere one for all."""
    if world != "alfworld":
        return OTHER
    said = goal.strip().rstrip(".").lower()
    forms = _forms()
    if exact := next((kind for form, kind in forms.items() if _says(form, said)), ""):
        return exact
    near, _, _ = process.extractOne(said, list(forms), scorer=fuzz.token_set_ratio)
    return forms[near]


@cache
def _forms() -> dict[str, str]:
    """How the games word their goals -> type of task."""
    from tools.worlds.household import KINDS

    return {form.rstrip("."): name for name, kind in KINDS.items() for form in kind.goals}


def _says(form: str, said: str) -> bool:
    pattern = re.escape(form)
    for slot in SLOTS:
        pattern = pattern.replace(re.escape(slot), r"\w+")
    return re.fullmatch(pattern, said) is not None
