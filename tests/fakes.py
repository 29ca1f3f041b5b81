"""Minds, gate and memory for tests: quick, and under the test's control."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any, Literal

import numpy as np
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage
from langchain_core.tools import BaseTool, StructuredTool

from memory.memory import MemoryFault
from memory.store import MemoryStore, UserMemory
from memory.turns import TurnReader
from minds.dialogue import Dialogue
from minds.gate import Decision
from minds.layers import YES_NO
from minds.models.language import Abilities, LanguageModel, Offered, Said, ToolCall, Usage
from tools.desk import Artifact, Desk, ToolFault


class Sign(Enum):
    """What a model's words cannot say."""

    CUT = "the limit was reached"


Piece = str | BaseException | asyncio.Event | ToolCall | Literal[Sign.CUT]
"""Words, a fault, something to wait for, a native tool call, or the model's limit."""
SMALL = Abilities(prefix=True, logprobs=True, schema=True, context=8192)
STRONG = Abilities(tools=True, schema=True, strong=True)
FORMED = Abilities(schema=True, strong=True)
"""A strong model whose server knows no tool calls."""


@dataclass(frozen=True)
class Heard:
    """One call of a model."""

    messages: Sequence[BaseMessage]
    prefix: str = ""
    stop: Sequence[str] = ()
    tools: tuple[str, ...] = ()
    """Names of the tools that it was offered."""
    free: bool = False
    """Whether it may call them."""
    limit: int | None = None
    temperature: float = 0.0

    @property
    def last(self) -> str:
        return str(self.messages[-1].content)

    @property
    def said(self) -> str:
        """The last words of a person, without the note behind them."""
        human = [str(message.content) for message in self.messages if message.type == "human"]
        return human[-1].partition("\n\n<context>")[0] if human else ""

    @property
    def found(self) -> str:
        """What a tool, or the slow mind as one, has just given; empty where none has."""
        return self.last if self.messages[-1].type == "tool" else ""

    @property
    def everything(self) -> str:
        return "\n".join(str(message.content) for message in self.messages)


