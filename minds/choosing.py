"""A choice among texts that a model and learned odds make together."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from langchain_core.messages import BaseMessage, HumanMessage

from minds.models.language import LanguageModel, Usage

PULL = 2.0
"""How much the learned odds count beside the model's own (chosen on sentences that were kept apart)."""
TINY, WRITTEN, LINE = 1e-6, 16, 120
"""Odds below which nothing counts less; tokens of a value in the model's own words, and of a line."""


async def chosen(
    model: LanguageModel, messages: Sequence[BaseMessage], begun: str, odds: Mapping[str, float], usage: Usage
) -> str:
    """The choice that learned odds and the model find likeliest together (a product of experts, as SayCan 3).

    begun: what the model has written so far. odds: choice -> probability. Raises ModelFault.
    """
    weighed = await model.weigh(messages, begun, list(odds), usage)
    return max(odds, key=lambda one: PULL * math.log(odds[one] + TINY) + weighed[one])


async def one_line(model: LanguageModel, messages: Sequence[BaseMessage], usage: Usage | None = None) -> str:
    """What a model writes behind these, up to the line's end. Raises ModelFault."""
    return await written(model, messages, usage, stop=("\n",))


async def written(
    model: LanguageModel, messages: Sequence[BaseMessage], usage: Usage | None = None, stop: Sequence[str] = ()
) -> str:
    """What a model writes behind these, of LINE tokens at most. Raises ModelFault."""
    pieces = model.stream(messages, stop=stop, max_tokens=LINE, usage=usage)
    return "".join([piece async for piece in pieces]).strip()


async def warmed(model: LanguageModel, head: list[BaseMessage]) -> list[BaseMessage]:
    """What another prompt pushed out is taken up again."""
    if model.abilities.keeps:
        await model.warm([*head, HumanMessage("Said:")])
    return head


class Lines:
    """An answer of `name: value` lines that is written one value at a time."""

    def __init__(self, model: LanguageModel, messages: Sequence[BaseMessage]) -> None:
        self._model, self._messages, self._text = model, messages, ""
        self.usage = Usage()

    async def chosen(self, name: str, odds: Mapping[str, float]) -> str:
        """One of these. Raises ModelFault."""
        begun, values = f"{self._text}{name}:", {f" {one}\n": p for one, p in odds.items()}
        value = await chosen(self._model, self._messages, begun, values, self.usage)
        self._text = begun + value
        return value.strip()

    async def written(self, name: str) -> str:
        """In words of the model's own. Raises ModelFault."""
        begun = f"{self._text}{name}:"
        pieces = self._model.stream(self._messages, prefix=begun, stop=("\n",), max_tokens=WRITTEN, usage=self.usage)
        value = "".join([piece async for piece in pieces]).strip()
        self._text = f"{begun} {value}\n"
        return value
