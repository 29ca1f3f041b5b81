"""`train wishes [--alfworld DIR] [--epochs N] [--out DIR]`: fits weights/wishes.safetensors and writes its card.

About ten minutes an epoch on two cores. Nothing is random but by fixed seeds.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from memory.embedder import Embedder, folder
from minds.policies.wishes import HEADS, OVER, WEIGHTS, Floats, Wishes, bare, likenesses, told
from minds.training.grounding.sentences import Row
from minds.training.wishes import fit as fits
from minds.training.wishes.data import TOLD, TOLD_FILES, Behind, Said, behind, contrasts, grounded, said
from minds.training.wishes.fit import Case
from tools.worlds.actions import ActionSpace, action_space
from tools.worlds.goal import spaced
from tools.worlds.kinds import KINDS

MISSED = {"wish": 0.01, "meant": 0.01, "over": 0.05}
"""Of what is wanted, that its threshold may miss: the model that is then asked may still say no."""
MOST = {"wish": 0.1, "meant": 0.8, "over": 0.3}
"""Of a threshold: of wordings that nobody thought of, and of other languages, the fit is less sure than of those kept
apart; and of few turns of talk it is that sure."""
TEMPERATURES = (1.0, 1.5, 2.0, 2.5, 3.0, 4.0)
EPOCHS, SIZE, RATE, RATE_LOW = 3, 32, 2e-3, 1e-3
AT = (1, 4, 8, 12)


def main(arguments: Sequence[str]) -> int:
    """Returns the exit code."""
    ask = argparse.ArgumentParser(prog="main.py train wishes", description=__doc__)
    ask.add_argument("--alfworld", type=Path, help="folder of train.jsonl.xz and valid_train.jsonl.xz")
    ask.add_argument("--epochs", type=int, default=EPOCHS)
    ask.add_argument("--out", type=Path, default=WEIGHTS.parent)
    given = ask.parse_args(arguments)
    ground = _Ground(said(given.alfworld), grounded(), behind())
    ground.fit(given.epochs)
    ground.temper()
    path = given.out / WEIGHTS.name
    ground.save(path, (0.5, 0.5, 0.5))
    figures, thresholds = _decisions(_opened(path), ground)
    ground.save(path, thresholds)
    figures |= _chosen(_opened(path), ground)
    (given.out / "wishes.md").write_text(card(figures), encoding="utf-8")
    print(json.dumps(figures))
    return 0


class _Ground:
    """What is fitted on, and the network."""

    def __init__(self, turns: list[Said], sentences: list[tuple[Row, bool]], behind: list[Behind]) -> None:
        self.turns, self.sentences, self.behind = turns, sentences, behind
        self._ours = [row for row in turns if not row.apart]
        self._over = [row for row in behind if not row.apart]
        both: list[Said | Behind] = [*self._ours, *self._over]
        self._drive = [(row.says, float(row.person)) for row in both if row.person is not None]
        plain = [row for row, far in sentences if not far and _usable(row)]
        rows = [*plain, *contrasts(plain)]
        spaces = {id(row["admissible"]): action_space(tuple(row["admissible"])) for row in rows}
        verbs = sorted({verb for space in spaces.values() for verb in space.verbs})
        self._names: dict[str, Sequence[str]] = {
            "verbs": verbs,
            "names": sorted({bare(n) for space in spaces.values() for n in (*space.objects, *space.others)}),
            "kinds": list(KINDS),
            "things": sorted({row.thing for row in turns if row.thing}),
            "places": sorted({row.place for row in turns if row.place}),
        }
        self._tables, self._step = self._vectors()
        at = {name: n for n, name in enumerate(self._names["names"])}
        of_verb = {verb: n for n, verb in enumerate(verbs)}
        self._cases = [
            _case(row, spaces[id(row["admissible"])], of_verb, at)
            for row in rows
            for _ in range(int(TOLD) if row["file"] in TOLD_FILES else 1)
        ]
        self._marks = [
            _marks([row.kinds for row in self._ours], self._names["kinds"]),
            _marks([(row.thing,) for row in self._ours], self._names["things"]),
            _marks([(row.place,) for row in self._ours], self._names["places"]),
        ]
        self._meant = sorted({row["says"] for row in plain if row["expect"] or row.get("control")})
        self.net = fits.reader(str(folder()), self._tables, len(verbs))

    def fit(self, epochs: int) -> None:
        import torch
        from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

        threadpool_limits(os.cpu_count() or 1)  # the embedder had left one to each
        low = [value for value in self.net.upper.parameters() if value.requires_grad]
        heads = [value for name, value in self.net.named_parameters() if not name.startswith("upper.")]
        groups = [{"params": low, "lr": RATE_LOW}, {"params": heads, "lr": RATE}]
        optimizer = torch.optim.AdamW(groups, weight_decay=0.01)
        steps = epochs * (len(self._cases) // SIZE + 1)
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, [RATE_LOW, RATE], total_steps=steps, pct_start=0.1)
        rng, odds = np.random.default_rng(0), self._odds()
        lengths = np.array([len(case.text) for case in self._cases])
        self.net.train()
        self.net.upper.eval()  # its drop-out costs more than it brings in three rounds
        done, held = 0, 0.0
        for epoch in range(epochs):
            for rows in fits.batches(lengths, SIZE, epoch):
                optimizer.zero_grad()
                drawn = rng.choice(len(self._ours), SIZE, p=odds)
                loss = self._rank_loss(rows, rng) + self._wish_loss(drawn) + self._meant_loss(drawn, rng)
                loss = loss + self._drive_loss(rng) + self._over_loss(drawn, rng)
                loss.backward()
                optimizer.step()
                schedule.step()
                done, held = done + 1, 0.98 * held + 0.02 * float(loss.detach())
                if done % 20 == 0:
                    print(f"{done} of {steps}: {held / (1 - 0.98**done):.3f}", flush=True)
        self.net.eval()

    def temper(self) -> None:
        """The head of tasks that are over has few sentences and is too sure of itself: its scores are divided by what
        makes those kept apart likeliest (Guo et al. 2017)."""
        import torch

        apart = [row for row in self.behind if row.apart]
        right = torch.tensor([OVER.index(row.means) for row in apart])
        with torch.no_grad():
            scores = self.net.of("over", [row.says for row in apart])
            losses = {t: float(torch.nn.functional.cross_entropy(scores / t, right)) for t in TEMPERATURES}
            for part in self.net.heads["over"][3].parameters():
                part /= min(losses, key=lambda t: losses[t])

    def _odds(self) -> Floats:
        """How often each turn is drawn: half of them are wishes, half are talk."""
        worth, wish = (np.array([getattr(row, key) for row in self._ours]) for key in ("worth", "wish"))
        odds: Floats = worth / np.where(wish, worth[wish].sum(), worth[~wish].sum()) / 2
        return odds

    def _rank_loss(self, rows: Any, rng: np.random.Generator) -> Any:
        cases = [self._cases[n] for n in rows]
        batch = fits.together(cases, rng)
        return fits.ranking_loss(self.net.rank([case.text for case in cases], batch), batch["right"])

    def _wish_loss(self, drawn: Any) -> Any:
        import torch

        ours = [self._ours[n] for n in drawn]
        found = self.net.wish([row.says for row in ours])
        wish = torch.tensor([[float(row.wish)] for row in ours])
        total = 2 * torch.nn.functional.binary_cross_entropy_with_logits(found["wish"], wish)
        for key, marks in zip(("kinds", "things", "places"), self._marks, strict=True):
            right = marks[drawn]
            if (known := right.any(1)).any():
                total = total + fits.ranking_loss(found[key][known], right[known].float())
        return total

    def _meant_loss(self, drawn: Any, rng: np.random.Generator) -> Any:
        """What could be done in a world is meant for it, ordinary talk is not; a sentence that has no right action may
        be either, so nothing is learned from it."""
        import torch

        talk = [row.says for row in (self._ours[n] for n in drawn) if not row.wish]
        acts = [self._meant[n] for n in rng.choice(len(self._meant), max(4, len(talk)))]
        meant = self.net.of("meant", [*talk, *acts])
        right = torch.tensor([[0.0]] * len(talk) + [[1.0]] * len(acts))
        return torch.nn.functional.binary_cross_entropy_with_logits(meant, right)

    def _drive_loss(self, rng: np.random.Generator) -> Any:
        import torch

        drawn = [self._drive[n] for n in rng.choice(len(self._drive), SIZE // 2)]
        found = self.net.of("person", [says for says, _ in drawn])
        return torch.nn.functional.binary_cross_entropy_with_logits(found, torch.tensor([[p] for _, p in drawn]))

    def _over_loss(self, drawn: Any, rng: np.random.Generator) -> Any:
        """Ordinary talk is about no task behind one either."""
        import torch

        talk = [row.says for row in (self._ours[n] for n in drawn) if not row.wish][: SIZE // 4]
        about = [self._over[n] for n in rng.choice(len(self._over), SIZE // 2)]
        found = self.net.of("over", [*talk, *(row.says for row in about)])
        right = torch.tensor([*[0] * len(talk), *(OVER.index(row.means) for row in about)])
        return torch.nn.functional.cross_entropy(found, right)

    def _vectors(self) -> tuple[dict[str, Floats], float]:
        """Of all names, as they come back from bytes."""
        embed = Embedder().embed
        names = {"names": self._names["names"]}
        names |= {key: [spaced(name) for name in self._names[key]] for key in ("things", "places")}
        tables = {key: embed(of) for key, of in names.items()}
        step = float(max(np.abs(table).max() for table in tables.values()) / 127)
        return {key: (np.round(table / step) * step).astype(np.float32) for key, table in tables.items()}, step

    def save(self, path: Path, thresholds: tuple[float, ...]) -> None:
        """Half precision, but for the names' vectors, which are bytes."""
        from safetensors.numpy import save_file

        path.parent.mkdir(parents=True, exist_ok=True)
        weights: dict[str, Any] = {key: row.astype(np.float16) for key, row in fits.weights_of(self.net).items()}
        weights |= {key: np.round(table / self._step).astype(np.int8) for key, table in self._tables.items()}
        weights |= {"names.step": np.array([self._step]), "thresholds": np.array(thresholds)}
        ready = {key: np.ascontiguousarray(row) for key, row in weights.items()}
        save_file(ready, path, {key: "\n".join(of) for key, of in self._names.items()})


