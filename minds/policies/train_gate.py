"""Fits the invoke gate on the labelled turns of the fit half (`python main.py train gate`).

Regularisation, calibration and threshold all rest on held-out styles: folds are whole styles, so that what is
learned is the wish and not the way somebody writes. The test half is never read here (see bench_gate.py).
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from minds.gate import WEIGHTS, Gate, Head, inputs, likeness
from minds.policies.figures import Figures, figures
from minds.policies.flags import MODEL, collect_with, flags_of
from minds.policies.turn_features import Floats, names
from minds.policies.turns import DATA, Labelled, Seen, look, read_turns

FIT = DATA / "gate_fit.jsonl"
LOGITS = DATA / "gate_fit_logits.json"
BLOCKS = {"turn": 1.0, "context": 0.4, "features": 0.7}
"""What each part of a row weighs in a distance, once each part's median distance is 1."""
WIDTHS = (1.0, 1.5, 2.0)
RIDGES = (0.05, 0.1, 0.2)
FLAGS = (0.0, 0.25, 0.5, 1.0)
"""What cross-validation chooses among: how narrow likeness is, how stiff the fit, how much the flag weighs."""
FOLDS = 7
MISSED = 0.025
"""Share of the turns that need the slow mind that may be missed on held-out styles (3% is promised)."""


@dataclass(frozen=True)
class Choice:
    """What cross-validation chose."""

    width: float
    ridge: float
    flag: float = 0.0


@dataclass(frozen=True)
class Fitted:
    """A head, the choice it was fitted with, and its figures on held-out styles."""

    head: Head
    choice: Choice
    held_out: Figures


def train_gate(
    seen: Seen, flags: Floats | None, say: Callable[[str], None] = print
) -> tuple[Gate, Fitted, Fitted | None]:
    """Fits both heads. `flags`: the model's log-odds a turn, shape (n,); without them the second head ignores them."""
    rows = stepped(table(seen, np.zeros(len(seen.labels), np.float32) if flags is None else flags))
    scale = block_scale(rows, seen)
    alone = _fit(rows[:, :-1], seen, scale[:-1], (0.0,))
    say(f"without the model's flag: {alone.held_out.line()}")
    if flags is None:
        head = alone.head
        deaf = replace(
            head, scale=np.append(head.scale, np.float32(0)), points=np.pad(head.points, ((0, 0), (0, 1)))
        )
        return Gate(head, deaf), alone, None
    with_flag = _fit(rows, seen, scale, FLAGS)
    say(f"with the model's flag:    {with_flag.held_out.line()}")
    return Gate(alone.head, with_flag.head), alone, with_flag


def table(seen: Seen, flags: Floats) -> Floats:
    """Shape (n, 2 * 384 + features + 1): each row as the gate itself makes it."""
    rows = zip(seen.vectors, seen.features, flags, strict=True)
    return np.stack([inputs(vectors, features, float(flag)) for vectors, features, flag in rows])


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
    flag_spread = max(float(rows[:, -1].std()), 1e-6)
    return np.concatenate([*parts, [1 / flag_spread]], dtype=np.float32)


def _median_distance(part: Floats) -> float:
    """Of the squared distances between rows."""
    squares = (part * part).sum(1)
    return float(np.median(squares[:, None] + squares[None] - 2 * (part @ part.T)))


def _fit(rows: Floats, seen: Seen, scale: Floats, flag_weights: Sequence[float]) -> Fitted:
    choices = [Choice(width, ridge, flag) for width in WIDTHS for flag in flag_weights for ridge in RIDGES]
    best, scores = min(
        ((choice, _held_out(rows, seen, _scaled(scale, choice, seen), choice.ridge)) for choice in choices),
        key=lambda tried: _loss(tried[1], seen.labels),
    )
    slope, shift = platt(scores, seen.labels)
    p = 1 / (1 + np.exp(-(slope * scores + shift)))
    threshold = choose_threshold(p, seen.labels)
    head = ridge_head(rows, seen.labels, _scaled(scale, best, seen), best.ridge)
    head = replace(head, slope=slope, shift=shift, threshold=threshold)
    return Fitted(head, best, figures(p, p >= threshold, seen.labels, seen.styles))


def _scaled(scale: Floats, choice: Choice, seen: Seen) -> Floats:
    scaled = scale.copy()
    if len(scale) > 2 * seen.vectors.shape[-1] + seen.features.shape[1]:
        scaled[-1] *= np.sqrt(choice.flag / 2)
    result: Floats = scaled * np.float32(np.sqrt(choice.width))
    return result


def _held_out(rows: Floats, seen: Seen, scale: Floats, ridge: float) -> Floats:
    """Scores of each turn by a head that saw no turn of its style."""
    styles = sorted(set(seen.styles))
    scores = np.zeros(len(rows), np.float32)
    for fold in range(FOLDS):
        out = np.isin(seen.styles, styles[fold::FOLDS])
        if out.any() and not out.all():
            scores[out] = ridge_head(rows[~out], seen.labels[~out], scale, ridge).score(rows[out])
    return scores


def ridge_head(rows: Floats, labels: np.ndarray, scale: Floats, ridge: float) -> Head:
    """Kernel ridge regression on labels of -1 and 1, uncalibrated."""
    points = rows * scale
    wanted = np.where(labels, 1.0, -1.0)
    mean = float(wanted.mean())
    bent = likeness(points, points).astype(np.float64) + ridge * np.eye(len(points))
    weights = np.linalg.solve(bent, wanted - mean).astype(np.float32)
    return Head(scale, points, weights, mean, 1.0, 0.0, 0.5)


