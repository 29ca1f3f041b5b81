"""Which exemplars a goal is shown: those of its own type of task (ReAct's and InterAct's few-shot prompts)."""

from __future__ import annotations

import re
from functools import cache

from rapidfuzz import fuzz, process

SLOTS = ("{obj}", "{recep}", "{toggle}")


def task_type(world: str, goal: str) -> str:
    """ALFWorld: the one of its six types that words its goals so, or most nearly so. Elsewhere: the world's name."""
    if world != "alfworld":
        return world
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
