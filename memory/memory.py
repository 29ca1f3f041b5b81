"""The memory's protocol and its nouns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol


class MemoryFault(Exception):
    """The memory cannot be used; the text is one sentence for a person, with what to do."""


class MemoryLocked(MemoryFault):
    """Another process holds the memory's folder; the text names it."""


@dataclass(frozen=True)
class Note:
    """One thing kept. `result` notes may answer a question again; `dialogue` notes only feed the recall tool."""

    id: str
    """The turn it comes from: unique within the user, so that remembering twice is remembering once."""
    kind: Literal["result", "dialogue"]
    question: str
    """Stands alone: no pronoun or ellipsis that needs the dialogue."""
    answer: str
    session: str
    at: float
    depends: Mapping[str, str] = field(default_factory=dict)
    """What must be equal in the asking context for the note to hold: date, session, documents."""


@dataclass(frozen=True)
class Recall:
    """A note found for a question."""

    note: Note
    similarity: float
    """Cosine, -1 to 1."""
    verified: bool
    """Same question: the answer may be given again as it stands."""
    why: str = ""
    """Why it is not verified, in a few words: `numbers differ`."""


class DialogueMemory(Protocol):
    """One user's memory. Every method may be called from any thread. Raises MemoryFault."""

    def remember(self, note: Note) -> None: ...

    def remember_all(self, notes: Iterable[Note]) -> None:
        """Many notes, far quicker than one by one."""
        ...

    def same(self, question: str, context: Mapping[str, str]) -> Recall | None:
        """The newest result kept under this very question that holds in `context`: for questions that a program
        wrote, such as a tool's call. Nothing is embedded or searched, so it costs next to nothing."""
        ...

    def recall(
        self,
        question: str,
        context: Mapping[str, str],
        *,
        kind: Literal["result", "dialogue"] | None = None,
        session: str | None = None,
        limit: int = 5,
    ) -> Sequence[Recall]:
        """The nearest notes, verified ones first, then by similarity. Never raises on an empty memory.

        `context` is where the question is asked: {"date":, "session":, "documents":}; a note whose `depends` disagrees
        is never verified. `session` keeps to notes of one session.
        """
        ...

    def ids(self) -> set[str]:
        """All note ids (to make memory and transcript agree after a crash)."""
        ...

    def forget(self, ids: Sequence[str]) -> None: ...
