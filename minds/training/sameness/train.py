"""Fits memory/weights/sameness.safetensors: `python main.py train sameness`.

Two small networks, two seeds each: one lays the tokens of two questions beside each other, one says how far an
answer carries. A fifth of the groups is held out to choose the bar; the shipped weights are fitted on all of them.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from memory.embedder import WIDTH, Embedder
from memory.sameness import SCOPES, WEIGHTS, Tokens, figures
from minds.training.sameness.data import Pair, pairs, scopes

Tensor: TypeAlias = Any
"""torch.Tensor, which the type checker does not read."""
HALF, HIDDEN, INNER, SCALARS = 32, 64, 32, 9
SEEDS = (0, 1)
WRONG = 2.0
"""A pair taken for the same wrongly weighs so much as this many missed ones."""


class PairNet(nn.Module):  # type: ignore[misc]
    """What memory/sameness.py computes, in batches with masks."""

    def __init__(self) -> None:
        super().__init__()
        self.state, self.plain = nn.Linear(WIDTH, HALF, bias=False), nn.Linear(WIDTH, HALF, bias=False)
        self.sharp = nn.Parameter(torch.tensor([2.0, 2.0, 4.0]))
        self.compare = nn.Linear(8 * HALF + SCALARS, HIDDEN)
        self.out1, self.out2 = nn.Linear(3 * HIDDEN + 2, INNER), nn.Linear(INNER, 1)
        self.drop = nn.Dropout(0.1)

    def forward(self, a: Batch, b: Batch) -> Tensor:
        likeness = [a.states @ b.states.transpose(1, 2), a.plain @ b.plain.transpose(1, 2)]
        likeness.append((a.ids[:, :, None] == b.ids[:, None]).float())
        own, theirs = (torch.cat([self.state(x.states), self.plain(x.plain)], -1) for x in (a, b))
        left = self._aligned(a, b, own, theirs, likeness)
        right = self._aligned(b, a, theirs, own, [each.transpose(1, 2) for each in likeness])
        top = torch.maximum(left.amax(1), right.amax(1))  # what is masked is 0, and so is the least of a relu
        means = [x.sum(1) / y.mask.sum(1, keepdim=True) for x, y in ((left, a), (right, b))]
        n, m = a.mask.sum(1), b.mask.sum(1)
        whole = torch.stack([(a.whole * b.whole).sum(1), (n - m).abs() / torch.maximum(n, m)], 1)
        pooled = torch.cat([top, means[0] + means[1], (means[0] - means[1]).abs(), whole], 1)
        out: Tensor = self.out2(self.drop(torch.relu(self.out1(self.drop(pooled)))))[:, 0]
        return out

    def _aligned(self, a: Batch, b: Batch, own: Tensor, theirs: Tensor, likeness: Sequence[Tensor]) -> Tensor:
        states, plain, equal = likeness
        there = b.mask[:, None].bool()
        sharp = self.sharp[0].exp() * states + self.sharp[1].exp() * plain + self.sharp[2] * equal
        weights = sharp.masked_fill(~there, -1e9).softmax(-1)
        fellow = weights @ theirs
        before, after = nn.functional.pad(plain, (1, -1, 1, -1)), nn.functional.pad(plain, (-1, 1, -1, 1))
        tops = [x.masked_fill(~there, -1).amax(-1) for x in likeness]
        alike = [(weights * each).sum(-1) for each in (states, before, after)]
        moved = ((weights * b.place[:, None]).sum(-1) - a.place).abs()
        scalars = torch.stack([*tops, *alike, a.rarity, weights.amax(-1), moved], -1)
        joined = torch.cat([own, fellow, own * fellow, (own - fellow).abs(), scalars], -1)
        return torch.relu(self.compare(self.drop(joined))) * a.mask[:, :, None]


class ScopeNet(nn.Module):  # type: ignore[misc]
    """How far an answer carries."""

    def __init__(self) -> None:
        super().__init__()
        self.drop = nn.Dropout(0.4)
        self.add_module("in", nn.Linear(2 * WIDTH, 24))
        self.out = nn.Linear(48 + WIDTH, len(SCOPES))

    def forward(self, a: Batch) -> Tensor:
        inner = self.get_submodule("in")(self.drop(torch.cat([a.states, a.plain], -1)))
        each = torch.relu(inner) * a.mask[:, :, None]
        pooled = torch.cat([each.amax(1), each.sum(1) / a.mask.sum(1, keepdim=True), a.whole], 1)
        out: Tensor = self.out(self.drop(pooled))
        return out


class Batch:
    """Questions, padded: states and plain (n, length, 384), ids, mask, rarity, place (n, length), whole (n, 384)."""

    def __init__(self, texts: Sequence[Tokens]) -> None:
        length = max(len(t.ids) for t in texts)
        shape = (len(texts), length)
        self.states, self.plain = torch.zeros(*shape, WIDTH), torch.zeros(*shape, WIDTH)
        self.ids, self.mask = torch.full(shape, -1), torch.zeros(shape)
        self.rarity, self.place = torch.zeros(shape), torch.zeros(shape)
        for i, t in enumerate(texts):
            n = len(t.ids)
            self.states[i, :n], self.plain[i, :n] = torch.from_numpy(t.states), torch.from_numpy(t.plain)
            self.ids[i, :n], self.mask[i, :n] = torch.from_numpy(t.ids), 1
            self.rarity[i, :n] = torch.from_numpy(t.rarity)
            self.place[i, :n] = torch.arange(n) / max(n - 1, 1)
        self.whole = torch.from_numpy(np.stack([t.whole for t in texts]))


def read(texts: Sequence[str]) -> dict[str, Tokens]:
    embedder, found = Embedder(), dict[str, Tokens]()
    new = list(dict.fromkeys(texts))
    for start in range(0, len(new), 256):
        some = new[start : start + 256]
        found |= {text: Tokens(*each) for text, each in zip(some, embedder.tokens(some), strict=True)}
    return found


def fit_pairs(some: Sequence[Pair], tokens: dict[str, Tokens], seed: int, rounds: int) -> PairNet:
    torch.manual_seed(seed)
    rng, net = np.random.default_rng(seed), PairNet()
    best = torch.optim.AdamW(net.parameters(), lr=2e-3, weight_decay=0.01)
    steps = rounds * (len(some) // 128)
    plan = torch.optim.lr_scheduler.OneCycleLR(best, 3e-3, steps + rounds)
    for _ in range(rounds):
        order = sorted(range(len(some)), key=lambda i: len(some[i].one) + 12 * rng.random())
        batches = [order[at : at + 128] for at in range(0, len(order), 128)]
        rng.shuffle(batches)
        for batch in batches:
            chosen = [some[i] for i in batch]
            a, b = (Batch([tokens[t] for t in side]) for side in ([p.one for p in chosen], [p.other for p in chosen]))
            wanted = torch.tensor([float(p.same) for p in chosen])
            weight = torch.where(wanted > 0, 1.0, WRONG)
            loss = nn.functional.binary_cross_entropy_with_logits(net.train()(a, b), wanted, weight)
            best.zero_grad()
            loss.backward()
            best.step()
            plan.step()
    net.eval()
    return net


def fit_scopes(some: Sequence[tuple[str, str]], tokens: dict[str, Tokens], seed: int, rounds: int = 60) -> ScopeNet:
    torch.manual_seed(seed)
    rng, net = np.random.default_rng(seed), ScopeNet()
    best = torch.optim.AdamW(net.parameters(), lr=2e-3, weight_decay=0.05)
    counts = Counter(scope for _, scope in some)
    weights = torch.tensor([(len(some) / (6 * counts[scope])) ** 0.5 for scope in SCOPES])
    for _ in range(rounds):
        order = rng.permutation(len(some))
        for start in range(0, len(order), 64):
            chosen = [some[i] for i in order[start : start + 64]]
            wanted = torch.tensor([SCOPES.index(scope) for _, scope in chosen])
            said = net.train()(Batch([tokens[t] for t, _ in chosen]))
            loss = nn.functional.cross_entropy(said, wanted, weights)
            best.zero_grad()
            loss.backward()
            best.step()
    net.eval()
    return net


def chances(nets: Sequence[PairNet], some: Sequence[Pair], tokens: dict[str, Tokens]) -> NDArray[np.float64]:
    out = []
    for start in range(0, len(some), 256):
        part = some[start : start + 256]
        a, b = (Batch([tokens[t] for t in side]) for side in ([p.one for p in part], [p.other for p in part]))
        with torch.no_grad():
            out.append(torch.sigmoid(torch.stack([net(a, b) for net in nets]).mean(0)).double().numpy())
    return np.concatenate(out)


def curve(p: NDArray[np.float64], same: NDArray[np.bool_]) -> list[tuple[float, float, float]]:
    """(bar, share of the same that is served, share of the served that is wrong)."""
    bars = [0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.97, 0.98, 0.99, 0.995, 0.998]
    return [
        (bar, float((p[same] >= bar).mean()), float((~same & (p >= bar)).sum() / max((p >= bar).sum(), 1)))
        for bar in bars
    ]


def main(arguments: Sequence[str]) -> int:
    """Writes the weights and prints what they do on pairs of other hands, or only the held-out curve."""
    parser = argparse.ArgumentParser(prog="main.py train sameness")
    parser.add_argument("--out", type=Path, default=WEIGHTS)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--bar", type=float, default=0.995, help="from this probability on a result is given again")
    parser.add_argument("--held-out", action="store_true", help="only say how well it does on groups left out")
    asked = parser.parse_args(arguments)
    began = time.monotonic()
    torch.set_num_threads(1)
    some = [p for p in pairs(0) if figures(p.one) == figures(p.other)]
    labelled, others = scopes(), [p for p in by_others() if figures(p.one) == figures(p.other)]
    tokens = read([t for p in [*some, *others] for t in (p.one, p.other)] + [text for text, _ in labelled])
    print(f"{len(some)} pairs, {Counter(p.same for p in some)}, read in {time.monotonic() - began:.0f} s", flush=True)
    if asked.held_out:
        print(json.dumps(held_out(some, labelled, tokens, asked.rounds)), flush=True)
        return 0
    of_scopes = [fit_scopes(labelled, tokens, seed) for seed in SEEDS]
    nets = []
    for seed in SEEDS:
        nets.append(fit_pairs(some, tokens, seed, asked.rounds))
        save(asked.out, nets, of_scopes, asked.bar)
        print(f"seed {seed} after {time.monotonic() - began:.0f} s", flush=True)
    tell(chances(nets, others, tokens), others)
    return 0


def by_others() -> list[Pair]:
    """Pairs of another hand, never trained on: the bar is chosen on them."""
    path = Path(__file__).parents[3] / "tests" / "memory" / "data" / "tuning.jsonl"
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []
    return [Pair(line["one"], line["other"], line["same"], line["about"], 0) for line in lines]


def tell(p: NDArray[np.float64], some: Sequence[Pair]) -> None:
    """The curve, and what is likeliest to be served falsely."""
    for bar, served, wrong in curve(p, np.array([pair.same for pair in some])):
        print(f"bar {bar:.3f}: served {served:.3f}, wrong of served {wrong:.4f}")
    worst = sorted(((float(c), pair) for c, pair in zip(p, some, strict=True) if not pair.same), key=lambda e: -e[0])
    for chance, pair in worst[:25]:
        print(f"  {chance:.3f} {pair.why}: {pair.one} | {pair.other}")


def held_out(
    some: Sequence[Pair], labelled: Sequence[tuple[str, str]], tokens: dict[str, Tokens], rounds: int
) -> dict[str, object]:
    """What one seed does on every fifth group, and on every fifth question of the scopes."""
    train, test = [p for p in some if p.group % 5], [p for p in some if not p.group % 5]
    tell(chances([fit_pairs(train, tokens, 0, rounds)], test, tokens), test)
    learnt = [each for i, each in enumerate(labelled) if i % 5]
    net = fit_scopes(learnt, tokens, 0)
    rest = [each for i, each in enumerate(labelled) if not i % 5]
    with torch.no_grad():
        said = [SCOPES[int(i)] for i in net(Batch([tokens[t] for t, _ in rest])).argmax(1)]
    wrong_scopes = [(t, scope, guess) for (t, scope), guess in zip(rest, said, strict=True) if scope != guess]
    print(wrong_scopes)
    return {"pairs": len(test), "scopes_right": 1 - len(wrong_scopes) / len(rest)}


def save(path: Path, nets: Sequence[PairNet], of_scopes: Sequence[ScopeNet], bar: float) -> None:
    from safetensors.numpy import save_file

    arrays: dict[str, Any] = {"bar": np.array([bar, 0.5], np.float32)}
    kinds: dict[str, Sequence[Any]] = {"pair": nets, "scope": of_scopes}
    for kind, some in kinds.items():
        for seed, net in enumerate(some):
            for name, w in net.state_dict().items():
                arrays[f"{kind}{seed}.{name}"] = w.numpy().astype(np.float16)
    path.parent.mkdir(parents=True, exist_ok=True)
    save_file(arrays, path)
