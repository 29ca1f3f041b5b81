"""One turn's worlds, as the desk of the slow mind's tools (tools/worlds/tool.py): what is done becomes events."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from math import inf

from chat.services import TurnRequest
from chat.worlds import telling
from chat.worlds.driving import Driven, Driving
from chat.worlds.episodes import Holder, Record, afar, in_hand, opened_data, step_data
from chat.worlds.worlds import Worlds, open_world
from minds.dialogue import Call, Event, Move, Step
from minds.strategies import HEEDLESS
from prompts import spoken
from tools.desk import ToolFault
from tools.worlds.actions import FOCUS, ActionSpace, parts_of
from tools.worlds.goal import Drive, Goal, find, instead
from tools.worlds.running import RunningWorld
from tools.worlds.tool import Act, Told, WorldState
from tools.worlds.world import WorldFault, WorldSpec

BREAK, FIRST_OF_THEM = "\n\n", "0"
"""Between an action and what was seen then; what answers a laboratory that asks which of several things is meant."""
BANNER = "-= Welcome to TextWorld, ALFRED! =-"
"""The greeting of ALFWorld's engine."""
HEEDS_NOT = "The policy that acted does only the task: it cannot be told how."
RECENT, FIRST, SHOWN = 3, 5, 3
"""Actions that the state tells; steps that the assistant takes where it is to begin and the person goes on; things
whose story a person is shown."""


