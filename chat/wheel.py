"""A turn in a text world: who holds the wheel, what the person's words do there, and what is told of it.

said -> a word about the wheel (let me, go on, undo, why ...)
     -> a question about what was seen
     -> an action here, in the person's own words (chat/hands.py)
     -> a request for a task in a world, where the slow mind drives (chat/driving.py)
     -> none of these: ordinary talk
Everything that happens is an event; where a world stands is folded from the events (chat/episodes.py).
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from chat.choosing import asked_back, holder_of, spec_of, wish_of
from chat.driving import Driving
from chat.episodes import Holder, Record, opened_data
from chat.hands import Hands
from chat.parts import Asked, Parts
from chat.runs import Run, Runs
from chat.stage import Stage
from chat.telling import (
    count,
    deed_line,
    done_so_far,
    ending,
    pick,
    plain_goal,
    reason,
    sights,
    spec_of_play,
    standing,
    which,
)
from chat.world_log import WorldLog
from minds.helm import Word, hear
from minds.requests import Request
from minds.requests import Unclear as Vague
from minds.slow import Limits
from tools.worlds.seen import recollect
from tools.worlds.world import WorldFault, WorldSpec

OPTIONS_SHOWN = 40


@dataclass(frozen=True)
class _Wanted:
    """A world to be opened: whose wheel it is at first, and the strategy that the person named (empty: none)."""

    spec: WorldSpec
    holder: Holder
    strategy: str = ""


class Wheel:
    """Answers the turns that belong to a world."""

    def __init__(self, parts: Parts, runs: Runs, stage: Stage, limits: Limits) -> None:
        self._parts, self._runs, self._stage = parts, runs, stage
        self._log = WorldLog(parts.transcript, runs)
        self._hands = Hands(self._log, stage, parts.tokens)
        self._driving = Driving(parts, runs, self._log, stage, limits)

    async def answer(self, asked: Asked) -> bool:
        """Whether the turn belonged to a world; then it is answered. Raises ModelFault."""
        try:
            return await self._heard(asked)
        except WorldFault as fault:
            self._log.say(asked.run, str(fault))
            return True

    async def resume(self, asked: Asked, before: Sequence[Any]) -> bool:
        """Takes an interrupted turn up again; False where it was not one of a world."""
        run = asked.run
        numbers = [e.data["episode"] for e in before if e.kind in ("world", "step") and "episode" in e.data]
        record = self._log.record(asked.session, int(numbers[-1])) if numbers else None
        if record is None:
            return False
        try:
            if record.wheel == "slow":
                await self._driving.drive(asked, record)
            else:
                done = count(len(record.deeds))
                self._log.say(run, f"I was interrupted after {done}. {standing(record)}", record)
        except WorldFault as fault:
            self._log.say(run, str(fault), record)
        return True

    def records(self, session: str) -> tuple[Record, ...]:
        """The session's episodes, the one in hand last."""
        return self._log.records(session)

    async def possible(self, session: str) -> tuple[str, ...]:
        """The actions that the world in hand allows now, for the page's buttons. Raises WorldFault."""
        record = self._log.record(session)
        if record is None or record.last.done or self._driving.holds(session, record.number):
            return ()
        live = await self._stage.at(session, record)
        return await asyncio.to_thread(live.admissible)

    async def close(self, session: str) -> None:
        """Ends the session's worlds: it is deleted."""
        await self._stage.close(session)

    async def _heard(self, asked: Asked) -> bool:
        if asked.said.strip().startswith("/play"):
            spec, strategy, human = spec_of_play(asked.said, self._stage.home)
            await self._open(asked, _Wanted(spec, "person" if human else "slow", strategy))
            return True
        record = self._log.record(asked.session)
        word = hear(asked.said)
        if record is None and word and word.kind == "back":
            return await self._go_back(asked.run, word.about)
        if record and await self._in_world(asked, record):
            return True
        if record is None and word and (told := self._nothing_open(asked, word)):
            self._log.say(asked.run, told)
            return True
        return await self._requested(asked)

    def _nothing_open(self, asked: Asked, word: Word) -> str:
        """What is told where there is no wheel to speak of; empty where the words may belong to ordinary talk."""
        closed, strong = bool(self.records(asked.session)), asked.minds.slow.abilities.strong
        talk = asked.dialogue.turns and not closed and (strong or asked.briefing)
        if word.kind not in ("undo", "tried") or talk:
            return ""
        lacking = "nothing to undo" if word.kind == "undo" else "no steps to tell of"
        more = "Say “go back to the last one” to open it again" if closed else "Ask for a task in one, or say “/play”"
        return f"No world is open, so there is {lacking}. {more}."

    async def _in_world(self, asked: Asked, record: Record) -> bool:
        """What is said while a world is open."""
        if word := hear(asked.said):
            return await self._obey(asked, record, word)
        if found := recollect(asked.said, sights(record)):
            self._log.say(asked.run, found, record)
            return True
        if self._driving.holds(asked.session, record.number):
            return False
        return await self._hands.act(asked, record.number, self._picked(asked) or asked.said)

    # -- words about the wheel

    async def _obey(self, asked: Asked, record: Record, word: Word) -> bool:
        run = asked.run
        if word.kind in ("take", "leave", "undo", "back"):
            record = await self._halted(asked, record)
        if word.kind == "take":
            self._log.turn_wheel(run, record, "person")
            self._log.say(run, f"The wheel is yours. {standing(record)}", record)
        elif word.kind == "give":
            await self._driving.drive(asked, record)
        elif word.kind == "undo":
            await self._undo(run, record, word.count)
        elif word.kind == "tried":
            self._log.say(run, done_so_far(record), record)
        elif word.kind == "why":
            self._log.say(run, reason(record, word.about), record)
        elif word.kind == "leave":
            await self._leave(run, record)
        elif word.kind == "back":
            return await self._go_back(run, word.about)
        else:
            await self._show(run, record, word)
        return True

    async def _halted(self, asked: Asked, record: Record) -> Record:
        """The episode with nobody else at its wheel."""
        driving = [r for r in asked.others if r.phase != "fast"]
        if not driving:
            return record
        await self._runs.halt(driving)
        return self._log.again(asked.session, record)

    async def _show(self, run: Run, record: Record, word: Word) -> None:
        """What is seen, carried, wanted, scored or possible: from the log where it stands there, or the world."""
        if word.kind in ("goal", "score"):
            self._log.say(run, standing(record), record)
            return
        if self._driving.holds(run.turn.session, record.number):
            self._log.say(run, f"I am driving. {standing(record)} Say “let me” to take over.", record)
            return
        live = await self._stage.at(run.turn.session, record)
        if word.kind == "options":
            listed = await asyncio.to_thread(live.admissible)
            left = len(listed) - OPTIONS_SHOWN
            more = f" … and {left} more" if left > 0 else ""
            text = f"Possible here: {'; '.join(listed[:OPTIONS_SHOWN])}{more}."
        else:
            text = await asyncio.to_thread(live.look if word.kind == "look" else live.inventory)
        self._log.say(run, text, record)

    async def _undo(self, run: Run, record: Record, steps: int) -> None:
        """Back by replay to the step before."""
        if not record.deeds:
            self._log.say(run, "There is nothing to undo here: no action was taken yet.", record)
            return
        to = max(0, len(record.deeds) - steps)
        back = deed_line(record.deeds[to])
        self._log.state(run, record.number, "undone", to=to)
        record = self._log.again(run.turn.session, record)
        await self._stage.at(run.turn.session, record)
        self._log.say(run, f"Taken back from step {to + 1} on ({back}). {standing(record)}", record)

    async def _leave(self, run: Run, record: Record) -> None:
        await self._stage.close(run.turn.session, record.number)
        self._log.state(run, record.number, "closed")
        self._log.say(run, f"I closed it. {ending(record)}", record)

    async def _go_back(self, run: Run, about: str) -> bool:
        """Another episode of this conversation is taken up again."""
        wanted = which(self.records(run.turn.session), about)
        if wanted is None:
            return False
        await self._stage.at(run.turn.session, wanted)
        self._log.state(run, wanted.number, "reopened")
        await self._park(run)
        self._log.say(run, f"We are back in task {wanted.number}. {standing(wanted)}", wanted)
        return True

    # -- tasks

    async def _requested(self, asked: Asked) -> bool:
        """A wish to do something in a world, in the person's own words."""
        wish = self._picked(asked) or wish_of(asked.said)
        found = await asyncio.to_thread(self._parts.requests, wish, asked.dialogue)
        if found is None:
            return False
        if isinstance(found, Request):
            home = await asyncio.to_thread(self._stage.home, found.world)
            spec = await asyncio.to_thread(spec_of, found, home)
            await self._open(asked, _Wanted(spec, holder_of(asked.said)))
        else:
            offered = found.options if isinstance(found, Vague) else found.nearest
            self._log.say(asked.run, asked_back(found), choices=[option.says for option in offered])
        return True

    async def _open(self, asked: Asked, wanted: _Wanted) -> None:
        """Opens a world, and lets the slow mind drive where the person does not want to."""
        run, session = asked.run, asked.session
        self._runs.emit(run, "status", text="opening the world")
        number = 1 + max([0, *(r.number for r in self.records(session))])
        live = await self._stage.open(session, number, wanted.spec)
        scene = await asyncio.to_thread(live.scene)
        opened = opened_data(number, wanted.spec, live.goal, live.seen, scene)
        self._runs.emit(run, "world", **opened, by=wanted.holder, strategy=wanted.strategy)
        await self._park(run)
        record = self._log.record(session, number)
        assert record is not None
        if wanted.holder == "person":
            task = f"Your task: {plain_goal(record)}\n\nThe wheel is yours."
            self._log.say(run, f"{live.seen.text}\n\n{task}", record)
        else:
            await self._driving.drive(asked, record)

    async def _park(self, run: Run) -> None:
        for parked in await self._stage.park(run.turn.session):
            self._log.state(run, parked, "parked")

    def _picked(self, asked: Asked) -> str:
        """What answers the question just asked (`Which mug?` - `the second one`); empty for nothing."""
        return pick(asked.said, self._parts.transcript.choices(asked.session, before=asked.run.turn.number))
