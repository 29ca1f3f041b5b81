"""Trains the network from demonstrations: cross-entropy on pattern and pointers, names of what is asked for dropped."""

from __future__ import annotations

import copy
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from minds.policies.swift.encoding import ASKED, GOAL, NAME, Lexicon
from minds.training.swift.dataset import Sample, batches
from minds.training.swift.model import Batch, Shape, Swift


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


def collate(group: Sequence[Sample], recipe: Recipe | None, dice: np.random.Generator | None) -> Batch:
    """A batch of steps; with a recipe, features are dropped as it says."""
    counts = np.array([len(s.ids) for s in group])
    sizes = np.array([s.size for s in group])
    owner = np.repeat(np.arange(len(group)), counts)
    ids = np.concatenate([s.ids for s in group])
    starts = np.cumsum(sizes) - sizes
    token = np.concatenate([s.token for s in group]) + starts[owner]
    if recipe and dice is not None:
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
    rows = torch.nonzero(first >= 0)[:, 0]
    if len(rows):
        pointed = network.first(tokens[rows], batch.mask[rows], pattern[rows])
        out = out.index_add(0, rows, nn.functional.cross_entropy(pointed, first[rows], reduction="none"))
    rows = torch.nonzero(second >= 0)[:, 0]
    if len(rows):
        pointed = network.second(tokens[rows], batch.mask[rows], pattern[rows], first[rows])
        out = out.index_add(0, rows, nn.functional.cross_entropy(pointed, second[rows], reduction="none"))
    return out


def train(
    data: Sequence[Sample], known: Lexicon, recipe: Recipe, told: Callable[[str], None], start: Swift | None = None
) -> Swift:
    """The averaged network after all epochs; `start` is a network of the same shape to go on from."""
    torch.manual_seed(recipe.seed)
    dice, draw = np.random.default_rng(recipe.seed), random.Random(recipe.seed)
    network = start or Swift(Shape(len(known.features) + 1, len(known.patterns), recipe.width, recipe.layers))
    averaged: Swift = copy.deepcopy(network).eval()
    optimizer = torch.optim.AdamW(
        network.parameters(), lr=recipe.rate, weight_decay=0.01, betas=(0.9, 0.98), fused=True
    )
    total = recipe.epochs * (len(batches(_drawn(data, recipe.cap, draw), recipe.size, draw)) + 2)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, recipe.rate, total_steps=total, pct_start=0.08)
    began, step = time.monotonic(), 0
    network.train()
    for epoch in range(recipe.epochs):
        lost, count = 0.0, 0
        for group in batches(_drawn(data, recipe.cap, draw), recipe.size, draw):
            lost += _step(network, optimizer, group, recipe, dice)
            schedule.step()
            step, count = step + 1, count + len(group)
            _average(averaged, network, min(recipe.average, 1 - 1 / (step / 4 + 1)))
        told(f"epoch {epoch + 1}/{recipe.epochs} loss {lost / count:.4f} {time.monotonic() - began:.0f} s")
    return averaged


def _step(
    network: Swift, optimizer: torch.optim.Optimizer, group: Sequence[Sample], recipe: Recipe, dice: np.random.Generator
) -> float:
    """One step of the optimizer; the batch's summed loss."""
    weights = torch.tensor([s.weight for s in group])
    each = losses(network, collate(group, recipe, dice), torch.tensor([s.choice for s in group]))
    optimizer.zero_grad(set_to_none=True)
    torch.autograd.backward((each * weights).sum() / weights.sum())
    nn.utils.clip_grad_norm_(network.parameters(), 1.0)
    optimizer.step()
    return float(each.detach().sum())


def _drawn(data: Sequence[Sample], cap: int, draw: random.Random) -> list[Sample]:
    """At most `cap` steps of each pattern in each task, drawn anew."""
    kinds: dict[tuple[str, int], list[Sample]] = {}
    for sample in data:
        kinds.setdefault((sample.key[0], sample.choice[0]), []).append(sample)
    return [s for rows in kinds.values() for s in (draw.sample(rows, cap) if len(rows) > cap else rows)]


def _average(averaged: Swift, network: Swift, share: float) -> None:
    with torch.no_grad():
        for kept, new in zip(averaged.parameters(), network.parameters(), strict=True):
            kept.lerp_(new, 1 - share)
