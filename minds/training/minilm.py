"""MiniLM's layers (memory/bert.py) in torch, in batches: frozen, with what is learned to be added to their matrices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence

from memory.bert import HEADS, WIDTH, Floats

Tensor: TypeAlias = Any
"""torch.Tensor, which the type checker does not read."""


class Added(nn.Module):  # type: ignore[misc]
    """Linear layers that read the same, and what is added to them (LoRA, Hu et al. 2021)."""

    def __init__(self, base: Mapping[str, Floats], names: Sequence[str], rank: int) -> None:
        super().__init__()
        self.names = names
        self.weight = torch.cat([torch.from_numpy(base[f"{name}.weight"].copy()) for name in names])
        self.bias = torch.cat([torch.from_numpy(base[f"{name}.bias"].copy()) for name in names])
        wide = self.weight.shape[1]
        self.a = nn.Parameter(torch.randn(rank, wide) / wide**0.5)
        self.b = nn.Parameter(torch.zeros(self.weight.shape[0], rank))

    def forward(self, x: Tensor) -> Tensor:
        low = nn.functional.linear(nn.functional.linear(x, self.a), self.b)
        return nn.functional.linear(x, self.weight, self.bias) + low

    def low(self) -> Iterator[tuple[str, Tensor]]:
        """Named as the embedder reads them."""
        for name, b in zip(self.names, self.b.chunk(len(self.names)), strict=True):
            yield from ((f"low.{name}.a", self.a), (f"low.{name}.b", b))


class Layer(nn.Module):  # type: ignore[misc]
    """One of MiniLM's layers. `together`: what is added to queries, keys and values starts from the same sums."""

    def __init__(self, base: Mapping[str, Floats], number: int, rank: int, *, together: bool = False) -> None:
        super().__init__()
        at = f"encoder.layer.{number}."
        parts = [f"{at}attention.self.{part}" for part in ("query", "key", "value")]
        self.qkv = nn.ModuleList(Added(base, some, rank) for some in ([parts] if together else [[p] for p in parts]))
        self.out, self.up, self.down = (
            Added(base, [at + name], rank) for name in ("attention.output.dense", "intermediate.dense", "output.dense")
        )
        norms = [f"{at}attention.output.LayerNorm", f"{at}output.LayerNorm"]
        self.norms = [[torch.from_numpy(base[f"{n}.{p}"].copy()) for p in ("weight", "bias")] for n in norms]

    def forward(self, x: Tensor, there: Tensor, *about: Tensor) -> Tensor:
        """x: (texts, tokens, 384); there: as `masked` makes it."""
        n, length, _ = x.shape
        qkv = torch.cat([part(x) for part in self.qkv], -1)
        q, k, v = qkv.view(n, length, 3, HEADS, -1).permute(2, 0, 3, 1, 4)
        taken = self.mixed(q, k, v, there, *about)
        x = self._norm(0, self.out(taken.transpose(1, 2).reshape(n, length, WIDTH)) + x)
        return self._norm(1, self.down(nn.functional.gelu(self.up(x))) + x)

    def mixed(self, q: Tensor, k: Tensor, v: Tensor, there: Tensor, *_: Tensor) -> Tensor:
        """What each token takes in."""
        return ((q @ k.transpose(2, 3)) / (WIDTH / HEADS) ** 0.5 + there).softmax(-1) @ v

    def _norm(self, which: int, x: Tensor) -> Tensor:
        return nn.functional.layer_norm(x, (WIDTH,), *self.norms[which], eps=1e-12)


def low_of(net: Any) -> dict[str, Tensor]:
    """What was learned for all layers of a network, in torch."""
    return {name: row for part in net.modules() if isinstance(part, Added) for name, row in part.low()}


def padded(rows: Sequence[Tensor]) -> tuple[Tensor, Tensor]:
    """As one, and which of it is there."""
    x = pad_sequence(list(rows), batch_first=True)
    return x, torch.arange(x.shape[1])[None] < torch.tensor([len(row) for row in rows])[:, None]


def masked(there: Tensor) -> Tensor:
    """(texts, tokens) -> what is added to the scores of the attention."""
    return torch.where(there, 0.0, -1e4)[:, None, None]
