"""`openai:MODEL[@BASE_URL]`: any OpenAI-compatible server, through LangChain's ChatOpenAI."""

from __future__ import annotations

import json
import os
import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from functools import partial
from math import ceil
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx2
import openai
from langchain_core.language_models import LanguageModelInput
from langchain_core.messages import AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGenerationChunk
from langchain_openai import ChatOpenAI
from openai._models import FinalRequestOptions
from pydantic import SecretStr

from minds.models.adapter import ChatAdapter
from minds.models.answers import refuses_temperature
from minds.models.keys import OFFICIAL, is_account, is_azure, is_local, key_of, origin
from minds.models.language import (
    Busy,
    Declined,
    Garbled,
    ModelFault,
    NoProtocol,
    OutOfQuota,
    Refused,
    TooLong,
    Unreachable,
    tell,
)
from minds.models.listing import Provider, provider_at, told_in_tools, unreached
from minds.models.spec import ModelSettings, Spec, base

_FLAGS = {"prefix": False, "logprobs": False, "schema": True}
"""What only the person knows of a server."""
_OPTIONAL = {
    "temperature": "temperature",
    "stop": "stop",
    "max_tokens": "max_completion_tokens",
    "response_format": "response_format",
}
"""What a server names that does not take an option: where it says `max_tokens` alone, its number is wrong."""
SHORTEST = 7
"""Characters that a key has more than, which is masked wherever it stands."""
_BY_NAME = frozenset({400, 404, 422, 500})
"""With what servers refuse a request for what it holds; llama.cpp with 500."""
_LENGTHS = frozenset({"minLength", "maxLength"})
_TOO_LONG = (
    "context_length_exceeded",
    "exceed_context_size",
    "maximum context length",
    "maximum prompt length",
    "maximum model length",
    "context length of only",
    "context window",
    "prompt is too long",
    "maximum number of tokens",
    "maximum allowed token",
    "context limit",
    "input length",
    "max_new_tokens",
)


class CompatibleChat(ChatOpenAI):
    """ChatOpenAI that asks in the words which every compatible server knows."""

    official: bool = False
    provider: Provider | None = None

    @property
    def _llm_type(self) -> str:
        return "duet-openai-compatible"

    def _convert_chunk_to_generation_chunk(
        self, chunk: dict[str, Any], default_chunk_class: type, base_generation_info: dict[str, Any] | None
    ) -> ChatGenerationChunk | None:
        """LangChain drops what a server says beside content: the refusal is kept, for the person is to read it."""
        made = super()._convert_chunk_to_generation_chunk(chunk, default_chunk_class, base_generation_info)
        choices = chunk.get("choices") or [{}]
        refusal = (choices[0].get("delta") or {}).get("refusal")
        if made is not None and refusal:
            made.message.additional_kwargs["refusal"] = refusal
        return made

    @classmethod
    def is_lc_serializable(cls) -> bool:
        return False  # it holds a key

    def _get_request_payload(
        self, input_: LanguageModelInput, *, stop: list[str] | None = None, **kwargs: Any
    ) -> dict[str, Any]:
        payload = super()._get_request_payload(input_, stop=stop, **kwargs)
        if re.match(r"(.*/)?(o\d|gpt-5)", self.model_name) or refuses_temperature(self):
            payload.pop("temperature", None)  # reasoning models refuse it, whoever passes it on to them
            payload.pop("stop", None)
        elif not self.official and "max_completion_tokens" in payload:
            payload["max_tokens"] = payload.pop("max_completion_tokens")
        if isinstance(payload.get("response_format"), dict):
            # Past LangChain, which would take another road that parses the answer and hides broken streams.
            extra = dict(payload.get("extra_body") or {})
            payload["extra_body"] = extra | {"response_format": payload.pop("response_format")}
        if self.provider:
            _complete(payload["messages"], self.provider)
        return payload


def _complete(messages: Sequence[dict[str, Any]], provider: Provider) -> None:
    """Gives the model's own messages what the provider refuses them without."""
    for own in (message for message in messages if message["role"] == "assistant"):
        own.update(provider.message)
        for first in own.get("tool_calls", ())[:1]:
            first.update(provider.call)


def compatible_chat(
    model: str, base_url: str, key: str, settings: ModelSettings, account: bool = False, **more: Any
) -> CompatibleChat:
    """Retries 429, 5xx and failed connections with growing pauses; usage in every stream.

    `account`: OPENAI_ORG_ID, OPENAI_PROJECT_ID and OPENAI_CUSTOM_HEADERS are for this address.
    """
    chat = CompatibleChat(
        model=model,
        base_url=base_url,
        api_key=SecretStr(key),
        timeout=httpx2.Timeout(settings.first, connect=settings.connect),
        max_retries=settings.retries,
        stream_usage=True,
        stream_chunk_timeout=None,  # the adapter keeps the time
        use_responses_api=False,
        **more,
    )
    for client in (chat.root_client, chat.root_async_client):  # nothing goes where the person did not send it
        client._client.follow_redirects = False
        if not account:
            client.organization = client.project = None
            client._custom_headers = dict(chat.default_headers or {})
    http = chat.root_async_client._client
    http.event_hooks = {**http.event_hooks, "response": [partial(_limited, chat.root_async_client), _no_page]}
    return chat