def _loss(scores: Floats, labels: np.ndarray) -> float:
    """Cross-entropy after the best calibration."""
    slope, shift = platt(scores, labels)
    odds = slope * scores + shift
    return float(np.mean(np.logaddexp(0, odds) - labels * odds))


def platt(scores: Floats, labels: np.ndarray) -> tuple[float, float]:
    """Slope and shift that turn scores into log-odds (Newton's method on the cross-entropy)."""
    columns = np.stack([scores, np.ones_like(scores)], 1).astype(np.float64)
    weights = np.array([1.0, 0.0])
    for _ in range(50):
        p = 1 / (1 + np.exp(-columns @ weights))
        bend = (columns * (p * (1 - p))[:, None]).T @ columns + 1e-6 * np.eye(2)
        weights -= np.linalg.solve(bend, columns.T @ (p - labels))
    return float(weights[0]), float(weights[1])


def choose_threshold(p: Floats, labels: np.ndarray, missed: float = MISSED) -> float:
    """The most accurate threshold among those that miss at most `missed` of the turns that need the slow mind."""
    ordered = np.unique(p)
    middles = [float(t) for t in (ordered[:-1] + ordered[1:]) / 2] or [0.5]
    allowed = [t for t in middles if np.mean(p[labels] < t) <= missed] or [0.0]
    return max(allowed, key=lambda t: (np.mean((p >= t) == labels), -t))


def save(gate: Gate, rows: Floats, path: Path) -> None:
    """Writes both heads; `rows` (n, inputs) as `table` makes them, stored once as bytes."""
    from safetensors.numpy import save_file

    steps = steps_of(rows)
    tensors: dict[str, np.ndarray] = {"points": np.round(rows / steps).astype(np.int8), "steps": steps}
    for name, head in (("alone", gate.alone), ("flag", gate.with_flag)):
        tensors[f"{name}.scale"], tensors[f"{name}.weights"] = head.scale, head.weights
        calibration = [head.mean, head.slope, head.shift, head.threshold]
        tensors[f"{name}.calibration"] = np.array(calibration, np.float32)
    path.parent.mkdir(parents=True, exist_ok=True)
    save_file(tensors, path, {"features": " ".join(names())})
    path.chmod(0o644)


def card(alone: Fitted, with_flag: Fitted | None, turns: list[Labelled], size: int) -> str:
    """What the heads are, in Markdown, to lie beside their weights."""
    return CARD.format(
        turns=len(turns),
        needs=sum(turn.invoke for turn in turns),
        past=sum(bool(turn.dialogue.turns) for turn in turns),
        styles=", ".join(sorted({turn.style for turn in turns})),
        size=round(size / 1000),
        features=len(names()),
        folds=FOLDS,
        target=f"{MISSED:.1%}",
        alone=_part(alone),
        flag=_part(with_flag)
        if with_flag
        else "Not fitted: no flags were collected; it does as the first.\n",
    )


def _part(fitted: Fitted) -> str:
    choice, threshold = fitted.choice, fitted.head.threshold
    chosen = f"width {choice.width}, ridge {choice.ridge}, flag {choice.flag}, threshold {threshold:.3f}"
    return f"Chosen: {chosen}.\nOn held-out styles: {fitted.held_out.line()}.\n\n{fitted.held_out.table()}\n"


def main(argv: Sequence[str]) -> int:
    """`python main.py train gate`: refits and writes weights and card."""
    asked = _parser().parse_args(argv)
    from memory.embedder import Embedder

    turns, embed = read_turns(asked.turns), Embedder(kept=20_000).embed
    seen = look(turns, embed)
    if asked.collect:
        print("Collecting the model's flags; this may be interrupted and goes on where it stopped.")
        gate, _, _ = train_gate(seen, None)
        asyncio.run(collect_with(MODEL, turns, gate, embed, LOGITS))
    flags = flags_of(turns, LOGITS)
    if flags is None:
        print(
            "The model's flags are missing or out of date: both heads do without; collect them with --collect."
        )
    gate, alone, with_flag = train_gate(seen, flags)
    save(gate, table(seen, np.zeros(len(turns), np.float32) if flags is None else flags), asked.out)
    asked.out.with_suffix(".md").write_text(
        card(alone, with_flag, turns, asked.out.stat().st_size), encoding="utf-8"
    )
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="main.py train gate", description="Refit the invoke gate.")
    parser.add_argument(
        "--collect", action="store_true", help="first ask the embedded model for its flag on each turn"
    )
    parser.add_argument("--turns", type=Path, default=FIT, help="labelled turns (default: the fit half)")
    parser.add_argument(
        "--out", type=Path, default=WEIGHTS, help="where the weights go; the card lies beside them"
    )
    return parser


CARD = """# The invoke gate

Decides whether a turn needs the slow mind (minds/gate.py). Fitted by `python main.py train gate`; {size} kB.
Nothing in the fit is random: the same turns give the same weights.

Inputs: two MiniLM sentence vectors (the turn; the turn behind what it answers), {features} hand-made features
(minds/policies/turn_features.py) and, for the second head, the fast model's log-odds of its own flag. Each head is
a kernel ridge regression, Platt-calibrated on held-out styles; its threshold is the most accurate one that misses
at most {target} of the turns that need the slow mind there.

Data: {turns} labelled turns written by hand, {needs} of them need the slow mind, {past} have a history.
Styles: {styles}.
Figures below: {folds}-fold cross-validation over whole styles; the threshold was chosen on the same folds, so they
flatter a little. The test half, in other styles and by another hand, is for `python main.py bench gate`.

## Without the model's flag (endpoints without log-probabilities)
{alone}
## With the model's flag
{flag}
Limits: English only. Weakest where words are left out after long dialogues, and where only the memory or the
documents would tell whether there is something to look up: it does not know what they hold.
"""
