"""Whether the models of a turn are here. Where the page can offer their weights, a turn waits until they are."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from chat.settings import Options
from minds.models.catalogue import Weights
from minds.models.default import weights_of
from minds.models.language import ModelFault
from minds.models.spec import parse

LOOK = 0.5
"""Seconds between two looks at what is here."""
WAITING = "{title} is not here yet: fetch it below, or choose another model. Your message is answered then."
LOADING = "The model is still loading; your message is answered as soon as it is there."


class Readiness:
    """Of the models that conversations have chosen."""

    def __init__(self, models_dir: Path, loading: Callable[[Options], bool]) -> None:
        """`loading`: whether a mind of these options is being loaded now."""
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

    async def wait(self, options: Callable[[], Options], tell: Callable[[str], None]) -> Options:
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
