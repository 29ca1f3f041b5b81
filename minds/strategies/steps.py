"""The forms of a step, for ReAct and its kin: what a model reads, what it may write, and reading that."""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, chain, dropwhile, zip_longest
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import BaseTool

from minds.acting import cut
from minds.dialogue import Call, Dialogue, Episode, Move, Step, bytes_of, with_note, within
from minds.models.language import Garbled, Said, Usage
from minds.pictures import heard, joined, size
from minds.written_numbers import plainly
from prompts import examples, render, spoken
from tools.typed import offered

Form = Callable[[Sequence[Step]], list[list[BaseMessage]]]
"""How steps are told: the messages of each move."""
GIVE_UP, LAST = "give_up", "last"
FINISH = "answer"
GROWN = 3.0
"""Bytes a token, at least: what is left out of a prompt is reckoned with it."""
ADDED, NOTICE = "person_adds", "notice"
"""Marks, at the end of what a tool gave, around what the person added and what the loop has to say."""
_MARKS = re.compile(rf"<\s*/?\s*(?:{ADDED}|{NOTICE})\b[^<>]*>", re.IGNORECASE)


# -- what the model reads


def shown(name: str, **values: str) -> list[BaseMessage]:
    """A prompt with its file of examples."""
    return [SystemMessage(render(name, **values)), *exchanges(name + "_examples")]


def exchanges(name: str) -> list[BaseMessage]:
    """A file of examples, as a conversation."""
    told = [(HumanMessage(said), AIMessage(reply)) for said, reply in examples(name)]
    return [message for pair in told for message in pair]


def messages(
    episode: Episode, system: str, room: int, *, native: bool, told_in_tools: bool = False
) -> list[BaseMessage]:
    """The context of the next step, the constant part first. room: bytes that all of it may take."""
    asked = heard(asks(episode), episode.task.context.pictures)
    form = _native if native else _written
    added = _added(episode)
    left = room - _size([asked, *(HumanMessage(word) for _, word in chain.from_iterable(added))]) - len(system)
    groups = form(episode.steps)
    fitting = _fitting(groups, left) or _newest(episode.steps, form, left)
    first = len(groups) - len(fitting)
    before = [HumanMessage(word) for _, word in chain.from_iterable(added[: first + 1])]
    behind = zip(fitting, added[first + 1 :], strict=True)
    steps = [message for group, words in behind for message in _followed(group, words, told_in_tools)]
    said = lately(episode.task.dialogue, left - _size(steps))
    return merged([SystemMessage(system), *said, asked, *before, *steps])


def asks(episode: Episode, *without: str) -> str:
    """The turn: the person's words, the request that the fast mind made of them, and what is to be known; of its
    context some fields may be left out."""
    task = episode.task
    lines = [task.said]
    if task.question != task.said:
        lines.append(f"Request: {task.question}")
    acted = any(step.action.startswith("world_") for step in episode.steps)
    empty = {name: type(getattr(task.context, name))() for name in without}
    context = replace(task.context, **empty | ({"world": ""} if acted else {}))  # what it says of a world is past then
    return with_note("\n\n".join(lines), context.note())


def conversation(dialogue: Dialogue) -> list[BaseMessage]:
    """What was said (DUMA, equation 5). Of the slow mind's results only the latest stands beside its wording, which may
    leave out a code that is needed now. Interim replies tell nothing, but where no result came: a question that was
    stopped, or is being worked on, must not run into the next."""
    said: list[BaseMessage] = []
    latest = max((number for number, turn in enumerate(dialogue.turns) if turn.speaker == "slow"), default=-1)
    for number, (turn, after) in enumerate(zip_longest(dialogue.turns, dialogue.turns[1:])):
        if turn.speaker == "user":
            said.append(heard(turn.text, turn.pictures))
        elif turn.speaker == "slow":
            if number == latest and not (after and turn.text in after.text):
                said.append(AIMessage(f"Result: {turn.text}"))
        elif not turn.invoke or after is None or after.speaker == "user":
            said.append(AIMessage(turn.text))
    return said


def lately(dialogue: Dialogue, room: int, least: int = 0) -> list[BaseMessage]:
    """The end of the conversation from a person's words on, as many chat templates demand: as many messages as `room`
    bytes hold, about `least` so many."""
    said = conversation(dialogue)
    count = max(min(least, len(said)), len(_fitting([[message] for message in said], room)))
    end = said[len(said) - count :]
    return [*dropwhile(lambda message: message.type == "ai", end)] or end  # one's own last reply is never forgotten


