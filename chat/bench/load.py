"""`bench load`: many accounts at once on a scripted model, without and with a hostile one; how long the others wait.

Each account has a token and several conversations, of which it talks in four at once, as its quota allows. The hostile
one sends more turns than it may, the longest messages, huge bodies, half requests and broken documents, and whatever
child processes the server has are killed.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain
from math import inf

import httpx2
import numpy as np
import psutil

from chat.bench import Ask
from chat.bench.figures import middle, ratio, rounded
from chat.bench.server import api, serving
from chat.faults import ChatFault
from chat.line import RemoteLine

USERS, CONVERSATIONS, AT_ONCE = 50, 20, 4
"""Accounts, the conversations of each, and turns of one at a time."""
SLOW = 100
"""Connections that send half a request."""
EVE = "eve"


def run(ask: Ask) -> dict[str, object]:
    """Figures: seconds from a turn's sending to its end, p50 and p95 of the peaceful accounts, in both; the ratio."""
    peaceful, beset = (asyncio.run(_measured(ask, hostile=hostile)) for hostile in (False, True))
    return {
        "users": ask.users or USERS,
        "conversations": CONVERSATIONS,
        "without": peaceful,
        "with_one_hostile": beset,
        "p95_ratio": ratio(beset["p95"], peaceful["p95"]),
    }


async def _measured(ask: Ask, *, hostile: bool) -> dict[str, float]:
    with serving(ask.settings, users=[EVE, *(f"user{n}" for n in range(ask.users or USERS))]) as server:
        url, (hers, *others) = server.address.url, server.tokens
        # in a group: where the hostile one fails, nothing is measured
        async with api(url, hers, timeout=60) as client, asyncio.TaskGroup() as group:
            eve = Hostile(client, server.address.pid)
            spoiling = group.create_task(eve.spoil() if hostile else asyncio.sleep(0))
            talks = (talk(url, token, CONVERSATIONS, asyncio.Semaphore(AT_ONCE)) for token in others)
            waits = [*chain(*await asyncio.gather(*talks))]
            spoiling.cancel()
        found = figures(waits)
        print(f"{'with' if hostile else 'without'} a hostile account: {rounded(found)} {dict(eve.did)}", flush=True)
        return found


def figures(waits: Sequence[float]) -> dict[str, float]:
    p95 = float(np.percentile(waits, 95, method="higher"))
    return {"turns": len(waits), "unanswered": list(waits).count(inf), "p50": middle(waits), "p95": p95}


async def talk(url: str, token: str, conversations: int, room: asyncio.Semaphore) -> list[float]:
    """Seconds of each turn, to its end; infinite where it was refused or got no answer. room: for turns at a time."""
    async with api(url, token, timeout=600) as client:
        return await asyncio.gather(*(_talk(RemoteLine(client), room) for _ in range(conversations)))


async def _talk(line: RemoteLine, room: asyncio.Semaphore) -> float:
    async with room:
        began = time.monotonic()
        try:
            session = await line.open_session("", None)
            turn = await line.submit(session, "hello, how are you?")
            async for event in line.follow(session):
                if event.turn == turn and event.kind == "end":
                    return time.monotonic() - began
        except (ChatFault, httpx2.HTTPError) as fault:
            print(f"a turn was lost: {fault}", flush=True)
        return inf


@dataclass
class Hostile:
    """One account that tries everything at once, again and again; `did` counts."""

    client: httpx2.AsyncClient
    server: int
    """The server's process."""
    did: Counter[str] = field(default_factory=Counter)

    async def spoil(self) -> None:
        ways = [(0.01, self._turns)] * 8 + [(0.05, self._bodies)] * 2
        ways += [(0.1, self._documents), (0, self._connections), (0.5, self._kills)]
        await asyncio.gather(*(_again(pause, way) for pause, way in ways))

    async def _turns(self) -> None:
        """As many turns as it can send, each the longest there may be."""
        session = await self._session()
        for _ in range(20):
            said = {"session": session, "text": "what is (" * 3500}
            self.did[f"turns {(await self.client.post('/turns', json=said)).status_code}"] += 1

    async def _session(self) -> str:
        return str((await self.client.post("/sessions", json={})).json()["session"])

    async def _bodies(self) -> None:
        self.did["bodies"] += 1  # the server hangs up amid most of them
        body = b'{"session": "' + b"x" * 20_000_000
        await self.client.post("/turns", content=body, headers={"Connection": "close"})

    async def _documents(self) -> None:
        """PDFs that take a process of their own long to read."""
        pdf = b"%PDF-1.4\n" + b"[" * 500_000
        answer = await self.client.post(f"/files/{await self._session()}", params={"name": "a.pdf"}, content=pdf)
        self.did[f"documents {answer.status_code}"] += 1

    async def _connections(self) -> None:
        url, opened = self.client.base_url, []
        for _ in range(SLOW):
            with suppress(OSError):
                _, writer = await asyncio.open_connection(url.host, url.port)
                writer.write(b"POST /api/duet/turns HTTP/1.1\r\nHost: localhost\r\nX: ")
                opened.append(writer)
        self.did["half requests"] += len(opened)
        await asyncio.sleep(5)
        for writer in opened:
            writer.close()

    async def _kills(self) -> None:
        """What the server began for it: readers of documents, simulators."""
        for child in psutil.Process(self.server).children(recursive=True):
            child.kill()
            self.did["killed children"] += 1


async def _again(pause: float, way: Callable[[], Awaitable[None]]) -> None:
    """Again and again, whatever comes of it."""
    while True:
        with suppress(httpx2.HTTPError, ValueError, KeyError, psutil.Error):
            await way()
        await asyncio.sleep(pause)
