"""LanguageModel: a LangChain chat model, what it can do and what its calls cost. All that the minds know of models."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypedDict, Union, Unpack

if TYPE_CHECKING:  # only names: reading the protocol must not cost LangChain's import
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import BaseMessage
    from langchain_core.tools import BaseTool


Offered = Union["BaseTool", dict[str, Any]]
"""A tool as a model is offered it: LangChain's, or its OpenAI form."""


class ModelFault(Exception):
    """A model cannot be used; the text is one sentence for a person, with what to do.

    ModelFault
    ├── BadSpec        the spec names no model
    ├── Unreachable    no server, time-out, silence, a stream that broke off
    │   └── NoProtocol an answer came that is none of the protocol
    ├── Refused        400, 401, 403, 404: key, permission, model name
    │   ├── Unlisted   the server has no list of its models
    │   └── TooLong    the messages do not fit into the model's context
    ├── Busy           429, 5xx after the retries
    │   └── OutOfQuota the account has no credit left
    ├── Garbled        an answer that is not what was asked for, an empty one, one that was all thinking
    │   └── Toolless   it calls no tools as it is served: this is asked in words
    ├── Declined       a content filter or the model itself refused
    └── Missing        weights or a runtime that are not installed
    """


class BadSpec(ModelFault): ...


class Unreachable(ModelFault): ...


class NoProtocol(Unreachable): ...


class Refused(ModelFault): ...


class Unlisted(Refused): ...


class TooLong(Refused): ...


class Busy(ModelFault): ...


class OutOfQuota(Busy): ...


class Garbled(ModelFault): ...


class Toolless(Garbled): ...


class Declined(ModelFault): ...


class Missing(ModelFault): ...


def unheard(fault: BaseException) -> bool:
    """Whether the model could not be asked at all, which says nothing of how well it answers."""
    return isinstance(fault, BadSpec | Unreachable | Refused | Busy | Missing) and not isinstance(fault, TooLong)


