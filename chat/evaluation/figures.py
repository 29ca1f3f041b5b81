"""The figures of a run, from its rows alone: scores with intervals, pass^k, what it cost, who beats whom."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from statistics import fmean
from typing import Any

import numpy as np

from chat.evaluation import statistics as stats
from chat.evaluation.record import At, Grade, Played
from chat.evaluation.rubric import Rubric

PROGRAM, PAPER = "program", "paper"
"""Two means besides the metrics: over those that a program decides, and over the paper's six."""


@dataclass(frozen=True)
class Scores:
    """What every dialogue got."""

    rubric: Rubric
    dialogues: Mapping[str, Played]
    grades: Mapping[At, Grade]

    @property
    def systems(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(d.key.system for d in self.dialogues.values()))

    def of(self, system: str) -> list[Played]:
        return [d for d in self.dialogues.values() if d.key.system == system]

    @property
    def shared(self) -> set[str]:
        """The scripts that all systems played."""
        played = [{d.key.script for d in self.of(system)} for system in self.systems]
        return set.intersection(*played) if played else set()

    def grade(self, dialogue: Played, metric: str) -> Grade | None:
        """The one that counts: a person's over the program's over the judge's."""
        given = [self.grades.get((str(dialogue.key), metric, by, 0)) for by in ("human", "program", "judge")]
        found = [grade for grade in given if grade]
        return next((grade for grade in found if grade.counts), found[0] if found else None)

    def by_script(self, system: str, metric: str) -> dict[str, float]:
        """The mean over seeds of every script to which the metric applies. What could not be graded is the lowest."""
        found = defaultdict[str, list[float]](list)
        for dialogue in self.of(system):
            if scores := self._scores(dialogue, metric):
                found[dialogue.key.script].append(fmean(scores))
        return {script: fmean(means) for script, means in found.items()}

    def _scores(self, dialogue: Played, metric: str) -> list[int]:
        """Of one metric, or of the several behind a mean, those that apply; an error is the lowest, never a pass."""
        names = [m.name for m in self.rubric.metrics if m.paper] if metric == PAPER else [metric]
        if metric == PROGRAM:
            decided = [self.grades.get((str(dialogue.key), m.name, "program", 0)) for m in self.rubric.metrics]
            names = [grade.metric for grade in decided if grade and grade.counts]
        grades = [self.grade(dialogue, name) for name in names]
        least = min(self.rubric.scale)
        return [least if grade.score is None else grade.score for grade in grades if grade and grade.counts]

    def passed(self, dialogue: Played) -> bool | None:
        """Every metric that a program decides is at least `pass_at`; None where it decides none."""
        scores = self._scores(dialogue, PROGRAM)
        return min(scores) >= self.rubric.pass_at if scores else None


def titles(rubric: Rubric) -> dict[str, str]:
    """What is shown for each metric and each mean over several."""
    means = {PAPER: "Mean of the paper's six", PROGRAM: "Decided by program"}
    return {**{metric.name: metric.title for metric in rubric.metrics}, **means}


def figures(scores: Scores) -> dict[str, Any]:
    """All of a run's figures, as JSON."""
    names, shared = list(titles(scores.rubric)), scores.shared
    found = {
        "dialogues": len(scores.dialogues),
        "scripts": len({d.key.script for d in scores.dialogues.values()}),
        "shared_scripts": len(shared),
        "systems": {system: _system(scores, system, names, shared) for system in scores.systems},
        "pairs": [test for name in names for test in pairs(scores, name)],
        "overhead": overhead(scores.dialogues.values()),
    }
    rounded: dict[str, Any] = json.loads(json.dumps(found), parse_float=lambda written: round(float(written), 7))
    return rounded


