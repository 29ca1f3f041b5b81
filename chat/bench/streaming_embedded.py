"""`bench streaming --embedded`: the fast mind's first words while the slow mind works, both on one embedded server.

Each repetition asks three things side by side, so that other work on the machine weighs on all of them: small talk when
nothing else is going on, small talk at any moment of a slow run in another conversation, and small talk as that run
begins to read its prompt, which is the worst moment.
"""

from __future__ import annotations

import asyncio
import random
import time
from statistics import median

from chat.app import Duet
from chat.bench import Ask
from chat.bench.cases import read_lines
from chat.bench.ground import DATA, a_duet

LONG = [
    "How much is 12 tickets at 18.40 euros plus 3 maps at 7.25 euros?",
    "A van needs 9 litres for 100 km. How much does it need for 640 km?",
    "I earn 2450 a month and pay 890 rent and 210 for food. What is left of it?",
]
WORKING = 4.0
"""Seconds into a slow run within which the fast mind is asked something."""
ALLOWED = 2.5
"""Times idle."""


def beside_slow_run(ask: Ask) -> dict[str, object]:
    """Seconds to the first words, and how many times idle."""
    return asyncio.run(_run(ask))


async def _run(ask: Ask) -> dict[str, object]:
    times, moments = ask.limit or 12, random.Random(0)
    texts = iter(read_lines(DATA / "smalltalk_test.jsonl", lambda row: str(row["text"]), "a text"))
    taken: dict[str, list[float]] = {"idle": [], "busy": [], "reading": []}
    async with a_duet(ask.settings) as duet:
        for number in range(times):
            for name, seconds in (("idle", None), ("busy", moments.uniform(0, WORKING)), ("reading", 0.0)):
                text = next(texts)
                asked = first_words(duet, text) if seconds is None else _beside(duet, text, number, seconds)
                first = await asked
                print(f"{name:8} {first if first is None else round(first, 3)}", flush=True)
                taken[name] += [] if first is None else [first]
    idle, busy, reading = map(median, taken.values())
    return {
        **{f"{name}_s": round(median(each), 3) for name, each in taken.items()},
        "busy_over_idle": round(busy / idle, 2),
        "reading_over_idle": round(reading / idle, 2),
        "asked_over_idle": ALLOWED,
        "n": [len(each) for each in taken.values()],
    }


async def first_words(duet: Duet, text: str) -> float | None:
    """Seconds from submit to the first words that a follower sees; None where the turn called the slow mind."""
    session = duet.open_session("bench")
    began, first = time.monotonic(), None
    turn = await duet.runs.submit(session, text)
    async for event in duet.runs.wait(session, turn):
        if event.kind in ("delta", "reply") and first is None:
            first = time.monotonic() - began
        if event.kind == "reply" and event.data["invoke"]:
            await duet.runs.stop(session)
            first = None
    return first


async def _beside(duet: Duet, text: str, number: int, seconds: float) -> float | None:
    """The same, so many seconds into a slow run of another conversation; None where that was over by then."""
    session = duet.open_session("busy", None)
    turn = await duet.runs.submit(session, LONG[number % len(LONG)] + " " * number)
    works = await _works_for(duet, session, turn, seconds)
    first = await first_words(duet, text) if works else None
    await duet.runs.stop(session)
    return first


async def _works_for(duet: Duet, session: str, turn: int, seconds: float) -> bool:
    """Whether the slow mind has begun and still works so many seconds later."""
    async for event in duet.runs.wait(session, turn):
        if event.kind == "run" and event.data["state"] == "started":
            await asyncio.sleep(seconds)
            return duet.runs.state(session) == "slow"
    return False
