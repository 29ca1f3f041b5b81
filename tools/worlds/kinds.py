"""The kinds of tasks that the text worlds have, by plain names; the simulators call them otherwise."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from tools.typed import one_of

World = Literal["household", "laboratory"]


@dataclass(frozen=True)
class Kind:
    """One kind of task."""

    world: World
    task: str
    """The simulator's name."""
    says: str
    """One line for the model, and for the person."""
    plain: bool = False
    """Its name says it all to a model."""
    free: bool = False
    """Which thing it is about is for whoever acts to find, or has no name that a person knows: any task of the kind
    will do where none is about the thing that is named."""
    finds: bool = False
    """It is done to know something."""
    usual: str = ""
    """Of its tasks those with this word are meant where nothing else is said."""


_TOLD = tomllib.loads(Path(__file__).with_name("kinds.toml").read_text(encoding="utf-8"))
KINDS = {name: Kind(**parts) for name, parts in _TOLD.items()}
"""Plain name -> kind, the household's six first."""
KindName = Annotated[str, one_of(KINDS)]