def _system(scores: Scores, system: str, names: Sequence[str], shared: set[str]) -> dict[str, Any]:
    played = scores.of(system)
    among = [dialogue for dialogue in played if dialogue.key.script in shared]
    means = {name: scores.by_script(system, name) for name in names}
    given = [scores.grade(dialogue, metric.name) for dialogue in played for metric in scores.rubric.metrics]
    found: dict[str, Any] = {
        "dialogues": len(played),
        "scripts": len({dialogue.key.script for dialogue in played}),
        "faults": sum(bool(dialogue.fault) for dialogue in played),
        "grade_errors": sum(bool(grade and grade.error) for grade in given),
        "metrics": {name: _estimate(each, each) for name, each in means.items()},
        "shared": {name: _estimate(each, shared) for name, each in means.items()},
    }
    for of, some in (("", played), ("shared_", among)):
        found |= {f"{of}pass": _passes(scores, some), f"{of}invoke": _invoke(some), f"{of}cost": cost(some)}
    return found


def _passes(scores: Scores, played: Sequence[Played]) -> dict[str, float | None]:
    """pass^k for each k that there are plays for."""
    plays = defaultdict[str, list[bool]](list)
    for dialogue in played:
        if (passed := scores.passed(dialogue)) is not None:
            plays[dialogue.key.script].append(passed)
    most = max(map(len, plays.values()), default=0)
    return {str(k): stats.pass_hat(plays, k) for k in range(1, most + 1)}


def _estimate(values: Mapping[str, float], among: Container[str]) -> dict[str, float] | None:
    """Over the scripts that are among these."""
    found = stats.bootstrap(tuple(values[name] for name in sorted(values) if name in among))
    return asdict(found) if found else None


def _invoke(played: Sequence[Played]) -> dict[str, Any]:
    """Precision and recall over the turns of which the script says it; what memory answered is neither."""
    every = [turn for dialogue in played for turn in dialogue.turns]
    turns = [turn for turn in every if turn.by != "memory" and turn.needed is not None]
    invoked, needed = [turn for turn in turns if turn.invoked], [turn for turn in turns if turn.needed]
    precision = fmean(bool(turn.needed) for turn in invoked) if invoked else None
    recall = fmean(turn.invoked for turn in needed) if needed else None
    return {"precision": precision, "recall": recall, "turns": len(turns)}


def cost(played: Sequence[Played]) -> dict[str, Any]:
    """What turns took: seconds as median and 9th decile, the rest a dialogue or as a share of turns."""
    turns = [exchange for dialogue in played for exchange in dialogue.turns]
    slow, plays = sum(exchange.invoked for exchange in turns), max(len(played), 1)
    taken = {"first": [e.first for e in turns], "seconds": [e.seconds for e in turns]}
    return {
        "turns": len(turns),
        **{
            f"{name}_p{p}": float(np.quantile(each, p / 100)) if each else None
            for name, each in taken.items()
            for p in (50, 90)
        },
        "seconds": sum(taken["seconds"]) / plays,
        "tokens": sum(e.tokens for e in turns) / plays,
        "tool_calls": sum(len(e.calls) for e in turns) / plays,
        "slow_runs": slow / plays,
        "slow_avoided": 1 - slow / max(len(turns), 1),
        "from_memory": sum(e.by == "memory" for e in turns),
        "errors": sum(bool(e.error) for e in turns),
    }


def pairs(scores: Scores, name: str) -> list[dict[str, Any]]:
    """Every two systems on the scripts they share; p-values adjusted within the metric (Holm)."""
    tests = []
    for first, second in combinations(scores.systems, 2):
        if one := stats.paired(scores.by_script(first, name), scores.by_script(second, name)):
            tests.append({"metric": name, "first": first, "second": second, **asdict(one)})
    adjusted = stats.holm([test["p"] for test in tests])
    return [{**test, "p_adjusted": p} for test, p in zip(tests, adjusted, strict=True)]


def overhead(dialogues: Iterable[Played]) -> float | None:
    """The share of the dialogues' time that the harness took: what lay between their turns."""
    sound = [d for d in dialogues if not d.fault and d.seconds]
    whole = sum(d.seconds for d in sound)
    return 1 - sum(turn.seconds for d in sound for turn in d.turns) / whole if whole else None