def merged(said: Sequence[BaseMessage]) -> list[BaseMessage]:
    """Neighbours of one speaker as one message: many chat templates demand that speakers alternate."""
    done: list[BaseMessage] = []
    for message in said:
        plain = not getattr(message, "tool_calls", None) and message.type in ("human", "ai")
        if done and plain and done[-1].type == message.type and not getattr(done[-1], "tool_calls", None):
            done[-1] = type(message)(joined(done[-1], message))
        else:
            done.append(message)
    return done


def figured(messages: Sequence[BaseMessage]) -> list[BaseMessage]:
    """Messages of text alone, with the person's numbers as programs write them: a small model takes 1.386 euros for one
    and a third. The model's own are so already."""
    told = "\n".join(message.text for message in messages if message.type == "human")
    return [type(m)(plainly(m.text, told)) if m.type == "human" else m for m in messages]


def _fitting(groups: Sequence[list[BaseMessage]], room: int) -> list[list[BaseMessage]]:
    """The newest groups that fit: what tools gave is not left without its calls."""
    kept: list[list[BaseMessage]] = []
    for group in reversed(groups):
        room -= _size(group)
        if room < 0:
            break
        kept.insert(0, group)
    return kept


def _newest(steps: Sequence[Step], form: Form, room: int) -> list[list[BaseMessage]]:
    """The newest move, what its calls gave cut to share the room: a model that saw nothing of it would make the same
    calls again."""
    newest = [step for group in moves(steps)[-1:] for step in group]
    bare = [message for group in form([replace(step, observation="") for step in newest]) for message in group]
    if (left := room - _size(bare)) <= 0:
        return []
    share = left / max(1, len(newest))
    kept = [replace(step, observation=cut(step.observation, within(step.observation, share))) for step in newest]
    return form(kept)


def _size(said: Sequence[BaseMessage]) -> int:
    """Bytes, those of the calls included."""
    called = [str(call["args"]) for message in said for call in getattr(message, "tool_calls", ())]
    return sum(map(size, said)) + sum(map(bytes_of, called))


def moves(steps: Sequence[Step]) -> list[list[Step]]:
    """The steps of each move together."""
    groups: list[list[Step]] = []
    for step in steps:
        if groups and groups[-1][0].move.calls is step.move.calls and len(groups[-1]) < len(step.move.calls):
            groups[-1].append(step)
        else:
            groups.append([step])
    return groups


def _added(episode: Episode) -> list[list[tuple[str, str]]]:
    """What was said while the run went on, with its mark, where it was heard: before the first move and behind each.
    At the end it would be obeyed once more with each step."""
    ends = [0, *accumulate(map(len, moves(episode.steps)))]
    added: list[list[tuple[str, str]]] = [[] for _ in ends]
    for number, word in enumerate(episode.task.steering):
        taken = episode.heard[number] if number < len(episode.heard) else ends[-1]
        added[bisect_left(ends, taken, hi=len(ends) - 1)].append((ADDED, word))
    added[-1].append((NOTICE, episode.notice))
    return [[(mark, word) for mark, word in words if word] for words in added]


def _followed(move: list[BaseMessage], added: Sequence[tuple[str, str]], told_in_tools: bool) -> list[BaseMessage]:
    """A move with what was said behind it: at the end of what the last tool gave, marked, for models that take it
    nowhere else."""
    if not added or not told_in_tools or move[-1].type != "tool":
        return [*move, *(HumanMessage(word) for _, word in added)]
    words = [f"<{mark}>{word}</{mark}>" for mark, word in added]
    return [*move[:-1], move[-1].model_copy(update={"content": "\n\n".join([str(move[-1].text), *words])})]


def _native(steps: Sequence[Step]) -> list[list[BaseMessage]]:
    said: list[list[BaseMessage]] = []
    for number, group in enumerate(moves(steps)):
        ids = [f"step{number:03}{k:02}" for k in range(len(group))]  # Mistral demands nine letters and digits
        calls = [
            {"name": step.call.tool, "args": dict(step.call.arguments), "id": key}
            for step, key in zip(group, ids, strict=True)
        ]
        seen = [_MARKS.sub("", step.observation) for step in group]  # nobody but the person and the loop speaks there
        given = [ToolMessage(text, tool_call_id=key) for text, key in zip(seen, ids, strict=True)]
        said.append([AIMessage(group[0].move.thought, tool_calls=calls), *given])
    return said


