"""Duet's own: Swift acts as long as it may be trusted; where it may not, Sage plans, and runs its plan.

What it takes of the papers. The switch is SwiftSage's (Lin et al. 2023, 3.4; `swiftsage` is the paper's agent as it
stands), which Swift's calibrated confidence makes less costly: a critical act that Swift is sure of needs nobody, nor
do five steps that it was sure of (waiting for water to boil earns nothing either), but twenty-five do. Where a plan has
ended and Swift is not sure how to go on, Sage keeps the wheel: so it is in tasks that Swift never learned. Sage answers
the paper's five questions and writes an action buffer; it is told what Swift would do, the plan that it wrote before,
so that it adapts it (SALA's `New plan`), and what became of earlier tasks of the same type. The first action of the
buffer that is not possible ends it: what InterAct's checker asks a model, whether a thing is here, the world's list
of possible actions says for nothing. What the person says of how it is to be done Swift cannot read: from then on
every action is of a plan that heeds it. A trial that was lost, or not won in its steps, leaves an adaptation to the
next (SALA 2, Reflexion); the action that lost it is not Swift's again where the same is seen.

A model that is not strong is never asked, and there is one trial then: that is `swift`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from langchain_core.messages import HumanMessage, SystemMessage

from minds.dialogue import Episode, Move, Step, Why
from minds.models.language import Usage
from minds.policies.swift.play import CRITICAL
from minds.policies.trained import rule
from minds.slow import Workbench
from minds.strategies.reflexion import FAILED, OTHERWISE
from minds.strategies.swiftsage import STALLED, Conditions, SwiftSage, earned, possible
from minds.strategies.transcript import one_line
from prompts import render
from tools.worlds.actions import ActionSpace, refused

SURE, ENOUGH = 0.9, 0.5
"""Confidence from which a critical act needs nobody, nor does the first behind a plan, and the mean from which steps
without a reward do not."""
EXCEPTIONS, LONG = 2, 25
"""Steps in a row that the world refused (C.3); without a reward, however sure of them Swift was."""
SUREST = 0.99
"""That Sage is told of: it is asked since the policy may be wrong."""
ADAPTED_TOKENS = 250


@dataclass(frozen=True)
class Doubts(Conditions):
    """When Sage is asked."""

    handed: bool = rule(True, "Behind a plan that ended Swift is not sure how to go on.")


class AskingSwift(SwiftSage):
    """One episode's strategy, through all its trials (minds.slow.Retrying)."""

    conditions: Doubts = Doubts()
    _conditions: Doubts
    halt = 1
    trials = 3
    trial_steps: int | None = None

    def __init__(self, bench: Workbench) -> None:
        """Raises UnknownRule."""
        super().__init__(bench)
        self._bench = bench
        self._trial: int | None = None
        """Behind a restart it begins amid one, in rooms that it knows."""
        self._strong = bench.model.abilities.strong
        self.trials = type(self).trials if self._strong else 1
        self._last = "", ""
        """What was seen and carried before the last action, and that action."""
        self._heeded: tuple[str, ...] = ()
        """What the person added, as far as Sage was told."""

    async def act(self, episode: Episode) -> Move:
        """Raises WorldFault, and ModelFault where there is no Swift for this world."""
        if not self._strong:
            return await self._swift.act(episode)
        if self._trial is None:
            self._trial = len(episode.trials)
        if len(episode.trials) != self._trial:
            self._begin_anew(episode)
        if episode.task.steering != self._heeded:
            self._heeded, self._buffer = episode.task.steering, []  # planned without it
        view = await asyncio.to_thread(lambda: self._world.look() + self._world.inventory())
        move = await super().act(episode)
        if not move.action.isdigit():  # which says only what the action before it meant
            self._last = view, move.action
        return move

    async def failed(self, episode: Episode, why: Why) -> Move:
        """What to do otherwise. Raises ModelFault."""
        self._trial = len(episode.trials)
        usage, ended = Usage(), FAILED.get(why, OTHERWISE)
        asked = [
            SystemMessage(render("strategies/reflexion")),
            HumanMessage(f"Task: {one_line(self._world.goal)}\n{self._sage.told(episode.steps)}\n{ended}"),
        ]
        return Move(one_line(await self._bench.said(asked, usage, max_tokens=ADAPTED_TOKENS))).paid(usage)

    def _begin_anew(self, episode: Episode) -> None:
        """The next trial: nothing of the one before is left but what was learnt of it."""
        last = episode.trials[-1]
        if last.why == "lost" and last.steps:
            self._bench = replace(self._bench, lost=self._bench.lost | {self._last})
        self._bench = replace(self._bench, goals=self._swift.goals, scenes=())
        super().__init__(self._bench)
        self._trial = len(episode.trials)

    def _meant(self, steps: Sequence[Step]) -> str:
        meant = super()._meant(steps)
        if meant and self._heeded:
            self._buffer, meant = [], ""  # Sage says which one, by what the person added
        return meant

    def _why(self, move: Move, steps: Sequence[Step], space: ActionSpace) -> str:
        if self._heeded:
            return "the person said how it is to be done"
        if move.action.isdigit():
            return ""
        if self._conditions.handed and self._sage.asked and len(steps) == self._since and unsure(move):
            return f"the plan before ended and the policy is only {move.confidence or 0.0:.0%} sure how to go on"
        return doubt(self._conditions, move, steps, self._since, space)

    def _beside(self, episode: Episode, swifts: Move, why: str) -> str:
        """Swift's move and why it is not trusted, the plan so far and what of it was given up, and what was learnt of
        trials and earlier tasks."""
        plan, learnt = self._sage.plan, [trial.learnt.thought for trial in episode.trials if trial.learnt.thought]
        sure, steps = f"{min(swifts.confidence or 0.0, SUREST):.0%}", episode.steps
        score = (steps[-1].seen.score or 0.0) if steps and steps[-1].seen else 0.0
        told = [render("strategies/duet/progress", steps=str(len(steps)), score=f"{score:g}")]
        told += [render("strategies/duet/doubt", action=swifts.action, sure=sure, why=why)] if swifts.action else []
        told += [render("strategies/duet/plan", plan=plan)] if plan else []
        told += [render("strategies/duet/left", left="; ".join(self._left))] if self._left else []
        told += [render("strategies/duet/trial", learnt=learnt[-1])] if learnt else []
        earlier = "\n".join(f"- {line}" for line in self._bench.earlier)
        told += [render("strategies/duet/earlier", earlier=earlier)] if earlier else []
        return "\n\n" + "\n\n".join(told)


