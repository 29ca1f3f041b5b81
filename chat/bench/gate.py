"""`bench gate`: the shipped invoke gate on labelled turns it was not fitted on, in other styles and by another hand."""

from __future__ import annotations

import numpy as np

from chat.bench import Ask
from minds.gate import Gate


def run(ask: Ask) -> dict[str, object]:
    """Shares of the learned reader, as small models decide by it; a table by style before them."""
    from memory.embedder import Embedder
    from minds.training.gate.figures import figures
    from minds.training.gate.turns import TEST, read_turns

    gate = Gate.load(Embedder().changed)
    turns = read_turns(ask.data or TEST)[: ask.limit]
    decided = [gate.decide(turn.text, turn.dialogue) for turn in turns]
    found = figures(
        np.array([one.p for one in decided]),
        np.array([one.invoke for one in decided]),
        np.array([turn.invoke for turn in turns]),
        np.array([turn.style for turn in turns]),
    )
    print(f"\n{found.line()}\n\n{found.table()}")
    names = ("accuracy", "missed", "needless", "auc")
    return {"turns": found.turns, **{name: round(getattr(found, name), 4) for name in names}}