class WorldSession:
    """The worlds of one conversation in one turn; a `WorldDesk`. Nothing is started when it is made."""

    def __init__(self, worlds: Worlds, turn: TurnRequest) -> None:
        self._worlds, self._turn = worlds, turn
        self.state = WorldState()

    @property
    def language(self) -> str:
        """In which the person is told of them."""
        return self._worlds.language(self._turn)

    async def ready(self) -> None:
        """Reads where the worlds stand, and brings the open one back where its engine is gone.

        To be awaited before the first `make` of a slow run; every use leaves the state as it is then. A world that
        cannot be brought back has no actions.
        """
        async with self._worlds.running.acting(self._turn.session):
            records = self._worlds.records(self._turn.session)
            hand, open_ = in_hand(records), open_world(records)
            space = await self._space(open_) if open_ else None
        self.state = WorldState(
            tuple(record.number for record in records),
            hand.number if hand else 0,
            len(hand.deeds) if hand else 0,
            open_ is not None,
            space,
            "person" if open_ and open_.wheel == "person" else "assistant",
            open_.actions[-RECENT:] if open_ else (),
            open_.last.text if open_ else "",
            telling.short_goal(hand or records[-1]) if records else "",
            afar(open_) if open_ else (),
            self.language,
            self._turn.minds.slow.abilities.strong,
            bool(records) and records[-1].state == "closed" and not records[-1].last.done,
        )

    async def open(self, goal: Goal, how: str = "") -> Told:
        """A task that fits the goal; where the assistant drives it acts to the end."""
        spec = await asyncio.to_thread(find, goal, self._worlds.running.home, self._worlds.embed)
        told, first = await self._begun(spec, goal.drive, how), instead(goal, spec)
        if not first:
            return told
        return replace(told, text=f"{first}\n\n{told.text}", told=told.told and f"{first}\n\n{told.told}")

    async def _begun(self, spec: WorldSpec, drive: Drive, how: str) -> Told:
        record = await self.opened(spec, "person" if drive == "person" else "slow", how=how)
        if drive == "assistant":
            return await self._driven(record)
        if drive == "person":
            text = f"{introduced(record)}\nThe person acts."
            return await self._told(record, text, handed(record, self.language))
        return await self._some(record, FIRST)

    async def _some(self, record: Record, steps: int, how: str = "") -> Told:
        """The assistant takes so many steps, the person acts from then on."""
        until = len(record.deeds) + steps
        self._worlds.turn_wheel(self._turn.run, record, "slow", how, until=until, steps=steps)
        return await self._up_to(record, until, steps)

    async def _up_to(self, record: Record, until: int, steps: int) -> Told:
        """Until the task has so many steps, the last `steps` of which were asked for."""
        went, before = await Driving(self._worlds, self._turn).drive(record, until - len(record.deeds)), record
        record = went.record
        if record.last.done:
            return await self._went(went)
        over = await self.hand_over()
        text, told = went.text, went.told
        if len(record.deeds) >= until:
            did = f" ({telling.deeds_since(record, until - steps)})"
            text = f"The assistant has taken {telling.count(steps)}.{did}{telling.taken_back(before, record)}"
            told = spoken("worlds/taken", self.language, steps=telling.count(steps, self.language))
            told += did + telling.taken_back(before, record, self.language)
        both = await self._told(record, f"{text}{with_how(went)} {over.text}", f"{told} {over.told}")
        return replace(both, tokens=went.answer.tokens, seconds=went.seconds)

    async def act(self, acts: Sequence[Act], why: str) -> Told:
        """One action after the other, until one cannot be done or the world ends."""
        async with self._worlds.running.acting(self._turn.session):
            record = open_to_person(self._open())
            live = await self._worlds.running.at(self._turn.session, record)
            done: list[str] = []
            for act in acts:
                try:
                    space = await asyncio.to_thread(live.space)
                    action = space.action(act.verb, act.object, act.other)
                except ToolFault as fault:
                    if not done:
                        raise
                    done.append(str(fault))
                    break
                done.append(await self.step(record, live, action, record.wheel, why))
                # A laboratory that asks which of several things was meant has numbers as actions.
                if parts_of(action).verb != FOCUS and (await asyncio.to_thread(live.admissible))[:1] == (
                    FIRST_OF_THEM,
                ):
                    done[-1] = await self._first_of_them(record, live, action, why)
                if live.seen.done:
                    break
        record = self._worlds.again(self._turn.session, record)
        if not record.last.done:
            return await self._told(record, "\n\n".join(done))
        return await self._worded(
            record, lambda language: "\n\n".join([*done, telling.ending(record, language=language)])
        )

    async def undo(self, steps: int) -> Told:
        """Back by replay to the state before the last steps."""
        async with self._worlds.running.acting(self._turn.session):
            record = shared(self.hand())
            if not record.deeds:
                raise ToolFault("There is nothing to undo here: no action was taken yet.")
            to = steps_back(record.actions, steps)
            back = record.deeds[to].action
            self._worlds.state(self._turn.run, record.number, "undone", to=to)
            record = self._worlds.again(self._turn.session, record)
            await self._worlds.running.at(self._turn.session, record)
        return await self._worded(record, lambda language: telling.undone(record, back, language))

    async def go_on(self, steps: int | None = None, how: str = "") -> Told:
        """The assistant acts from here until the task is over or a limit is reached, or so many steps are taken."""
        record = shared(self.hand())
        if record.last.done:
            raise ToolFault(f"There is nothing left to do here. {telling.ending(record)}")
        if steps is not None:
            return await self._some(record, steps, how)
        self._worlds.turn_wheel(self._turn.run, record, "slow", how)
        return await self._driven(self._worlds.again(self._turn.session, record))

    async def hand_over(self) -> Told:
        """The person acts from now on."""
        record = shared(self._open())
        self._worlds.turn_wheel(self._turn.run, record, "person")
        text = f"The person acts from here on. {telling.standing(record)}\n{record.last.text}"
        return await self._told(record, text, f"{telling.your_turn(record, self.language)}\n{record.last.text}")

    async def leave(self) -> Told:
        """Out of the task in hand, and of every other that was put aside for it: none takes its place."""
        async with self._worlds.running.acting(self._turn.session):
            record = self.hand()
            await self.close(one for one in self._worlds.records(self._turn.session) if one.state != "closed")
        return await self._worded(record, lambda language: telling.left(record, language))

    async def story(self, task: int | None) -> Told:
        """What happened in a task: nothing is asked of an engine."""
        records = self._worlds.records(self._turn.session)
        if not records:
            raise ToolFault("There was no task in a text world in this conversation.")
        record = self.numbered(task) if task is not None else records[-1]
        able, whole = self._turn.minds.slow.abilities, self._turn.minds.slow.recounts is not None
        text = telling.story(record, telling.room(able)) if able.strong else telling.said_story(record, whole=whole)
        shown = [telling.ending(record, language=self.language)] if whole else []
        shown += telling.things(record, who=True)[-SHOWN:]
        shown += [telling.both(record, self.language)] if whole or all(telling.shares(record)) else []
        told = "\n".join(f"- {line}" for line in shown)
        return Told(text, self._depends(record), told, whole=True)

    async def take_up(self, task: int, anew: bool = False, drive: Drive | None = None, how: str = "") -> Told:
        """An earlier task of this conversation is in hand again; where the assistant is to drive it acts to the end."""
        record = self.numbered(task)
        holder: Holder = record.wheel if drive is None else "person" if drive == "person" else "slow"
        if anew or (drive and record.last.done):
            drive = drive or ("person" if holder == "person" else "assistant")
            return await self._begun(record.spec, drive, how or record.how)
        if holder != record.wheel:
            record = shared(record)
        async with self._worlds.running.acting(self._turn.session):
            await self._worlds.running.at(self._turn.session, self._worlds.again(self._turn.session, record))
            self._worlds.state(self._turn.run, record.number, "reopened")
        await self._park()
        self._worlds.turn_wheel(self._turn.run, record, holder, how)
        record = self._worlds.again(self._turn.session, record)
        if drive in ("assistant", "both") and not record.last.done:
            return await (self._driven(record) if drive == "assistant" else self._some(record, FIRST))
        return await self._worded(record, lambda language: f"{telling.again(record, language)}\n{record.last.text}")

    async def unfinished(self, before: Sequence[Event]) -> Step | None:
        """Of a slow run that was interrupted while the assistant drove in a world: it drives on as far as it was to.

        `before` are the turn's events. The step that stands for the interrupted call, done; None where there is none.
        Raises ModelFault.
        """
        number = driving_at_the_end(before)
        record = self._worlds.record(self._turn.session, number) if number else None
        if record is None or (record.wheel != "slow" and len(record.deeds) < some_steps(before).get("until", inf)):
            return None
        try:
            if record.last.done:
                went = Told(telling.ending(record), told=telling.ending(record, language=self.language))
            elif some := some_steps(before):  # as far as the log says that it was to
                went = await self._up_to(record, some["until"], some["steps"])
            else:
                went = await self._driven(record)
        except WorldFault as fault:
            went = Told(str(fault))
        move = Move("I was interrupted in the world, so I went on there.", (Call("world_go_on"),))
        told = "" if self.language == "English" else went.told  # who reads English is told what the model reads
        return Step(move, went.text, depends={"world": self._depends(record)}, told=told)

    # -- for chat/worlds/instant.py, too

    async def opened(
        self, spec: WorldSpec, holder: Holder, strategy: str = "", game: bool = False, how: str = ""
    ) -> Record:
        """A new episode, which is in hand from now on; tasks that are over are left. Raises WorldFault."""
        run, session, runs = self._turn.run, self._turn.session, self._worlds.runs
        runs.emit(run, "status", text="opening the world")
        async with self._worlds.running.acting(session):
            records = self._worlds.records(session)
            number = 1 + max([0, *(record.number for record in records)])
            live = await self._worlds.running.open(session, number, spec)
            scene = await asyncio.to_thread(live.scene)
            opened = opened_data(number, spec, live.goal, live.seen, scene)
            await self.close(record for record in records if record.last.done and record.state != "closed")
            more = ({"game": True} if game else {}) | ({"how": how} if how else {})
            runs.emit(run, "world", **opened, by=holder, strategy=strategy, **more)
            await self._park()
        return self.numbered(number)

    async def step(self, record: Record, live: RunningWorld, action: str, by: Holder, why: str = "") -> str:
        """One action; what is told of it. Raises WorldFault."""
        number, began = live.steps + record.back + 1, time.monotonic()
        place = self._worlds.again(self._turn.session, record).here.place
        seen = await asyncio.to_thread(live.step, action)
        scene = await asyncio.to_thread(live.scene)
        seconds = round(time.monotonic() - began, 3)
        data = {"episode": record.number, **step_data(seen, scene, by)}
        self._worlds.step(self._turn.run, number, action, thought=why, observation=seen.text, seconds=seconds, **data)
        told = f"**{action}**{BREAK}{seen.text}"
        moved = scene.place != place and not seen.done
        if moved and len(seen.text) < telling.BRIEF:  # then it is looked at as well, which is no step
            told += f"\n\n{await asyncio.to_thread(live.look)}"
        return told

    async def _first_of_them(self, record: Record, live: RunningWorld, action: str, why: str) -> str:
        """Where several things are called so, the first is taken, and which it is told."""
        which = live.seen.text.partition(f"{FIRST_OF_THEM}:")[2].partition("\n")[0].strip()
        told = await self.step(record, live, FIRST_OF_THEM, record.wheel, why)
        return f"**{action}** ({which}){BREAK}{told.partition(BREAK)[2]}"

    async def close(self, records: Iterable[Record]) -> None:
        """Whoever calls holds the session's worlds (`running.acting`)."""
        for record in records:
            await self._worlds.running.close(self._turn.session, record.number)
            self._worlds.state(self._turn.run, record.number, "closed")

    def hand(self) -> Record:
        """The episode in hand. Raises ToolFault."""
        if record := in_hand(self._worlds.records(self._turn.session)):
            return record
        raise ToolFault("No text world is open.")

    def numbered(self, number: int) -> Record:
        """The conversation's episode of this number. Raises ToolFault."""
        if record := self._worlds.record(self._turn.session, number):
            return record
        known = ", ".join(sorted(str(r.number) for r in self._worlds.records(self._turn.session))) or "none"
        raise ToolFault(f"There is no task {number} in this conversation; there are: {known}.")

    # -- inside

    async def _driven(self, record: Record) -> Told:
        """Inside the slow run of this turn, which holds the session's slow lock."""
        return await self._went(await Driving(self._worlds, self._turn).drive(record))

    async def _went(self, went: Driven) -> Told:
        told = await self._told(went.record, went.text + with_how(went), went.told)
        return replace(told, tokens=went.answer.tokens, seconds=went.seconds)

    async def _worded(self, record: Record, word: Callable[[str], str]) -> Told:
        """The result of a use in words: for the model in English, for the person in their language."""
        return await self._told(record, word("English"), word(self.language))

    async def _told(self, record: Record, text: str, told: str = "") -> Told:
        """The result of a use, `told` to the person where that differs; the state is then as it is now."""
        await self.ready()
        depends = self._depends(self._worlds.again(self._turn.session, record))
        return Told(text, depends, "" if told == text or self._worlds.worded(self._turn) else told)

    async def _park(self) -> None:
        for parked in await self._worlds.running.park(self._turn.session):
            self._worlds.state(self._turn.run, parked, "parked")

    async def _space(self, record: Record) -> ActionSpace | None:
        try:
            live = await self._worlds.running.at(self._turn.session, record)
            return await asyncio.to_thread(live.space)
        except WorldFault:
            return None

    def _open(self) -> Record:
        if record := open_world(self._worlds.records(self._turn.session)):
            return record
        raise ToolFault(f"This task is over. {telling.ending(self.hand())}")

    def _depends(self, record: Record) -> str:
        """The state that a result holds for."""
        return f"{self._turn.session}/{record.number}@{len(record.deeds)}"


