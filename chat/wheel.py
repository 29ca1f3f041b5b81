"""A turn in a text world: who holds the wheel, what the person's words do there, and what is told of it.

said -> a word about the wheel (let me, go on, undo, why ...)
     -> a question about what was seen
     -> an action here, in the person's own words
     -> a request for a task in a world
     -> none of these: ordinary talk
Everything that happens is an event; where a world stands is folded from the events (chat/episodes.py).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from chat.choosing import asked_back, holder_of, spec_of
from chat.episodes import Holder, Record, fold, opened_data, step_data
from chat.stage import Live, Stage
from chat.telling import (
    count,
    deed_line,
    done_so_far,
    ending,
    pick,
    plain_goal,
    reason,
    short_goal,
    sights,
    spec_of_play,
    standing,
    steps_of,
    which,
)
from minds.dialogue import Dialogue, Step, Task
from minds.helm import Word, hear
from minds.requests import Request
from minds.requests import Unclear as Vague
from minds.slow import Limits, Workbench, think
from minds.strategies import default_world_strategy, open_strategy
from tools.worlds.grounding import Actions, Impossible, NotAnAction, Unclear, ground
from tools.worlds.seen import recollect
from tools.worlds.world import WorldFault, WorldSpec

if TYPE_CHECKING:
    from chat.conversation import Minds, Parts
    from chat.runs import Run, Runs
    from chat.settings import Options

ROUNDS = 8
"""Times that the rest of one sentence is read anew, with the actions that its beginning made possible."""


class Wheel:
    """Answers the turns that belong to a world."""

    def __init__(self, parts: Parts, runs: Runs, stage: Stage, limits: Limits) -> None:
        self._parts, self._runs, self._stage, self._limits = parts, runs, stage, limits
        self._hands: dict[str, asyncio.Lock] = {}
        self._driven: dict[str, int] = {}
        """Session -> the episode that the slow mind drives in just now: nobody else may touch that world."""

    async def answer(self, run: Run, others: list[Run], options: Options, dialogue: Dialogue, minds: Minds) -> bool:
        """Whether the turn belonged to a world; then it is answered. Raises ModelFault."""
        try:
            return await self._heard(run, [r for r in others if r.phase != "fast"], options, dialogue, minds)
        except WorldFault as fault:
            self._say(run, str(fault))
            return True

    async def resume(self, run: Run, options: Options, dialogue: Dialogue, minds: Minds, before: Sequence[Any]) -> bool:
        """Takes an interrupted turn up again; False where it was not one of a world."""
        numbers = [e.data["episode"] for e in before if e.kind in ("world", "step") and "episode" in e.data]
        record = self._record(run.turn.session, int(numbers[-1])) if numbers else None
        if record is None:
            return False
        try:
            if record.wheel == "slow":
                await self._drive(run, options, dialogue, minds, record)
            else:
                self._say(run, f"I was interrupted after {count(len(record.deeds))}. {standing(record)}", record)
        except WorldFault as fault:
            self._say(run, str(fault), record)
        return True

    def records(self, session: str) -> tuple[Record, ...]:
        """The session's episodes, the one in hand last."""
        return fold(self._parts.transcript.world_events(session))

    async def possible(self, session: str) -> tuple[str, ...]:
        """The actions that the world in hand allows now, for the page's buttons. Raises WorldFault."""
        record = self._record(session)
        if record is None or record.last.done or self._driven.get(session) == record.number:
            return ()
        live = await self._stage.at(session, record)
        return await asyncio.to_thread(live.admissible)

    async def close(self, session: str) -> None:
        """Ends the session's worlds: it is deleted."""
        await self._stage.close(session)

    async def _heard(self, run: Run, driving: list[Run], options: Options, dialogue: Dialogue, minds: Minds) -> bool:
        said = run.turn.said
        if said.strip().startswith("/play"):
            spec, strategy, human = spec_of_play(said, self._stage.home)
            await self._open(run, options, dialogue, minds, spec, "person" if human else "slow", strategy)
            return True
        record = self._record(run.turn.session)
        word = hear(said)
        if record is None and word and word.kind == "back":
            return await self._go_back(run, word.about)
        if record and await self._in_world(run, driving, options, dialogue, minds, record):
            return True
        return await self._requested(run, options, dialogue, minds)

    async def _in_world(
        self, run: Run, driving: list[Run], options: Options, dialogue: Dialogue, minds: Minds, record: Record
    ) -> bool:
        """What is said while a world is open."""
        said = run.turn.said
        if word := hear(said):
            return await self._obey(run, driving, options, dialogue, minds, record, word)
        if found := recollect(said, sights(record)):
            self._say(run, found, record)
            return True
        if self._driven.get(run.turn.session) == record.number:
            return False
        if picked := self._picked(run, record):
            said = picked
        return await self._act(run, record.number, said)

    async def _obey(
        self,
        run: Run,
        driving: list[Run],
        options: Options,
        dialogue: Dialogue,
        minds: Minds,
        record: Record,
        word: Word,
    ) -> bool:
        session = run.turn.session
        if word.kind in ("take", "leave", "undo", "back") and driving:
            await self._runs.halt(driving)
            record = self._record(session, record.number) or record
        if word.kind == "take":
            self._turn_wheel(run, record, "person")
            self._say(run, f"The wheel is yours. {standing(record)}", record)
        elif word.kind == "give":
            await self._drive(run, options, dialogue, minds, record)
        elif word.kind == "undo":
            await self._undo(run, record, word.count)
        elif word.kind == "tried":
            self._say(run, done_so_far(record), record)
        elif word.kind == "why":
            self._say(run, reason(record, word.about), record)
        elif word.kind == "leave":
            await self._leave(run, record)
        elif word.kind == "back":
            return await self._go_back(run, word.about)
        else:
            await self._show(run, record, word)
        return True

    async def _show(self, run: Run, record: Record, word: Word) -> None:
        """What is seen, carried, wanted, scored or possible: from the log where it stands there, or the world."""
        if word.kind in ("goal", "score"):
            self._say(run, standing(record), record)
            return
        if self._driven.get(run.turn.session) == record.number:
            self._say(run, f"I am driving. {standing(record)} Say “let me” to take over.", record)
            return
        live = await self._stage.at(run.turn.session, record)
        if word.kind == "options":
            listed = await asyncio.to_thread(live.admissible)
            more = f" … and {len(listed) - 40} more" if len(listed) > 40 else ""
            text = f"Possible here: {'; '.join(listed[:40])}{more}."
        else:
            text = await asyncio.to_thread(live.look if word.kind == "look" else live.inventory)
        self._say(run, text, record)

    async def _undo(self, run: Run, record: Record, steps: int) -> None:
        """Back by replay to the step before."""
        if not record.deeds:
            self._say(run, "There is nothing to undo here: no action was taken yet.", record)
            return
        to = max(0, len(record.deeds) - steps)
        back = deed_line(record.deeds[to])
        self._runs.emit(run, "world", episode=record.number, state="undone", to=to)
        record = self._record(run.turn.session, record.number) or record
        await self._stage.at(run.turn.session, record)
        self._say(run, f"Taken back from step {to + 1} on ({back}). {standing(record)}", record)

    async def _leave(self, run: Run, record: Record) -> None:
        await self._stage.close(run.turn.session, record.number)
        self._runs.emit(run, "world", episode=record.number, state="closed")
        self._say(run, f"I closed it. {ending(record)}", record)

    async def _go_back(self, run: Run, about: str) -> bool:
        """Another episode of this conversation is taken up again."""
        records = self.records(run.turn.session)
        wanted = which(records, about)
        if wanted is None:
            return False
        await self._stage.at(run.turn.session, wanted)
        await self._to_front(run, wanted)
        self._say(run, f"We are back in task {wanted.number}. {standing(wanted)}", wanted)
        return True

    async def _act(self, run: Run, number: int, said: str) -> bool:
        """The person's own words become actions; False where they are none."""
        async with self._hands.setdefault(run.turn.session, asyncio.Lock()):
            record = self._record(run.turn.session, number)
            if record is None:
                return False
            live = await self._stage.at(run.turn.session, record)
            told: list[str] = []
            rest: tuple[str, ...] = (said,)
            for _ in range(ROUNDS):
                if not rest or live.seen.done:
                    break
                done = tuple(live.actions)
                admissible = await asyncio.to_thread(live.admissible)
                scene = await asyncio.to_thread(live.scene)
                found = ground(rest[0], record.spec.world, admissible, live.seen.text, scene, done[-6:])
                if isinstance(found, NotAnAction):
                    if not told:
                        return False
                    break
                if not isinstance(found, Actions):
                    self._doubt(run, record, told, found)
                    return True
                if not told:
                    self._turn_wheel(run, record, "person")
                told += [await self._step(run, record, live, action) for action in found.actions]
                rest = (*found.rest, *rest[1:])
            record = self._record(run.turn.session, number) or record
            over = f"\n\n{ending(record)}" if record.last.done else ""
            self._say(run, ("\n\n".join(told) or "This task is over: it can be undone or left.") + over, record)
            return True

    async def _step(self, run: Run, record: Record, live: Live, action: str) -> str:
        """One action of the person's; what is told of it."""
        number, began = len(live.actions) + 1, time.monotonic()
        seen = await asyncio.to_thread(live.step, action)
        scene = await asyncio.to_thread(live.scene)
        self._runs.emit(
            run,
            "step",
            number=number,
            thought="",
            action=action,
            argument="",
            observation=seen.text,
            failed=False,
            seconds=round(time.monotonic() - began, 3),
            tokens=0,
            sources=[],
            depends={},
            **step_data(record.number, seen, scene, "person"),
        )
        return f"**{action}**\n\n{seen.text}"

    def _doubt(self, run: Run, record: Record, told: list[str], found: Unclear | Impossible) -> None:
        if isinstance(found, Unclear):
            text, extra = found.question, {"choices": list(found.options)}
        else:
            possible = f" Possible: {'; '.join(found.possible[:6])}." if found.possible else ""
            text, extra = f"{found.why}{possible}", {}
        self._say(run, "\n\n".join([*told, text]), record, **extra)

    def _picked(self, run: Run, record: Record) -> str:
        """The action that answers the question just asked (`Which mug?` - `the second one`); empty for none."""
        choices = self._parts.transcript.choices(run.turn.session, before=run.turn.number)
        return pick(run.turn.said, choices)

    # -- tasks

    async def _requested(self, run: Run, options: Options, dialogue: Dialogue, minds: Minds) -> bool:
        """A wish to do something in a world, in the person's own words."""
        said = run.turn.said
        picked = pick(said, self._parts.transcript.choices(run.turn.session, before=run.turn.number))
        found = await asyncio.to_thread(self._parts.requests, picked or said, dialogue)
        if found is None:
            return False
        if isinstance(found, Request):
            home = await asyncio.to_thread(self._stage.home, found.world)
            spec = await asyncio.to_thread(spec_of, found, home)
            await self._open(run, options, dialogue, minds, spec, holder_of(said), "")
        else:
            offered = found.options if isinstance(found, Vague) else found.nearest
            self._say(run, asked_back(found), choices=[option.says for option in offered])
        return True

    async def _open(
        self,
        run: Run,
        options: Options,
        dialogue: Dialogue,
        minds: Minds,
        spec: WorldSpec,
        holder: Holder,
        strategy: str,
    ) -> None:
        """Opens a world, and lets the slow mind drive where the person does not want to."""
        session = run.turn.session
        self._runs.emit(run, "status", text="opening the world")
        number = 1 + max([0, *(r.number for r in self.records(session))])
        live = await self._stage.open(session, number, spec)
        scene = await asyncio.to_thread(live.scene)
        opened = opened_data(number, spec, live.goal, live.seen, scene)
        self._runs.emit(run, "world", **opened, by=holder, strategy=strategy)
        await self._park(run)
        record = self._record(session, number)
        assert record is not None
        if holder == "person":
            self._say(run, f"{live.seen.text}\n\nYour task: {plain_goal(record)}\n\nThe wheel is yours.", record)
            return
        await self._drive(run, options, dialogue, minds, record)

    async def _drive(self, run: Run, options: Options, dialogue: Dialogue, minds: Minds, record: Record) -> None:
        """The slow mind at the wheel, until the world ends, it gives up, or a limit is reached."""
        if record.last.done:
            self._say(run, f"There is nothing left to do here. {ending(record)}", record)
            return
        name = record.strategy or options.world_strategy
        if name == "auto":
            name = default_world_strategy(record.spec.world, minds.slow.abilities.strong)
        session, goal = run.turn.session, record.goal
        self._turn_wheel(run, record, "slow")
        interim = f"I am on it: {short_goal(record)}."
        if not self._has_interim(run):
            self._say(run, interim, record, invoke=True, final=False)
        run.phase, run.question = "queued", goal
        lock = self._runs.slow_lock(session)
        if lock.locked():
            self._runs.emit(run, "run", state="queued")
        async with lock, self._driving(session, record.number):
            run.phase = "slow"
            record = self._record(session, record.number) or record
            live = await self._stage.at(session, record)
            self._runs.emit(run, "run", state="started", question=goal, resumed=0, strategy=name)
            strategy = open_strategy(
                name, Workbench(minds.slow, {}, options.temperature, world=live, opening=record.opening.text)
            )
            done = steps_of(record)
            limits = Limits(len(done) + self._limits.steps, self._limits.tokens, self._limits.seconds)
            began = time.monotonic()
            driver = Driver(run, self._runs, live, record.number)
            task = Task(goal, run.turn.said, dialogue)
            answer = await think(task, strategy, {}, driver, limits, done, live)
            self._runs.emit(run, "run", state="finished", solved=answer.solved, why=answer.why, result=answer.text)
            record = self._record(session, record.number) or record
            text = ending(record, answer, len(done), oracle=name == "oracle")
            tokens = sum(step.move.tokens for step in answer.episode.steps)
            self._say(
                run,
                text,
                record,
                by="slow",
                solved=record.last.won,
                strategy=name,
                seconds=round(time.monotonic() - began, 3),
                tokens=tokens,
            )

    # -- small

    @asynccontextmanager
    async def _driving(self, session: str, number: int) -> AsyncIterator[None]:
        self._driven[session] = number
        try:
            yield
        finally:
            del self._driven[session]

    def _has_interim(self, run: Run) -> bool:
        events = self._parts.transcript.turn_events(run.turn.session, run.turn.number)
        return any(event.kind == "reply" for event in events)

    def _record(self, session: str, number: int | None = None) -> Record | None:
        """The episode of this number, or the one in hand."""
        records = self.records(session)
        if number is None:
            return next((r for r in reversed(records) if r.state != "closed"), None)
        return next((r for r in records if r.number == number), None)

    def _turn_wheel(self, run: Run, record: Record, to: Holder) -> None:
        if record.wheel != to:
            self._runs.emit(run, "world", episode=record.number, state="wheel", by=to)

    async def _to_front(self, run: Run, record: Record) -> None:
        self._runs.emit(run, "world", episode=record.number, state="reopened")
        await self._park(run)

    async def _park(self, run: Run) -> None:
        for parked in await self._stage.park(run.turn.session):
            self._runs.emit(run, "world", episode=parked, state="parked")

    def _say(self, run: Run, text: str, record: Record | None = None, **more: Any) -> None:
        """A reply about the world. What happened there is in the log; no note of it goes into the memory."""
        episode = {"episode": record.number} if record else {}
        reply = {"by": "fast", "invoke": False, "final": True, "seconds": 0.0, "tokens": 0, **episode, **more}
        self._runs.emit(run, "reply", text=text, off_record=True, **reply)


class Driver:
    """The slow loop's listener in a world: every step becomes an event before the loop goes on."""

    def __init__(self, run: Run, runs: Runs, live: Live, number: int) -> None:
        self._run, self._runs, self._live, self._number = run, runs, live, number

    async def acting(self, number: int, move: Any) -> None:
        self._runs.emit(self._run, "act", number=number, thought=move.thought, action=move.action, argument="")

    async def stepped(self, number: int, step: Step) -> None:
        assert step.seen is not None
        scene = await asyncio.to_thread(self._live.scene)
        self._run.steps.append(f"{step.move.action}: {step.observation[:120]}")
        self._runs.emit(
            self._run,
            "step",
            number=number,
            thought=step.move.thought,
            action=step.move.action,
            argument="",
            observation=step.seen.text,
            failed=step.failed,
            seconds=round(step.seconds, 3),
            tokens=step.move.tokens,
            sources=[],
            depends={},
            **step_data(self._number, step.seen, scene, "slow"),
            **({"reached": step.move.reached} if step.move.reached else {}),
        )

    async def checkpoint(self) -> tuple[str, ...]:
        await self._run.going.wait()
        return tuple(self._run.steering)
