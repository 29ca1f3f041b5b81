"""A model that says what it was told to say, with the faults it was told to have.

The product opens no such spec; `opening` goes where `open_model` does (chat.services.Swaps) and knows `scripted:FILE`.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import yaml
from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.language_models.chat_models import generate_from_stream
from langchain_core.messages import AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from pydantic import PrivateAttr

from minds.models import open_model
from minds.models.adapter import ChatAdapter
from minds.models.language import (
    Abilities,
    BadSpec,
    Busy,
    Declined,
    Garbled,
    LanguageModel,
    Missing,
    ModelFault,
    OutOfQuota,
    Refused,
    Said,
    ToolCall,
    TooLong,
    Unreachable,
)
from minds.models.spec import ModelSettings, Role

FAULTS: dict[str, type[ModelFault]] = {
    "unreachable": Unreachable,
    "refused": Refused,
    "toolong": TooLong,
    "busy": Busy,
    "garbled": Garbled,
    "missing": Missing,
    "declined": Declined,
    "outofquota": OutOfQuota,
}
ALL = Abilities(prefix=True, logprobs=True, schema=True, tools=True)
_SILENCE = 3600.0


@dataclass(frozen=True)
class Line:
    """One reply of a script. In a file: a mapping with these fields, or only the reply's text."""

    reply: str = ""
    when: str | None = None
    """Regular expression searched in the last message; such lines come before those in order, again and again."""
    json: Mapping[str, Any] | None = None
    """The reply as an object (for `structured`)."""
    tool: str = ""
    """Native tool call, with `arguments`; `reply` is then what is said beside it."""
    arguments: Mapping[str, Any] | None = None
    calls: Sequence[Mapping[str, Any]] = ()
    """Several native calls, each a mapping with `tool` and `arguments`."""
    weights: Mapping[str, float] | None = None
    """Log-probabilities for `weigh`; such a line is no reply. Without one, `weigh` looks at the coming reply."""
    delay: float | None = None
    """Seconds before each token."""
    fault: str = ""
    """A ModelFault by its name in lower case, or `half` (breaks off in the middle), or `silence`."""

    @property
    def called(self) -> list[tuple[str, str]]:
        """(tool, arguments as JSON) of its native calls."""
        one = [{"tool": self.tool, "arguments": self.arguments}] if self.tool else []
        return [(str(call["tool"]), json.dumps(dict(call.get("arguments") or {}))) for call in (*one, *self.calls)]

    @property
    def text(self) -> str:
        return json.dumps(dict(self.json)) if self.json is not None else self.reply


Reply = str | Mapping[str, Any] | ToolCall | Said | ModelFault | Line
Replies = Sequence["Reply | Callable[[Sequence[BaseMessage]], Reply]"] | Callable[[Sequence[BaseMessage]], "Reply"]


