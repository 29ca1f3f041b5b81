"""Fits the network to what the expert calls good, with torch.

A state counts as right when its probability goes to any of the good actions; a second output learns for each action
whether it is good, which becomes the confidence. Hashed names are left out at random, so that kinds of things that
were never seen do not surprise the network.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pad_sequence

from minds.policies.swift_alfworld import features
from minds.policies.swift_alfworld.features import BY_PAIR, FULL, NAMES, WORDS
from minds.training.processes import descend, shuffled
from minds.training.swift_alfworld.dataset import Sample

LOWEST = -1e9
"""The score of what is no action."""
DROP, LOST, TRUST = 0.1, 0.3, 0.2
"""Shares of hashed names, and of the receptacles of known rooms, that are left out; the second output's loss weighs."""


class Batch(NamedTuple):
    """States as `Step` has them, and their actions one after the other; `room` is padded with 0."""

    words: Tensor
    about: Tensor
    overall: Tensor
    room: Tensor
    actions: Tensor
    names: Tensor
    match: Tensor
    pairs: Tensor
    spots: Tensor
    good: Tensor
    """(actions,) bool"""
    state: Tensor
    """(actions,) which state each belongs to."""


class Scorer(nn.Module):  # type: ignore[misc]
    """`network.py` says what it computes."""

    def __init__(self, heads: int = 4, word: int = 24, pair: int = 6, spot: int = 2, wide: int = 128) -> None:
        super().__init__()
        self.word, self.pair = nn.Embedding(NAMES, word), nn.Embedding(features.PAIRS, pair)
        nn.init.normal_(self.word.weight, std=0.3)
        self.spot = nn.Embedding(features.SPOTS, spot)
        nn.init.normal_(self.pair.weight, std=0.1)
        nn.init.normal_(self.spot.weight, std=0.01)
        self.read, self.point = nn.Linear(3 * word + 2, 32), nn.Linear(32, heads)
        self.state = nn.Linear(32 + heads * features.BY_WORD + features.OVERALL + word, 64)
        self.enter = nn.Linear(features.BY_ACTION + 2 * word + heads * (BY_PAIR + pair + spot), wide)
        self.join = nn.Linear(64, wide, bias=False)
        self.middle, self.leave = nn.Linear(wide, 64), nn.Linear(64, 2)

    def forward(self, batch: Batch) -> Tensor:
        """(actions, 2): score, and the logit of being good."""
        weights, read = self.attention(batch.words)
        about = torch.einsum("swk,swf->skf", weights, batch.about).flatten(1)
        room = self.names(batch.room).sum(1) / 10
        state = _gelu(self.state(torch.cat([read, about, batch.overall, room], 1)))
        pairs = self.pair(batch.pairs) * (batch.pairs > 0)[..., None]
        spots = self.spot(batch.spots) * (batch.spots > 0)[..., None]
        cross = torch.cat([batch.match, pairs, spots], 2)
        pointed = torch.einsum("awk,awf->akf", weights[batch.state], cross).flatten(1)
        x = torch.cat([batch.actions, self.names(batch.names).flatten(1), pointed], 1)
        x = _gelu(self.enter(x) + self.join(state)[batch.state])
        out: Tensor = self.leave(_gelu(self.middle(x)))
        return out

    def names(self, ids: Tensor) -> Tensor:
        out: Tensor = self.word(ids) * (ids > 0)[..., None]
        return out

    def attention(self, words: Tensor) -> tuple[Tensor, Tensor]:
        there = words >= 0
        embedded = self.names(words.clamp(min=0))
        around = F.pad(embedded, (0, 0, 1, 1))
        order = torch.arange(WORDS).expand(words.shape)
        where = torch.stack([order / WORDS, (there.sum(1, keepdim=True) - order) / WORDS], 2)
        hidden = _gelu(self.read(torch.cat([around[:, :-2], embedded, around[:, 2:], where], 2)))
        weights = self.point(hidden).masked_fill(~there[..., None], -1e4).softmax(1)
        read = (hidden * there[..., None]).sum(1) / there.sum(1, keepdim=True)
        return weights, read

    def arrays(self) -> dict[str, np.ndarray]:
        """As network.py reads them, in half precision; row 0 of the tables is nothing."""
        out = {name: value.half().numpy() for name, value in self.state_dict().items()}
        for name in ("word.weight", "pair.weight", "spot.weight"):
            out[name][0] = 0
        return out


