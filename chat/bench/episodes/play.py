"""Plays one episode with a strategy, through the slow mind's own loop, and writes down every step."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from chat.bench import Ask
from chat.bench.episodes.protocols import Case, Protocol
from chat.bench.episodes.stage import ShownWorld, clocks
from minds import models, strategies
from minds.dialogue import Answer, Call, Dialogue, Episode, Move, Step, Task, Trial
from minds.models.language import LanguageModel, ModelFault, unheard
from minds.policies.trained import Trained
from minds.slow import Limits, Strategy, Workbench, retrying, think
from tools.worlds import simulator
from tools.worlds.world import Observation, Simulator, WorldFault

WITHOUT_MODEL = ("swift", "subgoals", "oracle")
"""Strategies that never ask a language model."""
ENDLESS = 10**9
AFTER, PATIENCE = 99, 30
"""SwiftSage's repository stops an episode when, after so many actions, the last so many brought no reward."""


@dataclass(frozen=True)
class Setup:
    """All that a worker needs to play; may be sent to another process."""

    ask: Ask
    protocol: Protocol
    simulator: Callable[[str], Simulator] = simulator


@dataclass(frozen=True)
class Outcome:
    """What came of one episode: all of it in `row` and `steps`. `fault` says why it could not be played to its end;
    then they hold what was played until the model died, and nothing where it was the engine. `unheard`: the model could
    not be asked at all."""

    case: Case
    row: dict[str, Any] = field(default_factory=dict)
    steps: tuple[dict[str, Any], ...] = ()
    fault: str = ""
    unheard: bool = False


