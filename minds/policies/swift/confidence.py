"""How far Swift's choices can be trusted: its probabilities, fitted to how often they were right on dev episodes.

Right is what the simulator's own solution does now or within its next steps; a critical act (`focus on` ends an
episode where it is wrong) is right only where the solution's next one is on that very thing. Platt's method, critical
acts apart (SwiftSage 3.3: they are where the slow mind should be asked).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from minds.policies.arrays import probability
from minds.policies.swift.play import CRITICAL, Proposal

NAME = "swift_{world}_confidence.json"
EDGE = 1e-4
Weights = tuple[float, float, float]
PLAIN: Weights = (1.0, 0.0, 0.0)
"""The network's own probability as it is."""


@dataclass(frozen=True)
class Confidence:
    """Weights of the log-odds of the act and of its kind, and a shift: for critical acts and for others."""

    critical: Weights = PLAIN
    other: Weights = PLAIN

    def of(self, best: Proposal, proposals: Sequence[Proposal]) -> float:
        """How likely a chosen act is right, 0 to 1."""
        act, kind, shift = self.critical if best.act.pattern == CRITICAL else self.other
        one, every = seen(best, proposals)
        return float(probability(np.array(act * one + kind * every + shift)))

    @classmethod
    def load(cls, world: str, folder: Path) -> Confidence:
        """That of a world's weights; as the network says where none was fitted."""
        try:
            fitted = json.loads((folder / NAME.format(world=world)).read_text(encoding="utf-8"))
        except FileNotFoundError:
            return cls()
        return cls(tuple(fitted["critical"]), tuple(fitted["other"]))


def seen(best: Proposal, proposals: Sequence[Proposal]) -> tuple[float, float]:
    """Log-odds of the act and of its kind."""
    kind = sum(p.chance for p in proposals if p.act.pattern == best.act.pattern)
    return _odds(best.chance), _odds(kind)


def _odds(chance: float) -> float:
    inside = min(max(chance, EDGE), 1 - EDGE)
    return float(np.log(inside / (1 - inside)))
