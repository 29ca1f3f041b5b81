"""Grades a dialogue: every metric of the rubric, by the one who decides it; the latest grade where there are several.

A grade of a person stands over the program's and the judge's, which are kept beside it: their agreement is a figure.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from chat.evaluation.graders import GRADERS
from chat.evaluation.graders.case import Case, fold
from chat.evaluation.graders.facts import open_to_judge
from chat.evaluation.record import GRADE, Grade, Played
from chat.evaluation.rubric import Metric, Rubric
from chat.evaluation.scripts import Suite, base_of


@dataclass(frozen=True)
class Grading:
    """What is graded with which rubric."""

    suite: Suite
    rubric: Rubric
    bases: Path

    def case(self, played: Played) -> Case:
        """Raises KeyError where the suite has no such script any more."""
        script = {script.id: script for script in self.suite.dialogues}[played.key.script]
        return Case(self.suite, script, played, base_of(self.suite, script, self.bases))

    def by_program(self, played: Played) -> Iterator[Grade]:
        """One grade for each metric that a program decides here; of a score None where it does not apply."""
        case = self.case(played)
        for metric in self.rubric.metrics:
            if metric.program and not self.for_judge(metric, case):
                yield program_grade(metric, case)

    def for_judge(self, metric: Metric, case: Case) -> bool:
        """Whether the judge is to decide this metric here."""
        if metric.by == "program":
            return False
        if metric.by == "judge":
            return True
        return not GRADERS[metric.program](case).items and open_to_judge(case)


def program_grade(metric: Metric, case: Case, turn: int = 0) -> Grade:
    """Of the dialogue or one of its turns. A dialogue that broke off has none."""
    if case.played.fault:
        return Grade(metric.name, None, "program", error=f"the dialogue broke off: {case.played.fault}")
    score, reason, item = fold(GRADERS[metric.program](case), turn)
    return Grade(metric.name, score, "program", reason, item.quote if item else "", item.turn if item else turn)


def grade_row(key: str, grade: Grade, turn: int = 0) -> dict[str, Any]:
    """One JSON line; `of` is the turn graded, 0 for the whole dialogue."""
    return {"key": key, "of": turn, **asdict(grade)}


def latest(rows: Iterable[Mapping[str, Any]]) -> dict[tuple[str, str, str], Grade]:
    """(dialogue, metric, decider) -> the last grade of whole dialogues."""
    found: dict[tuple[str, str, str], Grade] = {}
    for row in rows:
        if not row.get("of"):
            found[str(row["key"]), str(row["metric"]), str(row["by"])] = GRADE.validate_python(row)
    return found
