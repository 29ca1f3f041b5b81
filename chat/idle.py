"""Work for when nobody speaks: given up at once when somebody does, and taken up again behind the turn."""

from __future__ import annotations

import asyncio
import logging
from abc import ABC, abstractmethod
from collections import deque
from typing import Generic, TypeVar

from chat.faults import ChatFault
from memory.memory import MemoryFault
from minds.models.language import ModelFault

log = logging.getLogger("duet.idle")
Work = TypeVar("Work")


class Idle(ABC, Generic[Work]):
    """What waits is done one after the other; what fails is told in the log and left."""

    def __init__(self, silence: float) -> None:
        """`silence`: seconds of it until the work begins."""
        self._silence = silence
        self._waiting: deque[Work] = deque()
        self._task: asyncio.Task[None] | None = None

    @abstractmethod
    async def _do(self, work: Work) -> None: ...

    def give_way(self) -> None:
        """Somebody speaks: the model is theirs."""
        if self._task:
            self._task.cancel()
            self._task = None

    def go_on(self, *more: Work) -> None:
        """A turn is over; `more` waits too."""
        self._waiting.extend(more)
        if self._waiting and self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._do_all())

    async def settle(self) -> None:
        """Waits until everything is done."""
        if self._task:
            await asyncio.gather(self._task, return_exceptions=True)

    async def _do_all(self) -> None:
        await asyncio.sleep(self._silence)
        while self._waiting:
            try:
                await self._do(self._waiting[0])
            except (ModelFault, MemoryFault, ChatFault) as fault:
                log.warning("%s: %s", type(self).__name__, fault)
            self._waiting.popleft()
        self._task = None
