"""What is fitted behind the joint fit, beside all the other weights: the readers with layers of their own (OWN), and
once more the head that says whether a turn is meant for the open world.

The joint fit draws little of the ordinary talk there is; for that head the encoder stands still, so that each text is
read once and all of it counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from memory.embedder import Embedder
from minds.policies.wishes import OWN, Wishes
from minds.training.minilm import fit_reader
from minds.training.processes import change, descend
from minds.training.wishes.data import Lists
from minds.training.wishes.net import both

EPOCHS = {"task": 3, "drive": 8, "turn": 4}
TEMPERATURES = (0.7, 1.0, 1.4, 2.0, 2.8)
STEPS, RATE, DECAY, DROP, HALF = 600, 1e-3, 0.01, 0.15, 64
"""Of the head. HALF: texts of each side in a step."""


def opened(path: Path) -> Wishes:
    return Wishes.load(Embedder().changed, path)


def refit_own(source: Path, target: Path, lists: Lists) -> None:
    """Reads the weights of one file, writes them with those of all readers (OWN) to another."""
    for name, names in OWN.items():
        ours, apart = (
            [(text, names.index(label)) for text, label in lists.own(name, apart=far)] for far in (False, True)
        )
        found = fit_reader(ours, len(names), EPOCHS[name])
        found["temperature"] = np.ones(1, np.float32)
        change(source, target, {f"{name}.{key}": row for key, row in found.items()})
        source, wishes = target, opened(target)
        odds = np.array([list(wishes.own(name, text).values()) for text, _ in apart])
        temperature = tempered(odds, [label for _, label in apart])
        change(target, target, {f"{name}.temperature": np.array([temperature], np.float32)})


def tempered(p: Any, right: Sequence[int]) -> float:
    """What makes those kept apart likeliest, all scores divided by it (Guo et al. 2017). p: shape (texts, classes)."""

    def loss(temperature: float) -> float:
        powers = np.maximum(p, 1e-12) ** (1 / temperature)
        return float(-np.log(powers[np.arange(len(p)), right] / powers.sum(1)).mean())

    return min(TEMPERATURES, key=loss)


def refit_meant(source: Path, target: Path, lists: Lists) -> None:
    """Reads the weights of one file, writes them with that head fitted on what is wanted and on ordinary talk, half of
    each step, to another."""
    torch.manual_seed(0)
    wishes = opened(source)
    talk = [row.says for row in lists.turns if not row.apart and not row.wish for _ in range(max(1, int(row.worth)))]
    acts = {row["says"] for row, far in lists.sentences if not far and (row["expect"] or row.get("control"))}
    sides = [_read(wishes, sorted(acts)), _read(wishes, talk)]
    right = torch.tensor([1.0] * HALF + [0.0] * HALF)
    inner, bias, out, shift = wishes.head("meant")
    first, last = _linear(inner, bias), _linear(out, shift)
    head = nn.Sequential(nn.Dropout(DROP), first, nn.ReLU(), last)

    def loss(_: int) -> Any:
        drawn = [rows[torch.randint(len(rows), (HALF,))] for rows in sides]
        return nn.functional.binary_cross_entropy_with_logits(head(torch.cat(drawn))[:, 0], right)

    optimizer = torch.optim.AdamW(head.parameters(), lr=RATE, weight_decay=DECAY)
    pace = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=STEPS)
    descend(optimizer, range(STEPS), loss, pace)
    change(source, target, {name: row.detach().numpy() for name, row in both("meant", first, last).items()})


def _read(wishes: Wishes, texts: Sequence[str]) -> Any:
    """What the heads see of each: shape (texts, 384)."""
    rows = {text: wishes.mean(text) for text in dict.fromkeys(texts)}
    return torch.from_numpy(np.stack([rows[text] for text in texts]))


def _linear(weight: Any, bias: Any) -> Any:
    layer = nn.Linear(*weight.shape)
    layer.load_state_dict({"weight": torch.from_numpy(weight.T), "bias": torch.from_numpy(bias)})
    return layer
