"""ReAct (Yao et al. 2023) as DUMA 2.3 uses it: Reason, Act, Obs, until Finish.

Three ways to get a move out of a model, by what it can do: native tool calls; JSON steps held to a schema; JSON steps
asked for in words. A model that is not strong is also checked: an answer whose figures stand nowhere in the episode is
sent back once, and then the last observation stands as the result (DUMA: "the value in Obs or Finish is the final
reasoning result").
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import BaseTool

from minds.dialogue import Dialogue, Episode, Move, Step
from minds.fast import clip
from minds.fidelity import figures, invented
from minds.models.language import Garbled, Usage
from minds.slow import Workbench
from prompts import examples, render

FINISH, GIVE_UP = "finish", "give_up"
STEP_TOKENS = 220


class ReAct:
    """One episode's strategy."""

    def __init__(self, bench: Workbench) -> None:
        self._bench = bench

    async def act(self, episode: Episode) -> Move:
        """Raises ModelFault; a step that cannot be read is asked for once more."""
        if self._bench.model.abilities.tools:
            return await self._native(episode)
        move = await self._json(step_messages(episode, self._bench.tools))
        if fault := self._doubt(episode, move):
            again = await self._json(step_messages(episode, self._bench.tools, fault))
            if again.answer is not None and self._doubt(episode, again):
                return self._fall_back(episode, again)
            return again
        return move

    async def _native(self, episode: Episode) -> Move:
        usage = Usage()
        call = await self._bench.model.call(
            native_messages(episode), list(self._bench.tools.values()), temperature=self._bench.temperature, usage=usage
        )
        tokens = usage.read + usage.written
        if not call.name:
            return Move("", answer=call.thought.strip(), tokens=tokens, gave_up=not call.thought.strip())
        argument = next((str(v) for v in call.arguments.values()), "")
        return Move(call.thought, call.name, argument, tokens=tokens)

    async def _json(self, messages: Sequence[BaseMessage]) -> Move:
        """One step of a model without native tool calls."""
        model, usage = self._bench.model, Usage()
        temperature = self._bench.temperature
        if model.abilities.schema:
            data = await model.structured(
                messages, schema(self._bench.tools), max_tokens=STEP_TOKENS, temperature=temperature, usage=usage
            )
        else:
            text = "".join(
                [p async for p in model.stream(messages, max_tokens=STEP_TOKENS, temperature=temperature, usage=usage)]
            )
            data = read_step(text)
        return as_move(data, usage.read + usage.written)

    def _doubt(self, episode: Episode, move: Move) -> str:
        """What speaks against a small model's move, to be told to it; empty when nothing does."""
        if self._bench.model.abilities.strong:
            return ""
        if move.answer is None:
            return "" if move.argument.strip() else f"`{move.action}` needs an input."
        if move.gave_up:
            return ""
        if not episode.steps and figures(move.answer):
            return "Do not answer from your head: use a tool first."
        if made_up := invented(move.answer, _known(episode)):
            return f"{made_up[0]} stands in no observation. Finish with the value that was observed."
        return ""

    def _fall_back(self, episode: Episode, move: Move) -> Move:
        """The last sound observation is the result; without one, the task is given up."""
        for step in reversed(episode.steps):
            if not step.failed:
                return Move(move.thought, answer=step.observation, tokens=move.tokens)
        return Move(move.thought, answer=render("slow/gave_up"), tokens=move.tokens, gave_up=True)


def schema(tools: Mapping[str, BaseTool]) -> dict[str, object]:
    """A JSON step: thought, action, input."""
    return {
        "type": "object",
        "properties": {
            "thought": {"type": "string", "maxLength": 160},
            "action": {"type": "string", "enum": [*tools, FINISH, GIVE_UP]},
            "input": {"type": "string", "maxLength": 400},
        },
        "required": ["thought", "action", "input"],
        "additionalProperties": False,
    }