class FakeModel:
    """Says what a function makes of what it hears: `says` in words (with native calls among them), `steps` where it is
    asked for a form or for calls. An exception among the pieces is raised, an event waited for."""

    def __init__(
        self,
        says: Callable[[Heard], Sequence[Piece]],
        steps: Callable[[Heard], Sequence[Any]] | None = None,
        *,
        abilities: Abilities = SMALL,
        spec: str = "fake",
    ) -> None:
        self.says, self.steps, self.abilities, self.spec = says, steps, abilities, spec
        self.chat: BaseChatModel = None  # type: ignore[assignment]
        self.trained: LanguageModel | None = None
        self.notes: LanguageModel | None = None
        self.recounts: LanguageModel | None = None
        self.recalls: LanguageModel | None = None
        self.beyond: LanguageModel | None = None
        self.aside: LanguageModel | None = None
        self.heard: list[Heard] = []
        self.warmed: list[Sequence[BaseMessage]] = []
        self.offered: list[Sequence[Offered]] = []
        """The tools of each `call`, whole."""
        self.cancelled = 0
        self.cuts = False
        """Its limit ends each answer of `call`."""
        self.odds = -0.15
        """The log-probability of each piece."""
        self.closed = False
        self.unfit: set[str] = set()
        """Replies that it takes for no answer to what was said."""
        self.weighed: list[str] = []
        """What it was asked about replies."""

    async def stream(
        self,
        messages: Sequence[BaseMessage],
        *,
        prefix: str = "",
        stop: Sequence[str] = (),
        max_tokens: int | None = None,
        temperature: float = 0.0,
        tools: Sequence[Offered] = (),
        calls: list[ToolCall] | None = None,
        usage: Usage | None = None,
    ) -> AsyncIterator[str]:
        assert self.abilities.prefix or not prefix, "this model cannot go on with what was begun"
        assert self.abilities.tools or not tools, "this model knows no tools"
        heard = Heard(list(messages), prefix, stop, names_of(tools), calls is not None, max_tokens, temperature)
        self.heard.append(heard)
        _begin(usage)
        try:
            for piece in self.says(heard):
                done = await _played(piece)
                if isinstance(done, ToolCall):
                    assert calls is not None, "this model was to call nothing"
                    calls.append(done)
                elif isinstance(done, Sign):
                    _cut(usage)
                elif done is not None:
                    _count(usage)
                    if usage is not None and usage.logprobs is not None:
                        usage.logprobs.append(self.odds)
                    yield str(done)
        except (asyncio.CancelledError, GeneratorExit):
            self.cancelled += 1
            raise

    async def weigh(
        self, messages: Sequence[BaseMessage], prefix: str, choices: Sequence[str], usage: Usage | None = None
    ) -> dict[str, float]:
        """What it would write weighs most; a step that is no text writes nothing of them."""
        if tuple(choices) == YES_NO:
            self.weighed.append(str(messages[-1].content))
            odds = 9.0 if any(reply in str(messages[-1].content) for reply in self.unfit) else -9.0
            return {YES_NO[0]: 0.0, YES_NO[1]: odds}
        step = await self._step(Heard(list(messages), prefix), usage)
        return {choice: 0.0 if str(step).strip() == choice.strip() else -9.0 for choice in choices}

    async def structured(
        self,
        messages: Sequence[BaseMessage],
        schema: dict[str, object],
        *,
        max_tokens: int | None = None,
        temperature: float = 0.0,
        usage: Usage | None = None,
    ) -> dict[str, object]:
        assert self.abilities.schema, "this model holds to no form"
        step = await self._step(Heard(list(messages), limit=max_tokens), usage)
        assert isinstance(step, dict)
        return step

    async def call(
        self,
        messages: Sequence[BaseMessage],
        tools: Sequence[Offered],
        *,
        max_tokens: int | None = None,
        temperature: float = 0.0,
        usage: Usage | None = None,
        aloud: Callable[[str], None] | None = None,
    ) -> Said:
        """A step may be a Said, or its words or its one call."""
        assert self.abilities.tools, "this model knows no tools"
        self.offered.append(tools)
        step = await self._step(Heard(list(messages), tools=names_of(tools), free=True, limit=max_tokens), usage)
        if isinstance(step, ToolCall):
            return Said("", (step,))
        said = step if isinstance(step, Said) else Said(step)
        for word in said.text.split() if aloud else ():
            aloud(f"{word} ")  # type: ignore[misc]
            await asyncio.sleep(0)
        if self.cuts and not said.calls:
            _cut(usage)
        return said

    async def _step(self, heard: Heard, usage: Usage | None) -> Any:
        self.heard.append(heard)
        assert self.steps is not None, "this model was not asked to take steps"
        _begin(usage)
        try:
            for piece in self.steps(heard):
                if (done := await _played(piece)) is not None:
                    _count(usage)
                    return done
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        raise AssertionError("the script has no step")

    async def warm(self, messages: Sequence[BaseMessage]) -> None:
        self.warmed.append(messages)
        await asyncio.sleep(0)

    async def close(self) -> None:
        self.closed = True


def names_of(tools: Sequence[Offered]) -> tuple[str, ...]:
    return tuple(tool["function"]["name"] if isinstance(tool, dict) else tool.name for tool in tools)


async def _played(piece: Any) -> Any:
    await asyncio.sleep(0)
    if isinstance(piece, asyncio.Event):
        await piece.wait()
        return None
    if isinstance(piece, BaseException):
        raise piece
    return piece


def _begin(usage: Usage | None) -> None:
    if usage is not None:
        usage.calls, usage.cut = usage.calls + 1, False


def _count(usage: Usage | None) -> None:
    if usage is not None:
        usage.read += 10
        usage.written += 1


