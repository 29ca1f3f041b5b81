"""Fits the request reader (minds/requests): log-linear models over hashed words and a sentence vector.

`python main.py train requests` reads own phrases and the gate's chat turns, and, where ALFWORLD_DATA points to the data
set, people's descriptions of the games of train and valid_train; their words are not stored, only the weights. Dev
is valid_train and every fifth own phrase; valid_seen is for `python main.py bench requests` alone.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from minds.requests import WEIGHTS, Embed, Openable, Requests
from minds.requests.loglinear import Floats, LogLinear, shares
from minds.requests.rooms import Rooms
from minds.requests.words import SIZE, Ints, buckets, intent_grams, names_of_features
from minds.training.requests.household import fit_household
from minds.training.requests.tables import rows_of, set_apart
from minds.training.requests.turns import Game, Said, chat, filled, games, phrases, there

BATCH = 128
HOME_TURNS = 1200
"""How many descriptions of games are shown to the model of intents."""


@dataclass(frozen=True)
class Fit:
    """How a model is fitted: AdaGrad on the cross-entropy."""

    epochs: int
    rate: float
    decay: float = 3e-6
    """Of the squared weights, for each text a batch holds."""
    dropped: float = 0.3
    """Share of the words of a text that an epoch does not show, so that no word is leant on alone."""
    gain: float = 3.0
    """What sentence vectors are multiplied by."""


INTENT = Fit(epochs=8, rate=0.15)


@dataclass(frozen=True)
class Table:
    """Texts as numbers: rows of buckets (n, longest), vectors (n, 384), the choice of each (n,)."""

    rows: Ints
    vectors: Floats
    wanted: Ints

    def part(self, which: np.ndarray) -> Table:
        """The texts for which `which` (n,) is true, or of these numbers."""
        return Table(self.rows[which], self.vectors[which], self.wanted[which])


def fit(table: Table, parts: Ints, bias: Floats, how: Fit, seed: int = 0) -> LogLinear:
    """Fits words, vector and bias; `parts` (choices, labels of a choice) says what each choice is made of."""
    labels, chance = int(parts.max()) + 1, np.random.default_rng(seed)
    made_of = np.zeros((labels, len(parts)), np.float32)
    for column in parts.T:
        made_of[column, np.arange(len(parts))] = 1
    words, vector = _Weights((SIZE + 1, labels)), _Weights((table.vectors.shape[1], labels))
    offset = _Weights(bias.shape, bias)
    for epoch in range(how.epochs):
        rate = how.rate * (1 - 0.9 * epoch / how.epochs)
        order = chance.permutation(len(table.rows))
        for start in range(0, len(order), BATCH):
            batch = table.part(order[start : start + BATCH])
            rows = np.where(chance.random(batch.rows.shape) < how.dropped, SIZE, batch.rows)
            _step(batch, rows, made_of, (words, vector, offset), rate, how)
    return LogLinear(words.now[:SIZE], vector.now * np.float32(how.gain), parts, offset.now)


class _Weights:
    """An array and the squares of its gradients."""

    def __init__(self, shape: tuple[int, ...], start: Floats | None = None) -> None:
        self.now = np.zeros(shape, np.float32) if start is None else start.astype(np.float32)
        self.squares = np.full(shape, 1e-6, np.float32)

    def move(self, gradient: Floats, rate: float, at: Ints | slice = slice(None)) -> None:
        self.squares[at] += gradient**2
        self.now[at] -= rate * gradient / np.sqrt(self.squares[at])


def _step(
    batch: Table, rows: Ints, made_of: Floats, weights: tuple[_Weights, _Weights, _Weights], rate: float, how: Fit
) -> None:
    words, vector, offset = weights
    vectors, count = batch.vectors * np.float32(how.gain), len(rows)
    share = 1 / np.sqrt(np.maximum((rows < SIZE).sum(1, keepdims=True), 1)).astype(np.float32)
    scores = (words.now[rows].sum(1) * share + vectors @ vector.now) @ made_of + offset.now
    wrong = np.exp(scores - scores.max(1, keepdims=True))
    wrong /= wrong.sum(1, keepdims=True)
    wrong[np.arange(count), batch.wanted] -= 1
    of_labels = wrong @ made_of.T
    flat = rows.ravel()
    order = np.argsort(flat, kind="stable")
    starts = np.flatnonzero(np.diff(flat[order], prepend=-1))
    used = flat[order][starts]
    summed = np.add.reduceat((of_labels * share)[order // rows.shape[1]], starts, axis=0)
    words.move(summed + how.decay * count * words.now[used], rate, used)
    words.now[SIZE] = 0
    vector.move(vectors.T @ of_labels + how.decay * count * vector.now, rate)
    offset.move(wrong.sum(0), 0.3 * rate)


# -- what is wanted


def fit_intent(said: list[Said], embed: Embed) -> tuple[LogLinear, list[str]]:
    """The model of what is wanted, and its labels."""
    labels = sorted({turn.label for turn in said})
    texts = [turn.text for turn in said]
    rows = rows_of([buckets(intent_grams(text)) for text in texts])
    table = Table(rows, embed(texts), np.array([labels.index(turn.label) for turn in said]))
    parts = np.arange(len(labels))[:, None]
    return fit(table, parts, np.zeros(len(labels), np.float32), INTENT), labels


def each(copies: Iterable[list[Said]]) -> list[Said]:
    """All turns of some phrases, each once."""
    return list(dict.fromkeys(turn for turns in copies for turn in turns))


def intent_turns(own: list[Said], described: list[Game]) -> list[Said]:
    """Own phrases filled, chat, and some descriptions of games."""
    step = max(1, len(described) // HOME_TURNS)
    home = [Said(game.text, "alfworld") for game in described[::step]]
    return [*each(filled(own)), *chat(), *home]


# -- the whole


def train_requests(own: list[Said], described: list[Game], embed: Embed) -> Requests:
    """Fits both models."""
    intent, labels = fit_intent(intent_turns(own, described), embed)
    return Requests(intent, labels, *fit_household(described, embed))


def save(reader: Requests, path: Path) -> None:
    """Writes the weights, words as bytes."""
    from safetensors.numpy import save_file

    names = sorted({(part, name) for c in reader.combos for part, name in enumerate((c.kind, c.thing, c.place))})
    order = {int(i): name for c, parts in zip(reader.combos, reader.home.parts, strict=True)
             for i, name in zip(parts, (c.kind, c.thing, c.place), strict=True)}  # fmt: skip
    assert len(order) == len(names)
    told = {
        "features": names_of_features(),
        "labels": json.dumps(reader.labels),
        "names": json.dumps([order[i] for i in range(len(order))]),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    save_file({**reader.intent.packed("intent"), **reader.home.packed("home"), **reader.rooms.packed()}, path, told)
    path.chmod(0o644)


def home_share(reader: Requests, described: list[Game], embed: Embed, openable: Openable | None = None) -> float:
    """The share of descriptions whose kind, thing and place are all right, among all tasks or those `openable`."""
    vectors = embed([game.text for game in described])
    found = [reader.likely(game.text, vector, openable, 1)[0] for game, vector in zip(described, vectors, strict=True)]
    right = [
        (one.task, one.object) == game.combo[:2] and (one.receptacle == game.place or "Lamp" in one.receptacle)
        for one, game in zip(found, described, strict=True)
    ]
    return float(np.mean(right))


def intent_share(said: list[Said], embed: Embed) -> dict[str, float]:
    """Shares right of every fifth own phrase, by a model that saw none of them."""
    copies = list(filled(said))
    out = each(copies[::5])
    kept = [turns for number, turns in enumerate(copies) if number % 5]
    model, labels = fit_intent([*each(kept), *chat()], embed)
    none = np.zeros((0, 0), np.float32)
    empty = LogLinear(none, none, np.zeros((0, 3), np.int64), np.zeros(0, np.float32))
    nothing = np.zeros(0, np.int64)
    reader = Requests(model, labels, empty, (), Rooms(empty, nothing, nothing))
    right: dict[str, list[bool]] = {}
    for turn, vector in zip(out, embed([turn.text for turn in out]), strict=True):
        group = "lab" if turn.label not in ("none", "nosuch", "alfworld") and ":" not in turn.label else turn.label
        right.setdefault(group.partition(":")[0], []).append(_label(reader, turn.text, vector) == turn.label)
    return {group: round(float(np.mean(found)), 3) for group, found in sorted(right.items())}


def _label(reader: Requests, said: str, vector: Floats) -> str:
    from minds.requests.forms import asks_to_act

    if not asks_to_act(said):
        return "none"
    p = dict(
        zip(reader.labels, shares(reader.intent.scores(buckets(intent_grams(said)), vector)).tolist(), strict=True)
    )
    return "none" if p.pop("none") > 0.5 else max(p, key=lambda name: p[name])


def read_variations(say: Callable[[str], None] = print) -> dict[str, dict[str, int]]:
    """What sets the variations of each ScienceWorld task apart, read off the simulator; takes some minutes and Java."""
    from minds.requests.laboratory import TASKS
    from tools.worlds import simulator

    science, found = simulator("scienceworld"), {}
    try:
        for task in TASKS:
            goals = []
            for split, most in zip(("train", "dev", "test"), (150, 40, 40), strict=True):
                for spec in list(science.variations(task, split))[:most]:
                    world = science.open(spec)
                    world.reset()
                    goals.append((spec.variation, world.goal))
                    world.close()
            found[task] = set_apart(goals)
            say(f"{task}: {len(found[task])} of {len(goals)} variations kept")
    finally:
        science.close()
    return found


def main(argv: Sequence[str]) -> int:
    """`python main.py train requests`: refits and writes weights and card."""
    asked = _parser().parse_args(argv)
    if asked.variations:
        from minds.requests.laboratory import TABLE

        TABLE.write_text(json.dumps(read_variations(), indent=0) + "\n", encoding="utf-8")
        return 0
    if not asked.games:
        raise SystemExit(
            "The household part is fitted on people's descriptions: set ALFWORLD_DATA to the data set's folder."
        )
    from memory.embedder import Embedder

    write(Path(asked.games), Embedder(kept=40_000).embed, asked.out)
    return 0


def write(root: Path, embed: Embed, out: Path) -> None:
    """Fits for the card without the dev part, then on all of it; writes weights and card."""
    own, train, dev = phrases(), games(root, "train"), games(root, "valid_train")
    save(train_requests(own, [*train, *dev], embed), out)
    intent, labels = _none()
    on_dev = Requests(intent, labels, *fit_household(train, embed))
    household, among = home_share(on_dev, dev, embed), home_share(on_dev, dev, embed, there(dev))
    lab = intent_share(own, embed)
    size, turns = out.stat().st_size, len(intent_turns(own, train))
    text = CARD.format(
        size=round(size / 1000), own=len(own), turns=turns, games=len(train) + len(dev), dev=len(dev),
        household=household, among=among,
        lab="; ".join(f"{group} {share:.1%}" for group, share in lab.items()),
    )  # fmt: skip
    out.with_suffix(".md").write_text(text, encoding="utf-8")
    print(text)


def _none() -> tuple[LogLinear, list[str]]:
    return LogLinear(
        np.zeros((SIZE, 1), np.float32),
        np.zeros((384, 1), np.float32),
        np.zeros((1, 1), np.int64),
        np.zeros(1, np.float32),
    ), ["none"]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="main.py train requests", description="Refit the request reader.")
    parser.add_argument(
        "--games", default=os.environ.get("ALFWORLD_DATA", ""), help="the ALFWorld data set (default: ALFWORLD_DATA)"
    )
    parser.add_argument(
        "--variations", action="store_true", help="instead: read the table of variations off ScienceWorld"
    )
    parser.add_argument("--out", type=Path, default=WEIGHTS, help="where the weights go; the card lies beside them")
    return parser


CARD = """# The request reader

