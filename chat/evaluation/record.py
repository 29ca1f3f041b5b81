"""What was played: a dialogue of one system, turn by turn, with all that a grade can rest on. Frozen data, as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, PlainSerializer, TypeAdapter

from chat.evaluation.folder import RunFolder

DIALOGUES, GRADES = "dialogues", "grades"
"""The files of a run's folder: a row a dialogue, a row a grade; the last one counts."""
Decider = Literal["program", "judge", "human", "backwards"]
"""`backwards`: the judge, shown the scores from the best to the worst."""
At = tuple[str, str, str, int]
"""What a grade is of: its dialogue, metric and decider, and the turn (0: the whole dialogue)."""


@dataclass(frozen=True)
class Call:
    """One tool call of the slow mind."""

    tool: str
    argument: str
    observation: str
    failed: bool = False
    seconds: float = 0.0
    tokens: int = 0
    thought: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """What the tool asserted: {"H-0421.price": 245000}."""
    changes: tuple[Mapping[str, Any], ...] = ()
    """What it changed: {"kind": "viewing", "done": "made", ...}."""
    asks: str = ""
    """The code of a proposal that the person is to answer."""
    hollow: bool = False
    """It came back with nothing that a program can hold on to: no fact, change, question or source."""


@dataclass(frozen=True)
class Exchange:
    """One turn: what the person said, and all that came back."""

    number: int
    """From 1."""
    turn: int
    """The script's turn: a simulated person may take several exchanges for one."""
    said: str
    reply: str
    """The final reply, as the person read it."""
    by: str = "fast"
    """fast, slow or memory"""
    invoked: bool = False
    """A slow run was started."""
    interim: str = ""
    slow: str = ""
    """The slow mind's result before it was worded."""
    solved: bool | None = None
    """Of a slow run."""
    calls: tuple[Call, ...] = ()
    first: float = 0.0
    """Seconds until the person could read a reply, an interim one included."""
    seconds: float = 0.0
    """Until the final reply."""
    tokens: int = 0
    """Paid, by both minds: read anew (not from the prefix cache) and written."""
    changes: tuple[Mapping[str, Any], ...] = ()
    """What this turn changed in the database: {"kind", "key", "done": "made" | "cancelled", and its details}."""
    error: str = ""
    """Why there is no reply."""
    later: bool = False
    """The person came back with it: what was said before is in another conversation."""
    needed: bool | None = None
    """Whether it needs a slow run; None where the script does not say it, as of a simulated person's."""

    @property
    def called(self) -> list[str]:
        """The tools used for it."""
        return [call.tool for call in self.calls]


@dataclass(frozen=True)
class Key:
    """Which dialogue: a script, a system, a seed."""

    script: str
    system: str
    seed: int

    def __str__(self) -> str:
        return f"{self.script}|{self.system}|{self.seed}"

    @classmethod
    def read(cls, text: str) -> Key:
        script, system, seed = text.rsplit("|", 2)
        return cls(script, system, int(seed))


@dataclass(frozen=True)
class Played:
    """A dialogue as it went."""

    key: Annotated[Key, BeforeValidator(Key.read), PlainSerializer(str)]
    turns: tuple[Exchange, ...]
    seconds: float = 0.0
    """The whole dialogue's, the harness included."""
    fault: str = ""
    """Why it broke off; then nothing of it is graded."""
    void: bool = False
    """It did since a model could not be asked."""


@dataclass(frozen=True)
class Grade:
    """What one metric gave one dialogue, or one turn of it."""

    metric: str
    score: int | None
    """None: it does not apply here, or (with `error`) it could not be graded."""
    by: Decider
    reason: str = ""
    quote: str = ""
    """The words of the dialogue that it rests on."""
    turn: int = 0
    """The turn quoted; 0: none in particular."""
    error: str = ""
    """Why there is no grade: never counted as a pass."""
    key: str = ""
    """The dialogue."""
    of: int = 0
    """The turn graded; 0: the whole dialogue."""

    @property
    def counts(self) -> bool:
        """Not where the metric does not apply."""
        return self.score is not None or bool(self.error)

    @property
    def at(self) -> At:
        return self.key, self.metric, self.by, self.of


def to_row(played: Played) -> dict[str, Any]:
    """One JSON line."""
    row: dict[str, Any] = _PLAYED.dump_python(played, mode="json")
    return row


def played(folder: RunFolder) -> dict[str, Played]:
    """The last row of every dialogue."""
    return {str(dialogue.key): dialogue for dialogue in folder.read(DIALOGUES, _PLAYED.validate_python)}


def graded(folder: RunFolder) -> list[Grade]:
    """All grades that were ever given, the oldest first."""
    return list(folder.read(GRADES, _GRADE.validate_python))


def latest(grades: Iterable[Grade]) -> dict[At, Grade]:
    """The last of each."""
    return {grade.at: grade for grade in grades}


_PLAYED, _GRADE = TypeAdapter(Played), TypeAdapter(Grade)