def _written(steps: Sequence[Step]) -> list[list[BaseMessage]]:
    said: list[list[BaseMessage]] = []
    for group in moves(steps):
        calls = [{"tool": step.call.tool, "arguments": dict(step.call.arguments)} for step in group]
        step = {"thought": group[0].move.thought, "calls": calls, LAST: False}
        observed = "\n".join(f"Obs: {step.observation}" for step in group)
        said.append([AIMessage(json.dumps(step, ensure_ascii=False)), HumanMessage(observed)])
    return said


# -- what it may write


def native_tools(tools: Mapping[str, BaseTool], *, last: bool = True) -> list[dict[str, Any]]:
    """The tools as a model with native calls is offered them: each with `last` where that may end the run, and one to
    give up."""
    functions = [dict(offered(tool)["function"]) for tool in tools.values()]
    for function in functions if last else ():
        parameters = function.get("parameters") or {"type": "object"}
        asked = {"type": "boolean", "description": render("slow/last")}
        # A new one: the tool's own schema stays as it is.
        function["parameters"] = parameters | {"properties": {**parameters.get("properties", {}), LAST: asked}}
    why = {"type": "string", "description": render("slow/why")}
    parameters = {"type": "object", "properties": {"why": why}, "required": ["why"]}
    give_up = {"name": GIVE_UP, "description": render("slow/give_up"), "parameters": parameters}
    return [{"type": "function", "function": function} for function in (*functions, give_up)]


def schema(tools: Mapping[str, BaseTool]) -> dict[str, object]:
    """A JSON step: a thought with calls, each typed by its tool, or with an answer, or giving up."""
    calls = [closed({"tool": {"const": name}, "arguments": _arguments(tool)}) for name, tool in tools.items()]
    thought = {"thought": {"type": "string"}}
    several = {"type": "array", "minItems": 1, "maxItems": 4, "items": {"anyOf": calls}}
    acts = closed({**thought, "calls": several, LAST: {"type": "boolean"}})
    ends = [closed({**thought, key: {"type": "string"}}) for key in (FINISH, GIVE_UP)]
    return {"anyOf": [acts, *ends] if tools else ends}


def _arguments(tool: BaseTool) -> dict[str, Any]:
    parameters: dict[str, Any] = offered(tool)["function"].get("parameters") or {}
    return {"type": "object", "properties": {}, **parameters}


def closed(properties: dict[str, Any]) -> dict[str, Any]:
    """A schema of all of these and nothing else."""
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}


# -- reading that


def as_native_move(said: Said, usage: Usage) -> Move:
    """Words alone are the answer; with calls they are the thought."""
    if gave_up := next((call for call in said.calls if call.name == GIVE_UP), None):
        why = str(gave_up.arguments.get("why") or "").strip() or spoken("slow/gave_up")
        return Move(said.text, answer=why, gave_up=True).paid(usage)
    if not said.calls:
        told = said.text or spoken("slow/gave_up")
        return Move("", answer=told, gave_up=not said.text, cut=usage.cut).paid(usage)
    calls = tuple(
        Call(call.name, {k: v for k, v in call.arguments.items() if k != LAST}, call.fault) for call in said.calls
    )
    return Move(said.text, calls, last=bool(said.calls[-1].arguments.get(LAST))).paid(usage)


def as_move(data: Mapping[str, Any], usage: Usage) -> Move:
    """A JSON step. What does not fit is a call that failed: the model reads why. Fields may be there and empty, and
    an answer beside calls was written before anything was observed."""
    thought, calls = _text(data.get("thought")), data.get("calls")
    if not isinstance(calls, list) or not calls:
        calls = [data] if "tool" in data else []
    if not calls and (GIVE_UP in data or FINISH in data):
        answer, why = _text(data.get(FINISH)), _text(data.get(GIVE_UP))
        told = answer or why or spoken("slow/gave_up")
        return Move(thought, answer=told, gave_up=bool(why) or not answer).paid(usage)
    made = tuple(_call(call) for call in calls) or (Call("", fault=render("slow/misformed")),)
    return Move(thought, made, last=bool(data.get(LAST))).paid(usage)


def _text(value: object) -> str:
    return "" if value is None else str(value).strip()


def _call(data: Any) -> Call:
    if not isinstance(data, dict) or not isinstance(data.get("tool"), str):
        return Call("", fault=render("slow/misformed"))
    arguments = data.get("arguments", {})
    if not isinstance(arguments, dict):
        return Call(data["tool"], fault=f"The arguments of {data['tool']} are not a JSON object: name each of them.")
    return Call(data["tool"], arguments)


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
