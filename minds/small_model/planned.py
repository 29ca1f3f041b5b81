"""A small model at a domain's desk: the domain reads the turn (its plan), the model words what is left to it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from langchain_core.messages import BaseMessage, HumanMessage

from minds.briefing import Briefing
from minds.dialogue import Call, Dialogue, Episode, Move, Reply, Turn, TurnContext, clip
from minds.fast import FastMind
from minds.models.language import LanguageModel, Usage
from minds.protocol import STOPS, as_messages, begun, read
from minds.slow import Workbench
from minds.strategies.steps import closed
from prompts import render
from tools.domains import Call as Planned

WORDS, SEEN = 80, 120
"""Tokens of the model's own words, and characters of each utterance of the last exchange that it reads for them."""


class PlannedFast(FastMind):
    """Made for one turn."""

    def __init__(self, model: LanguageModel, briefing: Briefing, *, temperature: float = 0.0) -> None:
        super().__init__(model, temperature=temperature)
        self._briefing = briefing

    async def reply(
        self, dialogue: Dialogue, said: str, context: TurnContext, reply: Reply, usage: Usage | None = None
    ) -> AsyncIterator[str]:
        """What the plan has words for; else the model's own, seen whole before the person sees them."""
        plan = self._briefing.plan
        reply.invoke, reply.request = bool(plan.calls) and not reply.alone, said
        reply.p = float(bool(plan.calls))
        if reply.invoke:
            yield plan.interim or render("fast/interim")
        elif plan.reply:
            yield f"{plan.reply} {plan.add}".strip()
        else:
            yield await self._own(dialogue, said, usage)

    async def word(
        self, dialogue: Dialogue, said: str, context: TurnContext, called: Turn, result: str, usage: Usage | None = None
    ) -> AsyncIterator[str]:
        """A domain's tool has words of its own: wording them anew could only lose."""
        yield result

    async def warm(self, policy: str = "") -> None:
        await self.model.warm(self._messages(Dialogue("", ""), "hello"))

    async def _own(self, dialogue: Dialogue, said: str, usage: Usage | None) -> str:
        messages = self._messages(dialogue, said)
        how: dict[str, Any] = {"max_tokens": WORDS, "temperature": self._temperature, "usage": usage}
        pieces = self.model.stream(messages, prefix=begun(False), stop=(*STOPS, "\n"), **how)
        text = "".join([piece async for piece in read(pieces, Reply(), opened=True)])
        return self._briefing.worded(text, [str(message.content) for message in messages[-6:]])

    def _messages(self, dialogue: Dialogue, said: str) -> list[BaseMessage]:
        lately = [type(m)(clip(str(m.content), SEEN)) for m in as_messages(dialogue.turns[-2:])]
        return [*self._briefing.fast_preamble(), *lately, HumanMessage(f"User[{said}]")]


class PlannedReAct:
    """ReAct among the calls that the domain read out of the turn; what fails is not tried again."""

    def __init__(self, bench: Workbench, briefing: Briefing) -> None:
        self._bench, self._briefing = bench, briefing

    async def act(self, episode: Episode) -> Move:
        """Raises ModelFault."""
        last = episode.steps[-1] if episode.steps else None
        planned = {call.tool: call for call in reversed(self._briefing.plan.calls) if call.tool in self._bench.tools()}
        if last and not last.failed:
            return Move("The observation answers the query.", answer=last.told or last.observation)
        tried = {step.action for step in episode.steps}
        left = [call for call in reversed(planned.values()) if call.tool not in tried]
        if not left:
            return Move("", answer=last.observation if last else render("slow/gave_up"), gave_up=True)
        if len(left) == 1 and self._briefing.plan.thought:  # there is nothing to choose
            return Move(self._briefing.plan.thought, (self._call(left[0]),))
        return await self._chosen(episode, left)

    async def _chosen(self, episode: Episode, left: list[Planned]) -> Move:
        """The model chooses; what goes into the call is what the domain read."""
        tools, usage = self._bench.tools(), Usage()
        listed = "\n".join(f"{tool.name}: {tool.description}" for tool in tools.values())
        offered = "".join(f" ({call.tool}: {call.input})" for call in left)
        messages = [*self._briefing.slow_preamble(listed), HumanMessage(f"Query 0: {episode.task.said}{offered}")]
        action = {"enum": [call.tool for call in left]}
        form = closed({"thought": {"type": "string", "maxLength": 160}, "action": action, "input": {"const": ""}})
        data = await self._bench.model.structured(messages, form, max_tokens=220, usage=usage)
        chosen = next(call for call in left if call.tool == data["action"])
        return Move(str(data["thought"]), (self._call(chosen),), tokens=usage.paid, asked=usage.calls)

    def _call(self, planned: Planned) -> Call:
        """The domain's tools take one text."""
        return Call(planned.tool, {next(iter(self._bench.tools()[planned.tool].args)): planned.input})
