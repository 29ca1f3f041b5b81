"""The reader of a sentence's gist, as it is fitted (tools/worlds/words/gist.py runs it)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as f

from minds.training.grounding.cases import Case
from minds.training.grounding.net import WIDTH, Vectors
from tools.worlds.words.gist import HEADS, LEAST, Floats, Gist, beside
from tools.worlds.words.surroundings import verb_of

VALUE, TRIPLES, LAST, HIDDEN = 24, 48, 12, 64
BATCH, EPOCHS, RATE, DECAY = 64, 8, 3e-3, 0.05
UNFRESH = 0.3
"""How much a sentence counts by which the rules were mended, against a fresh author's."""
VERBS = 0.3
"""How much the verbs count, against whether anything is asked for."""


@dataclass(frozen=True)
class Read:
    """A sentence for the fit."""

    says: str
    last: str
    """The last action's verb; empty where there was none."""
    aside: tuple[float, float]
    """Whether the world is the laboratory; whether the form is that of a remark."""
    wanted: frozenset[str]
    """Verbs of what is acceptable; none where nothing is to be done."""


def read_of(case: Case) -> Read:
    """What the gist is read from and what it should be."""
    said = case.said
    last, aside = beside(said.recent, said.world, case.heard.remark)
    return Read(said.says.lower(), last, aside, frozenset(map(verb_of, said.expect)))


class Reader(nn.Module):  # type: ignore[misc]
    """Parameters are called as the weights file calls them."""

    def __init__(self, verbs: int) -> None:
        super().__init__()
        self.attend, self.value = nn.Linear(WIDTH, HEADS), nn.Linear(WIDTH, HEADS * VALUE)
        nn.init.normal_(self.attend.weight, 0, 0.02)
        nn.init.normal_(self.value.weight, 0, 0.02)
        self.triple, self.last = nn.Linear(3 * WIDTH, TRIPLES), nn.Embedding(verbs, LAST)
        self.hidden = nn.Linear(HEADS * VALUE + TRIPLES + LAST + 2, HIDDEN)
        self.asked, self.verb = nn.Linear(HIDDEN, 1), nn.Linear(HIDDEN, verbs)
        self.drop = nn.Dropout(0.4)

    def forward(self, said: Tensor, mask: Tensor, last: Tensor, aside: Tensor) -> tuple[Tensor, Tensor]:
        """Log odds that anything is asked for, shape (sentences,), and of each verb, (sentences, verbs)."""
        if self.training:  # now and then a word is not heard
            mask = mask & ((torch.rand(mask.shape) > 0.1) | (mask.sum(1, keepdim=True) <= 3))
        said, out = self.drop(said), (~mask * -1e4)[..., None]
        shares = torch.softmax(self.attend(said) + out, 1)
        pooled = torch.einsum("bth,bthv->bhv", shares, self.value(said).unflatten(2, (HEADS, VALUE))).flatten(1)
        wide = f.pad(said, (0, 0, 1, 1))
        triples = torch.cat([wide[:, :-2], said, wide[:, 2:]], 2)
        triple = (torch.relu(self.triple(triples)) + out).amax(1)
        hidden = self.drop(torch.relu(self.hidden(torch.cat([pooled, triple, self.last(last), aside], 1))))
        return self.asked(hidden)[:, 0], self.verb(hidden)


class Gists:
    """Sentences as tables, for fitting and for reading."""

    def __init__(self, reads: Sequence[Read], vectors: Vectors, told: Callable[[str], None]) -> None:
        self.reads, self.vectors, self.told = reads, vectors, told
        self.verbs = ["", *sorted({verb for read in reads for verb in (read.last, *read.wanted)} - {""})]
        index = {verb: i for i, verb in enumerate(self.verbs)}
        self._last = np.array([index[read.last] for read in reads])
        self._aside = np.array([read.aside for read in reads], np.float32)
        self._wanted = np.zeros((len(reads), len(self.verbs)), np.float32)
        for row, read in zip(self._wanted, reads, strict=True):
            row[[index[verb] for verb in read.wanted]] = 1

    def fitted(self, at: Sequence[int], fresh: Sequence[bool], seed: int) -> Reader:
        """To the sentences at these places; `fresh`, of all: whose author no rule knew."""
        torch.manual_seed(seed)
        chance, net = np.random.default_rng(seed), Reader(len(self.verbs))
        optimizer = torch.optim.AdamW(net.parameters(), lr=RATE, weight_decay=DECAY)
        pace = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=math.ceil(len(at) / BATCH) * EPOCHS)
        shares = np.where(np.array(fresh), 1.0, UNFRESH).astype(np.float32)
        for epoch in range(EPOCHS):
            order, total = chance.permutation(np.array(at)), 0.0
            for start in range(0, len(order), BATCH):
                chosen = order[start : start + BATCH]
                share = torch.from_numpy(shares[chosen])
                wrong = (self._wrong(net, chosen) * share).sum() / share.sum()
                optimizer.zero_grad()
                wrong.backward()
                nn.utils.clip_grad_norm_(net.parameters(), 1.0)
                optimizer.step()
                pace.step()
                total += float(wrong.detach()) * len(chosen)
            self.told(f"gist, epoch {epoch + 1} of {EPOCHS}: loss {total / len(order):.3f}")
        net.eval()
        return net

    def _wrong(self, net: Reader, at: NDArray[np.int64]) -> Tensor:
        """The loss of each sentence."""
        asked, verbs = net(*self._batch(at))
        wanted = torch.from_numpy(self._wanted[at])
        some = wanted.amax(1)
        missed = f.binary_cross_entropy_with_logits(asked, some, reduction="none")
        return missed + VERBS * some * f.binary_cross_entropy_with_logits(verbs, wanted, reduction="none").sum(1)

    def _batch(self, at: NDArray[np.int64]) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        rows: list[Floats] = [self.vectors.said[self.reads[i].says] - self.vectors.mean for i in at.tolist()]
        said = nn.utils.rnn.pad_sequence([torch.from_numpy(row) for row in rows], batch_first=True)
        mask = torch.arange(said.shape[1]) < torch.tensor([len(row) for row in rows])[:, None]
        return said, mask, torch.from_numpy(self._last[at]), torch.from_numpy(self._aside[at])

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def read(self, nets: Sequence[Reader], at: Sequence[int]) -> list[Gist]:
        """Of the sentences at these places, by all of the networks."""
        found = []
        for start in range(0, len(at), BATCH):
            batch = self._batch(np.array(at[start : start + BATCH]))
            asked, verbs = zip(*(net(*batch) for net in nets), strict=True)
            chances = f.logsigmoid(torch.stack(verbs)).clamp(min=LEAST).mean(0).tolist()
            found += [
                Gist(odds, dict(zip(self.verbs, row, strict=True)))
                for odds, row in zip(torch.stack(asked).mean(0).tolist(), chances, strict=True)
            ]
        return found
