"""The person acts: their own words become actions of the world in hand, one after the other."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

from chat.episodes import Record, step_data
from chat.parts import Asked
from chat.runs import Run
from chat.stage import Live, Stage
from chat.telling import ending
from chat.world_log import WorldLog
from minds.meaning import meant
from minds.models.language import Usage
from tools.worlds.grounding import Actions, Impossible, NotAnAction, Unclear, candidates, ground

ROUNDS = 8
"""Times that the rest of one sentence is read anew, with the actions that its beginning made possible."""
NEAREST = 12
"""Actions that a strong model is shown, where the rules find none."""


def screen(live: Live) -> str:
    """What the person has before them, in the world's own words: the last answer, the room, what is carried.

    Only there a laboratory's things have the names that people call them by (`a glass cup`). Blocking.
    """
    told, room, carried = live.seen.text.strip(), live.look().strip(), live.inventory().strip()
    return "\n\n".join([*([told] if told != room else []), room, carried])


class Hands:
    """Acts for the person; in one session one sentence at a time."""

    def __init__(self, log: WorldLog, stage: Stage, tokens: Callable[[str], Any] | None = None) -> None:
        self._log, self._stage, self._tokens = log, stage, tokens
        self._busy: dict[str, asyncio.Lock] = {}

    async def act(self, asked: Asked, number: int, said: str) -> bool:
        """Whether the words were for the world; then they are answered. Raises WorldFault."""
        run, session, usage = asked.run, asked.session, Usage()
        async with self._busy.setdefault(session, asyncio.Lock()):
            record = self._log.record(session, number)
            if record is None:
                return False
            live = await self._stage.at(session, record)
            told: list[str] = []
            rest: tuple[str, ...] = (said,)
            for _ in range(ROUNDS):
                if not rest or live.seen.done:
                    break
                found = await self._read(asked, rest[0], record, live, usage)
                if isinstance(found, NotAnAction):
                    if not told:
                        return False
                    break
                if not isinstance(found, Actions):
                    self._doubt(run, record, told, found)
                    return True
                if not told:
                    self._log.turn_wheel(run, record, "person")
                told += [await self._step(run, record, live, action) for action in found.actions]
                rest = (*found.rest, *rest[1:])
            record = self._log.again(session, record)
            over = f"\n\n{ending(record)}" if record.last.done else ""
            told = told or ["This task is over: it can be undone or left."]
            self._log.say(run, "\n\n".join(told) + over, record, tokens=usage.read + usage.written)
            return True

    async def _read(
        self, asked: Asked, said: str, record: Record, live: Live, usage: Usage
    ) -> Actions | Unclear | Impossible | NotAnAction:
        """By the rules; what they hold for impossible, a strong model is asked about too."""
        recent = tuple(live.actions)[-6:]
        admissible = await asyncio.to_thread(live.admissible)
        scene = await asyncio.to_thread(live.scene)
        seen = await asyncio.to_thread(screen, live) if record.spec.world == "scienceworld" else live.seen.text
        found = await asyncio.to_thread(ground, said, record.spec.world, admissible, seen, scene, recent, self._tokens)
        if not isinstance(found, Impossible) or not asked.minds.slow.abilities.strong:
            return found
        near = [action for action, _ in candidates(said, admissible, NEAREST)]
        action = await meant(asked.minds.slow, said, live.seen.text, near, usage)
        return Actions((action,)) if action else found

    async def _step(self, run: Run, record: Record, live: Live, action: str) -> str:
        """One action of the person's; what is told of it."""
        number, began = len(live.actions) + 1, time.monotonic()
        seen = await asyncio.to_thread(live.step, action)
        scene = await asyncio.to_thread(live.scene)
        seconds = round(time.monotonic() - began, 3)
        data = step_data(record.number, seen, scene, "person")
        self._log.step(run, number, action, observation=seen.text, seconds=seconds, **data)
        return f"**{action}**\n\n{seen.text}"

    def _doubt(self, run: Run, record: Record, told: list[str], found: Unclear | Impossible) -> None:
        if isinstance(found, Unclear):
            text, extra = found.question, {"choices": list(found.options)}
        else:
            possible = f" Possible: {'; '.join(found.possible[:6])}." if found.possible else ""
            text, extra = f"{found.why}{possible}", {}
        self._log.say(run, "\n\n".join([*told, text]), record, **extra)
