"""The slow mind: the only episode loop (Reason, Act, Obs, Finish; DUMA 2.3).

A strategy decides the moves; the loop acts out their calls, side by side where nothing depends on their order, watches
the limits, notices repetition, listens to the person who steers or pauses, and ends with an Answer. A tool's fault is
an observation, never an end. In a world an episode may have several trials: after one that failed a strategy that
tries again is told, the world begins anew, and the next trial follows.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol, cast

from minds.acting import IN_ORDER, TELLS, Listener, ToolBox, acted
from minds.dialogue import Answer, Episode, Move, Step, Task, Trial, Why
from minds.models.answers import whole
from minds.models.language import Garbled, LanguageModel, ModelFault, Usage
from minds.policies.trained import Trained
from minds.strategies.steps import moves
from tools.worlds.actions import refused
from tools.worlds.world import Scene, World, WorldFault

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

    from minds.policies.swift_alfworld.goals import Goal

CONTEXTS = 6
"""Of a model: what a run may read, where nobody set another limit."""
CIRCLES = 3
"""Moves in a row that may take the same step outside worlds: told twice, a model goes on so."""


@dataclass(frozen=True)
class Limits:
    """Of one slow run."""

    steps: int = 16
    """Of each trial."""
    tokens: int = 60_000
    """Read outside the prefix cache, and written; as it is, at least CONTEXTS times what the model can read."""
    seconds: float = 300.0
    trials: int | None = None
    """At most so many in a world; None: as many as the strategy's paper has."""
    whole: bool = False
    """`steps` are of all trials together."""

    def of(self, model: LanguageModel) -> Limits:
        """For this model: a long conversation alone may fill most of its context, and is read at each step."""
        follows = self.tokens == Limits.tokens
        return replace(self, tokens=max(self.tokens, CONTEXTS * model.abilities.context)) if follows else self


@dataclass(frozen=True)
class Workbench:
    """What a strategy works with: made for one episode."""

    model: LanguageModel
    tools: ToolBox = dict
    temperature: float = 0.0
    world: World | None = None
    """The text world that the task is in; None outside of worlds."""
    opening: str = ""
    """What the world said first."""
    goals: Mapping[Goal, float] = field(default_factory=dict)
    """What the task may be, each goal with its odds, where a person told it in words of their own."""
    trained: Trained = Trained()  # noqa: RUF009 (frozen)
    """Which weights and rules a strategy with a learned policy uses."""
    earlier: Sequence[str] = ()
    """What became of earlier tasks of the same type, and by which actions, the newest last."""
    lost: frozenset[tuple[str, str]] = frozenset()
    """Actions that ended the task unsolved and were taken back, each with what was seen and carried before it."""
    scenes: Sequence[Scene] = ()
    """What was in view before each of the steps that were taken already, and is now."""
    aloud: Callable[[str], None] | None = None
    """Hears what the model says with native calls as it comes: its answer, or the thought of the calls behind it."""
    alone: bool = False
    """Nobody words what it finds: it has to end in words of its own, not in what a tool gave."""
    aids: Mapping[str, Any] = field(default_factory=dict)
    """What the wiring gives a small model's strategy beside (minds/small_model)."""

    @property
    def in_world(self) -> World:
        """For strategies that are opened in worlds alone."""
        assert self.world is not None
        return self.world

    async def written(self, asked: Sequence[BaseMessage], usage: Usage, **how: Any) -> str:
        """All that the model writes; `how` as of its `stream`, at the bench's temperature where it says none. Raises
        ModelFault."""
        return await whole(self.model.stream(asked, usage=usage, **self._how(how)))

    async def said(self, asked: Sequence[BaseMessage], usage: Usage, **how: Any) -> str:
        """The same; empty where nothing was written that can be read, be it that all of it was thinking."""
        try:
            return await self.written(asked, usage, **how)
        except Garbled:
            return ""

    async def formed(
        self, asked: Sequence[BaseMessage], schema: dict[str, object], usage: Usage, **how: Any
    ) -> dict[str, object]:
        """The same, held to a JSON schema; `how` as of the model's `structured`. Raises ModelFault."""
        return await self.model.structured(asked, schema, usage=usage, **self._how(how))

    def _how(self, how: Mapping[str, Any]) -> dict[str, Any]:
        """At `max_tokens` a model that thinks has room for it besides."""
        most = {"max_tokens": self.model.abilities.room(how["max_tokens"])} if "max_tokens" in how else {}
        return {"temperature": self.temperature, **how, **most}


