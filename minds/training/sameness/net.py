"""What memory/pairs.py and memory/sameness.py compute, in torch, in batches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from torch import nn

from memory.bert import HEADS, LAYERS, WIDTH, Floats
from memory.pairs import BENEATH, MARKS, SHARED, Tokens, beside
from minds.training.minilm import Layer, Tensor, low_of, masked, padded

LOW, INNER = 24, 96
"""The rank of what is added to each matrix, and the width of the head."""


class Across(Layer):
    """One of MiniLM's layers, in which the tokens of two questions see each other."""

    def __init__(self, base: Mapping[str, Floats], number: int) -> None:
        super().__init__(base, number, LOW, together=True)
        self.key, self.value = (nn.Parameter(0.02 * torch.randn(HEADS, WIDTH // HEADS)) for _ in range(2))

    def mixed(self, q: Tensor, k: Tensor, v: Tensor, there: Tensor, *about: Tensor) -> Tensor:
        (other,) = about
        scores = q @ k.transpose(2, 3) + other * (q * self.key[:, None]).sum(-1, keepdim=True)
        shares = (scores / (WIDTH / HEADS) ** 0.5 + there).softmax(-1)
        return shares @ v + (shares * other).sum(-1, keepdim=True) * self.value[:, None]


class PairNet(nn.Module):  # type: ignore[misc]
    """The log-odds that two questions ask the same."""

    def __init__(self, base: Mapping[str, Floats]) -> None:
        super().__init__()
        self.marks = nn.Linear(MARKS, WIDTH, bias=False)
        nn.init.zeros_(self.marks.weight)
        self.layers = nn.ModuleList(Across(base, number) for number in range(BENEATH, LAYERS))
        self.inner, self.outer = nn.Linear(5 * WIDTH + SHARED, INNER), nn.Linear(INNER, 1)
        self.drop = nn.Dropout(0.1)

    def forward(self, batch: Batch) -> Tensor:
        x = batch.low + self.marks(batch.marks)
        other = (batch.mine[:, :, None] != batch.mine[:, None])[:, None].float()
        for layer in self.layers:
            x = layer(x, masked(batch.there), other)
        return self._head(x.float(), batch)

    def _head(self, x: Tensor, batch: Batch) -> Tensor:
        row = torch.arange(len(x))
        top = x.masked_fill(~batch.there[..., None], -1e4).amax(1)
        a, b = ((batch.there & (batch.mine == side))[..., None].float() for side in (True, False))
        means = [(x * m).sum(1) / m.sum(1) for m in (a, b)]
        ends = x[:, 0], x[row, batch.first]
        parts = [top, ends[0] + ends[1], (ends[0] - ends[1]).abs(), means[0] + means[1], (means[0] - means[1]).abs()]
        inner = torch.relu(self.inner(self.drop(torch.cat([*parts, batch.shared], 1))))
        out: Tensor = self.outer(self.drop(inner))[:, 0]
        return out

    def weights(self) -> dict[str, Floats]:
        """Named as memory/pairs.py reads them."""
        found = {"marks": self.marks.weight, **low_of(self.layers)}
        for number, layer in enumerate(self.layers, BENEATH):
            found |= {f"across.{number}.key": layer.key.flatten(), f"across.{number}.value": layer.value.flatten()}
        for name in ("inner", "outer"):
            found |= {f"{name}.weight": getattr(self, name).weight, f"{name}.bias": getattr(self, name).bias}
        return {name: value.detach().numpy().copy() for name, value in found.items()}


class Batch:
    """Pairs of questions, padded. first: the tokens of the first of each (n,); mine: which are of it (n, length)."""

    def __init__(self, some: Sequence[tuple[Tokens, Tokens]]) -> None:
        sizes = [len(a.ids) + len(b.ids) for a, b in some]
        shape = (len(some), max(sizes))
        low, marks = np.zeros((*shape, WIDTH), np.float32), np.zeros((*shape, MARKS), np.float32)
        shared = np.zeros((len(some), SHARED), np.float32)
        for i, (a, b) in enumerate(some):
            left, right, shared[i] = beside(a, b)
            low[i, : sizes[i]] = np.concatenate([a.low, b.low])
            marks[i, : sizes[i]] = np.concatenate([left, right])
        self.low, self.marks, self.shared = (torch.from_numpy(x) for x in (low, marks, shared))
        self.first = torch.tensor([len(a.ids) for a, _ in some])
        place = torch.arange(shape[1])[None]
        self.there, self.mine = place < torch.tensor(sizes)[:, None], place < self.first[:, None]


class TurnNet(nn.Module):  # type: ignore[misc]
    """What a turn is, read alone: one of so many classes."""

    def __init__(self, classes: int) -> None:
        super().__init__()
        self.drop = nn.Dropout(0.4)
        self.add_module("in", nn.Linear(2 * WIDTH, 24))
        self.out = nn.Linear(48 + WIDTH, classes)

    def forward(self, some: Sequence[Tokens]) -> Tensor:
        x, there = padded([torch.from_numpy(np.concatenate([t.states, t.plain], 1)[1:-1]) for t in some])
        mask = there[..., None].float()
        each = torch.relu(self.get_submodule("in")(self.drop(x))) * mask
        whole = torch.from_numpy(np.stack([t.whole for t in some]))
        out: Tensor = self.out(self.drop(torch.cat([each.amax(1), each.sum(1) / mask.sum(1), whole], 1)))
        return out
