"""`langchain:PROVIDER:MODEL`: every provider whose package is installed, opened by LangChain's `init_chat_model`.

Keys are the provider's own environment variables, or the one that was pasted for its address on the page.
"""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessageChunk, BaseMessage

from minds.models.adapter import ChatAdapter
from minds.models.answers import refuses_temperature
from minds.models.endpoint import excerpt, fault_of, told_fault
from minds.models.keys import key_of
from minds.models.language import Abilities, BadSpec, Busy, Missing, ModelFault, Refused, Unreachable
from minds.models.listing import PROVIDERS, told_in_tools
from minds.models.spec import ModelSettings, Spec

_LIMITS = ("max_tokens", "max_output_tokens", "num_predict")
"""What chat models call the number of tokens that they may write."""


class LangChainModel(ChatAdapter):
    """Any chat model of LangChain: what one call asks for is set on a copy of it, as its own fields have it."""

    def __init__(
        self, spec: Spec, chat: BaseChatModel, abilities: Abilities, settings: ModelSettings, key: str
    ) -> None:
        super().__init__(spec.text, chat, abilities, settings, key)
        self._provider = spec.name.partition(":")[0]

    @property
    def who(self) -> str:
        return f"The model {self.spec.partition('?')[0]}"

    async def chunks(self, messages: Sequence[BaseMessage], **options: Any) -> AsyncGenerator[AIMessageChunk, None]:
        tools, stop = options.pop("tools", ()), options.pop("stop", None)
        asked = _set(self.chat, options.get("temperature"), options.get("max_tokens"))
        source: Any = asked.bind_tools(tools) if tools else asked
        async with aclosing(self._patiently(messages, {"stop": stop} if stop else {}, source)) as chunks:
            async for chunk in chunks:
                yield chunk

    def fault(self, error: Exception) -> ModelFault:
        """The packages' errors differ, but for the status."""
        status = getattr(error, "status_code", None) or getattr(error, "code", None)
        status = status or getattr(getattr(error, "response", None), "status_code", None)  # as httpx has it
        why = excerpt(str(error), self.key)
        if type(error).__module__.startswith("openai"):
            return fault_of(error, self.who, self.spec, self.key)
        if told := status and told_fault(str(error).lower(), self.who):
            return told
        if status in (401, 403):
            return Refused(f"{self.who} does not accept the key ({why}); set a valid one for {self._provider}.")
        if status == 429 or (isinstance(status, int) and status >= 500):
            return Busy(f"{self.who} is busy or failed ({status}); try again later, or choose another model.")
        if isinstance(status, int):
            return Refused(f"{self.who} refused the request ({status}: {why}); choose another model.")
        return Unreachable(f"{self.who} cannot be reached ({why}); check that it runs, or choose another model.")


def open_langchain(spec: Spec, settings: ModelSettings) -> LangChainModel:
    """Raises BadSpec, Missing where the provider's package is not installed, Refused where there is no key."""
    from langchain.chat_models import init_chat_model

    provider, _, name = spec.name.partition(":")
    seller = next((one for one in PROVIDERS if one.langchain == provider), None)
    # Else the package looks for its own variable, as it does where a variable sends it to another address.
    key = key_of(seller.url, settings.keys) if seller and not _elsewhere(provider) else ""
    try:
        given: Any = {"api_key": key} if key else {}
        chat = init_chat_model(name, model_provider=provider, **given)
    except ImportError as error:
        told = str(error).partition("`")[2].partition("`")[0]
        install = told or f"pip install langchain-{provider.replace('_', '-')}"
        raise Missing(f"{spec.text} needs a package: run `.venv/bin/python -m {install}`.") from error
    except Exception as error:
        raise _unopened(spec, provider, error, key) from None  # its text may hold what was given
    return LangChainModel(spec, chat, spec.able(told_in_tools=told_in_tools(seller, name)), settings, key)


def _elsewhere(provider: str) -> bool:
    """Whether a variable (OPENAI_BASE_URL, ANTHROPIC_API_URL, ...) names another address than the provider's own."""
    ends = ("_BASE_URL", "_API_BASE", "_API_URL")
    return any(name.endswith(ends) and name.split("_")[0] in provider.upper() for name, at in os.environ.items() if at)


def _unopened(spec: Spec, provider: str, error: Exception, key: str) -> ModelFault:
    if isinstance(error, ValueError) and "unsupported" in str(error).lower():
        return BadSpec(f"LangChain knows no provider {provider!r}: its names are those of init_chat_model.")
    return Refused(f"{spec.text} cannot be opened ({excerpt(str(error), key)}); look at {provider}'s key.")


def _set(chat: BaseChatModel, temperature: float | None, limit: int | None) -> BaseChatModel:
    fields = type(chat).model_fields
    heat = None if refuses_temperature(chat) else temperature
    values = {"temperature": heat, **dict.fromkeys(_LIMITS, limit)}
    given = {name: value for name, value in values.items() if name in fields and value is not None}
    return chat.model_copy(update=given)