class Player:
    """A worker: one simulator and one event loop for all its episodes. Not thread-safe."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._simulator = setup.simulator(setup.ask.world)
        self._loop = asyncio.Runner()
        self._model: LanguageModel | None = None

    def play(self, case: Case) -> Outcome:
        """An engine's or a model's fault is an outcome: it may be tried again."""
        try:
            return self._loop.run(self._played(case))
        except (WorldFault, ModelFault) as fault:
            return Outcome(case, fault=str(fault), unheard=unheard(fault))

    def close(self) -> None:
        if self._model:
            self._loop.run(self._model.close())
        self._loop.close()
        self._simulator.close()

    async def _played(self, case: Case) -> Outcome:
        rules = self._setup.protocol
        oracle = self._setup.ask.strategy == "oracle"
        world = ShownWorld(self._simulator.open(case.spec), rules.listed, told=oracle, says=case.says)
        began, notes, steps = time.monotonic(), Notes(case, world), self._setup.ask.steps or rules.steps
        tries = 0
        try:
            while True:
                strategy = strategies.open_strategy(self._setup.ask.strategy, self._bench(case, world))
                answer, tries = await self._attempt(world, strategy, notes, steps - len(notes.steps)), tries + 1
                if isinstance(answer.fault, WorldFault):
                    raise answer.fault
                anew = rules.restarts and notes.lost and len(notes.steps) < steps
                if answer.fault or not anew or retrying(strategy):
                    break
        finally:
            world.close()
        row = notes.row(world.goal, tries, answer) | {"seconds": round(time.monotonic() - began, 3)}
        if not (fault := answer.fault or notes.alone):
            return Outcome(case, row, tuple(notes.steps))
        told, row["ended"] = f"{fault} That was after {len(notes.steps)} steps.", "model"
        return Outcome(case, row, tuple(notes.steps), told, unheard(fault))

    async def _attempt(self, world: ShownWorld, strategy: Strategy, notes: Notes, steps: int) -> Answer:
        """The episode from its start, by a strategy that knows nothing of the attempt before."""
        notes.begin()
        task = Task(world.goal, world.goal, Dialogue("", ""))
        limits = Limits(steps, ENDLESS, ENDLESS, self._setup.ask.trials, whole=self._setup.protocol.restarts)
        try:
            return await think(task, strategy, dict, notes, limits, world=world, trials=notes)
        except ModelFault as fault:
            if not notes.steps:
                raise
            return Answer(str(fault), False, Episode(task), "model", fault=fault)  # what was tried before counts

    def _bench(self, case: Case, world: ShownWorld) -> Workbench:
        """In the world as it begins."""
        ask, settings = self._setup.ask, self._setup.ask.settings
        if self._model is None and ask.strategy not in WITHOUT_MODEL:
            self._model = models.open_model(settings.slow_model, settings.model_settings, role="slow")
        model, trained = cast("LanguageModel", self._model), Trained(ask.weights, ask.without)
        return Workbench(model, dict, settings.temperature, world, world.reset().text, case.goals, trained)


SPENT = ("tokens", "read", "cached", "written", "calls")
"""Of a step, a reflection and an episode: tokens paid for, read, of these cached, and written; calls of the model."""


def spent(move: Move) -> dict[str, int]:
    """What a move cost, by the names of SPENT."""
    return {name: getattr(move, "asked" if name == "calls" else name) for name in SPENT}


class Notes:
    """The loop's listener: every step becomes a row, and so does what was learnt of a trial that failed. A strategy's
    own time goes from its turn to act until it does; what it waits for the world meanwhile is the simulator's."""

    before = ()

    def __init__(self, case: Case, world: ShownWorld) -> None:
        self._case, self._world = case, world
        self.steps: list[dict[str, Any]] = []
        self.trials: list[dict[str, Any]] = []
        """Those that failed before the last one."""
        self._heard = False
        self._fault: Exception | None = None

    @property
    def alone(self) -> Exception | None:
        """Why the policy played alone, where the model was asked and never heard: that is another strategy's row."""
        return None if self._heard else self._fault

    def begin(self) -> None:
        """A new try or trial, in a world that was reset."""
        self.lost, self._waited = False, self._world.spent[0]

    async def checkpoint(self) -> tuple[str, ...]:
        self._turn = self._outside()
        return ()

    async def acting(self, number: int, move: Move, call: Call) -> None:
        self._own = np.maximum(self._outside() - self._turn, 0)

    def _outside(self) -> NDArray[np.float64]:
        """What was not spent in the engine, as `clocks` tells it."""
        return clocks() - self._world.spent

    async def stepped(self, number: int, step: Step) -> None:
        seen, now = step.seen or Observation(step.observation), self._world.spent[0]
        policy, processor = self._own.round(3).tolist()
        row = {
            "id": self._case.id,
            "step": len(self.steps) + 1,
            "trial": len(self.trials) + 1,
            "action": step.action,
            "said": step.observation,
            "thought": step.move.thought,
            "confidence": step.move.confidence,
            "policy_ms": policy,
            "processor_ms": processor,
            "simulator_ms": round(float(now - self._waited), 3),
            "wrote": step.move.wrote,
            "fault": str(step.move.fault or ""),
            **{name: getattr(seen, name) for name in ("score", "done", "won")},
        }
        self.steps.append(row | spent(step.move))
        self._noted(step.move)
        self._waited, self.lost = now, seen.done and not seen.won

    def _noted(self, move: Move) -> None:
        self._heard, self._fault = self._heard or bool(move.asked and not move.fault), self._fault or move.fault

    async def again(self, number: int, trial: Trial) -> None:
        """Raises WorldFault."""
        learnt, scores = trial.learnt, [(step.seen.score or 0.0) if step.seen else 0.0 for step in trial.steps]
        row = {"trial": number, "steps": len(trial.steps), "why": trial.why, "final": scored(scores)["final"]}
        self.trials.append(row | {"learnt": learnt.thought} | spent(learnt))
        self._noted(learnt)
        await asyncio.to_thread(self._world.reset)
        self.begin()

    def row(self, goal: str, tries: int, answer: Answer) -> dict[str, Any]:
        """The episode in one line."""
        scores = [step["score"] or 0.0 for step in self.steps]
        last = [step["score"] or 0.0 for step in self.steps if step["trial"] > len(self.trials)]
        won = bool(self.steps) and self.steps[-1]["won"]
        ended = "won" if won else "model" if answer.fault else "lost" if self.lost else answer.why
        return {
            "id": self._case.id,
            "type": self._case.type,
            "goal": goal,
            **({} if self._case.read is None else {"goal_right": self._case.read}),
            "steps": len(self.steps),
            **scored(last),
            "highest": max([0.0, *scores]),
            "won": any(step["won"] for step in self.steps),
            "ended": ended,
            "said": answer.text if ended in ("gave up", "finished", "model") else "",
            "tries": tries,
            "trials": [*self.trials, {"trial": len(self.trials) + 1, "steps": len(last), "why": ended}],
            **{name: sum(row[name] for row in (*self.steps, *self.trials)) for name in SPENT},
            "replaced": sum(step["wrote"] is not None for step in self.steps),
            "unheard": sum(bool(step["fault"]) for step in self.steps),
        }


def scored(scores: Sequence[float]) -> dict[str, float]:
    """The ways in which an episode's score is counted, from the engine's score after every action.

    `final` is the last one that is not negative (SwiftSage, B); `highest` the best on the way (TALES); `clamped` the
    engine's last word, a failing action counting as 0; `stop_rule` is `final` where SwiftSage's repository would have
    stopped the same episode.
    """
    kept = [0.0]  # each negative score replaced by the last before it that was not
    for score in scores:
        kept.append(score if score >= 0 else kept[-1])
    return {
        "final": kept[-1],
        "highest": max([0.0, *scores]),
        "clamped": max([0.0, *scores[-1:]]),
        "stop_rule": kept[stop(kept[1:])],
    }


def stop(kept: Sequence[float]) -> int:
    """After how many actions the repository's rule ends an episode; all of them where it does not."""
    idle = (taken for taken in range(AFTER, len(kept)) if kept[taken - 1] == kept[taken - PATIENCE - 1])
    return next(idle, len(kept))
