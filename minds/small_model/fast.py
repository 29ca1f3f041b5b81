"""A small fast mind: a learned gate decides for it, since its own flag is a poor judge; its words are its own."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

from minds.about import itself
from minds.briefing import Briefing
from minds.dialogue import Dialogue, Reply, Turn, TurnContext, talk
from minds.fast import FastMind, unechoed, unlooped
from minds.gate import Decides, doubtful
from minds.grounds import unsupported
from minds.languages import name, strange
from minds.layers import SURE, decided, from_past
from minds.looking_up import looked_up
from minds.models.language import LanguageModel, Usage
from minds.small_model.desk import DeskFast, heard
from minds.small_model.worlds import LONG, Heeding
from minds.strategies.steps import closed, conversation, merged, shown
from prompts import examples, render, spoken

KINDS, SENTENCE = ("talk", "steer", "pause", "resume", "stop"), 4  # words from which a result is a sentence


def behind(dialogue: Dialogue, said: str, context: TurnContext) -> list[BaseMessage]:
    """What stands before a turn: before a first one a greeting and its answer, in the person's language, without which
    a small model says back what it is told. Behind all that Duet knows of itself it refuses more of all else."""
    known = {"about": itself()} if context.of_duet else {}
    head = SystemMessage(render("small/talk" if known else "small/plain", now=context.now, **known))
    if turns := conversation(talk(dialogue)):
        return [head, *turns]
    one, _, other = dict(examples("small/talk_examples")).get(name(said), "").partition("\n")
    return [head, HumanMessage(one), AIMessage(other)] if one else [head]


class SmallFast(FastMind):
    """One fast mind over one small model; holds no dialogue."""

    def __init__(self, model: LanguageModel, gate: Decides, heeding: Heeding | None = None, **way: Any) -> None:
        """Without `heeding` no turn is heard as meant for a text world; `way`: as of FastMind."""
        super().__init__(model, **way)
        self._gate, self._heeding = gate, heeding

    def briefed(self, briefing: Briefing | None) -> FastMind:
        return self if briefing is None else DeskFast(self.model, briefing)

    async def heard(self, briefing: Briefing, usage: Usage, *, alone: bool = False) -> Briefing:
        return replace(briefing, request=await heard(self.model, briefing, usage, alone=alone))

    async def reply(
        self, dialogue: Dialogue, said: str, context: TurnContext, reply: Reply, usage: Usage | None = None
    ) -> AsyncIterator[str]:
        if context.running and (kind := await self._kind(said, context, usage)) != "talk":
            reply.controls = ((kind, said),)
            return
        usage = usage or Usage()
        if (heeding := self._heeding) and not reply.alone and await heeding.heard(said, context, self.model, usage):
            reply.invoke = True
        else:
            found = await decided(self._gate, self.model, said, dialogue, usage, context)
            context = replace(context, about=(render("fast/beyond"),)) if found.beyond else context
            asks = (found.invoke and not (context.about and found.p < SURE[1])) or looked_up(context, found)
            reply.p, reply.invoke = found.p, asks and not reply.alone
            if told := await from_past(self.model, said, context, reply, usage):
                yield told
                return
        if reply.invoke:
            yield spoken("fast/interim", name(said))
            reply.request = said  # made to stand alone it was mostly repeated; programs see the conversation
            return
        seen = TurnContext(instructions=context.instructions) if found.beyond else replace(context, now="", world="")
        asked, usage.logprobs = f"({note})\n\n{said}" if (note := seen.note()) else said, []
        head = [SystemMessage(render("small/beyond", cannot=context.about[0], now=context.now))] if found.beyond else []
        if context.of_duet and not head and self.model.abilities.keeps:
            await self.warm()  # another prompt may have pushed this one out
        async for piece in unechoed(lambda d: self._say(head or behind(d, said, context), asked, usage), dialogue):
            yield piece
        reply.beyond, reply.doubt = found.beyond, not found.beyond and doubtful(found.fact, usage.logprobs)

    async def word(
        self, dialogue: Dialogue, said: str, context: TurnContext, called: Turn, result: str, usage: Usage | None = None
    ) -> AsyncIterator[str]:
        """A result that is a sentence in the person's language is told as it is: a small model adds to it what is not
        so. Of another, whose figures the wording lost, the result stands below."""
        if len(result.split()) >= SENTENCE and (len(result) > LONG or not strange(said, result)):
            yield result
            return
        asked, text = render("small/word", said=said, result=result, language=name(said)), ""
        async for piece in self._say([SystemMessage(render("small/plain", now=context.now))], asked, usage):
            text += piece
            yield piece
        if unsupported(result, [text]) or not text.strip():
            yield f"\n\n{result}"

    async def warm(self, policy: str = "") -> None:
        await self.model.warm([SystemMessage(render("small/talk", now="", about=itself()))])

    def _say(self, before: Sequence[BaseMessage], asked: str, usage: Usage | None) -> AsyncIterator[str]:
        """As plain talk: the protocol's English examples would pull a small model into English and one-liners."""
        return unlooped(self._said(merged([*before, HumanMessage(asked)]), usage))

    async def _kind(self, said: str, context: TurnContext, usage: Usage | None) -> str:
        """Whether a turn is a word to the run under way."""
        messages = [*shown("small/steer"), HumanMessage(f"{context.running}\n{said}")]
        found = await self.model.structured(messages, closed({"kind": {"enum": [*KINDS]}}), max_tokens=12, usage=usage)
        return str(found.get("kind", "talk"))
