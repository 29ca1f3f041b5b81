"""The decision behind words to actions, as it is fitted (tools/worlds/words/deciding.py runs it)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from minds.training.grounding.cases import FRESH, Case
from minds.training.grounding.net import loss
from tools.worlds.words.gist import Gist
from tools.worlds.words.scorer import Floats
from tools.worlds.words.signs import Candidate, candidates

CHOICES, ROUNDS = 128, 12
"""Sentences at a time, and passes."""
RARE = 12
"""Signs that fewer candidates have are left out."""
FRESHLY = 5.0
"""How much a sentence of a fresh author counts."""
MEMBERS = 5
"""Deciders whose scores are added."""


class Decider(nn.Module):  # type: ignore[misc]
    """A score for each candidate from its signs."""

    def __init__(self, signs: int, hidden: int = 24) -> None:
        super().__init__()
        self.direct, self.hidden, self.top = nn.Linear(signs, 1), nn.Linear(signs, hidden), nn.Linear(hidden, 1)
        nn.init.zeros_(self.direct.weight)
        self.drop = nn.Dropout(0.2)

    def forward(self, table: Tensor) -> Tensor:
        """Shape (candidates,)."""
        bent: Tensor = self.top(self.drop(torch.tanh(self.hidden(table))))
        return (self.direct(table) + bent)[:, 0]


def fit_decider(table: Floats, row: NDArray[np.int64], right: NDArray[np.bool_], weight: Floats, seed: int) -> Decider:
    """`table`: candidates of all sentences, shape (candidates, signs); `row`: of which each is; `weight`: of each."""
    torch.manual_seed(seed)
    chance, net = np.random.default_rng(seed), Decider(table.shape[1])
    starts = np.searchsorted(row, np.arange(len(weight) + 1))
    usable = np.unique(row[right])
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.01, weight_decay=0.05)
    pace = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, math.ceil(len(usable) / CHOICES) * ROUNDS)
    for _ in range(ROUNDS):
        order = chance.permutation(usable)
        for start in range(0, len(order), CHOICES):
            chosen = order[start : start + CHOICES]
            at = np.concatenate([np.arange(starts[i], starts[i + 1]) for i in chosen])
            of = torch.from_numpy(np.repeat(np.arange(len(chosen)), starts[chosen + 1] - starts[chosen]))
            share = torch.from_numpy(weight[chosen])
            each = loss(net(torch.from_numpy(table[at])), torch.from_numpy(right[at]), of, len(chosen), -8.0)
            wrong = (each * share).sum() / share.sum()
            optimizer.zero_grad()
            wrong.backward()
            optimizer.step()
            pace.step()
    net.eval()
    return net


class Choices:
    """The candidates of sentences as a table, for fitting and for measuring."""

    def __init__(
        self, cases: Sequence[Case], likely: Sequence[Mapping[str, float]], gists: Sequence[Gist | None]
    ) -> None:
        """`gists`: none of anybody where the decision is to do without vectors."""
        self.cases = cases
        self.found = [
            candidates(case.heard, chances, case.said.world, about)
            for case, chances, about in zip(cases, likely, gists, strict=True)
        ]
        often = Counter(sign for found in self.found for candidate in found for sign in candidate.signs)
        self.signs = sorted(sign for sign, count in often.items() if count >= min(RARE, len(cases)))
        self.files = np.array([case.file for case in cases])

    def fitted(self, without: Sequence[str] = (), signs: Sequence[str] = ()) -> list[Decider]:
        """To what is right, of several readings the longest; not to the sentences of some files."""
        at = [i for i in range(len(self.cases)) if self.files[i] not in without]
        table = [rows(self.found[i], signs or self.signs) for i in at]
        row = np.repeat(np.arange(len(at)), [len(one) for one in table])
        right = np.concatenate([self._wanted(i) for i in at])
        weight = np.array([FRESHLY if self.files[i] in FRESH else 1.0 for i in at], np.float32)
        return [fit_decider(np.concatenate(table), row, right, weight, seed) for seed in range(MEMBERS)]

    def _wanted(self, at: int) -> NDArray[np.bool_]:
        good = [self.cases[at].right(candidate.steps) for candidate in self.found[at]]
        most = max((len(c.steps) for c, ok in zip(self.found[at], good, strict=True) if ok), default=0)
        return np.array([ok and len(c.steps) == most for c, ok in zip(self.found[at], good, strict=True)])

    def right(self, nets: Sequence[Decider], file: str) -> int:
        """How many sentences of a file come out right."""
        return sum(
            self.cases[i].right(chosen(nets, self.found[i], self.signs).steps) for i in np.where(self.files == file)[0]
        )


def rows(found: Sequence[Candidate], signs: Sequence[str]) -> Floats:
    """Shape (candidates, signs)."""
    return np.array([[candidate.signs.get(sign, 0.0) for sign in signs] for candidate in found], np.float32)


@torch.no_grad()  # type: ignore[untyped-decorator]
def chosen(nets: Sequence[Decider], found: Sequence[Candidate], signs: Sequence[str]) -> Candidate:
    """The one that is done."""
    table = torch.from_numpy(rows(found, signs))
    return found[int(torch.stack([net(table) for net in nets]).sum(0).argmax())]
