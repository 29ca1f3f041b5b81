"""The judge: a chat model that grades what no program can, held to a form that can be checked.

Its answer is {quote, reason, score}. A score that was not offered, an empty answer, or a quote that stands nowhere in
the dialogue is no grade: it is asked again, and what stays wrong counts as an error, never as a pass.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

from chat.evaluation.record import Exchange, Grade, Played
from chat.evaluation.rubric import Metric
from chat.evaluation.script_words import sentences
from chat.evaluation.turns import Goal
from minds.dialogue import clip
from minds.models.answers import whole
from minds.models.language import Garbled, LanguageModel, ModelFault, unheard
from minds.strategies.steps import closed, read_step
from prompts import render

TRIES = 3
LEAST_QUOTE = 8
"""Characters of a quote, where the sentences are not shorter themselves."""
REPLY_LIMIT = 700
"""Characters of a reply that a small judge reads."""
PART = closed({"done": {"type": "boolean"}, "says": {"type": "string", "maxLength": 400}})
"""What a simulated person writes."""


class Unusable(ValueError):
    """An answer that is no grade; the text says why."""


@dataclass(frozen=True)
class Judge:
    """One judge over one model."""

    model: LanguageModel
    desk: str = ""
    """Who the assistant speaks for."""
    by: Literal["judge", "backwards"] = "judge"
    """`backwards` lists the scores from the best to the worst: for the check of position bias."""

    async def grade(self, metric: Metric, played: Played, of: int = 0) -> Grade:
        """Of the dialogue, or of one of its turns; an answer that cannot be used is an error of the grade. Raises
        ModelFault where the model cannot be asked."""
        none, shown = Grade(metric.name, None, self.by, key=str(played.key), of=of), played.turns[: of or None]
        messages = self._messages(metric, shown, of)
        quotable, fault = [e for e in shown if of in (0, e.number)], ""
        for attempt in range(TRIES):
            answer = ""
            try:
                data = await self._asked(messages, metric, quotable, 0.4 if attempt else 0.0)
                answer = json.dumps(data, ensure_ascii=False)
                return replace(none, **accepted(data, metric, quotable))
            except Unusable as unusable:
                fault = str(unusable)
            except Garbled as garbled:
                fault = f"It could not be read ({garbled})."
            except ModelFault as gone:
                if unheard(gone):
                    raise
                return replace(none, error=str(gone))
            messages = [*messages[:2], AIMessage(answer or "{}"), HumanMessage(render("judge/again", fault=fault))]
        return replace(none, error=f"no grade after {TRIES} tries: {fault}")

    def _messages(self, metric: Metric, shown: Sequence[Exchange], turn: int) -> list[BaseMessage]:
        listed = sorted(metric.scores.items(), reverse=self.by == "backwards")
        scores = "\n".join(f"{score}: {criterion}" for score, criterion in listed)
        least, best = str(min(metric.scores)), str(metric.best)
        system = render("judge/system", asks=metric.asks, scores=scores, least=least, best=best)
        of = {"turn": str(turn)} if turn else {}
        task = render("judge/turn" if turn else "judge/whole", asks=metric.asks, **of)
        most = None if self.model.abilities.strong else REPLY_LIMIT
        dialogue = "\n".join(_told(each, most) for each in shown)
        human = render("judge/dialogue", desk=self.desk, dialogue=dialogue, task=task)
        return [SystemMessage(system), HumanMessage(human)]

    async def _asked(
        self, messages: Sequence[BaseMessage], metric: Metric, quotable: Sequence[Exchange], temperature: float
    ) -> Mapping[str, Any]:
        # A small model miscopies: its grammar knows only the sentences that there are.
        choices = [] if self.model.abilities.strong else _sentences(quotable)
        # What is written first is what the score can rest on.
        form = {
            "quote": {"type": "string", "enum": choices} if choices else {"type": "string"},
            "reason": {"type": "string", "maxLength": 200},
            "score": {"type": "integer", "enum": list(metric.scores)},
        }
        return await _written(self.model, messages, closed(form), 300, temperature)


def _told(exchange: Exchange, most: int | None) -> str:
    said, reply = (clip(text, most or len(text)) for text in (exchange.said, exchange.reply))
    back = "(The person comes back later, in a new conversation.)\n" if exchange.later else ""
    return f"{back}{exchange.number}. Person: {said}\n{exchange.number}. Assistant: {reply or '(no reply)'}"


def accepted(data: Mapping[str, Any], metric: Metric, quotable: Sequence[Exchange]) -> dict[str, Any]:
    """What an answer says of a grade: score, reason, quote and its turn. Raises Unusable with what is wrong."""
    known = {str(score): score for score in metric.scores}
    reason, quote = (str(data.get(name) or "").strip() for name in ("reason", "quote"))
    if (score := str(data.get("score")).strip().removesuffix(".0")) not in known:
        raise Unusable(f"The score {data.get('score')!r} was not offered; choose one of {', '.join(known)}.")
    if not reason or not quote:
        raise Unusable(f"The {'quote' if reason else 'reason'} is empty.")
    if not (turn := quoted_in(quote, quotable)):
        raise Unusable("The quote stands nowhere in the assistant's replies; copy a sentence of the assistant.")
    return {"score": known[score], "reason": reason, "quote": quote, "turn": turn}


def quoted_in(quote: str, quotable: Sequence[Exchange]) -> int:
    """The number of the exchange whose reply has these words, but for case, blanks and marks; 0 for none."""
    words = _plain(quote)
    shortest = min((len(_plain(e.reply)) for e in quotable if e.reply.strip()), default=LEAST_QUOTE)
    if len(words) < min(LEAST_QUOTE, shortest):
        return 0
    return next((e.number for e in quotable if words in _plain(e.reply)), 0)


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.lower()))


def _sentences(quotable: Sequence[Exchange]) -> list[str]:
    every = (said for exchange in quotable for said in sentences(clip(exchange.reply, REPLY_LIMIT)))
    found = dict.fromkeys(said for said in every if len(_plain(said)) >= LEAST_QUOTE)
    return list(found) or [e.reply for e in quotable if e.reply.strip()]


async def _written(
    model: LanguageModel, messages: Sequence[BaseMessage], form: dict[str, object], most: int, temperature: float
) -> Mapping[str, Any]:
    """A JSON object, held to its form where the model can be, of so many tokens at most, beside what a strong one
    thinks. Raises ModelFault."""
    most = model.abilities.room(most)
    if model.abilities.schema:
        return await model.structured(messages, form, max_tokens=most, temperature=temperature)
    return read_step(await whole(model.stream(messages, max_tokens=most, temperature=temperature)))


async def say(model: LanguageModel, goal: Goal, so_far: Sequence[Exchange]) -> str:
    """The words of a goal's person, played by any chat model; empty when the person is done. Raises ModelFault."""
    facts = "\n".join(f"- {fact}" for fact in goal.facts) or "- nothing in particular"
    system = render("judge/person", persona=goal.persona, goal=goal.goal, facts=facts)
    messages: list[BaseMessage] = [SystemMessage(system)]
    for exchange in so_far:
        said = json.dumps({"done": False, "says": exchange.said}, ensure_ascii=False)
        messages += [AIMessage(said), HumanMessage(exchange.reply)]
    if not so_far:
        messages.append(HumanMessage("(You write first.)"))
    part = await _written(model, messages, PART, 200, 0.0)
    return "" if part.get("done") is True else " ".join(str(part.get("says") or "").split())
