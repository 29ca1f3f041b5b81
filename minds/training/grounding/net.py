"""The scorer behind words to actions, as it is fitted (tools/worlds/words/scorer.py runs it)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as f

from minds.training.grounding.said import Said
from tools.worlds.words.options import Option, options
from tools.worlds.words.scorer import NONE, SHARP, UNKNOWN, Floats, verbal
from tools.worlds.words.spots import heard

WIDTH, NEAR, HIDDEN, MIXED = 384, 48, 24, 16
BATCH, EPOCHS, RATE, DECAY = 24, 6, 4e-3, 0.02
UNHEARD = 0.35
"""Share of sentences whose verb is shown as one that no table knows: so it is with the next person's."""
BLIND = 0.1
"""Share of batches without vectors."""


@dataclass(frozen=True)
class Shown:
    """A sentence as numbers: the signs of its options in one row after another, and what each action consists of."""

    says: str
    signs: tuple[str, ...]
    values: NDArray[np.float32]
    starts: NDArray[np.int64]
    """Where the signs of each option begin, and the end."""
    of: NDArray[np.int64]
    """Which action each option finds."""
    actions: tuple[str, ...]
    verbs: tuple[str, ...]
    args: tuple[tuple[str, ...], ...]
    right: NDArray[np.bool_]


def shown(said: Said) -> tuple[Shown, ...]:
    """As it is; and, where the tables know its verb, as if they did not."""
    here = said.here
    sentence = heard(said.says, here)
    wanted = {here.parse(action).verb for action in said.expect}
    kept = tuple(cue for cue in sentence.cues if not any(frame.verb in wanted for frame in cue.intent.frames))
    ways = [sentence, replace(sentence, cues=kept)] if len(kept) < len(sentence.cues) else [sentence]
    return tuple(_numbers(said, options(way, here)) for way in ways)


def _numbers(said: Said, found: Sequence[Option]) -> Shown:
    here = said.here
    actions = tuple(dict.fromkeys(option.action for option in found))
    acts = [here.parse(action) if action else None for action in actions]
    signs = [(name, value) for option in found for name, value in option.features.items()]
    return Shown(
        said.says.lower(),
        tuple(name for name, _ in signs),
        np.array([value for _, value in signs], np.float32),
        np.cumsum([0, *(len(option.features) for option in found)]),
        np.array([actions.index(option.action) for option in found]),
        actions,
        tuple(act.verb if act else NONE for act in acts),
        tuple(tuple(verbal(arg) for arg in act.args[:2]) if act else () for act in acts),
        np.array([action in said.expect if said.expect else not action for action in actions]),
    )


@dataclass(frozen=True)
class Vectors:
    """Token vectors of sentences, mean ones of names; the mean of all tokens is taken off when they are used."""

    said: Mapping[str, Floats]
    names: Floats
    """Shape (names, 384)."""
    mean: Floats


@dataclass(frozen=True)
class Index:
    """Rows of the signs, of the verbs and of the names."""

    features: Mapping[str, int]
    verbs: Mapping[str, int]
    names: Mapping[str, int]


@dataclass(frozen=True)
class Coded:
    """A sentence as numbers alone; signs that the index lacks are gone."""

    says: str
    actions: tuple[str, ...]
    signs: NDArray[np.int64]
    values: NDArray[np.float32]
    starts: NDArray[np.int64]
    of: NDArray[np.int64]
    verbs: NDArray[np.int64]
    args: NDArray[np.int64]
    """Names of each action's two arguments, shape (actions, 2); -1 where there is none."""
    right: NDArray[np.bool_]


def coded(row: Shown, index: Index) -> Coded:
    """By the index."""
    signs = np.array([index.features.get(name, -1) for name in row.signs], np.int64)
    known = signs >= 0
    args = np.full((len(row.actions), 2), -1, np.int64)
    for pair, named in zip(args, row.args, strict=True):
        pair[: len(named)] = [index.names[name] for name in named]
    return Coded(
        row.says,
        row.actions,
        signs[known],
        row.values[known],
        np.cumsum([0, *known])[row.starts],
        row.of,
        np.array([index.verbs.get(verb, index.verbs[UNKNOWN]) for verb in row.verbs], np.int64),
        args,
        row.right,
    )


