"""How far the grades can be trusted: agreement with people, and how far the order of the scores moves the judge.

graded.jsonl            {key, turn, metric, score, reason, was}: a person's grade of one turn (0: of the whole dialogue)
graded_dialogues.jsonl  beside it: the dialogues, as in a run's dialogues.jsonl
calibration.jsonl       a judge's grades, kept for later runs: {key, turn, metric, variant, score, error}
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from statistics import fmean
from typing import Any

from chat.evaluation import statistics as stats
from chat.evaluation.folder import RunFolder, progress, save
from chat.evaluation.grading import Grading, program_grade
from chat.evaluation.judge import Judge
from chat.evaluation.record import Grade, Played, from_row
from chat.evaluation.rubric import Rubric

ROWS = "calibration"
HERE = Path(__file__).parent
GRADED = HERE / "hand_graded" / "graded.jsonl"
GRADED_SUITE, RUBRIC = HERE / "suites" / "housing_dev", "duma"
"""What they are of. They say as much of every suite with the same rubric."""
PROMPTS = HERE.parents[1] / "prompts" / "judge"
VARIANTS = ("plain", "backwards")
Variant = tuple[str, int, str, str]
"""Dialogue, turn, metric, and how the judge was asked."""
DECIDERS = ("program", "judge")


@dataclass(frozen=True)
class HandGrade:
    """One grade of a person."""

    key: str
    turn: int
    metric: str
    score: int
    reason: str = ""
    was: int | None = None
    """What was given first, where it was a slip and is corrected."""

    @property
    def of(self) -> Variant:
        """What it is held against."""
        return self.key, self.turn, self.metric, "plain"


def graded_turns(rubric: Rubric) -> int:
    """How many grades of people the judge can be held against, at most."""
    judged = {metric.name for metric in rubric.metrics if metric.by != "program"}
    return sum(grade.metric in judged for grade in read_graded()[0])


def kept_for(judges: Path, spec: str, rubric: Rubric, file: Path = GRADED) -> RunFolder:
    """Where a judge's grades of these dialogues are kept: they cost an hour, and are the same for every suite."""
    judged = [[each.name, each.asks, sorted(each.scores.items())] for each in rubric.metrics if each.by != "program"]
    read = [*sorted(PROMPTS.glob("*.txt")), _dialogues(file)]
    config = {"judge": spec, "metrics": judged, "read": [sha256(each.read_bytes()).hexdigest() for each in read]}
    path = judges / sha256(json.dumps(config, sort_keys=True).encode()).hexdigest()[:12]
    save(path / "config.json", json.dumps(config, indent=1))
    return RunFolder(path, config)


def read_graded(file: Path = GRADED) -> tuple[list[HandGrade], dict[str, Played]]:
    """Grades and the dialogues that they are of."""
    dialogues = map(from_row, _rows(_dialogues(file)))
    return [HandGrade(**row) for row in _rows(file)], {str(dialogue.key): dialogue for dialogue in dialogues}


def _dialogues(file: Path) -> Path:
    return file.with_name("graded_dialogues.jsonl")


def _rows(file: Path) -> Iterator[dict[str, Any]]:
    return map(json.loads, file.read_text(encoding="utf-8").splitlines())


async def calibrate(grading: Grading, folder: RunFolder, judge: Judge | None, file: Path = GRADED) -> dict[str, Any]:
    """Programs are asked anew, they cost nothing; the judge what is not yet in the folder.

    `grading`: of the suite whose dialogues were graded.
    """
    rubric = grading.rubric
    hand, dialogues = read_graded(file)
    hand = [grade for grade in hand if grade.metric in {metric.name for metric in rubric.metrics}]
    cases = {key: grading.case(dialogues[key]) for key in {grade.key for grade in hand}}
    judged, found = list[HandGrade](), dict[Variant, Grade]()
    for grade in hand:
        if grading.for_judge(rubric[grade.metric], cases[grade.key]):
            judged.append(grade)
        else:
            found[grade.of] = program_grade(rubric[grade.metric], cases[grade.key], grade.turn)
    return summed(hand, found | await _judged(rubric, judged, dialogues, folder, judge))


async def _judged(
    rubric: Rubric, hand: Sequence[HandGrade], dialogues: Mapping[str, Played], folder: RunFolder, judge: Judge | None
) -> dict[Variant, Grade]:
    """What the judge gave before, and where there is one, what it gives to the rest."""
    found = dict[Variant, Grade]()
    for row in folder.rows(ROWS):
        if not row["error"]:
            of = (str(row["key"]), int(row["turn"]), str(row["metric"]), str(row["variant"]))
            found[of] = Grade(of[2], row["score"], "judge")
    wanted = [(grade, variant) for variant in VARIANTS for grade in hand if (*grade.of[:3], variant) not in found]
    if judge is None or not wanted:
        return found
    with progress(len(wanted)) as advance:
        for grade, variant in wanted:
            asked = replace(judge, backwards=variant == "backwards")
            given = await asked.grade(rubric[grade.metric], dialogues[grade.key], grade.turn)
            found[*grade.of[:3], variant] = given
            row = {"key": grade.key, "turn": grade.turn, "metric": grade.metric, "variant": variant}
            folder.append(ROWS, {**row, "score": given.score, "error": given.error})
            advance(f"{variant} {grade.key}")
    return found


def summed(hand: Sequence[HandGrade], found: Mapping[Variant, Grade]) -> dict[str, Any]:
    """Kappa and agreement by metric and by who decides; and how far the order of the scores moves the judge."""
    both = [(grade, found[grade.of]) for grade in hand if grade.of in found]
    before = [(grade if grade.was is None else replace(grade, score=grade.was), our) for grade, our in both]
    metrics = dict.fromkeys(grade.metric for grade, _ in both)
    return {
        "turns": len(hand),
        "by": {by: agreed([(g.score, our.score) for g, our in both if our.by == by]) for by in DECIDERS},
        "corrected": sum(grade.was is not None for grade in hand),
        "first": {by: agreed([(g.score, our.score) for g, our in before if our.by == by]) for by in DECIDERS},
        "metrics": {name: agreed([(g.score, our.score) for g, our in both if g.metric == name]) for name in metrics},
        "bias": {"backwards": _moved(found)},
    }


def agreed(both: Sequence[tuple[int, int | None]]) -> dict[str, Any]:
    """People's scores beside ours. What we could not grade is left out of kappa and told beside it."""
    sound = [(score, our) for score, our in both if our is not None]
    kappa = stats.kappa([score for score, _ in sound], [our for _, our in sound])
    return {
        "n": len(both),
        "ungraded": len(both) - len(sound),
        "kappa": None if kappa is None else round(kappa, 3),
        "agreement": round(fmean(score == our for score, our in sound), 3) if sound else None,
    }


def _moved(found: Mapping[Variant, Grade]) -> dict[str, Any]:
    """The judge against itself: the share of equal grades, and the mean shift."""
    pairs = [(grade, found.get((*of[:3], "plain"))) for of, grade in found.items() if of[3] == "backwards"]
    gaps = [b.score - a.score for b, a in pairs if a and a.score is not None and b.score is not None]
    if not gaps:
        return {"n": 0, "same": None, "shift": None}
    return {"n": len(gaps), "same": round(fmean(gap == 0 for gap in gaps), 3), "shift": round(fmean(gaps), 3)}
