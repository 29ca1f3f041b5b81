"""`train wishes [--alfworld DIR] [--cache DIR] [--out DIR]`: fits weights/wishes.safetensors and writes its card.

Half an hour on one core, most of it sentence vectors (kept in --cache). Nothing is random but by fixed seeds.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from memory.embedder import Embedder
from minds.policies.wishes import PIECES, WEIGHTS, Embed, Floats, Wishes, bare, likenesses, nearest
from minds.training.calibrate import platt
from minds.training.grounding.sentences import Row
from minds.training.wishes import fit as fits
from minds.training.wishes.data import Said, grounded, said
from minds.training.wishes.fit import Case, dense, fit, network, parts, ranking_loss
from tools.worlds.actions import ActionSpace, action_space
from tools.worlds.kinds import KINDS

NEEDLESS, MISSED = 0.01, 0.03
"""Of ordinary talk that is to be taken for a wish, and of wishes that may be missed, at most."""
POINTS = {"talk": 900, "request": 700, "household": 200, "act": 700}
"""Labelled sentences that others are compared with."""
WANTED = {"wish": ("request", "household"), "meant": ("act",)}
WORTH = {"wish": {"talk": 1.5, "request": 1.0, "household": 0.15}, "meant": {"talk": 1.5, "act": 0.5}}
"""People's descriptions of households and sentences in worlds are many: each counts less."""
AT = (1, 4, 8, 12)


def main(arguments: Sequence[str]) -> int:
    """Returns the exit code."""
    ask = argparse.ArgumentParser(prog="main.py train wishes", description=__doc__)
    ask.add_argument("--alfworld", type=Path, help="folder of train.jsonl.xz and valid_train.jsonl.xz")
    ask.add_argument("--cache", type=Path, help="folder where sentence vectors are kept")
    ask.add_argument("--out", type=Path, default=WEIGHTS.parent)
    given = ask.parse_args(arguments)
    embed = kept_vectors(given.cache)
    weights, names, figures = fitted(said(given.alfworld), grounded(), embed)
    print(json.dumps(figures), flush=True)
    save(weights, names, given.out / WEIGHTS.name)
    figures |= measured(Wishes.load(given.out / WEIGHTS.name), grounded(), embed)
    (given.out / "wishes.md").write_text(card(figures), encoding="utf-8")
    print(json.dumps(figures))
    return 0


def fitted(
    turns: list[Said], sentences: list[tuple[Row, bool]], embed: Embed
) -> tuple[dict[str, Floats], dict[str, Sequence[str]], dict[str, object]]:
    """Weights, the names of what they are of, and figures on what was kept apart."""
    decisions, figures = _decisions(turns, sentences, embed)
    wish, names, of_wish = _wishes(turns, embed)
    ranking, more = _ranking(sentences, embed)
    return {**decisions, **wish, **ranking}, {**names, **more}, {**figures, "kinds": of_wish}


# -- which kind, thing and place


def _wishes(
    turns: list[Said], embed: Embed
) -> tuple[dict[str, Floats], dict[str, Sequence[str]], dict[str, float | int]]:
    names: dict[str, Sequence[str]] = {
        "kinds": list(KINDS),
        "things": sorted({row.thing for row in turns if row.thing}),
        "places": sorted({row.place for row in turns if row.place}),
    }
    ours = [row for row in turns if row.wish and not row.apart]
    vectors, found = _read(ours, embed)
    sides = [0, len(names["kinds"]), len(names["kinds"]) + len(names["things"])]
    right = [
        _marks([row.kinds for row in ours], names["kinds"]),
        _marks([(row.thing,) for row in ours], names["things"]),
        _marks([(row.place,) for row in ours], names["places"]),
    ]
    net = network(sides[-1] + len(names["places"]))

    def loss(rows: Floats) -> object:
        out = net(vectors[rows], found[rows])
        total = out.sum() * 0
        for start, marks in zip(sides, right, strict=True):
            told = marks[rows].any(1)
            if told.any():
                scores = out[told, start : start + marks.shape[1]]
                total = total + ranking_loss(scores, marks[rows][told].float())
        return total

    fit(net, loss, len(ours))
    return parts(net, "wish"), names, _wish_figures(net, [row for row in turns if row.apart], names, embed)


