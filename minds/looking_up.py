"""How a small model looks into the uploaded documents before anything else: one Act of the ReAct loop (DUMA 2.3), a
search, whose Obs are the passages nearest to the turn, and one call that reads them. The answer stands above the
sentence that tells it, with its place. Where no passage tells it that is said, or whoever comes next has the turn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from langchain_core.messages import BaseMessage, HumanMessage

from minds.choosing import LINE_END, written
from minds.dialogue import Call, Episode, Move, Step, Task, TurnContext, sentences
from minds.gate import FACT, Decides, Decision
from minds.grounds import numbers, unsupported
from minds.languages import name
from minds.layers import SURE, decided
from minds.models.language import LanguageModel, Usage
from minds.slow import Strategy, Workbench
from minds.strategies.steps import shown
from prompts import render, spoken
from tools.documents import terms

SEARCH, READ, ANSWER = "documents", 3, 80
"""The tool; how many of its passages are read, and tokens of the answer: a small model reads slowly."""
CLOSE, GIVEN = 0.2, 2
"""How near a passage is (cosine) from which any turn may be about it, also one that seems to ask for nothing; figures
in the person's words that something is to be worked out of, rather than looked up."""
FIGURE, TOLD, ASKED = 6, 2, 1
"""What a figure of the answer, a word of it and one of the question count for the sentence that is quoted."""


class Prompted(Strategy, Protocol):
    """A strategy whose context is kept warm."""

    def prompt(self, episode: Episode) -> list[BaseMessage]:
        """The constant part first."""
        ...


class LooksUp:
    """One episode's strategy: the search first, then another strategy, where it told nothing."""

    def __init__(self, bench: Workbench, then: Prompted, gate: Decides) -> None:
        self._bench, self._then, self._gate = bench, then, gate

    def prompt(self, episode: Episode) -> list[BaseMessage]:
        """What is kept warm: the other strategy's."""
        return self._then.prompt(episode)

    async def act(self, episode: Episode) -> Move:
        """Raises ModelFault."""
        words, steps, usage = episode.task.context.looks_for, episode.steps, Usage()
        if words and not steps and not await self._works(episode.task, usage):
            return Move("I look into the documents.", (Call(SEARCH, {"question": words}),)).paid(usage)
        searched = len(steps) == 1 and steps[0].action == SEARCH and not episode.task.steering
        if searched and (move := await self._read(episode, steps[0], usage)):
            return move.paid(usage)
        return await self._then.act(episode)

    async def _works(self, task: Task, usage: Usage) -> bool:
        """Whether something is to be worked out of the figures that the person says."""
        return len(numbers(task.said)) >= GIVEN and (await self._decided(task, usage)).p >= SURE[1]

    async def _decided(self, task: Task, usage: Usage) -> Decision:
        return await decided(self._gate, self._bench.model, task.said, task.dialogue, usage, task.context)

    async def _read(self, episode: Episode, step: Step, usage: Usage) -> Move | None:
        """What the passages tell, or that they do not; None where whoever comes next has the turn."""
        task = episode.task
        passages = "\n[".join(step.observation.split("\n[")[:READ])
        answer = "" if step.failed else await told(self._bench.model, passages, task.said, usage)
        if answer:
            place, quote = quoted(step.passages[:READ], task.said, answer)
            cited = render("small/cited", answer=answer, quote=quote, place=place) if quote else answer
            doubt = bool(unsupported(answer, [step.observation, task.said]))
            return Move("", answer=cited, asserts=answer, doubt=doubt, worded=True)
        found = await self._decided(task, usage)
        works = found.p >= SURE[1] and numbers(task.dialogue.last[1])  # with the figures that were told last
        if works or self._bench.alone:  # alone it has to speak itself
            return None
        if not (found.invoke or found.fact >= FACT):
            return Move("", answer="")  # whoever speaks says whether it is in doubt
        untold = spoken("small/untold", name(task.said), documents=", ".join(task.context.documents))
        return Move("", answer=untold, gave_up=True, worded=True)


def looked_up(context: TurnContext, found: Decision) -> bool:
    """Whether a turn is one that an uploaded document may answer."""
    asks = found.invoke or found.fact >= FACT
    return bool(context.looks_for) and (asks or context.near >= CLOSE)


async def told(model: LanguageModel, passages: str, said: str, usage: Usage) -> str:
    """What the passages answer to a turn, in a sentence; empty where they do not tell it. Raises ModelFault."""
    reader, asked = model.aside or model, HumanMessage(render("small/passages", passages=passages, said=said))
    wrote = await written(reader, [*shown("small/documents"), asked], max_tokens=ANSWER, usage=usage, stop=LINE_END)
    return "" if usage.cut or wrote.strip(". ").lower() == render("small/nothing") else wrote


def quoted(passages: Sequence[tuple[str, str]], said: str, answer: str) -> tuple[str, str]:
    """The place and the words of the sentence that has most in common with the answer and the question; both empty
    where none has anything. passages: (place, text)."""
    weights = dict.fromkeys(terms(said), ASKED)
    weights |= {term: FIGURE if term[0].isdecimal() else TOLD for term in terms(answer)}
    lines = [(place, one) for place, text in passages for one in sentences(text)]
    scores = [sum(weights.get(term, 0) for term in {*terms(one)}) for _, one in lines]
    best = max(scores, default=0)
    return lines[scores.index(best)] if best else ("", "")
