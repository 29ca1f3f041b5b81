"""From scores to probabilities, from these to decisions, and how good both are."""

from __future__ import annotations

from typing import Any

import numpy as np

from minds.policies.arrays import probability
from minds.policies.wishes import Floats

MISSED = 0.025
"""Share of the turns that need the slow mind that may be missed on held-out styles (3% is promised)."""
BINS = 10
PULL = 0.01
"""Keeps weights finite where a few turns can be told apart without a fault; beside a hundred turns it is nothing."""


def platt(columns: Floats, labels: np.ndarray, pull: float = PULL) -> list[float]:
    """The weights of columns (n, k) and, last, the shift that make log-odds of them: k + 1 numbers.

    Logistic regression by Newton's method on the cross-entropy, with a slight pull to 0.
    """
    inputs = np.column_stack([columns, np.ones(len(columns))]).astype(np.float64)
    weights = np.zeros(inputs.shape[1])
    for _ in range(50):
        p = probability(inputs @ weights)
        bend = (inputs * (p * (1 - p))[:, None]).T @ inputs + pull * np.eye(len(weights))
        weights -= np.linalg.solve(bend, inputs.T @ (p - labels) + pull * weights)
    return [float(weight) for weight in weights]


def choose_threshold(p: Floats, labels: np.ndarray, missed: float = MISSED) -> float:
    """The most accurate threshold among those that miss at most `missed` of the turns that need the slow mind."""
    ordered = np.unique(p)
    middles = [float(t) for t in (ordered[:-1] + ordered[1:]) / 2] or [0.5]
    allowed = [t for t in middles if np.mean(p[labels] < t) <= missed] or [0.0]
    return max(allowed, key=lambda t: (np.mean((p >= t) == labels), -t))


def calibration_error(said: np.ndarray, right: np.ndarray) -> float:
    """Expected calibration error (Guo et al. 2017), 0 to 1: how far every tenth of the probabilities is off."""
    bins = np.minimum((said * BINS).astype(int), BINS - 1)
    return float(np.abs(np.bincount(bins, said - right)).sum()) / max(1, len(said))


def figures(p: np.ndarray, decided: np.ndarray, labels: np.ndarray, styles: np.ndarray) -> dict[str, Any]:
    """Of decisions with probabilities `p`, and of each style; all arrays of shape (n,). Shares between 0 and 1:
    `missed` is of the turns that need the slow mind, `needless` of those that do not; `ece` over ten bins of p."""
    each = {str(style): _rates(decided[styles == style], labels[styles == style]) for style in np.unique(styles)}
    whole = {"auc": round(auc(p, labels), 4), "ece": round(calibration_error(p, labels), 4)}
    return {**_rates(decided, labels), **whole, "styles": each}


def _rates(decided: np.ndarray, labels: np.ndarray) -> dict[str, float]:
    def share(of: np.ndarray, among: np.ndarray) -> float:
        return round(float(of[among].mean()), 4) if among.any() else 0.0

    wrong = {"missed": share(~decided, labels), "needless": share(decided, ~labels)}
    return {"turns": len(labels), "accuracy": share(decided == labels, labels | ~labels), **wrong}


def auc(p: np.ndarray, labels: np.ndarray) -> float:
    """Probability that a turn that needs the slow mind is ranked above one that does not; ties count half."""
    needs, needs_not = p[labels], np.sort(p[~labels])
    if not len(needs) or not len(needs_not):
        return 0.5
    below, upto = np.searchsorted(needs_not, needs, "left"), np.searchsorted(needs_not, needs, "right")
    return float((below + upto).mean() / 2 / len(needs_not))