def _wish_figures(
    net: object, turns: list[Said], names: dict[str, Sequence[str]], embed: Embed
) -> dict[str, float | int]:
    import torch

    with torch.no_grad():
        out = net(*_read(turns, embed)).numpy()  # type: ignore[operator]
    figures: dict[str, float | int] = {}
    at = 0
    for key, of in (("kinds", lambda r: r.kinds), ("things", lambda r: (r.thing,)), ("places", lambda r: (r.place,))):
        scores = out[:, at : at + len(names[key])]
        at += len(names[key])
        rows = [n for n, row in enumerate(turns) if any(of(row)) and len(of(row)) == 1]
        ranks = np.array([list(np.argsort(-scores[n])).index(names[key].index(of(turns[n])[0])) for n in rows])
        figures |= {f"{key}@{k}": round(float((ranks < k).mean()), 3) for k in (1, 3, 5)}
        shown = np.array([len(nearest(names[key], scores[n])) for n in rows])
        figures |= {key: len(rows), f"{key}_shown": round(float((ranks < shown).mean()), 3)}
    return figures


# -- is it a wish, is it meant for the open world


@dataclass(frozen=True)
class _Marked:
    says: str
    side: str
    """talk, request, household or act."""
    apart: bool
    counts: bool = True


def _decisions(
    turns: list[Said], sentences: list[tuple[Row, bool]], embed: Embed
) -> tuple[dict[str, Floats], dict[str, object]]:
    """What could be done in a world is meant for it, what is ordinary talk is neither; a sentence that has no right
    action may be either, so nothing is learned from it."""
    rows = _marked(turns, sentences)
    vectors, rng = embed([row.says for row in rows]), np.random.default_rng(0)
    side, apart = np.array([row.side for row in rows]), np.array([row.apart for row in rows])
    drawn = [rng.permutation(np.flatnonzero((side == name) & ~apart))[:count] for name, count in POINTS.items()]
    points, step = _stored(vectors[np.concatenate(drawn)])
    found, figures = [], {}
    for name, wanted in WANTED.items():
        ours = np.flatnonzero(~apart & np.isin(side, ["talk", *wanted]))
        mark = np.where(side[ours] == "talk", -1, 1).astype(np.float32)
        worth = np.array([WORTH[name][one] for one in side[ours]], np.float32)
        fitted_ = fits.alike(points, vectors[ours], [rows[n].says for n in ours], mark, worth)
        far = np.array([n for n in np.flatnonzero(apart & np.isin(side, ["talk", *wanted])) if rows[n].counts])
        like = fits.likeness(vectors[far], points)
        score = like @ fitted_[0] + PIECES * dense([rows[n].says for n in far]) @ fitted_[1] + fitted_[2]
        talk = side[far] == "talk"
        odds = platt(score[:, None].astype(np.float32), (~talk).astype(float))
        p = 1 / (1 + np.exp(-(odds[0] * score + odds[1])))
        figures[name] = _threshold(p[talk], p[~talk])
        found.append((*fitted_, [*odds, float(figures[name]["threshold"])]))
    weights: dict[str, Any] = {
        "alike.points": np.round(points / step).astype(np.int8),
        "alike.step": np.array([step], np.float32),
        "alike.weights": np.stack([one[0] for one in found], 1),
        "alike.pieces": np.stack([one[1] for one in found], 1),
        "alike.mean": np.array([one[2] for one in found], np.float32),
        "alike.odds": np.array([one[3] for one in found], np.float32),
    }
    return weights, dict(figures)


