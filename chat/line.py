"""A line to a Duet: the one in this process, or the server that holds DUET_HOME. Terminals need not know which."""

from __future__ import annotations

import asyncio
import json
import secrets
import sys
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chat.faults import ChatFault, HomeLocked
from chat.home import Address, find_server, proof_of, same, signer
from chat.settings import Settings
from minds.dialogue import Event

if TYPE_CHECKING:
    import httpx2

    from chat.app import Duet

PATIENCE = 30.0
"""Seconds to wait for another short-lived process (an `ask`) to leave DUET_HOME, or a server to come up."""
AT_IT = "The server has not answered in time, and may still be at it: look there before you do this again."
GONE = "The server ended; start it again, or ask again without it."

BY_SERVER = "The server of the page answers, with the settings chosen on the page"
KNOWN = "This conversation keeps its own settings"


class LocalLine:
    """To the Duet of this process. All methods of lines raise ChatFault with one sentence."""

    def __init__(self, duet: Duet, flags: Sequence[str] = ()) -> None:
        self._duet, self._flags = duet, flags
        runs = duet.runs
        self.submit, self.act, self.follow, self.add_file = runs.submit, runs.act, runs.follow, runs.add_file

    async def open_session(self, user: str, session: str | None, domain: str | None = None) -> str:
        if session is not None:
            kept, wanted = self._duet.transcript.options(session), self._duet.settings
            names = {flag: flag.removeprefix("--no-").removeprefix("--").replace("-", "_") for flag in self._flags}
            tell_unheard(KNOWN, [flag for flag, name in names.items() if getattr(kept, name) != getattr(wanted, name)])
        opened = self._duet.open_session(user, session, domain)
        self._duet.take_up(opened)
        return opened

    async def forget_user(self, user: str) -> int:
        return await self._duet.forget_user(user)

    async def memory(self, user: str, wish: str, asked: Mapping[str, Any]) -> dict[str, Any]:
        return await asyncio.to_thread(self._duet.fulfil, user, wish, asked)


