"""The invoke decision: does this turn need the slow mind? (The paper's `Invoke[True|False]`, DUMA 2.2.)

A small model's own flag is a poor judge (True wherever there is a figure, False wherever words are left out), and
asking for it costs a call. So a learned head decides: it compares the turn and its context with every labelled turn
that it was fitted on (kernel ridge regression over sentence vectors and hand-made features). What comes out is a
calibrated probability and has a threshold that puts missed invokes first.
Fitted by minds/training/gate/train.py; run in numpy in about a millisecond.
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


class GateFault(Exception):
    """The gate cannot be used; the text is one sentence for a person, with what to do."""


@dataclass(frozen=True)
class Decision:
    """Whether the slow mind is called, and how probable it is that it is needed."""

    invoke: bool
    p: float


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

    def probability(self, score: float) -> float:
        """P(needs slow) of one score."""
        return float(1 / (1 + np.exp(-(self.slope * score + self.shift))))


def likeness(a: Floats, b: Floats, squares_b: Floats | None = None) -> Floats:
    """exp(-squared distance) of each row of `a` (m, inputs) to each of `b` (n, inputs): shape (m, n)."""
    of_b = (b * b).sum(1) if squares_b is None else squares_b
    squares = (a * a).sum(1)[:, None] + of_b[None] - 2 * (a @ b.T)
    near: Floats = np.exp(-np.maximum(squares, 0))
    return near


def inputs(vectors: Floats, features: Floats) -> Floats:
    """What the head reads, unscaled: shape (2 * 384 + features,)."""
    return np.concatenate([vectors.ravel(), features], dtype=np.float32)


class Gate:
    """One fitted gate; holds no dialogue, so all conversations may share it."""

    def __init__(self, head: Head) -> None:
        self.head = head

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
        rows = stored["points"] * stored["steps"]  # stored as bytes, with a step for each column
        calibration = stored["calibration"].tolist()
        return cls(Head(stored["scale"], rows * stored["scale"], stored["weights"], *calibration))

    def texts_to_embed(self, text: str, dialogue: Dialogue) -> list[str]:
        """What `decide` wants sentence vectors of, in this order."""
        return texts_to_embed(text, dialogue)

    def decide(self, text: str, dialogue: Dialogue, vectors: Floats) -> Decision:
        """Decides on the turn `text` that follows `dialogue`.

        vectors: unit rows of `texts_to_embed(text, dialogue)`, shape (2, 384).
        """
        score = float(self.head.score(inputs(vectors, features(text, dialogue))[None])[0])
        p = self.head.probability(score)
        return Decision(p >= self.head.threshold, p)