def _cut(usage: Usage | None) -> None:
    if usage is not None:
        usage.cut = True


def in_turn(*steps: Any) -> Callable[[Heard], Sequence[Any]]:
    """One step after the other; a tuple is played piece by piece."""
    left = iter(steps)

    def next_step(_: Heard) -> Sequence[Any]:
        step = next(left)
        return step if isinstance(step, tuple) else (step,)

    return next_step


def step(tool: str, thought: str = "This needs a tool.", *, last: bool = False, **arguments: Any) -> dict[str, object]:
    """A JSON step with one call."""
    return {"thought": thought, "calls": [{"tool": tool, "arguments": arguments}], "last": last}


def answer(text: str, thought: str = "It is clear.") -> dict[str, object]:
    """A JSON step that ends the run."""
    return {"thought": thought, "answer": text}


# -- tools with typed arguments


def multiply(one: int, other: int) -> str:
    """Multiplies two whole numbers."""
    return f"{one} * {other} = {one * other}"


def python(program: str) -> str:
    """Runs a program; this one knows `print(a * b)` only."""
    found = re.fullmatch(r"print\((\d+) \* (\d+)\)", program.strip())
    if not found:
        raise ToolFault("The program failed in line 1: SyntaxError.")
    return str(int(found[1]) * int(found[2]))


def tools_of(desk: Desk) -> dict[str, BaseTool]:
    """What the slow mind can act with in these tests."""

    def documents(question: str) -> tuple[str, Artifact]:
        """Searches the uploaded documents."""
        words = set(re.findall(r"\w+", question.lower()))
        found = [c for c in desk.chunks if words & set(re.findall(r"\w+", c.text.lower()))]
        if not found:
            return "Nothing about it.", {"empty": True}
        source = f"{found[0].document}, {found[0].place}"
        passages = [(source, found[0].text)]
        return found[0].text, {"sources": [source], "passages": passages, "depends": {"documents": desk.documents}}

    def today() -> tuple[str, Artifact]:
        """The date."""
        return f"Today is {desk.now:%d %B %Y}.", {"depends": {"date": desk.now.date().isoformat()}}

    made = [StructuredTool.from_function(tool) for tool in (multiply, python)]
    made += [StructuredTool.from_function(t, response_format="content_and_artifact") for t in (documents, today)]
    return {tool.name: tool for tool in made}


@dataclass
class FakeGate:
    """Invokes where `needs` says so; by default where the turn holds a digit."""

    needs: Callable[[str], bool] = lambda said: bool(re.search(r"\d", said))
    asked: list[str] = field(default_factory=list)
    fact: float = 0.0
    sure: float = 0.9

    def decide(self, said: str, dialogue: Dialogue) -> Decision:
        self.asked.append(said)
        invoke = self.needs(said)
        return Decision(invoke, self.sure if invoke else 0.1, self.fact)


def flat(texts: Sequence[str]) -> np.ndarray[Any, Any]:
    """Embeddings where none are looked at."""
    return np.zeros((len(texts), 3), np.float32)  # like nothing


class FlatEmbedder:
    """Every text is like every other: what is found, its words find."""

    name = "flat"

    def embed(self, texts: Sequence[str]) -> np.ndarray[Any, Any]:
        return np.full((len(texts), 3), 3**-0.5, np.float32)


class FakeReader(TurnReader):
    """How far an answer carries, a test says."""

    def __init__(self) -> None:
        self.scopes: dict[str, str] = {}

    def scope(self, text: str) -> str:
        return self.scopes.get(text, "anywhere")

    def tells(self, text: str) -> float:
        return float(self.scopes.get(text) in ("telling", "memory"))


class FakeStore(MemoryStore):
    """The real store, searched by words alone. `fault`: what every use raises."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / "memory", FlatEmbedder(), None)
        self.fault: MemoryFault | None = None

    def user(self, name: str) -> UserMemory:
        if self.fault:
            raise self.fault
        return super().user(name)
