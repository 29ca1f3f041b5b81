"""Fits the invoke gate on the labelled turns of the fit half (`python main.py train gate`).

Choice of regularisation, calibration and threshold all rest on held-out styles: folds are whole styles, so that what is
learned is the wish and not the way somebody writes. The test half is never read here (see bench_gate.py).
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from minds.gate import WEIGHTS, Gate, Head, Squeeze
from minds.policies.figures import Figures, figures
from minds.policies.flags import MODEL, collect_with, flags_of
from minds.policies.turn_features import Floats, names
from minds.policies.turns import DATA, Labelled, Seen, look, read_turns

if TYPE_CHECKING:
    import torch

FIT = DATA / "gate_fit.jsonl"
LOGITS = DATA / "gate_fit_logits.json"
KEPT = 80
"""Principal directions of the sentence vectors that a head reads."""
MEMBERS, EPOCHS, RATE, SMOOTHING = 4, 160, 4e-3, 0.02
FOLDS = 7
MISSED = 0.025
"""Of the turns that need the slow mind, at most so many may be missed on held-out styles (3% is promised, some kept back)."""


@dataclass(frozen=True)
class Shape:
    """What cross-validation chooses among: hidden units, dropout, weight decay."""

    hidden: int
    dropout: float
    decay: float


SHAPES = (Shape(24, 0.4, 0.1), Shape(24, 0.6, 0.3), Shape(40, 0.6, 0.3))


@dataclass(frozen=True)
class Fitted:
    """A head, the shape that was chosen and its figures on held-out styles."""

    head: Head
    shape: Shape
    held_out: Figures


def train_gate(
    seen: Seen, flags: Floats | None, seed: int, say: Callable[[str], None] = print
) -> tuple[Gate, Fitted, Fitted]:
    """Fits both heads. `flags`: the model's log-odds a turn, shape (n,). Without them the second head repeats the first."""
    squeeze = principal(seen.vectors)
    alone = _fit(squeeze, seen, None, seed)
    say(f"without the model's flag: {alone.held_out.line()}")
    with_flag = alone if flags is None else _fit(squeeze, seen, flags, seed)
    say(f"with the model's flag:    {with_flag.held_out.line()}")
    return Gate(squeeze, alone.head, with_flag.head), alone, with_flag


def principal(vectors: Floats) -> Squeeze:
    """The mean and the first directions of all sentence vectors."""
    rows = vectors.reshape(-1, vectors.shape[-1])
    mean = rows.mean(0)
    _, _, directions = np.linalg.svd(rows - mean, full_matrices=False)
    # Rounded as they are stored, so that what is fitted is what is shipped.
    return Squeeze(
        mean.astype(np.float16).astype(np.float32), directions[:KEPT].T.astype(np.float16).astype(np.float32)
    )


def inputs(squeeze: Squeeze, seen: Seen, flags: Floats | None) -> Floats:
    """Shape (n, inputs): each row as the gate itself makes it."""
    given = [None] * len(seen.labels) if flags is None else [float(flag) for flag in flags]
    rows = zip(seen.vectors, seen.features, given, strict=True)
    return np.stack([squeeze.inputs(vectors, features, flag) for vectors, features, flag in rows])


def _fit(squeeze: Squeeze, seen: Seen, flags: Floats | None, seed: int) -> Fitted:
    x = inputs(squeeze, seen, flags)
    scores = {shape: _held_out(x, seen, shape, seed) for shape in SHAPES}
    shape = min(SHAPES, key=lambda shape: _loss(scores[shape], seen.labels))
    slope, shift = platt(scores[shape], seen.labels)
    p = 1 / (1 + np.exp(-(slope * scores[shape] + shift)))
    threshold = choose_threshold(p, seen.labels)
    head = network(x, seen.labels, shape, seed)
    head = Head(head.into, head.bias, head.out, head.offset, slope, shift, threshold)
    return Fitted(head, shape, figures(p, p >= threshold, seen.labels, seen.styles))


def _held_out(x: Floats, seen: Seen, shape: Shape, seed: int) -> Floats:
    """Scores of each turn by a network that saw no turn of its style."""
    styles = sorted(set(seen.styles))
    scores = np.zeros(len(x), np.float32)
    for fold in range(FOLDS):
        out = np.isin(seen.styles, styles[fold::FOLDS])
        if out.any() and not out.all():
            scores[out] = network(x[~out], seen.labels[~out], shape, seed + fold).score(x[out])
    return scores


def network(x: Floats, labels: np.ndarray, shape: Shape, seed: int) -> Head:
    """Trains `MEMBERS` small networks at once, uncalibrated."""
    import torch
    from torch.nn import functional

    chance = torch.Generator().manual_seed(seed)
    rows, n = torch.from_numpy(x), x.shape[1]
    wanted = torch.from_numpy(labels.astype(np.float32)) * (1 - 2 * SMOOTHING) + SMOOTHING
    into = (torch.randn(MEMBERS, n, shape.hidden, generator=chance) / n**0.5).requires_grad_()
    bias = torch.zeros(MEMBERS, 1, shape.hidden, requires_grad=True)
    out = (torch.randn(MEMBERS, shape.hidden, 1, generator=chance) / shape.hidden**0.5).requires_grad_()
    offset = torch.zeros(MEMBERS, 1, 1, requires_grad=True)
    steps = torch.optim.AdamW([into, bias, out, offset], lr=RATE, weight_decay=shape.decay)
    slower = torch.optim.lr_scheduler.CosineAnnealingLR(steps, EPOCHS)
    for _ in range(EPOCHS):
        hidden = torch.tanh(_drop(rows, shape.dropout / 2, chance) @ into + bias)
        scores = (_drop(hidden, shape.dropout, chance) @ out + offset)[..., 0]
        loss = functional.binary_cross_entropy_with_logits(scores, wanted.expand(MEMBERS, -1))
        steps.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        steps.step()
        slower.step()
    parts = [
        part.detach().numpy().astype(np.float16).astype(np.float32) for part in (into, bias, out, offset)
    ]
    return Head(parts[0], parts[1][:, 0], parts[2][..., 0], parts[3][:, 0, 0], 1.0, 0.0, 0.5)


