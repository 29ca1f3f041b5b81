"""The text worlds of all conversations: which run, and where the log has them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from chat.runs import Runs
from chat.transcript import Transcript
from chat.worlds.driving import Driving
from chat.worlds.episodes import Record, in_hand
from chat.worlds.log import WorldLog
from chat.worlds.telling import state_lines
from minds.slow import Limits
from tools.worlds.goal import Embed
from tools.worlds.running import RunningWorlds


class Worlds:
    """What every turn's worlds are reached through; made once."""

    def __init__(
        self, transcript: Transcript, runs: Runs, running: RunningWorlds, limits: Limits, embed: Embed | None = None
    ) -> None:
        """`limits`: of one run in a world; `embed`: finds names that mean the same."""
        self.runs, self.running, self.embed = runs, running, embed
        self.log = WorldLog(transcript, runs)
        self.driving = Driving(runs, self.log, running, limits)

    def records(self, session: str) -> tuple[Record, ...]:
        """The session's episodes, the one in hand last."""
        return self.log.records(session)

    def standing(self, session: str) -> tuple[str, bool]:
        """What the fast mind is told of the session's worlds, empty where it never had one; and whether one is open."""
        records = self.records(session)
        open_ = open_world(records)
        others = sorted((record for record in records if record is not open_), key=lambda record: record.number)
        return state_lines(open_, others), open_ is not None

    async def possible(self, session: str) -> tuple[str, ...]:
        """The actions that the open world allows now, for the page's buttons. Raises WorldFault."""
        record = open_world(self.records(session))
        if record is None or self.driving.holds(session, record.number):
            return ()
        live = await self.running.at(session, record)
        return await asyncio.to_thread(live.admissible)

    async def close(self, session: str) -> None:
        """Ends the session's worlds: it is deleted."""
        await self.running.close(session)


def open_world(records: Sequence[Record]) -> Record | None:
    """The episode that can be acted in: what is finished or left holds nobody."""
    record = in_hand(records)
    return record if record is not None and not record.last.done else None
