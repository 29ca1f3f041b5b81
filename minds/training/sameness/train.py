"""Fits memory/weights/sameness.safetensors: `python main.py train sameness`.

One network reads two questions together, two small ones say how far an answer carries. What one author wrote is left
out, and how well they do there is told: the bar is chosen on it.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from memory.embedder import Embedder
from memory.pairs import BENEATH, Tokens
from memory.sameness import SCOPES, TELLS, WEIGHTS
from minds.training.minilm import optimizer
from minds.training.processes import batches, change, descend, shuffled
from minds.training.sameness import data
from minds.training.sameness.data import Group, Pair
from minds.training.sameness.net import Batch, PairNet, TurnNet

EPOCHS, SIZE, RATE, RATE_LOW, SEEDS = 6, 32, 2e-3, 1e-3, (0, 1)
ROUNDS = 30
"""Of the small networks."""
LIKE, UNLIKE, SLOTTED = 4, 6, (1, 2)
"""Pairs drawn of a person's group in a round, and (alike, unlike) of one with slots."""
SHARES = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6)
"""Of the paraphrases that are served: for each it is told how much is served falsely."""
BAR = 0.97
"""From this probability on a result is given again."""
FAR = 0.92
"""Of questions of two groups that are nearer than this nobody has said that they are not the same."""
TALK, MEMORY, OWN = "", SCOPES.index("memory"), "person"
"""The scope of plain talk: nobody has said which, but that it is no wish about the memory; and of one's own affairs."""
Floats = NDArray[np.float64]
T = TypeVar("T")


class Reader:
    """Reads each question once."""

    def __init__(self) -> None:
        self.embedder, self._read = Embedder(threads=2), dict[str, Tokens]()

    def __call__(self, texts: Sequence[str]) -> list[Tokens]:
        new = sorted({text for text in texts if text not in self._read}, key=len)
        for text, read in zip(new, self.embedder.read(new, BENEATH), strict=True):
            self._read[text] = Tokens(text, read)
        return [self._read[text] for text in texts]


class Fit:
    """The network that reads two questions together, fitted on groups."""

    def __init__(self, people: Sequence[Group], read: Reader) -> None:
        torch.manual_seed(0)
        self._people, self._read, self._rng = people, read, random.Random(0)
        self._slotted = list(data.filled(*data.with_slots(), self._rng))
        self._chance = data.Chance(people, 0)
        self._near = self._neighbours()
        self.net = PairNet(read.embedder.weights)

    def run(self, epochs: int) -> None:
        """So many rounds."""
        best = optimizer(self.net, "layers.", RATE_LOW, RATE)
        drawn = [batch for epoch in range(epochs) for batch in self._batches(epoch)]
        pace = torch.optim.lr_scheduler.LambdaLR(best, lambda done: _pace(done / len(drawn)))
        self.net.train()
        descend(best, drawn, self._loss, pace)
        self.net.eval()

    def _loss(self, batch: Sequence[Pair]) -> Any:
        wanted = torch.tensor([float(pair.same) for pair in batch])
        with torch.autocast("cpu", torch.bfloat16):
            odds = self.net(self._batch(batch)).float()
        return nn.functional.binary_cross_entropy_with_logits(odds, wanted)

    def odds(self, pairs: Sequence[Pair]) -> Floats:
        """Of each pair, the log-odds that both ask the same."""
        lengths = [len(pair.one) + len(pair.other) for pair in pairs]
        found = np.zeros(len(pairs))
        with torch.no_grad():
            for some in batches(lengths, 96, np.random.default_rng(0)):
                found[some] = self.net(self._batch([pairs[i] for i in some])).double().numpy()
        return found

    def _batch(self, pairs: Sequence[Pair]) -> Batch:
        read = self._read([text for pair in pairs for text in (pair.one, pair.other)])
        return Batch(list(zip(read[::2], read[1::2], strict=True)))

    def _batches(self, epoch: int) -> Iterator[list[Pair]]:
        pairs = self._draw()
        lengths = [len(pair.one) + len(pair.other) for pair in pairs]
        for rows in batches(lengths, SIZE, np.random.default_rng(epoch)):
            yield [pairs[row] for row in rows]

    def _draw(self) -> list[Pair]:
        found = [pair for group in self._people for pair in self._chance.of(group, LIKE, UNLIKE)]
        found += [pair for group in self._slotted for pair in self._chance.of(group, *SLOTTED)]
        found += [Pair(text, self._rng.choice(near), False, "far") for text, near in self._near if near]
        return found

    def _neighbours(self) -> list[tuple[str, list[str]]]:
        """Of one wording of each group, the nearest questions of other groups."""
        group_of = {text: i for i, g in enumerate(self._people) for text in (*g.same, *(n for n, _ in g.near))}
        texts, found = sorted(group_of), []
        rows = np.stack([tokens.whole for tokens in self._read(texts)])
        for number, group in enumerate(self._people):
            text = group.same[number % len(group.same)]
            like = rows @ rows[texts.index(text)]
            near = [texts[i] for i in np.argsort(-like)[:40] if like[i] < FAR]
            found.append((text, [one for one in near if group_of[one] != number][:8]))
        return found