def _usable(row: Row) -> bool:
    return not row["expect"] or bool(set(row["expect"]) & set(row["admissible"]))


def _case(row: Row, space: ActionSpace, verbs: dict[str, int], known: dict[str, int]) -> Case:
    here, recent = list(dict.fromkeys((*space.objects, *space.others))), row.get("recent", [])
    at = {name: n for n, name in enumerate(here)}
    taken = [space.parts(action) for action in space.admissible]
    return Case(
        told(row["says"], recent),
        np.array([known[bare(name)] for name in here], np.int64),
        likenesses(row["says"], here, recent),
        np.array([verbs[part.verb] for part in taken], np.int64),
        np.array([at.get(part.object, -1) for part in taken], np.int64),
        np.array([at.get(part.other, -1) for part in taken], np.int64),
        np.array([action in recent[-1:] for action in space.admissible]),
        np.array([action in row["expect"] for action in space.admissible]),
        HEADS.index(row.get("control", HEADS[0])),
    )


def _marks(right: Sequence[Sequence[str]], names: Sequence[str]) -> Any:
    import torch

    at = {name: n for n, name in enumerate(names)}
    marks = np.zeros((len(right), len(names)), bool)
    for row, of in zip(marks, right, strict=True):
        row[[at[name] for name in of if name]] = True
    return torch.from_numpy(marks)