class ScriptedChat(BaseChatModel):
    """The LangChain side of a script."""

    model_name: str = "scripted"
    delay: float = 0.0
    _ordered: list[Any] = PrivateAttr()
    _always: Callable[[Sequence[BaseMessage]], Reply] | None = PrivateAttr(default=None)
    _conditional: list[Line] = PrivateAttr()
    _weights: list[Line] = PrivateAttr()
    _heard: list[list[BaseMessage]] = PrivateAttr(default_factory=list)

    def __init__(self, replies: Replies = (), **given: Any) -> None:
        super().__init__(**given)
        lines = [] if callable(replies) else list(replies)
        self._always = replies if callable(replies) else None
        self._weights = [line for line in lines if isinstance(line, Line) and line.weights]
        self._conditional = [line for line in lines if isinstance(line, Line) and line.when and not line.weights]
        apart = {id(line) for line in (*self._weights, *self._conditional)}
        self._ordered = [line for line in lines if id(line) not in apart]

    @property
    def _llm_type(self) -> str:
        return "duet-scripted"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Runnable[Any, Any]:
        from langchain_core.utils.function_calling import convert_to_openai_tool

        kwargs.pop("tool_choice", None)
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools], **kwargs)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return generate_from_stream(self._stream(messages, stop, run_manager, **kwargs))

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        for delay, chunk in self._play(messages, stop or [], kwargs):
            time.sleep(delay)
            if chunk is not None:
                if run_manager:
                    run_manager.on_llm_new_token(chunk.text, chunk=chunk)
                yield chunk

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        for delay, chunk in self._play(messages, stop or [], kwargs):
            await asyncio.sleep(delay)
            if chunk is not None:
                if run_manager:
                    await run_manager.on_llm_new_token(chunk.text, chunk=chunk)
                yield chunk

    def _play(
        self, messages: list[BaseMessage], stop: list[str], options: dict[str, Any]
    ) -> Iterator[tuple[float, ChatGenerationChunk | None]]:
        """(seconds to wait, chunk); a chunk of None is silence."""
        self._heard.append(list(messages))
        weighing = bool(options.get("logprobs")) and options.get("max_tokens") == 1
        line = self._weighed(messages) if weighing else self._next(messages)
        text, finish = _cut(_rest(line.text, messages), stop)
        pieces = re.findall(r"\s*\S+|\s+$", text)
        if weighing:
            pieces = pieces[:1] or [""]
        limit = options.get("max_tokens") or len(pieces)
        if len(pieces) > limit:
            pieces, finish = pieces[:limit], "length"
        delay = self.delay if line.delay is None else line.delay
        if line.fault == "silence":
            yield _SILENCE, None
        if line.fault in FAULTS:
            raise FAULTS[line.fault](text or f"The script says: {line.fault}.")
        for place, piece in enumerate(pieces):
            if line.fault == "half" and place >= len(pieces) / 2:
                raise Unreachable("The script broke off in the middle of its answer; try again.")
            yield delay, _chunk(piece, logprobs=_logprobs(line, text) if weighing else None)
        if line.called and options.get("tools") and options.get("tool_choice") != "none":
            yield delay, _tool_chunk(line)
        yield 0.0, _last(messages, len(pieces), finish)

    def _next(self, messages: Sequence[BaseMessage]) -> Line:
        """The line for these messages; lines in order are used up."""
        return self._find(messages, use_up=True)

    def _weighed(self, messages: Sequence[BaseMessage]) -> Line:
        """The first fitting line of weights, or the coming reply, which stays to come."""
        for line in self._weights:
            if line.when is None or re.search(line.when, _last_said(messages)):
                return line
        return self._find(messages, use_up=False)

    def _find(self, messages: Sequence[BaseMessage], use_up: bool) -> Line:
        for line in self._conditional:
            if re.search(line.when or "", _last_said(messages)):
                return line
        said: Any = self._always
        if said is None:
            if not self._ordered:
                raise Garbled("The script has no reply left; add one to it.")
            said = self._ordered.pop(0) if use_up else self._ordered[0]
        return as_line(said(messages) if callable(said) else said)


class ScriptedModel(ChatAdapter):
    """`ScriptedModel(["Invoke[False]\\nResponse[Hi]"])`, or `ScriptedModel(lambda messages: "Hi")`.

    A reply is text, a dict (JSON), a ToolCall, a Said, a ModelFault (raised), a Line, or a function of the messages
    that gives one of these. A reply that begins with the prefix of the call is continued from there.
    """

    def __init__(
        self,
        replies: Replies = (),
        *,
        abilities: Abilities = ALL,
        delay: float = 0.0,
        settings: ModelSettings | None = None,
        spec: str = "scripted",
    ) -> None:
        settings = settings or ModelSettings(models_dir=Path())
        self.script = ScriptedChat(replies, delay=delay)
        super().__init__(spec, self.script, abilities, settings)

    @property
    def heard(self) -> list[list[BaseMessage]]:
        """The messages of every call so far, `weigh` and `warm` included; the begun message is the last of them."""
        return self.script._heard

    async def warm(self, messages: Sequence[BaseMessage]) -> None:
        """Uses up no reply."""
        self.heard.append(list(messages))


def opening(spec: str, settings: ModelSettings, role: Role = "fast") -> LanguageModel:
    """As `open_model`, and `scripted:FILE` besides."""
    kind, _, name = spec.strip().partition(":")
    return open_scripted(name, settings) if kind == "scripted" else open_model(spec, settings, role)


