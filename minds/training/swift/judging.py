"""Swift's choices against the simulator's own solutions, and the confidence that is fitted to them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from minds.policies.odds import probability
from minds.policies.swift.confidence import PLAIN, Confidence, Weights, seen
from minds.policies.swift.play import CRITICAL, Play
from minds.policies.swift.reading import things
from minds.policies.swift.wording import Act
from minds.training.calibrate import platt
from minds.training.swift.dataset import Episode, learned

SOON = 5
"""Steps within which the order of the solution's acts does not matter."""


@dataclass
class Judged:
    """Choices: the odds of each, whether it was critical, and whether it was right."""

    odds: list[tuple[float, float]] = field(default_factory=list)
    critical: list[bool] = field(default_factory=list)
    right: list[bool] = field(default_factory=list)

    def add(self, other: Judged) -> None:
        self.odds += other.odds
        self.critical += other.critical
        self.right += other.right


def judge(play: Play, episode: Episode) -> Judged:
    """What the policy would choose at every step of a solution, and whether that is right."""
    out, rows = Judged(), episode["rows"]
    solution = [_named(row) for row in rows]
    for number, row in enumerate(rows):
        play.memory.see(row["look"], row["inv"])
        act = Act(row["act"][0], tuple(row["act"][1]), row["act"][2])
        if learned(row, act, play.memory):
            proposals = play.propose()
            best = play.choose(proposals)
            chosen = (best.act.pattern, tuple(play.memory.seen[i].name for i in best.act.args), best.act.room)
            soon = solution[number : number + SOON]
            critical = best.act.pattern == CRITICAL
            out.odds.append(seen(best, proposals))
            out.critical.append(critical)
            out.right.append(chosen in ([s for s in solution[number:] if s[0] == CRITICAL][:1] if critical else soon))
        play.remember(act, row["said"], row["score"])
    return out


def _named(row: Mapping[str, Any]) -> tuple[str, tuple[str, ...], str]:
    pattern, args, room = row["act"]
    view = things(row["look"], row["inv"]) if args else []
    return pattern, tuple(view[i].name for i in args), room


def fit(judged: Judged) -> Confidence:
    """Platt's method on each of the two kinds of acts; what has no examples stays as it is.

    Critical acts are few, so that only the odds of the act itself are weighed there.
    """
    critical = np.array(judged.critical, bool)
    return Confidence(_fitted(judged, critical, 1), _fitted(judged, ~critical, 2))


def _fitted(judged: Judged, chosen: np.ndarray, columns: int) -> Weights:
    right = np.array(judged.right, float)[chosen]
    if len(set(right)) < 2:
        return PLAIN
    *weights, shift = platt(np.array(judged.odds, np.float32)[chosen][:, :columns], right)
    return weights[0], weights[1] if columns > 1 else 0.0, shift


def trusted(confidence: Confidence, judged: Judged) -> np.ndarray:
    """(n,) the confidence in each choice."""
    rows = [confidence.critical if critical else confidence.other for critical in judged.critical]
    weights = np.array(rows).reshape(-1, 3)
    odds = np.column_stack([np.array(judged.odds).reshape(-1, 2), np.ones(len(rows))])
    return probability((weights * odds).sum(1))
