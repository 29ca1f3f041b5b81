"""`bench gate`: the shipped invoke gate on labelled turns it was not fitted on, in other styles and by another hand;
with --embedded together with the fast model's trained layers, as that model decides."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import numpy as np

from chat.bench import Ask
from chat.bench.cases import read_lines
from chat.bench.ground import a_model
from memory.embedder import Embedder
from minds.dialogue import Dialogue
from minds.gate import Decision, Gate
from minds.layers import decided
from minds.training.calibrate import figures
from minds.training.gate import TEST, labelled


def run(ask: Ask) -> dict[str, object]:
    """Shares of the decisions as small models make them; before them by style. Raises ChatFault."""
    turns = read_lines(ask.data or TEST, labelled, "id, style, history, text, invoke and why")[: ask.limit]
    decided = asyncio.run(_decided(ask, [(turn.text, turn.dialogue) for turn in turns]))
    found = figures(
        np.array([one.p for one in decided]),
        np.array([one.invoke for one in decided]),
        np.array([turn.invoke for turn in turns]),
        np.array([turn.style for turn in turns]),
    )
    for style, rates in found["styles"].items():
        print(style, rates)
    return {name: found[name] for name in ("turns", "accuracy", "missed", "needless", "auc")}


async def _decided(ask: Ask, asked: Sequence[tuple[str, Dialogue]]) -> list[Decision]:
    gate = Gate.load(Embedder().changed)
    if not ask.embedded:
        return [gate.decide(*one) for one in asked]
    async with a_model(ask.settings, "fast") as model:
        return [await decided(gate, model, *one) for one in asked]