# -- figures, on what was kept apart, by the weights as they are run


@dataclass(frozen=True)
class _Odds:
    talk: Floats
    wanted: Floats


def _opened(path: Path) -> Wishes:
    return Wishes.load(Embedder().changed, path)


def _decisions(wishes: Wishes, ground: _Ground) -> tuple[dict[str, object], tuple[float, ...]]:
    """Is it a wish, is it meant for the open world, for one that is over; does the person want to act."""
    apart = [row for row in ground.turns if row.apart and row.counts]
    acts = {row["says"] for row, far in ground.sentences if far and row["expect"]}
    wish = _Odds(*(np.array([wishes.wish(r.says).p for r in apart if r.wish == of]) for of in (False, True)))
    talk = [row.says for row in apart if not row.wish and row.says not in acts]
    meant = _Odds(*(np.array([wishes.meant(says)[0] for says in of]) for of in (talk, sorted(acts))))
    behind = [row for row in ground.behind if row.apart]
    about = [row.says for row in behind if row.means != OVER[0]]
    over = _Odds(*(np.array([1 - wishes.over(says)[0][OVER[0]] for says in of]) for of in (talk, about)))
    odds = {"wish": wish, "meant": meant, "over": over}
    found = {key: _threshold(of, key) for key, of in odds.items()}
    both: list[Said | Behind] = [*apart, *behind]
    figures = dict(found) | _drives(wishes, [row for row in both if row.person is not None])
    figures["over_first"] = _share([max(o := wishes.over(r.says)[0], key=lambda k: o[k]) == r.means for r in behind])
    return figures, tuple(float(of["threshold"]) for of in found.values())


