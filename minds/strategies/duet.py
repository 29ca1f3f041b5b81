"""Duet's own: Swift acts; where it should not be trusted, the slow mind's model decides on one step.

The switch is SwiftSage's (Lin et al. 2023, 3.4; `swiftsage` is the paper's agent as it stands): a critical act, an
exception, no reward for five steps. Swift's calibrated confidence makes it less costly: a critical act that Swift is
sure of needs nobody, nor do five steps that it was sure of (waiting for water to boil earns nothing either). The model
sees what Swift would do, and one step later Swift proposes again. A model that fails, or writes no
action, leaves Swift in charge.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from minds.dialogue import Episode, Move, Step
from minds.models.language import ModelFault
from minds.policies.swift.play import CRITICAL
from minds.slow import Workbench
from minds.strategies.nearest import bare
from minds.strategies.swift import learned
from minds.strategies.world_react import WorldReAct
from prompts import render
from tools.worlds.actions import refused

CRITICAL_ENOUGH, ENOUGH = 0.9, 0.5
"""Confidence from which a critical act needs nobody, and the mean from which steps without a reward do not."""
STALLED, EXCEPTIONS = 5, 2
"""Steps in a row without a reward (3.4), or refused by the world (C.3)."""


class AskingSwift:
    """One episode's strategy. A model that is not strong is never asked: then Swift goes on alone."""

    def __init__(self, bench: Workbench) -> None:
        self._swift, self._sage = learned(bench), WorldReAct(bench)
        self._strong = bench.model.abilities.strong
        self._since = -1
        """How many steps there were when Swift took over here, or the model was asked last; -1 before."""

    async def act(self, episode: Episode) -> Move:
        """Raises ModelFault, WorldFault."""
        if self._since < 0:
            self._since = len(episode.steps)
        move = await self._swift.act(episode)
        if move.answer is not None:  # nothing was trained for this world
            return await self._sage.act(episode) if self._strong else move
        why = doubt(move, episode.steps, self._since) if self._strong else ""
        if not why:
            return move
        self._since = len(episode.steps)
        sure = f"{move.confidence or 0.0:.0%}"
        notice = render("strategies/duet", action=move.action, sure=sure, why=why)
        try:
            asked = await self._sage.act(replace(episode, notice=f"{notice} {episode.notice}".strip()), (move.action,))
        except ModelFault as fault:
            return replace(move, thought=f"{move.thought} (I would have asked, because {why}, but: {fault})")
        if asked.wrote is not None and not bare(asked.wrote):
            thought = f"{move.thought} (I asked, because {why}, but the model wrote no action.)"
            cost = replace(asked, thought=thought, wrote=None)
            return replace(cost, calls=move.calls, confidence=move.confidence, reached=move.reached)
        return replace(asked, thought=f"I asked because {why}. {asked.thought}".strip(), reached=move.reached)


def doubt(move: Move, steps: Sequence[Step], since: int) -> str:
    """Why Swift's move should not be trusted, in words; empty where it may. Of `steps`, those from `since` on count."""
    sure = move.confidence or 0.0
    if move.action.startswith(CRITICAL.partition("{")[0]) and sure < CRITICAL_ENOUGH:
        return f"this step cannot be taken back and Swift is only {sure:.0%} sure of it"
    lately = steps[max(since, len(steps) - STALLED) :]
    if len(lately) >= EXCEPTIONS and all(refused(step.observation) for step in lately[-EXCEPTIONS:]):
        return "the last steps were refused by the world"
    if len(lately) == STALLED and _earned(steps) <= 0 and _sureness(lately) < ENOUGH:
        return f"{STALLED} steps brought no reward and Swift was not sure of them"
    return ""


def _earned(steps: Sequence[Step]) -> float:
    """What the last steps brought."""
    scores = [(step.seen.score or 0.0) if step.seen else 0.0 for step in steps[-STALLED - 1 :]]
    before = scores[0] if len(scores) > STALLED else 0.0
    return scores[-1] - before


def _sureness(steps: Sequence[Step]) -> float:
    known = [step.move.confidence for step in steps if step.move.confidence is not None]
    return sum(known) / len(known) if known else 0.0
