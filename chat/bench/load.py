"""`bench load`: many accounts at once on a scripted model, without and with a hostile one; how long the others wait.

Each account has a token and several conversations, of which it talks in four at once, as its quota allows. The hostile
one sends more turns than it may, the longest messages, huge bodies, half requests and broken documents, and whatever
child processes the server has are killed.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path

import httpx2
import numpy as np
import psutil

from chat.access.accounts import Accounts
from chat.bench import Ask
from chat.bench.server import api, serving
from chat.bench.speed import middle, ratio
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


async def _measured(ask: Ask, *, hostile: bool) -> dict[str, float | None]:
    names = [f"user{n}" for n in range(ask.users or USERS)]
    password, tokens = secrets.token_urlsafe(12), dict[str, str]()

    def prepare(home: Path) -> None:
        tokens.update(accounts_of(home, {EVE: password, **dict.fromkeys(names)}))

    with serving(ask.settings, prepare, scripted=True) as server:
        url = server.address.url
        eve = Hostile(url, tokens[EVE], password, server.address.pid)
        async with asyncio.TaskGroup() as group:  # where the hostile one fails, nothing is measured
            spoiling = group.create_task(eve.spoil() if hostile else asyncio.sleep(0))
            talks = [talk(url, tokens[name], CONVERSATIONS) for name in names]
            waits = [seconds for each in await asyncio.gather(*talks) for seconds in each]
            spoiling.cancel()
        print(f"{'with' if hostile else 'without'} a hostile account: {_told(waits)} {dict(eve.did)}", flush=True)
        return _told(waits)


def _told(waits: list[float]) -> dict[str, float | None]:
    p95 = float(np.percentile(waits, 95, method="higher"))
    lost = sum(seconds == float("inf") for seconds in waits)
    return {"turns": len(waits), "unanswered": lost, "p50": middle(waits, 2), "p95": middle([p95], 2)}


def accounts_of(home: Path, passwords: Mapping[str, str | None]) -> dict[str, str]:
    """The token of each new account."""
    with closing(Accounts(home)) as accounts:
        for name, password in passwords.items():
            accounts.add(name, password)
        return {name: accounts.make_token(name, "load") for name in passwords}


async def talk(url: str, token: str, conversations: int) -> list[float]:
    """Seconds of each turn, to its end; infinite where it was refused or got no answer."""
    room = asyncio.Semaphore(AT_ONCE)
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
        return float("inf")


@dataclass
class Hostile:
    """One account that tries everything at once, again and again; `did` counts."""

    url: str
    token: str
    password: str
    server: int
    """The server's process."""
    did: Counter[str] = field(default_factory=Counter)

    async def spoil(self) -> None:
        async with api(self.url, self.token, timeout=60) as client:
            cookies, session = await self._signed_in(), (await client.post("/sessions", json={})).json()["session"]
            ways = [_again(0.01, lambda: self._turns(client)) for _ in range(8)]
            ways += [_again(0.05, lambda: self._bodies(client)) for _ in range(2)]
            ways += [_again(0.1, lambda: self._documents(session, cookies))]
            ways += [_again(0, self._connections), _again(0.5, self._kills)]
            await asyncio.gather(*ways)

    async def _signed_in(self) -> dict[str, str]:
        """On the page, where documents are handed in."""
        async with httpx2.AsyncClient(base_url=self.url, timeout=60, trust_env=False) as page:
            await page.post("/sign-in", data={"name": EVE, "password": self.password})
            return dict(page.cookies)

    async def _turns(self, client: httpx2.AsyncClient) -> None:
        """As many turns as it can send, each the longest there may be."""
        session = (await client.post("/sessions", json={})).json()["session"]
        for _ in range(20):
            said = {"session": session, "text": "what is (" * 3500}
            self.did[f"turns {(await client.post('/turns', json=said)).status_code}"] += 1

    async def _bodies(self, client: httpx2.AsyncClient) -> None:
        self.did["bodies"] += 1  # the server hangs up amid most of them
        body = b'{"session": "' + b"x" * 20_000_000
        await client.post("/turns", content=body, headers={"Connection": "close"})

    async def _documents(self, session: str, cookies: dict[str, str]) -> None:
        """PDFs that take a process of their own long to read."""
        await asyncio.to_thread(upload, self.url, session, "a.pdf", b"%PDF-1.4\n" + b"[" * 500_000, cookies)
        self.did["documents"] += 1

    async def _connections(self) -> None:
        host, port = self.url.removeprefix("http://").split(":")
        opened = []
        for _ in range(SLOW):
            with suppress(OSError):
                _, writer = await asyncio.open_connection(host, int(port))
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


def upload(url: str, session: str, name: str, data: bytes, cookies: dict[str, str] | None = None) -> bool:
    """Whether the page said that it became a document of this conversation. Raises httpx2.HTTPError, ValueError."""
    with httpx2.Client(base_url=url, timeout=60, trust_env=False, cookies=cookies) as page:
        [path] = page.post("/gradio_api/upload", files={"files": (name, data, "text/markdown")}).json()
        events = page.get("/config").json()["dependencies"]
        [add] = [event["id"] for event in events if event["api_name"] == "add"]
        file = {"path": path, "orig_name": name, "size": len(data), "meta": {"_type": "gradio.FileData"}}
        tab = secrets.token_hex(8)
        body = {"data": [[file], session], "fn_index": add, "session_hash": tab}
        if page.post("/gradio_api/queue/join", json=body).status_code != 200:
            return False
        with page.stream("GET", "/gradio_api/queue/data", params={"session_hash": tab}) as answer:
            for line in answer.iter_lines():
                if "process_completed" in line:
                    return '"success":true' in line.replace(" ", "") and '"fault"' not in line
    return False
