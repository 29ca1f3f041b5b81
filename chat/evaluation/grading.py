"""Grades a dialogue: every metric of the rubric, by the one who decides it; a row for every grade that is new. And how
far grades can be trusted: agreement with people, and how far the order of the scores moves the judge.

A grade of a person stands over the program's and the judge's, which are kept beside it: their agreement is a figure.
hand_graded/ has dialogues and people's grades of them, as a run's folder has. What a judge gives to them is kept for
later runs, in a folder of its own.
"""

from __future__ import annotations

import json
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from pathlib import Path
from statistics import fmean
from typing import Any

from chat.evaluation import statistics as stats
from chat.evaluation.folder import RunFolder, progress, save_json
from chat.evaluation.graders import GRADERS
from chat.evaluation.graders.case import Case, fold
from chat.evaluation.graders.facts import open_to_judge
from chat.evaluation.judge import Judge
from chat.evaluation.record import GRADES, At, Decider, Grade, Played, graded, latest, played
from chat.evaluation.rubric import Metric, Rubric
from chat.evaluation.run import opened_model
from chat.evaluation.scripts import Script, Suite
from chat.evaluation.suite_reader import load
from chat.settings import Settings

HERE = Path(__file__).parent
HAND = RunFolder(HERE / "hand_graded", {})
CALIBRATION = "calibration.json"
GRADED_SUITE, RUBRIC = HERE / "suites" / "housing_dev", "duma"
"""What they are of. They say as much of every suite with the same rubric."""
PROMPTS = HERE.parents[1] / "prompts" / "judge"
Pairs = Sequence[tuple[Grade, Grade | None]]
"""People's grades, each with ours where there is one."""
Asked = tuple[Metric, Played, int]
"""What a judge is to grade: of a metric, a dialogue or one of its turns."""


@dataclass(frozen=True)
class Grading:
    """What is graded with which rubric."""

    suite: Suite
    rubric: Rubric

    @property
    def scripts(self) -> dict[str, Script]:
        return {script.id: script for script in self.suite.dialogues}

    def case(self, dialogue: Played) -> Case:
        """Raises KeyError where the suite has no such script any more."""
        return Case(self.suite, self.scripts[dialogue.key.script], dialogue)

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


def left_to(by: Decider, wanted: Sequence[Asked], folder: RunFolder) -> list[Asked]:
    """Those whose grade is missing or was an error."""
    known = {at for at, grade in latest(graded(folder)).items() if not grade.error}
    return [(metric, d, of) for metric, d, of in wanted if (str(d.key), metric.name, by, of) not in known]


def unjudged(grading: Grading, folder: RunFolder) -> list[Asked]:
    """What a judge is to decide of all that was played, and has not graded yet."""
    there = [d for d in played(folder).values() if not d.fault and d.key.script in grading.scripts]
    cases = map(grading.case, there)
    return left_to(
        "judge", [(m, c.played, 0) for c in cases for m in grading.rubric.metrics if for_judge(m, c)], folder
    )


async def by_judge(judge: Judge, wanted: Sequence[Asked], folder: RunFolder) -> None:
    """A row for every grade that is wanted; with the first one the run's judge is settled."""
    if not wanted:
        return
    with progress(len(wanted)) as advance:
        for metric, dialogue, of in wanted:
            grade = await judge.grade(metric, dialogue, of)
            if not grade.error:
                folder.settle()
            folder.append(GRADES, asdict(grade))
            advance(f"{judge.by}: {dialogue.key}")


# -- how far grades can be trusted


def graded_turns(rubric: Rubric) -> int:
    """How many grades of people the judge can be held against, at most."""
    judged = {metric.name for metric in rubric.judged}
    return sum(grade.metric in judged for grade in latest(graded(HAND)).values())


def kept_for(judges: Path, spec: str, rubric: Rubric, hand: RunFolder = HAND) -> RunFolder:
    """Where a judge's grades of these dialogues are kept: they cost an hour, and are the same for every suite."""
    judged = [[each.name, each.asks, sorted(each.scores.items())] for each in rubric.judged]
    read = [*sorted(PROMPTS.glob("*.txt")), hand.path / "dialogues.jsonl"]
    config = {"judge": spec, "metrics": judged, "read": [sha256(each.read_bytes()).hexdigest() for each in read]}
    path = judges / sha256(json.dumps(config, sort_keys=True).encode()).hexdigest()[:12]
    save_json(path / "config.json", config)
    return RunFolder(path, config)


