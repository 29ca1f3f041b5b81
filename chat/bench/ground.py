"""The ground that benchmarks stand on: a Duet in a folder of its own, and what is said to it."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from chat.app import Duet, build
from chat.bench.cases import read_lines
from chat.faults import ChatFault
from chat.services import Swaps
from chat.settings import Settings
from minds.dialogue import Event

DATA = Path(__file__).parents[2] / "tests" / "data"


def fixed_now() -> datetime:
    """The clock that the question sets were written for."""
    return datetime(2026, 11, 21, 10, 0, tzinfo=ZoneInfo("Europe/Berlin"))


def smalltalk(limit: int) -> list[str]:
    """Turns that need no slow mind. Raises ChatFault where they are not here."""
    return read_lines(DATA / "smalltalk_test.jsonl", lambda row: str(row["text"]), "a text")[:limit]


@asynccontextmanager
async def a_duet(
    settings: Settings,
    now: Callable[[], datetime] | None = None,
    *,
    warm: bool = True,
    swaps: Swaps | None = None,
) -> AsyncIterator[Duet]:
    """A Duet in a folder that goes when the benchmark ends; the weights are the person's. Raises ChatFault where a
    part of it does not start: what nobody answered would be counted as wrong."""
    with tempfile.TemporaryDirectory(prefix="duet-bench-", ignore_cleanup_errors=True) as folder:
        duet = build(replace(settings, home=Path(folder), models=settings.models_dir), now, swaps)
        duet.start(warm=warm)
        try:
            await duet.ready()
            for health in duet.health():
                if health.state in ("failed", "missing"):
                    raise ChatFault(f"{health.text.rstrip('.')}: `python main.py doctor` says what to do.")
            yield duet
        finally:
            await duet.close()


async def say(duet: Duet, session: str, text: str) -> list[Event]:
    """One turn's events, until its end."""
    turn = await duet.runs.submit(session, text)
    return [event async for event in duet.runs.wait(session, turn)]


def final(events: list[Event]) -> dict[str, Any]:
    """The data of the final reply; empty where there is none."""
    return next((dict(e.data) for e in reversed(events) if e.kind == "reply" and e.data.get("final")), {})


def invoked(events: list[Event]) -> bool:
    """Whether the slow mind was called."""
    return any(e.kind == "run" and e.data.get("state") in ("started", "queued") for e in events)
