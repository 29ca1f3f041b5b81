"""The head that says whether a turn is meant for the open world, fitted once more.

The joint fit draws little of the ordinary talk there is; here the encoder stands still, so that each text is read once
and all of it counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from minds.policies.wishes import Floats, Wishes
from minds.training.processes import change, step
from minds.training.wishes.data import Lists
from minds.training.wishes.figures import opened

STEPS, RATE, DECAY, DROP, HALF = 600, 1e-3, 0.01, 0.15, 64
"""HALF: texts of each side in a step."""


def refit(source: Path, target: Path, lists: Lists) -> None:
    """Reads the weights of one file, writes them with the head fitted to another."""
    torch.manual_seed(0)
    wishes, talk = opened(source), list[str]()
    for row in lists.turns:
        talk += [row.says] * (0 if row.apart or row.wish else max(1, int(row.worth)))
    acts = {row["says"] for row, far in lists.sentences if not far and (row["expect"] or row.get("control"))}
    first, last = _fitted(wishes, _read(wishes, sorted(acts)), _read(wishes, talk))
    rows = {"in": first.weight.T, "bias": first.bias, "out": last.weight.T, "shift": last.bias}
    change(source, target, {f"meant.{key}": row.detach().numpy() for key, row in rows.items()})


def _read(wishes: Wishes, texts: Sequence[str]) -> Floats:
    """What the heads see of each: shape (texts, 384)."""
    rows = {text: wishes.mean(text) for text in dict.fromkeys(texts)}
    return np.stack([rows[text] for text in texts])


def _fitted(wishes: Wishes, wanted: Floats, talk: Floats) -> tuple[Any, Any]:
    """Both layers of the head as it is, fitted on what is wanted and on ordinary talk, half of each step."""
    inner, bias, out, shift = (torch.from_numpy(row) for row in wishes.head("meant"))
    first, last = torch.nn.Linear(*inner.shape), torch.nn.Linear(*out.shape)
    first.load_state_dict({"weight": inner.T, "bias": bias})
    last.load_state_dict({"weight": out.T, "bias": shift})
    head = torch.nn.Sequential(torch.nn.Dropout(DROP), first, torch.nn.ReLU(), last)
    optimizer = torch.optim.AdamW(head.parameters(), lr=RATE, weight_decay=DECAY)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=STEPS)
    right = torch.tensor([1.0] * HALF + [0.0] * HALF)
    for _ in range(STEPS):
        drawn = [rows[torch.randint(len(rows), (HALF,))] for rows in map(torch.from_numpy, (wanted, talk))]
        loss = torch.nn.functional.binary_cross_entropy_with_logits(head(torch.cat(drawn))[:, 0], right)
        step(optimizer, loss, schedule)
    return first, last
