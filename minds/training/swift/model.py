"""The network: sets of features become tokens, tokens attend to one another, then a pattern and pointers are chosen."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class Shape:
    """Sizes of a network."""

    vocabulary: int
    patterns: int
    width: int = 128
    layers: int = 2
    heads: int = 4


@dataclass
class Batch:
    """Ragged features of B steps: `ids` flat, `offsets` the start of each token, `rows`/`columns` where it goes."""

    ids: Tensor
    offsets: Tensor
    rows: Tensor
    columns: Tensor
    mask: Tensor
    """(B, N) true where there is a token; token 0 is the whole."""


class Swift(nn.Module):  # type: ignore[misc]
    """Pattern, then first and second pointer, each given what was chosen before."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        width = shape.width
        self.embed = nn.EmbeddingBag(shape.vocabulary, width, mode="sum")
        nn.init.normal_(self.embed.weight, std=0.08)
        self.kind = nn.Embedding(2, width)
        self.enter = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, width), nn.GELU())
        self.blocks = nn.ModuleList(Block(width, shape.heads) for _ in range(shape.layers))
        self.leave = nn.LayerNorm(width)
        self.pattern = nn.Sequential(nn.Linear(width, width), nn.GELU(), nn.Linear(width, shape.patterns))
        self.chosen = nn.Embedding(shape.patterns, width)
        self.ask = nn.ModuleList(
            nn.Sequential(nn.Linear(width * n, width), nn.GELU(), nn.Linear(width, width)) for n in (2, 3)
        )
        self.answer = nn.ModuleList(nn.Linear(width, width) for _ in range(2))

    def tokens(self, batch: Batch) -> Tensor:
        """(B, N, width): every token in the light of all others."""
        size, most = batch.mask.shape
        flat = self.embed(batch.ids, batch.offsets)
        flat = flat + self.kind((batch.columns > 0).long())
        flat = self.enter(flat) + flat
        full = flat.new_zeros(size, most, flat.shape[-1])
        full[batch.rows, batch.columns] = flat
        for block in self.blocks:
            full = block(full, batch.mask)
        out: Tensor = self.leave(full)
        return out

    def patterns(self, tokens: Tensor) -> Tensor:
        """(B, patterns) logits."""
        out: Tensor = self.pattern(tokens[:, 0])
        return out

    def first(self, tokens: Tensor, mask: Tensor, pattern: Tensor) -> Tensor:
        """(B, N) logits of the first pointer."""
        query = self.ask[0](torch.cat([tokens[:, 0], self.chosen(pattern)], -1))
        return self._point(0, query, tokens, mask)

    def second(self, tokens: Tensor, mask: Tensor, pattern: Tensor, first: Tensor) -> Tensor:
        """(B, N) logits of the second pointer; never the first again."""
        rows = torch.arange(len(first))
        query = self.ask[1](torch.cat([tokens[:, 0], self.chosen(pattern), tokens[rows, first]], -1))
        allowed = mask.clone()
        allowed[rows, first] = False
        return self._point(1, query, tokens, allowed)

    def _point(self, slot: int, query: Tensor, tokens: Tensor, mask: Tensor) -> Tensor:
        keys = self.answer[slot](tokens)
        logits = torch.einsum("bd,bnd->bn", query, keys) / self.shape.width**0.5
        allowed = mask.clone()
        allowed[:, 0] = False
        return logits.masked_fill(~allowed, -1e4)


class Block(nn.Module):  # type: ignore[misc]
    """One pre-norm transformer layer."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.before = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.join = nn.Linear(width, width)
        self.then = nn.LayerNorm(width)
        self.feed = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))
        self.drop = nn.Dropout(0.1)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        size, most, width = x.shape
        qkv = self.qkv(self.before(x)).view(size, most, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        mixed = nn.functional.scaled_dot_product_attention(qkv[0], qkv[1], qkv[2], attn_mask=mask[:, None, None, :])
        x = x + self.drop(self.join(mixed.transpose(1, 2).reshape(size, most, width)))
        return x + self.drop(self.feed(self.then(x)))
