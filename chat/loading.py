"""Which models are here and loaded, and how each stands: they get ready behind the page, others take over between
turns. Where the page can offer the weights that a turn wants, the turn waits for them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from chat.faults import ChatFault, sentence
from chat.services import Minds, Swaps
from chat.settings import Options, Settings
from minds.models import Role
from minds.models.catalogue import Weights
from minds.models.default import called, meant, weights_of
from minds.models.language import LanguageModel, ModelFault
from minds.models.spec import parse

LOOK = 0.5
"""Seconds between two looks at what is here."""
WAITING = "{title} is not here yet: fetch it below, or choose another model. Your message is answered then."
LOADING = "The model is still loading; your message is answered as soon as it is there."
State = Literal["ready", "starting", "idle", "missing", "failed"]


@dataclass(frozen=True)
class Health:
    """One line of what works here."""

    part: str
    state: State
    text: str


class Models:
    """Those of all conversations: each once for each role, opened when first asked for."""

    def __init__(self, settings: Settings, swaps: Swaps) -> None:
        self._opened, self._models_dir = swaps.models, settings.models_dir
        self._settings = settings.model_settings
        self._open: dict[tuple[str, Role], LanguageModel] = {}

    def get(self, spec: str, role: Role) -> LanguageModel:
        """What `embedded` is may have changed since it was last asked for. Raises ModelFault."""
        key = (meant(spec, self._models_dir), role)
        if key not in self._open:
            self._open[key] = self._opened(spec, self._settings, role)
        return self._open[key]

    async def let_go(self, kept: Collection[str]) -> None:
        """Closes the models of this machine that are not in `kept`, for they hold memory; who asks opens them again.

        To be called between turns: a turn keeps the model that it began with.
        """
        stay = {meant(spec, self._models_dir) for spec in kept}
        left = [key for key in self._open if key[0] not in stay and key[0].startswith(("embedded", "gguf:", "hf:"))]
        await asyncio.gather(*(self._open.pop(key).close() for key in left), return_exceptions=True)

    def forget(self) -> None:
        """Models at an address are opened anew with the keys that there are now; nothing of theirs is held."""
        for key in [key for key in self._open if key[0].startswith(("openai:", "langchain:"))]:
            del self._open[key]

    async def close(self) -> None:
        await asyncio.gather(*(model.close() for model in self._open.values()), return_exceptions=True)


class Readiness:
    """Of the models that conversations have chosen."""

    def __init__(self, models_dir: Path, loading: Callable[[Options], bool]) -> None:
        """`loading`: whether the mind that hears first, of these options, is being loaded now."""
        self._models_dir, self._loading = models_dir, loading
        self.offering = False
        """Somebody can fetch weights while a turn waits: there is a page."""

    def missing(self, options: Options) -> list[Weights]:
        """Weights that the minds of these options want and that are not here."""
        specs = {"fast": [options.fast_model], "slow": [options.slow_model]}
        wanted = [self.weights(spec) for spec in specs.get(options.minds, [options.fast_model, options.slow_model])]
        return list(dict.fromkeys(one for one in wanted if one and not one.here(self._models_dir)))

    def weights(self, spec: str) -> Weights | None:
        """What a spec of this machine's own models names; None for all others."""
        try:
            return weights_of(parse(spec), self._models_dir)
        except ModelFault:
            return None

    async def wait(self, options: Callable[[], Options], tell: Callable[[str], object]) -> Options:
        """Returns what the person wants by then. `options` tells that at any time, `tell` hears why a turn waits."""
        told = ""
        while self.offering and (missing := self.missing(options())):
            if (words := WAITING.format(title=missing[0].title)) != told:
                tell(told := words)
            await asyncio.sleep(LOOK)
        wanted = options()
        if told or self._loading(wanted):
            tell(LOADING)
        return wanted


class Loading:
    """Of all models of one server. To be used on its event loop."""

    def __init__(
        self,
        models_dir: Path,
        models: Models,
        minds: Callable[[Options], Minds],
        warm: Callable[[Minds, str, Role], Awaitable[None]],
        idle: Callable[[], Awaitable[None]],
    ) -> None:
        """`warm` loads one mind's model and the constant part of its context, `idle` waits until nothing is being
        answered."""
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
            await self._warm(minds, options.domain, part)
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
        """The mind that hears first: it answers while the other one still reads its prompts."""
        fast, slow = self.health(options)
        return (slow if options.minds == "slow" else fast).state == "starting"