def _marked(turns: list[Said], sentences: list[tuple[Row, bool]]) -> list[_Marked]:
    acts = {row["says"]: far for row, far in sentences if row["expect"]}
    of_turns = [
        _Marked(row.says, "talk" if not row.wish else "household" if row.thing else "request", row.apart, row.counts)
        for row in turns
        if row.wish or row.says not in acts
    ]
    return [*of_turns, *(_Marked(says, "act", far) for says, far in acts.items())]


def _threshold(talk: Floats, wanted: Floats) -> dict[str, float | int]:
    """The highest that misses no more than MISSED of what is wanted: the model that is then asked may still say no."""
    at = float(np.quantile(wanted, MISSED, method="lower"))
    strict = float(np.quantile(talk, 1 - NEEDLESS, method="higher"))
    return {
        "threshold": round(at, 4),
        "talk": len(talk),
        "needless": round(float((talk >= at).mean()), 4),
        "wanted": len(wanted),
        "missed": round(float((wanted < at).mean()), 4),
        "missed_at_needless_of_1%": round(float((wanted <= strict).mean()), 4),
    }


# -- actions in a state


def _ranking(sentences: list[tuple[Row, bool]], embed: Embed) -> tuple[dict[str, Floats], dict[str, Sequence[str]]]:
    ours = [
        row for row, far in sentences if not far and (not row["expect"] or set(row["expect"]) & set(row["admissible"]))
    ]
    spaces = {id(row["admissible"]): action_space(tuple(row["admissible"])) for row in ours}
    verbs = sorted({verb for space in spaces.values() for verb in space.verbs})
    names = sorted({bare(name) for space in spaces.values() for name in (*space.objects, *space.others)})
    table, step = _stored(embed(names))
    vectors = embed([row["says"] for row in ours])
    of_verb, of_name = {v: n for n, v in enumerate(verbs)}, {name: n for n, name in enumerate(names)}
    cases = [
        _case(row, spaces[id(row["admissible"])], vector, of_verb, of_name, table)
        for row, vector in zip(ours, vectors, strict=True)
    ]
    net, rng = fits.ranker(table, len(verbs)), np.random.default_rng(0)

    def loss(rows: Floats) -> object:
        batch = fits.together([cases[n] for n in rows], rng)
        return ranking_loss(net(batch), batch["right"])

    fit(net, loss, len(cases))
    weights: dict[str, Any] = {
        **fits.ranker_parts(net),
        "names": np.round(table / step).astype(np.int8),
        "names.step": np.array([step]),
    }
    return weights, {"verbs": verbs, "names": names}


def _case(
    row: Row, space: ActionSpace, vector: Floats, verbs: dict[str, int], known: dict[str, int], table: Floats
) -> Case:
    here, recent = list(dict.fromkeys((*space.objects, *space.others))), row.get("recent", [])
    at = {name: n for n, name in enumerate(here)}
    numbers = np.array([known[bare(name)] for name in here], np.int64)
    shared = likenesses(row["says"], here, recent)
    shared[:, 0] = table[numbers] @ vector if here else 0
    taken = [space.parts(action) for action in space.admissible]
    return Case(
        vector, row["says"], numbers, shared,
        np.array([verbs[part.verb] for part in taken], np.int64),
        np.array([at.get(part.object, -1) for part in taken], np.int64),
        np.array([at.get(part.other, -1) for part in taken], np.int64),
        np.array([action in recent[-1:] for action in space.admissible]),
        np.array([action in row["expect"] for action in space.admissible]),
    )  # fmt: skip


