"""SALA, the self-adaptive language agent (section 2, algorithm 1, and 4.2): one model thinks, acts and corrects itself.

The prompt holds ReAct's two exemplars and, behind them, two that failed with the plan that was made of it, so that the
same model goes on with either (figure 5). A trial has at most 50 steps, a thought and its action each. One that fails
is told `STATUS: FAIL` and `New plan:` where it stands; what the model writes there, the adaptation, is all that is
carried on (the compression step): it stands above the task's description, alone, in place of the one before. At most
nine trials.

Beside the paper: a trial fails also where the world is lost; what cannot be done becomes the nearest action that can.
"""

from __future__ import annotations

from itertools import takewhile

from minds.dialogue import Episode, Move, Why
from minds.models.language import Usage
from minds.strategies.examples import PLACES, exemplars
from minds.strategies.line_agent import LineAgent
from minds.strategies.lines import MARK
from minds.strategies.transcript import opened, room_for, written
from prompts import render

FAIL, PLAN = "STATUS: FAIL", "New plan:"
PLAN_TOKENS = 600
BEGINS = 20
"""Characters by which an opening is known."""


class SALA(LineAgent):
    """One episode's strategy, through all its trials (minds.slow.Retrying)."""

    trials = 9
    trial_steps = 50

    async def failed(self, episode: Episode, why: Why) -> Move:
        """The adaptation. Raises ModelFault."""
        usage, system = Usage(), self._system()
        await self._hear(episode, usage)
        ended = f"{self._transcript.text(room_for(self._bench.model, system))}\n{FAIL}"
        said = await written(self._bench, system, ended, PLAN, usage, max_tokens=PLAN_TOKENS)
        return Move(adaptation(said, opened(self._bench.opening, self._world.goal))).paid(usage)

    def _system(self) -> str:
        world, goal = self._world.spec.world, self._world.goal
        known = world if world in PLACES else "scienceworld"
        return render(
            "strategies/sala/system",
            place=PLACES.get(world, "world"),
            exemplars=exemplars(world, goal),
            failures=render(f"strategies/sala/failures_{known}"),
        )


def adaptation(said: str, opening: str) -> str:
    """What stands behind the last `New plan:`, in one line, up to where the model goes on with the transcript by
    itself: with a line of the agent's, or as the next trial opens."""
    ends = (MARK, "Your task is", opening[:BEGINS])
    first, *others = said.lstrip("> \n").splitlines() or [""]
    plan = [first, *takewhile(lambda line: not line.startswith(ends), others)]
    return " ".join(" ".join(plan).rpartition(PLAN)[2].split()).lstrip("*_ ")
