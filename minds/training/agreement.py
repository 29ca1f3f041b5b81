"""`train agreement --data FILE...`: fits minds/policies/weights/agreement.json on what `bench ways` wrote.

Logistic regression on every state in which the choice is asked (the program alone; with the words; with a second one).
The bar for `sure` is the lowest that lets no more than WRONG of all answers be wrong without a doubt. Figures are by
cross-validation over items.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from minds.policies.agreement import WEIGHTS, Way, features
from minds.training.calibrate import platt

Row = dict[str, Any]
WRONG, FOLDS = 0.2, 8
FEW = 1.0
"""The pull to 0: some dozens of items tell little about each weight."""


def main(arguments: Sequence[str]) -> int:
    """Returns the exit code."""
    ask = argparse.ArgumentParser(prog="main.py train agreement", description=__doc__)
    ask.add_argument("--data", type=Path, nargs="+", required=True, help="files that `bench ways` wrote")
    ask.add_argument("--out", type=Path, default=WEIGHTS)
    given = ask.parse_args(arguments)
    rows = [json.loads(line) for path in given.data for line in path.read_text(encoding="utf-8").splitlines()]
    picked = [one for fold in range(FOLDS) for one in _held_out(rows, fold)]
    bar, figures = _bar(picked)
    weights = _fitted(rows)
    text = json.dumps({"weights": [round(float(one), 4) for one in weights], "sure": round(bar, 4)})
    given.out.write_text(text + "\n", encoding="utf-8")
    print(json.dumps(figures))
    return 0


def _held_out(rows: Sequence[Row], fold: int) -> Iterator[tuple[float, bool]]:
    """Of a fold's items, by weights of the others: how likely the chosen way was right, and whether it was."""
    weights = _fitted([row for n, row in enumerate(rows) if n % FOLDS != fold])
    for row in (row for n, row in enumerate(rows) if n % FOLDS == fold):
        yield _settled(row, weights)


def _settled(row: Row, weights: np.ndarray) -> tuple[float, bool]:
    """With all ways tried."""
    ways = [Way(**way) for way in row["ways"]]
    if not ways:
        return 0.0, False
    odds = [float(weights @ features(ways, n, row["said"])) for n in range(len(ways))]
    best = int(np.argmax(odds))
    return float(1 / (1 + np.exp(-odds[best]))), bool(row["right"][best])


def _fitted(rows: Sequence[Row]) -> np.ndarray:
    inputs, labels = [], []
    for row in rows:
        ways, right = [Way(**way) for way in row["ways"]], row["right"]
        for kinds in (("program",), ("program", "words"), ("program", "again", "words")):
            here = [n for n, way in enumerate(ways) if way.kind in kinds]
            for place, n in enumerate(here):
                inputs.append(features([ways[m] for m in here], place, row["said"]))
                labels.append(float(right[n]))
    columns = np.array(inputs)[:, :-1]  # the last is constant: platt has a shift of its own
    return np.array(platt(columns.astype(np.float32), np.array(labels), FEW))


def _bar(picked: Sequence[tuple[float, bool]]) -> tuple[float, dict[str, object]]:
    p, ok = np.array([one for one, _ in picked]), np.array([one for _, one in picked])
    bars = [at for at in sorted({*p.tolist(), 1.0}) if float((~ok & (p >= at)).mean()) <= WRONG]
    bar = min(bars)
    curve = {
        f"{share:.1f}": round(float((~ok[p >= at]).mean()), 3) if (p >= at).any() else 0.0
        for share in (0.2, 0.4, 0.6, 0.8, 1.0)
        for at in [np.quantile(p, 1 - share)]
    }
    return bar, {
        "right": round(float(ok.mean()), 3),
        "wrong_and_sure": round(float((~ok & (p >= bar)).mean()), 3),
        "right_and_doubted": round(float((ok & (p < bar)).mean()), 3),
        "risk_at_coverage": curve,
        "n": len(picked),
    }