def measured(wishes: Wishes, sentences: list[tuple[Row, bool]], embed: Embed) -> dict[str, object]:
    """How often a right action is among the first ones, on the files kept apart, by world; and what is none."""
    ranks: dict[str, list[int]] = {}
    none: tuple[list[float], list[float]] = ([], [])
    seconds = []
    for row in (row for row, far in sentences if far):
        space, vector = action_space(tuple(row["admissible"])), embed([row["says"]])[0]
        began = time.perf_counter()
        found = wishes.ranked(row["says"], vector, space, row.get("recent", []), embed)
        seconds.append(time.perf_counter() - began)
        none[bool(row["expect"])].append(found.none)
        if right := [found.actions.index(action) for action in row["expect"] if action in space.admissible]:
            ranks.setdefault(row["world"], []).append(min(right))
    of = {world: {f"@{k}": round(float((np.array(r) < k).mean()), 3) for k in AT} for world, r in ranks.items()}
    return {
        "actions": {**of, "sentences": {world: len(r) for world, r in ranks.items()}},
        "none": {"none_over_half": [round(float((np.array(p) > 0.5).mean()), 3) for p in none]},
        "rank_ms": {"p50": round(1000 * float(np.median(seconds)), 1), "max": round(1000 * max(seconds), 1)},
    }


# -- inside


def _read(turns: list[Said], embed: Embed) -> tuple[Floats, Floats]:
    return _vectors([row.says for row in turns], embed)


def _vectors(says: Sequence[str], embed: Embed) -> tuple[Floats, Floats]:
    """Sentence vectors and pieces, as torch reads them."""
    import torch

    return torch.from_numpy(np.ascontiguousarray(embed(says))), torch.from_numpy(dense(says))


def _marks(right: Sequence[Sequence[str]], names: Sequence[str]) -> Floats:
    import torch

    at = {name: n for n, name in enumerate(names)}
    marks = np.zeros((len(right), len(names)), bool)
    for row, of in zip(marks, right, strict=True):
        row[[at[name] for name in of if name]] = True
    table: Floats = torch.from_numpy(marks)
    return table


def _stored(table: Floats) -> tuple[Floats, float]:
    """As it comes back from bytes."""
    step = float(np.abs(table).max() / 127)
    rows: Floats = (np.round(table / step) * step).astype(np.float32)
    return rows, step


def kept_vectors(folder: Path | None) -> Embed:
    """The embedder with its vectors kept in a folder between fits."""
    embedder, path = Embedder(kept=100_000), (folder / "vectors.npz") if folder else None
    known: dict[str, Floats] = {}
    if path and path.exists():
        held = np.load(path, allow_pickle=False)
        known = dict(zip(held["texts"].tolist(), held["rows"].astype(np.float32), strict=True))

    def embed(texts: Sequence[str]) -> Floats:
        new = [text for text in dict.fromkeys(texts) if text not in known]
        for start in range(0, len(new), 512):
            part = new[start : start + 512]
            known.update(zip(part, embedder.embed(part).astype(np.float16).astype(np.float32), strict=True))
        if path and len(new) > 100:
            np.savez(path, texts=np.array(list(known)), rows=np.stack(list(known.values())).astype(np.float16))
        return np.stack([known[text] for text in texts])

    return embed


def save(weights: dict[str, Floats], names: dict[str, Sequence[str]], path: Path) -> None:
    """Half precision, but for the names' vectors, which are bytes."""
    from safetensors.numpy import save_file

    def small(row: Floats) -> Floats:
        return np.ascontiguousarray(row if row.dtype == np.int8 or row.size <= 64 else row.astype(np.float16))

    path.parent.mkdir(parents=True, exist_ok=True)
    told = {key: "\n".join(of) for key, of in names.items()}
    save_file({key: small(np.asarray(row)) for key, row in weights.items()}, path, told)


def card(figures: dict[str, object]) -> str:
    """What stands beside the weights."""
    told = "\n".join(f"- {key}: {json.dumps(value)}" for key, value in figures.items())
    return (
        "# Wishes\n\nHelps a small model with text worlds (minds/policies/wishes.py). Fitted by `python main.py train "
        "wishes --alfworld DIR` on the requests, the ordinary turns and the sentences in worlds of minds/training/data "
        "and on people's descriptions of ALFWorld's games (train, which are not in this repository; MIT).\n\n"
        "Figures on what was kept apart (files dev35 to dev41, five styles of talk, every seventh run of 50 requests, "
        f"valid_train); the thresholds were chosen there, so they flatter a little:\n\n{told}\n"
    )
