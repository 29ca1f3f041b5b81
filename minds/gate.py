"""The invoke decision: does this turn need the slow mind? (The paper's `Invoke[True|False]`, DUMA 2.2.)

A small model's own flag is a poor judge (True wherever there is a figure, False wherever words are left out),
yet it knows things that the words alone do not show. So its log-odds are one input among others of a learned
head over the turn and its context. A head compares the turn with every labelled turn that it was fitted on
(kernel ridge regression over sentence vectors and hand-made features), is calibrated, and has a threshold that
puts missed invokes first.
Fitted by minds/policies/train_gate.py; run in numpy in about a millisecond.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from minds.dialogue import Dialogue
from minds.policies.turn_features import features, names, texts_to_embed

Floats = NDArray[np.float32]

WEIGHTS = Path(__file__).parent / "policies" / "weights" / "gate.safetensors"
FLAG_LIMIT = 12.0
"""Log-odds of the flag beyond this say no more."""


class GateFault(Exception):
    """The gate cannot be used; the text is one sentence for a person, with what to do."""


@dataclass(frozen=True)
class Decision:
    """Whether the slow mind is called, how probable it is that it is needed, and who says so."""

    invoke: bool
    p: float
    by: str
    """`head`, `head+flag` (the model's log-odds were heard too) or `model` (it decided alone)."""


@dataclass(frozen=True)
class Head:
    """Scores a row by its likeness to fitted rows: exp(-squared distance) after scaling. All arrays float32."""

    scale: Floats
    """Shape (inputs,)."""
    points: Floats
    """The fitted rows, scaled, shape (n, inputs)."""
    weights: Floats
    """Shape (n,)."""
    mean: float
    slope: float
    shift: float
    threshold: float

    def score(self, rows: Floats) -> Floats:
        """Uncalibrated scores of rows (m, inputs): shape (m,), about -1 (fast alone) to 1 (needs slow)."""
        near = likeness(rows * self.scale, self.points, self._squares)
        scores: Floats = near @ self.weights + np.float32(self.mean)
        return scores

    @cached_property
    def _squares(self) -> Floats:
        squares: Floats = (self.points * self.points).sum(1)
        return squares

    def probability(self, row: Floats) -> float:
        """P(needs slow) of one row of shape (inputs,)."""
        odds = self.slope * float(self.score(row[None])[0]) + self.shift
        return float(1 / (1 + np.exp(-odds)))


def likeness(a: Floats, b: Floats, squares_b: Floats | None = None) -> Floats:
    """exp(-squared distance) of each row of `a` (m, inputs) to each of `b` (n, inputs): shape (m, n)."""
    of_b = (b * b).sum(1) if squares_b is None else squares_b
    squares = (a * a).sum(1)[:, None] + of_b[None] - 2 * (a @ b.T)
    near: Floats = np.exp(-np.maximum(squares, 0))
    return near


def inputs(vectors: Floats, features: Floats, flag_logit: float | None = None) -> Floats:
    """What a head reads, unscaled: shape (2 * 384 + features [+ 1],)."""
    flag = [] if flag_logit is None else [np.clip(flag_logit, -FLAG_LIMIT, FLAG_LIMIT)]
    return np.concatenate([vectors.ravel(), features, np.asarray(flag, np.float32)], dtype=np.float32)


class Gate:
    """One fitted gate; holds no dialogue, so all conversations may share it."""

    def __init__(self, alone: Head, with_flag: Head) -> None:
        self.alone, self.with_flag = alone, with_flag

    @classmethod
    def load(cls, path: Path | None = None) -> Gate:
        """Reads fitted weights. Raises GateFault where they are missing or fitted for other features."""
        from safetensors import SafetensorError, safe_open

        try:
            with safe_open(path or WEIGHTS, framework="numpy") as file:
                known = (file.metadata() or {}).get("features", "").split()
                stored = {name: np.asarray(file.get_tensor(name), np.float32) for name in list(file.keys())}
        except (OSError, SafetensorError) as fault:
            raise GateFault(
                "The weights of the invoke gate cannot be read: run `python main.py train gate`."
            ) from fault
        if known != names():
            raise GateFault("The invoke gate was fitted for other features: run `python main.py train gate`.")
        return cls(_head(stored, "alone"), _head(stored, "flag"))

    def texts_to_embed(self, text: str, dialogue: Dialogue) -> list[str]:
        """What `decide` wants sentence vectors of, in this order."""
        return texts_to_embed(text, dialogue)

    def decide(self, text: str, dialogue: Dialogue, vectors: Floats, flag_logit: float | None) -> Decision:
        """Decides on the turn `text` that follows `dialogue`.

        vectors: unit rows of `texts_to_embed(text, dialogue)`, shape (2, 384). flag_logit: log-probability of the fast
        model's flag True minus that of False (natural), or None where the model gives none.
        """
        head = self.alone if flag_logit is None else self.with_flag
        p = head.probability(inputs(vectors, features(text, dialogue), flag_logit))
        return Decision(p >= head.threshold, p, "head" if flag_logit is None else "head+flag")


def _head(stored: dict[str, Floats], name: str) -> Head:
    """The rows are stored once, as bytes with a step for each column; the flag's column comes last."""
    scale, weights = stored[f"{name}.scale"], stored[f"{name}.weights"]
    rows = (stored["points"] * stored["steps"])[:, : len(scale)]
    return Head(scale, rows * scale, weights, *(float(value) for value in stored[f"{name}.calibration"]))
