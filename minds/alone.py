"""A question made to stand alone: what it takes from the dialogue is put in (for the slow mind and for the memory)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.tools import BaseTool

from minds.analogy import operations, substitutions
from minds.dialogue import Dialogue, clip
from minds.fidelity import invented
from minds.models.language import LanguageModel, Usage
from minds.strategies.crutches import reading
from prompts import examples, render

TOKENS = 80
CLIP = 300
"""Characters of the exchange before that are shown."""


async def stand_alone(
    said: str, dialogue: Dialogue, model: LanguageModel, tools: Mapping[str, BaseTool], usage: Usage
) -> str:
    """The rewritten question, or `said` where that copies the last one or brings in figures. Raises ModelFault.

    A model that is not strong is asked only where the rules of minds/analogy.py find nothing.
    """
    if not model.abilities.strong and (found := await asyncio.to_thread(_by_rule, said, dialogue, tools)):
        return found
    stream = model.stream(alone_messages(said, dialogue), stop=("\n",), max_tokens=TOKENS, usage=usage)
    rewritten = "".join([piece async for piece in stream]).strip().strip('"')
    known = [said, *(turn.text for turn in dialogue.turns)]
    copied = rewritten.casefold().rstrip("?!. ") == before(dialogue)[0].casefold().rstrip("?!. ")
    return said if not rewritten or copied or invented(rewritten, known) else rewritten


def _by_rule(said: str, dialogue: Dialogue, tools: Mapping[str, BaseTool]) -> str:
    """The first reading that a tool understands, else a question like the last one; empty where there is neither."""
    question, answer = before(dialogue)
    like = list(substitutions(said, question))
    for candidate in [*operations(said, answer), *like]:
        if reading(candidate, tools):
            return candidate
    return like[0] if like else ""


def before(dialogue: Dialogue) -> tuple[str, str]:
    """The last question and its final answer; a question that leaned on an earlier one as the slow mind read it."""
    question = next((turn.text for turn in reversed(dialogue.turns) if turn.speaker == "user"), "")
    answer = next((t.text for t in reversed(dialogue.turns) if t.speaker in ("fast", "memory") and not t.invoke), "")
    return question, answer


def alone_messages(said: str, dialogue: Dialogue) -> list[BaseMessage]:
    """The exchange before and the turn; what lies further back is rarely meant."""
    messages: list[BaseMessage] = [SystemMessage(render("slow/standalone"))]
    for shown, reply in examples("slow/standalone_examples"):
        messages += [HumanMessage(shown), AIMessage(reply)]
    question, answer = before(dialogue)
    shown = f"Before: {clip(question, CLIP)}\nReply: {clip(answer, CLIP)}\nNow: {said}"
    return [*messages, HumanMessage(shown)]
