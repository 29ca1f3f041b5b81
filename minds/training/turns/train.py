"""Fits memory/weights/turns.safetensors: `python main.py train turns`.

Small networks say how far an answer carries, and whether a turn tells something that lasts. What one author wrote is
left out, and how well they do there is told.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import torch
from torch import nn

from memory.bert import WIDTH
from memory.embedder import Embedder
from memory.turns import SCOPES, TELLS, WEIGHTS, Tokens
from minds.training.minilm import Tensor, padded
from minds.training.processes import change, descend, shuffled
from minds.training.turns import data
from minds.training.turns.data import Group

SEEDS, ROUNDS = (0, 1), 30
"""Of each network."""
TALK, MEMORY, OWN = "", SCOPES.index("memory"), "person"
"""The scope of plain talk: nobody has said which, but that it is no wish about the memory; and of one's own affairs."""
T = TypeVar("T")


class TurnNet(nn.Module):  # type: ignore[misc]
    """What memory/turns.py computes, in batches: which of so many classes a turn is, read alone."""

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


class Reader:
    """Reads each question once."""

    def __init__(self) -> None:
        self.embedder, self._read = Embedder(threads=2), dict[str, Tokens]()

    def __call__(self, texts: Sequence[str]) -> list[Tokens]:
        new = sorted(dict.fromkeys(text for text in texts if text not in self._read), key=len)
        for text, read in zip(new, self.embedder.read(new), strict=True):
            self._read[text] = Tokens(read)
        return [self._read[text] for text in texts]


def fit_scopes(some: Sequence[tuple[str, str]], read: Reader, seed: int) -> TurnNet:
    counts = Counter(scope for _, scope in some if scope != TALK)
    weights = torch.tensor([(len(some) / (len(SCOPES) * counts[scope])) ** 0.5 for scope in SCOPES])

    def loss(scores: Any, scopes: Sequence[str]) -> Any:
        known = torch.tensor([scope != TALK for scope in scopes])
        wanted = torch.tensor([SCOPES.index(scope) for scope in scopes if scope != TALK], dtype=torch.long)
        of_talk = torch.log1p(-scores[~known, MEMORY].exp().clamp(max=0.999)).sum() / len(scopes)
        return (nn.functional.nll_loss(scores[known], wanted, weights) if known.any() else 0) - of_talk

    return _fitted(len(SCOPES), some, read, seed, loss)


def fit_tells(some: Sequence[tuple[str, bool]], read: Reader, seed: int) -> TurnNet:
    """Whether a turn tells something that lasts (TELLS)."""

    def loss(scores: Any, tell: Sequence[bool]) -> Any:
        return nn.functional.nll_loss(scores, torch.tensor(tell).long())

    return _fitted(len(TELLS), some, read, seed, loss)


def _fitted(
    classes: int, some: Sequence[tuple[str, T]], read: Reader, seed: int, loss: Callable[[Any, Sequence[T]], Any]
) -> TurnNet:
    """`loss`: of the log-probabilities of texts, (texts, classes), and their labels."""
    torch.manual_seed(seed)
    rng, net = np.random.default_rng(seed), TurnNet(classes)
    best = torch.optim.AdamW(net.parameters(), lr=2e-3, weight_decay=0.05)

    def of(rows: Any) -> Any:
        texts, labels = zip(*(some[i] for i in rows), strict=True)
        return loss(net(read(texts)).log_softmax(1), labels)

    descend(best, shuffled(len(some), 64, [rng] * ROUNDS), of)
    net.eval()
    return net


def main(arguments: Sequence[str]) -> None:
    """Writes the weights and says how well they do on what one author wrote, who was left out."""
    parser = argparse.ArgumentParser(prog="main.py train turns")
    parser.add_argument("--out", type=Path, default=WEIGHTS)
    only = "only whether a turn tells something, or only how far an answer carries; the rest stays"
    parser.add_argument("--only", choices=("tells", "scopes"), help=only)
    given = parser.parse_args(arguments)
    torch.set_num_threads(2)
    read, people, source = Reader(), data.by_people(), WEIGHTS
    fitted, rest = ([group for group in people if (group.author == data.APART) == apart] for apart in (False, True))
    if given.only != "tells":
        with_talk = [*data.scopes(), *scopes_of(fitted), *((text, TALK) for text in data.talk())]
        nets = [fit_scopes(with_talk, read, seed) for seed in SEEDS]
        add(source, given.out, "scope", nets)
        source = given.out
        print(f"scopes right: {scopes_right(nets, scopes_of(rest), read):.3f}")
        print(f"of lives apart: {scopes_right(nets, [(text, OWN) for text in data.of_lives(apart=True)], read):.3f}")
    if given.only != "scopes":
        add(source, given.out, "tells", [fit_tells(data.telling(people), read, seed) for seed in SEEDS])


def scopes_of(groups: Sequence[Group]) -> list[tuple[str, str]]:
    return [(text, group.scope) for group in groups for text in group.same]


def scopes_right(nets: Sequence[TurnNet], some: Sequence[tuple[str, str]], read: Reader) -> float:
    with torch.no_grad():
        tokens = read([text for text, _ in some])
        odds = torch.stack([net(tokens).log_softmax(1) for net in nets]).sum(0)
    return float(np.mean([SCOPES[int(i)] == scope for i, (_, scope) in zip(odds.argmax(1), some, strict=True)]))


def add(source: Path, target: Path, head: str, nets: Sequence[TurnNet]) -> None:
    """Writes the weights of one file to another, with these networks in place of those of this name."""
    states = [(f"{head}{seed}.{name}", w) for seed, net in enumerate(nets) for name, w in net.state_dict().items()]
    change(source, target, {name: w.numpy().astype(np.float16) for name, w in states})