def open_scripted(file: str, settings: ModelSettings) -> ScriptedModel:
    """A YAML or JSON file: a list of lines, or {abilities, delay, lines}; or JSON lines (`.jsonl`). Raises BadSpec."""
    path = Path(file).expanduser()
    try:
        text = path.read_text()
        rows = text.splitlines() if path.suffix == ".jsonl" else []
        found = [json.loads(row) for row in rows if row.strip()] if rows else yaml.safe_load(text)
        script: dict[str, Any] = found if isinstance(found, dict) else {"lines": found or []}
        lines = [line if isinstance(line, str) else _line(line) for line in script["lines"]]
        abilities = Abilities(**{**vars(ALL), **script.get("abilities", {})})
        delay = float(script.get("delay", 0.0))
    except (OSError, ValueError, TypeError, KeyError, re.error, yaml.YAMLError) as error:
        raise BadSpec(f"The script {file} cannot be read ({' '.join(str(error).split())}); correct it.") from None
    return ScriptedModel(lines, abilities=abilities, delay=delay, settings=settings, spec=f"scripted:{file}")


def as_line(said: Reply) -> Line:
    """Whatever a script may hold, as a line. Raises the ModelFault that it holds."""
    if isinstance(said, ModelFault):
        raise said
    if isinstance(said, Line):
        return said
    if isinstance(said, ToolCall):
        return Line(tool=said.name, arguments=said.arguments)
    if isinstance(said, Said):
        return Line(reply=said.text, calls=[{"tool": c.name, "arguments": c.arguments} for c in said.calls])
    return Line(reply=said) if isinstance(said, str) else Line(json=said)


def _line(given: Mapping[str, Any]) -> Line:
    unknown = set(given) - {field.name for field in fields(Line)}
    if unknown:
        raise ValueError(f"unknown field {min(unknown)!r}")
    line = Line(**given)
    if line.fault and line.fault not in {*FAULTS, "half", "silence"}:
        raise ValueError(f"unknown fault {line.fault!r}")
    re.compile(line.when or "")
    return line


def _last_said(messages: Sequence[BaseMessage]) -> str:
    """The last message, not counting the one begun for the model."""
    said = [message for message in messages if message.type != "ai"]
    return str(said[-1].text) if said else ""


def _rest(text: str, messages: Sequence[BaseMessage]) -> str:
    begun = str(messages[-1].text) if messages and messages[-1].type == "ai" else ""
    return text.removeprefix(begun)


def _cut(text: str, stop: Sequence[str]) -> tuple[str, str]:
    ends = [text.index(word) for word in stop if word and word in text]
    return text[: min(ends)] if ends else text, "stop"


def _chunk(piece: str, logprobs: dict[str, Any] | None = None) -> ChatGenerationChunk:
    info = {"logprobs": logprobs} if logprobs else None
    return ChatGenerationChunk(message=AIMessageChunk(content=piece), generation_info=info)


def _tool_chunk(line: Line) -> ChatGenerationChunk:
    calls = [
        {"name": name, "args": arguments, "id": f"call_{n}", "index": n, "type": "tool_call_chunk"}
        for n, (name, arguments) in enumerate(line.called)
    ]
    return ChatGenerationChunk(message=AIMessageChunk(content="", tool_call_chunks=calls))  # type: ignore[arg-type]


def _last(messages: Sequence[BaseMessage], written: int, finish: str) -> ChatGenerationChunk:
    read = sum(len(str(message.text).split()) for message in messages)
    told = {"input_tokens": read, "output_tokens": written, "total_tokens": read + written}
    message = AIMessageChunk(content="", usage_metadata=told)  # type: ignore[arg-type]
    return ChatGenerationChunk(message=message, generation_info={"finish_reason": finish, "model_name": "scripted"})


def _logprobs(line: Line, text: str) -> dict[str, Any]:
    """The shape of OpenAI's logprobs."""
    first = re.match(r"\s*\w+|\s*\W", text)
    weights = line.weights or {first[0] if first else "": -0.01}
    top = [{"token": token, "logprob": value} for token, value in weights.items()]
    return {"content": [{**top[0], "top_logprobs": top}]}
