"""A question made to stand alone: what it takes from the dialogue is put in (for the slow mind and for the memory)."""

from __future__ import annotations

import asyncio
import itertools
import re
from collections.abc import Iterator, Mapping

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.tools import BaseTool

from memory.verify import stands_alone
from minds.aftermath import goes_on, operations
from minds.analogy import core_of, leans, substitutions
from minds.dialogue import Dialogue, clip
from minds.fidelity import invented
from minds.models.language import LanguageModel, Usage
from minds.strategies.crutches import reading
from prompts import examples, render

TOKENS = 80
CLIP = 300
"""Characters of the exchange before that are shown."""
_OF_ONESELF = re.compile(r"(?:i|we|my)\b(?! mean)", re.IGNORECASE)
EXCHANGES = 3
"""Exchanges back that a follow-up may mean."""


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


def follows_up(said: str, dialogue: Dialogue, tools: Mapping[str, BaseTool]) -> bool:
    """Whether a turn goes on from a question that the slow mind answered, in a way that a tool understands."""
    last = next((n for n in range(len(dialogue.turns) - 1, -1, -1) if dialogue.turns[n].speaker == "user"), None)
    if last is None or stands_alone(said) or not any(turn.speaker == "slow" for turn in dialogue.turns[last:]):
        return False
    if _OF_ONESELF.match(said):
        return False
    question, answer = _exchanges(dialogue, tools)[-1]
    return any(reading(candidate, tools) for candidate in readings(said, question, answer))


def _by_rule(said: str, dialogue: Dialogue, tools: Mapping[str, BaseTool]) -> str:
    """The first reading that a tool understands, else a question like the last one; empty where there is neither.

    The exchange that is meant is mostly the last; a remark may stand between.
    """
    asked = _exchanges(dialogue, tools)
    for question, answer in reversed(asked):
        for candidate in readings(said, question, answer):
            if reading(candidate, tools):
                return candidate
    return next(substitutions(said, asked[-1][0]), "") if asked and leans(core_of(said)) else ""


def readings(said: str, question: str, answer: str) -> Iterator[str]:
    """What `said` may mean, the likeliest first: a question of its own, one like the last, a step on from there."""
    if not leans(core := core_of(said)):
        yield core
    alike, further = substitutions(said, question), operations(said, question, answer)
    found = itertools.chain(further, alike) if goes_on(said, question) else itertools.chain(alike, further)
    yield from (reading for reading in found if reading.casefold() != question.casefold())


def _exchanges(dialogue: Dialogue, tools: Mapping[str, BaseTool]) -> list[tuple[str, str]]:
    """The last questions with their answers, each made to stand alone by what came before it."""
    exchanges: list[tuple[str, str]] = []
    for question, answer in pairs(dialogue)[-EXCHANGES:]:
        if exchanges and not stands_alone(question):
            candidates = (r for q, a in reversed(exchanges) for r in readings(question, q, a))
            question = next((c for c in candidates if reading(c, tools)), question)
        exchanges.append((question, answer))
    return exchanges


def pairs(dialogue: Dialogue) -> list[tuple[str, str]]:
    """(question, final answer) of each exchange; the slow mind's result where it has one, since it is the plainest."""
    found: list[tuple[str, str]] = []
    for turn in dialogue.turns:
        if turn.speaker == "user":
            found.append((turn.text, ""))
        elif found and not turn.invoke and not found[-1][1]:
            found[-1] = (found[-1][0], turn.text)
    return found


def before(dialogue: Dialogue) -> tuple[str, str]:
    """The last question and its final answer, both empty where nothing was said."""
    return pairs(dialogue)[-1] if pairs(dialogue) else ("", "")


def alone_messages(said: str, dialogue: Dialogue) -> list[BaseMessage]:
    """The exchange before and the turn; what lies further back is rarely meant."""
    messages: list[BaseMessage] = [SystemMessage(render("slow/standalone"))]
    for shown, reply in examples("slow/standalone_examples"):
        messages += [HumanMessage(shown), AIMessage(reply)]
    question, answer = before(dialogue)
    shown = f"Before: {clip(question, CLIP)}\nReply: {clip(answer, CLIP)}\nNow: {said}"
    return [*messages, HumanMessage(shown)]
