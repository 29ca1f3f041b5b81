"""ReAct (Yao et al. 2023) as DUMA 2.3 uses it: Reason, Act, Obs, until Finish.

Three ways to get a move out of a model, by what it can do: native tool calls; JSON steps held to a schema; JSON steps
asked for in words. A model that is not strong is also checked: an answer whose figures stand nowhere in the episode is
sent back once, and then the last observation stands as the result (DUMA: "the value in Obs or Finish is the final
reasoning result").
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from memory.verify import personal
from minds.dialogue import Episode, Move
from minds.fidelity import figures
from minds.models.language import Usage
from minds.slow import Workbench, same
from minds.strategies.crutches import (
    CALCULATOR,
    DOCUMENTS,
    HANDY,
    READERS,
    RECALL,
    SEARCHERS,
    known,
    made_up,
    miscounted,
    quoted,
    reading,
    sum_of,
    understands,
    unguessed,
)
from minds.strategies.steps import FINISH, GIVE_UP, as_move, native_messages, read_step, schema, step_messages
from minds.strategies.sums import sums_of, told
from prompts import render

STEP_TOKENS = 220
THOUGHT = "As one sum."
"""What stands before the sum of a word problem, in the examples too."""


class ReAct:
    """One episode's strategy."""

    def __init__(self, bench: Workbench) -> None:
        self._bench = bench
        self._reading: tuple[str, ...] | None = None
        """The tools that understand the question as it stands; None before they were tried."""

    async def act(self, episode: Episode) -> Move:
        """Raises ModelFault; a step that cannot be trusted is asked for once more."""
        if self._bench.model.abilities.tools:
            return await self._native(episode)
        if self._reading is None:
            self._reading = (
                () if self._strong else await asyncio.to_thread(reading, episode.task.question, self._bench.tools)
            )
        if answer := self._observed(episode):
            return Move("The observation answers the query.", answer=answer)
        if self._planned:
            return await self._by_plan(episode)
        move = await self._json(episode)
        fault = self._doubt(episode, move)
        if fault and (move.answer is None or not episode.steps):
            again = await self._json(episode, fault, "" if move.action == CALCULATOR else move.action)
            ends_again = move.answer is not None and again.answer is not None
            if not ends_again and not self._doubt(episode, again):
                return again
            forgotten = self._unused(episode, move) and again.answer is None and not made_up(episode, again)
            return again if forgotten else self._fall_back(episode, again)
        return self._fall_back(episode, move) if fault or move.gave_up else move

    @property
    def _strong(self) -> bool:
        return self._bench.model.abilities.strong

    @property
    def _planned(self) -> dict[str, str]:
        """Tool -> input, as the domain reads the turn."""
        briefing = self._bench.briefing
        calls = briefing.plan.calls if briefing and not self._strong else ()
        return {call.tool: call.input for call in reversed(calls) if call.tool in self._bench.tools}

    @property
    def _why(self) -> str:
        """The domain's thought, where nobody adds to the turn."""
        return self._bench.briefing.plan.thought if self._bench.briefing else ""

    async def _by_plan(self, episode: Episode) -> Move:
        """The model chooses among the calls that the domain read out of the turn; what fails is not tried again.

        Where the domain read but one, and says why, there is nothing to choose: the model would read the whole desk,
        seconds on a laptop, only to say so.
        """
        tried = {step.move.action for step in episode.steps}
        left = {tool: said for tool, said in reversed(self._planned.items()) if tool not in tried}
        if not left:
            why = episode.steps[-1].observation if episode.steps else render("slow/gave_up")
            return Move("", answer=why, gave_up=True)
        if len(left) == 1 and (thought := self._why):
            return Move(thought, *next(iter(left.items())))
        move = await self._json(episode, among=[*left])
        return move if move.answer is not None else replace(move, argument=left[move.action])

    def _observed(self, episode: Episode) -> str:
        """What a small model's first sound observation answers by itself; empty where it must go on.

        A tool that understands the whole question has worked on it; of what was searched, the best passage is quoted.
        """
        if self._strong or not episode.steps or episode.steps[-1].failed or episode.task.steering:
            return ""
        last = episode.steps[-1]
        if last.move.action in self._planned:
            return last.told or last.observation
        if last.move.action in SEARCHERS:
            return quoted(last)
        whole = last.move.argument == episode.task.question or last.move.thought == THOUGHT
        understood = last.move.action in READERS and whole
        return last.observation if understood else ""

    def _allowed(self, episode: Episode, not_again: str = "") -> list[str]:
        """A small model picks from what can work: at first a tool that understands the question, where one does."""
        tools, ends = [*self._bench.tools], [FINISH, GIVE_UP]
        if self._strong:
            return [*tools, *ends]
        if self._bench.briefing:  # what the domain did not read out of the turn, a small model would only guess
            return [*(self._reading or ()), *ends]
        if episode.steps:
            unread = self._bench.note and all(s.failed and s.move.action != DOCUMENTS for s in episode.steps)
            searched = {s.move.action for s in episode.steps} & set(SEARCHERS)
            return [DOCUMENTS] if unread and DOCUMENTS in tools else [t for t in [*tools, *ends] if t not in searched]
        if not self._bench.note and not_again != CALCULATOR and self._is_sum(episode):
            return [CALCULATOR]
        first = [name for name in tools if self._fits(episode, name) and name != not_again]
        return first if self._reading or self._bench.note else [*first, *ends]

    def _fits(self, episode: Episode, tool: str) -> bool:
        if tool == DOCUMENTS:
            return bool(self._bench.note)
        if tool == RECALL:
            return personal(episode.task.said)
        return tool not in READERS or not self._reading or tool in self._reading

    async def _native(self, episode: Episode) -> Move:
        usage = Usage()
        call = await self._bench.model.call(
            native_messages(episode, self._bench.tools, self._bench.briefing),
            list(self._bench.tools.values()),
            temperature=self._bench.temperature,
            usage=usage,
        )
        tokens = usage.read - usage.cached + usage.written
        if not call.name:
            return Move("", answer=call.thought.strip(), tokens=tokens, gave_up=not call.thought.strip())
        argument = next((str(v) for v in call.arguments.values()), "")
        return Move(call.thought, call.name, argument, tokens=tokens)

    async def _json(self, episode: Episode, doubt: str = "", not_again: str = "", among: Sequence[str] = ()) -> Move:
        """One step of a model without native tool calls."""
        model, usage = self._bench.model, Usage()
        note = self._bench.note + (f" ({' and '.join(self._reading)} can read this)" if self._reading else "")
        note = "".join(f" ({tool}: {self._planned[tool]})" for tool in among) or note
        sums, thought = self._sums(episode)
        messages = step_messages(episode, self._bench.tools, note, doubt, self._bench.briefing)
        options: dict[str, Any] = {"max_tokens": STEP_TOKENS, "temperature": self._bench.temperature, "usage": usage}
        if model.abilities.schema:
            form = schema(among, inputs=False) if among else schema(self._allowed(episode, not_again), sums, thought)
            data = await model.structured(messages, form, **options)
        else:
            data = read_step("".join([piece async for piece in model.stream(messages, **options)]))
        return self._as_it_stands(episode, as_move(data, usage.read - usage.cached + usage.written))

    def _as_it_stands(self, episode: Episode, move: Move) -> Move:
        """A tool that understands or searches gets a small model's question itself: rewording can only lose.

        Of a thought that guesses a figure, what comes before the guess is kept.
        """
        if not self._strong:
            move = replace(move, thought=unguessed(move.thought, known(episode)))
        if not self._strong and move.action in (*(self._reading or ()), *SEARCHERS):
            return replace(move, argument=episode.task.question)
        return move

    def _is_sum(self, episode: Episode) -> bool:
        """A question that no tool understands as it stands, and that can only be a word problem."""
        question = episode.task.question
        return not self._reading and CALCULATOR in self._bench.tools and told(question)

    def _sums(self, episode: Episode) -> tuple[str, str]:
        """The sums that the calculator may be fed with where it does not understand the question, and the thought."""
        if self._strong or CALCULATOR in (self._reading or ()):
            return "", ""
        if not episode.steps and (sums := sums_of(episode.task.question)):
            return sums, THOUGHT
        own = figures(" ; ".join([episode.task.question, *(s.observation for s in episode.steps if not s.failed)]))
        return (sum_of(list(dict.fromkeys([*own, *HANDY]))), "") if own else ("", "")

    def _doubt(self, episode: Episode, move: Move) -> str:
        """What speaks against a small model's move, to be told to it; empty when nothing does."""
        if self._strong:
            return ""
        if move.gave_up:
            return "" if episode.steps else "Try a tool before you give up."
        if move.answer is None:
            return self._doubt_action(episode, move)
        if not any(not step.failed for step in episode.steps):
            needs = episode.steps or self._reading or figures(move.answer)
            return "No observation answers the query yet: use a tool, or give up." if needs else ""
        if extra := miscounted(move.answer, known(episode)):
            return f"{extra} was not observed."
        return ""

    def _doubt_action(self, episode: Episode, move: Move) -> str:
        if not move.argument.strip():
            return f"`{move.action}` needs an input."
        if foreign := made_up(episode, move):
            return f"{foreign[0]} stands nowhere in the query. Copy the numbers from the query."
        if unused := self._unused(episode, move):
            return f"{unused[0]} is not in it yet. Write the whole sum."
        if move.action in READERS and not understands(self._bench.tools[move.action], move.argument):
            return f"{move.action} cannot read that."
        if any(step.failed and same(step.move, move) for step in episode.steps):
            return "That was tried and failed: write the input differently, use another tool, or give up."
        return ""

    def _unused(self, episode: Episode, move: Move) -> list[str]:
        """Figures of the question that a first sum leaves out: mostly forgotten, sometimes beside the point."""
        if move.action != CALCULATOR or episode.steps:
            return []
        have = figures(move.argument)
        return [figure for figure in figures(episode.task.question) if figure not in have]

    def _fall_back(self, episode: Episode, move: Move) -> Move:
        """A move that cannot be trusted: the last sound observation is the result; without one, it gives up."""
        for step in reversed(episode.steps):
            if not step.failed:
                return Move(move.thought, answer=step.observation, tokens=move.tokens)
        looked = [step.observation for step in episode.steps if step.move.action in SEARCHERS]
        why = looked[-1] if looked else render("slow/gave_up")
        return Move(move.thought, answer=why, tokens=move.tokens, gave_up=True)


class Plain(ReAct):
    """ReAct as a strong model would do it, whatever the model: what the paper's single-model agent is."""

    @property
    def _strong(self) -> bool:
        return True
