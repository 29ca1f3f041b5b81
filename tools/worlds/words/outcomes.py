"""What may come of words: actions, a question back, a refusal with its reason, or nothing to do."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Actions:
    """Admissible actions in order. `rest`: later clauses, in words, that need what the actions bring about first;
    ground them again (each with the actions taken so far as `recent`) once the world has answered."""

    actions: tuple[str, ...]
    rest: tuple[str, ...] = ()


@dataclass(frozen=True)
class Unclear:
    """Several actions fit; the person is asked. `options` are admissible actions (none where words are missing)."""

    question: str
    options: tuple[str, ...] = ()


@dataclass(frozen=True)
class Impossible:
    """A command that cannot be followed here: why, in one sentence, and admissible actions that may help."""

    why: str
    possible: tuple[str, ...] = ()
    already: bool = False
    """It is so without doing anything: the fridge is open, the mug is held."""
    absent: bool = False
    """What was named and is not here may as well have been no name (`stove on, chef`)."""


@dataclass(frozen=True)
class NotAnAction:
    """A remark or a question: nothing that the world could do."""


Grounded = Actions | Unclear | Impossible | NotAnAction
