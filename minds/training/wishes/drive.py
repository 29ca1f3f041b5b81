"""Who is to act in a task that is wished for: read by layers of their own, changed by little (LoRA) for this alone.

On the states that the other heads read it is not to be heard: "let me watch" and "let me do it" lie too near.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from memory.embedder import folder
from minds.policies.wishes import Floats, Wishes
from minds.training.calibrate import platt
from minds.training.wishes.data import Lists
from minds.training.wishes.figures import opened
from minds.training.wishes.fit import Encoder, low_of
from minds.training.wishes.heads import change

EPOCHS, SIZE, RATE, WARM, DROPPED = 8, 16, 1e-3, 40, 0.1
"""How often each text is read, texts at once, the largest step and the steps until it is reached; of the states."""


def refit(source: Path, target: Path, lists: Lists) -> None:
    """Reads the weights of one file, writes them with those of who acts to another."""
    found = fitted(*lists.drives(apart=False)) | {"drive.calibration": np.array([1, 0], np.float32)}
    change(source, target, found)
    change(target, target, calibrated(opened(target), *lists.drives(apart=True)))


def fitted(texts: Sequence[str], person: Sequence[bool]) -> dict[str, Floats]:
    """What is learned for the layers ("drive.low.NAME"), and the head on their states ("drive.head")."""
    import torch

    encoder, head = Encoder(str(folder())), torch.nn.Linear(3 * 384, 1, bias=False)
    torch.nn.init.zeros_(head.weight)
    ours = [value for value in (*encoder.upper.parameters(), *head.parameters()) if value.requires_grad]
    best = torch.optim.AdamW(ours, lr=RATE, weight_decay=0.01)
    steps = EPOCHS * math.ceil(len(texts) / SIZE)
    pace = torch.optim.lr_scheduler.LambdaLR(best, lambda step: min(1, step / WARM) * max(0.02, 1 - step / steps))
    wanted, drop = torch.tensor(np.array(person, np.float32)), torch.nn.Dropout(DROPPED)
    encoder.upper.eval()
    for rows in _batches(len(texts)):
        x, there, mean = encoder.states([texts[n] for n in rows])
        largest = x.masked_fill(~there[..., None], -1e4).amax(1)
        scores = head(drop(torch.cat([x[:, 0], mean, largest], 1)))[:, 0]
        loss = torch.nn.functional.binary_cross_entropy_with_logits(scores, wanted[rows])
        best.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(ours, 1.0)
        best.step()
        pace.step()
    found = {f"drive.{name}": row for name, row in low_of(encoder.upper).items()} | {"drive.head": head.weight[0]}
    return {name: row.detach().numpy().astype(np.float16) for name, row in found.items()}


def calibrated(wishes: Wishes, texts: Sequence[str], person: Sequence[bool]) -> dict[str, Floats]:
    """As sure as texts of others, which were kept apart, allow (Platt 1999)."""
    p = np.clip([wishes.person(text) for text in texts], 1e-9, 1 - 1e-9)
    scores = np.log(p / (1 - p))[:, None].astype(np.float32)
    slope, shift = platt(scores, np.array(person, np.float32), 1.0)
    return {"drive.calibration": np.array([slope, shift], np.float32)}


def _batches(count: int) -> Iterator[Any]:
    for epoch in range(EPOCHS):
        order = np.random.default_rng(epoch).permutation(count)
        yield from (order[at : at + SIZE] for at in range(0, count, SIZE))
