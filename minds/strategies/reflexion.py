"""Reflexion (Shinn et al. 2023; SwiftSage 2.3 and 4.2): ReAct in several trials; after one that failed the model says
in words what went wrong, and reads that in the next.

The reflection is asked for behind the whole of the trial, with two examples, and not from the agent's own prompt as
SALA does. At most four trials (SwiftSage: "up to four rounds"), of which the last three reflections are kept.
"""

from __future__ import annotations

from collections.abc import Sequence

from langchain_core.messages import HumanMessage

from minds.dialogue import Episode, Move, Why
from minds.models.language import Usage
from minds.strategies.steps import shown
from minds.strategies.transcript import Transcript, one_line, room_for
from minds.strategies.world_react import WorldReAct
from prompts import render

REFLECTION_TOKENS = 250
KEPT = 3
FAILED: dict[Why, str] = {
    "lost": "The world ended the task: it was failed.",
    "steps": "All steps of this trial were used up.",
}
OTHERWISE = "The trial failed."


class Reflexion(WorldReAct):
    """One episode's strategy, through all its trials (minds.slow.Retrying)."""

    trials = 4
    trial_steps: int | None = None

    async def failed(self, episode: Episode, why: Why) -> Move:
        """A reflection in words. Raises ModelFault."""
        usage = Usage()
        await self._hear(episode)
        asked = shown("strategies/reflexion")
        now = self._transcript.text(room_for(self._bench.model, *(str(message.content) for message in asked)))
        asked.append(HumanMessage(f"{now}\n{FAILED.get(why, OTHERWISE)}"))
        return Move(one_line(await self._bench.said(asked, usage, max_tokens=REFLECTION_TOKENS))).paid(usage)

    def _begun(self, learnt: Sequence[str]) -> Transcript:
        """Above the task: the reflections on the trials before."""
        lessons = [f"- {lesson}" for lesson in learnt if lesson][-KEPT:]
        note = [render("strategies/reflexion_above"), *lessons] if lessons else []
        return super()._begun(note)
