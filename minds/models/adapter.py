"""ChatAdapter: a LanguageModel over any LangChain chat model. Each backend brings the chat model and its faults."""

from __future__ import annotations

import asyncio
import json
import logging
import math
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Any, Unpack

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, ToolCallChunk
from langchain_core.runnables import Runnable

from minds.models.answers import (
    before_call,
    count,
    finish,
    first_candidates,
    logprobs,
    made_of,
    thought_out,
    whole,
    without_thinking,
    written_call,
)
from minds.models.language import (
    Abilities,
    Busy,
    Declined,
    Garbled,
    How,
    LanguageModel,
    ModelFault,
    Offered,
    Refused,
    Said,
    Speaking,
    ToolCall,
    Toolless,
    Unreachable,
    Usage,
    spending,
)
from minds.models.spec import ModelSettings
from minds.pictures import unseen

log = logging.getLogger(__name__)

ENDED = 5.0
"""Seconds for what a server may still tell behind the end of an answer; some never hang up."""
HOPELESS = 12.0
"""How far behind the best choice, in natural log, others are no longer told apart."""
CANDIDATES = 20


class ChatAdapter:
    """Patience, prefixes, usage and faults around `chat`; see LanguageModel for the methods."""

    trained: LanguageModel | None = None
    notes: LanguageModel | None = None
    recounts: LanguageModel | None = None
    recalls: LanguageModel | None = None
    beyond: LanguageModel | None = None
    aside: LanguageModel | None = None
    _doubted = False
    """It made no call since one that it wrote as words, or that its server refused."""

    def __init__(
        self, spec: str, chat: BaseChatModel, abilities: Abilities, settings: ModelSettings, key: str = ""
    ) -> None:
        """`key`: what no sentence of a fault may hold."""
        self.spec, self.chat, self.abilities, self.settings, self.key = spec, chat, abilities, settings, key

    # What a backend may say differently

    @property
    def who(self) -> str:
        """The subject of error sentences."""
        return f"The model {self.spec}"

    def fault(self, error: Exception) -> ModelFault:
        """One sentence for whatever the chat model raised."""
        return Garbled(f"{self.who} failed ({type(error).__name__}: {error}); see the log, or choose another model.")

    def chunks(self, messages: Sequence[BaseMessage], **options: Any) -> AsyncGenerator[AIMessageChunk, None]:
        """One request to the model, within the time-outs, faults mapped."""
        return self._patiently(messages, options)

    def strictly(self, schema: dict[str, object]) -> dict[str, object]:
        """A schema as the server takes it in strict mode."""
        return schema

    # LanguageModel

    async def stream(self, messages: Sequence[BaseMessage], **how: Unpack[Speaking]) -> AsyncIterator[str]:
        tools, calls, usage = how.get("tools", ()), how.get("calls"), how.get("usage") or Usage()
        options = self._options(how, tools)
        if stop := how.get("stop"):
            options["stop"] = list(stop)
        if tools and calls is None:
            options["tool_choice"] = "none"
        if usage.logprobs is not None and self.abilities.logprobs:
            options |= {"logprobs": True, "top_logprobs": 1}
        async for piece in self._said(messages, options, usage, how.get("prefix", ""), calls):
            if piece:
                yield piece

    async def _said(
        self,
        messages: Sequence[BaseMessage],
        options: dict[str, Any],
        usage: Usage,
        prefix: str = "",
        calls: list[ToolCall] | None = None,
    ) -> AsyncIterator[str]:
        """The words of one answer, without thinking, and empty ones while a call comes behind them. Raises Declined and
        Garbled where it says nothing."""
        whole, called = AIMessageChunk(content=""), list[ToolCallChunk]()

        async def texts() -> AsyncIterator[str]:
            nonlocal whole
            async with aclosing(self._counted(begun(messages, prefix), usage, options)) as chunks:
                async for chunk in chunks:
                    called.extend(chunk.tool_call_chunks)
                    whole += AIMessageChunk(
                        content="",
                        additional_kwargs=chunk.additional_kwargs,
                        response_metadata={k: v for k, v in chunk.response_metadata.items() if k != "logprobs"},
                    )
                    text = str(chunk.text)
                    if text or chunk.tool_call_chunks:
                        yield text

        said, shown, offered = "", 0, options.get("tools", ()) if calls is not None else ()
        async for piece in without_thinking(texts()):
            said += piece
            free = len(before_call(said, shown) if offered else said)
            if free > shown or not piece:
                yield said[shown:free]
            shown = max(shown, free)
        made = made_of(called)
        if calls is not None:
            calls += made
            self._doubted = self._doubted and not made
            if not made and written_call(said, offered):
                raise self.in_words()
        if rest := said[shown:]:
            yield rest
        if not prefix:
            self._check(whole, bool(said or made))

    async def weigh(
        self, messages: Sequence[BaseMessage], prefix: str, choices: Sequence[str], usage: Usage | None = None
    ) -> dict[str, float]:
        found: dict[str, float] = {}
        ahead = [(0.0, "", list(dict.fromkeys(choices)))]
        while ahead:
            ahead.sort(key=lambda one: one[0])
            odds, said, group = ahead.pop()
            if len(group) == 1 or odds < max(found.values(), default=-math.inf) - HOPELESS:
                found |= dict.fromkeys(group, odds)
                continue
            candidates = await self._candidates(messages, prefix + said, usage or Usage())
            by_token = _by_token(candidates, said, [one for one in group if one != said])
            found |= dict.fromkeys(by_token.pop("", ()), odds + _others(candidates))
            if said in group:  # it ends here, or the longer ones go on
                longer = sum(math.exp(candidates[token]) for token in by_token)
                found[said] = odds + math.log(max(1 - longer, 1e-9))
            ahead += [(odds + candidates[token], said + token, of) for token, of in by_token.items()]
        return found

    async def _candidates(self, messages: Sequence[BaseMessage], prefix: str, usage: Usage) -> dict[str, float]:
        """The likeliest next tokens, with their log-probabilities."""
        options = {"max_tokens": 1, "temperature": 0.0, "logprobs": True, "top_logprobs": CANDIDATES}
        candidates: dict[str, float] | None = None
        async with aclosing(self._counted(begun(messages, prefix), usage, options)) as chunks:
            async for chunk in chunks:
                candidates = candidates or first_candidates(chunk)
        if candidates is None:
            raise Garbled(f"{self.who} gave no token probabilities; leave ?logprobs=1 out of its spec.")
        return candidates

    async def structured(
        self, messages: Sequence[BaseMessage], schema: dict[str, object], **how: Unpack[How]
    ) -> dict[str, object]:
        json_schema: dict[str, object] = {"name": str(schema.get("title", "reply")), "schema": schema}
        if schema.get("type") == "object" and is_strict(schema):  # its root may be no choice either
            json_schema |= {"strict": True, "schema": self.strictly(schema)}
        options = self._options(how)
        options["response_format"] = {"type": "json_schema", "json_schema": json_schema}
        # Streamed all the same: only so do the time-outs tell a slow answer from silence.
        usage = how.get("usage") or Usage()
        return self._object(await whole(self._said(messages, options, usage)), cut=usage.cut)

    async def call(
        self,
        messages: Sequence[BaseMessage],
        tools: Sequence[Offered],
        *,
        aloud: Callable[[str], None] | None = None,
        **how: Unpack[How],
    ) -> Said:
        made: list[ToolCall] = []
        text = ""
        async for piece in self._said(messages, self._options(how, tools), how.get("usage") or Usage(), calls=made):
            text += piece
            if aloud:
                aloud(piece)
        return Said(thought_out(text).strip(), tuple(made))

    async def warm(self, messages: Sequence[BaseMessage]) -> None:
        async with aclosing(self.chunks(messages, max_tokens=1, temperature=0.0)) as chunks:
            async for _ in chunks:
                pass

    async def close(self) -> None:
        """Nothing is held open."""

    # One request

    def _options(self, how: How | Speaking, tools: Sequence[Offered] = ()) -> dict[str, Any]:
        from langchain_core.utils.function_calling import convert_to_openai_tool

        options: dict[str, Any] = {"temperature": how.get("temperature", 0.0)}
        if limit := how.get("max_tokens") or self.abilities.limit:
            options["max_tokens"] = limit
        if tools:
            options["tools"] = [convert_to_openai_tool(tool) for tool in tools]
        return options

    def in_words(self) -> Toolless:
        """This answer is asked for in words, and from a second time on, no call between, each."""
        if self._doubted:
            self.abilities = replace(self.abilities, tools=False)
        self._doubted = True
        return Toolless(
            f"{self.who} seems to call no tools as it is served; try again, or have it asked in words: by ?tools=0 in "
            "its spec."
        )

    def _check(self, whole: AIMessageChunk, said: bool) -> None:
        """Raises Declined or Garbled where an answer says nothing."""
        why, refusal = finish(whole), str(whole.additional_kwargs.get("refusal") or "")
        if why == "content_filter":
            raise Declined(f"{self.who} stopped at its content filter; say it differently, or choose another model.")
        if said:
            return
        if refusal:
            raise Declined(f"{self.who} declines: {' '.join(refusal.split())[:300]}")
        if why == "length":
            raise Garbled(
                f"{self.who} used up all that it may write on thinking and said nothing; give it more with "
                "?limit=TOKENS in its spec, or ask for less at once."
            )
        raise Garbled(f"{self.who} answered nothing; try again or choose another model.")

    def _object(self, text: str, *, cut: bool) -> dict[str, object]:
        try:
            found = json.loads(text[text.find("{") : text.rfind("}") + 1])  # it may stand in a block of code
        except (ValueError, RecursionError):
            found = None
        if isinstance(found, dict):
            return found
        if cut:
            raise Garbled(f"{self.who} did not finish its answer within its limit of tokens; ask for less at once.")
        log.warning("%s: no JSON object: %.500r", self.spec, text)
        raise Garbled(f"{self.who} did not answer with the JSON that was asked for; try again or choose another model.")

    async def _counted(
        self, messages: Sequence[BaseMessage], usage: Usage, options: dict[str, Any]
    ) -> AsyncGenerator[AIMessageChunk, None]:
        """Adds to `usage`; where the call ends early, with the pieces that came."""
        pieces, told, spent = 0, False, spending(self.spec)
        spent.usage.calls += 1
        messages = messages if self.abilities.sees else unseen(messages)
        usage.calls += 1
        usage.cut = False
        try:
            async with aclosing(self.chunks(messages, **options)) as chunks:
                async for chunk in chunks:
                    pieces += bool(chunk.content)
                    count(spent.usage, chunk)
                    told = count(usage, chunk) or told
                    if usage.logprobs is not None:
                        usage.logprobs += logprobs(chunk)
                    usage.cut |= finish(chunk) == "length"
                    yield chunk
        except (Refused, Busy):
            told = told or not pieces  # nothing was made, and nothing is paid for it
            raise
        finally:
            spent.told = spent.told and told
            if not told:
                usage.written += pieces

    async def _patiently(
        self, messages: Sequence[BaseMessage], options: dict[str, Any], asked: Runnable[Any, Any] | None = None
    ) -> AsyncGenerator[AIMessageChunk, None]:
        """`asked`: the chat model as this call wants it."""
        finished, seen, limit = False, False, self.settings.first
        source = (asked or self.chat).astream(list(messages), **options)
        try:
            async with aclosing(source) as chunks:  # type: ignore[type-var]
                while True:
                    async with asyncio.timeout(limit):
                        chunk = await anext(chunks, None)
                    if chunk is None:
                        break
                    if chunk.content or chunk.tool_call_chunks:
                        seen, limit = True, self.settings.between
                    finished = finished or finish(chunk) not in ("", "error")
                    limit = ENDED if finished else limit
                    yield chunk
        except TimeoutError:
            if not finished:
                raise Unreachable(
                    f"{self.who} was silent for {limit:g} seconds; try again or choose another model."
                ) from None
        except (ModelFault, GeneratorExit):
            raise
        except Exception as error:
            if finished:  # the answer is whole, however the connection ends
                return
            fault = self.fault(error)
            log.warning("%s: %s", self.spec, fault)
            raise (self.unfinished(seen) if seen and isinstance(fault, Unreachable) else fault) from error
        if not finished:
            raise self.unfinished(seen)

    def unfinished(self, seen: bool) -> ModelFault:
        """The stream ended without the word that it is done."""
        if seen:
            return Unreachable(f"{self.who} broke off in the middle of its answer; try again.")
        return Garbled(f"{self.who} answered with something that is not the chat protocol; check its address.")