async def _limited(client: openai.AsyncOpenAI, response: httpx2.Response) -> None:
    """Tells why the person waits, and how long, where a limit is reached and the client asks again by itself."""
    most = client.max_retries
    left = most - int(response.request.headers.get("x-stainless-retry-count", most))
    if response.status_code == 429 and left > 0 and client._should_retry(response):
        options = FinalRequestOptions(method="post", url="")
        wait = client._calculate_retry_timeout(left, options, response.headers)
        tell("limit", host=response.url.host, seconds=ceil(wait))


async def _no_page(response: httpx2.Response) -> None:
    """Raises where all is well with a web page: the client would read it as a stream in which nothing comes."""
    if response.is_success and response.headers.get("content-type", "").startswith("text/html"):
        raise openai.OpenAIError("It answered with a web page.")


class EndpointModel(ChatAdapter):
    """A model behind an address of the person's own choice."""

    @property
    def who(self) -> str:
        address = urlsplit(str(getattr(self.chat, "openai_api_base", "")))
        return f"The model server at {address.netloc.rpartition('@')[2]}"

    _without: frozenset[str] = frozenset()
    """Options that the server has refused."""

    async def chunks(self, messages: Sequence[BaseMessage], **options: Any) -> AsyncGenerator[AIMessageChunk, None]:
        """What the server refuses by name is left out from then on, once the same request went through without it:
        models under any name take no temperature, and whole providers no schema."""
        options = {name: value for name, value in options.items() if name not in self._without}
        try:
            async with aclosing(self._told(messages, **options)) as chunks:
                async for chunk in chunks:
                    yield chunk
            return
        except (Refused, Busy) as fault:
            refused, refusal = self._blamed(fault, options), fault
            if not refused:
                raise
        left = {name: value for name, value in options.items() if name not in refused}
        try:
            async with aclosing(self.chunks(messages, **left)) as chunks:
                async for chunk in chunks:
                    if "tools" in refused:
                        raise self.in_words()
                    self._without |= refused
                    yield chunk
        except (Refused, Busy):
            if "tools" in refused:
                raise refusal from refusal.__cause__
            raise

    def _blamed(self, fault: ModelFault, options: Mapping[str, Any]) -> frozenset[str]:
        """What a server names in its own words as it refuses a request: options, or else the tools."""
        error = fault.__cause__
        if not isinstance(error, openai.APIStatusError) or type(fault) not in (Refused, Busy):
            return frozenset()
        told = re.sub(rf"(?<!\w){re.escape(getattr(self.chat, 'model_name', ''))}(?!\w)", "", _words(error))
        named = {name for name, sign in _OPTIONAL.items() if name in options and re.search(rf"\b{sign}\b", told)}
        if named and error.status_code in (400, 422):
            return frozenset(named)
        toolless = "tools" in options and "tool" in told.lower() and error.status_code in _BY_NAME
        return frozenset({"tools", "tool_choice"} if toolless else ())

    async def _told(self, messages: Sequence[BaseMessage], **options: Any) -> AsyncGenerator[AIMessageChunk, None]:
        """The tokens once, behind all else, as they were told last: some servers send running totals all along."""
        told = None
        if self.abilities.prefix and messages[-1].type == "ai":  # what llama.cpp and vLLM go on with when told so
            options["extra_body"] = {"add_generation_prompt": False, "continue_final_message": True}
        async with aclosing(super().chunks(messages, **options)) as chunks:
            async for chunk in chunks:
                told, chunk.usage_metadata = chunk.usage_metadata or told, None
                yield chunk
        if told:
            yield AIMessageChunk(content="", usage_metadata=told)

    def strictly(self, schema: dict[str, object]) -> dict[str, object]:
        """Without lengths of texts: OpenAI refuses a strict schema that tells them."""
        plain: dict[str, object] = without_lengths(schema)
        return plain

    def fault(self, error: Exception) -> ModelFault:
        return fault_of(error, self.who, str(getattr(self.chat, "model_name", "")), self.key)


def open_endpoint(spec: Spec, settings: ModelSettings) -> EndpointModel:
    """Refused when an address that is not local has no key of its own."""
    base_url = spec.base_url or base(os.environ.get("OPENAI_BASE_URL", "").strip() or OFFICIAL)
    official = origin(base_url) == origin(OFFICIAL) or origin(base_url).host.endswith(".openai.azure.com")
    key = key_of(base_url, settings.keys)
    account = is_account(base_url)
    if not key and not is_local(base_url):
        where = "OPENAI_API_KEY" if account else f"DUET_KEYS={base_url}=KEY"
        raise Refused(
            f"The model {spec.text} needs a key: paste it where the page lists models, set {where}, or name a local "
            "server as openai:MODEL@http://localhost:PORT/v1."
        )
    provider = provider_at(base_url)
    said = {name: spec.flag(name, usual) for name, usual in _FLAGS.items()}
    abilities = spec.able(**said, told_in_tools=told_in_tools(provider, spec.name))
    address, _, query = base_url.partition("?")
    asked = dict(parse_qsl(query)) | {name: spec.options[name] for name in ("api-version",) if name in spec.options}
    more: dict[str, Any] = {"official": official, "provider": provider, "default_query": asked or None}
    if key and is_azure(base_url):
        more["default_headers"] = {"api-key": key}
    chat = compatible_chat(spec.name, address, key or "none", settings, account, **more)
    return EndpointModel(spec.text, chat, abilities, settings, key)