Reads a person's own words as a world and a task (minds/requests). Fitted by `python main.py train requests`; {size} kB.
Nothing in the fit is random beyond a fixed seed: the same turns give the same weights.

Log-linear models over hashed words (with their part in the sentence) and the MiniLM vector of the turn. The first
says what is wanted: one of ScienceWorld's 30 tasks, something in the household, something unclear, something no world
has, or chat. The second gives kind, thing and place of a household task together, over the tasks that ALFWorld's games
have (by how usual they are) and, as less likely ones, every other place for the same kind and thing. A third, of the
same make, says which home (floor plan) a description fits, by what things are called there; a task is as probable as
its games in all homes together, or in those homes only in which it can be opened.

Data: {own} own phrases (filled and varied: {turns} turns with the gate's chat turns and some descriptions) and {games}
descriptions of games of train and valid_train, written by people for ALFRED; none of their words are stored.

On dev, by models that saw none of it:
- household, {dev} descriptions of valid_train: kind, thing and place all right {household:.1%}; among valid_train's
  own games (their tasks in their homes) {among:.1%}
- every fifth own phrase: {lab}

Limits: English only. People name the same thing differently and different things alike: `table` is one of four
receptacles, `pan` may be a Pot, `put the keys away` may mean two of them; where the words do not tell, the
usual task is taken.
"""
