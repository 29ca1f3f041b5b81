"""Readers with layers of their own: MiniLM's upper ones, changed by little (LoRA) for one question about a text alone.

On the states that many heads read together it is not to be heard who is to act ("let me watch", "let me do it"), nor
that one who says "could you carry on from here" hands over.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from minds.policies.wishes import OWN, Floats
from minds.training.minilm import low_of
from minds.training.processes import change, say, step
from minds.training.wishes.data import Lists
from minds.training.wishes.figures import opened
from minds.training.wishes.fit import TOKENS, Encoder

TEMPERATURES = (0.7, 1.0, 1.4, 2.0, 2.8)
SIZE, RATE, WARM, DROPPED, SURE = 16, 1e-3, 40, 0.1, 0.05
"""Texts at once, the largest step and the steps until it is reached; dropped of the states; the share of each label
that is spread over all."""
EPOCHS = {"task": 3, "drive": 8, "turn": 4}


def refit(source: Path, target: Path, lists: Lists) -> None:
    """Reads the weights of one file, writes them with those of all readers (OWN) to another."""
    for name, names in OWN.items():
        ours, apart = (lists.own(name, apart=far) for far in (False, True))
        labels = [names.index(one) for one in ours[1]]
        found = fitted(name, ours[0], labels, len(names), EPOCHS[name])
        change(source, target, found | {f"{name}.temperature": np.ones(1, np.float32)})
        source, wishes = target, opened(target)
        odds = np.array([list(wishes.own(name, text).values()) for text in apart[0]])
        temperature = tempered(odds, [names.index(one) for one in apart[1]])
        change(target, target, {f"{name}.temperature": np.array([temperature], np.float32)})


def tempered(p: Any, right: Sequence[int]) -> float:
    """What makes those kept apart likeliest, all scores divided by it (Guo et al. 2017). p: shape (texts, classes)."""

    def loss(temperature: float) -> float:
        powers = np.maximum(p, 1e-12) ** (1 / temperature)
        return float(-np.log(powers[np.arange(len(p)), right] / powers.sum(1)).mean())

    return min(TEMPERATURES, key=loss)


def fitted(
    name: str, texts: Sequence[str], labels: Sequence[int], classes: int, epochs: int, tokens: int = TOKENS
) -> dict[str, Floats]:
    """What is learned for the layers ("NAME.low.LAYER"), and on their states "NAME.head" (classes, 3 * 384) and
    "NAME.bias"."""
    encoder, head = Encoder(tokens), torch.nn.Linear(3 * 384, classes)
    torch.nn.init.zeros_(head.weight)
    ours = [*encoder.upper.parameters(), *head.parameters()]
    best = torch.optim.AdamW(ours, lr=RATE, weight_decay=0.01)
    steps = epochs * math.ceil(len(texts) / SIZE)
    pace = torch.optim.lr_scheduler.LambdaLR(best, lambda done: min(1, done / WARM) * max(0.02, 1 - done / steps))
    wanted, drop = torch.tensor(np.array(labels)), torch.nn.Dropout(DROPPED)
    for number, rows in enumerate(_batches(len(texts), epochs)):
        x, there, mean = encoder.states([texts[n] for n in rows])
        largest = x.masked_fill(~there[..., None], -1e4).amax(1)
        scores = head(drop(torch.cat([x[:, 0], mean, largest], 1)))
        loss = torch.nn.functional.cross_entropy(scores, wanted[rows], label_smoothing=SURE)
        now = step(best, loss, pace, ours)
        if number % 40 == 39:
            say(f"{name}: {number + 1} of {steps}: {now:.3f}")
    found = {f"{name}.{key}": row for key, row in low_of(encoder.upper).items()}
    found |= {f"{name}.head": head.weight, f"{name}.bias": head.bias}
    return {key: row.detach().numpy().astype(np.float16) for key, row in found.items()}


def _batches(count: int, epochs: int) -> Iterator[Any]:
    for epoch in range(epochs):
        order = np.random.default_rng(epoch).permutation(count)
        yield from (order[at : at + SIZE] for at in range(0, count, SIZE))
