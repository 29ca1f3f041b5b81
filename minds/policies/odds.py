"""From log-odds to probabilities."""

from __future__ import annotations

import numpy as np


def probability(odds: np.ndarray) -> np.ndarray:
    """Of log-odds, of any size."""
    p: np.ndarray = 0.5 + 0.5 * np.tanh(odds / 2)
    return p
