"""The models of all conversations: opened when first asked for, shared, and closed where they are no longer meant."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from typing import TYPE_CHECKING

from chat.services import Swaps
from chat.settings import Settings
from minds.models import ModelSettings, Role
from minds.models.default import meant

if TYPE_CHECKING:
    from minds.models.language import LanguageModel


class Models:
    """Each model once for each role."""

    def __init__(self, settings: Settings, swaps: Swaps) -> None:
        self._opened, self._models_dir = swaps.models, settings.models_dir
        self._settings = ModelSettings(
            models_dir=settings.models_dir, log_dir=settings.home / "logs", keys=settings.home / "keys.json"
        )
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
