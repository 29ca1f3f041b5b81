"""`bench streaming`: how soon words reach the page behind a model server of 30 tokens a second, and how soon a stop
reaches that server. The real page server in a process of its own; the server of the model is chat/bench/paced.py.

Measured from the first token that leaves the model server to the first piece in the page's event stream (and, where
there is a Chromium with Playwright, to the page itself): of a direct reply, of a final reply that the fast mind words,
and of one in the slow mind's own words (both minds one model). Then from a person's stop to the end of the connection:
in the middle of a reply, while the server is still silent, and in the middle of the slow mind's words.
`--embedded` measures the fast mind of the embedded model beside a slow run instead (chat/bench/streaming_embedded.py).
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import aclosing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import httpx2

from chat.bench import Ask
from chat.bench.paced import Body, Measure, PacedServer, Saying, begun, offered, paced, texts
from chat.bench.process import ServerProcess
from chat.bench.streaming_page import in_chromium
from chat.line import RemoteLine

RATE = 30.0
SAID = 15
"""Words of an answer; of one that is stopped ten times as many."""
SILENCE = 20.0
"""Seconds that the server says nothing before an answer that is stopped before."""
PROGRAM = "print(6 * 7)"
PATIENCE = 60.0
PAUSE = 0.4
"""Seconds into an answer, or a silence, in which a person stops it."""


TOLD = (
    Measure("direct", "Tell me of pier {}.", "direct"),
    Measure("final", "Work out pier {}.", "told"),
    Measure("stop", "Tell me at length of pier {}.", "direct", stops=True),
    Measure("stop_silent", "Think long of pier {}.", "direct", stops=True, silent=True),
    Measure("stop_slow", "Work out at length pier {}.", "found", stops=True),
)
OWN = (Measure("final_own", "Work out pier {}.", "found"),)
TWO, ONE = ("quick", "deep"), ("deep", "deep")
"""Models of the fast and the slow mind; where they are one, the slow mind's answer is the reply."""


def run(ask: Ask) -> dict[str, object]:
    """Milliseconds: the median and the most of each measure, on the stream and in Chromium."""
    if ask.embedded:
        from chat.bench.streaming_embedded import beside_slow_run

        return beside_slow_run(ask)
    times = ask.limit or 10
    with paced(answer, RATE) as model:
        with serving(model, ask, TWO) as server:
            stream = asyncio.run(measured(server, model, TOLD, times))
            page = in_chromium(server, model, TOLD, times)
        with serving(model, ask, ONE) as server:
            stream |= asyncio.run(measured(server, model, OWN, times))
            page |= in_chromium(server, model, OWN, times)
    for where, taken in (("stream", stream), ("Chromium", page)):
        for name, seconds in taken.items():
            print(f"{where:9} {name:12} {' '.join(f'{1000 * s:.0f}' for s in seconds)} ms", flush=True)
    return {
        "stream_ms": {name: summed(taken) for name, taken in stream.items()},
        "chromium_ms": {name: summed(taken) for name, taken in page.items()} or None,
        "repetitions": times,
        "asked_ms": {"first piece": 100, "stop": 200},
    }


def summed(seconds: Sequence[float]) -> dict[str, float]:
    """Milliseconds."""
    return {"median": round(1000 * median(seconds), 1), "max": round(1000 * max(seconds), 1)}


@contextmanager
def serving(model: PacedServer, ask: Ask, minds: tuple[str, str]) -> Iterator[ServerProcess]:
    """The real page server before these models."""
    fast, slow = map(model.spec, minds)
    given = {"DUET_FAST_MODEL": fast, "DUET_SLOW_MODEL": slow, "DUET_USER": "bench"}
    with tempfile.TemporaryDirectory(prefix="duet-bench-", ignore_cleanup_errors=True) as folder:
        server = ServerProcess(Path(folder), ask.settings.models_dir, given=given)
        server.start()
        try:
            yield server
        finally:
            server.end()