def _drives(wishes: Wishes, rows: Sequence[Said | Behind]) -> dict[str, object]:
    """Who is to act: how often it is heard of those who want to themselves, and of the others."""
    right = {of: [(wishes.person(row.says) >= 0.5) == of for row in rows if row.person == of] for of in (True, False)}
    return {"drive": {"person": _share(right[True]), "assistant": _share(right[False]), "n": len(rows)}}


def _threshold(odds: _Odds, key: str) -> dict[str, float | int]:
    """The highest that misses no more than MISSED of what is wanted, but not over MOST."""
    at = min(MOST[key], float(np.quantile(odds.wanted, MISSED[key], method="lower")))
    curve = {f"needless_at_{p}": round(float((odds.talk >= p).mean()), 4) for p in (0.1, 0.5, 0.9)}
    curve |= {f"missed_at_{p}": round(float((odds.wanted < p).mean()), 4) for p in (0.1, 0.5, 0.9)}
    needless = round(float((odds.talk >= at).mean()), 4)
    counts = {"talk": len(odds.talk), "wanted": len(odds.wanted)}
    return {"threshold": at, "needless": needless, **curve, **counts}


def _chosen(wishes: Wishes, ground: _Ground) -> dict[str, object]:
    """How often the right one is the first, and among those that are shown."""
    figures: dict[str, object] = {}
    for key, of in (("kinds", lambda r: r.kinds), ("things", lambda r: (r.thing,)), ("places", lambda r: (r.place,))):
        rows = [row for row in ground.turns if row.apart and row.wish and len(of(row)) == 1 and of(row)[0]]
        near = [list(getattr(wishes.wish(row.says), key)) for row in rows]
        first = [of(row)[0] == names[0] for row, names in zip(rows, near, strict=True)]
        shown = [of(row)[0] in names for row, names in zip(rows, near, strict=True)]
        figures[key] = {"first": _share(first), "shown": _share(shown), "n": len(rows)}
    return figures | _actions(wishes, ground)


def _actions(wishes: Wishes, ground: _Ground) -> dict[str, object]:
    embed = Embedder().embed
    ranks: dict[str, list[int]] = {}
    right: dict[str, list[bool]] = {}
    seconds = []
    for row in (row for row, far in ground.sentences if far):
        space, began = action_space(tuple(row["admissible"])), time.perf_counter()
        found = wishes.ranked(row["says"], space, row.get("recent", []), embed)
        seconds.append(time.perf_counter() - began)
        odds = {**found.actions, **found.instead}
        best = max(odds, key=lambda name: odds[name])
        right.setdefault(row["world"], []).append(best in (row["expect"] or [row.get("control", HEADS[0])]))
        if there := [n for n, action in enumerate(found.actions) if action in row["expect"]]:
            ranks.setdefault(row["world"], []).append(min(there))
    return {
        "actions": {world: {f"@{k}": _share(np.array(r) < k) for k in AT} for world, r in ranks.items()},
        "first_of_all": {world: _share(of) for world, of in right.items()},
        "sentences": {world: len(of) for world, of in right.items()},
        "rank_ms": round(1000 * float(np.median(seconds)), 1),
    }


def _share(of: Any) -> float:
    return round(float(np.mean(of)), 3)


def card(figures: dict[str, object]) -> str:
    """What stands beside the weights."""
    lines = "\n".join(f"- {key}: {json.dumps(value)}" for key, value in figures.items())
    return (
        "# Wishes\n\nHelps a small model with text worlds (minds/policies/wishes.py): what is added to the layers of "
        "all-MiniLM-L6-v2 (Apache-2.0; rank 16), and heads. Fitted by `python main.py train wishes --alfworld DIR` on "
        "the requests, the ordinary turns and the sentences in worlds of minds/training/data and on people's "
        "descriptions of ALFWorld's games (train, which are not in this repository; MIT).\n\n"
        "Figures on what was kept apart (files dev35 to dev41, five styles of talk, every seventh run "
        f"of 50 requests, valid_train); the thresholds were chosen there, so they flatter a little:\n\n{lines}\n"
    )
