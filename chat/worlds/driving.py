"""The slow mind acts in a world: until the world ends, it gives up, a limit is reached or the person takes over."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, replace

from chat.runs import Run
from chat.services import TurnRequest
from chat.worlds import kept
from chat.worlds.episodes import Record, step_data
from chat.worlds.telling import ending, steps_of, taken_back
from chat.worlds.worlds import Worlds
from minds.dialogue import Answer, Call, Episode, Move, Step, Task, Trial, clip
from minds.slow import Limits, Workbench, think
from minds.strategies import default_world_strategy, open_strategy
from tools.worlds.running import RunningWorld

RETRIES, LEARNED = 8, "swift"
"""How often a policy goes on after its last action was taken back, for it had ended the task unsolved, and which
strategy knows of it."""


@dataclass(frozen=True)
class Driven:
    """How a drive went."""

    record: Record
    since: int
    """How many of its deeds stood there before; none where it was begun anew meanwhile."""
    answer: Answer
    text: str
    """By the world's own word."""
    told: str
    """The same in the person's language."""
    strategy: str
    seconds: float


class Driving:
    """Acts by a strategy in one turn; the caller holds the session's slow lock."""

    def __init__(self, worlds: Worlds, turn: TurnRequest) -> None:
        self._worlds, self._turn = worlds, turn

    async def drive(self, record: Record, steps: int | None = None) -> Driven:
        """Acts from where the episode stands, so many steps at most. Raises ModelFault, WorldFault."""
        turn, worlds = self._turn, self._worlds
        began, name = time.monotonic(), strategy_of(turn, record)
        with worlds.driving(turn.session, record.number):
            async with worlds.running.acting(turn.session):  # what a person began there is done first
                record = worlds.again(turn.session, record)
                live = await worlds.running.at(turn.session, record)
            before, most = record, worlds.limits.steps
            limits = replace(worlds.limits, steps=len(record.deeds) + (most if steps is None else min(steps, most)))
            if steps is not None:
                limits = replace(limits, trials=1)  # some steps that are over are no trial that failed
            answer = await self._answer(record, live, name, limits)
            while (again := await self._taken_back(before, live, name)) is not None:
                left = worlds.again(turn.session, record)
                if not again:
                    answer = Answer("", False, Episode(answer.episode.task, steps_of(left)), "lost")
                    break
                answer = await self._answer(left, live, name, limits)
        record = worlds.again(turn.session, record)
        since = len(before.deeds) if record.learnt == before.learnt else 0
        text, told = (
            ending(record, answer, since, oracle=name == "oracle", language=language)
            + taken_back(before, record, language)
            for language in ("English", worlds.language(turn))
        )
        return Driven(record, since, answer, text, told, name, round(time.monotonic() - began, 3))

    async def _answer(self, record: Record, live: RunningWorld, name: str, limits: Limits) -> Answer:
        """`limits`: its steps are all of the episode."""
        turn = self._turn
        task, done = Task(record.goal, turn.said, turn.dialogue), steps_of(record)
        if record.last.done:
            return Answer("", record.last.won, Episode(task, done))
        earlier = await asyncio.to_thread(self._earlier, turn, record)
        at, lost, warmth = record.opening.text, frozenset(record.lost), turn.options.temperature
        scenes = (record.scene, *(deed.scene for deed in record.deeds))
        bench = Workbench(
            turn.minds.slow, dict, warmth, world=live, opening=at, lost=lost, earlier=earlier, scenes=scenes
        )
        driver = Driver(turn.run, self._worlds, live, record, name)
        # What a person did, or asked for step by step, is not taken back for another trial.
        anew = driver if all(deed.strategy for deed in record.deeds) and not record.game else None
        return await think(task, open_strategy(name, bench), dict, driver, limits, done, live, anew)

    def _earlier(self, turn: TurnRequest, record: Record) -> list[str]:
        """The person's earlier tasks of this type, where the conversation may use what is remembered."""
        remembering = self._worlds.runs.remembering
        if not remembering.wanted(turn.session):
            return []
        known = remembering.tasks(turn.dialogue.user, record.spec.world, kept.type_of(record.spec))
        own = f":{kept.name_of(record)}"  # before its end was undone
        return [kept.told(note) for note in known if note.session != turn.session or not note.id.endswith(own)]

    async def _taken_back(self, before: Record, live: RunningWorld, name: str) -> bool | None:
        """Takes the learned policy's own last action back where that ended the task unsolved, but never what stood
        `before` it began. Whether it is to go on from there: not where it did the same in the same view before, nor
        too often. None where nothing was taken back."""
        record = self._worlds.again(self._turn.session, before)
        if name != LEARNED or not record.last.done or record.last.won or record.game:
            return None
        to = max((n for n, action in enumerate(record.actions) if not action.isdigit()), default=0)
        if to < len(before.deeds):  # the person's, or what the world had asked before: which one?
            return None
        await asyncio.to_thread(live.lead_to, record.actions[:to])
        view = await asyncio.to_thread(lambda: live.look() + live.inventory())
        self._worlds.state(self._turn.run, record.number, "undone", to=to, by="slow", view=view)
        return (view, record.actions[to]) not in record.lost and len(record.lost) - len(before.lost) < RETRIES