def without_lengths(schema: Any) -> Any:
    """A schema, or a part of one, that does not say how long its texts may be."""
    if isinstance(schema, list):
        return [without_lengths(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    text = schema.get("type") == "string"
    return {key: without_lengths(part) for key, part in schema.items() if not (text and key in _LENGTHS)}


def fault_of(error: Exception, who: str, model: str, key: str) -> ModelFault:
    """One sentence for what the client raised; server text is cut short and never holds the key."""
    if isinstance(error, openai.APIStatusError):
        return _status_fault(error, who, model, key)
    if isinstance(error, openai.APITimeoutError | httpx2.TimeoutException):
        return Unreachable(f"{who} did not answer in time; check that it runs, or choose another model.")
    if isinstance(error, openai.APIConnectionError | httpx2.ConnectError):
        return Unreachable(f"{who} cannot be reached: {unreached(error)}.")
    if isinstance(error, httpx2.TransportError):
        return Unreachable(f"{who} broke off in the middle of its answer; try again.")
    if isinstance(error, openai.APIError):  # in mid-stream: it has no status
        told = _words(error)
        busy = Busy(f"{who} reported an error ({excerpt(told, key)}); try again later.")
        return told_fault(told.lower(), who) or busy
    if type(error) is ValueError:  # LangChain's, of a stream in which nothing came
        return Garbled(f"{who} answered nothing; try again, or choose another model.")
    return NoProtocol(f"{who} answered with something that is not the chat protocol; check its address.")


def _words(error: openai.APIError) -> str:
    """The server's own, which some send bare; a proxy's page is none."""
    told: object = error.body
    if isinstance(told, list) and len(told) == 1:  # so does Gemini's endpoint
        told = told[0]
    for key in ("error", "message", "detail"):
        told = told[key] if isinstance(told, dict) and told.get(key) else told
    if not told or (isinstance(told, str) and told.lstrip().startswith("<")):
        return "it gave no reason"
    return told if isinstance(told, str) else json.dumps(told)


def told_fault(told: str, who: str) -> ModelFault | None:
    """What a server names in the code or words of its error, whatever the status."""
    if any(sign in told for sign in _TOO_LONG):
        return TooLong("The conversation is longer than the model can read; start a new one, or choose a larger model.")
    if "insufficient_quota" in told or "credit balance" in told:
        return OutOfQuota(f"{who} says that the account has no credit left; add some there, or choose another model.")
    if "content_filter" in told or "content_policy" in told:
        return Declined(
            f"{who} did not take this past its content filter; say it differently, or choose another model."
        )
    return None


def _status_fault(error: openai.APIStatusError, who: str, model: str, key: str) -> ModelFault:
    code, why = error.status_code, excerpt(_words(error), key)
    if 300 <= code < 400:
        place = excerpt(error.response.headers.get("location", ""), key)
        return Refused(f"{who} sends its callers on to another address ({code}: {place}); name that one.")
    known = "insufficient_quota" if code == 402 else str(error.body or error.message).lower()
    if told := told_fault(known, who):
        return told
    if code == 401 or (code == 400 and "api key" in why.lower()):
        return Refused(
            f"{who} does not accept the key; paste a valid one where the page lists models, or set it in "
            "OPENAI_API_KEY or, for other addresses, DUET_KEYS."
        )
    if code == 403:
        return Refused(f"{who} does not allow this key to do that ({why}); check the key, or choose another model.")
    if code == 404:
        whole = model in _words(error) or "/v1" in error.request.url.path
        mend = "choose another model" if whole else "correct its address, which mostly ends in /v1"
        return Refused(f"{who} knows no model {model!r} here ({why}); {mend}.")
    if code == 429:
        return Busy(f"{who} says that the limit is reached ({why}); wait a little, or choose another model.")
    if code >= 500:
        return Busy(f"{who} failed ({code}: {why}), also when asked again; try later, or choose another model.")
    return Refused(f"{who} refused the request ({code}: {why}); choose another model or other options.")


def excerpt(text: str, key: str = "", limit: int = 120) -> str:
    """One line of server text, without anything that looks like a key."""
    if key:  # what servers of one's own are given in its place ("x") stands within any word
        inside = len(key) > SHORTEST
        text = text.replace(key, "***") if inside else re.sub(rf"(?<!\w){re.escape(key)}(?!\w)", "***", text)
    text = re.sub(r"\b(sk|key|pk|Bearer)[-_ ][\w*.-]{6,}", "***", text)
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1] + "…"
