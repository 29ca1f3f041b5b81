"""The network, and its training from demonstrations.

Sets of features become tokens, tokens attend to one another, then a pattern and pointers are chosen. The loss is
cross-entropy on pattern and pointers; names of what is asked for are dropped.
"""

from __future__ import annotations

import json
import random
import zlib
from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel

from minds.policies.swift.network import ASKED, GOAL, NAME, Lexicon, Network
from minds.training.processes import batches, descend, write
from minds.training.swift.dataset import Sample

BY_PATTERN = ("pattern.2.weight", "pattern.2.bias", "chosen.weight")
"""Weights with a row for each pattern."""


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

    def __init__(self, vocabulary: int, patterns: int, width: int, layers: int, heads: int = 4) -> None:
        super().__init__()
        self.heads = heads
        self.embed = nn.EmbeddingBag(vocabulary, width, mode="sum")
        nn.init.normal_(self.embed.weight, std=0.08)
        self.kind = nn.Embedding(2, width)
        self.enter = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, width), nn.GELU())
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.leave = nn.LayerNorm(width)
        self.pattern = nn.Sequential(nn.Linear(width, width), nn.GELU(), nn.Linear(width, patterns))
        self.chosen = nn.Embedding(patterns, width)
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
        logits = torch.einsum("bd,bnd->bn", query, keys) / keys.shape[-1] ** 0.5
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


@dataclass(frozen=True)
class Recipe:
    """How to train."""

    seed: int = 0
    epochs: int = 12
    size: int = 48
    rate: float = 2e-3
    drop_asked: float = 0.5
    drop_goal: float = 0.03
    drop_name: float = 0.05
    drop_any: float = 0.08
    drop_word: float = 0.25
    """Of the words of the goal and of notes, each by itself."""
    width: int = 128
    layers: int = 1
    average: float = 0.998
    cap: int = 90
    """The most steps of one pattern in one task in an epoch."""


def collate(group: Sequence[Sample], recipe: Recipe, dice: np.random.Generator) -> Batch:
    """A batch of steps, some of their features dropped."""
    counts = np.array([len(s.ids) for s in group])
    sizes = np.array([s.size for s in group])
    owner = np.repeat(np.arange(len(group)), counts)
    ids = np.concatenate([s.ids for s in group])
    starts = np.cumsum(sizes) - sizes
    token = np.concatenate([s.token for s in group]) + starts[owner]
    keep = _keep(np.concatenate([s.kind for s in group]), owner, len(group), recipe, dice)
    ids, token = ids[keep], token[keep]
    lengths = np.bincount(token, minlength=int(sizes.sum()))
    columns = np.concatenate([np.arange(n) for n in sizes])
    mask = np.arange(sizes.max())[None] < sizes[:, None]
    return Batch(
        torch.from_numpy(ids.astype(np.int64)),
        torch.from_numpy(np.cumsum(lengths) - lengths),
        torch.from_numpy(np.repeat(np.arange(len(group)), sizes)),
        torch.from_numpy(columns),
        torch.from_numpy(mask),
    )


def _keep(kind: np.ndarray, owner: np.ndarray, size: int, recipe: Recipe, dice: np.random.Generator) -> np.ndarray:
    keep: np.ndarray = dice.random(len(kind)) >= recipe.drop_any
    keep &= (kind != GOAL) | (dice.random(len(kind)) >= recipe.drop_word)
    for sort, share in ((ASKED, recipe.drop_asked), (GOAL, recipe.drop_goal), (NAME, recipe.drop_name)):
        gone = dice.random(size) < share
        keep &= ~((kind == sort) & gone[owner])
    return keep


def losses(network: Swift, batch: Batch, choices: Tensor) -> Tensor:
    """(B,) cross-entropy of the pattern and of the pointers it has."""
    tokens = network.tokens(batch)
    pattern, first, second = choices.T
    out = nn.functional.cross_entropy(network.patterns(tokens), pattern, reduction="none", label_smoothing=0.02)
    for point, chosen, about in ((network.first, first, (pattern,)), (network.second, second, (pattern, first))):
        rows = torch.nonzero(chosen >= 0)[:, 0]
        if len(rows):
            pointed = point(tokens[rows], batch.mask[rows], *(one[rows] for one in about))
            out = out.index_add(0, rows, nn.functional.cross_entropy(pointed, chosen[rows], reduction="none"))
    return out


