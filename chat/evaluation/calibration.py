"""How far the grades can be trusted: agreement with people, and what the judge should not look at but might.

graded.jsonl            {key, turn, metric, score, reason, was}: a person's grade of one turn (0: of the whole dialogue)
graded_dialogues.jsonl  beside it: the dialogues, as in a run's dialogues.jsonl
calibration.jsonl       a judge's grades, kept for later runs: {key, turn, metric, variant, by, score, error, read}
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from statistics import fmean
from typing import Any, TypeVar

from pydantic import TypeAdapter

from chat.evaluation import statistics as stats
from chat.evaluation.folder import Progress, RunFolder
from chat.evaluation.grading import Grading, program_grade
from chat.evaluation.judge import Judge
from chat.evaluation.record import Grade, Played, from_row
from chat.evaluation.rubric import Rubric
from chat.evaluation.scripts import Suite
from chat.evaluation.suite_reader import load
from chat.faults import ChatFault

ROWS = "calibration"
T = TypeVar("T")
OWN = Path(__file__).parent / "hand_graded" / "graded.jsonl"
"""The project's own hand grades."""
OWN_SUITE, RUBRIC = Path(__file__).parent / "suites" / "housing_dev", "duma"
"""What they are of."""
PROMPTS = Path(__file__).parents[2] / "prompts" / "judge"
PADDING = (
    "Thank you very much for your message, which I have read with care.",
    "As always, it is my pleasure to be of help to you with this today.",
    "Please take all the time that you need to think it over in peace.",
)
"""What says nothing: with it around a reply, the grade should stay what it was."""
VARIANTS = ("plain", "backwards", "padded")
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
    """What the person gave first, where it was a slip and is corrected."""

    @property
    def first(self) -> int:
        return self.score if self.was is None else self.was

    @property
    def of(self) -> Variant:
        """What it is held against."""
        return self.key, self.turn, self.metric, "plain"


@dataclass(frozen=True)
class Graded:
    """Hand grades, and the suite whose dialogues they are of."""

    file: Path
    suite: Suite


def graded_by_hand(suite: Suite, bases: Path) -> Graded | None:
    """A suite's own hand grades; or the project's, which say as much of every suite with the same rubric.

    None for a rubric that nobody graded with. Raises ChatFault.
    """
    own = suite.folder / "graded.jsonl"
    if own.is_file():
        return Graded(own, suite)
    if str(suite.rubric) != RUBRIC or not OWN.is_file():
        return None
    same = suite.folder.resolve() == OWN_SUITE.resolve()
    return Graded(OWN, suite if same else load(OWN_SUITE, bases))


def graded_turns(suite: Suite, rubric: Rubric, bases: Path) -> int:
    """How many grades of people the judge can be held against, at most. Raises ChatFault."""
    graded = graded_by_hand(suite, bases)
    judged = {metric.name for metric in rubric.metrics if metric.by != "program"}
    return sum(grade.metric in judged for grade in read_graded(graded.file)[0]) if graded else 0


def kept_for(judges: Path, spec: str, rubric: Rubric) -> RunFolder:
    """Where a judge's grades of these turns are kept: they cost an hour, and are the same for every suite."""
    judged = [[each.name, each.asks, sorted(each.scores.items())] for each in rubric.metrics if each.by != "program"]
    prompts = b"\0".join(file.read_bytes() for file in sorted(PROMPTS.glob("*.txt")))
    config = {"judge": spec, "metrics": judged, "prompts": sha256(prompts).hexdigest()}
    path = judges / sha256(json.dumps(config, sort_keys=True).encode()).hexdigest()[:12]
    path.mkdir(parents=True, exist_ok=True)
    (path / "config.json").write_text(json.dumps(config, indent=1), encoding="utf-8")
    return RunFolder(path, config)


def _read_by_judge(grade: HandGrade, dialogue: Played) -> str:
    """What a kept grade rests on: another dialogue under the same key is graded anew."""
    turns = (dialogue.upto(grade.turn) if grade.turn else dialogue).turns
    return sha256("\0".join(f"{turn.said}\0{turn.reply}" for turn in turns).encode()).hexdigest()[:16]


