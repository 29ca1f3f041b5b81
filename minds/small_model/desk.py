"""A small model at a domain's desk: it reads the turn in one call, held to the schemas of the desk's tools."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

from minds.briefing import Briefing, Request
from minds.dialogue import Call, Dialogue, Episode, Move, Reply, Turn, TurnContext, clip
from minds.fast import FastMind
from minds.models.language import LanguageModel, Usage
from minds.strategies.steps import closed
from prompts import render
from tools.domains import examples
from tools.typed import narrowed

SAY = "say"  # in place of a tool's name, where the turn wants words
TURNS, LINES, WRITTEN = 16, 6, 200  # turns and lines of a reply that are read again; tokens written
CONSENT = {"confirm", "agreed"}


async def heard(model: LanguageModel, briefing: Briefing, usage: Usage, *, alone: bool = False) -> Request:
    """What the turn wants; words where there is no slow mind to be called (`alone`). Raises ModelFault."""
    read = messages(briefing)
    if model.abilities.keeps:
        await model.warm(read[: 1 + 2 * len(examples(briefing.about.name))])
    form: dict[str, object] = {"anyOf": [*forms(briefing)][: 1 if alone else None]}
    data = await model.structured(read, form, max_tokens=WRITTEN, usage=usage)
    if tool := briefing.tools.get(str(data.pop("tool"))):
        return Request(Call(tool.name, data), changes=tool.args.keys() >= CONSENT)
    return Request(say=str(data.get(SAY, "")).strip() or briefing.about.greeting)


def messages(briefing: Briefing) -> list[BaseMessage]:
    """The constant part first, then the dialogue, which only grows."""
    desk, tools = briefing.desk, briefing.tools.values()
    listed = "\n".join(f"{t.name}({', '.join(n for n in t.args if n not in CONSENT)}): {t.description}" for t in tools)
    read: list[BaseMessage] = [SystemMessage(render("small/desk", policy=briefing.policy(), tools=listed))]
    for shown, written in examples(briefing.about.name):
        read += [HumanMessage(shown), AIMessage(written)]
    told = f"Today is {desk.now:%A}, {desk.now.day} {desk.now:%B %Y}.\n"
    for exchange in [*desk.before, *desk.past][-TURNS:]:
        deeds = [{"tool": deed.tool, **deed.arguments} for deed in exchange.deeds]
        done = (deeds or [{"tool": SAY, SAY: clip(exchange.reply, 240)}])[-1]
        read += [HumanMessage(f"{told}Person: {exchange.said}"), AIMessage(json.dumps(done))]
        lines = [line for line in exchange.reply.splitlines() if line][:LINES]
        seen = [clip(line, 44 if len(lines) > 1 else 240) for line in lines]
        told = "Told: " + "\n".join([*seen, ""]) if exchange.deeds else ""
    return [*read, HumanMessage(f"{told}Person: {desk.said}")]


def forms(briefing: Briefing) -> Iterator[dict[str, Any]]:
    """What the model may write: words; each tool with arguments that there are; the answer to what waits for one."""
    yield closed({"tool": {"const": SAY}, SAY: {"type": "string", "maxLength": 240}})
    for name, tool in briefing.tools.items():
        if offered := narrowed(tool, briefing.choices):
            fields = {key: field for key, field in offered[0].items() if key not in CONSENT}
            yield closed({"tool": {"const": name}, **fields}) | {"required": ["tool", *offered[1]]}
        if briefing.waiting and briefing.waiting[0] == name:
            answer = {"confirm": {"const": briefing.waiting[1]}, "agreed": {"type": "boolean"}}
            yield closed({"tool": {"const": name}} | answer)


class DeskFast(FastMind):
    """Made for one turn, which was read already; a tool's own words are told: wording them anew could only lose."""

    def __init__(self, model: LanguageModel, briefing: Briefing) -> None:
        super().__init__(model)
        self._briefing = briefing

    async def reply(
        self, dialogue: Dialogue, said: str, context: TurnContext, reply: Reply, usage: Usage | None = None
    ) -> AsyncIterator[str]:
        request = self._briefing.request or Request()
        reply.invoke, reply.request = request.call is not None and not reply.alone, said
        yield render("fast/interim") if reply.invoke else request.say

    async def word(
        self, dialogue: Dialogue, said: str, context: TurnContext, called: Turn, result: str, usage: Usage | None = None
    ) -> AsyncIterator[str]:
        yield result

    async def warm(self, policy: str = "") -> None:
        await self.model.warm(messages(self._briefing)[:-1])


@dataclass(frozen=True)
class DeskReAct:
    """One call, as it was read, and what it gave; what the tool refuses is told with its reason."""

    request: Request

    async def act(self, episode: Episode) -> Move:
        if episode.steps:
            return Move("", answer=episode.steps[-1].told or episode.steps[-1].observation)
        return Move("", (self.request.call,)) if self.request.call else Move("", answer=self.request.say)
