"""Fits the invoke gate on the labelled turns of the fit half (`python main.py train gate`).

Regularisation, calibration and threshold all rest on held-out styles: folds are whole styles, so that what is
learned is the wish and not the way somebody writes.
The test half is never read here (chat/bench/gate.py measures on it).
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from minds.gate import WEIGHTS, Gate, Head, inputs, likeness
from minds.policies.odds import probability
from minds.policies.turn_features import Floats, names
from minds.training.calibrate import MISSED, choose_threshold, cross_entropy, platt
from minds.training.gate.figures import Figures, figures
from minds.training.gate.turns import DATA, Labelled, Seen, look, read_turns

FIT = DATA / "gate_fit.jsonl"
BLOCKS = {"turn": 1.0, "context": 0.4, "features": 0.7}
"""What each part of a row weighs in a distance, once each part's median distance is 1."""
WIDTHS = (1.0, 1.5, 2.0)
RIDGES = (0.05, 0.1, 0.2)
"""What cross-validation chooses among: how narrow likeness is, how stiff the fit."""
FOLDS = 7


@dataclass(frozen=True)
class Choice:
    """What cross-validation chose."""

    width: float
    ridge: float


@dataclass(frozen=True)
class Fitted:
    """A head, the choice it was fitted with, and what it does on held-out styles."""

    head: Head
    choice: Choice
    scores: Floats
    """Of each turn by a head that saw no turn of its style, shape (n,)."""
    held_out: Figures


def fit_head(seen: Seen, say: Callable[[str], None] = print) -> Fitted:
    """The head whose cross-entropy on held-out styles is least."""
    rows = stepped(table(seen))
    scale = block_scale(rows, seen)
    tried = {
        Choice(width, ridge): _held_out(rows, seen, _narrowed(scale, width), ridge)
        for width in WIDTHS
        for ridge in RIDGES
    }
    best = min(tried, key=lambda choice: _loss(tried[choice], seen.labels))
    scores = tried[best]
    slope, shift = platt(scores[:, None], seen.labels)
    p = probability(slope * scores + shift)
    threshold = choose_threshold(p, seen.labels)
    head = ridge_head(rows, seen.labels, _narrowed(scale, best.width), best.ridge)
    head = replace(head, slope=slope, shift=shift, threshold=threshold)
    fitted = Fitted(head, best, scores, figures(p, p >= threshold, seen.labels, seen.styles))
    say(f"on held-out styles: {fitted.held_out.line()}")
    return fitted


def table(seen: Seen) -> Floats:
    """Shape (n, 2 * 384 + features): each row as the gate itself makes it."""
    return np.stack([inputs(*row) for row in zip(seen.vectors, seen.features, strict=True)])


def steps_of(rows: Floats) -> Floats:
    """The step of each column, shape (inputs,), with which a signed byte holds its values."""
    largest: Floats = np.maximum(np.abs(rows).max(0), 1e-6) / 127
    return largest.astype(np.float32)


def stepped(rows: Floats) -> Floats:
    """The rows rounded as they are stored, so that what is fitted is what is shipped."""
    steps = steps_of(rows)
    rounded: Floats = np.round(rows / steps) * steps
    return rounded


def block_scale(rows: Floats, seen: Seen) -> Floats:
    """What each column is multiplied by: features by their rarity, then each block to its weight."""
    width, count = seen.vectors.shape[-1], seen.features.shape[1]
    spread = np.maximum(seen.features.std(0), 0.1)
    columns = {
        "turn": np.ones(width, np.float32),
        "context": np.ones(width, np.float32),
        "features": (1 / np.sqrt(spread)).astype(np.float32),
    }
    parts, start = [], 0
    for name, column in columns.items():
        part = rows[:, start : start + len(column)] * column
        parts.append(column * np.sqrt(BLOCKS[name] / sum(BLOCKS.values()) / _median_distance(part)))
        start += len(column)
    assert start == 2 * width + count
    return np.concatenate(parts, dtype=np.float32)


def _median_distance(part: Floats) -> float:
    """Of the squared distances between rows."""
    squares = (part * part).sum(1)
    return float(np.median(squares[:, None] + squares[None] - 2 * (part @ part.T)))


def _narrowed(scale: Floats, width: float) -> Floats:
    narrowed: Floats = scale * np.float32(np.sqrt(width))
    return narrowed