class RemoteLine:
    """To the server that holds DUET_HOME; where `home` is told and it was started again, to the new one."""

    def __init__(self, client: httpx2.AsyncClient, home: Path | None = None) -> None:
        self._client, self._home = client, home

    async def open_session(self, user: str, session: str | None, domain: str | None = None) -> str:
        wanted = {"user": user, "session": session, "domain": domain}
        known = {name: value for name, value in wanted.items() if value is not None}
        return str((await self._post("/sessions", known))["session"])

    async def submit(self, session: str, text: str) -> int:
        return int((await self._post("/turns", {"session": session, "text": text}))["turn"])

    async def add_file(self, session: str, name: str, data: bytes) -> str:
        # The server's reader may take as long as another request; then its sentence comes.
        posted = await self._post(f"/files/{session}", None, params={"name": name}, content=data, timeout=2 * PATIENCE)
        return str(posted["text"])

    async def act(self, session: str, wish: str) -> str:
        return str((await self._post(f"/{session}/{wish}", {}))["text"])

    async def forget_user(self, user: str) -> int:
        return int((await self._slowly("/users/forget", {"user": user}))["conversations"])

    async def memory(self, user: str, wish: str, asked: Mapping[str, Any]) -> dict[str, Any]:
        return await self._slowly(f"/memory/{wish}", {"user": user, **asked})

    async def follow(self, session: str, after: int = 0) -> AsyncIterator[Event]:
        import httpx2

        try:
            async with self._client.stream("GET", f"/events/{session}?after={after}", timeout=None) as answer:
                if answer.status_code != 200:
                    await answer.aread()
                    raise ChatFault(_reason(answer))
                async for line in answer.aiter_lines():
                    yield Event(**json.loads(line))
        except httpx2.TransportError as error:
            raise ChatFault(GONE) from error
        raise ChatFault(GONE)

    async def _slowly(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """An import or a deletion may be large."""
        import httpx2

        return await self._post(path, body, timeout=httpx2.Timeout(PATIENCE, read=None))

    async def _post(self, path: str, body: Mapping[str, Any] | None, **more: Any) -> dict[str, Any]:
        import httpx2

        try:
            answer = await self._posted(path, json=body, **more)
        except httpx2.TimeoutException as error:
            raise ChatFault(AT_IT) from error
        except httpx2.TransportError as error:
            raise ChatFault(GONE) from error
        if answer.status_code != 200:
            raise ChatFault(_reason(answer))
        result: dict[str, Any] = answer.json()
        return result

    async def _posted(self, path: str, **more: Any) -> httpx2.Response:
        """Once more where nobody heard it: a server that was started again has another key, perhaps another port."""
        import httpx2

        answer = None
        try:
            answer = await self._client.post(path, **more)
        except httpx2.ConnectError:
            if not await self._reached_again():
                raise
        if answer is None or (answer.status_code == 401 and await self._reached_again()):
            return await self._client.post(path, **more)
        return answer

    async def _reached_again(self) -> bool:
        address = find_server(self._home) if self._home else None
        if not (address and (client := await _reach(address))):
            return False
        await self._client.aclose()
        self._client = client
        return True

    async def aclose(self) -> None:
        await self._client.aclose()


Line = LocalLine | RemoteLine


def _reason(answer: httpx2.Response) -> str:
    try:
        return str(answer.json()["error"])
    except (ValueError, KeyError, TypeError):
        if answer.status_code < 500 and answer.headers.get("content-type", "").startswith("text/plain"):
            return answer.text[:300]  # so refuse the layers before the API
        return f"The server answered {answer.status_code}; its log has the reason."


def tell_unheard(why: str, flags: Sequence[str]) -> None:
    """Which flags are not used. Raises ChatFault for --no-memory: what is said would be kept all the same."""
    if "--no-memory" in flags:
        raise ChatFault(f"{why}, so --no-memory is not heard: switch the memory off there, or ask without that flag.")
    if flags:
        print(f"{why}; not used here: {' and '.join(flags)}.", file=sys.stderr)


@asynccontextmanager
async def open_line(settings: Settings, flags: Sequence[str] = ()) -> AsyncIterator[Line]:
    """Through the server where one holds DUET_HOME, else with a Duet of one's own. Raises ChatFault.

    `flags`: those given for how the minds work, as they are typed; where they are not heard, that is told.
    """
    until = time.monotonic() + PATIENCE
    told = False
    while True:
        if (address := find_server(settings.home)) and (client := await _reach(address)):
            async with aclosing(RemoteLine(client, settings.home)) as remote:
                tell_unheard(BY_SERVER, flags)
                yield remote
            return
        from chat.app import build

        try:
            duet = build(settings)
            break
        except HomeLocked as locked:
            if time.monotonic() > until:
                raise
            if not told:
                print(f"Waiting: {locked}", file=sys.stderr)
                told = True
            await asyncio.sleep(0.3)
    try:
        duet.start(warm=False)
        yield LocalLine(duet, flags)
    finally:
        await duet.close()


async def _reach(address: Address) -> httpx2.AsyncClient | None:
    """A client of a server that answers and shows that it is ours; None where it is gone, or another took its port."""
    import httpx2

    client = httpx2.AsyncClient(
        base_url=f"{address.url}/api/duet", auth=signer(address.token), timeout=PATIENCE, trust_env=False
    )
    nonce = secrets.token_hex(16)
    try:
        said = await client.get("/hello", params={"nonce": nonce}, auth=None, timeout=5)
        if said.status_code == 200 and same(str(said.json().get("proof")), proof_of(address.token, f"server\n{nonce}")):
            return client
    except (httpx2.HTTPError, ValueError, AttributeError):
        pass
    await client.aclose()
    return None
