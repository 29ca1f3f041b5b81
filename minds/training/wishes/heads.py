"""The heads that say what a turn is (meant for the open world, about a task that is over), fitted once more.

The joint fit draws little of the ordinary talk there is; here the encoder stands still, so that each text is read once
and all of it counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from minds.policies.wishes import OVER, Floats, Wishes
from minds.training.wishes.data import DESCRIBED, Lists, Said
from minds.training.wishes.figures import opened

STEPS, RATE, DECAY, DROP, HALF = 600, 1e-3, 0.01, 0.15, 64
"""HALF: texts of each side in a step."""
DESCRIPTIONS = 1500
"""Of people's descriptions of households so many are read: they are many and alike."""
TEMPERATURES = (1.0, 1.5, 2.0, 2.5, 3.0, 4.0)


def refit(source: Path, target: Path, lists: Lists) -> None:
    """Reads the weights of one file, writes them with the heads fitted to another."""
    import torch

    torch.manual_seed(0)
    wishes, rng = opened(source), np.random.default_rng(0)
    ours = _drawn([row for row in lists.turns if not row.apart], rng)
    talk = _read(wishes, [row.says for row in ours if not row.wish for _ in range(_times(row))])
    wish = _read(wishes, [row.says for row in ours if row.wish for _ in range(_times(row))])
    acts = [row["says"] for row, far in lists.sentences if not far and (row["expect"] or row.get("control"))]
    meant = _read(wishes, sorted(set(acts)))
    about = [row for row in lists.behind if not row.apart]
    known = [OVER.index(row.means) for row in about]
    # Behind a task that is over a wish for another one wants nothing of it.
    else_ = np.concatenate([talk, wish[rng.permutation(len(wish))[: len(talk)]]])
    over = _fitted(wishes, "over", (_read(wishes, [row.says for row in about]), known), (else_, [0] * len(else_)))
    _temper(over, wishes, lists)
    open_ = _fitted(wishes, "meant", (meant, [1] * len(meant)), (talk, [0] * len(talk)))
    change(source, target, _weights("over", over) | _weights("meant", open_))


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


def _drawn(rows: Sequence[Said], rng: np.random.Generator) -> list[Said]:
    described = [row for row in rows if row.worth == DESCRIBED]
    some = rng.permutation(len(described))[:DESCRIPTIONS]
    return [*(row for row in rows if row.worth != DESCRIBED), *(described[n] for n in some)]


def _read(wishes: Wishes, texts: Sequence[str]) -> Floats:
    """What the heads see of each: shape (texts, 384)."""
    rows = {text: wishes.mean(text) for text in dict.fromkeys(texts)}
    return np.stack([rows[text] for text in texts])


def _fitted(wishes: Wishes, name: str, about: tuple[Floats, list[int]], talk: tuple[Floats, list[int]]) -> Any:
    """The head as it is, fitted on: texts and their classes, and ordinary talk, half of each step."""
    import torch

    head = _head(wishes, name)
    optimizer = torch.optim.AdamW(head.parameters(), lr=RATE, weight_decay=DECAY)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=STEPS)
    sides = [(torch.from_numpy(rows), torch.tensor(right)) for rows, right in (about, talk)]
    for _ in range(STEPS):
        drawn = [torch.randint(len(rows), (HALF,)) for rows, _ in sides]
        scores = head(torch.cat([rows[n] for (rows, _), n in zip(sides, drawn, strict=True)]))
        right = torch.cat([of[n] for (_, of), n in zip(sides, drawn, strict=True)])
        loss = _loss(scores, right)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    return head.eval()


def _loss(scores: Any, right: Any) -> Any:
    import torch

    if scores.shape[1] == 1:
        return torch.nn.functional.binary_cross_entropy_with_logits(scores[:, 0], right.float())
    return torch.nn.functional.cross_entropy(scores, right)


def _temper(over: Any, wishes: Wishes, lists: Lists) -> None:
    """The head of tasks that are over has few sentences and is too sure of itself: its scores are divided by what makes
    those kept apart likeliest (Guo et al. 2017)."""
    import torch

    apart = [row for row in lists.behind if row.apart]
    right = torch.tensor([OVER.index(row.means) for row in apart])
    with torch.no_grad():
        scores = over(torch.from_numpy(_read(wishes, [row.says for row in apart])))
        losses = {t: float(torch.nn.functional.cross_entropy(scores / t, right)) for t in TEMPERATURES}
        for part in over[3].parameters():
            part /= min(losses, key=lambda t: losses[t])


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
