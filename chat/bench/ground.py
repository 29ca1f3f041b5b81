"""The ground that benchmarks stand on: a Duet in a folder of its own, a model alone, and what is said to them.

What a benchmark does not measure is stood in for: by a model that says what a function makes of the messages, and by a
world that is in one given state and notes what is done in it.
"""

from __future__ import annotations

import asyncio
import re
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, cast
from zoneinfo import ZoneInfo

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage

from chat.app import Duet
from chat.evaluation.play import PATIENCE, UNCHANGED, heed, own_duet
from chat.faults import ChatFault
from chat.services import Swaps
from chat.settings import Settings
from minds.dialogue import Event
from minds.models import ModelSettings, Role, open_model
from minds.models.adapter import ChatAdapter
from minds.models.language import Abilities, LanguageModel, Offered, Said, ToolCall
from tools.worlds import simulator
from tools.worlds.world import Observation, Scene, Simulator, TaskInfo, WorldFault, WorldSpec

Opens = Callable[[str, ModelSettings, Role], LanguageModel]
STRONG = Abilities(tools=True, schema=True, strong=True)
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
    swaps: Swaps = UNCHANGED,
) -> AsyncIterator[Duet]:
    """A Duet in a folder that goes when the benchmark ends; the weights are the person's. Raises ChatFault where a
    part of it does not start: what nobody answered would be counted as wrong."""
    with tempfile.TemporaryDirectory(prefix="duet-bench-", ignore_cleanup_errors=True) as folder:
        async with own_duet(settings, Path(folder), now, swaps, warm=warm) as duet:
            await duet.ready()
            for health in duet.health():
                if health.state in ("failed", "missing"):
                    raise ChatFault(f"{health.text.rstrip('.')}: `python main.py doctor` says what to do.")
            yield duet


@asynccontextmanager
async def a_model(settings: Settings, role: Role = "slow", opens: Opens = open_model) -> AsyncIterator[LanguageModel]:
    """The model of this mind, without Duet. Raises ModelFault where there is none."""
    model = opens(settings.slow_model if role == "slow" else settings.fast_model, settings.model_settings, role)
    try:
        yield model
    finally:
        await model.close()


async def say(duet: Duet, session: str, text: str) -> list[Event]:
    """One turn's events, until its end. Raises Starved where a model could not be asked, which is no answer, and
    TimeoutError."""
    async with asyncio.timeout(PATIENCE):
        turn = await duet.runs.submit(session, text)
        events = [event async for event in duet.runs.wait(session, turn)]
    heed(events)
    return events


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


# -- stand-ins


class PlainModel(ChatAdapter):
    """`PlainModel(lambda messages: Said("Hm."))`; delay: seconds before each word."""

    def __init__(
        self, says: Callable[[Sequence[BaseMessage]], Said], abilities: Abilities = STRONG, spec: str = "plain",
        delay: float = 0.0,
    ) -> None:  # fmt: skip
        super().__init__(spec, cast(BaseChatModel, None), abilities, ModelSettings(models_dir=Path()))
        self.says, self.delay = says, delay

    async def stream(
        self, messages: Sequence[BaseMessage], *, calls: list[ToolCall] | None = None, **_: Any
    ) -> AsyncIterator[str]:
        """The words, and the calls where they are asked for."""
        said = self.says(messages)
        for word in re.findall(r"\s*\S+", said.text):
            await asyncio.sleep(self.delay)
            yield word
        if calls is not None:
            calls += said.calls

    async def call(self, messages: Sequence[BaseMessage], tools: Sequence[Offered], **_: Any) -> Said:
        """Words and calls."""
        return self.says(messages)

    async def structured(
        self, messages: Sequence[BaseMessage], schema: dict[str, object], **_: Any
    ) -> dict[str, object]:
        """The words as a slow mind's answer."""
        return {"thought": "", "answer": self.says(messages).text}

    async def warm(self, messages: Sequence[BaseMessage]) -> None:
        """Nothing to load."""


@dataclass(frozen=True)
class Situation:
    """What a world shows, what can be done there, and what was done before."""

    observation: str = ""
    admissible: tuple[str, ...] = ()
    recent: tuple[str, ...] = ()


class StandIn:
    """One running episode; `recent` leads to the situation, in which it then stays."""

    def __init__(self, spec: WorldSpec, given: Situation) -> None:
        self.spec, self._given, self.steps = spec, given, 0
        self.goal = "to do what is said"

    def reset(self) -> Observation:
        self.steps = 0
        return self._seen()

    def step(self, action: str) -> Observation:
        self.steps += 1
        return self._seen()

    def admissible(self) -> tuple[str, ...]:
        ahead = self._given.recent[self.steps : self.steps + 1]
        return ahead or self._given.admissible

    def look(self) -> str:
        return self._given.observation

    def inventory(self) -> str:
        return ""

    def scene(self) -> Scene:
        return Scene("")

    def gold(self) -> tuple[str, ...]:
        raise WorldFault("A world that stands in for another has no solution.")

    def close(self) -> None:
        pass

    def _seen(self) -> Observation:
        there = self.steps == len(self._given.recent)
        return Observation(self._given.observation if there else f"Done ({self.steps}).", score=0.0)


class StandIns:
    """Opens the situation whose number is the task's name. What tasks there are, the real simulator says, where one
    is given: its engine is never started."""

    def __init__(self, name: str, situations: Sequence[Situation], real: Simulator | None = None) -> None:
        self.name, self._situations, self._real = name, situations, real

    def ready(self) -> str:
        return ""

    def tasks(self) -> tuple[TaskInfo, ...]:
        return self._real.tasks() if self._real else ()

    def variations(self, task: str, split: str) -> Sequence[WorldSpec]:
        return self._real.variations(task, split) if self._real else ()

    def open(self, spec: WorldSpec) -> StandIn:
        return StandIn(spec, self._situations[int(spec.task)] if spec.task.isdigit() else Situation("A room."))

    def close(self) -> None:
        pass


def among_stand_ins(settings: Settings, situations: Sequence[Situation] = ()) -> AbstractAsyncContextManager[Duet]:
    """A Duet whose worlds stand in these situations; without any, the real simulators say what tasks there are. No
    policy plays in it. Raises ChatFault."""
    swaps = Swaps(worlds=lambda name: StandIns(name, situations, None if situations else simulator(name)))
    return a_duet(replace(settings, max_world_steps=0, memory=False), fixed_now, swaps=swaps)
