"""How a small model thinks slowly: by program, one Act of the ReAct loop (DUMA 2.3).

It chooses one tool; for what can be computed it writes a short Python program, whose output is the Obs and the result;
an error goes back to it once or twice. Where no program comes of it, it answers in words, step by step, and says so.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

from minds.dialogue import Call, Dialogue, Episode, Move, Step, Task
from minds.models.language import Usage
from minds.slow import Workbench
from minds.small_model.worlds import WorldStep
from minds.strategies.steps import asks, conversation, merged
from prompts import examples, render

PYTHON, WORDS = "python", "words"
PROGRAM, SPOKEN = 320, 512
"""Tokens of a program, and of an answer in words."""
TRIES = 2
"""Programs that are tried, each but the first told what was wrong with the one before."""
_NOTHING = Episode(Task("hello", "hello", Dialogue("", "")))
_FENCE = re.compile(r"\A\s*```(?:python|py)?")


class ByProgram:
    """One episode's strategy."""

    def __init__(self, bench: Workbench, world: WorldStep | None = None) -> None:
        """`world` has the first word, where the turn is about one."""
        self._bench, self._world = bench, world
        self._steering: tuple[str, ...] = ()
        self._since = 0
        """Steps that were done when the person last added something: what they gave is no answer to that."""

    def prompt(self, episode: Episode) -> list[BaseMessage]:
        """The context up to the first step; the constant part comes first."""
        said: list[BaseMessage] = [SystemMessage(render("small/program"))]
        for shown, program in examples("small/program_examples"):
            said += [HumanMessage(shown), AIMessage(f"```python\n{program}\n```")]
        return merged([*said, *conversation(episode.task.dialogue)[-4:], HumanMessage(asks(episode))])

    async def act(self, episode: Episode) -> Move:
        """Raises ModelFault."""
        last = episode.steps[-1] if episode.steps else None
        if self._world and not last and (move := await self._world.move(episode)):
            return move
        if last and last.move.worded:  # a world refused: its words say why
            return Move("", answer=last.observation, gave_up=True, worded=True)
        if episode.task.steering != self._steering:
            self._steering, self._since = episode.task.steering, len(episode.steps)
        tried = [step for step in episode.steps[self._since :] if step.action == PYTHON]
        if tried and not tried[-1].failed:  # of a run that was interrupted behind it
            return Move("", answer=tried[-1].observation)
        if len(tried) < TRIES:
            move = await self._program(episode, tried)
            if move:
                return move
        return await self._words(episode)

    async def _program(self, episode: Episode, tried: Sequence[Step]) -> Move | None:
        """A program, or None where the model wrote none."""
        usage, messages = Usage(), [*self.prompt(episode), *_added(episode)]
        if self._world and not tried and self._bench.model.abilities.keeps:
            await self._bench.model.warm(self.prompt(_NOTHING))  # a world's prompt may have pushed this one out
        for step in tried:
            messages += [AIMessage(f"```python\n{step.argument}\n```"), HumanMessage(f"Obs: {step.observation}")]
        pieces = self._bench.model.stream(
            merged(messages), prefix="```python\n", stop=("```",), max_tokens=PROGRAM, usage=usage
        )
        text = "".join([piece async for piece in pieces])
        program = _FENCE.sub("", text).partition("```")[0].strip()
        if not program:
            return None
        thought = "I compute it." if not tried else "I mend the program."
        return Move(thought, (Call(PYTHON, {"program": program}),), last=True, tokens=usage.paid, asked=usage.calls)

    async def _words(self, episode: Episode) -> Move:
        """Step by step in words; nothing has checked it, so it is in doubt."""
        usage = Usage()
        before = conversation(episode.task.dialogue)[-6:]
        system, asked = SystemMessage(render("small/words")), HumanMessage(asks(episode))
        messages = merged([system, *before, asked, *_added(episode)])
        pieces = self._bench.model.stream(messages, max_tokens=SPOKEN, usage=usage)
        text = "".join([piece async for piece in pieces]).strip()
        answer = last_sentences(text)
        return Move(text, answer=answer or render("slow/gave_up"), tokens=usage.paid, asked=usage.calls,
                    gave_up=not answer, doubt=True)  # fmt: skip


def _added(episode: Episode) -> list[BaseMessage]:
    return [HumanMessage(word) for word in episode.task.steering]


def last_sentences(text: str) -> str:
    """What a text that works its way to an answer asserts: its last paragraph."""
    paragraphs = [part.strip() for part in text.split("\n\n") if part.strip()]
    return paragraphs[-1] if paragraphs else ""