class Strategy(Protocol):
    """A new object for each episode, so it may keep what it likes between moves."""

    async def act(self, episode: Episode) -> Move:
        """The next move. Raises ModelFault."""
        ...


class Retrying(Strategy, Protocol):
    """A strategy that tries a task in a world again where it failed; one object for all trials of an episode."""

    trials: int
    """At most so many."""
    trial_steps: int | None
    """At most so many steps in each; None leaves that to the run's limits."""

    async def failed(self, episode: Episode, why: Why) -> Move:
        """Hears that a trial failed, `episode` as it ended; the world is reset next.

        The move's thought (a reflection, an adaptation, a new plan) is kept: as `episode.trials[-1].learnt` in every
        move to come, and in the log. A move with an answer ends the episode instead. Raises ModelFault: the episode
        then ends as the trial did, and the answer holds the fault.
        """
        ...


class Trials(Protocol):
    """Begins a task anew: whoever lets the loop play a whole task gives it one."""

    @property
    def before(self) -> tuple[Trial, ...]:
        """Trials of a run that was interrupted."""
        ...

    async def again(self, number: int, trial: Trial) -> None:
        """Trial `number`, from 1, failed: it is written down, and the world reset. Raises WorldFault where it cannot
        be."""
        ...


async def think(
    task: Task,
    strategy: Strategy,
    tools: ToolBox,
    listener: Listener,
    limits: Limits,
    done: tuple[Step, ...] = (),
    world: World | None = None,
    trials: Trials | None = None,
) -> Answer:
    """Runs one episode to its end; `done` are the steps of a run that was interrupted.

    In a `world` it also ends when the world does: solved where the world says that it is won. With `trials` a strategy
    that tries again may do so. Raises WorldFault, and ModelFault where nothing was done yet that would be lost.
    """
    run = _Run(strategy, tools, listener, limits, world, time.monotonic())
    episode = Episode(task, done, trials=trials.before if trials else ())
    while True:
        answer = await run.trial(episode)
        following = await run.failed(answer, trials)
        if isinstance(following, Answer):
            return following
        episode = following


