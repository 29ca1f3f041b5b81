"""Fits Swift's confidence to dev episodes (`python main.py train swift --calibrate 2`), beside the weights it is for.

Its choices are held against the simulator's own solutions of dev variations, which are kept beside the demonstrations;
nothing but two lines of weights is learned from them, and what they are worth is measured on episodes that they were
not fitted to.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np

from minds.policies.arrays import probability
from minds.policies.swift.confidence import NAME, PLAIN, Confidence, Weights, seen
from minds.policies.swift.play import CRITICAL, Play
from minds.policies.swift.policy import SwiftPolicy
from minds.policies.swift.reading import Thing, things
from minds.policies.swift.wording import Act
from minds.training import Unready
from minds.training.calibrate import calibration_error, platt
from minds.training.processes import card
from minds.training.swift.collect import FULL, in_turn, solutions
from minds.training.swift.dataset import Episode, learned, lived
from minds.training.swift.demonstrations import told_again
from tools.worlds.world import Simulator

CARD = "swift_{world}_confidence.md"
FOLDS = 5
SOON = 5
"""Steps within which the order of the solution's acts does not matter."""
Choices = np.ndarray
"""(n, 4): the log-odds of an act and of its kind, whether it was critical, whether it was right."""


def run(worlds: Simulator, file: Path, weights: Path, most: int, without: Collection[str] = ()) -> None:
    """Fits to `most` dev variations of each type of task that is not left out, and writes weights and card. Raises
    Unready where they are too few."""
    types = [info.name for info in worlds.tasks() if info.name not in without]
    names = in_turn([worlds.variations(name, "dev")[:most] for name in types])
    policy, judged = SwiftPolicy.load(worlds.name, weights), list[Choices]()
    for row in solutions(worlds, file, list(names)).values():
        if row["steps"][-1][4] >= FULL:
            judged.append(judge(policy.start(row["desc"]), told_again(row)))
    if len(judged) < 2:
        raise Unready("There are too few episodes: name a higher number.")
    fitted = json.dumps(asdict(fit(np.concatenate(judged))))
    (weights / NAME.format(world=worlds.name)).write_text(f"{fitted}\n", encoding="utf-8")
    made = {"dev episodes": len(judged), **figures(judged)}
    card(weights / CARD.format(world=worlds.name), f"Swift's confidence, {worlds.name}", made)


def judge(play: Play, episode: Episode) -> Choices:
    """What the policy would choose at every step of a solution, and whether that is right."""
    out = list[tuple[float, ...]]()
    solution = [_named(Act.of(row["act"]), things(row["look"], row["inv"])) for row in episode["rows"]]
    for number, (row, act) in enumerate(lived(episode, play.memory)):
        if learned(row, act, play.memory):
            proposals = play.propose()
            best = play.choose(proposals)
            critical, ahead = best.act.pattern == CRITICAL, solution[number:]
            fitting = [step for step in ahead if step[0] == CRITICAL][:1] if critical else ahead[:SOON]
            out.append((*seen(best, proposals), critical, _named(best.act, play.memory.seen) in fitting))
    return np.array(out, float).reshape(-1, 4)


def _named(act: Act, view: Sequence[Thing]) -> tuple[str, tuple[str, ...], str]:
    return act.pattern, tuple(view[i].name for i in act.args), act.room


def fit(judged: Choices) -> Confidence:
    """Platt's method on each of the two kinds of acts; what has no examples stays as it is.

    Critical acts are few, so that only the odds of the act itself are weighed there.
    """
    critical = judged[:, 2] > 0
    return Confidence(_fitted(judged[critical], 1), _fitted(judged[~critical], 2))


def _fitted(judged: Choices, columns: int) -> Weights:
    right = judged[:, 3]
    if len(set(right)) < 2:
        return PLAIN
    *weights, shift = platt(judged[:, :columns].astype(np.float32), right)
    return weights[0], weights[1] if columns > 1 else 0.0, shift


def trusted(confidence: Confidence, judged: Choices) -> np.ndarray:
    """(n,) the confidence in each choice."""
    weights = np.where(judged[:, 2:3] > 0, confidence.critical, confidence.other)
    return probability((weights[:, :2] * judged[:, :2]).sum(1) + weights[:, 2])


def figures(judged: Sequence[Choices]) -> dict[str, object]:
    """What the fit is worth on episodes it was not made from: of all acts and of each kind the choices, the share that
    is right, and the calibration error before and after."""
    folds = [judged[i::FOLDS] for i in range(min(FOLDS, len(judged)))]
    fits = [fit(np.concatenate([part for other in folds if other is not fold for part in other])) for fold in folds]
    after = np.concatenate([trusted(made, part) for made, fold in zip(fits, folds, strict=True) for part in fold])
    kept = np.concatenate([part for fold in folds for part in fold])
    before, right, critical = trusted(Confidence(), kept), kept[:, 3] > 0, kept[:, 2] > 0
    found = dict[str, object]()
    for name, chosen in {"all": critical | ~critical, "critical": critical, "others": ~critical}.items():
        errors = [round(calibration_error(said[chosen], right[chosen]), 3) for said in (before, after)]
        good = round(float(right[chosen].mean()), 3) if chosen.any() else None
        found[name] = {"choices": int(chosen.sum()), "right": good, "error before, after": errors}
    return found
