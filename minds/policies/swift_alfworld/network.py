"""The trained network without torch: well under a millisecond of numpy a step.

Attention over the goal's words says which of them are the thing, the place, the change; what memory and match tables
say of those words joins what is known of each action, and a small perceptron scores the actions.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from memory.bert import linear
from minds.policies.arrays import Floats, read
from minds.policies.swift_alfworld.features import FULL, Step


@dataclass(frozen=True)
class Network:
    """Arrays by torch's names."""

    arrays: Mapping[str, Floats]
    temperature: float = 1.0
    """Of the confidence, fitted on games that were not trained on."""
    bias: float = 0.0

    def scores(self, step: Step) -> tuple[Floats, Floats]:
        """(actions,) log-probabilities, (actions,) chance that the demonstrator would call the action good."""
        a = self.arrays
        weights, read = self._attention(step.words)
        about = (weights.T @ (step.about.astype(np.float32) / FULL)).reshape(-1)
        room = a["word.weight"][step.room].sum(0) / 10
        state = np.concatenate([read, about, step.overall.astype(np.float32) / FULL, room])
        state = _gelu(linear(self.arrays, "state", state))
        near = step.match.astype(np.float32) / FULL
        cross = np.concatenate([near, a["pair.weight"][step.pairs], a["spot.weight"][step.spots]], 2)
        pointed = np.einsum("wk,awf->akf", weights, cross).reshape(len(cross), -1)
        names = a["word.weight"][step.names].reshape(len(cross), -1)
        x = np.concatenate([step.actions.astype(np.float32) / FULL, names, pointed], 1)
        x = _gelu(linear(self.arrays, "enter", x) + a["join.weight"] @ state)
        out = linear(self.arrays, "leave", _gelu(linear(self.arrays, "middle", x)))
        shifted = out[:, 0] - out[:, 0].max()
        trust = 1 / (1 + np.exp(-(out[:, 1] / np.float32(self.temperature) + np.float32(self.bias))))
        return shifted - np.log(np.exp(shifted).sum()), trust

    def _attention(self, words: npt.NDArray[np.int16]) -> tuple[Floats, Floats]:
        """((words, heads), what was read as a whole)."""
        count = int((words > 0).sum())
        embedded = self.arrays["word.weight"][words]
        around = np.pad(embedded, ((1, 1), (0, 0)))
        order = np.arange(len(words), dtype=np.float32)
        where = np.stack([order / len(words), (count - order) / len(words)], 1)
        hidden = _gelu(linear(self.arrays, "read", np.concatenate([around[:-2], embedded, around[2:], where], 1)))
        logits = np.where(words[:, None] > 0, linear(self.arrays, "point", hidden), np.float32(-1e4))
        weights = np.exp(logits - logits.max(0))
        return weights / weights.sum(0), hidden[:count].mean(0)


def _gelu(x: Floats) -> Floats:
    """The tanh form."""
    out: Floats = 0.5 * x * (1 + np.tanh(np.float32(0.7978845608) * (x + np.float32(0.044715) * x**3)))
    return out


def load(path: Path) -> Network:
    """Raises FileNotFoundError."""
    arrays, told = read(path)
    meta = json.loads(told["meta"])
    return Network(arrays, float(meta.get("temperature", 1.0)), float(meta.get("bias", 0.0)))
