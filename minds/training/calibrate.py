"""From scores to probabilities, from these to decisions, and how good both are."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from minds.policies.odds import probability
from minds.policies.wishes import Floats

MISSED = 0.025
"""Share of the turns that need the slow mind that may be missed on held-out styles (3% is promised)."""
BINS = 10
PULL = 0.01
"""Keeps weights finite where a few turns can be told apart without a fault; beside a hundred turns it is nothing."""


def cross_entropy(odds: np.ndarray, labels: np.ndarray) -> float:
    """Mean over turns, natural."""
    return float(np.mean(np.logaddexp(0, odds) - labels * odds))


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


def reliability(said: np.ndarray, right: np.ndarray) -> list[tuple[int, float, float]]:
    """Of every tenth of a probability: how often it was said, its mean, and the share that was right."""
    bins = np.minimum((said * BINS).astype(int), BINS - 1)
    return [
        (int((bins == b).sum()), float(said[bins == b].mean()), float(right[bins == b].mean())) for b in np.unique(bins)
    ]


def calibration_error(said: np.ndarray, right: np.ndarray) -> float:
    """Expected calibration error (Guo et al. 2017), 0 to 1."""
    return sum(count * abs(mean - share) for count, mean, share in reliability(said, right)) / max(1, len(said))


@dataclass(frozen=True)
class Figures:
    """Shares between 0 and 1. `missed` is of the turns that need the slow mind, `needless` of those that do not."""

    turns: int
    accuracy: float
    missed: float
    needless: float
    auc: float
    ece: float
    """Expected calibration error over ten bins of p."""
    styles: dict[str, tuple[int, float, float, float]] = field(default_factory=dict)
    """Style: (turns, accuracy, missed, needless)."""

    def line(self) -> str:
        return (
            f"{self.turns} turns, accuracy {self.accuracy:.3f}, missed {self.missed:.3f}, "
            f"needless {self.needless:.3f}, AUC {self.auc:.3f}, ECE {self.ece:.3f}"
        )

    def table(self) -> str:
        """One line a style, in Markdown."""
        head = ["| style | turns | accuracy | missed | needless |", "|---|---|---|---|---|"]
        rows = [f"| {s} | {n} | {a:.3f} | {m:.3f} | {e:.3f} |" for s, (n, a, m, e) in self.styles.items()]
        return "\n".join([*head, *rows])


def figures(p: np.ndarray, decided: np.ndarray, labels: np.ndarray, styles: np.ndarray) -> Figures:
    """Figures of decisions with probabilities `p`; all arrays of shape (n,)."""
    each = {
        str(s): (int((styles == s).sum()), *_rates(decided[styles == s], labels[styles == s]))
        for s in np.unique(styles)
    }
    return Figures(len(labels), *_rates(decided, labels), auc(p, labels), calibration_error(p, labels), each)


def _rates(decided: np.ndarray, labels: np.ndarray) -> tuple[float, float, float]:
    def share(of: np.ndarray, among: np.ndarray) -> float:
        return float(of[among].mean()) if among.any() else 0.0

    return float((decided == labels).mean()), share(~decided, labels), share(decided, ~labels)


def auc(p: np.ndarray, labels: np.ndarray) -> float:
    """Probability that a turn that needs the slow mind is ranked above one that does not; ties count half."""
    needs, needs_not = p[labels], np.sort(p[~labels])
    if not len(needs) or not len(needs_not):
        return 0.5
    below, upto = np.searchsorted(needs_not, needs, "left"), np.searchsorted(needs_not, needs, "right")
    return float((below + upto).mean() / 2 / len(needs_not))