class Scorer(nn.Module):  # type: ignore[misc]
    """Scores of options; parameters are called as the weights file calls them."""

    def __init__(self, signs: int, verbs: int) -> None:
        super().__init__()
        near = torch.linalg.qr(torch.randn(WIDTH, WIDTH))[0][:, :NEAR] * (WIDTH / NEAR) ** 0.25
        self.signs = nn.EmbeddingBag(signs, HIDDEN + 1, mode="sum", include_last_offset=True)
        nn.init.normal_(self.signs.weight, 0, 0.05)
        self.attend, self.value = nn.Linear(WIDTH, verbs), nn.Linear(WIDTH, verbs)
        nn.init.normal_(self.attend.weight, 0, 0.02)
        nn.init.normal_(self.value.weight, 0, 0.02)
        self.words, self.names = nn.Parameter(near.clone()), nn.Parameter(near.clone())
        self.signs_bias = nn.Parameter(torch.zeros(HIDDEN))
        self.mix, self.top, self.direct = nn.Linear(HIDDEN + 4, MIXED), nn.Linear(MIXED, 1), nn.Linear(4, 1)
        nn.init.constant_(self.direct.weight, 0.3)
        self.drop, self.drop_signs = nn.Dropout(0.4), nn.Dropout(0.2)

    def forward(self, batch: Batch, seeing: bool = True) -> Tensor:
        """The score of each action of all sentences of the batch."""
        meaning = self._meaning(batch)[batch.of] * float(seeing)
        signs = self.signs(batch.signs, batch.starts, per_sample_weights=batch.values)
        hidden = self.drop_signs(torch.relu(signs[:, 1:] + self.signs_bias))
        mixed = torch.relu(self.mix(torch.cat([hidden, meaning], 1)))
        return _pooled((signs[:, :1] + self.direct(meaning) + self.top(mixed))[:, 0], batch.of, len(batch.row))

    def _meaning(self, batch: Batch) -> Tensor:
        mask = batch.mask
        if self.training:  # now and then a word is not heard
            mask = mask & ((torch.rand(mask.shape) > 0.1) | (mask.sum(1, keepdim=True) <= 3))
        out = ~mask * -1e4
        said = self.drop(batch.said)
        verbs = (torch.softmax(self.attend(said) + out[..., None], 1) * self.value(said)).sum(1)
        words, names = f.normalize(said @ self.words, dim=-1), f.normalize(batch.names @ self.names, dim=-1)
        near = SHARP * torch.einsum("btd,nd->bnt", words, names) + out[:, None, :]
        fits = torch.logsumexp(2 * near, -1) / 2 - SHARP / 2
        fits = torch.cat([fits, torch.zeros(len(fits), 1)], 1)
        first, second = (fits[batch.row, batch.args[:, place]] for place in (0, 1))
        return torch.stack([verbs[batch.row, batch.verb], first, second, (batch.args[:, 1] >= 0).float()], 1)


@dataclass(frozen=True)
class Batch:
    """Sentences side by side."""

    said: Tensor
    mask: Tensor
    names: Tensor
    row: Tensor
    """Of which sentence each action is."""
    verb: Tensor
    args: Tensor
    of: Tensor
    signs: Tensor
    starts: Tensor
    values: Tensor
    right: Tensor


def batched(rows: Sequence[Coded], vectors: Vectors) -> Batch:
    """All options of some sentences. `vectors.names` is in the order of the index."""
    length = max(len(vectors.said[row.says]) for row in rows)
    said, mask = np.zeros((len(rows), length, WIDTH), np.float32), np.zeros((len(rows), length), bool)
    for i, row in enumerate(rows):
        tokens = vectors.said[row.says] - vectors.mean
        said[i, : len(tokens)], mask[i, : len(tokens)] = tokens, True
    actions = np.cumsum([0, *(len(row.actions) for row in rows)])
    signs = np.cumsum([0, *(len(row.signs) for row in rows)])
    named, args = np.unique(np.concatenate([row.args for row in rows]), return_inverse=True)
    none = int(named[0] < 0)
    return Batch(
        torch.from_numpy(said),
        torch.from_numpy(mask),
        torch.from_numpy(vectors.names[named[none:]] - vectors.mean if len(named) > none else said[0, :1] * 0),
        torch.from_numpy(np.repeat(np.arange(len(rows)), np.diff(actions))),
        torch.from_numpy(np.concatenate([row.verbs for row in rows])),
        torch.from_numpy(args.reshape(-1, 2) - none),
        torch.from_numpy(np.concatenate([row.of + at for row, at in zip(rows, actions, strict=False)])),
        torch.from_numpy(np.concatenate([row.signs for row in rows])),
        torch.from_numpy(np.concatenate([[0], *(r.starts[1:] + at for r, at in zip(rows, signs, strict=False))])),
        torch.from_numpy(np.concatenate([row.values for row in rows])),
        torch.from_numpy(np.concatenate([row.right for row in rows])),
    )


