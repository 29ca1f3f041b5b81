"""What a run shows: its rows summed up, by type of task and over all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Any

from chat.bench.episodes.play import SPENT, carried

COUNTS = ("final", "highest", "clamped", "stop_rule")
FULL = 100.0
Row = Mapping[str, Any]


@dataclass(frozen=True)
class Type:
    """One type of task."""

    name: str
    episodes: int
    counts: Mapping[str, float]
    """Means of `COUNTS`."""
    won: float
    """Percent of the episodes."""
    steps: float
    solved: bool
    """Every episode reached the full score."""


@dataclass(frozen=True)
class Cost:
    """Of all steps. Milliseconds: the strategy's own, and the simulator's."""

    steps: int
    policy_ms: float
    simulator_ms: float
    p50_ms: float
    p95_ms: float
    processor_p50_ms: float
    """The strategy's own time of the processor: what p50_ms would be on a machine without other load."""
    tokens_per_action: float
    """Read outside the prefix cache, and written."""
    read_per_action: float
    """All that was read, as the papers count, which cache nothing."""
    written_per_action: float
    reused: float
    """Percent of what was read that came from the prefix cache."""
    calls_per_action: float


def types(rows: Sequence[Row]) -> list[Type]:
    """Each type in order of first appearance."""
    by_type: dict[str, list[Row]] = {}
    for row in rows:
        by_type.setdefault(row["type"], []).append(row)
    return [_type(name, found) for name, found in by_type.items()]


def _type(name: str, rows: Sequence[Row]) -> Type:
    counts = {count: fmean(row[count] for row in rows) for count in COUNTS}
    won, steps = 100 * fmean(row["won"] for row in rows), fmean(row["steps"] for row in rows)
    return Type(name, len(rows), counts, won, steps, all(row["final"] >= FULL for row in rows))


def cost(rows: Sequence[Row], steps: Sequence[Row]) -> Cost:
    """`rows` are episodes: they hold what was spent on moves that were no action, too."""
    own = sorted(step["policy_ms"] for step in steps) or [0.0]
    engine = fmean([step["simulator_ms"] for step in steps] or [0.0])
    late = own[min(len(own) - 1, int(0.95 * len(own)))]
    worked = median([step["processor_ms"] for step in steps] or [0.0])
    total = {name: sum(row.get(name, 0) for row in rows) for name in SPENT}
    each = {name: total[name] / max(1, len(steps)) for name in SPENT}
    reused = 100 * total["cached"] / max(1, total["read"])
    asked = (each["tokens"], each["read"], each["written"], reused, each["calls"])
    return Cost(len(steps), fmean(own), engine, median(own), late, worked, *asked)


def summary(rows: Sequence[Row], steps: Sequence[Row], minutes: float, unplayed: int) -> dict[str, Any]:
    """The figures: scores in percent of the full one as task averages, `episode_average` beside them."""
    if not rows:
        return {"episodes": 0, "unplayed": unplayed}
    each, spent = types(rows), cost(rows, steps)
    right = [row["goal_right"] for row in rows if "goal_right" in row]
    worst = min(each, key=lambda one: one.counts["final"])
    return {
        **{count: round(fmean(one.counts[count] for one in each), 2) for count in COUNTS},
        "success": round(100 * fmean(row["won"] for row in rows), 2),
        **({"goals_right": round(100 * fmean(right), 2)} if right else {}),
        "episodes": len(rows),
        "unplayed": unplayed,
        "episode_average": {count: round(fmean(row[count] for row in rows), 2) for count in COUNTS},
        "types": len(each),
        "types_solved": sum(one.solved for one in each),
        "worst_type": worst.name,
        "worst_final": round(worst.counts["final"], 2),
        "steps": spent.steps,
        "steps_per_episode": round(spent.steps / len(rows), 2),
        "ms_per_step": round(spent.policy_ms + spent.simulator_ms, 2),
        "policy_ms": round(spent.policy_ms, 2),
        "simulator_ms": round(spent.simulator_ms, 2),
        "p50_ms": round(spent.p50_ms, 2),
        "p95_ms": round(spent.p95_ms, 2),
        "processor_p50_ms": round(spent.processor_p50_ms, 2),
        "tokens_per_action": round(spent.tokens_per_action, 2),
        "read_per_action": round(spent.read_per_action, 2),
        "written_per_action": round(spent.written_per_action, 2),
        "reused": round(spent.reused, 1),
        "calls_per_action": round(spent.calls_per_action, 3),
        "score_per_action": round(sum(row["final"] for row in rows) / max(1, spent.steps), 3),
        "seconds_per_action": round((spent.policy_ms + spent.simulator_ms) / 1000, 3),
        "replaced_per_action": round(sum(row.get("replaced", 0) for row in rows) / max(1, spent.steps), 3),
        "trials_per_episode": round(fmean(len(row.get("trials", (1,))) for row in rows), 2),
        "minutes": round(minutes, 2),
    }


def curve(scores: Sequence[float], length: int) -> list[float]:
    """An episode's score after every action, from 0 actions on; the last one lasts."""
    kept = [0.0, *carried(scores)][: length + 1]
    return kept + [kept[-1]] * (length + 1 - len(kept))


def mean_curve(curves: Sequence[Sequence[float]]) -> list[float]:
    """Point by point; curves are equally long."""
    return [fmean(points) for points in zip(*curves, strict=True)]
