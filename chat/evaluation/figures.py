"""The figures of a run, from its rows alone: scores with intervals, pass^k, what it cost, who beats whom."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from statistics import fmean
from typing import Any

from chat.evaluation import statistics as stats
from chat.evaluation.grading import standing
from chat.evaluation.record import Grade, Played
from chat.evaluation.rubric import Rubric

Grades = Mapping[tuple[str, str, str], Grade]
PROGRAM, PAPER = "program", "paper"
"""Two means besides the metrics: over those that a program decides, and over the paper's six."""


@dataclass(frozen=True)
class Scores:
    """What every dialogue got."""

    rubric: Rubric
    dialogues: Mapping[str, Played]
    grades: Grades
    needed: Mapping[str, Sequence[bool | None]]
    """Script turns: dialogue -> for each exchange, whether the script says that the slow mind is needed."""

    @property
    def systems(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(d.key.system for d in self.dialogues.values()))

    def of(self, system: str) -> list[Played]:
        return [d for d in self.dialogues.values() if d.key.system == system]

    def scripts(self, system: str) -> set[str]:
        return {d.key.script for d in self.of(system)}

    @property
    def shared(self) -> set[str]:
        """The scripts that all systems played."""
        played = [self.scripts(system) for system in self.systems]
        return set.intersection(*played) if played else set()

    def grade(self, dialogue: Played, metric: str) -> Grade | None:
        return standing(self.grades, str(dialogue.key), metric)

    def by_script(self, system: str, metric: str, among: Iterable[str] | None = None) -> dict[str, float]:
        """The mean over seeds of every script to which the metric applies. What could not be graded counts as 0."""
        chosen, found = None if among is None else set(among), defaultdict[str, list[float]](list)
        for dialogue in self.of(system):
            if chosen is None or dialogue.key.script in chosen:
                score = self._score(dialogue, metric)
                if score is not None:
                    found[dialogue.key.script].append(score)
        return {script: fmean(scores) for script, scores in found.items()}

    def _score(self, dialogue: Played, metric: str) -> float | None:
        """Of one metric, or a mean over several; None where none applies."""
        if metric not in (PROGRAM, PAPER):
            grade = self.grade(dialogue, metric)
            if grade is None or (grade.score is None and not grade.error):
                return None
            return float(grade.score or 0)  # an error is never a pass
        names = [m.name for m in self.rubric.metrics if m.paper] if metric == PAPER else self.program_names(dialogue)
        scores = [score for name in names if (score := self._score(dialogue, name)) is not None]
        return fmean(scores) if scores else None

    def program_names(self, dialogue: Played) -> list[str]:
        """The metrics that a program decided for this dialogue."""
        return [m.name for m in self.rubric.metrics if (str(dialogue.key), m.name, "program") in self.grades]

    def passed(self, dialogue: Played) -> bool:
        """Every metric that a program decides is at least `pass_at`."""
        found = [self.grade(dialogue, name) for name in self.program_names(dialogue)]
        applying = [grade for grade in found if grade and (grade.score is not None or grade.error)]
        return bool(applying) and all((grade.score or 0) >= self.rubric.pass_at for grade in applying)


def titles(rubric: Rubric) -> dict[str, str]:
    """What is shown for each metric and each mean over several."""
    means = {PAPER: "Mean of the paper's six", PROGRAM: "Decided by program"}
    return {**{metric.name: metric.title for metric in rubric.metrics}, **means}


def figures(scores: Scores) -> dict[str, Any]:
    """All of a run's figures, as JSON."""
    names = list(titles(scores.rubric))
    shared = scores.shared
    return {
        "dialogues": len(scores.dialogues),
        "scripts": len({d.key.script for d in scores.dialogues.values()}),
        "shared_scripts": len(shared),
        "systems": {system: _system(scores, system, names, shared) for system in scores.systems},
        "pairs": pairs(scores, names),
        "overhead": overhead(scores.dialogues.values()),
    }


