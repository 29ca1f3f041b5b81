"""A choice among texts that a model and learned odds make together."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Unpack

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage

from minds import reading
from minds.models.language import Garbled, LanguageModel, Speaking, Usage
from minds.policies.wishes import ASKED, TOGETHER, Retold
from minds.strategies.steps import shown
from prompts import render
from tools.worlds.actions import ActionSpace
from tools.worlds.tool import WorldState

PULL = 2.0
"""How much the learned odds count beside the model's own (chosen on sentences that were kept apart)."""
TINY, WRITTEN, LINE, KEPT = 1e-6, 16, 120, 64
"""Odds below which nothing counts less; tokens of a value in the model's own words, and of a line; sentences kept that
were put into English."""
SURE = -0.75
"""The mean log-probability of a token from which what was put into English is taken for what was said: of 48 turns in
16 languages 12 of the 26 that were put into something else lie below, and 3 of the 22 others."""
LINE_END = ("\n",)


Further = Callable[[str, ActionSpace, Sequence[str], int], dict[str, float]]
"""Words, what can be done, what was done and how many actions of that were for these words -> odds of the next one."""


async def chosen(
    model: LanguageModel, messages: Sequence[BaseMessage], begun: str, odds: Mapping[str, float], usage: Usage
) -> str:
    """The choice that learned odds and the model find likeliest together (a product of experts, as SayCan 3).

    begun: what the model has written so far. odds: choice -> probability. Raises ModelFault.
    """
    found = await together(model, messages, begun, odds, usage)
    return max(found, key=lambda one: found[one])


async def together(
    model: LanguageModel, messages: Sequence[BaseMessage], begun: str, odds: Mapping[str, float], usage: Usage
) -> dict[str, float]:
    """The probability of each choice by both; by the learned odds alone where the model cannot tell its own. Raises
    ModelFault."""
    tells = model.abilities.prefix and model.abilities.logprobs
    weighed = await model.weigh(messages, begun, list(odds), usage) if tells else dict.fromkeys(odds, 0.0)
    scores = {one: PULL * math.log(p + TINY) + weighed[one] for one, p in odds.items()}
    most = max(scores.values())
    worth = {one: math.exp(score - most) for one, score in scores.items()}
    whole = sum(worth.values())
    return {one: value / whole for one, value in worth.items()}


async def written(model: LanguageModel, messages: Sequence[BaseMessage], **how: Unpack[Speaking]) -> str:
    """What a model writes behind these, of LINE tokens at most where nothing else is said. Raises ModelFault."""
    how.setdefault("max_tokens", LINE)
    return "".join([piece async for piece in model.stream(messages, **how)]).strip()


async def recounted(model: LanguageModel, story: str, said: str, usage: Usage) -> tuple[str, str]:
    """On which steps the answer to a question about a task rests, and the answer. Layers that were trained for it first
    name these, and read them again; without them none are named. These read and answer in English whatever the person
    speaks: in other languages so small a model makes up what happened. Raises ModelFault."""
    if model.recounts is None:
        own = said.own if isinstance(said, Retold) else said
        return "", await written(model, reading.story(story, own), usage=usage)
    asked = reading.story(story, said, trained=True)
    named = await written(model.recounts, asked, usage=usage, stop=LINE_END)
    return named, await written(model.recounts, [*asked, *reading.named(story, named)], usage=usage)


async def parts(model: LanguageModel, said: str, usage: Usage) -> list[str]:
    """The things that are to be done in a world, in words of which each is understood without the others; all that was
    said where the model cannot tell them apart."""
    reader = await Reader.of(model, shown("small/world_parts"))
    try:
        text = await written(model, [*reader.head, HumanMessage(said)], usage=usage)
    except Garbled:
        return [said]
    found = dict.fromkeys(line.strip() for line in text.splitlines() if line.strip())
    return [said] if usage.cut or not found else [*found]


