"""The head that says whether a turn is meant for the open world, fitted once more.

The joint fit draws little of the ordinary talk there is; here the encoder stands still, so that each text is read once
and all of it counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from minds.policies.wishes import Floats, Wishes
from minds.training.wishes.data import Lists, Said
from minds.training.wishes.figures import opened

STEPS, RATE, DECAY, DROP, HALF = 600, 1e-3, 0.01, 0.15, 64
"""HALF: texts of each side in a step."""


def refit(source: Path, target: Path, lists: Lists) -> None:
    """Reads the weights of one file, writes them with the head fitted to another."""
    import torch

    torch.manual_seed(0)
    wishes = opened(source)
    talk = _read(
        wishes, [row.says for row in lists.turns if not row.apart and not row.wish for _ in range(_times(row))]
    )
    acts = {row["says"] for row, far in lists.sentences if not far and (row["expect"] or row.get("control"))}
    change(source, target, _weights("meant", _fitted(wishes, "meant", _read(wishes, sorted(acts)), talk)))


def change(source: Path, target: Path, rows: Mapping[str, Any]) -> None:
    """Writes the weights of one file to another, some of them exchanged."""
    from safetensors import safe_open
    from safetensors.numpy import save_file

    with safe_open(source, framework="numpy") as file:
        told, weights = file.metadata(), {name: file.get_tensor(name) for name in list(file.keys())}
    for name, row in rows.items():
        weights[name] = np.ascontiguousarray(row, weights[name].dtype if name in weights else row.dtype)
    save_file(weights, target, told)


def _times(row: Said) -> int:
    """How often a turn is drawn beside others."""
    return max(1, int(row.worth))


def _read(wishes: Wishes, texts: Sequence[str]) -> Floats:
    """What the heads see of each: shape (texts, 384)."""
    rows = {text: wishes.mean(text) for text in dict.fromkeys(texts)}
    return np.stack([rows[text] for text in texts])


def _fitted(wishes: Wishes, name: str, wanted: Floats, talk: Floats) -> Any:
    """The head as it is, fitted on what is wanted and on ordinary talk, half of each step."""
    import torch

    head = _head(wishes, name)
    optimizer = torch.optim.AdamW(head.parameters(), lr=RATE, weight_decay=DECAY)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=STEPS)
    right = torch.tensor([1.0] * HALF + [0.0] * HALF)
    for _ in range(STEPS):
        drawn = [rows[torch.randint(len(rows), (HALF,))] for rows in map(torch.from_numpy, (wanted, talk))]
        loss = torch.nn.functional.binary_cross_entropy_with_logits(head(torch.cat(drawn))[:, 0], right)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    return head.eval()


def _head(wishes: Wishes, name: str) -> Any:
    import torch

    inner, bias, out, shift = (torch.from_numpy(row) for row in wishes.head(name))
    layers = torch.nn.Linear(*inner.shape), torch.nn.Linear(*out.shape)
    with torch.no_grad():
        for layer, weight, more in zip(layers, (inner, out), (bias, shift), strict=True):
            layer.weight.copy_(weight.T)
            layer.bias.copy_(more)
    return torch.nn.Sequential(torch.nn.Dropout(DROP), layers[0], torch.nn.ReLU(), layers[1])


def _weights(name: str, head: Any) -> dict[str, Floats]:
    rows = {"in": head[1].weight.T, "bias": head[1].bias, "out": head[3].weight.T, "shift": head[3].bias}
    return {f"{name}.{key}": row.detach().numpy() for key, row in rows.items()}