class Driver:
    """The slow loop's listener and trials in a world: every step becomes an event before the loop goes on."""

    def __init__(self, run: Run, worlds: Worlds, live: RunningWorld, record: Record, strategy: str) -> None:
        self._run, self._worlds, self._live = run, worlds, live
        self._number, self._strategy, self._back = record.number, strategy, record.back
        self._how = (record.how,) if record.how else ()
        self.before = tuple(Trial((), "steps", Move(learnt)) for learnt in record.learnt)

    async def acting(self, number: int, move: Move, call: Call) -> None:
        about = {"thought": thought(move), "action": call.action, "argument": "", "episode": self._number}
        self._worlds.runs.emit(self._run, "act", number=number + self._back, **about)

    async def stepped(self, number: int, step: Step) -> None:
        assert step.seen is not None
        scene = await asyncio.to_thread(self._live.scene)
        self._run.steps.append(f"{step.action}: {clip(' '.join(step.observation.split()), 120)}")
        self._worlds.step(
            self._run,
            number + self._back,
            step.action,
            thought=thought(step.move),
            observation=step.seen.text,
            failed=step.failed,
            seconds=round(step.seconds, 3),
            tokens=step.move.tokens,
            strategy=self._strategy,
            episode=self._number,
            **step_data(step.seen, scene, "slow"),
            **({"reached": step.move.reached} if step.move.reached else {}),
            **({"wrote": step.move.wrote} if step.move.wrote is not None else {}),
        )

    async def checkpoint(self) -> tuple[str, ...]:
        """How the slow mind said that it is to be done, and what was said since."""
        await self._run.going.wait()
        return (*self._how, *self._run.steering[self._run.heard :])

    async def again(self, number: int, trial: Trial) -> None:
        """Back to the start, with what was learnt: the log has it before the world is reset. Raises WorldFault."""
        learnt = {"trial": number, "why": trial.why, "learnt": trial.learnt.thought, "tokens": trial.learnt.tokens}
        self._worlds.state(self._run, self._number, "undone", to=0, by="slow", **learnt)
        self._run.steps.append(f"trial {number} failed: {trial.learnt.thought[:120]}")
        await asyncio.to_thread(self._live.reset)


def thought(move: Move) -> str:
    """Why, and what was written where that is not the action that was taken."""
    if move.wrote is None:
        return move.thought
    wrote = f"I wrote `{move.wrote}`, which" if move.wrote else "What I wrote"
    return f"{move.thought} ({wrote} cannot be done here; this is the nearest that can.)".strip()


def strategy_of(turn: TurnRequest, record: Record) -> str:
    """The one that the episode was begun with, or that the options name; `duet` may ask no model that is not strong."""
    name, strong = record.strategy or turn.options.world_strategy, turn.minds.slow.abilities.strong
    if name == "auto":
        return default_world_strategy(record.spec.world, strong)
    return LEARNED if name == "duet" and not strong else name
