"""BERT's layers (post-norm) in numpy: texts stand one behind the other, so that the weights, which take longer to read
than to multiply, are read once for all; each attends to itself alone, so there is neither padding nor mask."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
WIDTH, LAYERS, HEADS = 384, 6, 12


def embedded(weights: Mapping[str, Floats], ids: Sequence[Ints]) -> Floats:
    """What the first layer reads, (tokens of all texts, 384)."""
    words = weights["embeddings.word_embeddings.weight"][np.concatenate(ids)]
    places = np.concatenate([weights["embeddings.position_embeddings.weight"][: len(text)] for text in ids])
    return norm(weights, "embeddings.LayerNorm", words + places + weights["embeddings.token_type_embeddings.weight"][0])


def through(weights: Mapping[str, Floats], layers: Sequence[int], x: Floats, lengths: Sequence[int]) -> Floats:
    """The states after these layers, shaped as `x`; lengths: of the texts, in tokens."""
    ends = np.cumsum(lengths)[:-1]
    for number in layers:
        at = f"encoder.layer.{number}."
        parts = [np.split(linear(weights, f"{at}attention.self.{part}", x), ends) for part in ("query", "key", "value")]
        taken = np.concatenate([_attend(*text) for text in zip(*parts, strict=True)])
        x = norm(weights, f"{at}attention.output.LayerNorm", linear(weights, f"{at}attention.output.dense", taken) + x)
        inner = gelu(linear(weights, f"{at}intermediate.dense", x))
        x = norm(weights, f"{at}output.LayerNorm", linear(weights, f"{at}output.dense", inner) + x)
    return x


def softmax(scores: Floats) -> Floats:
    odds = np.exp(scores - scores.max(-1, keepdims=True))
    shares: Floats = odds / odds.sum(-1, keepdims=True)
    return shares


def _attend(query: Floats, key: Floats, value: Floats) -> Floats:
    """One text's tokens to each other: (length, 384) each."""
    q, k, v = (x.reshape(len(x), HEADS, -1).transpose(1, 0, 2) for x in (query, key, value))  # (12, length, 32)
    shares = softmax(q @ k.transpose(0, 2, 1) / np.float32((WIDTH / HEADS) ** 0.5))
    mixed: Floats = (shares @ v).transpose(1, 0, 2).reshape(len(query), WIDTH)
    return mixed


def linear(weights: Mapping[str, Floats], name: str, x: Floats) -> Floats:
    return x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]


def norm(weights: Mapping[str, Floats], name: str, x: Floats) -> Floats:
    x = x - x.mean(-1, keepdims=True)
    spread = np.sqrt((x * x).mean(-1, keepdims=True) + 1e-12)
    scaled: Floats = x / spread * weights[f"{name}.weight"] + weights[f"{name}.bias"]
    return scaled


def gelu(x: Floats) -> Floats:
    """The exact GELU; erf after Abramowitz and Stegun 7.1.26 (error below 2e-7, numpy has none of its own)."""
    z = np.abs(x) * np.float32(0.5**0.5)
    t = 1 / (1 + 0.3275911 * z)
    tail = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    erf = np.sign(x) * (1 - tail * np.exp(-z * z))
    result: Floats = x * (1 + erf) / 2
    return result


def added(weights: Mapping[str, Floats], low: Mapping[str, Floats]) -> dict[str, Floats]:
    """The weights of the layers NAME of `low`, NAME.b @ NAME.a added to each; the others as they are."""
    changed = dict(weights)
    for name in {name.removesuffix(".a") for name in low if name.endswith(".a")}:
        changed[f"{name}.weight"] = (weights[f"{name}.weight"] + low[f"{name}.b"] @ low[f"{name}.a"]).astype(np.float32)
    return changed
