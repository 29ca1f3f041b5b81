"""The invoke decision: does this turn need the slow mind? (The paper's `Invoke[True|False]`, DUMA 2.2.)

A small model's own flag is a poor judge (it answers `True` to figures and `False` to ellipsis), yet it knows things that the
words alone do not show. So its log-odds are one input among others of a learned head over the turn and its context:
sentence vectors and hand-made features, a few hidden units, calibrated, with a threshold that puts missed invokes first.
Fitted by minds/policies/train_gate.py; run in numpy, in well under a millisecond.
"""

from __future__ import annotations

from dataclasses import dataclass
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
    """An average of small networks with one hidden layer, Platt-calibrated. Arrays are float32.

    into: (members, inputs, hidden); bias: (members, hidden); out: (members, hidden); offset: (members,)
    """

    into: Floats
    bias: Floats
    out: Floats
    offset: Floats
    slope: float
    shift: float
    threshold: float

    def score(self, x: Floats) -> Floats:
        """Uncalibrated log-odds of rows of shape (n, inputs): shape (n,)."""
        hidden = np.tanh(np.einsum("ni,mih->mnh", x, self.into) + self.bias[:, None])
        scores: Floats = (np.einsum("mnh,mh->mn", hidden, self.out) + self.offset[:, None]).mean(0)
        return scores

    def probability(self, x: Floats) -> float:
        """P(needs slow) of one row of shape (inputs,)."""
        odds = self.slope * float(self.score(x[None])[0]) + self.shift
        return float(1 / (1 + np.exp(-odds)))


@dataclass(frozen=True)
class Squeeze:
    """Principal directions of the sentence vectors: what a head of a hundred kilobytes can afford to read of them."""

    mean: Floats
    basis: Floats
    """Shape (384, kept)."""

    def inputs(self, vectors: Floats, features: Floats, flag_logit: float | None = None) -> Floats:
        """What a head reads, shape (3 * kept + features [+ 1],). `vectors` as `texts_to_embed` orders them: (3, 384).

        The scales make a typical direction of the turn weigh as much as a feature, and its context half of that.
        """
        parts = (
            (vectors.astype(np.float32) - self.mean)
            @ self.basis
            * np.array([[8.0], [4.0], [4.0]], np.float32)
        )
        row = [parts.ravel(), features * 2]
        if flag_logit is not None:
            row.append(np.array([np.clip(flag_logit, -FLAG_LIMIT, FLAG_LIMIT)], np.float32))
        return np.concatenate(row, dtype=np.float32)


class Gate:
    """One fitted gate; holds no dialogue, so all conversations may share it."""

    def __init__(self, squeeze: Squeeze, alone: Head, with_flag: Head) -> None:
        self.squeeze, self.alone, self.with_flag = squeeze, alone, with_flag

    @classmethod
    def load(cls, path: Path | None = None) -> Gate:
        """Reads fitted weights. Raises GateFault where they are missing or fitted for other features."""
        from safetensors import SafetensorError, safe_open

        try:
            with safe_open(path or WEIGHTS, framework="numpy") as file:
                known = (file.metadata() or {}).get("features", "").split()
                stored = {name: np.asarray(file.get_tensor(name), np.float32) for name in file.keys()}
        except (OSError, SafetensorError) as fault:
            raise GateFault(
                "The weights of the invoke gate cannot be read: run `python main.py train gate`."
            ) from fault
        if known != names():
            raise GateFault("The invoke gate was fitted for other features: run `python main.py train gate`.")
        return cls(Squeeze(stored["mean"], stored["basis"]), _head(stored, "alone"), _head(stored, "flag"))

    def texts_to_embed(self, text: str, dialogue: Dialogue) -> list[str]:
        """What `decide` wants sentence vectors of, in this order."""
        return texts_to_embed(text, dialogue)

    def decide(self, text: str, dialogue: Dialogue, vectors: Floats, flag_logit: float | None) -> Decision:
        """Decides on the turn `text` that follows `dialogue`.

        vectors: unit rows of `texts_to_embed(text, dialogue)`, shape (3, 384). flag_logit: log-probability of the fast
        model's flag True minus that of False (natural), or None where the model gives none.
        """
        head = self.alone if flag_logit is None else self.with_flag
        p = head.probability(self.squeeze.inputs(vectors, features(text, dialogue), flag_logit))
        return Decision(p >= head.threshold, p, "head" if flag_logit is None else "head+flag")


def _head(stored: dict[str, Floats], name: str) -> Head:
    slope, shift, threshold = (float(value) for value in stored[f"{name}.calibration"])
    into, bias, out, offset = (stored[f"{name}.{part}"] for part in ("into", "bias", "out", "offset"))
    return Head(into, bias, out, offset, slope, shift, threshold)
