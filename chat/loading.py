"""Which models are loaded, and how each stands: they get ready behind the page, and others take over between turns."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, Protocol

from chat.faults import ChatFault, sentence
from chat.models import Models
from chat.readiness import Readiness
from chat.services import Minds
from chat.settings import Options
from minds.models import Role
from minds.models.default import called, meant
from minds.models.language import ModelFault

State = Literal["ready", "starting", "idle", "missing", "failed"]


@dataclass(frozen=True)
class Health:
    """One line of what works here."""

    part: str
    state: State
    text: str


class Warming(Protocol):
    """Loads one mind's model and the constant part of its context: Conversation.warm."""

    def __call__(self, minds: Minds, domain: str = "", *, fast: bool = False) -> Awaitable[None]: ...


class Loading:
    """Of all models of one server. To be used on its event loop."""

    def __init__(
        self,
        models_dir: Path,
        models: Models,
        minds: Callable[[Options], Minds],
        warm: Warming,
        idle: Callable[[], Awaitable[None]],
    ) -> None:
        """`idle` waits until nothing is being answered."""
        self._models_dir, self._models, self._minds = models_dir, models, minds
        self._warm, self._idle = warm, idle
        self._states: dict[tuple[Role, str], Health] = {}
        self._going: dict[tuple[Role, str], asyncio.Task[None]] = {}
        """What is being loaded now."""
        self._switching: set[asyncio.Task[None]] = set()
        self.readiness = Readiness(models_dir, self._is_loading)
        self.changed: Callable[[], None] = lambda: None
        """Is called when there is news to show."""

    def health(self, options: Options) -> list[Health]:
        """A line for each mind; no waiting."""
        return [self._health("fast", options.fast_model), self._health("slow", options.slow_model)]

    async def load(self, options: Options, *, keeping: bool = False) -> None:
        """What fails says why. `keeping`: only models that keep what they read between starts."""
        await asyncio.gather(
            self._begin("fast", options.fast_model, options, keeping),
            self._begin("slow", options.slow_model, options, keeping),
            return_exceptions=True,
        )

    def switch(self, options: Options, *others: Options) -> None:
        """Between turns: models that are meant nowhere in these are let go of, and the first one's get ready."""
        task = asyncio.get_running_loop().create_task(self._switch_over(options, others))
        self._switching.add(task)
        task.add_done_callback(self._switching.discard)

    async def switched(self) -> None:
        """Returns when everything that `switch` began is over."""
        await asyncio.gather(*self._switching)

    def close(self) -> None:
        for task in (*self._switching, *self._going.values()):
            task.cancel()

    async def _switch_over(self, options: Options, others: tuple[Options, ...]) -> None:
        await self._idle()
        kept = {
            meant(spec, self._models_dir) for one in (options, *others) for spec in (one.fast_model, one.slow_model)
        }
        await self._give_up(kept)
        await self._models.let_go(kept)
        await self.load(options)

    async def _give_up(self, kept: set[str]) -> None:
        """What is still being loaded and no longer meant: it would start its server again."""
        left = {key: task for key, task in self._going.items() if key[1] not in kept}
        for task in left.values():
            task.cancel()
        await asyncio.gather(*left.values(), return_exceptions=True)
        self._states = {key: health for key, health in self._states.items() if key[1] in kept}

    def _begin(self, part: Role, spec: str, options: Options, keeping: bool) -> asyncio.Task[None]:
        key = (part, meant(spec, self._models_dir))
        if key in self._going:
            return self._going[key]
        task = self._going[key] = asyncio.get_running_loop().create_task(self._load(part, spec, options, keeping))
        task.add_done_callback(lambda _: self._going.pop(key, None))
        return task

    async def _load(self, part: Role, spec: str, options: Options, keeping: bool) -> None:
        name = called(spec, self._models_dir)
        keeping = keeping or spec.startswith(("openai:", "langchain:"))  # there, every call is paid for
        if self.readiness.missing(replace(options, minds=part)):
            return
        try:
            minds = self._minds(options)
            if keeping and not (minds.fast.model if part == "fast" else minds.slow).abilities.keeps:
                return
            self._note(part, spec, "starting", f"{name} is loading")
            await self._warm(minds, options.domain, fast=part == "fast")
            self._note(part, spec, "ready", name)
        except (ModelFault, ChatFault) as fault:
            self._note(part, spec, "failed", f"{name}: {fault}")
        except Exception as error:  # a part that cannot warm up must not take the page down
            self._note(part, spec, "failed", f"{name}: {sentence(error)}")

    def _note(self, part: Role, spec: str, state: State, text: str) -> None:
        self._states[part, meant(spec, self._models_dir)] = Health(part, state, text)
        self.changed()

    def _health(self, part: Role, spec: str) -> Health:
        weights = self.readiness.weights(spec)
        if weights and not weights.here(self._models_dir):
            return Health(part, "missing", f"{weights.title} is not here yet")
        known = self._states.get((part, meant(spec, self._models_dir)))
        return known or Health(part, "idle", f"{called(spec, self._models_dir)} (starts when first asked)")

    def _is_loading(self, options: Options) -> bool:
        return any(line.state == "starting" for line in self.health(options))
