"""The forms of a step, for ReAct and its kin: what a model reads, what it may write, and reading that."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import BaseTool

from minds.briefing import Briefing
from minds.dialogue import Dialogue, Episode, Move, clip
from minds.models.language import Garbled
from minds.strategies.crutches import CALCULATOR
from prompts import examples, render

FINISH, GIVE_UP = "finish", "give_up"


def schema(actions: Sequence[str], sums: str = "", thought: str = "", *, inputs: bool = True) -> dict[str, object]:
    """A JSON step: thought, action, input. With `sums`, a pattern, the calculator's input can only be one of these.
    Without `inputs` it is left empty: somebody else fills it.

    A model of this size miscopies figures; a grammar that knows no others cannot. With `thought` that is what stands
    before a sum, whatever the model would have written.
    """
    others = [action for action in actions if action != CALCULATOR or not sums]
    free: dict[str, object] = {"type": "string", "maxLength": 400} if inputs else {"const": ""}
    forms = [_form({"enum": others}, free)] if others else []
    if len(others) < len(actions):
        forms.insert(0, _form({"const": CALCULATOR}, {"type": "string", "pattern": sums}, thought))
    return forms[0] if len(forms) == 1 else {"oneOf": forms}


def _form(action: dict[str, object], argument: dict[str, object], thought: str = "") -> dict[str, object]:
    words: dict[str, object] = {"const": thought} if thought else {"type": "string", "maxLength": 160}
    return {
        "type": "object",
        "properties": {"thought": words, "action": action, "input": argument},
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
    for start in (match.start() for match in re.finditer(r"\{", text)):
        try:
            data, _ = json.JSONDecoder().raw_decode(text[start:])
        except (ValueError, RecursionError):
            continue
        if isinstance(data, dict):
            return data
    raise Garbled("The slow model did not write a step that can be read: choose another slow model in Settings.")


def step_messages(
    episode: Episode,
    tools: Mapping[str, BaseTool],
    note: str = "",
    doubt: str = "",
    briefing: Briefing | None = None,
) -> list[BaseMessage]:
    """Context of a JSON step. The constant part comes first, so that the prefix cache holds it between runs."""
    messages = [*preamble(tools, briefing), HumanMessage(question(episode) + note)]
    for step in episode.steps:
        messages += [AIMessage(as_json(step.move)), HumanMessage(f"Obs: {step.observation}")]
    for extra in [*(f"The person adds: {word}" for word in episode.task.steering), episode.notice, doubt]:
        if extra:
            messages[-1] = HumanMessage(f"{messages[-1].content}\n({extra})")
    return messages


def preamble(tools: Mapping[str, BaseTool], briefing: Briefing | None = None) -> list[BaseMessage]:
    """The constant part of the context: what the tools are, and how steps look."""
    listed = "\n".join(f"{tool.name}: {tool.description}" for tool in tools.values())
    if briefing:
        return briefing.slow_preamble(listed)
    messages: list[BaseMessage] = [SystemMessage(render("slow/react", tools=listed))]
    for shown, reply in examples("slow/react_examples"):
        messages += [HumanMessage(shown), AIMessage(reply)]
    return messages


def native_messages(
    episode: Episode, tools: Mapping[str, BaseTool], briefing: Briefing | None = None
) -> list[BaseMessage]:
    """Context for a model with native tool calls."""
    system = render("slow/native") + (f"\n{briefing.policy()}" if briefing else "")
    messages: list[BaseMessage] = [SystemMessage(system), HumanMessage(question(episode))]
    for number, step in enumerate(episode.steps):
        argument = next(iter(tools[step.move.action].args)) if step.move.action in tools else "input"
        call = {"name": step.move.action, "args": {argument: step.move.argument}, "id": f"step-{number}"}
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
