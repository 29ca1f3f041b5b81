"""Labelled turns: what the gate is fitted and measured on."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from minds.dialogue import Dialogue, Turn
from minds.gate import ASKS
from minds.training.rows import DATA

FIT, TEST = DATA / "gate_fit.jsonl", DATA / "gate_test.jsonl"
FACTS = "general knowledge", "stands in the last turns"
"""What a turn may be labelled with that needs no slow mind and is right or wrong."""


@dataclass(frozen=True)
class Labelled:
    """A turn and whether it needs the slow mind. `style` is how it is written or by whom, for splitting only."""

    id: str
    style: str
    dialogue: Dialogue
    text: str
    invoke: bool
    why: str

    @property
    def asks(self) -> int:
        """What it asks for, its number in ASKS."""
        return ASKS.index("work" if self.invoke else "fact" if self.why in FACTS else "talk")


def read_turns(path: Path) -> list[Labelled]:
    """One turn a line of JSON: id, style, history, text, invoke, why."""
    return [labelled(json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def labelled(row: dict[str, object]) -> Labelled:
    """Of one such object. Raises KeyError, TypeError or ValueError where it is none."""
    said = row["history"]
    if not isinstance(said, list) or not isinstance(row["invoke"], bool):
        raise ValueError("history must be a list, invoke true or false")
    turns = tuple(Turn(turn["speaker"], turn["text"]) for turn in said)
    id, style, text, why = (str(row[name]) for name in ("id", "style", "text", "why"))
    return Labelled(id, style, Dialogue("", "", turns), text, row["invoke"], why)
