"""Grades a dialogue: every metric of the rubric, by the one who decides it; a row for every grade that is new.

A grade of a person stands over the program's and the judge's, which are kept beside it: their agreement is a figure.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from chat.evaluation.folder import RunFolder, progress
from chat.evaluation.graders import GRADERS
from chat.evaluation.graders.case import Case, fold
from chat.evaluation.graders.facts import open_to_judge
from chat.evaluation.judge import Judge
from chat.evaluation.record import GRADES, At, Grade, Played, graded, latest, played
from chat.evaluation.rubric import Metric, Rubric
from chat.evaluation.scripts import Script, Suite, base_of

Asked = tuple[Metric, Played, int]
"""What a judge is to grade: of a metric, a dialogue or one of its turns."""


@dataclass(frozen=True)
class Grading:
    """What is graded with which rubric."""

    suite: Suite
    rubric: Rubric
    bases: Path

    @property
    def scripts(self) -> dict[str, Script]:
        return {script.id: script for script in self.suite.dialogues}

    def case(self, dialogue: Played) -> Case:
        """Raises KeyError where the suite has no such script any more."""
        script = self.scripts[dialogue.key.script]
        return Case(self.suite, script, dialogue, base_of(self.suite, script, self.bases))

    def by_program(self, dialogue: Played, known: Container[At] = ()) -> Iterator[Grade]:
        """One grade for each metric that a program decides here; of a score None where it does not apply.

        `known`: a program's grade from before the dialogue was played again is taken back where the judge decides now.
        """
        case = self.case(dialogue)
        for metric in self.rubric.metrics:
            none = Grade(metric.name, None, "program", key=str(dialogue.key))
            if not for_judge(metric, case):
                yield program_grade(metric, case)
            elif none.at in known:
                yield none

    def ours(self, given: Grade, dialogue: Played, known: Mapping[At, Grade]) -> Grade | None:
        """What stands beside a person's grade: the program's, or the judge's where it is among those that are known."""
        metric, case = self.rubric[given.metric], self.case(dialogue)
        if for_judge(metric, case):
            return known.get((given.key, given.metric, "judge", given.of))
        return program_grade(metric, case, given.of)


def for_judge(metric: Metric, case: Case) -> bool:
    """Whether the judge is to decide this metric here."""
    if metric.by == "program, else judge":
        return not GRADERS[metric.program](case).items and open_to_judge(case)
    return metric.by == "judge"


def program_grade(metric: Metric, case: Case, of: int = 0) -> Grade:
    """Of the dialogue or one of its turns. One that broke off has none: an error where its script expects something of
    the metric, which elsewhere does not apply."""
    key, grader = str(case.played.key), GRADERS[metric.program]
    if case.played.fault:
        error = f"the dialogue broke off: {case.played.fault}" if grader(case.unanswered()).items else ""
        return Grade(metric.name, None, "program", error=error, key=key, of=of)
    score, reason, item = fold(grader(case), of)
    quote, turn = (item.quote, item.turn) if item else ("", of)
    return Grade(metric.name, score, "program", reason, quote, turn, key=key, of=of)


def by_program(grading: Grading, folder: RunFolder) -> None:
    """Programs grade everything anew that the suite still has, which costs nothing: a row for every grade that is new
    or has changed."""
    known = latest(graded(folder))
    there = [dialogue for dialogue in played(folder).values() if dialogue.key.script in grading.scripts]
    for found in (grade for dialogue in there for grade in grading.by_program(dialogue, known)):
        if known.get(found.at) != found:
            folder.append(GRADES, asdict(found))


async def by_judge(judge: Judge, wanted: Sequence[Asked], folder: RunFolder) -> None:
    """A row for every grade that is missing or was an error."""
    known = {at for at, grade in latest(graded(folder)).items() if not grade.error}
    left = [(metric, d, of) for metric, d, of in wanted if (str(d.key), metric.name, judge.by, of) not in known]
    if not left:
        return
    with progress(len(left)) as advance:
        for metric, dialogue, of in left:
            folder.append(GRADES, asdict(await judge.grade(metric, dialogue, of)))
            advance(f"{judge.by}: {dialogue.key}")
