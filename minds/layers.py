"""What a small model's own layers say that were trained for it (minds/training/adapter): whether a turn needs the slow
mind, where the learned gate is not sure, or wants what neither mind can do, what answers it of what was said before,
and whether a question that was answered and a new one ask for the very same. And, untrained, whether a reply answers.
"""

from __future__ import annotations

import asyncio
import math
from dataclasses import replace

from langchain_core.messages import HumanMessage, SystemMessage

from minds import reading
from minds.dialogue import Dialogue, Reply, Task, TurnContext, replies, talk
from minds.gate import BEFORE, TURN, Decides, Decision, before, ends
from minds.models.language import Garbled, LanguageModel, Usage
from minds.strategies.words import worked_out
from minds.written_numbers import plainly
from prompts import render

SURE = 0.05, 0.95
"""Below the first probability and above the second the gate decides alone whether a turn needs the slow mind."""
ANSWER = 120
"""Tokens of an answer from what was said before."""
YES_NO = "Yes", "No"
BEYOND = 1.5
"""Log odds from which a turn wants what neither mind can do: of 463 turns of ordinary talk three are taken for one."""
BAR = 0.9
"""From this probability on they are the same: of 400 pairs of two authors 86 of 200 that are, and one other."""

FITS = 0.4
"""Log odds from which a reply answers a turn, be it right or wrong: of 53 of ours that do it keeps 52, in seven
languages, of 11 that answer another turn, give the turn back or print what was not asked for, one."""


async def decided(
    gate: Decides,
    model: LanguageModel,
    said: str,
    dialogue: Dialogue,
    usage: Usage | None = None,
    context: TurnContext | None = None,
) -> Decision:
    """`context`: where it has documents, these may know what neither mind does. Raises ModelFault."""
    found = await asyncio.to_thread(gate.decide, said, dialogue)
    if model.beyond is not None and not (context and context.documents):
        wants = await _odds(model.beyond, reading.beyond(ends(said, TURN)), reading.BEYOND, usage)
        if wants >= BEYOND:
            return Decision(False, found.p, found.fact, beyond=True)
    if model.trained is None or not SURE[0] < found.p < SURE[1]:
        return found
    asked = reading.invoking(ends(said, TURN), *(ends(text, BEFORE) for text in before(dialogue)))
    odds = math.log(found.p / (1 - found.p)) + await _odds(model.trained, asked, reading.INVOKE, usage)
    return Decision(odds > 0, _probability(odds), found.fact)


async def from_past(model: LanguageModel, said: str, context: TurnContext, reply: Reply, usage: Usage) -> str:
    """The answer to a turn from what was said before; empty where it asks for something else, or where it was not told
    and the slow mind, a document or what the person wishes of all replies may know. Raises ModelFault."""
    if model.recalls is None or not context.past:
        return ""
    before = "\n".join(line.words for line in context.past if not line.mine)
    past = [line if line.mine else replace(line, words=plainly(line.words, before)) for line in context.past]
    told = reading.past(past, context.now, plainly(said, before))
    asked = [SystemMessage(render("small/past")), HumanMessage(told)]
    try:
        wrote = await worked_out(model.recalls, [], asked, ANSWER, usage)
    except Garbled:
        return ""
    text, lines = reading.answer_of("" if usage.cut else wrote, context.past)
    usage.cut = False  # what goes round in circles until its limit is no answer, and no reply that broke off
    if not text or not (lines or not (reply.invoke or context.documents or context.instructions or context.about)):
        return ""
    reply.invoke, reply.recalled, reply.rests_on = False, True, tuple(line.note for line in lines)
    return text


async def alike(model: LanguageModel, new: str, stored: str, usage: Usage | None = None) -> float:
    """How probable it is that they are the same; 0 where the model has no layers for that. Raises ModelFault."""
    if model.trained is None:
        return 0.0
    odds = await _odds(model.trained, reading.pair(stored, new), reading.ALIKE, usage)
    if odds > 0:  # which of them stands first must not matter
        odds = (odds + await _odds(model.trained, reading.pair(new, stored), reading.ALIKE, usage)) / 2
    return _probability(odds)


async def fits(model: LanguageModel, task: Task, answer: str, usage: Usage | None = None) -> bool:
    """Whether an answer is one to what was said, right or wrong. Where the model cannot be asked that aside, what
    answered another turn is none. Raises ModelFault."""
    if model.aside is None:
        return answer.strip() not in replies(talk(task.dialogue))
    said = "\n".join([task.said, *task.steering])
    asked = [HumanMessage(render("small/fits", said=ends(said, TURN), answer=ends(answer, TURN)))]
    weighed = await model.aside.weigh(asked, "", YES_NO, usage)
    return weighed[YES_NO[0]] - weighed[YES_NO[1]] >= FITS


async def _odds(layers: LanguageModel, asked: str, words: tuple[str, str], usage: Usage | None) -> float:
    """Of the first of two words against the other, in natural logarithms."""
    messages = [SystemMessage(render("small/trained")), HumanMessage(asked)]
    weighed = await layers.weigh(messages, "", words, usage)
    return weighed[words[0]] - weighed[words[1]]


def _probability(odds: float) -> float:
    return 1 / (1 + math.exp(-odds))