def _pooled(values: Tensor, of: Tensor, count: int) -> Tensor:
    """log sum exp of the values of each group."""
    top = torch.full((count,), -1e9).scatter_reduce(0, of, values, "amax").detach()
    return torch.log(torch.zeros(count).index_add(0, of, torch.exp(values - top[of])) + 1e-30) + top


def loss(scores: Tensor, right: Tensor, row: Tensor, count: int, floor: float = -12.0) -> Tensor:
    """Of each group: minus the logarithm of what is right, among all; at most -`floor`."""
    wanted = _pooled(torch.where(right, scores, torch.tensor(-1e9)), row, count)
    return -(wanted - _pooled(scores, row, count)).clamp(min=floor)


def fit_scorer(
    rows: Sequence[tuple[Coded, ...]],
    weights: Sequence[float],
    vectors: Vectors,
    index: Index,
    seed: int,
    told: Callable[[str], None],
) -> Scorer:
    """Fitted by AdamW on the choice among all options; `weights`: how much each sentence counts."""
    torch.manual_seed(seed)
    chance = np.random.default_rng(seed)
    usable = [(ways, weight) for ways, weight in zip(rows, weights, strict=True) if ways[0].right.any()]
    net = Scorer(len(index.features), len(index.verbs))
    optimizer = torch.optim.AdamW(net.parameters(), lr=RATE / 2, weight_decay=DECAY)
    pace = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=math.ceil(len(usable) / BATCH) * EPOCHS)
    for epoch in range(EPOCHS):
        net.train()
        order, total = chance.permutation(len(usable)), 0.0
        for start in range(0, len(order), BATCH):
            chosen = [usable[i] for i in order[start : start + BATCH]]
            batch = batched([ways[-1 if chance.random() < UNHEARD else 0] for ways, _ in chosen], vectors)
            share = torch.tensor([weight for _, weight in chosen])
            each = loss(net(batch, chance.random() > BLIND), batch.right, batch.row, len(chosen))
            wrong = (each * share).sum() / share.sum()
            optimizer.zero_grad()
            wrong.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimizer.step()
            pace.step()
            total += float(wrong.detach()) * len(chosen)
        told(f"epoch {epoch + 1} of {EPOCHS}: loss {total / len(usable):.3f}")
    net.eval()
    return net


@torch.no_grad()  # type: ignore[untyped-decorator]
def likely(net: Scorer, rows: Sequence[Coded], vectors: Vectors, seeing: bool) -> list[dict[str, float]]:
    """The logarithm of each action's probability, for each sentence."""
    found: list[dict[str, float]] = []
    for start in range(0, len(rows), 32):
        part = rows[start : start + 32]
        batch = batched(part, vectors)
        scores = net(batch, seeing)
        scores = (scores - _pooled(scores, batch.row, len(part))[batch.row]).numpy()
        for i, row in enumerate(part):
            found.append(dict(zip(row.actions, scores[batch.row.numpy() == i].tolist(), strict=True)))
    return found


def tensors(net: nn.Module, group: str) -> dict[str, NDArray[np.float16]]:
    """Its parameters under the names of the weights file, half as wide."""
    found = {}
    for name, value in net.state_dict().items():
        key = name.removesuffix(".weight").replace(".bias", "_bias")
        found[f"{group}.{key}"] = np.ascontiguousarray(value.numpy(), np.float16)
    return found
