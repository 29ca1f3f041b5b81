"""Vectors for tests: words hashed to directions, so that shared words bring texts near. No model is loaded."""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

WIDTH = 384


class WordVectors:
    """An embedder by the counts of words. Counts its calls."""

    name = "words"

    def __init__(self) -> None:
        self.calls = 0

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.calls += 1
        rows = np.zeros((len(texts), WIDTH), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in re.findall(r"\w+", text.lower()) or ["nothing"]:
                seed = int.from_bytes(sha256(word.encode("utf-8", "replace")).digest()[:8], "big")
                row += np.random.default_rng(seed).normal(size=WIDTH).astype(np.float32)
        unit: NDArray[np.float32] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return unit
