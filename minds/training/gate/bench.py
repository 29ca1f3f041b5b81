"""Measures the shipped invoke gate on the test half: other styles, written by another hand, never fitted on."""

from __future__ import annotations

import numpy as np

from minds.gate import Gate
from minds.training.gate.figures import Figures, figures
from minds.training.gate.turns import DATA, Embed, Labelled, read_turns

TEST = DATA / "gate_test.jsonl"


def bench_test_half(limit: int | None = None) -> Figures:
    """The shipped gate on the test half."""
    from memory.embedder import Embedder

    return bench_gate(read_turns(TEST)[:limit], Gate.load(), Embedder(kept=20_000).embed)


def bench_gate(turns: list[Labelled], gate: Gate, embed: Embed) -> Figures:
    """Prints a table of them."""
    decisions = [gate.decide(t.text, t.dialogue, embed(gate.texts_to_embed(t.text, t.dialogue))) for t in turns]
    found = figures(
        np.array([decision.p for decision in decisions]),
        np.array([decision.invoke for decision in decisions]),
        np.array([turn.invoke for turn in turns]),
        np.array([turn.style for turn in turns]),
    )
    print(f"\n{found.line()}\n\n{found.table()}")
    return found
