"""How good a yes-or-no decision is: the figures that the gate is chosen by and reported with."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from minds.training.calibrate import calibration_error


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
