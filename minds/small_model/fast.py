"""A small fast mind: a learned gate decides for it, since its own flag is a poor judge; its words are its own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace

import numpy as np
from langchain_core.messages import BaseMessage, HumanMessage

from minds.briefing import Briefing
from minds.dialogue import Dialogue, Reply, Turn, TurnContext, talk
from minds.fast import FastMind
from minds.figures import unsupported
from minds.gate import Gate
from minds.models.language import LanguageModel, Usage
from minds.protocol import STOPS, begun, read
from minds.small_model.desk import DeskFast, heard
from minds.small_model.worlds import Heeding
from minds.strategies.steps import closed, shown
from prompts import render

Embed = Callable[[Sequence[str]], "np.ndarray"]
KINDS = ("talk", "steer", "pause", "resume", "stop")
SENTENCE = 4
"""Words from which a result is one."""
INTERIM, ASKED = 24, 120
"""Tokens of an interim reply, and of one with the request behind it."""


class SmallFast(FastMind):
    """One fast mind over one small model; holds no dialogue."""

    def __init__(
        self,
        model: LanguageModel,
        gate: Gate,
        embed: Embed,
        heeding: Heeding | None = None,
        *,
        temperature: float = 0.0,
    ) -> None:
        """Without `heeding` no turn is heard as meant for a text world."""
        super().__init__(model, temperature=temperature)
        self._gate, self._embed, self._heeding = gate, embed, heeding

    def briefed(self, briefing: Briefing | None) -> FastMind:
        """At a domain's desk (minds/small_model/desk.py)."""
        return self if briefing is None else DeskFast(self.model, briefing)

    async def heard(self, briefing: Briefing, usage: Usage, *, alone: bool = False) -> Briefing:
        return replace(briefing, request=await heard(self.model, briefing, usage, alone=alone))

    async def reply(
        self, dialogue: Dialogue, said: str, context: TurnContext, reply: Reply, usage: Usage | None = None
    ) -> AsyncIterator[str]:
        if context.running and (kind := await self._kind(said, context, usage)) != "talk":
            reply.control = (kind, said)
            return
        if self._heeding is not None and await self._heard(self._heeding, said, context, usage):
            reply.invoke, reply.request = True, said
            yield render("small/world_heard")
            return
        needed, reply.p = await self._decided(dialogue, said, context)
        reply.invoke = needed and not reply.alone
        if not reply.invoke:
            async for piece in self._spoken_reply(dialogue, said, context, reply, usage):
                yield piece
            reply.invoke = False
            return
        async for piece in self._interim(dialogue, said, context, reply, usage):
            yield piece
        reply.invoke, reply.request = True, reply.request or said

    async def word(
        self, dialogue: Dialogue, said: str, context: TurnContext, called: Turn, result: str, usage: Usage | None = None
    ) -> AsyncIterator[str]:
        """A result that is a sentence is told as it is: a small model adds to it what is not so. Of another, which the
        wording lost, the result stands below. Where the slow mind hands nothing back the turn was plain talk: it is
        answered as such."""
        if not result:
            async for piece in self._spoken_reply(dialogue, said, context, Reply(), usage):
                yield piece
            return
        noted = result.rstrip().endswith(")")  # what stands in brackets behind it is for the mind: doubt, steering
        if len(result.split()) >= SENTENCE and not noted:
            yield result
            return
        text = ""
        async for piece in super().word(dialogue, said, context, called, result, usage):
            text += piece
            yield piece
        if not noted and (unsupported(result, [text]) or not text.strip()):
            yield f"\n\n{result}"

    def _spoken(self, dialogue: Dialogue, said: str, context: TurnContext) -> list[BaseMessage]:
        return super()._spoken(talk(dialogue), said, context)

    async def _heard(self, heeding: Heeding, said: str, context: TurnContext, usage: Usage | None) -> bool:
        return await asyncio.to_thread(heeding.heard, await heeding.english(said, context, self.model, usage), context)

    async def _decided(self, dialogue: Dialogue, said: str, context: TurnContext) -> tuple[bool, float]:
        """The learned head's decision; the words alone are embedded once."""
        vectors = await asyncio.to_thread(self._embed, self._gate.texts_to_embed(said, dialogue))
        decision = self._gate.decide(said, dialogue, vectors)
        return decision.invoke, decision.p

    async def _interim(
        self, dialogue: Dialogue, said: str, context: TurnContext, reply: Reply, usage: Usage | None
    ) -> AsyncIterator[str]:
        """A few words; and, where the turn may lean on what was said before, the request made to stand alone."""
        follows = bool(dialogue.turns)
        lead = f"{begun(True)}{render('fast/lead')}"
        pieces = self.model.stream(
            self._spoken(dialogue, said, context),
            prefix=lead,
            stop=STOPS if follows else (*STOPS, "]", "\n"),
            max_tokens=ASKED if follows else INTERIM,
            usage=usage,
        )
        yield render("fast/lead")
        async for piece in read(pieces, reply, opened=True):
            yield piece

    async def _kind(self, said: str, context: TurnContext, usage: Usage | None) -> str:
        """Whether a turn is a word to the run under way."""
        messages = [*shown("small/steer"), HumanMessage(f"{context.running}\n{said}")]
        form = closed({"kind": {"enum": list(KINDS)}})
        found = await self.model.structured(messages, form, max_tokens=12, usage=usage)
        return str(found.get("kind", "talk"))
