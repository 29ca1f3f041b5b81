"""The simulator's own solution, played back: shows that loop and world work. No mind, never a default, always named."""

from __future__ import annotations

import asyncio

from minds.dialogue import Episode, Move, in_world
from minds.slow import Workbench
from tools.worlds.world import WorldFault

NAMED = "Oracle: the next action of the simulator's own solution."
OFF = "Other actions were taken before; the simulator's own solution only works from the start: undo them first."


class Oracle:
    """Plays the gold path from the world's first step, or from where somebody else left it on that path."""

    def __init__(self, bench: Workbench) -> None:
        self._world = bench.in_world
        self._path: tuple[str, ...] | None = None

    async def act(self, episode: Episode) -> Move:
        """Gives up where the world has no solution to show, or is not where the solution would be."""
        if self._path is None:
            try:
                self._path = await asyncio.to_thread(self._world.gold)
            except WorldFault as fault:
                return Move("", answer=str(fault), gave_up=True)
        taken = tuple(step.action for step in episode.steps)
        if taken != self._path[: len(taken)]:
            return Move("", answer=OFF, gave_up=True)
        if len(taken) == len(self._path):
            return Move("", answer="The simulator's own solution ends here.", gave_up=True)
        return in_world(NAMED, self._path[len(taken)])
