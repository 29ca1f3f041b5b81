"""Labelled turns: what the gate is fitted and measured on."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from minds.dialogue import Dialogue, Turn
from minds.policies.turn_features import Floats, features, texts_to_embed

DATA = Path(__file__).parents[1] / "data"

Embed = Callable[[list[str]], Floats]


@dataclass(frozen=True)
class Labelled:
    """A turn and whether it needs the slow mind. `style` is how it is written, for splitting only."""

    id: str
    style: str
    dialogue: Dialogue
    text: str
    invoke: bool
    why: str


@dataclass(frozen=True)
class Seen:
    """All turns as numbers: vectors (n, 2, 384), features (n, f), labels (n,), styles (n,)."""

    vectors: Floats
    features: Floats
    labels: np.ndarray
    styles: np.ndarray


def read_turns(path: Path) -> list[Labelled]:
    """One turn a line of JSON: id, style, history, text, invoke, why."""
    return [_labelled(json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def _labelled(row: dict[str, object]) -> Labelled:
    said = row["history"]
    assert isinstance(said, list)
    turns = tuple(Turn(turn["speaker"], turn["text"]) for turn in said)
    id, style, text, why = (str(row[name]) for name in ("id", "style", "text", "why"))
    return Labelled(id, style, Dialogue("", "", turns), text, row["invoke"] is True, why)


def look(turns: list[Labelled], embed: Embed) -> Seen:
    """Sentence vectors and features of all turns."""
    texts = [text for turn in turns for text in texts_to_embed(turn.text, turn.dialogue)]
    return Seen(
        np.asarray(embed(texts), np.float32).reshape(len(turns), 2, -1),
        np.stack([features(turn.text, turn.dialogue) for turn in turns]),
        np.array([turn.invoke for turn in turns]),
        np.array([turn.style for turn in turns]),
    )
