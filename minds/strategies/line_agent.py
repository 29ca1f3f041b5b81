"""An agent in a text world that writes ReAct's transcript line by line: what InterAct and SALA have in common."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod

from minds.dialogue import Episode, Move, Step
from minds.models.language import Usage
from minds.slow import Workbench
from minds.strategies.lines import thought_of
from minds.strategies.nearest import space_of, taken
from minds.strategies.transcript import Transcript, next_line, one_line, room_for

THOUGHTS = 5
"""Lines in a row that are no action; one more is taken for one, and so is one that is said again."""


class LineAgent(ABC):
    """One episode's. A thought is answered `OK.` and costs no step; what others did is taken in."""

    def __init__(self, bench: Workbench) -> None:
        self._bench, self._world = bench, bench.in_world
        self._trial, self._transcript = 0, Transcript(bench.opening, self._world.goal)
        self._known, self._own = 0, -1

    async def act(self, episode: Episode) -> Move:
        """Raises ModelFault, WorldFault."""
        usage = Usage()
        said = await self._hear(episode, usage)
        line, before = "", ""
        for _ in range(THOUGHTS + 1):
            before, line = line, await self._line(episode, usage)
            heard = await self._no_action(line, usage) if line != before else None
            if heard is None:
                break
            said += heard
        space = await asyncio.to_thread(space_of, self._world)
        self._own = len(episode.steps)
        return taken("\n".join(said), line, space, episode.steps).paid(usage)

    async def _line(self, episode: Episode, usage: Usage) -> str:
        system = self._system()
        words = [f"The person adds: {word}" for word in episode.task.steering]
        now = self._transcript.text(room_for(self._bench.model, system), words)
        return await next_line(self._bench, system, now, usage)

    async def _hear(self, episode: Episode, usage: Usage) -> list[str]:
        """Takes in what was done since; what the log is to say of it."""
        if len(episode.trials) != self._trial:
            self._begin_anew(episode)
        said = []
        for number, step in enumerate(episode.steps[self._known :], self._known):
            if number != self._own and step.move.thought:  # another's
                self._transcript.think(one_line(step.move.thought))
            told, more = await self._told(step, usage)
            self._transcript.add(step.action, told)
            said += more
        self._known = len(episode.steps)
        return said

    def _begin_anew(self, episode: Episode) -> None:
        """The next trial: nothing of the one before is left but what was learnt of it."""
        learnt = episode.trials[-1].learnt.thought
        self._trial, self._transcript = len(episode.trials), Transcript(self._bench.opening, self._world.goal, learnt)
        self._known, self._own = 0, -1

    # What an agent says differently

    @abstractmethod
    def _system(self) -> str:
        """The instruction and the exemplars."""

    async def _told(self, step: Step, usage: Usage) -> tuple[str, list[str]]:
        """What the agent is told of a step, and what the log is."""
        return one_line(step.observation), []

    async def _no_action(self, line: str, usage: Usage) -> list[str] | None:
        """What the log is told of a line that is for nobody but the agent; None where it is an action."""
        thought = thought_of(line)
        if thought is None:
            return None
        self._transcript.think(thought)
        return [thought]
