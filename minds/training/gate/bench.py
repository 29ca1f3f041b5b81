"""Measures the shipped invoke gate on the test half: other styles, written by another hand, never fitted on."""

from __future__ import annotations

import asyncio
from pathlib import Path

import numpy as np

from minds.gate import Gate
from minds.policies.turn_features import Floats
from minds.training.gate.figures import Figures, figures
from minds.training.gate.flags import MODEL, collect_with, flags_of
from minds.training.gate.turns import DATA, Embed, Labelled, read_turns

TEST = DATA / "gate_test.jsonl"
LOGITS = DATA / "gate_test_logits.json"


def bench_test_half(models: Path, limit: int | None = None) -> dict[str, Figures]:
    """The shipped gate on the test half; flags not yet kept are asked of the model in `models`. Raises ModelFault."""
    from memory.embedder import Embedder

    turns, embed, gate = read_turns(TEST)[:limit], Embedder(kept=20_000).embed, Gate.load()
    flags = flags_of(turns, LOGITS)
    if flags is None:
        asyncio.run(collect_with(MODEL, turns, gate, embed, LOGITS, models))
        flags = flags_of(turns, LOGITS)
    assert flags is not None
    return bench_gate(turns, gate, embed, flags)


def bench_gate(turns: list[Labelled], gate: Gate, embed: Embed, flags: Floats) -> dict[str, Figures]:
    """Figures `without_flag` and `with_flag` (the model's log-odds, shape (n,)). Prints a table of each."""
    measured = {
        "without_flag": _measure(turns, gate, embed, [None] * len(turns)),
        "with_flag": _measure(turns, gate, embed, flags.tolist()),
    }
    for name, found in measured.items():
        print(f"\n{name.replace('_', ' ')}: {found.line()}\n\n{found.table()}")
    return measured


def _measure(turns: list[Labelled], gate: Gate, embed: Embed, flags: list[float | None]) -> Figures:
    decisions = []
    for turn, flag in zip(turns, flags, strict=True):
        vectors = embed(gate.texts_to_embed(turn.text, turn.dialogue))
        decisions.append(gate.decide(turn.text, turn.dialogue, vectors, flag))
    return figures(
        np.array([decision.p for decision in decisions]),
        np.array([decision.invoke for decision in decisions]),
        np.array([turn.invoke for turn in turns]),
        np.array([turn.style for turn in turns]),
    )
