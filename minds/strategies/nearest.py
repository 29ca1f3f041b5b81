"""What a model wrote as an action of what is possible now; where it is none, the nearest that is (SwiftSage 4.2).

Papers count an action that is not possible before it is replaced, so `valid` is asked first; the log says what was
written (`Move.wrote`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from rapidfuzz.distance import Levenshtein

from tools.desk import ToolFault
from tools.worlds.actions import ActionSpace, action_space, displayed, parts_of
from tools.worlds.world import World

LOOK = "look around"
"""Where nothing was written: the nearest to this changes nothing."""
NAMES_SHOWN = ("scienceworld",)
"""Worlds that understand names on the screen, though their lists call things otherwise."""
_NUMBERED = re.compile(r"[a-z]+ \d+")
_MARKS = re.compile(r"^[>\s`\"'*-]+|[\s`\"'*.]+$")


@dataclass(frozen=True)
class Taken:
    """The action that is taken, and what was written where that was another."""

    action: str
    wrote: str | None = None


def space_of(world: World) -> ActionSpace:
    """What can be done now; empty where the world may not be asked."""
    seen = displayed(world.scene()) if world.spec.world in NAMES_SHOWN else ()
    return action_space(world.admissible(), seen)


def valid(wrote: str, space: ActionSpace) -> str:
    """The action that was written, as the world calls it; empty where it is not possible."""
    said = _MARKS.sub("", wrote)
    if found := space.literal(said):
        return found
    parts = parts_of(said) if said else None
    try:
        return space.action(parts.verb, parts.object, parts.other) if parts else ""
    except ToolFault:
        return ""


def taken(wrote: str, space: ActionSpace) -> Taken:
    """The action as it was written, or the nearest. Where nothing is listed, as written.

    Nearest is what is done with the most of the numbered things that were named, then the smallest edit distance: who
    stands before shelf 3 cannot go there, but examine it, and did not mean shelf 1.
    """
    if not space.admissible:
        return Taken(_MARKS.sub("", wrote) or LOOK)
    if found := valid(wrote, space):
        return Taken(found)
    said = _MARKS.sub("", wrote) or LOOK
    named = set(_NUMBERED.findall(said.lower()))

    def farness(action: str) -> tuple[int, int]:
        return -len(named & set(_NUMBERED.findall(action))), Levenshtein.distance(said, action)

    return Taken(min(space.admissible, key=farness), wrote)