def read_graded(file: Path) -> tuple[list[HandGrade], dict[str, Played]]:
    """Grades and the dialogues that they are of. Raises ChatFault with the line that is wrong."""
    grades = list(_read(file, TypeAdapter(HandGrade).validate_python))
    dialogues = {str(d.key): d for d in _read(file.with_name("graded_dialogues.jsonl"), from_row)}
    if lost := next((grade.key for grade in grades if grade.key not in dialogues), None):
        raise ChatFault(f"{file.name} grades `{lost}`, which is not in graded_dialogues.jsonl beside it: add it.")
    return grades, dialogues


def _read(file: Path, read: Callable[[Mapping[str, Any]], T]) -> Iterator[T]:
    """Raises ChatFault."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        told = f"{file} cannot be read ({error.strerror}): hand grades stand beside their dialogues."
        raise ChatFault(told) from error
    for number, line in enumerate(lines, 1):
        try:
            if line.strip():
                yield read(json.loads(line))
        except (ValueError, KeyError, TypeError) as error:
            told = f"this line is not of its kind ({' '.join(str(error).split())[:160]}): mend or delete it."
            raise ChatFault(f"{file.name}:{number}: {told}") from error


def padded(reply: str) -> str:
    """The same reply among words that say nothing."""
    return f"{PADDING[0]} {PADDING[1]} {reply} {PADDING[2]}" if reply.strip() else reply


async def calibrate(grading: Grading, graded: Graded, folder: RunFolder, judge: Judge | None) -> dict[str, Any]:
    """Programs are asked anew, they cost nothing; the judge what is not yet in the folder. Raises ChatFault."""
    grading, rubric = replace(grading, suite=graded.suite), grading.rubric
    hand, dialogues = read_graded(graded.file)
    known = {script.id for script in graded.suite.dialogues}
    if lost := next((d.key.script for d in dialogues.values() if d.key.script not in known), None):
        file = graded.file.name
        raise ChatFault(f"{file} grades dialogues of `{lost}`, which is no script of its suite: leave them out.")
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
    read = {grade.of[:3]: _read_by_judge(grade, dialogues[grade.key]) for grade in hand}
    found = dict[Variant, Grade]()
    for row in folder.rows(ROWS):
        of = (str(row["key"]), int(row["turn"]), str(row["metric"]), str(row["variant"]))
        if row["read"] == read.get(of[:3]) and not row["error"]:
            found[of] = Grade(of[2], row["score"], "judge")
    wanted = [(grade, variant) for variant in VARIANTS for grade in hand if (*grade.of[:3], variant) not in found]
    if judge is None or not wanted:
        return found
    with closing(Progress(len(wanted))) as progress:
        for grade, variant in wanted:
            asked = replace(judge, backwards=variant == "backwards", reworded=padded if variant == "padded" else None)
            given = await asked.tried(rubric[grade.metric], dialogues[grade.key], grade.turn)
            found[*grade.of[:3], variant] = given
            row = {"key": grade.key, "turn": grade.turn, "metric": grade.metric, "variant": variant}
            answer = {"by": "judge", "score": given.score, "error": given.error}
            folder.append(ROWS, {**row, **answer, "read": read[grade.of[:3]]})
            progress.advance(f"{variant} {grade.key}")
    return found


def summed(hand: Sequence[HandGrade], found: Mapping[Variant, Grade]) -> dict[str, Any]:
    """Kappa and agreement by metric and by who decides; and how far order and length move the judge."""
    both = [(grade, found[grade.of]) for grade in hand if grade.of in found]
    metrics = dict.fromkeys(grade.metric for grade, _ in both)
    return {
        "turns": len(hand),
        "by": {by: agreed([(g.score, our.score) for g, our in both if our.by == by]) for by in DECIDERS},
        "corrected": sum(grade.was is not None for grade in hand),
        "first": {by: agreed([(g.first, our.score) for g, our in both if our.by == by]) for by in DECIDERS},
        "metrics": {name: agreed([(g.score, our.score) for g, our in both if g.metric == name]) for name in metrics},
        "bias": {name: _moved(found, name) for name in VARIANTS[1:]},
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


def _moved(found: Mapping[Variant, Grade], variant: str) -> dict[str, Any]:
    """The judge against itself: the share of equal grades, and the mean shift."""
    gaps = [
        grade.score - plain.score
        for of, grade in found.items()
        if of[3] == variant and (plain := found.get((*of[:3], "plain")))
        if grade.score is not None and plain.score is not None
    ]
    if not gaps:
        return {"n": 0, "same": None, "shift": None}
    return {"n": len(gaps), "same": round(fmean(gap == 0 for gap in gaps), 3), "shift": round(fmean(gaps), 3)}
