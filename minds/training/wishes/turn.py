"""What a turn is while a task stands (TURNS), read by layers of its own."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from minds.policies.wishes import TURNS
from minds.training.wishes.data import Lists, texts_of
from minds.training.wishes.figures import opened
from minds.training.wishes.heads import change
from minds.training.wishes.own_layers import fitted

EPOCHS = 4
"""How often each text is read."""
TEMPERATURES = (0.7, 1.0, 1.4, 2.0, 2.8)


def refit(source: Path, target: Path, lists: Lists) -> None:
    """Reads the weights of one file, writes them with those of what a turn is to another."""
    texts, means = texts_of(lists, apart=False)
    found = fitted("turn", texts, [TURNS.index(one) for one in means], len(TURNS), EPOCHS)
    change(source, target, found | {"turn.temperature": np.ones(1, np.float32)})
    change(target, target, {"turn.temperature": np.array([_temperature(target, lists)], np.float32)})


def _temperature(path: Path, lists: Lists) -> float:
    """What makes those kept apart likeliest, all scores divided by it (Guo et al. 2017)."""
    wishes, (texts, means) = opened(path), texts_of(lists, apart=True)
    p = np.array([list(wishes.turn(text).values()) for text in texts])
    right = np.array([TURNS.index(one) for one in means])

    def loss(temperature: float) -> float:
        powers = np.maximum(p, 1e-12) ** (1 / temperature)
        return float(-np.log(powers[np.arange(len(p)), right] / powers.sum(1)).mean())

    return min(TEMPERATURES, key=loss)
