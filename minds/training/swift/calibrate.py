"""Fits Swift's confidence to dev episodes (`python main.py train swift --calibrate 2`), beside the weights it is for.

The simulator's own solutions of dev variations are kept beside the demonstrations; nothing but two lines of weights is
learned from them, and what they are worth is measured on episodes that they were not fitted to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from minds.policies.swift.confidence import Confidence
from minds.policies.swift.policy import SwiftPolicy
from minds.training.calibrate import calibration_error, reliability
from minds.training.swift.collect import EASY, FULL, append, key, solved, stored
from minds.training.swift.demonstrations import told_again
from minds.training.swift.judging import Judged, fit, judge, trusted
from tools.worlds.world import Simulator

CARD = "swift_{world}_confidence.md"
FOLDS = 5
Told = Callable[[str], None]


def run(worlds: Simulator, file: Path, weights: Path, most: int, told: Told) -> int:
    """Fits to `most` dev variations of each type of task and writes weights and card; 1 where there are none."""
    episodes = [told_again(row) for row in solutions(worlds, file, most, told) if row["steps"][-1][4] >= FULL]
    policy = SwiftPolicy.load(worlds.name, weights)
    judged = []
    for episode in episodes:
        judged.append(judge(policy.start(episode["goal"]), episode))
        told(f"judged {episode['task']} {episode['variation']}")
    if len(judged) < 2:
        told("There are too few episodes: name a higher number.")
        return 1
    lines = report(judged)
    fit(merged(judged)).save(worlds.name, weights)
    (weights / CARD.format(world=worlds.name)).write_text("\n".join(lines) + "\n", encoding="utf-8")
    told("\n".join(lines))
    return 0


def solutions(worlds: Simulator, file: Path, most: int, told: Told) -> Iterator[dict[str, Any]]:
    """The simulator's solutions of dev variations, kept in a file; those it does not have are played and added."""
    file.parent.mkdir(parents=True, exist_ok=True)
    have = {key(row)[:2]: row for row in stored(file)}
    for turn in range(most):
        for info in worlds.tasks():
            specs = worlds.variations(info.name, "dev")
            if turn >= len(specs):
                continue
            named = (info.name, specs[turn].variation)
            if named not in have and (row := solved(worlds, replace(specs[turn], options=EASY), told)):
                append(file, row)
                have[named] = row
            if have.get(named, {}).get("steps"):
                yield have[named]


def merged(parts: Sequence[Judged]) -> Judged:
    """The choices of several episodes."""
    whole = Judged()
    for part in parts:
        whole.add(part)
    return whole


def report(judged: Sequence[Judged]) -> list[str]:
    """What the fit is worth on episodes it was not made from: error before and after, and the table of reliability."""
    folds = [list(judged[i::FOLDS]) for i in range(min(FOLDS, len(judged)))]
    kept = merged([part for fold in folds for part in fold])
    right, critical = np.array(kept.right), np.array(kept.critical)
    others = [merged([part for other in folds if other is not fold for part in other]) for fold in folds]
    after = np.concatenate([trusted(fit(other), merged(fold)) for other, fold in zip(others, folds, strict=True)])
    before = trusted(Confidence(), kept)
    lines = ["# Swift's confidence, ScienceWorld", ""]
    lines += [
        f"Fitted to {len(judged)} dev episodes. The figures are of episodes held out in turn ({len(folds)} folds). A"
    ]
    lines += ["choice is right where the simulator's solution does it now or within five steps; a critical one (`focus"]
    lines += ["on`) where it is the solution's next one.", ""]
    lines += ["| acts | choices | right | calibration error before | after |", "|---|---|---|---|---|"]
    for name, chosen in (("all", critical | ~critical), ("critical", critical), ("others", ~critical)):
        errors = [calibration_error(said[chosen], right[chosen]) for said in (before, after)]
        good = f"{right[chosen].mean():.1%}" if chosen.any() else "-"
        lines.append(f"| {name} | {chosen.sum()} | {good} | {errors[0]:.3f} | {errors[1]:.3f} |")
    lines += ["", "| acts | confidence | choices | mean | right |", "|---|---|---|---|---|"]
    for name, chosen in (("critical", critical), ("others", ~critical)):
        for count, mean, share in reliability(after[chosen], right[chosen]):
            low = min(int(mean * 10), 9) / 10
            lines.append(f"| {name} | {low:.1f} to {low + 0.1:.1f} | {count} | {mean:.2f} | {share:.2f} |")
    return lines
