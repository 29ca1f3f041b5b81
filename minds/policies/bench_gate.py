"""Measures the shipped invoke gate on the test half: other styles, written by another hand, never fitted on."""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from minds.gate import Gate
from minds.policies.figures import Figures, figures
from minds.policies.flags import MODEL, collect_with, flags_of
from minds.policies.turn_features import Floats
from minds.policies.turns import DATA, Embed, Labelled, read_turns

TEST = DATA / "gate_test.jsonl"
LOGITS = DATA / "gate_test_logits.json"


def bench_gate(turns: list[Labelled], gate: Gate, embed: Embed, flags: Floats | None) -> dict[str, object]:
    """Figures of both heads; the one with the flag is left out without `flags` (shape (n,)). Prints a table."""
    result: dict[str, object] = {}
    for name, given in (("without flag", None), ("with flag", flags)):
        if name == "with flag" and given is None:
            continue
        measured = _measure(turns, gate, embed, given)
        print(f"\n{name}: {measured.line()}\n\n{measured.table()}")
        result[name.replace(" ", "_")] = measured.as_dict()
    return result


def _measure(turns: list[Labelled], gate: Gate, embed: Embed, flags: Floats | None) -> Figures:
    decisions = []
    for place, turn in enumerate(turns):
        vectors = embed(gate.texts_to_embed(turn.text, turn.dialogue))
        flag = None if flags is None else float(flags[place])
        decisions.append(gate.decide(turn.text, turn.dialogue, vectors, flag))
    return figures(
        np.array([decision.p for decision in decisions]),
        np.array([decision.invoke for decision in decisions]),
        np.array([turn.invoke for turn in turns]),
        np.array([turn.style for turn in turns]),
    )


def main(argv: Sequence[str]) -> int:
    """`python main.py bench gate`: the last line is one JSON object with the figures."""
    parser = argparse.ArgumentParser(
        prog="main.py bench gate", description="Measure the invoke gate on the test half."
    )
    parser.add_argument(
        "--no-model", action="store_true", help="only the head that does without the model's flag"
    )
    parser.add_argument("--turns", type=Path, default=TEST)
    asked = parser.parse_args(argv)
    from memory.embedder import Embedder

    turns, embed, gate = read_turns(asked.turns), Embedder(kept=20_000).embed, Gate.load()
    if not asked.no_model:
        asyncio.run(collect_with(MODEL, turns, gate, embed, LOGITS))
    print(json.dumps(bench_gate(turns, gate, embed, None if asked.no_model else flags_of(turns, LOGITS))))
    return 0
