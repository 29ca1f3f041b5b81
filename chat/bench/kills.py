"""`bench kills`: turns while the server is killed (-9) at random moments; nothing acknowledged may be lost.

With `--times N` it is killed N times, with a scripted model, amid all that writes (chat/bench/kills_amid.py).
"""

from __future__ import annotations

import asyncio
import random
import tempfile
import time
from pathlib import Path

import httpx2

from chat.bench import Ask
from chat.bench.process import ServerProcess
from chat.faults import ChatFault
from chat.line import RemoteLine
from chat.remembering import notes_of
from chat.transcript import Transcript
from memory.embedder import Embedder
from memory.store import MemoryStore

TURNS = [
    "What is {a} times {b}?",
    "hello again, number {a}",
    "Convert {a} miles to km",
    "tell me a joke",
    "{a} plus {b}?",
]


def run(ask: Ask) -> dict[str, object]:
    """Figures: turns acknowledged, kills, turns lost or left open, whether memory and transcript agree."""
    if ask.times:
        from chat.bench.kills_amid import run as run_amid

        return run_amid(ask)
    with tempfile.TemporaryDirectory(prefix="duet-bench-", ignore_cleanup_errors=True) as folder:
        return asyncio.run(_run(Path(folder), ask.settings.models_dir, ask.limit or 50))


async def _run(home: Path, models: Path, turns: int) -> dict[str, object]:
    rng, server = random.Random(7), ServerProcess(home, models)
    server.start()
    said: dict[int, str] = {}
    session, kills = "", 0
    number = 0
    while len(said) < turns:
        number += 1
        text = rng.choice(TURNS).format(a=rng.randint(12, 99), b=rng.randint(12, 99))
        task = asyncio.create_task(_submit(server, session, text))
        await asyncio.sleep(rng.choice([0.01, 0.05, 0.2, 1.0, 3.0, 6.0]) * rng.random())
        killed = rng.random() < 0.5
        if killed:
            server.kill()
            kills += 1
        if acknowledged := await task:
            session, turn = acknowledged
            said[turn] = text
        if not killed and acknowledged and rng.random() < 0.5:
            await _ended(server, *acknowledged)
        if killed:
            seconds = await asyncio.to_thread(server.start)
            print(f"turn {number}: killed; acknowledged {bool(acknowledged)}; up again in {seconds:.1f}s", flush=True)
    await _settled(server, session)
    server.end()
    return {"acknowledged": len(said), "kills": kills, **_verdict(home, session, said)}


async def _submit(server: ServerProcess, session: str, text: str) -> tuple[str, int] | None:
    """(session, turn) once acknowledged; None where the server died before."""
    try:
        async with server.client() as client:
            line = RemoteLine(client)
            session = session or await line.open_session("anna", None)
            return session, await line.submit(session, text)
    except (httpx2.TransportError, ChatFault):
        return None


async def _ended(server: ServerProcess, session: str, turn: int, patience: float = 30.0) -> None:
    """Some turns are given the time to end, so that there is a memory to agree with."""
    try:
        async with server.client() as client, asyncio.timeout(patience):
            async for event in RemoteLine(client).follow(session):
                if event.turn == turn and event.kind == "end":
                    return
    except (TimeoutError, ChatFault):
        return


async def _settled(server: ServerProcess, session: str) -> None:
    """Until the last turn has ended and the memory has caught up."""
    until = time.monotonic() + 120
    async with server.client() as client:
        line = RemoteLine(client)
        turn = await line.submit(session, "thanks, bye")
        async for event in line.follow(session):
            if (event.turn == turn and event.kind == "end") or time.monotonic() > until:
                break
    await asyncio.sleep(3)


def _verdict(home: Path, session: str, said: dict[int, str]) -> dict[str, object]:
    """Reads the files that the killed servers left."""
    transcript = Transcript(home / "duet.sqlite")
    kept = {event.turn: event.data["text"] for event in transcript.events(session) if event.kind == "turn"}
    states = [transcript.turn(session, turn).state for turn in kept]
    store = MemoryStore(home / "memory", Embedder(), None)
    wanted = {note.id for row in transcript.exchanges("anna") for note in notes_of(*row)}
    memory = store.user("anna").notes
    have = {note.id for note in memory.page(limit=1000)}
    store.close()
    return {
        "lost": sum(kept.get(turn) != text for turn, text in said.items()),
        "left_open": states.count("open"),
        "interrupted": states.count("interrupted"),
        "notes": len(have),
        "memory_agrees": wanted == have,
    }