def _held_out(rows: Floats, seen: Seen, scale: Floats, ridge: float) -> Floats:
    """Scores of each turn by a head that saw no turn of its style."""
    scores = np.zeros(len(rows), np.float32)
    for out in _folds(seen.styles):
        scores[out] = ridge_head(rows[~out], seen.labels[~out], scale, ridge).score(rows[out])
    return scores


def _folds(styles: np.ndarray) -> Iterator[np.ndarray]:
    """Which turns are held out, each time those of whole styles."""
    every = sorted(set(styles))
    for fold in range(FOLDS):
        out = np.isin(styles, every[fold::FOLDS])
        if out.any() and not out.all():
            yield out


def _loss(scores: Floats, labels: np.ndarray) -> float:
    """Cross-entropy after the best calibration."""
    slope, shift = platt(scores[:, None], labels)
    return cross_entropy(slope * scores + shift, labels)


def ridge_head(rows: Floats, labels: np.ndarray, scale: Floats, ridge: float) -> Head:
    """Kernel ridge regression on labels of -1 and 1, uncalibrated."""
    points = rows * scale
    wanted = np.where(labels, 1.0, -1.0)
    mean = float(wanted.mean())
    bent = likeness(points, points).astype(np.float64) + ridge * np.eye(len(points))
    weights = np.linalg.solve(bent, wanted - mean).astype(np.float32)
    return Head(scale, points, weights, mean, 1.0, 0.0, 0.5)


def save(gate: Gate, rows: Floats, path: Path) -> None:
    """Writes the gate; `rows` (n, inputs) as `table` makes them, stored as bytes."""
    from safetensors.numpy import save_file

    head, steps = gate.head, steps_of(rows)
    tensors: dict[str, np.ndarray] = {
        "points": np.round(rows / steps).astype(np.int8),
        "steps": steps,
        "scale": head.scale,
        "weights": head.weights,
        "calibration": np.array([head.mean, head.slope, head.shift, head.threshold], np.float32),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    save_file(tensors, path, {"features": " ".join(names())})
    path.chmod(0o644)


def card(fitted: Fitted, turns: list[Labelled], size: int) -> str:
    """What the gate is, in Markdown, to lie beside its weights."""
    choice = fitted.choice
    chosen = f"width {choice.width}, ridge {choice.ridge}, threshold {fitted.head.threshold:.3f}"
    return CARD.format(
        turns=len(turns),
        needs=sum(turn.invoke for turn in turns),
        past=sum(bool(turn.dialogue.turns) for turn in turns),
        styles=", ".join(sorted({turn.style for turn in turns})),
        size=round(size / 1000),
        features=len(names()),
        folds=FOLDS,
        target=f"{MISSED:.1%}",
        alone=f"Chosen: {chosen}.\nOn held-out styles: {fitted.held_out.line()}.\n\n{fitted.held_out.table()}\n",
    )


def main(argv: Sequence[str]) -> int:
    """`python main.py train gate`: refits and writes weights and card."""
    asked = _parser().parse_args(argv)
    from memory.embedder import Embedder

    turns, embed = read_turns(asked.turns), Embedder(kept=20_000).embed
    seen = look(turns, embed)
    fitted = fit_head(seen)
    save(Gate(fitted.head), table(seen), asked.out)
    text = card(fitted, turns, asked.out.stat().st_size)
    asked.out.with_suffix(".md").write_text(text, encoding="utf-8")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="main.py train gate", description="Refit the invoke gate.")
    parser.add_argument("--turns", type=Path, default=FIT, help="labelled turns (default: the fit half)")
    parser.add_argument("--out", type=Path, default=WEIGHTS, help="where the weights go; the card lies beside them")
    return parser


CARD = """# The invoke gate

Decides whether a turn needs the slow mind (minds/gate.py). Fitted by `python main.py train gate`; {size} kB.
Nothing in the fit is random: the same turns give the same weights.

The head reads two MiniLM sentence vectors (the turn; the turn behind what it answers) and {features} hand-made
features (minds/policies/turn_features.py): a kernel ridge regression, Platt-calibrated on held-out styles. The
threshold is the most accurate one that misses at most {target} of the turns that need the slow mind there.

Data: {turns} labelled turns written by hand, {needs} of them need the slow mind, {past} have a history.
Styles: {styles}.
Figures below: {folds}-fold cross-validation over whole styles; the threshold was chosen on the same folds, so they
flatter a little. The test half, in other styles and by another hand, is for `python main.py bench gate`.

{alone}
Limits: English only. Weakest where words are left out after long dialogues, and where only the memory or the
documents would tell whether there is something to look up: it does not know what they hold.
"""