def shared(record: Record) -> Record:
    """The record, where person and slow mind may take turns in it. Raises ToolFault."""
    if record.game:
        raise ToolFault("In a game each plays alone, and no step is taken back. `/world pass` ends your turn.")
    return record


def open_to_person(record: Record) -> Record:
    """The record, where the person may act in it. Raises ToolFault."""
    return record if record.wheel == "person" else shared(record)


def with_how(went: Driven) -> str:
    """What a model is told of a drive where the person said how it was to be done, with what was done: whether that was
    heeded is for whoever tells the person to say."""
    if not went.record.how:
        return ""
    how = f"\nIt was to be done so: {went.record.how}\nDone was: {telling.deeds_since(went.record, went.since)}."
    return how + (f" {HEEDS_NOT}" if went.strategy in HEEDLESS else "")


def introduced(record: Record, language: str = "English") -> str:
    """What is seen first, and what is to be done, told once."""
    seen, goal = record.opening.text.removeprefix(BANNER).strip(), telling.plain_goal(record)
    return seen if goal in seen else f"{seen}\n\n{spoken('worlds/task', language, goal=goal)}"


def handed(record: Record, language: str) -> str:
    """A new task, in which the person acts."""
    return f"{introduced(record, language)}\n\n{spoken('worlds/you_act', language)}"


