"""`train gate`: fits the invoke gate on the labelled turns of the fit half, in some minutes.

It is fitted twice: without the styles that are kept apart, on which then calibration and threshold are chosen, so that
they rest on the wish and not on the way somebody writes; and on all. The test half is never read here
(chat/bench/gate.py measures on it).
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from memory.embedder import Embedder
from minds.dialogue import Dialogue, Turn
from minds.gate import ASKS, LAYERS, WEIGHTS, Gate, read
from minds.policies.arrays import probability, taken
from minds.policies.wishes import Floats
from minds.training.calibrate import choose_threshold, figures, platt
from minds.training.processes import card, write
from minds.training.rows import DATA, rows_of

FIT, TEST = DATA / "gate_fit.jsonl", DATA / "gate_test.jsonl"
FACTS = "general knowledge", "stands in the last turns"
"""What a turn may be labelled with that needs no slow mind and is right or wrong."""
EPOCHS, TOKENS = 4, 160
APART = 6
"""Every so many styles one is kept apart."""


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

    @property
    def read(self) -> str:
        """As the gate reads it."""
        return read(self.text, self.dialogue)


def read_turns(path: Path) -> list[Labelled]:
    """One turn a line of JSON: id, style, history, text, invoke, why."""
    return list(map(labelled, rows_of(path)))


def labelled(row: dict[str, Any]) -> Labelled:
    """Of one such object. Raises KeyError, TypeError or ValueError where it is none."""
    if not isinstance(row["history"], list) or not isinstance(row["invoke"], bool):
        raise ValueError("history must be a list, invoke true or false")
    turns = tuple(Turn(turn["speaker"], turn["text"]) for turn in row["history"])
    id, style, text, why = (str(row[name]) for name in ("id", "style", "text", "why"))
    return Labelled(id, style, Dialogue("", "", turns), text, row["invoke"], why)


def weights(turns: Sequence[Labelled]) -> dict[str, Floats]:
    """What is learned: the layers and a head, whose scores are not calibrated."""
    from minds.training.minilm import fit_reader

    found = fit_reader([(turn.read, turn.asks) for turn in turns], len(ASKS), EPOCHS, TOKENS)
    return found | {"calibration": np.array([1.0, 0.0, 0.5], np.float32)}


def opened(found: dict[str, Floats]) -> Gate:
    """The gate of these weights."""
    head = dict(found)
    return Gate(head, Embedder().changed(taken(head, LAYERS)))


def calibrated(turns: Sequence[Labelled], gate: Gate) -> tuple[Floats, dict[str, Any]]:
    """Slope, shift and threshold, chosen on these turns, and what they make of them."""
    scores = np.array([[gate.scores(turn.read)[0]] for turn in turns], np.float32)
    labels, styles = np.array([turn.invoke for turn in turns]), np.array([turn.style for turn in turns])
    slope, shift = platt(scores, labels)
    p = probability(slope * scores[:, 0] + shift)
    threshold = choose_threshold(p, labels)
    return np.array([slope, shift, threshold], np.float32), figures(p, p >= threshold, labels, styles)


def apart(turns: Sequence[Labelled]) -> tuple[list[Labelled], list[Labelled]]:
    """The turns to fit on, and those in styles that are kept apart."""
    held = set(sorted({turn.style for turn in turns})[::APART])
    return [turn for turn in turns if turn.style not in held], [turn for turn in turns if turn.style in held]


def main(arguments: Sequence[str]) -> None:
    """Refits and writes weights and card."""
    parser = argparse.ArgumentParser(prog="main.py train gate", description="Refit the invoke gate.")
    parser.add_argument("--out", type=Path, default=WEIGHTS, help="where the weights go; the card lies beside them")
    out, turns = parser.parse_args(arguments).out, read_turns(FIT)
    ours, held = apart(turns)
    calibration, found = calibrated(held, opened(weights(ours)))
    print(f"in styles kept apart: {found}")
    write(out, {**weights(turns), "calibration": calibration})
    made = {
        "turns": len(turns),
        "that need the slow mind": sum(turn.invoke for turn in turns),
        "with a history": sum(bool(turn.dialogue.turns) for turn in turns),
        "styles": sorted({turn.style for turn in turns}),
        "in the styles kept apart": found,
    }
    card(out.with_suffix(".md"), "The invoke gate", made)
