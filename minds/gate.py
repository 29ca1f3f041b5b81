"""The invoke decision: does this turn need the slow mind? (The paper's `Invoke[True|False]`, DUMA 2.2.)

A small model's own flag is a poor judge (True wherever there is a figure, False wherever words are left out),
yet it knows things that the words alone do not show. So a learned head decides, and the log-odds of the flag are
heard beside its score. The head compares the turn and its context with every labelled turn that it was fitted on
(kernel ridge regression over sentence vectors and hand-made features). With or without the flag, what comes out is
a calibrated probability and has a threshold that puts missed invokes first.
Fitted by minds/training/gate/train.py; run in numpy in about a millisecond.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from minds.dialogue import Dialogue
from minds.policies.turn_features import features, names, texts_to_embed

Floats = NDArray[np.float32]

WEIGHTS = Path(__file__).parent / "policies" / "weights" / "gate.safetensors"
FLAG_LIMIT = 2.0
"""Log-odds of the flag beyond this say no more; so most turns are settled before the flag is asked for."""


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

    def probability(self, score: float) -> float:
        """P(needs slow) of one score."""
        return float(1 / (1 + np.exp(-(self.slope * score + self.shift))))


@dataclass(frozen=True)
class Heard:
    """How the fast model's flag is heard: odds = slope * score of the head + flag * its log-odds + shift."""

    slope: float
    flag: float
    """0 where the flag says nothing that the head does not know; the head then decides alone."""
    shift: float
    threshold: float

    def probability(self, score: float, flag_logit: float) -> float:
        """P(needs slow) of one score and the flag's log-odds."""
        heard = float(np.clip(flag_logit, -FLAG_LIMIT, FLAG_LIMIT))
        return float(1 / (1 + np.exp(-(self.slope * score + self.flag * heard + self.shift))))


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

    def __init__(self, head: Head, heard: Heard | None = None) -> None:
        """Without `heard` the flag is not listened to."""
        self.head = head
        self.heard = heard or Heard(head.slope, 0.0, head.shift, head.threshold)

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
        if known != names() or "heard" not in stored:
            raise GateFault("The invoke gate was fitted for other features: run `python main.py train gate`.")
        rows = stored["points"] * stored["steps"]  # stored as bytes, with a step for each column
        calibration, heard = (stored[name].tolist() for name in ("calibration", "heard"))
        return cls(Head(stored["scale"], rows * stored["scale"], stored["weights"], *calibration), Heard(*heard))

    def texts_to_embed(self, text: str, dialogue: Dialogue) -> list[str]:
        """What `decide` wants sentence vectors of, in this order."""
        return texts_to_embed(text, dialogue)

    def decide(self, text: str, dialogue: Dialogue, vectors: Floats, flag_logit: float | None) -> Decision:
        """Decides on the turn `text` that follows `dialogue`.

        vectors: unit rows of `texts_to_embed(text, dialogue)`, shape (2, 384). flag_logit: log-probability of the fast
        model's flag True minus that of False (natural), or None where the model gives none.
        """
        score = self._score(text, dialogue, vectors)
        if flag_logit is None or not self.heard.flag:
            p = self.head.probability(score)
            return Decision(p >= self.head.threshold, p, "head")
        p = self.heard.probability(score, flag_logit)
        return Decision(p >= self.heard.threshold, p, "head+flag")

    def settled(self, text: str, dialogue: Dialogue, vectors: Floats) -> Decision | None:
        """The decision where no flag could change it: the model need not be asked. None where it must be."""
        alone = self.decide(text, dialogue, vectors, None)
        if not self.heard.flag:
            return alone
        score = self._score(text, dialogue, vectors)
        least, most = (self.heard.probability(score, flag) >= self.heard.threshold for flag in (-np.inf, np.inf))
        return replace(alone, invoke=most) if least == most else None

    def _score(self, text: str, dialogue: Dialogue, vectors: Floats) -> float:
        return float(self.head.score(inputs(vectors, features(text, dialogue))[None])[0])
