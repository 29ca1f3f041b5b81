"""A model of a benchmark's own: says what a function makes of the messages, word by word, and answers at once."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Sequence
from typing import TYPE_CHECKING, Any, cast

from minds.models.language import Abilities, LanguageModel, Offered, Said, ToolCall

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import BaseMessage

STRONG = Abilities(tools=True, schema=True, strong=True)


class PlainModel:
    """`PlainModel(lambda messages: Said("Hm."))`; `delay`: seconds before each word."""

    chat = cast("BaseChatModel", None)
    trained: LanguageModel | None = None
    notes: LanguageModel | None = None
    recounts: LanguageModel | None = None

    def __init__(
        self,
        says: Callable[[Sequence[BaseMessage]], Said],
        abilities: Abilities = STRONG,
        spec: str = "plain",
        delay: float = 0.0,
    ) -> None:
        self._says, self.abilities, self.spec, self._delay = says, abilities, spec, delay

    async def stream(
        self, messages: Sequence[BaseMessage], *, calls: list[ToolCall] | None = None, **_: Any
    ) -> AsyncIterator[str]:
        """The words, and the calls where they are asked for."""
        said = self._says(messages)
        for word in re.findall(r"\s*\S+", said.text):
            await asyncio.sleep(self._delay)
            yield word
        if calls is not None:
            calls += said.calls

    async def call(self, messages: Sequence[BaseMessage], tools: Sequence[Offered], **_: Any) -> Said:
        """Words and calls."""
        return self._says(messages)

    async def structured(
        self, messages: Sequence[BaseMessage], schema: dict[str, object], **_: Any
    ) -> dict[str, object]:
        """The words as a slow mind's answer."""
        return {"thought": "", "answer": self._says(messages).text}

    async def weigh(
        self, messages: Sequence[BaseMessage], prefix: str, choices: Sequence[str], *_: Any
    ) -> dict[str, float]:
        """None is likelier than another."""
        return dict.fromkeys(choices, -1.0)

    async def warm(self, messages: Sequence[BaseMessage]) -> None:
        """Nothing to load."""

    async def close(self) -> None:
        """Nothing is held open."""
