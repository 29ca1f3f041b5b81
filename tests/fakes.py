"""Minds, gate and memory for tests: quick, and under the test's control."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage
from langchain_core.tools import BaseTool

from memory.memory import MemoryFault, Note, Recall
from memory.verify import differs, holds
from minds.dialogue import Dialogue
from minds.gate import Decision
from minds.models.language import Abilities, ToolCall, Usage

Piece = str | BaseException | asyncio.Event
SMALL = Abilities(prefix=True, logprobs=True, schema=True)


@dataclass(frozen=True)
class Heard:
    """One call of a model."""

    messages: Sequence[BaseMessage]
    prefix: str = ""
    stop: Sequence[str] = ()

    @property
    def last(self) -> str:
        return str(self.messages[-1].content)

    @property
    def everything(self) -> str:
        return "\n".join(str(message.content) for message in self.messages)


class FakeModel:
    """Says what a function makes of what it hears. An exception among the pieces is raised, an event waited for."""

    def __init__(
        self,
        says: Callable[[Heard], Sequence[Piece]],
        steps: Callable[[Heard], Sequence[Piece | dict[str, object] | ToolCall]] | None = None,
        *,
        abilities: Abilities = SMALL,
        spec: str = "fake",
    ) -> None:
        self.says, self.steps, self.abilities, self.spec = says, steps, abilities, spec
        self.chat: BaseChatModel = None  # type: ignore[assignment]
        self.heard: list[Heard] = []
        self.cancelled = 0
        self.closed = False

    async def stream(
        self,
        messages: Sequence[BaseMessage],
        *,
        prefix: str = "",
        stop: Sequence[str] = (),
        max_tokens: int = 512,
        temperature: float = 0.0,
        usage: Usage | None = None,
    ) -> AsyncIterator[str]:
        heard = Heard(list(messages), prefix, stop)
        self.heard.append(heard)
        try:
            for piece in self.says(heard):
                if (done := await _played(piece)) is not None:
                    _count(usage)
                    yield str(done)
        except (asyncio.CancelledError, GeneratorExit):
            self.cancelled += 1
            raise

    async def weigh(self, messages: Sequence[BaseMessage], prefix: str, choices: Sequence[str]) -> dict[str, float]:
        self.heard.append(Heard(list(messages), prefix))
        await asyncio.sleep(0)
        return dict.fromkeys(choices, -1.0)

    async def structured(
        self,
        messages: Sequence[BaseMessage],
        schema: dict[str, object],
        *,
        max_tokens: int = 512,
        temperature: float = 0.0,
        usage: Usage | None = None,
    ) -> dict[str, object]:
        step = await self._step(messages, usage)
        assert isinstance(step, dict)
        return step

    async def call(
        self,
        messages: Sequence[BaseMessage],
        tools: Sequence[BaseTool],
        *,
        max_tokens: int = 1024,
        temperature: float = 0.0,
        usage: Usage | None = None,
    ) -> ToolCall:
        step = await self._step(messages, usage)
        assert isinstance(step, ToolCall)
        return step

    async def _step(self, messages: Sequence[BaseMessage], usage: Usage | None) -> Any:
        heard = Heard(list(messages))
        self.heard.append(heard)
        assert self.steps is not None, "this model was not asked to take steps"
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
        await asyncio.sleep(0)

    async def close(self) -> None:
        self.closed = True


async def _played(piece: Any) -> Any:
    await asyncio.sleep(0)
    if isinstance(piece, asyncio.Event):
        await piece.wait()
        return None
    if isinstance(piece, BaseException):
        raise piece
    return piece


def _count(usage: Usage | None) -> None:
    if usage is not None:
        usage.read += 10
        usage.written += 1


def in_turn(*steps: Any) -> Callable[[Heard], Sequence[Any]]:
    """One step after the other; a tuple is played piece by piece."""
    left = iter(steps)

    def next_step(_: Heard) -> Sequence[Any]:
        step = next(left)
        return step if isinstance(step, tuple) else (step,)

    return next_step


def step(action: str, argument: str, thought: str = "This needs a tool.") -> dict[str, object]:
    return {"thought": thought, "action": action, "input": argument}


@dataclass
class FakeGate:
    """Invokes where `needs` says so; by default where the turn holds a digit."""

    needs: Callable[[str], bool] = lambda said: bool(re.search(r"\d", said))
    sure: bool = False
    """Decides without hearing the model's flag."""
    asked: list[tuple[str, object]] = field(default_factory=list)

    def texts_to_embed(self, said: str, dialogue: Dialogue) -> list[str]:
        return [said]

    def settled(self, said: str, dialogue: Dialogue, vectors: object) -> Decision | None:
        return self.decide(said, dialogue, vectors, None) if self.sure else None

    def decide(self, said: str, dialogue: Dialogue, vectors: object, lean: float | None) -> Decision:
        self.asked.append((said, lean))
        invoke = self.needs(said)
        return Decision(invoke, 0.9 if invoke else 0.1, "gate")


def flat(texts: Sequence[str]) -> np.ndarray[Any, Any]:
    """Embeddings where none are looked at."""
    return np.ones((len(texts), 3), np.float32)


class FakeStore:
    """Memories in a dictionary, a user each. `fault`: what every use raises."""

    def __init__(self) -> None:
        self.of: dict[str, FakeMemory] = {}
        self.fault: MemoryFault | None = None

    def user(self, name: str) -> FakeMemory:
        if self.fault:
            raise self.fault
        return self.of.setdefault(name, FakeMemory())

    def users(self) -> list[str]:
        if self.fault:
            raise self.fault
        return list(self.of)

    def close(self) -> None:
        self.of.clear()


class FakeMemory:
    """All notes are near; the real comparison of questions says which are verified."""

    def __init__(self) -> None:
        self.notes: dict[str, Note] = {}

    def remember(self, note: Note) -> None:
        self.notes[note.id] = note

    def remember_all(self, notes: Iterable[Note]) -> None:
        for note in notes:
            self.remember(note)

    def same(self, question: str, context: Mapping[str, str]) -> Recall | None:
        found = [note for note in self.notes.values() if note.question == question and holds(note, context)]
        return Recall(found[-1], 1.0, True) if found else None

    def recall(
        self,
        question: str,
        context: Mapping[str, str],
        *,
        kind: Literal["result", "dialogue"] | None = None,
        session: str | None = None,
        limit: int = 5,
    ) -> Sequence[Recall]:
        found = list(self._found(question, context, kind, session))
        return sorted(found, key=lambda recall: not recall.verified)[:limit]

    def _found(
        self, question: str, context: Mapping[str, str], kind: str | None, session: str | None
    ) -> Iterator[Recall]:
        for note in self.notes.values():
            if kind in (None, note.kind) and session in (None, note.session):
                why = differs(question, note, context)
                yield Recall(note, 1.0, not why, why)

    def ids(self) -> set[str]:
        return set(self.notes)

    def forget(self, ids: Sequence[str]) -> None:
        for note in ids:
            self.notes.pop(note, None)