@dataclass
class _Run:
    """What a slow run acts with, and what it has cost so far."""

    strategy: Strategy
    tools: ToolBox
    listener: Listener
    limits: Limits
    world: World | None
    began: float
    """Monotonic seconds, moved on by every pause."""
    spent: int = 0
    asked: int = 0

    async def trial(self, episode: Episode) -> Answer:
        """From where the episode stands to its end, or to that of its present trial."""
        while True:
            steering = await self._checkpoint()
            new = len(steering) - len(episode.heard)
            heard = (*episode.heard, *[len(episode.steps)] * new)
            episode = replace(episode, task=replace(episode.task, steering=steering), heard=heard)
            if over := self._over(episode):
                return self._ended(_unfinished(episode, over), episode, over)
            try:
                move = await self.strategy.act(replace(episode, notice=self._notice(episode)))
            except ModelFault as fault:
                if self.world is None or not (episode.steps or episode.trials):
                    raise
                return replace(self._ended(str(fault), episode, "model"), fault=fault)
            self._count(move)
            if move.answer is not None:
                if await self._checkpoint() != steering:
                    continue  # what was said meanwhile is not answered yet
                return self._said(move, episode)
            steps = await acted(move, self.tools, self.listener, _taken(episode), self.world)
            episode = replace(episode, steps=(*episode.steps, *steps))
            self.began += sum(step.aside[0] for step in steps)
            last = steps[-1].seen
            if last and last.done:
                return self._ended(steps[-1].observation, episode, "finished" if last.won else "lost", last.won)
            if move.last and not any(step.failed for step in steps) and await self._checkpoint() == steering:
                before = [step for step in episode.steps[: -len(steps)] if step.move.worded or in_text_world(step)]
                found = "\n\n".join(map(_found, (*before, *steps)))
                answer = self._ended(found, episode, "finished", True)
                return replace(answer, doubt=move.doubt, worded=move.worded)

    async def failed(self, answer: Answer, trials: Trials | None) -> Answer | Episode:
        """The episode as the next trial begins it, or the answer where there is none."""
        strategy, episode = retrying(self.strategy), answer.episode
        number = len(episode.trials) + 1
        if answer.solved or self.world is None or strategy is None or answer.why in ("model", "tokens", "time"):
            return answer
        if number >= min(strategy.trials, self.limits.trials or strategy.trials) or self._used_up(episode):
            return answer
        if trials is None:
            return replace(answer, text=f"{answer.text} {ONE_TRIAL}")
        try:
            learnt = await strategy.failed(episode, answer.why)
            self._count(learnt)
            if learnt.answer is not None:
                return replace(answer, text=learnt.answer, tokens=self.spent, asked=self.asked)
            trial = Trial(episode.steps, answer.why, learnt)
            await trials.again(number, trial)
        except (ModelFault, WorldFault) as fault:
            text = f"{answer.text} There was no further trial: {fault}"
            return replace(answer, text=text, tokens=self.spent, asked=self.asked, fault=fault)
        return Episode(episode.task, trials=(*episode.trials, trial))

    async def _checkpoint(self) -> tuple[str, ...]:
        waited = time.monotonic()
        steering = await self.listener.checkpoint()
        self.began += time.monotonic() - waited  # a pause costs none of the run's time
        return steering

    def _over(self, episode: Episode) -> Why | None:
        """The limit that is reached."""
        strategy = retrying(self.strategy)
        steps = min(self.limits.steps, (strategy and strategy.trial_steps) or self.limits.steps)
        if len(episode.steps) >= steps or self._used_up(episode):
            return "steps"
        if self.spent >= self.limits.tokens:
            return "tokens"
        if time.monotonic() - self.began >= self.limits.seconds:
            return "time"
        return "circles" if self.world is None and _circles(episode.steps) else None

    def _notice(self, episode: Episode) -> str:
        """What the strategy is told before its next move. Who waits in a world does the same again and again, and
        nothing is finished there by a word: only what it refused twice is noticed."""
        steps = episode.steps
        if len(steps) >= 2 and same(*steps[-2:]) and (self.world is None or refused(steps[-1].observation)):
            return "You just repeated the same action and got the same result. Do something else, or finish."
        if self.world is None and len(steps) == self.limits.steps - 1:
            return "This is your last step: finish now with what you know."
        return ""

    def _used_up(self, episode: Episode) -> bool:
        return self.limits.whole and _taken(episode) >= self.limits.steps

    def _count(self, move: Move) -> None:
        self.spent, self.asked = self.spent + move.tokens, self.asked + move.asked

    def _said(self, move: Move, episode: Episode) -> Answer:
        """The strategy's own end."""
        assert move.answer is not None
        why: Why = "gave up" if move.gave_up else "finished"
        answer = self._ended(move.answer, episode, why, not move.gave_up)
        kept = ("asserts", "doubt", "worded", "thought", "cut", "world", "choices")
        return replace(answer, own=True, **{name: getattr(move, name) for name in kept})

    def _ended(self, text: str, episode: Episode, why: Why, solved: bool = False) -> Answer:
        return Answer(text, solved, episode, why, self.spent, self.asked)


ONE_TRIAL = "Another trial would have to begin the task anew, which cannot be done here."


def in_text_world(step: Step) -> bool:
    """Whether it did something there, which the person is to hear whatever came behind it."""
    return step.action.startswith(IN_ORDER) and step.action != TELLS and not step.failed


def _found(step: Step) -> str:
    """What it is told as; where somebody words a task's story they need all of it, not the few lines for the person."""
    worded = step.move.worded or step.action != TELLS
    return (step.told if worded else "") or step.observation


def retrying(strategy: Strategy) -> Retrying | None:
    """The strategy, where it is one that tries again, and may do so."""
    tries = cast(Retrying, strategy)
    return tries if hasattr(strategy, "failed") and tries.trials > 1 else None


def _taken(episode: Episode) -> int:
    """Steps of all its trials."""
    return sum(len(trial.steps) for trial in episode.trials) + len(episode.steps)


def _circles(steps: tuple[Step, ...]) -> bool:
    """Whether the last moves did nothing but the same step. (A strategy in a world may wait as long as it likes.)"""
    last = moves(steps)[-CIRCLES:]
    return len(last) == CIRCLES and all(same(step, last[0][0]) for move in last for step in move)


def _unfinished(episode: Episode, over: str) -> str:
    limit = {"steps": "number of steps", "tokens": "tokens", "time": "time"}.get(over)
    last = next((s.told or s.observation for s in reversed(episode.steps) if not s.failed), "")
    found = f" The last thing I found: {last}" if last else ""
    why = f"I ran out of {limit}" if limit else "I went round in circles"
    return f"{why} before I could finish.{found}"


def same(a: Step, b: Step) -> bool:
    """The same tool with the same input and the same result, but for case and blanks: a world may answer otherwise
    to the same action, as water that is heated is measured again and again."""
    texts = ((step.action, step.argument, step.observation) for step in (a, b))
    one, other = ([" ".join(text.lower().split()) for text in three] for three in texts)
    return one == other
