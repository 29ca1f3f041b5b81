"""What a model answered, read from LangChain's chunks: words without thinking, calls, tokens, why it ended."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from minds.models.language import ToolCall, Usage

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessageChunk, ToolCallChunk

OPENED, CLOSED = "<think>", "</think>"
MARKS = ("<tool_call>", "<function=", "<|python_tag|>", "[TOOL_CALLS]", "<｜tool▁calls▁begin｜>")
"""Behind which models write calls."""
_MARK = re.compile("|".join(map(re.escape, MARKS)))
ENDINGS = ("finish_reason", "stop_reason", "done_reason", "stopReason")
"""Where providers say why an answer ended: OpenAI, Anthropic, Ollama, Bedrock."""
STATUS = {"completed": "stop", "incomplete": "length"}
"""What OpenAI's Responses say in its place."""
FILTERED = ("refusal", "safety", "prohibited_content", "blocklist", "spii", "content_filtered", "guardrail_intervened")
"""What Anthropic, Google and Bedrock call a content filter."""


async def without_thinking(pieces: AsyncIterator[str]) -> AsyncIterator[str]:
    """The pieces without a `<think>` block at their beginning: what a model says to itself is nobody's reply."""
    held, state = "", "before"
    async for piece in pieces:
        if state == "through":
            yield piece
            continue
        held += piece
        if state == "before":
            start = held.lstrip()
            if OPENED.startswith(start[: len(OPENED)]) and len(start) < len(OPENED):
                continue  # it may still become one
            state = "thinking" if start.startswith(OPENED) else "through"
        if state == "thinking":
            _, closed, rest = held.partition(CLOSED)
            if not closed or not rest.strip():
                continue
            held, state = rest.lstrip(), "through"
        if held:
            yield held
    if state == "before" and held:
        yield held


def thought_out(text: str) -> str:
    """A whole text without the thinking before a `</think>` whose beginning the server's template had opened."""
    before, closed, rest = text.partition(CLOSED)
    return rest.lstrip() if closed and OPENED not in before else text


async def whole(pieces: AsyncIterator[str]) -> str:
    """All that came, without such thinking."""
    return thought_out("".join([piece async for piece in pieces]))


def refuses_temperature(chat: BaseChatModel) -> bool:
    """Whether LangChain's table of models says so."""
    return (getattr(chat, "profile", None) or {}).get("temperature") is False


def tool_call(name: str, written: str) -> ToolCall:
    """A call as the model wrote it; arguments that are no JSON object are told to it."""
    try:
        arguments = json.loads(written)
    except (ValueError, RecursionError) as error:
        return ToolCall(
            name, fault=f"The arguments of {name} are not JSON ({error}); you wrote: {written[:500]} Write them again."
        )
    if not isinstance(arguments, dict):
        return ToolCall(name, fault=f"The arguments of {name} are not a JSON object: name each of them.")
    return ToolCall(name, arguments)


def made_of(pieces: Sequence[ToolCallChunk]) -> list[ToolCall]:
    """All calls of an answer. Not LangChain's `tool_calls`: it mends arguments that broke off, and half an argument is
    a wrong one. Some servers number no piece, or all alike, and some say name and id with each."""
    made: list[ToolCallChunk] = []
    for piece in pieces:
        same = made
        if piece["id"]:
            same = [one for one in made if one["id"] == piece["id"]]
        elif piece["index"] is not None:
            same = [one for one in made if one["index"] == piece["index"]]
        before = (same or ([] if piece["name"] else made))[-1:]
        if before and _goes_on(before[0], piece):
            before[0]["args"] = (before[0]["args"] or "") + (piece["args"] or "")
        else:
            made.append(piece.copy())
    return [tool_call(one["name"] or "", one["args"] or "{}") for one in made]


def _goes_on(call: ToolCallChunk, piece: ToolCallChunk) -> bool:
    """Whether a piece may belong to a call: the same one made twice is told by arguments that are whole."""
    named = piece["name"] in (None, "", call["name"])
    return named and not (piece["name"] and piece["args"] and not tool_call("", call["args"] or "").fault)


def before_call(text: str, shown: int = 0) -> str:
    """The words before what is, or may become, a call that a model writes as words: behind the marks of Hermes, Llama,
    Qwen, Mistral or DeepSeek, or bare. A mark within code (`<tool_call>`) is shown to the person. `shown`: characters
    in which no call begins, as was found before."""
    if text.lstrip().startswith("{"):
        return ""
    starts = [found.start() for found in _MARK.finditer(text, shown)]
    starts += [len(text) - n for mark in MARKS for n in range(1, len(mark)) if text.endswith(mark[:n])]
    return text[: min((start for start in starts if text.count("`", 0, start) % 2 == 0), default=len(text))]


def written_call(text: str, tools: Sequence[Mapping[str, Any]]) -> bool:
    """Whether an answer ends with a call, as words, of a tool that was offered. A server that is set up for the model
    reads these itself."""
    names = "|".join(re.escape(tool["function"]["name"]) for tool in tools)
    call = text[len(before_call(text)) :].strip()
    if not names or not call.endswith(("}", "]", ">", "```")):
        return False
    if call.startswith("{"):  # bare: nothing else stands there
        made = tool_call("", call).arguments
        return bool({"arguments", "parameters"} & made.keys() and re.fullmatch(names, str(made.get("name"))))
    return bool(re.search(rf'("name":\s*"|<function=|CALLS\]\s*|begin｜>|sep｜>)({names})\b', call))


def first_candidates(chunk: AIMessageChunk) -> dict[str, float] | None:
    """token -> natural log-probability of the first token's candidates, where the chunk has them."""
    content = (chunk.response_metadata.get("logprobs") or {}).get("content")
    if not content:
        return None
    return {c["token"]: float(c["logprob"]) for c in reversed(content[0]["top_logprobs"])}


def logprobs(chunk: AIMessageChunk) -> list[float]:
    """Of the tokens of this chunk, where the server tells."""
    content = (chunk.response_metadata.get("logprobs") or {}).get("content") or []
    return [float(token["logprob"]) for token in content]


def count(usage: Usage, chunk: AIMessageChunk) -> bool:
    """True when the chunk told the tokens."""
    if (told := chunk.usage_metadata) is None:
        return False
    usage.read += told["input_tokens"]
    usage.written += told["output_tokens"]
    usage.cached += told.get("input_token_details", {}).get("cache_read") or 0
    return True


def finish(chunk: AIMessageChunk) -> str:
    """Why the answer ended, in OpenAI's words; empty before."""
    told = chunk.response_metadata
    why = next((str(told[name]) for name in ENDINGS if told.get(name)), "") or STATUS.get(str(told.get("status")), "")
    ends = {"max_tokens": "length", "model_length": "length", **dict.fromkeys(FILTERED, "content_filter")}
    return ends.get(why.lower(), why)
