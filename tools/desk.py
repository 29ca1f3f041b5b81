"""The desk: what a tool may know of where it is used. Tools get it once, when they are made."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, Protocol, TypedDict

from langchain_core.tools import ToolException
from pydantic import BaseModel, Field


class ToolFault(ToolException):
    """A tool could not do what it was asked; the text tells the model (and the person) what it can do."""


class Artifact(TypedDict, total=False):
    """The second half of a tool's result (LangChain's content_and_artifact)."""

    sources: list[str]
    """Ready to be quoted: `handbook.pdf, page 3`."""
    passages: list[tuple[str, str]]
    """Where the sources are of documents: each with what stands there, the nearest first."""
    empty: bool
    """True where the tool looked and found nothing: the text says so, and no answer can rest on it."""
    depends: dict[str, str]
    """What the result holds for: {"date": "2026-11-21"} where today mattered, {"minute": "2026-11-21T09:30"}
    where the clock did, {"documents": digest}, {"session": id} with {"memory": ids of the notes}."""
    told: str
    """The result in words for the person, where the text is more for the model."""


@dataclass(frozen=True)
class Chunk:
    """A piece of an uploaded document."""

    document: str
    """The file's name as the person uploaded it."""
    place: str
    """`page 3`, or the heading it stands under, or ``""``."""
    text: str


class Search(BaseModel):
    """What `recall` takes. Kind, time and speaker say what is likelier, they leave nothing out."""

    about: str = Field(description="What to look for, for example: the name of my sister")
    kind: Literal["anything", "said", "found", "fact", "episode"] = Field(
        default="anything",
        description="said: turns; found: results worked out before; fact: what the user told of people and things; "
        "episode: tasks in text worlds",
    )
    since: str = Field(default="", description="First day, as 2026-05-01, where the time is known")
    until: str = Field(default="", description="Last day, likewise")
    speaker: str = Field(default="", description="user, assistant or a name, where it is known who said it")


@dataclass(frozen=True)
class Kept:
    """One thing that the memory keeps: quoted with when it was said and by whom, ready to be shown."""

    id: str
    """By which it can be forgotten."""
    text: str


class Keeper(Protocol):
    """What the memory tool does with what is kept of the person, as of one turn. Every method raises ToolFault."""

    def show(self, about: str) -> tuple[Sequence[Kept], int]:
        """What is kept of somebody or something, or the facts and the newest; and how many notes there are in all."""

    def note(self, subject: str, attribute: str, value: str, quote: str, instead: str = "") -> Sequence[Kept]:
        """Keeps a fact, which has to be quoted from the person's words of this turn; the facts that it takes the place
        of, among them the one whose value is `instead`."""

    def wrong(self) -> Sequence[Kept]:
        """Takes out what the last reply was answered from; it can be brought back."""

    def propose(self, which: str, about: str, ids: Sequence[str]) -> Sequence[Kept]:
        """What would be deleted: nothing is, before the person's yes in the next turn."""

    def confirm(self) -> int:
        """Deletes for good what was proposed in the turn before this one; how many notes."""

    def off(self) -> int:
        """Nothing of this conversation is kept from now on; how many notes of it are taken out."""


@dataclass(frozen=True)
class Exchange:
    """An earlier turn of the same conversation."""

    said: str
    reply: str
    written: Mapping[str, Any] = field(default_factory=dict)
    """What a small model made of it: `{"tool": name, arguments}` (minds/small_model/desk.py)."""


@dataclass(frozen=True)
class Desk:
    """Made for each slow run by the conversation."""

    session: str
    now: datetime
    """Time-zone aware; the person's clock."""
    chunks: Sequence[Chunk] = ()
    """All chunks of the session's documents, in reading order."""
    documents: str = ""
    """Digest of the session's documents: what `depends["documents"]` is set to."""
    recall: Callable[[Search], Sequence[Kept]] = field(default=lambda _: ())
    keeper: Keeper | None = None
    """Where the memory is on."""
    embed: Callable[[Sequence[str]], Sequence[Sequence[float]]] | None = None
    """Sentence embeddings (rows of unit length), where the app has them."""
    said: str = ""
    """The person's own words of this turn; empty where nobody told them."""
    turn: int = 0
    """Its number in the session, the same when it goes on after a crash; 0 where nobody told it."""
    replied: tuple[int, ...] = ()
    """The turns in view whose reply stood there when this one was said: the person may answer what these asked."""
    past: Sequence[Exchange] = ()
    """The conversation's turns before, oldest first; only domains are told."""
    before: Sequence[Exchange] = ()
    """What the memory has of the same person's earlier conversations at this desk, oldest first."""
    sessions: tuple[str, ...] = ()
    """Those conversations."""