def driving_at_the_end(before: Sequence[Event]) -> int:
    """The episode in which the assistant drove when a slow run was interrupted; 0 for none."""
    acted = [event for event in before if event.kind in ("world", "step")]
    if some_steps(before) and acted[-1].kind == "world" and acted[-1].data.get("by") == "person":
        acted.pop()  # it handed over behind them, and had not yet told so
    if not acted or "episode" not in acted[-1].data:
        return 0  # a tool's step ends what was done in the world
    data = acted[-1].data
    drove = "strategy" in data if acted[-1].kind == "step" else data.get("by") == "slow"
    return int(str(data["episode"])) if drove else 0


def some_steps(before: Sequence[Event]) -> dict[str, int]:
    """Where the assistant was last to take some steps: how many `steps`, and `until` which the task then has."""
    worlds = [event.data for event in before if event.kind == "world" and event.data["state"] != "undone"]
    wheels = [data for data in worlds if data.get("by") == "slow"]
    return {name: int(str(wheels[-1][name])) for name in ("until", "steps")} if wheels and "until" in wheels[-1] else {}


def steps_back(actions: Sequence[str], steps: int) -> int:
    """How many actions stay where so many steps are taken back: one and its answer to `which one?` are one step."""
    begun = [number for number, action in enumerate(actions) if not action.isdigit()]
    return begun[-steps] if steps <= len(begun) else 0
