"""What a person does in a world without a model: commands, and an admissible action that was written out."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from chat.runs import Run
from chat.services import TurnRequest
from chat.sessions import title_of
from chat.worlds.commands import Control, control, is_command, lets_drive, spec_of_play
from chat.worlds.driving import Driving
from chat.worlds.episodes import Holder, Record
from chat.worlds.session import WorldSession, handed, open_to_person, shared
from chat.worlds.telling import count, ending, short_goal, standing, your_turn
from chat.worlds.worlds import Worlds, open_world
from minds.acting import IN_ORDER
from minds.dialogue import Event
from prompts import spoken
from tools.desk import ToolFault
from tools.worlds.actions import TEMPLATES
from tools.worlds.world import WorldFault, WorldSpec

LITERAL = 200
"""Characters of a text that may be an action."""
ANOTHER = "Another task was opened before this could be done, so nothing was done: say it again to do it there."
_FIRST_WORDS = frozenset(template.split()[0] for template in TEMPLATES)


class Instant:
    """Answers one turn, where it is of this kind."""

    def __init__(self, worlds: Worlds, turn: TurnRequest) -> None:
        self._worlds, self._turn, self._session = worlds, turn, WorldSession(worlds, turn)

    async def answer(self, before: Sequence[Event]) -> bool:
        """Whether the turn was a command or an action, written out; then it is answered, or taken up again where it was
        interrupted, which `before` tells. Raises ModelFault."""
        if await self._resumed(before):
            return True
        try:
            if is_command(self._turn.said):
                await self._command()
                return True
            return await self._literal()
        except (WorldFault, ToolFault) as fault:
            self._say(str(fault))
            return True

    async def _resumed(self, before: Sequence[Event]) -> bool:
        numbers = [int(str(e.data["episode"])) for e in before if e.kind in ("world", "step") and "episode" in e.data]
        record = self._worlds.record(self._turn.session, numbers[-1]) if numbers else None
        command = is_command(self._turn.said)
        thought = any(event.kind == "run" and event.data.get("state") == "started" for event in before)
        if record is None or (thought and not command):
            return False
        try:
            if lets_drive(self._turn.said) and record.wheel == "slow" and not record.last.done:
                await self._drive(record)
            else:
                self._say(f"I was interrupted after {count(len(record.deeds))}. {standing(record)}", record)
        except WorldFault as fault:
            self._say(str(fault), record)
        return True

    async def take(self) -> str:
        """The person acts from now on, whatever is under way there; what is told. Raises ToolFault."""
        record = await self._halted(shared(self._session.hand()))
        if record.last.done:
            raise ToolFault(self._over(record))
        self._worlds.turn_wheel(self._turn.run, record, "person")
        return your_turn(record, self._session.language)

    async def _command(self) -> None:
        said = self._turn.said
        if said.split()[0] == "/play":
            await self._play(said)
            return
        found = control(said)
        record = self._session.numbered(found.number) if found.act == "return" else self._session.hand()
        if found.act == "take":
            self._say(await self.take(), record)
        elif found.act == "go on":
            await self._drive(shared(record))
        elif found.act == "pass":
            await self._pass(await self._halted(record) if record.game else record)
        else:
            await self._halted(shared(record) if found.act == "undo" else record)
            self._say(await self._changed(found), record)

    async def _changed(self, found: Control) -> str:
        if found.act == "undo":
            told = await self._session.undo(found.number)
        elif found.act == "close":
            told = await self._session.leave()
        else:
            told = await self._session.take_up(found.number)
        return told.told or told.text

    async def _play(self, said: str) -> None:
        play = await asyncio.to_thread(spec_of_play, said, self._worlds.running.home)
        await self._begin(play.spec, "person" if play.human else "slow", play.strategy, play.game)

    async def _begin(self, spec: WorldSpec, holder: Holder, strategy: str, game: bool) -> None:
        record = await self._session.opened(spec, holder, strategy, game)
        if self._turn.run.turn.number == 1:  # a conversation that a command begins is called by its task
            goal = short_goal(record)
            self._worlds.transcript.name(self._turn.session, title_of(goal[:1].upper() + goal[1:]))
        if holder == "person":
            self._say(handed(record, self._session.language), record)
        else:
            await self._drive(record)

    async def _pass(self, record: Record) -> None:
        """The other one plays the same task. Raises ToolFault."""
        if not record.game:
            raise ToolFault("This task is no game: `/play` with `--game` begins one.")
        if not record.last.done:
            async with self._worlds.running.acting(self._turn.session):
                await self._session.close([record])
        await self._begin(record.spec, "slow" if record.wheel == "person" else "person", record.strategy, game=True)

    async def _literal(self) -> bool:
        """The person acts, by one of the actions that the page offers."""
        session, said = self._turn.session, " ".join(self._turn.said.split())
        record = open_world(self._worlds.records(session))
        if record is None or not 0 < len(said) <= LITERAL or self._worlds.holds(session, record.number):
            return False
        if self._worlds.running.running(session, record.number) is None and not _like_a_command(said):
            return False  # no engine is started for words that are hardly an action
        async with self._worlds.running.acting(session):
            record = self._worlds.again(session, record)
            if self._worlds.holds(session, record.number) or record.state == "closed" or record.last.done:
                return False
            try:
                live = await self._worlds.running.at(session, record)
                action = (await asyncio.to_thread(live.space)).literal(said)
            except WorldFault:
                if _like_a_command(said):
                    raise
                return False  # a world that is broken holds no talk
            if not action:
                return False
            opened = open_world(self._worlds.records(session))
            if opened is None or opened.number != record.number:
                raise ToolFault(ANOTHER)
            self._worlds.turn_wheel(self._turn.run, open_to_person(record), "person")
            told = await self._session.step(record, live, action, "person")
            record = self._worlds.again(session, record)
            next_ = record.game and record.last.done
            more = {"invoke": True, "final": False} if next_ else {}
            over = f"\n\n{ending(record, language=self._session.language)}" if record.last.done else ""
            self._say(told + over, record, **more)
        if next_:
            await self._pass(record)
        return True

    async def _drive(self, record: Record) -> None:
        """As a slow run of its own, from the interim reply to the final one."""
        run, runs = self._turn.run, self._worlds.runs
        if record.last.done:
            self._say(self._over(record), record)
            return
        self._worlds.turn_wheel(run, record, "slow")
        events = self._worlds.transcript.turn_events(self._turn.session, run.turn.number)
        if not any(event.kind == "reply" for event in events):  # else it is taken up again
            on_it = spoken("worlds/on_it", self._session.language, goal=short_goal(record))
            self._say(on_it, record, invoke=True, final=False)
        async with runs.slowly(run, record.goal):
            runs.emit(run, "run", state="started", question=record.goal, resumed=0)
            went = await Driving(self._worlds, self._turn).drive(record)
            answer = went.answer
            runs.emit(run, "run", state="finished", solved=answer.solved, why=answer.why, result=answer.text)
            more = {"solved": went.record.last.won, "strategy": went.strategy, "tokens": answer.tokens}
            self._say(went.told, went.record, by="slow", seconds=went.seconds, **more)

    def _over(self, record: Record) -> str:
        language = self._session.language
        return f"{spoken('worlds/over', language)} {ending(record, language=language)}"

    async def _halted(self, record: Record) -> Record:
        """The episode with nobody else acting in it; what is asked of other things goes on."""
        driving = [run for run in self._turn.others if run.phase != "fast" and self._acts(run)]
        if driving:
            await self._worlds.runs.halt(driving)
        return self._worlds.again(self._turn.session, record)

    def _say(self, text: str, record: Record | None = None, **more: object) -> None:
        """What happened in a world is in the log; no note of it goes into the memory."""
        episode = {"episode": record.number} if record else {}
        reply = {"by": "fast", "invoke": False, "final": True, "seconds": 0.0, "tokens": 0, **episode, **more}
        self._worlds.runs.emit(self._turn.run, "reply", text=text, off_record=True, **reply)

    def _acts(self, run: Run) -> bool:
        """Whether a run acts in a world, or waits to."""
        events = self._worlds.transcript.turn_events(run.turn.session, run.turn.number)
        calls = (str(event.data["action"]) for event in events if event.kind == "act")
        return any("episode" in event.data for event in events) or any(call.startswith(IN_ORDER) for call in calls)


def _like_a_command(said: str) -> bool:
    """Whether it begins as the simulators' own commands do."""
    return said.split()[0].lower() in _FIRST_WORDS or said.isdigit()