def _pace(share: float) -> float:
    """Of the rates, where this share of the steps is done."""
    return float(min(share / 0.1 + 0.02, (1 + np.cos(np.pi * share)) / 2))


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


def curve(scores: Floats, pairs: Sequence[Pair], shares: Sequence[float]) -> Iterator[str]:
    """For each share of the paraphrases that is served: the bar, and what of the served is wrong.

    As if there were as many near misses as paraphrases; also how many of all that are here.
    """
    same = np.array([pair.same for pair in pairs])
    for share in shares:
        bar = float(np.quantile(scores[same], 1 - share))
        wrong = int((scores[~same] >= bar).sum())
        rate = wrong / (~same).sum()
        yield f"served {share:.2f}: bar {bar:.3f}, wrong {rate / (rate + share):.4f} ({wrong} of {(~same).sum()})"


def main(arguments: Sequence[str]) -> int:
    """Writes the weights and says how well they do on what one author wrote, who was left out."""
    parser = argparse.ArgumentParser(prog="main.py train sameness")
    parser.add_argument("--out", type=Path, default=WEIGHTS)
    only = "only whether a turn tells something, or only how far an answer carries; the rest stays"
    parser.add_argument("--only", choices=("tells", "scopes"), help=only)
    given = parser.parse_args(arguments)
    torch.set_num_threads(2)
    read, people, source = Reader(), data.by_people(), WEIGHTS
    fitted, rest = ([group for group in people if (group.author == data.APART) == apart] for apart in (False, True))
    if not given.only:
        _compare(fitted, rest, read, given.out)
        source = given.out
    if given.only != "tells":
        with_talk = [*data.scopes(), *scopes_of(fitted), *((text, TALK) for text in data.talk())]
        nets = [fit_scopes(with_talk, read, seed) for seed in SEEDS]
        add(source, given.out, "scope", nets)
        source = given.out
        print(f"scopes right: {scopes_right(nets, scopes_of(rest), read):.3f}")
        print(f"of lives apart: {scopes_right(nets, [(text, OWN) for text in data.of_lives(apart=True)], read):.3f}")
    if given.only != "scopes":
        add(source, given.out, "tells", [fit_tells(data.telling(people), read, seed) for seed in SEEDS])
    return 0


def _compare(fitted: Sequence[Group], rest: Sequence[Group], read: Reader, out: Path) -> None:
    """What compares two questions is fitted and written; how well it does on who was left out is said."""
    fit = Fit(fitted, read)
    fit.run(EPOCHS)
    save(out, fit.net.weights())
    tell(fit, [pair for group in rest for pair in group.all()], read)


def tell(fit: Fit, pairs: Sequence[Pair], read: Reader) -> None:
    """The curve of what was learned beside that of the cosine."""
    cosines = [float(a.whole @ b.whole) for a, b in (read([pair.one, pair.other]) for pair in pairs)]
    for name, scores in (("learned", fit.odds(pairs)), ("cosine", np.array(cosines))):
        for line in curve(scores, pairs, SHARES):
            print(f"{name}: {line}", flush=True)


def scopes_of(groups: Sequence[Group]) -> list[tuple[str, str]]:
    return [(text, group.scope) for group in groups for text in group.same]


def scopes_right(nets: Sequence[TurnNet], some: Sequence[tuple[str, str]], read: Reader) -> float:
    with torch.no_grad():
        tokens = read([text for text, _ in some])
        odds = torch.stack([net(tokens).log_softmax(1) for net in nets]).sum(0)
    return float(np.mean([SCOPES[int(i)] == scope for i, (_, scope) in zip(odds.argmax(1), some, strict=True)]))


def save(path: Path, net: Mapping[str, Any]) -> None:
    from safetensors.numpy import save_file

    arrays: dict[str, Any] = {"bar": np.array([BAR], np.float32)}
    arrays |= {name: value.astype(np.float16) for name, value in net.items()}
    path.parent.mkdir(parents=True, exist_ok=True)
    save_file(arrays, path)


def add(source: Path, target: Path, head: str, nets: Sequence[TurnNet]) -> None:
    """Writes the weights of one file to another, with these networks in place of those of this name."""
    states = [(f"{head}{seed}.{name}", w) for seed, net in enumerate(nets) for name, w in net.state_dict().items()]
    change(source, target, {name: w.numpy().astype(np.float16) for name, w in states})
