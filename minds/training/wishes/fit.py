"""The fits, in torch: networks of one hidden layer, hashed pieces beside them, and a bilinear ranking of actions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from minds.policies.wishes import BUCKETS, NAMED, PIECES, WIDTH, Floats, pieces

HIDDEN, RANK, EPOCHS = 96, 48, 12
RIDGE = 0.1
CANDIDATES = 160
"""Actions of a state that a sentence is fitted on: the right ones and others drawn from the rest."""
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Case:
    """A sentence in a state: its actions by the numbers of verb, object and other."""

    vector: Floats
    says: str
    names: Ints
    """Of the state's names, in the table of all."""
    shared: Floats
    """What each has in common with the sentence: (names, NAMED)."""
    verbs: Ints
    objects: Ints
    """Into `names`, -1 for none; one of each action, like `others`."""
    others: Ints
    again: NDArray[np.bool_]
    right: NDArray[np.bool_]


def dense(says: Sequence[str]) -> Floats:
    """The pieces of each text, spread out: (texts, BUCKETS)."""
    rows = np.zeros((len(says), BUCKETS), np.float32)
    for row, text in zip(rows, says, strict=True):
        at, worth = pieces(text)
        row[at] = worth
    return rows


def network(outputs: int, seed: int = 0) -> Any:
    """(vectors, pieces) -> logits; its parts are named as minds/policies/wishes.py reads them."""
    import torch

    torch.manual_seed(seed)

    class Network(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.hidden = torch.nn.Linear(384, HIDDEN)
            self.out = torch.nn.Linear(HIDDEN, outputs)
            self.pieces = torch.nn.Linear(BUCKETS, outputs, bias=False)
            torch.nn.init.zeros_(self.pieces.weight)
            self.drop = torch.nn.Dropout(0.3)

        def forward(self, vectors: Any, found: Any) -> Any:
            hidden = torch.relu(self.hidden(self.drop(vectors)))
            return self.out(self.drop(hidden)) + self.pieces(self.drop(found))

    return Network()


def parts(net: Any, name: str) -> dict[str, Floats]:
    """A fitted network's weights."""
    of = {"in": net.hidden.weight.T, "bias": net.hidden.bias, "out": net.out.weight.T, "shift": net.out.bias}
    of["pieces"] = net.pieces.weight.T
    return {f"{name}.{key}": value.detach().numpy().copy() for key, value in of.items()}


def alike(
    points: Floats, vectors: Floats, says: Sequence[str], right: Floats, worth: Floats
) -> tuple[Floats, Floats, float]:
    """Ridge regression of marks (1 or -1) on likeness to the points and on pieces: weights of both, and the mean."""
    rows = np.concatenate([likeness(vectors, points), PIECES * dense(says), np.ones((len(says), 1), np.float32)], 1)
    rows *= np.sqrt(worth)[:, None]
    bend = rows.T @ rows + np.diag(np.append(np.full(rows.shape[1] - 1, RIDGE), 1e-6)).astype(np.float32)
    found = np.linalg.solve(bend, rows.T @ (right * np.sqrt(worth)))
    return found[: len(points)], found[len(points) : -1], float(found[-1])


def likeness(vectors: Floats, points: Floats) -> Floats:
    """exp(-WIDTH * squared distance) of unit rows: (vectors, points)."""
    near: Floats = np.exp(2 * WIDTH * (vectors @ points.T - 1)).astype(np.float32)
    return near


def batches(count: int, size: int, seed: int) -> Iterator[Ints]:
    order = np.random.default_rng(seed).permutation(count)
    for start in range(0, count, size):
        yield order[start : start + size]


def fit(net: Any, loss: Any, count: int, *, epochs: int = EPOCHS, size: int = 64, rate: float = 2e-3) -> None:
    """`loss(rows) -> scalar` for the numbers of a batch."""
    import torch

    optimizer = torch.optim.AdamW(net.parameters(), lr=rate, weight_decay=0.02)
    steps = epochs * ((count + size - 1) // size)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, rate, total_steps=steps)
    net.train()
    for epoch in range(epochs):
        for rows in batches(count, size, epoch):
            optimizer.zero_grad()
            loss(rows).backward()
            optimizer.step()
            schedule.step()
    net.eval()


def ranker(table: Floats, verbs: int, seed: int = 0) -> Any:
    """A batch of cases -> scores of their actions, the last column that it is none of them."""
    import torch

    torch.manual_seed(seed)
    names = torch.from_numpy(table)

    class Ranker(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.said = torch.nn.ModuleList([torch.nn.Linear(384, RANK, bias=False) for _ in range(2)])
            self.name = torch.nn.ModuleList([torch.nn.Linear(384, RANK, bias=False) for _ in range(2)])
            self.shared = torch.nn.ModuleList([torch.nn.Linear(NAMED, 1) for _ in range(2)])
            self.verb = torch.nn.Sequential(
                torch.nn.Linear(384, HIDDEN), torch.nn.ReLU(), torch.nn.Dropout(0.2), torch.nn.Linear(HIDDEN, verbs)
            )
            self.again = torch.nn.Parameter(torch.zeros(1))
            self.none = network(1)
            self.drop = torch.nn.Dropout(0.15)
            for side in range(2):
                torch.nn.init.normal_(self.said[side].weight, std=0.15)
                torch.nn.init.normal_(self.name[side].weight, std=0.15)

        def forward(self, batch: dict[str, Any]) -> Any:
            vectors = self.drop(batch["vectors"])
            score = self.verb(vectors).gather(1, batch["verbs"]) + self.again * batch["again"]
            rows = names[batch["names"]]
            for side, at in enumerate((batch["objects"], batch["others"])):
                near = torch.einsum("bnr,br->bn", self.name[side](rows), self.said[side](vectors))
                of_name = near + self.shared[side](batch["shared"])[..., 0]
                of_name = torch.cat([of_name, torch.zeros(len(of_name), 1)], 1)
                score = score + of_name.gather(1, torch.where(at < 0, of_name.shape[1] - 1, at))
            score = score.masked_fill(~batch["there"], -1e9)
            return torch.cat([score, self.none(batch["vectors"], batch["pieces"])], 1)

    return Ranker()


def together(cases: Sequence[Case], rng: np.random.Generator | None) -> dict[str, Any]:
    """Cases of different lengths as one batch; with `rng` only some of the actions of each."""
    import torch

    kept = [_some(case, rng) if rng else np.arange(len(case.verbs)) for case in cases]
    width, most = max(map(len, kept)), max(1, *(len(case.names) for case in cases))
    size = len(cases)
    found: dict[str, Any] = {
        "vectors": np.stack([case.vector for case in cases]),
        "pieces": dense([case.says for case in cases]),
        "names": np.zeros((size, most), np.int64),
        "shared": np.zeros((size, most, NAMED), np.float32),
        "again": np.zeros((size, width), np.float32),
        "there": np.zeros((size, width), bool),
        "right": np.zeros((size, width + 1), np.float32),
        "verbs": np.zeros((size, width), np.int64),
        **{key: np.full((size, width), -1, np.int64) for key in ("objects", "others")},
    }
    for row, (case, keep) in enumerate(zip(cases, kept, strict=True)):
        here = slice(0, len(keep))
        found["names"][row, : len(case.names)], found["shared"][row, : len(case.names)] = case.names, case.shared
        for key in ("verbs", "objects", "others", "again"):
            found[key][row, here] = getattr(case, key)[keep]
        found["there"][row, here], found["right"][row, here] = True, case.right[keep]
        found["right"][row, -1] = not case.right.any()
    return {key: torch.from_numpy(value) for key, value in found.items()}


def ranking_loss(scores: Any, right: Any) -> Any:
    """Minus the log of the probability that the right ones have together."""
    import torch

    held = scores.masked_fill(right == 0, -1e9)
    return (torch.logsumexp(scores, 1) - torch.logsumexp(held, 1)).mean()


def ranker_parts(net: Any) -> dict[str, Floats]:
    """A fitted ranker's weights, named as minds/policies/wishes.py reads them."""
    found = parts(net.none, "none")
    for side, name in enumerate(("object", "other")):
        of = {"said": net.said[side].weight.T, "name": net.name[side].weight.T}
        of |= {"shared": net.shared[side].weight[0], "bias": net.shared[side].bias}
        found |= {f"rank.{name}.{key}": value.detach().numpy().copy() for key, value in of.items()}
    of = {"in": net.verb[0].weight.T, "bias": net.verb[0].bias, "out": net.verb[3].weight.T, "shift": net.verb[3].bias}
    found |= {f"verb.{key}": value.detach().numpy().copy() for key, value in of.items()}
    return found | {"rank.again": net.again.detach().numpy().copy()}


def _some(case: Case, rng: np.random.Generator) -> Ints:
    """The right actions, and others."""
    if len(case.right) <= CANDIDATES:
        return np.arange(len(case.right))
    right, rest = np.flatnonzero(case.right), np.flatnonzero(~case.right)
    return np.concatenate([right, rng.choice(rest, max(1, CANDIDATES - len(right)), replace=False)])
