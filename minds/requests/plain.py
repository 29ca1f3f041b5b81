"""Requests said plainly: "start scienceworld boil variation 3", "play task 1-1", "open valid_seen/FOLDER/TRIAL"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from minds.requests.laboratory import TASKS

KINDS = (
    "look_at_obj_in_light",
    "pick_and_place_simple",
    "pick_clean_then_place_in_recep",
    "pick_cool_then_place_in_recep",
    "pick_heat_then_place_in_recep",
    "pick_two_obj_and_place",
)
"""ALFWorld's kinds of task."""
_STARTS = re.compile(
    r"\b(?:start|open|play|run|begin|load|do|launch|try|resume|task|scienceworld|science world)\b", re.I
)
_NUMBER = re.compile(r"\b(?:task\s+|scienceworld\s+)(\d{1,2}-\d)\b|\b(\d{1,2}-\d)\b(?=\s*(?:$|variation|var\b))", re.I)
_VARIATION = re.compile(r"\b(?:variation|variant|var|version|seed)\s*(?:number|no\.?|nr\.?|#)?\s*(\d{1,6})\b", re.I)
_GAME = re.compile(r"\b((?:valid_seen|valid_unseen|valid_train|train)/[\w.-]+/[\w.-]*\w)", re.I)
_FILE = re.compile(r"(\S+\.(?:tw-pddl|z8|ulx))\b")
_KIND = re.compile(rf"\b(?:household/)?({'|'.join(KINDS)})\b", re.I)
_NAME = re.compile(rf"(?<![\w-])({'|'.join(sorted(TASKS, key=len, reverse=True))})(?![\w-])", re.I)
_SPACED = {name.replace("-", " "): name for name in TASKS}
_NAMED = re.compile(rf"\bscience ?world\W+(?:task\W+)?({'|'.join(sorted(_SPACED, key=len, reverse=True))})\b", re.I)


@dataclass(frozen=True)
class Named:
    """A world and a task by their own names."""

    world: str
    task: str
    variation: int | None = None


def named(said: str) -> Named | None:
    """What was asked for by name; None where nothing was."""
    number = variation_in(said)
    if found := _GAME.search(said):
        return Named("alfworld", found[1])
    if found := _FILE.search(said):
        return Named("textworld" if not found[1].endswith("tw-pddl") else "alfworld", found[1])
    if found := _KIND.search(said):
        return Named("alfworld", f"household/{found[1].lower()}", number)
    task = _science_task(said)
    return Named("scienceworld", task, number) if task else None


def variation_in(said: str) -> int | None:
    """The variation (or seed) that was named."""
    found = _VARIATION.search(said)
    return int(found[1]) if found else None


def _science_task(said: str) -> str:
    if found := _NUMBER.search(said):
        wanted = found[1] or found[2]
        return next((name for name, (number, _) in TASKS.items() if number == wanted and _STARTS.search(said)), "")
    if found := _NAMED.search(said):
        return _SPACED[found[1].lower()]
    if found := _NAME.search(said):
        name = found[1].lower()
        return name if "-" in name and "_" not in said else ""
    return ""
