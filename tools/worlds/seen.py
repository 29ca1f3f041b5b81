"""Questions about a world, answered from what was seen there, with the step; never guessed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tools.worlds.world import Scene


@dataclass(frozen=True)
class Sight:
    """What was seen at one step of an episode."""

    step: int
    """0 is the opening."""
    action: str
    text: str
    scene: Scene


def recollect(question: str, sights: Sequence[Sight]) -> str:
    """The answer in a sentence; empty where this is no question about what was seen."""
    return ""
