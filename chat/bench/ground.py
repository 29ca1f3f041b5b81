"""The ground that benchmarks stand on: a Duet in a folder of its own, a model alone, and what is said to them."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from chat.app import Duet, build
from chat.faults import ChatFault
from chat.services import Swaps
from chat.settings import Settings
from minds.dialogue import Event
from minds.models import ModelSettings, Role, open_model
from minds.models.language import LanguageModel, ModelFault

Opens = Callable[[str, ModelSettings, Role], LanguageModel]
DATA = Path(__file__).parents[2] / "tests" / "data"


def fixed_now() -> datetime:
    """The clock that the question sets were written for."""
    return datetime(2026, 11, 21, 10, 0, tzinfo=ZoneInfo("Europe/Berlin"))


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
        own = replace(settings, home=Path(folder), models=settings.models_dir)
        duet = build(own, now, (swaps or Swaps()).with_keys(settings))
        duet.start(warm=warm)
        try:
            await duet.ready()
            for health in duet.health():
                if health.state in ("failed", "missing"):
                    raise ChatFault(f"{health.text.rstrip('.')}: `python main.py doctor` says what to do.")
            yield duet
        finally:
            await duet.close()


@asynccontextmanager
async def a_model(settings: Settings, role: Role = "slow", opens: Opens = open_model) -> AsyncIterator[LanguageModel]:
    """The model of this mind, without Duet. Raises ChatFault where there is none."""
    spec = settings.slow_model if role == "slow" else settings.fast_model
    try:
        model = opens(spec, settings.model_settings, role)
    except ModelFault as fault:
        raise ChatFault(str(fault)) from fault
    try:
        yield model
    finally:
        await model.close()


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


def acted(events: Sequence[Event]) -> list[str]:
    """The actions that were taken in a world."""
    return [str(event.data["action"]) for event in events if event.kind == "step" and "episode" in event.data]


def opened(events: Sequence[Event]) -> Mapping[str, Any] | None:
    """The world that was opened."""
    return next((e.data for e in events if e.kind == "world" and e.data.get("state") == "opened"), None)


def asked_to_open(events: Sequence[Event]) -> Mapping[str, Any] | None:
    """What a world was asked for, whether it opened or not."""
    steps: Iterator[Mapping[str, Any]] = (event.data for event in events if event.kind == "step")
    return next((step.get("arguments", {}) for step in steps if step["action"] == "world_open"), None)