def unsure(move: Move) -> bool:
    """Whether it takes more than this to act where much hangs on it."""
    return (move.confidence or 0.0) < SURE


def doubt(conditions: Conditions, move: Move, steps: Sequence[Step], since: int, space: ActionSpace) -> str:
    """Why Swift's move should not be trusted, in words; empty where it may. Of `steps`, those from `since` on count."""
    sure, lately = move.confidence or 0.0, steps[max(since, len(steps) - STALLED) :]
    if conditions.critical and move.action.startswith(CRITICAL.partition("{")[0]) and unsure(move):
        return f"this step cannot be taken back and the policy is only {sure:.0%} sure of it"
    if conditions.invalid and not possible(move.action, space):
        return f"`{move.action}` is not possible here"
    last = lately[-EXCEPTIONS:]
    if conditions.exception and len(last) == EXCEPTIONS and all(refused(step.observation) for step in last):
        return "the last steps were refused by the world"
    if not conditions.stalled:
        return ""
    if len(lately) == STALLED and _sureness(lately) < ENOUGH and not earned(steps, STALLED):
        return f"{STALLED} steps brought no reward and the policy was not sure of them"
    long = len(steps) - since >= LONG and not earned(steps, LONG)
    return f"{LONG} steps brought no reward" if long else ""


def _sureness(steps: Sequence[Step]) -> float:
    known = [step.move.confidence for step in steps if step.move.confidence is not None]
    return sum(known) / len(known) if known else 0.0
