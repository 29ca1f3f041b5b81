"""Lanes: calls of the fast mind go first on a server that both minds share.

Each mind has a lane (a slot of the server) and one call at a time in it. A slow call that still reads its prompt
makes way for a fast one: it is broken off and asked again afterwards, which costs little, because the server keeps
what it has read in the slot's prefix cache. A slow call that is already writing goes on: it takes one token of each
step and slows the fast one by about a fifth.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from minds.models.spec import Role


class MadeWay(Exception):
    """The slow call was broken off for a fast one: ask again."""


class Lanes:
    """Of one server, in one event loop."""

    def __init__(self) -> None:
        self._one = {"fast": asyncio.Lock(), "slow": asyncio.Lock()}
        self._fast = 0
        self._quiet = asyncio.Event()
        self._quiet.set()
        self._reading: set[asyncio.Timeout] = set()

    @asynccontextmanager
    async def lane(self, role: Role) -> AsyncIterator[None]:
        """Held for the length of a call; waits for earlier calls of the same mind."""
        if role == "fast":
            self._fast += 1
            self._quiet.clear()
            now = asyncio.get_running_loop().time()
            while self._reading:
                self._reading.pop().reschedule(now)
        try:
            async with self._one[role]:
                yield
        finally:
            self._fast -= role == "fast"
            if not self._fast:
                self._quiet.set()

    @asynccontextmanager
    async def making_way(self, role: Role) -> AsyncIterator[None]:
        """Around the wait for a slow call's first token. Raises MadeWay when a fast call came."""
        if role == "fast":
            yield
            return
        await self._quiet.wait()
        try:
            async with asyncio.timeout(None) as reading:
                self._reading.add(reading)
                try:
                    yield
                finally:
                    self._reading.discard(reading)
        except TimeoutError:
            if reading.expired():
                raise MadeWay from None
            raise
