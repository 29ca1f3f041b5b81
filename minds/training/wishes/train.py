"""`train wishes [--alfworld DIR] [--epochs N] [--own] [--out DIR]`: fits weights/wishes.safetensors with its card.

About fifteen minutes an epoch on two cores, and ten for the heads that are fitted once more behind it. Nothing is
random but by fixed seeds.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import torch

from memory.embedder import Embedder
from minds.policies.wishes import WEIGHTS, Floats
from minds.training.processes import batches, card, change, descend, write
from minds.training.rows import Row
from minds.training.wishes import figures, net
from minds.training.wishes.data import TOLD, TOLD_FILES, Lists, contrasts, lists
from minds.training.wishes.refit import opened, refit_meant, refit_own
from tools.worlds.actions import action_space, bare
from tools.worlds.goal import spaced
from tools.worlds.kinds import KINDS

EPOCHS, SIZE, RATE, RATE_LOW = 3, 32, 2e-3, 1e-3


def main(arguments: Sequence[str]) -> None:
    ask = argparse.ArgumentParser(prog="main.py train wishes", description=__doc__)
    ask.add_argument("--alfworld", type=Path, help="folder of train.jsonl.xz and valid_train.jsonl.xz")
    ask.add_argument("--epochs", type=int, default=EPOCHS)
    ask.add_argument("--out", type=Path, default=WEIGHTS.parent)
    ask.add_argument("--own", action="store_true", help="only what is read by layers of its own")
    given = ask.parse_args(arguments)
    all_, path = lists(given.alfworld), given.out / WEIGHTS.name
    if given.own:
        refit_own(WEIGHTS, path, all_)
    else:
        ground = _Ground(all_)
        ground.fit(given.epochs)
        ground.save(path)
        refit_own(path, path, all_)
        refit_meant(path, path, all_)
    found, thresholds = figures.decisions(opened(path), all_)
    change(path, path, {"thresholds": np.array(thresholds)})
    found |= figures.chosen(opened(path), all_)
    card(path.with_suffix(".md"), "Wishes", found)
    print(json.dumps(found))


class _Ground:
    """What is fitted on, and the network."""

    def __init__(self, lists: Lists) -> None:
        turns, sentences = lists.turns, lists.sentences
        self._ours = [row for row in turns if not row.apart]
        plain = [row for row, far in sentences if not far and _usable(row)]
        rows = [*plain, *contrasts(plain)]
        spaces = {id(row["admissible"]): action_space(tuple(row["admissible"])) for row in rows}.values()
        verbs = sorted({verb for space in spaces for verb in space.verbs})
        self._names: dict[str, Sequence[str]] = {
            "verbs": verbs,
            "names": sorted({bare(n) for space in spaces for n in (*space.objects, *space.others)}),
            "kinds": list(KINDS),
            "things": sorted({row.thing for row in turns if row.thing}),
            "places": sorted({row.place for row in turns if row.place}),
        }
        self._tables, self._step = self._vectors()
        at = {name: n for n, name in enumerate(self._names["names"])}
        of_verb = {verb: n for n, verb in enumerate(verbs)}
        self._cases = [
            net.case(row, of_verb, at) for row in rows for _ in range(int(TOLD) if row["file"] in TOLD_FILES else 1)
        ]
        rights = {"kinds": [row.kinds for row in self._ours]}
        rights |= {"things": [(row.thing,) for row in self._ours], "places": [(row.place,) for row in self._ours]}
        self._marks = {key: _marks(right, self._names[key]) for key, right in rights.items()}
        self._meant = sorted({row["says"] for row in plain if row["expect"] or row.get("control")})
        self.net = net.Reader(self._tables, len(verbs))

    def fit(self, epochs: int) -> None:
        steps = epochs * (len(self._cases) // SIZE + 1)
        others = [value for name, value in self.net.named_parameters() if not name.startswith("upper.")]
        groups = [{"params": [*self.net.upper.parameters()], "lr": RATE_LOW}, {"params": others}]
        best = torch.optim.AdamW(groups, RATE, weight_decay=0.01)
        pace = torch.optim.lr_scheduler.OneCycleLR(best, [RATE_LOW, RATE], total_steps=steps, pct_start=0.1)
        rng, odds = np.random.default_rng(0), self._odds()
        lengths = [len(case["text"]) for case in self._cases]

        def loss(rows: Any) -> Any:
            drawn = rng.choice(len(self._ours), SIZE, p=odds)
            return self._rank_loss(rows, rng) + self._wish_loss(drawn) + self._meant_loss(drawn, rng)

        orders = (batches(lengths, SIZE, np.random.default_rng(epoch)) for epoch in range(epochs))
        self.net.train()
        descend(best, chain.from_iterable(orders), loss, pace)
        self.net.eval()

    def _odds(self) -> Floats:
        """How often each turn is drawn: half of them are wishes, half are talk."""
        worth, wish = (np.array([getattr(row, key) for row in self._ours]) for key in ("worth", "wish"))
        odds: Floats = worth / np.where(wish, worth[wish].sum(), worth[~wish].sum()) / 2
        return odds

    def _rank_loss(self, rows: Any, rng: np.random.Generator) -> Any:
        cases = [self._cases[n] for n in rows]
        batch = net.together(cases, rng)
        return net.ranking_loss(self.net.rank([case["text"] for case in cases], batch), batch["right"])

    def _wish_loss(self, drawn: Any) -> Any:
        """What is wished for."""
        ours = [self._ours[n] for n in drawn]
        found, total = self.net.wish([row.says for row in ours]), torch.zeros(())
        for key, marks in self._marks.items():
            right = marks[drawn]
            if (known := right.any(1)).any():
                total = total + net.ranking_loss(found[key][known], right[known].float())
        return total

    def _meant_loss(self, drawn: Any, rng: np.random.Generator) -> Any:
        """What could be done in a world is meant for it, ordinary talk is not; a sentence that has no right action may
        be either, so nothing is learned from it."""
        talk = [row.says for row in (self._ours[n] for n in drawn) if not row.wish]
        acts = [self._meant[n] for n in rng.choice(len(self._meant), max(4, len(talk)))]
        meant = self.net.of("meant", [*talk, *acts])
        right = torch.tensor([[0.0]] * len(talk) + [[1.0]] * len(acts))
        return torch.nn.functional.binary_cross_entropy_with_logits(meant, right)

    def _vectors(self) -> tuple[dict[str, Floats], float]:
        """Of all names, as they come back from bytes."""
        embed = Embedder().embed
        names = {"names": self._names["names"]}
        names |= {key: [spaced(name) for name in self._names[key]] for key in ("things", "places")}
        tables = {key: embed(of) for key, of in names.items()}
        step = float(max(np.abs(table).max() for table in tables.values()) / 127)
        return {key: (np.round(table / step) * step).astype(np.float32) for key, table in tables.items()}, step

    def save(self, path: Path) -> None:
        """Half precision, but for the names' vectors, which are bytes."""
        weights = {key: row.detach().numpy().astype(np.float16) for key, row in net.named(self.net).items()}
        weights |= {key: np.round(table / self._step).astype(np.int8) for key, table in self._tables.items()}
        weights |= {"names.step": np.array([self._step]), "thresholds": np.full(3, 0.5)}
        write(path, weights, {key: "\n".join(of) for key, of in self._names.items()})


def _usable(row: Row) -> bool:
    return not row["expect"] or bool(set(row["expect"]) & set(row["admissible"]))


def _marks(right: Sequence[Sequence[str]], names: Sequence[str]) -> Any:
    at = {name: n for n, name in enumerate(names)}
    marks = np.zeros((len(right), len(names)), bool)
    for row, of in zip(marks, right, strict=True):
        row[[at[name] for name in of if name]] = True
    return torch.from_numpy(marks)
