"""An export of a memory, taken in again: a stranger's file, of which every field is checked.

What it brings is new and says that it was imported: it takes the place of nothing and deletes nothing, and its results
answer no question until the person has confirmed them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from datetime import datetime
from typing import Annotated, Any

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)

from chat.faults import ChatFault, first_wrong
from chat.imports import Whole
from memory.memory import AGAIN, IMPORTED, LEAVING, Kind, Note

FORMAT = "duet-memory-1"
PREFIX = "import:"
"""Of ids and conversations, so that none of them passes for one of here."""
OF_A_FACT = ("subject", "attribute", "value", "quote")
LONGEST = 1_000_000
"""Characters of a text: more than Duet itself ever keeps, so that its own export comes back."""
Short = Annotated[str, StringConstraints(max_length=2_000)]
Long = Annotated[str, StringConstraints(max_length=LONGEST)]


class _Note(BaseModel):
    """One note of the file."""

    model_config = ConfigDict(strict=True, extra="forbid")

    id: Annotated[str, StringConstraints(max_length=300, pattern=r"^[\w:.-]+$")]
    kind: Kind
    text: Long
    at: Annotated[float, Field(ge=0, lt=2.5e11)]
    answer: Long = ""
    session: Short = ""
    turn: Annotated[Whole, Field(ge=0, lt=10_000_000)] = 0
    speaker: Short = ""
    depends: dict[Short, Long] = {}
    about: dict[Short, Long] = {}
    out: Long = ""
    pinned: bool = False

    @field_validator("text")
    @classmethod
    def _says_something(cls, text: str, before: ValidationInfo) -> str:
        if not text and before.data.get("kind") != "turn":  # a reply may be empty
            raise ValueError("it is empty")
        return text

    @model_validator(mode="after")
    def _is_whole(self) -> _Note:
        if self.kind == "result" and not self.answer:
            raise ValueError("a result has an `answer`")
        if self.kind == "fact" and (missing := [name for name in OF_A_FACT if not self.about.get(name)]):
            raise ValueError(f"a fact has `about.{missing[0]}`, and with its quote the words that it was told in")
        return self


class _Export(BaseModel):
    """The file; what its writer had deleted is of no concern here."""

    model_config = ConfigDict(strict=True, extra="ignore")

    notes: list[_Note]


def read(file: Mapping[str, Any], known: Callable[[Sequence[str]], Set[str]], now: datetime) -> list[Note]:
    """The notes of a file that are new here. known: which of some ids are here or were deleted. Raises ChatFault."""
    if file.get("format") != FORMAT:
        raise ChatFault(f"This is no export of a memory: it has to say `{FORMAT}` and hold notes.")
    try:
        export = _Export.model_validate(dict(file))
    except ValidationError as fault:
        where, what = first_wrong(fault)
        raise ChatFault(f"Nothing of this export was taken in, because of `{where}` in it: {what}.") from fault
    here = known([name for note in export.notes for name in _names(note.id)])
    new = [note for note in export.notes if here.isdisjoint(_names(note.id)) and note.out != LEAVING]
    return [_taken(note, now) for note in new]


def _taken(read: _Note, now: datetime) -> Note:
    """Without what only this Duet can know: how strong the model was that found a result."""
    about = {name: value for name, value in read.about.items() if name != "strength"}
    about[IMPORTED] = about.get(IMPORTED) or now.date().isoformat()
    about |= {"by": _named(about["by"])} if "by" in about else {}
    about |= {AGAIN: " ".join(map(_named, about[AGAIN].split()))} if AGAIN in about else {}
    own = {"id": _named(read.id), "session": _named(read.session), "about": about}
    return Note(**{**read.model_dump(), **own})


def _named(name: str) -> str:
    return name if not name or name.startswith(PREFIX) else PREFIX + name


def _names(id_: str) -> tuple[str, ...]:
    """As what a note may be known: what came from here comes back with PREFIX, once another Duet has exported it."""
    return id_, _named(id_), id_.removeprefix(PREFIX)
