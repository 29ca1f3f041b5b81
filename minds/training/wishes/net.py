"""The fit, in torch: MiniLM's own layers, changed by little (LoRA, Hu et al. 2021), and small heads on its states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn.utils.rnn import pad_sequence

from minds.policies.wishes import BEST, HEADS, HIDDEN, NAMED, NEAR, Floats, likenesses, told
from minds.training.minilm import Encoder, low_of
from minds.training.rows import Row
from tools.worlds.actions import action_space, bare
from tools.worlds.kinds import KINDS

CANDIDATES = 100
"""Actions of a state that a sentence is fitted on: the right ones and others drawn from the rest."""
LEAST = -20.0
"""The score of the nearest name where a state names nothing."""
OF_NAMES, OF_ACTIONS = ("names", "shared"), ("verbs", "objects", "others", "again", "right")
NONE = {"objects": -1, "others": -1}
"""What stands for no name, and fills up."""
Case = dict[str, Any]
"""A sentence in a state, as `case` makes it."""


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


def case(row: Row, verbs: Mapping[str, int], known: Mapping[str, int]) -> Case:
    """A labelled sentence. names: of those in the state their numbers; shared: what each has in common with the
    sentence, shape (names, NAMED). Of each action: verbs, its number; objects and others, which of `names` (-1: none);
    again and right, 1 or 0. instead: where no action is right, which of HEADS is, shape (heads,)."""
    space, recent = action_space(tuple(row["admissible"])), row.get("recent", [])
    here = list(dict.fromkeys((*space.objects, *space.others)))
    at = {name: n for n, name in enumerate(here)}
    taken = [space.parts(action) for action in space.admissible]
    right = np.array([action in row["expect"] for action in space.admissible], np.float32)
    return {
        "text": told(row["says"], recent, row.get("done", 0)),
        "names": np.array([known[bare(name)] for name in here], np.int64),
        "shared": likenesses(row["says"], here, recent),
        "verbs": np.array([verbs[part.verb] for part in taken], np.int64),
        "objects": np.array([at.get(part.object, -1) for part in taken], np.int64),
        "others": np.array([at.get(part.other, -1) for part in taken], np.int64),
        "again": np.array([action in recent[-1:] for action in space.admissible], np.float32),
        "right": right,
        "instead": np.array([head == row.get("control", HEADS[0]) for head in HEADS]) * (not right.any()),
    }


def together(cases: Sequence[Case], rng: np.random.Generator) -> dict[str, Any]:
    """Cases of different lengths as one batch, with some of the actions of each."""
    taken = [_some(one["right"] > 0, rng) for one in cases]
    some = [one | {key: one[key][rows] for key in OF_ACTIONS} for one, rows in zip(cases, taken, strict=True)]
    batch = {key: _filled([one[key] for one in some], NONE.get(key, 0)) for key in (*OF_NAMES, *OF_ACTIONS)}
    batch |= {"named": _filled([np.ones(len(one["names"]), bool) for one in some])}
    batch |= {"there": _filled([np.ones(len(rows), bool) for rows in taken])}
    instead = torch.tensor(np.stack([one["instead"] for one in some])).float()
    return batch | {"right": torch.cat([batch["right"], instead], 1)}


def _some(right: NDArray[np.bool_], rng: np.random.Generator) -> NDArray[np.int64]:
    """The right actions, and others."""
    if len(right) <= CANDIDATES:
        return np.arange(len(right))
    rest = rng.choice(np.flatnonzero(~right), max(1, CANDIDATES - right.sum()), replace=False)
    return np.concatenate([np.flatnonzero(right), rest])


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
        found |= both(key, head[1], head[3])
    for side in net.said:
        found |= {f"near.{side}.said": net.said[side].weight.T, f"near.{side}.name": net.name[side].weight.T}
    for side, linear in net.shared.items():
        found |= {f"near.{side}.shared": linear.weight[0], f"near.{side}.bias": linear.bias}
    return found | both("none", net.none[0], net.none[2]) | {"again": net.again}


def both(name: str, first: Any, last: Any) -> dict[str, Any]:
    """The layers of a head, as that is called."""
    rows = {"in": first.weight.T, "bias": first.bias, "out": last.weight.T, "shift": last.bias}
    return {f"{name}.{part}": row for part, row in rows.items()}