async def besides(model: LanguageModel, further: Further, said: str, state: WorldState, done: int, usage: Usage) -> str:
    """Behind so many actions the next one that the same words ask for, by learned odds and trained layers together, for
    alone each errs; by the odds where there are no layers. Empty where there is none. Raises ModelFault."""
    assert state.space is not None
    odds = await asyncio.to_thread(further, said, state.space, state.recent, done) if done else {}
    least = ASKED
    if odds and model.trained:
        asked, least = reading.action(said, state.seen, state.recent, [*odds][:-1], done), TOGETHER
        odds = await (await Reader.trained(model, ())).odds(asked, odds, usage)
    return next((one for one, p in [*odds.items()][:1] if p >= least), "")


@dataclass(frozen=True)
class Reader:
    """A model, and what it is told before it reads a person's words: a prompt with examples, or, where its layers were
    trained for that, hardly anything."""

    model: LanguageModel
    head: Sequence[BaseMessage]

    @classmethod
    async def of(cls, model: LanguageModel, head: Sequence[BaseMessage]) -> Reader:
        """By a prompt and its examples; what another prompt pushed out is taken up again. Raises ModelFault."""
        if model.abilities.keeps:
            await model.warm([*head, HumanMessage("Said:")])
        return cls(model, head)

    @classmethod
    async def trained(cls, model: LanguageModel, head: Sequence[BaseMessage]) -> Reader:
        """By its trained layers where it has them. Raises ModelFault."""
        if model.trained is None:
            return await cls.of(model, head)
        return cls(model.trained, [SystemMessage(render("small/trained"))])

    async def chosen(self, asked: str, odds: Mapping[str, float], usage: Usage, begun: str = "") -> str:
        """One of these. Raises ModelFault."""
        return await chosen(self.model, [*self.head, HumanMessage(asked)], begun, odds, usage)

    async def line(self, asked: str, usage: Usage | None = None) -> str:
        """What it writes, of one line. Raises ModelFault."""
        return await written(self.model, [*self.head, HumanMessage(asked)], usage=usage, stop=LINE_END)

    async def odds(self, asked: str, odds: Mapping[str, float], usage: Usage) -> dict[str, float]:
        """How probable each of these is. Raises ModelFault."""
        return await together(self.model, [*self.head, HumanMessage(asked)], "", odds, usage)


class English:
    """What is said, put into the language that the learned weights know, where the model is sure of it; the last KEPT
    of it are kept."""

    def __init__(self) -> None:
        self._kept: dict[str, Retold] = {}

    async def of(self, said: str, model: LanguageModel, usage: Usage | None = None) -> Retold:
        """Raises ModelFault."""
        if said not in self._kept:
            reader, usage = await Reader.trained(model, shown("small/english")), usage or Usage()
            before, usage.logprobs = usage.logprobs, []
            text = await reader.line(reading.foreign(said), usage)
            sure, usage.logprobs = fmean(usage.logprobs or [0.0]) >= SURE, before
            found = Retold(text if text and sure else said, said)
            self._kept = {**dict(list(self._kept.items())[-KEPT:]), said: found}
        return self._kept[said]


class Lines:
    """An answer of `name: value` lines that is written one value at a time."""

    def __init__(self, reader: Reader, asked: str, usage: Usage, begun: str = "") -> None:
        self._reader, self._asked, self._text = reader, asked, begun
        self.usage = usage

    async def chosen(self, name: str, odds: Mapping[str, float]) -> str:
        """One of these. Raises ModelFault."""
        begun, values = f"{self._text}{name}:", {f" {one}\n": p for one, p in odds.items()}
        value = await self._reader.chosen(self._asked, values, self.usage, begun)
        self._text = begun + value
        return value.strip()

    async def written(self, name: str) -> str:
        """In words of the model's own; none where it would begin the answer anew. Raises ModelFault."""
        if not self._reader.model.abilities.prefix:
            return ""
        begun = f"{self._text}{name}:"
        messages = [*self._reader.head, HumanMessage(self._asked)]
        how = Speaking(prefix=begun, stop=LINE_END, max_tokens=WRITTEN, usage=self.usage)
        value = await written(self._reader.model, messages, **how)
        self._text = f"{begun} {value}\n"
        return value