def _drop(x: torch.Tensor, share: float, chance: torch.Generator) -> torch.Tensor:
    import torch

    return x * (torch.rand(x.shape, generator=chance) >= share) / (1 - share)


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


def save(gate: Gate, path: Path, seed: int) -> None:
    """Writes the weights, half precision."""
    from safetensors.numpy import save_file

    tensors: dict[str, np.ndarray] = {
        "mean": gate.squeeze.mean.astype(np.float16),
        "basis": np.ascontiguousarray(gate.squeeze.basis, np.float16),
    }
    for name, head in (("alone", gate.alone), ("flag", gate.with_flag)):
        for part in ("into", "bias", "out", "offset"):
            tensors[f"{name}.{part}"] = np.ascontiguousarray(getattr(head, part), np.float16)
        tensors[f"{name}.calibration"] = np.array([head.slope, head.shift, head.threshold], np.float32)
    path.parent.mkdir(parents=True, exist_ok=True)
    save_file(tensors, path, {"features": " ".join(names()), "seed": str(seed)})


def card(alone: Fitted, with_flag: Fitted | None, turns: list[Labelled], seed: int, size: int) -> str:
    """What the head is, in Markdown, to lie beside its weights."""
    styles = sorted({turn.style for turn in turns})
    values = {
        "turns": len(turns),
        "needs": sum(turn.invoke for turn in turns),
        "past": sum(bool(turn.dialogue.turns) for turn in turns),
        "styles": ", ".join(styles),
        "seed": seed,
        "size": round(size / 1000),
        "features": len(names()),
        "kept": KEPT,
        "members": MEMBERS,
        "folds": FOLDS,
        "target": f"{MISSED:.1%}",
    }
    return CARD.format(
        **values,
        alone=_part(alone),
        flag=_part(with_flag) if with_flag else "Not fitted: no flags were collected.\n",
    )


def _part(fitted: Fitted) -> str:
    shape, head = fitted.shape, fitted.head
    chosen = f"{shape.hidden} hidden units, dropout {shape.dropout}, weight decay {shape.decay}, threshold {head.threshold:.3f}"
    return f"Chosen: {chosen}.\nOn held-out styles: {fitted.held_out.line()}.\n\n{fitted.held_out.table()}\n"


def main(argv: Sequence[str]) -> int:
    """`python main.py train gate`: refits and writes weights and card."""
    asked = _parser().parse_args(argv)
    from memory.embedder import Embedder

    turns, embedder = read_turns(asked.turns), Embedder(kept=20_000)
    seen = look(turns, embedder.embed)
    if asked.collect:
        gate, _, _ = train_gate(seen, None, asked.seed)
        asyncio.run(collect_with(MODEL, turns, gate, embedder.embed, LOGITS))
    flags = flags_of(turns, LOGITS)
    if flags is None:
        print(
            "The model's flags are missing or out of date: both heads do without; collect them with --collect."
        )
    gate, alone, with_flag = train_gate(seen, flags, asked.seed)
    save(gate, asked.out, asked.seed)
    written = card(
        alone, with_flag if flags is not None else None, turns, asked.seed, asked.out.stat().st_size
    )
    asked.out.with_suffix(".md").write_text(written, encoding="utf-8")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="main.py train gate", description="Refit the invoke gate.")
    parser.add_argument(
        "--collect", action="store_true", help="first ask the embedded model for its flag on each turn"
    )
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--turns", type=Path, default=FIT, help="labelled turns (default: the fit half)")
    parser.add_argument(
        "--out", type=Path, default=WEIGHTS, help="where the weights go; the card lies beside them"
    )
    return parser


CARD = """# The invoke gate

Decides whether a turn needs the slow mind (minds/gate.py). Fitted by `python main.py train gate`; {size} kB, seed {seed}.

Inputs: three MiniLM sentence vectors (the turn; the turn behind what it answers; that alone), {kept} principal directions of
each; {features} hand-made features (minds/policies/turn_features.py); for the second head the fast model's log-odds of its
own flag. Each head is the mean of {members} networks with one hidden layer, Platt-calibrated on held-out styles; the threshold is
the most accurate one that misses at most {target} of the turns that need the slow mind there.

Data: {turns} labelled turns written by hand, {needs} of them need the slow mind, {past} have a history. Styles: {styles}.
Figures below: {folds}-fold cross-validation over whole styles; the threshold was chosen on the same folds, so
they flatter a little. The test half, in other styles by another hand, is for `python main.py bench gate`.

## Without the model's flag (endpoints without log-probabilities)
{alone}
## With the model's flag
{flag}
Limits: English only; figures written out in words and ellipsis after long dialogues are its weakest points; what a document or
the memory holds is not known to it, so it may call the slow mind for nothing there.
"""