def answer(body: Body) -> Saying:
    """What the model says: who begins with `Work` is thought about, with one program."""
    said = texts(body, "user")[-1].split("\n")[0]
    number, long = said.strip(".").split()[-1], "long" in said or "length" in said
    works, told = said.startswith("Work out"), body["messages"][-1]["role"] == "tool"
    silence = SILENCE if said.startswith("Think long") else 0.0
    if not offered(body):
        return Saying(["Nothing."])
    if "think" in offered(body):
        if works and not told:
            return Saying(tool="think", arguments={"request": said})
        return Saying(words("told" if told else "direct", number, long=long), silence=silence)
    if not told:
        return Saying(["A", " program."], tool="python", arguments={"program": PROGRAM})
    return Saying(words("found", number, long=long))


def words(first: str, number: str, *, long: bool = False) -> list[str]:
    """An answer's tokens; by the first it is known."""
    return [begun(first, number), *(f" word{n}" for n in range(SAID * (10 if long else 1)))]


# -- the page's stream


async def measured(
    server: ServerProcess, model: PacedServer, measures: Sequence[Measure], times: int
) -> dict[str, list[float]]:
    """Name -> seconds of each repetition, all in one conversation."""
    address = server.address()
    assert address is not None
    async with server.client() as client:
        line, stream = RemoteLine(client), PageStream()
        session = await line.open_session("bench", None)
        reading = asyncio.create_task(stream.read(address.url, session))
        talk = Talk(line, session, stream, model)
        try:
            await talk.once(TOLD[0], 0)  # what is imported late is imported once a process
            return {m.name: [await talk.once(m, n) for n in range(1, times + 1)] for m in measures}
        finally:
            reading.cancel()


class PageStream:
    """What a tab is told, with the moments at which it came."""

    def __init__(self) -> None:
        self._lines: list[tuple[float, str]] = []
        self._news = asyncio.Event()

    async def read(self, url: str, session: str) -> None:
        """Until it is cancelled."""
        async with (
            httpx2.AsyncClient(base_url=url, trust_env=False) as client,
            client.stream("GET", f"/follow?c={session}", timeout=None) as answer,
        ):
            async for line in answer.aiter_lines():
                self._lines.append((time.time(), line))
                self._news.set()

    async def first(self, word: str) -> float:
        """When it was first told. Raises TimeoutError."""
        return await asyncio.wait_for(self._first(word), PATIENCE)

    async def _first(self, word: str) -> float:
        while True:
            self._news.clear()
            if found := next((at for at, line in self._lines if word in line), None):
                return found
            await self._news.wait()


@dataclass(frozen=True)
class Talk:
    """A person in one conversation."""

    line: RemoteLine
    session: str
    stream: PageStream
    model: PacedServer

    async def once(self, measure: Measure, number: int) -> float:
        """Seconds from the model's first token to the page's stream, or from the stop to the end of the connection."""
        turn = await self.line.submit(self.session, measure.said(number))
        word = measure.word(number)
        if measure.stops:
            return await self._stopped(turn, word, silent=measure.silent)
        shown = await self.stream.first(word)
        await self._end(turn)
        return shown - self.model.asked(word, PATIENCE).first

    async def _stopped(self, turn: int, word: str, *, silent: bool) -> float:
        exchange = await asyncio.to_thread(self.model.asked, word, PATIENCE)
        while not silent and not exchange.first:
            await asyncio.sleep(0.01)
        await asyncio.sleep(PAUSE)
        began = time.time()
        await self.line.act(self.session, "stop")
        await asyncio.to_thread(exchange.over.wait, PATIENCE)
        await self._end(turn)
        return (exchange.hung_up or time.time()) - began

    async def _end(self, turn: int) -> None:
        async with aclosing(self.line.follow(self.session)) as events:  # type: ignore[type-var]
            async for event in events:
                if event.turn == turn and event.kind == "end":
                    return