def train(data: Sequence[Sample], epochs: int, seed: int = 0, size: int = 256, rate: float = 3e-3) -> Scorer:
    """The network after the last epoch; `size`: states in a batch."""
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    dice, network = np.random.default_rng(seed), Scorer()
    steps = epochs * -(-len(data) // size)
    best = torch.optim.AdamW(network.parameters(), rate, weight_decay=1e-4)
    pace = torch.optim.lr_scheduler.OneCycleLR(best, rate, total_steps=steps, pct_start=0.1)

    def loss(numbers: np.ndarray) -> Tensor:
        batch = collated([data[number] for number in numbers], DROP, dice, LOST)
        return _loss(network(batch), batch)

    descend(best, shuffled(len(data), size, [dice] * epochs), loss, pace, clipped=True)
    return network


def judged(network: Scorer, data: Sequence[Sample]) -> tuple[np.ndarray, np.ndarray]:
    """Of each state's best action: the logit of being good, and whether it is."""
    logits, good = [], []
    with torch.no_grad():
        for start in range(0, len(data), 512):
            batch = collated(data[start : start + 512], 0.0, np.random.default_rng(0))
            score, judged_ = network(batch).T
            best = _by_state(score, batch, LOWEST).argmax(1, keepdim=True)
            logits.append(_by_state(judged_, batch, 0).gather(1, best)[:, 0])
            good.append(_by_state(batch.good, batch, False).gather(1, best)[:, 0])
    return torch.cat(logits).numpy(), torch.cat(good).numpy()


def collated(some: Sequence[Sample], drop: float, dice: np.random.Generator, lost: float = 0.0) -> Batch:
    """Tensors of those states; hashed names are left out (0) at the rate `drop`."""
    steps = [sample.step for sample in some]

    def joined(name: str) -> np.ndarray:
        return np.concatenate([getattr(step, name) for step in steps])

    def shares(bytes_: np.ndarray) -> Tensor:
        return torch.from_numpy(bytes_.astype(np.float32) / FULL)

    def thinned(ids: np.ndarray, rate: float = drop) -> Tensor:
        kept = dice.random(ids.shape, np.float32) >= rate
        return torch.from_numpy(np.where(kept, ids, 0).astype(np.int64))

    words = np.stack([step.words for step in steps])
    return Batch(
        torch.where(torch.from_numpy(words > 0), thinned(words), -1),  # -1 is no word; 0 one that was left out
        shares(np.stack([step.about for step in steps])),
        shares(np.stack([step.overall for step in steps])),
        thinned(pad_sequence([torch.from_numpy(step.room) for step in steps], batch_first=True).numpy()),
        shares(joined("actions")),
        thinned(joined("names")),
        shares(joined("match")),
        thinned(joined("pairs")),
        thinned(joined("spots"), lost),
        torch.from_numpy(np.concatenate([sample.good for sample in some])),
        torch.from_numpy(np.repeat(np.arange(len(some)), [len(sample.good) for sample in some])),
    )


def _loss(out: Tensor, batch: Batch) -> Tensor:
    score, good = _by_state(out[:, 0], batch, LOWEST), _by_state(batch.good, batch, False)
    missed = score.logsumexp(1) - score.masked_fill(~good, -1e4).logsumexp(1)
    return missed.mean() + TRUST * F.binary_cross_entropy_with_logits(out[:, 1], batch.good.float())


def _by_state(x: Tensor, batch: Batch, fill: float) -> Tensor:
    """(actions,) as (states, most actions of one)."""
    return pad_sequence(x.split(batch.state.bincount().tolist()), batch_first=True, padding_value=fill)


def _gelu(x: Tensor) -> Tensor:
    return F.gelu(x, approximate="tanh")
