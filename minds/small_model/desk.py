"""A small model at a domain's desk: it reads the turn in one call, held to the schemas of the desk's tools."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

from minds.briefing import Briefing, Request
from minds.dialogue import Call, Dialogue, Episode, Move, Reply, Turn, TurnContext, clip
from minds.fast import FastMind
from minds.models.language import LanguageModel, Usage
from minds.strategies.steps import closed
from prompts import render, spoken
from tools.domains import examples
from tools.typed import narrowed

SAY, THEN = "say", "then"  # in place of a tool's name, where the turn wants words; words behind a tool's result
TURNS, SEEN, WRITTEN = 8, 360, 200  # turns, and characters of a reply, that are read again; tokens written
WORDS = {"type": "string", "maxLength": 240}
CONSENT = {"confirm": (), "agreed": ()}  # in the turn that asks for something these have no choice


async def heard(model: LanguageModel, briefing: Briefing, usage: Usage, *, alone: bool = False) -> Request:
    """What the turn wants; words where there is no slow mind to be called (`alone`). Raises ModelFault."""
    if model.abilities.keeps and not briefing.desk.past:
        await model.warm(head(briefing))
    form: dict[str, object] = {"anyOf": [*forms(briefing)][: 1 if alone else None]}
    written = await model.structured(messages(briefing), form, max_tokens=WRITTEN, usage=usage)
    data = dict(written)
    if tool := briefing.tools.get(str(data.pop("tool"))):
        then = str(data.pop(THEN, "")).strip()
        return Request(Call(tool.name, data), then=then, written=written, changes=tool.args.keys() >= CONSENT.keys())
    return Request(say=str(data.get(SAY, "")).strip() or briefing.about.greeting, written=written)


def head(briefing: Briefing) -> list[BaseMessage]:
    """The constant part of what is read."""
    domain, tools = briefing.about.name, briefing.tools.values()
    listed = "\n".join(f"{t.name}({', '.join(n for n in t.args if n not in CONSENT)}): {t.description}" for t in tools)
    system = SystemMessage(render("small/desk", policy=briefing.policy(), tools=listed))
    return [system, *(turn for said, done in examples(domain) for turn in (HumanMessage(said), AIMessage(done)))]


def messages(briefing: Briefing) -> list[BaseMessage]:
    """The dialogue behind the constant part: it only grows, and is cut seldom, so that little is read anew."""
    desk, read, turns = briefing.desk, head(briefing), [*briefing.desk.before, *briefing.desk.past]
    told = f"Today is {desk.now:%A}, {desk.now.day} {desk.now:%B %Y}.\n"
    for exchange in turns[max(0, len(turns) - TURNS) // TURNS * TURNS :]:
        done = exchange.written or {"tool": SAY, SAY: clip(exchange.reply, 240)}
        read += [HumanMessage(f"{told}Person: {exchange.said}"), AIMessage(json.dumps(done))]
        told = f"Told: {clip(exchange.reply, SEEN)}\n" if done["tool"] != SAY else ""
    return [*read, HumanMessage(f"{told}Person: {desk.said}")]


def forms(briefing: Briefing) -> Iterator[dict[str, object]]:
    """What the model may write: words; each tool with arguments that there are; the answer to what waits for one."""
    yield closed({"tool": {"const": SAY}, SAY: WORDS})
    for name, tool in briefing.tools.items():
        if offered := narrowed(tool, {**briefing.choices, **CONSENT}):
            yield closed({"tool": {"const": name}, **offered[0], THEN: WORDS}) | {"required": ["tool", *offered[1]]}
        if briefing.waiting and briefing.waiting[0] == name:
            answer = {"confirm": {"const": briefing.waiting[1]}, "agreed": {"type": "boolean"}}
            yield closed({"tool": {"const": name}, **answer, THEN: WORDS})


class DeskFast(FastMind):
    """Made for one turn, which was read already; a tool's own words are told: wording them anew could only lose."""

    def __init__(self, model: LanguageModel, briefing: Briefing) -> None:
        super().__init__(model)
        self._briefing, self._request = briefing, briefing.request or Request()

    async def reply(
        self, dialogue: Dialogue, said: str, context: TurnContext, reply: Reply, usage: Usage | None = None
    ) -> AsyncIterator[str]:
        reply.invoke, reply.request = self._request.call is not None and not reply.alone, said
        yield spoken("fast/interim") if reply.invoke else self._request.say

    async def word(
        self, dialogue: Dialogue, said: str, context: TurnContext, called: Turn, result: str, usage: Usage | None = None
    ) -> AsyncIterator[str]:
        yield self._request.told(result)

    async def warm(self, policy: str = "") -> None:
        await self.model.warm(head(self._briefing))


@dataclass(frozen=True)
class DeskReAct:
    """One call, as it was read, and what it gave; what the tool refuses is told with its reason."""

    request: Request

    async def act(self, episode: Episode) -> Move:
        if episode.steps:
            return Move("", answer=episode.steps[-1].told or episode.steps[-1].observation, worded=True)
        return Move("", (self.request.call,), last=True) if self.request.call else Move("", answer=self.request.say)
