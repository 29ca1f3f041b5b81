"""The text worlds of all conversations: where the log has each, who acts there, and which engine runs it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from chat.runs import Run, Runs
from chat.services import TurnRequest
from chat.transcript import Transcript
from chat.worlds.commands import is_command
from chat.worlds.episodes import Holder, Record, fold, in_hand
from chat.worlds.telling import state_lines
from minds.languages import newest
from minds.slow import Limits
from tools.worlds.goal import Embed
from tools.worlds.running import RunningWorlds


class Worlds:
    """What every turn's worlds are reached through; made once. It reads and writes their events, and opens none."""

    def __init__(
        self, transcript: Transcript, runs: Runs, running: RunningWorlds, limits: Limits, embed: Embed | None = None
    ) -> None:
        """`limits`: of one run in a world; `embed`: finds names that mean the same."""
        self.transcript, self.runs, self.running = transcript, runs, running
        self.limits, self.embed = limits, embed
        self._driven: dict[str, int] = {}
        """Session -> the episode that the slow mind acts in just now: nobody else may touch that world."""

    # -- what the log has

    def records(self, session: str) -> tuple[Record, ...]:
        """The session's episodes, the one in hand last."""
        return fold(events) if (events := self.transcript.world_events(session)) else ()

    def record(self, session: str, number: int) -> Record | None:
        """The episode of this number."""
        return next((record for record in self.records(session) if record.number == number), None)

    def again(self, session: str, record: Record) -> Record:
        """The same episode as it stands now."""
        return self.record(session, record.number) or record

    def standing(self, session: str) -> tuple[str, bool]:
        """What the fast mind is told of the session's worlds, empty where it never had one; and whether one is open."""
        records = self.records(session)
        if not records:
            return "", False
        open_ = open_world(records)
        others = sorted((record for record in records if record is not open_), key=lambda record: record.number)
        return state_lines(open_, others), open_ is not None

    def worded(self, turn: TurnRequest) -> bool:
        """Whether a strong model words what it reads of worlds for the person: all but commands and written actions."""
        strong = turn.minds.slow.abilities.strong
        return strong and not is_command(turn.said) and _plain(turn.said) not in self._acted(turn.session)

    def language(self, turn: TurnRequest) -> str:
        """In which the person is told of worlds: that of their newest words. A strong model puts what it reads into
        theirs itself. What the page's buttons say tells none: commands, and actions."""
        if self.worded(turn):
            return "English"
        said = [turn.said, *(before.text for before in reversed(turn.dialogue.turns) if before.speaker == "user")]
        acted = self._acted(turn.session)
        return newest([text for text in said if not is_command(text) and _plain(text) not in acted])

    def _acted(self, session: str) -> set[str]:
        events = self.transcript.world_events(session)
        return {_plain(str(event.data["action"])) for event in events if event.kind == "step"}

    # -- what goes into it

    def state(self, run: Run, number: int, state: str, **more: Any) -> None:
        """What became of an episode."""
        self.runs.emit(run, "world", episode=number, state=state, **more)

    def turn_wheel(self, run: Run, record: Record, to: Holder, how: str = "", **until: int) -> None:
        """Who acts from now on, and `how`; `until`: up to which step, and `steps`: how many these are."""
        said = {"how": how} if how else {}
        if record.wheel != to or until or said:
            self.state(run, record.number, "wheel", by=to, **until, **said)

    def step(self, run: Run, number: int, action: str, **more: Any) -> None:
        """One action and what was seen after it."""
        blank = {"thought": "", "argument": "", "failed": False, "tokens": 0, "sources": [], "depends": {}}
        self.runs.emit(run, "step", number=number, action=action, **(blank | more))

    # -- engines

    def holds(self, session: str, number: int) -> bool:
        """Whether the slow mind acts in this episode just now."""
        return self._driven.get(session) == number

    @contextmanager
    def driving(self, session: str, number: int) -> Iterator[None]:
        """Within it, the slow mind acts in this episode."""
        self._driven[session] = number
        try:
            yield
        finally:
            del self._driven[session]

    async def possible(self, session: str) -> tuple[str, ...]:
        """The actions that the open world allows now, for the page's buttons. Raises WorldFault."""
        async with self.running.acting(session):  # one who led the world to where it was would undo what is being done
            record = open_world(self.records(session))
            if record is None or self.holds(session, record.number):
                return ()
            live = await self.running.at(session, record)
            return await asyncio.to_thread(live.admissible)


def open_world(records: Sequence[Record]) -> Record | None:
    """The episode that can be acted in: what is finished or left holds nobody."""
    record = in_hand(records)
    return record if record is not None and not record.last.done else None


def _plain(text: str) -> str:
    return " ".join(text.lower().split())