def as_move(data: Mapping[str, Any], tokens: int) -> Move:
    """Raises Garbled when a field is missing."""
    try:
        thought, action, argument = (str(data[key]) for key in ("thought", "action", "input"))
    except KeyError as missing:
        raise Garbled(f"The slow model's step has no {missing}: choose another slow model in Settings.") from None
    if action == GIVE_UP or (action == FINISH and not argument.strip()):
        return Move(thought, answer=render("slow/gave_up"), tokens=tokens, gave_up=True)
    if action == FINISH:
        return Move(thought, answer=argument.strip(), tokens=tokens)
    return Move(thought, action, argument, tokens=tokens)


def read_step(text: str) -> dict[str, Any]:
    """The first JSON object of a text. Raises Garbled."""
    start = text.find("{")
    try:
        data, _ = json.JSONDecoder().raw_decode(text[start:]) if start >= 0 else (None, 0)
    except ValueError:
        data = None
    if not isinstance(data, dict):
        raise Garbled("The slow model did not write a step that can be read: choose another slow model in Settings.")
    return data


def step_messages(episode: Episode, tools: Mapping[str, BaseTool], doubt: str = "") -> list[BaseMessage]:
    """Context of a JSON step. The constant part comes first, so that the prefix cache holds it between runs."""
    listed = "\n".join(f"{tool.name}: {tool.description}" for tool in tools.values())
    messages: list[BaseMessage] = [SystemMessage(render("slow/react", tools=listed))]
    for shown, reply in examples("slow/react_examples"):
        messages += [HumanMessage(shown), AIMessage(reply)]
    messages.append(HumanMessage(question(episode)))
    for step in episode.steps:
        messages += [AIMessage(as_json(step.move)), HumanMessage(f"Obs: {step.observation}")]
    for extra in [*(f"The person adds: {word}" for word in episode.task.steering), episode.notice, doubt]:
        if extra:
            messages[-1] = HumanMessage(f"{messages[-1].content}\n({extra})")
    return messages


def native_messages(episode: Episode) -> list[BaseMessage]:
    """Context for a model with native tool calls."""
    messages: list[BaseMessage] = [SystemMessage(render("slow/native")), HumanMessage(question(episode))]
    for number, step in enumerate(episode.steps):
        call = {"name": step.move.action, "args": {"text": step.move.argument}, "id": f"step-{number}"}
        messages += [
            AIMessage(step.move.thought, tool_calls=[call]),
            ToolMessage(step.observation, tool_call_id=f"step-{number}"),
        ]
    for word in [*episode.task.steering, episode.notice]:
        if word:
            messages.append(HumanMessage(word))
    return messages


def question(episode: Episode) -> str:
    """The dialogue in the paper's form (DUMA, equation 5), the last query made to stand alone."""
    lines, number = [], 0
    for turn in _exchanges(episode.task.dialogue):
        lines += [f"Query {number}: {clip(turn[0], 200)}", f"Answer {number}: {clip(turn[1], 200)}"]
        number += 1
    return "\n".join([*lines, f"Query {number}: {episode.task.question}"])


def _exchanges(dialogue: Dialogue, last: int = 3) -> list[tuple[str, str]]:
    """(query, final answer) of the last turns; slow results are left out, since the answer words them."""
    pairs: list[tuple[str, str]] = []
    for turn in dialogue.turns:
        if turn.speaker == "user":
            pairs.append((turn.text, ""))
        elif turn.speaker == "fast" and pairs and not turn.invoke:
            pairs[-1] = (pairs[-1][0], turn.text)
    return [pair for pair in pairs if pair[1]][-last:]


def as_json(move: Move) -> str:
    return json.dumps({"thought": move.thought, "action": move.action, "input": move.argument}, ensure_ascii=False)


def _known(episode: Episode) -> list[str]:
    task = episode.task
    said = [turn.text for turn in task.dialogue.turns]
    return [task.question, task.said, *task.steering, *said, *(_seen(step) for step in episode.steps)]


def _seen(step: Step) -> str:
    return re.sub(r"\s+", " ", f"{step.move.argument} {step.observation}")