def _system(scores: Scores, system: str, names: Sequence[str], shared: set[str]) -> dict[str, Any]:
    played = scores.of(system)
    plays = defaultdict[str, list[bool]](list)
    for dialogue in played:
        plays[dialogue.key.script].append(scores.passed(dialogue))
    most = max((len(found) for found in plays.values()), default=0)
    return {
        "dialogues": len(played),
        "scripts": len(scores.scripts(system)),
        "faults": sum(bool(dialogue.fault) for dialogue in played),
        "grade_errors": sum(
            bool((grade := scores.grade(d, m.name)) and grade.error) for d in played for m in scores.rubric.metrics
        ),
        "metrics": {name: _estimate(scores.by_script(system, name)) for name in names},
        "shared": {name: _estimate(scores.by_script(system, name, shared)) for name in names},
        "pass": {str(k): stats.pass_hat(plays, k) for k in range(1, most + 1)},
        "invoke": _invoke(scores, played),
        "cost": cost(played),
        "shared_cost": cost([dialogue for dialogue in played if dialogue.key.script in shared]),
    }


def _estimate(values: Mapping[str, float]) -> dict[str, float] | None:
    found = stats.bootstrap([values[name] for name in sorted(values)])
    return {name: round(value, 4) for name, value in asdict(found).items()} if found else None


def _invoke(scores: Scores, played: Sequence[Played]) -> dict[str, Any]:
    """Precision and recall over the turns of which the script says it; what memory answered is neither."""
    said, right = list[bool](), list[bool]()
    for dialogue in played:
        for exchange, needed in zip(dialogue.turns, scores.needed.get(str(dialogue.key), ()), strict=False):
            if needed is not None and exchange.by != "memory":
                said.append(exchange.invoked)
                right.append(needed)
    precision, recall = stats.precision_recall(said, right)
    return {"precision": _round(precision), "recall": _round(recall), "turns": len(said)}


def cost(played: Sequence[Played]) -> dict[str, Any]:
    """What turns took: seconds as median and 9th decile, the rest a dialogue or as a share of turns."""
    turns = [exchange for dialogue in played for exchange in dialogue.turns]
    slow = sum(exchange.invoked for exchange in turns)
    count, plays = max(len(turns), 1), max(len(played), 1)
    taken = {"first": [e.first for e in turns], "seconds": [e.seconds for e in turns]}
    deciles = {f"{name}_p{p}": _round(stats.quantile(each, p / 100)) for name, each in taken.items() for p in (50, 90)}
    return {
        "turns": len(turns),
        **deciles,
        "seconds": round(sum(e.seconds for e in turns) / plays, 3),
        "tokens": round(sum(e.tokens for e in turns) / plays, 1),
        "tool_calls": round(sum(len(e.calls) for e in turns) / plays, 3),
        "slow_runs": round(slow / plays, 3),
        "slow_share": round(slow / count, 4),
        "slow_avoided": round(1 - slow / count, 4),
        "from_memory": sum(e.by == "memory" for e in turns),
        "errors": sum(bool(e.error) for e in turns),
    }


def pairs(scores: Scores, names: Sequence[str]) -> list[dict[str, Any]]:
    """Every two systems on the scripts they share; p-values adjusted within a metric (Holm)."""
    found = list[dict[str, Any]]()
    for name in names:
        tests = []
        for first, second in combinations(scores.systems, 2):
            one = stats.paired(scores.by_script(first, name), scores.by_script(second, name))
            if one:
                tests.append({"metric": name, "first": first, "second": second, **_rounded(asdict(one))})
        for test, p in zip(tests, stats.holm([test["p"] for test in tests]), strict=True):
            found.append({**test, "p_adjusted": round(p, 5)})
    return found


def overhead(dialogues: Iterable[Played]) -> float | None:
    """The share of the dialogues' time that the harness took."""
    sound = [d for d in dialogues if not d.fault and d.seconds]
    whole = sum(d.seconds for d in sound)
    return round(1 - sum(d.thinking for d in sound) / whole, 5) if whole else None


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def _rounded(data: Mapping[str, Any]) -> dict[str, Any]:
    return {name: round(value, 5) if isinstance(value, float) else value for name, value in data.items()}
