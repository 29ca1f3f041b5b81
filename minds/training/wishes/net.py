"""The fit, in torch: MiniLM's own layers, changed by little (LoRA, Hu et al. 2021), and small heads on its states."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn.utils.rnn import pad_sequence

from minds.policies.wishes import BEST, HEADS, HIDDEN, NAMED, NEAR, Floats
from minds.training.minilm import Encoder, low_of
from tools.worlds.kinds import KINDS

CANDIDATES = 100
"""Actions of a state that a sentence is fitted on: the right ones and others drawn from the rest."""
LEAST = -20.0
"""The score of the nearest name where a state names nothing."""
OF_ACTIONS = ("verbs", "objects", "others", "again", "right")
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Case:
    """A sentence in a state: its actions by the numbers of verb, object and other."""

    text: str
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
    instead: int
    """Where no action is right: which of INSTEAD is."""


class Reader(nn.Module):  # type: ignore[misc]
    """The whole network. `tables`: frozen vectors of the names in worlds, of things and of places."""

    def __init__(self, tables: dict[str, Floats], verbs: int) -> None:
        super().__init__()
        self.encoder = Encoder()
        self.upper = self.encoder.upper
        self.tables = {key: torch.from_numpy(table) for key, table in tables.items()}
        sizes = {"meant": 1, "kinds": len(KINDS), "verbs": verbs, "instead": len(HEADS)}
        self.heads = nn.ModuleDict({key: _head(size) for key, size in sizes.items()})
        sides = ("object", "other", "thing", "place")
        self.said, self.name = (
            nn.ModuleDict({side: nn.Linear(384, NEAR, bias=False) for side in sides}) for _ in range(2)
        )
        for module in (*self.said.values(), *self.name.values()):
            nn.init.normal_(module.weight, std=0.06)
        self.shared = nn.ModuleDict({side: nn.Linear(NAMED, 1) for side in ("object", "other")})
        self.again = nn.Parameter(torch.zeros(1))
        self.none = nn.Sequential(nn.Linear(NAMED + 1, BEST), nn.ReLU(), nn.Linear(BEST, 1))

    def near(self, side: str, rows: Any, x: Any, there: Any) -> Any:
        """Of each name its best likeness to a token: rows (batch or 1, names, 384) -> (batch, names)."""
        said = self.said[side](x).masked_fill(~there[..., None], 0)
        like = torch.einsum("bnr,btr->bnt", self.name[side](rows).expand(len(x), -1, -1), said)
        return like.masked_fill(~there[:, None], -1e4).max(2).values

    def wish(self, texts: Sequence[str]) -> dict[str, Any]:
        x, there, mean = self.encoder.states(texts)
        found = {"kinds": self.heads["kinds"](mean)}
        for key, side in (("things", "thing"), ("places", "place")):
            found[key] = self.near(side, self.tables[key][None], x, there)
        return found

    def of(self, head: str, texts: Sequence[str]) -> Any:
        """What one of the heads on the mean says."""
        return self.heads[head](self.encoder.states(texts)[2])

    def rank(self, texts: Sequence[str], batch: dict[str, Any]) -> Any:
        """Scores of the actions, behind them of what is said instead of one."""
        x, there, mean = self.encoder.states(texts)
        score = self.heads["verbs"](mean).gather(1, batch["verbs"]) + self.again * batch["again"]
        rows = self.tables["names"][batch["names"]]
        for side, at in (("object", batch["objects"]), ("other", batch["others"])):
            of_name = self.near(side, rows, x, there) + self.shared[side](batch["shared"])[..., 0]
            of_name = torch.cat([of_name, torch.zeros(len(of_name), 1)], 1)
            score = score + of_name.gather(1, torch.where(at < 0, of_name.shape[1] - 1, at))
            if side == "object":
                best = _best(of_name[:, :-1].masked_fill(~batch["named"], -1e4), batch["shared"])
        score = score.masked_fill(~batch["there"], -1e9)
        instead = self.heads["instead"](mean)
        return torch.cat([score, instead[:, :1] + self.none(best), instead[:, 1:]], 1)


def _best(scores: Any, shared: Any) -> Any:
    """The score and the features of the name that is nearest: (batch, 1 + NAMED)."""
    score, at = scores.max(1)
    return torch.cat([score[:, None].clamp(min=LEAST), shared[torch.arange(len(at)), at]], 1)


def _head(size: int) -> Any:
    return nn.Sequential(nn.Dropout(0.15), nn.Linear(384, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, size))


def together(cases: Sequence[Case], rng: np.random.Generator) -> dict[str, Any]:
    """Cases of different lengths as one batch, with some of the actions of each."""
    kept = [_some(case, rng) for case in cases]
    taken = {key: [getattr(case, key)[keep] for case, keep in zip(cases, kept, strict=True)] for key in OF_ACTIONS}
    instead = np.zeros((len(cases), len(HEADS)), np.float32)
    for row, case in zip(instead, cases, strict=True):
        row[case.instead] = not case.right.any()
    return {
        "names": _filled([case.names for case in cases]),
        "shared": _filled([case.shared for case in cases]),
        "named": _filled([np.ones(len(case.names), bool) for case in cases]),
        "there": _filled([np.ones(len(keep), bool) for keep in kept]),
        "verbs": _filled(taken["verbs"]),
        "objects": _filled(taken["objects"], -1),
        "others": _filled(taken["others"], -1),
        "again": _filled(taken["again"]).float(),
        "right": torch.cat([_filled(taken["right"]).float(), torch.from_numpy(instead)], 1),
    }


def _filled(rows: Sequence[Any], by: float = 0) -> Any:
    return pad_sequence(list(map(torch.from_numpy, rows)), batch_first=True, padding_value=by)


def ranking_loss(scores: Any, right: Any) -> Any:
    """Minus the log of the probability that the right ones have together."""
    held = scores.masked_fill(right == 0, -1e9)
    return (torch.logsumexp(scores, 1) - torch.logsumexp(held, 1)).mean()


def named(net: Any) -> dict[str, Any]:
    """What was learned, in torch, named as minds/policies/wishes.py reads it."""
    found = low_of(net.upper)
    for key, head in net.heads.items():
        found |= {f"{key}.in": head[1].weight.T, f"{key}.bias": head[1].bias}
        found |= {f"{key}.out": head[3].weight.T, f"{key}.shift": head[3].bias}
    for side in net.said:
        found |= {f"near.{side}.said": net.said[side].weight.T, f"near.{side}.name": net.name[side].weight.T}
    for side, linear in net.shared.items():
        found |= {f"near.{side}.shared": linear.weight[0], f"near.{side}.bias": linear.bias}
    found |= {"none.in": net.none[0].weight.T, "none.bias": net.none[0].bias}
    found |= {"none.out": net.none[2].weight.T, "none.shift": net.none[2].bias}
    found["again"] = net.again
    return found


def _some(case: Case, rng: np.random.Generator) -> Ints:
    """The right actions, and others."""
    if len(case.right) <= CANDIDATES:
        return np.arange(len(case.right))
    right, rest = np.flatnonzero(case.right), np.flatnonzero(~case.right)
    return np.concatenate([right, rng.choice(rest, max(1, CANDIDATES - len(right)), replace=False)])