def taken_over(network: Swift, before: Network, number: int, known: Lexicon) -> None:
    """Puts what one of some trained networks knows into a new one: features and patterns by their names."""
    old = {name: torch.from_numpy(np.array(array)) for name, array in before.arrays.items()}
    old["embed.weight"] = old["embed.weight"].transpose(0, 1)
    features = [(0, 0), *((known.features[name], row) for name, row in before.known.features.items())]
    patterns = [(known.patterns.index(name), row) for row, name in enumerate(before.known.patterns)]
    with torch.no_grad():
        for name, value in network.state_dict().items():
            former = old[name][number].float()
            named = features if name == "embed.weight" else patterns if name in BY_PATTERN else None
            if named is None:
                value.copy_(former)
            else:
                here, there = zip(*named, strict=True)
                value.zero_()[list(here)] = former[list(there)]


def train(data: Sequence[Sample], known: Lexicon, recipe: Recipe, before: Network | None = None) -> Swift:
    """The averaged network after all epochs; from another's weights where they are given."""
    torch.manual_seed(recipe.seed)
    dice, draw = np.random.default_rng(recipe.seed), random.Random(recipe.seed)
    network = Swift(len(known.features) + 1, len(known.patterns), recipe.width, recipe.layers)
    if before is not None:
        taken_over(network, before, recipe.seed % len(before.arrays["embed.weight"][0]), known)
    averaged = AveragedModel(network, avg_fn=partial(_average, recipe.average)).eval()
    averaged.update_parameters(network)  # the first time it only counts
    best = torch.optim.AdamW(network.parameters(), lr=recipe.rate, weight_decay=0.01, betas=(0.9, 0.98), fused=True)
    total = recipe.epochs * -(-len(_drawn(data, recipe.cap, draw)) // recipe.size)
    pace = torch.optim.lr_scheduler.OneCycleLR(best, recipe.rate, total_steps=total, pct_start=0.08)

    def groups() -> Iterator[list[Sample]]:
        for _ in range(recipe.epochs):
            drawn = _drawn(data, recipe.cap, draw)
            for rows in batches([sample.size for sample in drawn], recipe.size, dice):
                yield [drawn[row] for row in rows]

    def loss(group: Sequence[Sample]) -> Tensor:
        weights = torch.tensor([sample.weight for sample in group])
        each = losses(network, collate(group, recipe, dice), torch.tensor([sample.choice for sample in group]))
        return (each * weights).sum() / weights.sum()

    network.train()
    descend(best, groups(), loss, pace, clipped=True, behind=lambda: averaged.update_parameters(network))
    out: Swift = averaged.module
    return out


def save(path: Path, networks: Sequence[Swift], known: Lexicon) -> None:
    """Writes networks of one shape in half precision with what they know by number."""
    names = sorted(known.features, key=known.features.__getitem__)
    packed = b64encode(zlib.compress("\n".join(names).encode(), 9)).decode()
    shape = {"heads": networks[0].heads, "layers": len(networks[0].blocks)}
    meta = {"patterns": known.patterns, "rooms": known.rooms, **shape}
    states = [network.state_dict() for network in networks]
    stacked = {name: np.stack([state[name].half().numpy() for state in states]) for name in states[0]}
    write(path, stacked, {"features": packed, "meta": json.dumps(meta)})


def _drawn(data: Sequence[Sample], cap: int, draw: random.Random) -> list[Sample]:
    """At most `cap` steps of each pattern in each task, drawn anew."""
    kinds: dict[tuple[str, int], list[Sample]] = {}
    for sample in data:
        kinds.setdefault((sample.key[0], sample.choice[0]), []).append(sample)
    return [s for rows in kinds.values() for s in (draw.sample(rows, cap) if len(rows) > cap else rows)]


def _average(most: float, kept: Tensor, new: Tensor, done: Tensor) -> Tensor:
    return kept.lerp(new, 1 - min(most, 1 - 1 / (int(done) / 4 + 1)))
