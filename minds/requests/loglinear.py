"""A log-linear model over hashed words and a sentence vector: a score for each label and for each choice of labels.

A household task is a choice of three labels (kind, thing, place); its score is the sum of theirs and of how usual the
choice is. So "pan" can mean a Pot where only that makes a task that exists. An intent is a choice of one label.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from minds.requests.words import Ints

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class LogLinear:
    """Weights of L labels and C choices among them."""

    words: Floats
    """Shape (SIZE, L)."""
    vector: Floats
    """Shape (384, L)."""
    parts: Ints
    """Which labels each choice is made of, shape (C, labels of a choice)."""
    bias: Floats
    """Shape (C,)."""

    def scores(self, buckets: Ints, vector: Floats) -> Floats:
        """Log-odds of each choice up to a constant, shape (C,). `vector`: a unit row, shape (384,)."""
        labels = self.words[buckets].sum(0) / np.sqrt(max(len(buckets), 1)) + vector @ self.vector
        scores: Floats = labels[self.parts].sum(1) + self.bias
        return scores

    def packed(self, name: str) -> dict[str, NDArray[Any]]:
        """Tensors to store, words as signed bytes with a step for each label."""
        steps = np.maximum(np.abs(self.words).max(0), 1e-6).astype(np.float32) / 127
        words = np.round(self.words / steps).astype(np.int8)
        parts = self.parts.astype(np.int16)
        found = {
            "words": words,
            "steps": steps,
            "vector": self.vector.astype(np.float16),
            "parts": parts,
            "bias": self.bias,
        }
        return {f"{name}_{part}": tensor for part, tensor in found.items()}

    @classmethod
    def unpacked(cls, stored: dict[str, NDArray[Any]], name: str) -> LogLinear:
        """The model that `packed` stored."""
        words, steps, vector, parts, bias = (
            stored[f"{name}_{part}"] for part in ("words", "steps", "vector", "parts", "bias")
        )
        return cls(words * steps, vector.astype(np.float32), parts.astype(np.int64), bias.astype(np.float32))


def shares(scores: Floats) -> Floats:
    """Probabilities of the choices, shape (C,)."""
    raised = np.exp(scores - scores.max())
    probable: Floats = raised / raised.sum()
    return probable
