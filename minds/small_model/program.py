"""How a small model thinks slowly: by program, one Act of the ReAct loop (DUMA 2.3), and in words.

It writes a short Python program, whose output is the Obs and a first answer. Where that is not sure, it works it out in
words, and where the two differ, by a second program. The likeliest is the answer (minds/policies/agreement.py), of
those that are one: programs see the conversation, and at times answer another turn. If none is, the fast mind speaks.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

from minds.dialogue import Call, Dialogue, Episode, Move, Step, Task, Turn, clip, talk
from minds.grounds import computes, unsaid_year
from minds.layers import fits
from minds.models.language import Usage
from minds.policies.agreement import Way, asserted, chosen, sure
from minds.reading import CONTROLS
from minds.slow import Workbench
from minds.small_model.worlds import ACT, WorldStep
from minds.strategies.steps import asks, exchanges, figured, lately, merged, shown
from minds.strategies.words import worked_out
from prompts import render

PROGRAM, SPOKEN, ROOM = 320, 512, 1600
"""Tokens of a program, and of an answer in words; bytes of the conversation before them."""
UNSEEN = ("clock", "earlier")  # of the context: what it looks up, and earlier sums, whose figures it would take
PYTHON, TRIES = "python", 2  # programs that are tried, a second one told what was wrong with the first
OTHERWISE, USUAL = 0.7, -10.0  # temperature of a second program; log-probability where the server does not tell it
NAMES, LONG = {"human": "Person", "ai": "Duet"}, 400  # who said what stands before a program, and characters of it
_NOTHING = Episode(Task("hello", "hello", Dialogue("", "")))
_BEHIND = Episode(Task("hello", "hello", Dialogue("", "", (Turn("user", "hello"), Turn("fast", "Hello!")))))
_FENCE = re.compile(r"\A\s*```(?:python|py)?")


class ByProgram:
    """One episode's strategy."""

    def __init__(self, bench: Workbench, world: WorldStep | None = None, *, check: bool = True) -> None:
        """`world` has the first word, where the turn is about one; without a `check` the first answer stands."""
        self._bench, self._world, self._check = bench, world, check
        self._steering: tuple[str, ...] = ()
        self._since = 0  # steps that were done when the person last added something: they are no answer to that
        self._words: Way | None = None
        self._compared = False  # whether a second program was asked for
        self._odds: dict[str, float] = {}  # the log-probability of each program
        self._fits: dict[str, bool] = {}  # whether an answer is one to what was asked

    def prompt(self, episode: Episode) -> list[BaseMessage]:
        """The context up to the first step; the constant part comes first. What was said before stands in one message
        with the turn: before turns of their own a small model hears the last one alone."""
        head, (*before, asked) = shown("small/program"), self._said(episode, "now")
        if not before:
            return [*head, asked]
        told = [f"{NAMES[m.type]}: {clip(' '.join(m.text.split()), LONG)}" for m in before]
        whole = render("small/behind", before="\n".join(told), said=asked.text)
        return [*head, *exchanges("small/behind_examples"), HumanMessage(whole)]

    def _said(self, episode: Episode, *without: str) -> list[BaseMessage]:
        words = [asks(episode, *UNSEEN, *without), *episode.task.steering]
        return figured(merged([*lately(talk(episode.task.dialogue), ROOM, least=4), HumanMessage("\n\n".join(words))]))

    async def act(self, episode: Episode) -> Move:
        """Raises ModelFault."""
        last = episode.steps[-1] if episode.steps else None
        if self._world and not last and (move := await self._world.move(episode)):
            return move
        if self._world and last and not last.failed and last.action in (ACT, CONTROLS["STORY"]):
            return await (self._world.further if last.action == ACT else self._world.answered)(episode)
        if last and last.move.worded:  # what a world says is the answer; where it refused, its first line says why
            worded = [step for step in episode.steps if step.move.worded]
            told = [s.observation.partition("\n")[0] if s.failed else s.told or s.observation for s in worded]
            return Move("", answer="\n\n".join(told), gave_up=last.failed, worded=True)
        if episode.task.steering != self._steering:
            self._steering, self._since = episode.task.steering, len(episode.steps)
            self._words, self._compared, self._fits = None, False, {}
        tried = [step for step in episode.steps[self._since :] if step.action == PYTHON]
        done = [step for step in tried if not step.failed]
        if not done and len(tried) < TRIES and (move := await self.program(episode, tried)):
            return move
        return await self._checked(episode, done)

    async def _checked(self, episode: Episode, done: Sequence[Step]) -> Move:
        """The answer that is likeliest right among those found; while that is not sure, one way more is tried."""
        usage, worded = Usage(), Usage(logprobs=[])
        best, p = await self._chosen(episode, done, usage)
        if not sure(p) and self._words is None and (self._check or best is None):
            self._words = await self.in_words(episode, worded)
            best, p = await self._chosen(episode, done, usage)
        if best is None:
            return Move("", answer="", doubt=True).paid(usage).paid(worded)
        compared, self._compared = self._compared or not self._check, True
        if not sure(p) and done and not compared and (move := await self.program(episode, (), again=True)):
            return move.paid(usage).paid(worded)
        thought = self._words.working if self._words else ""
        return Move(thought, answer=best.answer, doubt=not sure(p), confidence=p).paid(usage).paid(worded)

    async def _chosen(self, episode: Episode, done: Sequence[Step], usage: Usage) -> tuple[Way | None, float]:
        ways = [self.way(step, "again" if number else "program") for number, step in enumerate(done)]
        ways += [self._words] if self._words and self._words.answer else []
        for answer in {way.answer for way in ways} - self._fits.keys():
            self._fits[answer] = not self._check or await fits(self._bench.model, episode.task, answer, usage)
        if not (fitting := [way for way in ways if self._fits[way.answer]]):
            return None, 0.0
        best, p = chosen(fitting, asks(episode, *UNSEEN), bool(talk(episode.task.dialogue).turns))
        return fitting[best], p

    def way(self, step: Step, kind: str) -> Way:
        return Way(kind, step.observation, self._odds.get(step.argument, USUAL), step.argument)

    async def program(self, episode: Episode, tried: Sequence[Step], *, again: bool = False) -> Move | None:
        """A program, or None where the model wrote none; `again`: another one for what one has answered."""
        model, usage, messages = self._bench.model, Usage(logprobs=[]), self.prompt(episode)
        begins = model.abilities.prefix
        if self._world and not tried and model.abilities.keeps:  # another prompt may have pushed this one out
            await model.warm(self.prompt(_BEHIND if talk(episode.task.dialogue).turns else _NOTHING))
        for step in tried:
            messages += [AIMessage(f"```python\n{step.argument}\n```"), HumanMessage(f"Obs: {step.observation}")]
        pieces = model.stream(
            merged(messages),
            prefix="```python\n" if begins else "",
            stop=("```",) if begins else (),  # another opens the fence itself
            max_tokens=PROGRAM,
            temperature=OTHERWISE if again else 0.0,
            usage=usage,
        )
        text = "".join([piece async for piece in pieces])
        program = _FENCE.sub("", text if begins else text[max(text.find("```"), 0) :]).partition("```")[0].strip()
        if not program:
            return None
        call, first = Call(PYTHON, {"program": program}), not tried and not again
        if not again and len(tried) < TRIES and (unsaid := unsaid_year(program, str(self._said(episode, "now")))):
            refused = Step(Move("", (call,)), render("small/unsaid_year", **unsaid), failed=True)
            return (move := await self.program(episode, [*tried, refused])) and move.paid(usage)
        written = program.rpartition("\n")[0] if usage.cut else program  # without the line that broke off
        if first and not computes(written):
            return Move("", answer="").paid(usage)  # there is nothing to work out
        self._odds[call.argument] = sum(usage.logprobs or [USUAL])
        thought = "I work it out anew, to compare." if again else "I mend the program." if tried else "I compute it."
        return Move(thought, (call,), first=not again).paid(usage)

    async def in_words(self, episode: Episode, usage: Usage) -> Way:
        """Step by step; behind other turns as in talk, where the model finds what was said best."""
        model, behind = self._bench.model, bool(talk(episode.task.dialogue).turns)
        head = [SystemMessage(render("small/plain", now=episode.task.context.now))] if behind else shown("small/words")
        said = self._said(episode, *["now"] * behind)  # told twice, it is given back for an answer
        text = (await worked_out(model, head, said, SPOKEN, usage)).strip()
        answer = "" if usage.cut else asserted(text)  # what broke off has not come to its answer
        return Way("words", answer, sum(usage.logprobs or [USUAL]), text)
