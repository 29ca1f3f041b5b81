"""LanguageModel: a LangChain chat model and what it can do. The only thing the minds know of models."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # only names: reading the protocol must not cost LangChain's import
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import BaseMessage
    from langchain_core.tools import BaseTool


class ModelFault(Exception):
    """A model cannot be used; the text is one sentence for a person, with what to do.

    ModelFault
    ├── BadSpec        the spec names no model
    ├── Unreachable    no server, time-out, silence, a stream that broke off
    ├── Refused        400, 401, 403, 404: key, permission, model name
    │   └── TooLong    the messages do not fit into the model's context
    ├── Busy           429, 5xx after the retries
    ├── Garbled        an answer that is not what the protocol says
    └── Missing        weights or a runtime that are not installed
    """


class BadSpec(ModelFault): ...


class Unreachable(ModelFault): ...


class Refused(ModelFault): ...


class TooLong(Refused): ...


class Busy(ModelFault): ...


class Garbled(ModelFault): ...


class Missing(ModelFault): ...


@dataclass(frozen=True)
class Abilities:
    """What a backend can do beyond plain chat."""

    prefix: bool = False
    """Continues an assistant message that was begun for it."""
    logprobs: bool = False
    schema: bool = False
    """Holds its answer to a JSON schema."""
    tools: bool = False
    """Native tool calls."""
    strong: bool = False
    """May decide alone when to invoke the slow mind; needs no crutches for small models."""
    keeps: bool = False
    """What `warm` made it read is kept between starts: warming pays even where only one question is asked."""


@dataclass
class Usage:
    """Added to while a call runs: tokens read, written, and (of those read) taken from the prefix cache."""

    read: int = 0
    written: int = 0
    cached: int = 0


@dataclass(frozen=True)
class ToolCall:
    """What a model with native tools chose. `name` is empty when it answered in words."""

    thought: str
    name: str = ""
    arguments: dict[str, object] = field(default_factory=dict)


class LanguageModel(Protocol):
    """Every call may be cancelled (asyncio): the server then stops generating. Every call may raise ModelFault only."""

    spec: str
    """As the person wrote it: `embedded`, `openai:gpt-4.1@http://...`."""
    chat: BaseChatModel
    abilities: Abilities

    def stream(
        self,
        messages: Sequence[BaseMessage],
        *,
        prefix: str = "",
        stop: Sequence[str] = (),
        max_tokens: int = 512,
        temperature: float = 0.0,
        usage: Usage | None = None,
    ) -> AsyncIterator[str]:
        """The reply, piece by piece, without `prefix` (the assistant's words already begun; needs abilities.prefix)."""
        ...

    async def weigh(self, messages: Sequence[BaseMessage], prefix: str, choices: Sequence[str]) -> dict[str, float]:
        """Natural log-probability of each choice as the next token after `prefix` (needs prefix and logprobs).

        A choice outside the returned candidates gets -20.
        """
        ...

    async def structured(
        self,
        messages: Sequence[BaseMessage],
        schema: dict[str, object],
        *,
        max_tokens: int = 512,
        temperature: float = 0.0,
        usage: Usage | None = None,
    ) -> dict[str, object]:
        """One JSON object that fits `schema` (needs abilities.schema). Raises Garbled when it cannot be read."""
        ...

    async def call(
        self,
        messages: Sequence[BaseMessage],
        tools: Sequence[BaseTool],
        *,
        max_tokens: int = 1024,
        temperature: float = 0.0,
        usage: Usage | None = None,
    ) -> ToolCall:
        """One native tool call, or words (needs abilities.tools)."""
        ...

    async def warm(self, messages: Sequence[BaseMessage]) -> None:
        """Gets ready: loads weights, fills the prefix cache. Cheap when already warm."""
        ...

    async def close(self) -> None: ...
