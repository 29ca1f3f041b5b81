"""How far Swift's choices can be trusted: its probabilities, fitted to how often they were right on dev episodes.

Right is what the simulator's own solution does now or within its next steps; a critical act (`focus on` ends an
episode where it is wrong) is right only where the solution's next one is on that very thing. Platt's method, critical
acts apart (SwiftSage 3.3: they are where the slow mind should be asked).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from minds.policies.calibrate import platt, probability
from minds.policies.swift.dataset import Episode, learned
from minds.policies.swift.play import CRITICAL, Play, Proposal
from minds.policies.swift.reading import things
from minds.policies.swift.wording import Act

NAME = "swift_{world}_confidence.json"
SOON = 5
"""Steps within which the order of the solution's acts does not matter."""
BINS = 10
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

    def save(self, world: str, folder: Path) -> None:
        """Beside the weights it was fitted for."""
        (folder / NAME.format(world=world)).write_text(json.dumps(asdict(self)) + "\n", encoding="utf-8")


def seen(best: Proposal, proposals: Sequence[Proposal]) -> tuple[float, float]:
    """Log-odds of the act and of its kind."""
    kind = sum(p.chance for p in proposals if p.act.pattern == best.act.pattern)
    return _odds(best.chance), _odds(kind)


def _odds(chance: float) -> float:
    inside = min(max(chance, EDGE), 1 - EDGE)
    return float(np.log(inside / (1 - inside)))


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


def reliability(said: np.ndarray, right: np.ndarray) -> list[tuple[int, float, float]]:
    """Of every tenth of confidence: how many choices, the mean confidence, the share that was right."""
    bins = np.minimum((said * BINS).astype(int), BINS - 1)
    return [
        (int((bins == b).sum()), float(said[bins == b].mean()), float(right[bins == b].mean())) for b in np.unique(bins)
    ]


def calibration_error(said: np.ndarray, right: np.ndarray) -> float:
    """Expected calibration error (Guo et al. 2017), 0 to 1."""
    rows = reliability(said, right)
    return sum(count * abs(mean - share) for count, mean, share in rows) / max(1, len(said))
