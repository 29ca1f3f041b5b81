"""`train agreement --data FILE...`: fits minds/policies/weights/agreement.json on what `bench ways` wrote.

Logistic regression on every state in which the choice is asked (the program alone; with the words; with a second one).
The bar for `sure` is the highest that leaves FREE of the right answers without a doubt, where the ways are tried in
that order until one is sure. Figures are by cross-validation over items.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from zlib import crc32

import numpy as np

from minds.policies.agreement import WEIGHTS, Way, features
from minds.training.calibrate import platt
from minds.training.rows import Row, rows_of

FREE, FOLDS = 0.8, 8
FEW = 1.0
"""The pull to 0: some dozens of items tell little about each weight."""
BARS = [round(0.3 + 0.01 * n, 2) for n in range(60)]
STATES = (("program",), ("program", "words"), ("program", "again", "words"))
"""The ways that there are while it is asked, in their order."""


def main(arguments: Sequence[str]) -> None:
    ask = argparse.ArgumentParser(prog="main.py train agreement", description=__doc__)
    ask.add_argument("--data", type=Path, nargs="+", required=True, help="files that `bench ways` wrote")
    ask.add_argument("--out", type=Path, default=WEIGHTS)
    given = ask.parse_args(arguments)
    try:
        rows = [row for path in given.data for row in _read(path)]
        if len({fold_of(row) for row in rows if _of(row, STATES[-1])}) < 2:
            raise ValueError("too few items with a way: none is left to fit on while the others are counted")
    except (OSError, ValueError) as error:
        ask.error(f"{error}; name files that `bench ways` wrote.")
    bar, figures = chosen_bar([one for fold in range(FOLDS) for one in _held_out(rows, fold)])
    weights = _fitted(rows)
    text = json.dumps({"weights": [round(float(one), 4) for one in weights], "sure": round(bar, 4)})
    given.out.write_text(text + "\n", encoding="utf-8")
    print(json.dumps(figures))


Asked = list[tuple[float, bool]]
"""Of one item: in each state in turn how likely the chosen way was right, and whether it was."""


def _read(path: Path) -> list[Row]:
    """Raises OSError, ValueError."""
    rows: list[Row] = rows_of(path)
    if not rows or not all(isinstance(row, dict) and {"id", "said", "ways", "right"} <= row.keys() for row in rows):
        raise ValueError(f"{path} holds no items, or a row that is none")
    return rows


def fold_of(row: Row) -> int:
    """By its item, which files of several runs hold: it must not be fitted on and counted at once."""
    return crc32(str(row["id"]).encode()) % FOLDS


def _held_out(rows: Sequence[Row], fold: int) -> Iterator[Asked]:
    """Of a fold's items, by weights of the others."""
    weights = _fitted([row for row in rows if fold_of(row) != fold])
    for row in (row for row in rows if fold_of(row) == fold):
        yield [_settled(row, here, weights) for kinds in STATES if (here := _of(row, kinds))]


def _of(row: Row, kinds: Sequence[str]) -> list[int]:
    return [number for number, way in enumerate(row["ways"]) if way["kind"] in kinds]


def _features(row: Row, here: Sequence[int]) -> list[list[float]]:
    ways = [Way(**row["ways"][number]) for number in here]
    return [features(ways, number, row["said"], bool(row.get("behind"))) for number in range(len(ways))]


def _settled(row: Row, here: Sequence[int], weights: np.ndarray) -> tuple[float, bool]:
    odds = [float(weights @ one) for one in _features(row, here)]
    best = int(np.argmax(odds))
    return float(1 / (1 + np.exp(-odds[best]))), bool(row["right"][here[best]])


def _fitted(rows: Sequence[Row]) -> np.ndarray:
    states = [(row, here) for row in rows for kinds in STATES if (here := _of(row, kinds))]
    inputs = np.array([one for row, here in states for one in _features(row, here)])
    labels = np.array([float(row["right"][number]) for row, here in states for number in here])
    return np.array(platt(inputs[:, :-1].astype(np.float32), labels, FEW))  # the last is constant: platt has its shift


def _told(asked: Asked, bar: float) -> tuple[bool, bool]:
    """Whether an item's answer is told without a doubt, and whether it is right."""
    sure = [ok for p, ok in asked if p >= bar]
    return bool(sure), (sure[0] if sure else bool(asked and asked[-1][1]))


def chosen_bar(items: Sequence[Asked]) -> tuple[float, dict[str, object]]:
    """The bar, and what comes of it."""
    told = {bar: [_told(asked, bar) for asked in items] for bar in BARS}
    free = {at: sum(sure and ok for sure, ok in told[at]) / max(1, sum(ok for _, ok in told[at])) for at in BARS}
    bar = max((at for at in BARS if free[at] >= FREE), default=BARS[0])
    right = sum(ok for _, ok in told[bar]) / len(items)
    wrong = sum(sure and not ok for sure, ok in told[bar]) / len(items)
    shares = {"right": right, "wrong_and_sure": wrong, "right_free_of_doubt": free[bar]}
    return bar, {**{name: round(of, 3) for name, of in shares.items()}, "n": len(items)}