async def calibrated(settings: Settings, grading: Grading, run: RunFolder, *, asking: bool) -> None:
    """Holds the grades against those by hand, which are all by one rubric. Not `asking`, only what the run's judge said
    before counts."""
    if grading.suite.rubric != RUBRIC:
        return
    suite, spec = load(GRADED_SUITE, grading.suite.bases), str(run.config.get("judge", ""))
    kept = kept_for(settings.home / "evaluation" / "judges", spec, grading.rubric)
    if not asking and not graded(kept) and (run.path / CALIBRATION).is_file():
        return  # its judge was held against people where it was played
    async with opened_model(settings, spec if asking else "") as model:
        judge = Judge(model, suite.desk) if model else None
        found = await calibrate(replace(grading, suite=suite), kept, judge)
    save_json(run.path / CALIBRATION, found)


async def calibrate(grading: Grading, kept: RunFolder, judge: Judge | None, hand: RunFolder = HAND) -> dict[str, Any]:
    """Programs are asked anew, they cost nothing; the judge what is not yet kept, with the scores in either order.

    `grading`: of the suite whose dialogues were graded.
    """
    rubric, dialogues = grading.rubric, played(hand)
    given = [grade for grade in graded(hand) if grade.metric in {metric.name for metric in rubric.metrics}]
    last = latest(given).values()
    asked = [(rubric[each.metric], dialogues[each.key], each.of) for each in last]
    wanted = [each for each in asked if for_judge(each[0], grading.case(each[1]))]
    for one in (judge, replace(judge, by="backwards")) if judge else ():
        await by_judge(one, left_to(one.by, wanted, kept), kept)
    known = latest(graded(kept))
    return summed(given, {each.at: grading.ours(each, dialogues[each.key], known) for each in last}, known)


def summed(given: Sequence[Grade], ours: Mapping[At, Grade | None], judged: Mapping[At, Grade]) -> dict[str, Any]:
    """Kappa and agreement by metric and by who decides; and how far the order of the scores moves the judge.

    `given`: by people, the oldest first; where there are two of a turn, the first was a slip. `ours`: by theirs.
    """
    last, first = latest(given), latest(reversed(given))
    both = [(grade, our) for at, grade in last.items() if (our := ours[at])]
    before = [(first[grade.at], our) for grade, our in both]
    return {
        "turns": len(last),
        "by": {by: agreed([(g, our) for g, our in both if our.by == by]) for by in ("program", "judge")},
        "corrected": len(given) - len(last),
        "first": {by: agreed([(g, our) for g, our in before if our.by == by]) for by in ("program", "judge")},
        "metrics": by_metric(both),
        "bias": {"backwards": _moved(judged)},
    }


def by_metric(both: Pairs) -> dict[str, Any]:
    """Their agreement, metric by metric."""
    metrics = dict.fromkeys(grade.metric for grade, _ in both)
    return {name: agreed([pair for pair in both if pair[0].metric == name]) for name in metrics}


def agreed(both: Pairs) -> dict[str, Any]:
    """People's scores beside ours. What we could not grade is left out of kappa and told beside it."""
    sound = [(g.score, our.score) for g, our in both if our and g.score is not None and our.score is not None]
    kappa = stats.kappa([score for score, _ in sound], [our for _, our in sound])
    return {
        "n": len(both),
        "ungraded": len(both) - len(sound),
        "kappa": None if kappa is None else round(kappa, 3),
        "agreement": round(fmean(score == our for score, our in sound), 3) if sound else None,
    }


def _moved(judged: Mapping[At, Grade]) -> dict[str, Any]:
    """The judge against itself: the share of equal grades, and the mean shift."""
    back = [grade for grade in judged.values() if grade.by == "backwards" and grade.score is not None]
    both = [(grade.score or 0, judged.get(replace(grade, by="judge").at)) for grade in back]
    gaps = [score - plain.score for score, plain in both if plain and plain.score is not None]
    same, shift = (round(fmean(each), 3) if gaps else None for each in ([gap == 0 for gap in gaps], gaps))
    return {"n": len(gaps), "same": same, "shift": shift}