THINKING = 4_000
"""Tokens for a short answer of a strong model, its thinking included; no provider's models allow less."""


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
    """Decides alone when to invoke the slow mind; needs nothing of minds/small_model."""
    context: int = 32_768
    """Tokens that it reads and writes in one call."""
    limit: int | None = None
    """Tokens that it may write in one call; None leaves that to the server."""
    sees: bool = False
    """Is shown pictures; of others only their names."""
    told_in_tools: bool = False
    """Refuses a person's message behind one of a tool: what is said there has to stand in that one, marked."""
    keeps: bool = False
    """What `warm` made it read is kept between starts: warming pays even where only one question is asked."""

    def room(self, most: int) -> int:
        """Tokens for an answer of `most` at most, by what it is asked: a strong model may think first, within the same
        limit."""
        return max(most, self.limit or min(THINKING, self.context // 4)) if self.strong else most


@dataclass
class Usage:
    """Added to while calls run: what they cost."""

    read: int = 0
    """Tokens read, those of the prefix cache included."""
    written: int = 0
    cached: int = 0
    """Of those read, taken from the prefix cache."""
    calls: int = 0
    """Requests to the model."""
    cut: bool = False
    """The last call ended at its limit, not at its end."""
    logprobs: list[float] | None = None
    """Where a list is put here: the natural log-probability of each token written, if abilities.logprobs."""

    @property
    def paid(self) -> int:
        """Tokens that had to be read anew, and those written."""
        return self.read - self.cached + self.written


@dataclass
class Spent:
    """On one model, whoever asked it: what a turn costs is reckoned from it."""

    usage: Usage = field(default_factory=Usage)
    told: bool = True
    """Whether its server told the tokens of each call."""


_METER: ContextVar[dict[str, Spent] | None] = ContextVar("meter", default=None)


def _unheard(words: str, **values: object) -> None:
    """Where nobody waits."""


_TOLD: ContextVar[Callable[..., object]] = ContextVar("told", default=_unheard)
WAITS = {"limit": "{host} says that the limit is reached; it is asked again in {seconds} s"}
"""What the person is told meanwhile, which the page shows in its language."""


@contextmanager
def metered(told: Callable[..., object] = _unheard) -> Iterator[None]:
    """A turn: what its tasks spend is added up anew. `told`: what the person is to know while a model is waited for,
    with the values that stand in it."""
    meter, telling = _METER.set({}), _TOLD.set(told)
    try:
        yield
    finally:
        _METER.reset(meter)
        _TOLD.reset(telling)


def tell(why: str, **values: object) -> None:
    """The person whose turn it is, while its model is waited for. `why`: of WAITS."""
    _TOLD.get()(WAITS[why].format(**values), **values)


def spent() -> Mapping[str, Spent]:
    """spec -> what was spent on it in this turn so far."""
    return _METER.get() or {}


def spending(spec: str) -> Spent:
    """Where a call of this model adds what it takes; outside of a turn nobody looks at it."""
    meter = _METER.get()
    return Spent() if meter is None else meter.setdefault(spec, Spent())


@dataclass(frozen=True)
class ToolCall:
    """One native tool call as the model wrote it."""

    name: str
    arguments: Mapping[str, object] = field(default_factory=dict)
    fault: str = ""
    """Why the arguments cannot be used (no JSON, broken off): the model's to read, `arguments` is empty then."""


@dataclass(frozen=True)
class Said:
    """One whole answer: words, and the tool calls beside them."""

    text: str
    calls: tuple[ToolCall, ...] = ()


class How(TypedDict, total=False):
    """How an answer is made."""

    max_tokens: int | None
    """None, or nothing, for the model's own limit."""
    temperature: float
    """0 where nothing is said."""
    usage: Usage | None


class Speaking(How, total=False):
    """How it is made piece by piece."""

    prefix: str
    """The assistant's words already begun (needs abilities.prefix)."""
    stop: Sequence[str]
    tools: Sequence[Offered]
    """Needs abilities.tools; the calls that the model makes are put into `calls` behind the last piece."""
    calls: list[ToolCall] | None
    """Without a list it may make none."""


class LanguageModel(Protocol):
    """Every call may be cancelled (asyncio): the server then stops generating. Every call may raise ModelFault only."""

    spec: str
    """As the person wrote it: `embedded`, `openai:gpt-4.1@http://...`."""
    chat: BaseChatModel
    abilities: Abilities
    trained: LanguageModel | None
    """The same model with layers that were trained to read wishes and actions; None where there are none."""
    notes: LanguageModel | None
    """The same with layers that were trained to note what a person tells."""
    recounts: LanguageModel | None
    """The same with layers that were trained to answer questions about a task from its story."""
    recalls: LanguageModel | None
    """The same with layers that were trained to answer from what the person told before."""
    beyond: LanguageModel | None
    """The same with layers that were trained to hear what neither mind can do or know."""
    aside: LanguageModel | None
    """The same where a short question pushes no mind's prompt out of the prefix cache."""

    def stream(self, messages: Sequence[BaseMessage], **how: Unpack[Speaking]) -> AsyncIterator[str]:
        """The reply, piece by piece, without its `prefix`. Thinking aloud (`<think>`, reasoning fields) is left out."""
        ...

    async def weigh(
        self, messages: Sequence[BaseMessage], prefix: str, choices: Sequence[str], usage: Usage | None = None
    ) -> dict[str, float]:
        """Natural log-probability that what follows `prefix` begins with each choice (needs prefix and logprobs).

        One token is asked for at a time, along what the likely choices share; one that falls out of the candidates of
        a token gets -20 for it.
        """
        ...

    async def structured(
        self, messages: Sequence[BaseMessage], schema: dict[str, object], **how: Unpack[How]
    ) -> dict[str, object]:
        """One JSON object that fits `schema` (needs abilities.schema). Raises Garbled when it cannot be read."""
        ...

    async def call(
        self,
        messages: Sequence[BaseMessage],
        tools: Sequence[Offered],
        *,
        aloud: Callable[[str], None] | None = None,
        **how: Unpack[How],
    ) -> Said:
        """Words and native tool calls, all of them (needs abilities.tools). `aloud` hears the words as they come, and
        empty ones once a call begins behind them: they were its thought."""
        ...

    async def warm(self, messages: Sequence[BaseMessage]) -> None:
        """Gets ready: loads weights, fills the prefix cache. Cheap when already warm."""
        ...

    async def close(self) -> None: ...