def _others(candidates: Mapping[str, float]) -> float:
    """The log-probability that a token which is not among the candidates has at most."""
    left = 1 - sum(map(math.exp, candidates.values()))
    return min(math.log(max(left, 1e-9)), *candidates.values(), 0.0)


def _by_token(candidates: Mapping[str, float], said: str, choices: Sequence[str]) -> dict[str, list[str]]:
    """The choices by the likeliest token with which each goes on behind `said`; by "" where none does."""
    found: dict[str, list[str]] = {}
    for choice in choices:
        fitting = [token for token in candidates if token and choice.startswith(said + token)]
        found.setdefault(max(fitting, key=lambda token: candidates[token], default=""), []).append(choice)
    return found


def is_strict(schema: object) -> bool:
    """Strict mode takes only schemas whose objects are closed and need all their properties."""
    if isinstance(schema, list):
        return all(is_strict(part) for part in schema)
    if not isinstance(schema, dict):
        return True
    if schema.get("type") == "object" and (
        schema.get("additionalProperties") is not False
        or set(schema.get("required", ())) != set(schema.get("properties", {}))
    ):
        return False
    return all(is_strict(part) for part in schema.values())


def begun(messages: Sequence[BaseMessage], prefix: str) -> list[BaseMessage]:
    """The messages, with the assistant's own one begun."""
    return [*messages, AIMessage(content=prefix)] if prefix else list(messages)
