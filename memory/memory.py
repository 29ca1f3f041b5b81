"""The memory's nouns: notes, what is found of them, and what can go wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["turn", "result", "fact", "episode"]
KINDS: tuple[Kind, ...] = ("turn", "result", "fact", "episode")
PERSON, ASSISTANT = "user", "assistant"
"""Speakers of turns in conversations with Duet; in an import they have names of their own."""
IMPORTED, CLOSED = "imported", "closed"
"""In `about`: the day on which a note came from a file, as long as the person has not confirmed it; and of a fact its
`until` while what took its place is out."""
AGAIN = "again"
"""In a fact's `about`: the other turns that told the same, SESSION:TURN, parted by blanks."""
ENDS = "ends"
"""In a fact's `about`: it only tells that another one is over."""
MANY = frozenset({
    "likes", "dislikes", "allergy", "pet", "hobby", "language", "child", "owns", "friend", "sibling", "parent", "sport",
    "medicine", "health", "plan", "appointment", "lived in",
})  # fmt: skip
"""Attributes of which one has several values at a time: a new one closes none."""
LEAVING = "it is being deleted"
"""Why a note is out that is shown nowhere, because its deletion can only be taken back (memory/undo.py)."""


class MemoryFault(Exception):
    """The memory cannot be used; the text is one sentence for a person, with what to do."""


class MemoryLocked(MemoryFault):
    """Another process holds the memory's folder; the text names it."""


class MemoryBusy(MemoryFault):
    """Somebody else was at the notes all the while; nothing is wrong with them."""


@dataclass(frozen=True)
class Note:
    """One thing kept of one user."""

    id: str
    """Unique within the user, so that keeping twice is keeping once."""
    kind: Kind
    """turn: what was said; result: what the slow mind found; fact: what the person told; episode: a world's task."""
    text: str
    """Of a turn what was said; of a result the question, standing alone; of a fact or episode a short sentence."""
    at: float
    """When it was said or found, in seconds since 1970."""
    answer: str = ""
    """Of a result."""
    session: str = ""
    turn: int = 0
    """Where it comes from."""
    speaker: str = ""
    depends: Mapping[str, str] = field(default_factory=dict)
    """What must be equal where a result is asked for again: date, turn, documents, world, person, instructions."""
    about: Mapping[str, str] = field(default_factory=dict)
    """Of a result: model, strength, evidence. Of a fact: subject, attribute, value, quote, since, until,
    and by: the id of the one that took its place, or told its end."""
    out: str = ""
    """Why it is no longer given, empty while it is; it can be brought back."""
    pinned: bool = False

    @property
    def line(self) -> str:
        """What is searched and embedded: the words, with the name of who said them where he has one."""
        named = self.speaker and self.speaker not in (PERSON, ASSISTANT)
        return f"{self.speaker}: {self.text}" if named else self.text

    @property
    def places(self) -> list[tuple[str, int]]:
        """The turns (session, number) that told it."""
        again = (place.rpartition(":") for place in self.about.get(AGAIN, "").split())
        return [(self.session, self.turn), *((session, turn_of(number)) for session, _, number in again)]

    @property
    def current(self) -> bool:
        """Whether it is still so: a fact that another one closed is not."""
        return not self.out and not self.about.get("until")

    @property
    def imported(self) -> bool:
        """It came from a file, which anybody may have written, and was not confirmed: shown, never relied on."""
        return bool(self.about.get(IMPORTED))


def turn_of(number: str) -> int:
    """A turn as it stands in an id; 0 where that is none: a file may hold any digits."""
    return int(number) if number.isdecimal() and len(number) < 10 else 0


@dataclass(frozen=True)
class Recall:
    """A note found for some words."""

    note: Note
    score: float
    """What it was ranked by; larger is better."""
    similarity: float
    """Cosine of the words and the note, -1 to 1; 0 where its vector is not made yet."""
    former: Sequence[tuple[Note, Note | None]] = ()
    """Facts told in the turn that it comes from that no longer hold, each with the one that does now."""


@dataclass(frozen=True)
class Wanted:
    """What narrows a search down. Speaker and time raise a rank, they never leave a note out."""

    kinds: tuple[Kind, ...] = ("turn", "fact", "episode")
    session: str = ""
    """Only notes of this conversation; empty for all."""
    speaker: str = ""
    since: float = 0.0
    until: float = 0.0
    """Seconds since 1970; 0 for no bound."""


@dataclass(frozen=True)
class Filter:
    """What is listed: whatever does not fit is left out."""

    kinds: tuple[Kind, ...] = KINDS
    words: str = ""
    """All of them stand in the note."""
    since: float = 0.0
    until: float = 0.0
    """Seconds since 1970; 0 for no bound."""
    state: Literal["", "current", "former"] = ""
    """former: no longer so, or taken out."""
    ids: tuple[str, ...] | None = None
    """Only these."""


EVERYTHING = Filter()


def holds(note: Note, context: Mapping[str, str]) -> bool:
    """Whether all that a note depends on is so where it is asked for. What was found without instructions heeds none,
    and nothing of a file is relied on."""
    if note.imported or note.depends.get("instructions", "") != context.get("instructions", ""):
        return False
    return all(value == context.get(key) for key, value in note.depends.items())
