"""What all learned weights have in common: how their files are read, and how log-odds become probabilities."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


def read(path: Path) -> tuple[dict[str, Floats], dict[str, str]]:
    """The arrays of a safetensors file, in single precision, and what it tells. Raises FileNotFoundError, OSError,
    SafetensorError."""
    from safetensors import safe_open

    with safe_open(str(path), framework="numpy") as file:
        arrays = {name: np.asarray(file.get_tensor(name), np.float32) for name in list(file.keys())}
        return arrays, file.metadata() or {}


def taken(arrays: dict[str, Floats], prefix: str) -> dict[str, Floats]:
    """Takes those out whose names begin so; by the rest of their names."""
    return {name.removeprefix(prefix): arrays.pop(name) for name in list(arrays) if name.startswith(prefix)}


def probability(odds: np.ndarray) -> np.ndarray:
    """Of log-odds, of any size."""
    p: np.ndarray = 0.5 + 0.5 * np.tanh(odds / 2)
    return p
