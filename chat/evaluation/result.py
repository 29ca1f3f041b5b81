"""A run's folder, read: its scores and figures, and the files made of them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from chat.evaluation.figures import PAPER, PROGRAM, Scores, figures
from chat.evaluation.folder import RunFolder
from chat.evaluation.grading import CALIBRATION, Grading, by_metric
from chat.evaluation.record import Grade, graded, latest, played
from chat.evaluation.rubric import AS_DATA, Rubric
from chat.evaluation.scripts import Suite
from chat.evaluation.suite_reader import load
from chat.faults import ChatFault

SUITE = "suite"


@dataclass(frozen=True)
class Result:
    """All that a run's folder says."""

    folder: RunFolder
    grading: Grading
    scores: Scores
    figures: Mapping[str, Any]
    calibration: Mapping[str, Any] | None

    @classmethod
    def read(cls, path: Path, bases: Path, suite: Suite | None = None) -> Result:
        """Of a run that may still be under way; its own copy of the suite unless that is given.

        Raises ChatFault where the folder is none.
        """
        config, rubric = _config(path)
        folder, suite = RunFolder(path, config), suite or load(path / SUITE, bases)
        grading = Grading(suite, rubric)
        systems, scripts = config["systems"], [name for name in config["scripts"] if name in grading.scripts]
        known = [d for d in played(folder).values() if d.key.script in scripts and d.key.system in systems]
        known.sort(key=lambda d: (scripts.index(d.key.script), systems.index(d.key.system), d.key.seed))
        dialogues = {str(dialogue.key): dialogue for dialogue in known}
        scores = Scores(grading.rubric, dialogues, latest(graded(folder)))
        kept = path / CALIBRATION
        return cls(folder, grading, scores, figures(scores), json.loads(kept.read_bytes()) if kept.is_file() else None)

    @property
    def suite(self) -> Suite:
        return self.grading.suite

    @property
    def judge(self) -> str:
        """Its spec; empty where there was none."""
        return str(self.folder.config.get("judge") or "")

    @property
    def title(self) -> str:
        return f"{self.suite.name}: {self.scores.rubric.title or self.scores.rubric.name}"

    @property
    def by_hand(self) -> list[Grade]:
        return [grade for grade in self.scores.grades.values() if grade.by == "human" and grade.score is not None]

    @property
    def stray(self) -> str:
        """The one sentence on grades by people that count nowhere; empty where there are none."""
        many = sum(grade.key not in self.scores.dialogues for grade in self.by_hand)
        of = "1 grade by a person is" if many == 1 else f"{many} grades by people are"
        return f"{of} left out: the suite no longer has what was graded." if many else ""

    @property
    def unjudged(self) -> str:
        """The one sentence on what no program grades, where no judge was named; else empty."""
        metrics = [system["metrics"] for system in self.figures["systems"].values()]
        left = [m.title for m in self.scores.rubric.metrics if m.by == "judge" and not any(s[m.name] for s in metrics)]
        told = f"Not graded without a judge: {', '.join(left)}. `evaluate report DIR --judge SPEC` adds it."
        return told if left and not self.judge else ""

    def people(self) -> dict[str, Any]:
        """Agreement of programs and judge with those who graded in this run, whole dialogues and single turns."""
        known, dialogues = self.scores.grades, self.scores.dialogues
        given = [grade for grade in self.by_hand if grade.key in dialogues]
        return by_metric([(grade, self.grading.ours(grade, dialogues[grade.key], known)) for grade in given])

    def lines(self) -> list[str]:
        """A few lines for the terminal."""
        found, rubric = [self.stray] if self.stray else [], self.scores.rubric
        shown = {PAPER: "paper's six", PROGRAM: "by program"}
        if not any(metric.paper for metric in rubric.metrics):
            shown = {metric.name: metric.title for metric in rubric.metrics} | {PROGRAM: "by program"}
        for name, system in self.figures["systems"].items():
            means = [f"{told} {each['mean']:.2f}" for of, told in shown.items() if (each := system["metrics"][of])]
            cost = system["cost"]
            found.append(
                f"{name:16} {', '.join([*means, ''])}{cost['slow_runs']:.1f} slow runs and "
                f"{cost['seconds']:.1f} s a dialogue, {system['dialogues']} dialogues, {system['faults']} broke off"
                + (f", {ungraded(system, rubric)}" if system["grade_errors"] else "")
            )
        return [*found, self.unjudged] if self.unjudged else found


def ungraded(system: Mapping[str, Any], rubric: Rubric) -> str:
    """Of a system's figures: how many grades there should be and are not."""
    return f"{system['grade_errors']} grades could not be given; they count as {min(rubric.scale)}"


def _config(path: Path) -> tuple[dict[str, Any], Rubric]:
    try:
        found: dict[str, Any] = json.loads((path / "config.json").read_bytes())
        return found, AS_DATA.validate_python(found["rubric"])
    except ValidationError as error:
        raise ChatFault(f"`{path}` was graded by a rubric that can no longer be read: play the suite anew.") from error
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ChatFault(f"`{path}` is no folder of an evaluation: name one that `evaluate FOLDER` made.") from error


def keep_suite(suite: Suite, folder: Path) -> None:
    """A copy of the suite goes with the run, so that its report can be made again anywhere."""
    if not (folder / SUITE).is_dir():
        half = folder / f"{SUITE}.new"
        shutil.rmtree(half, ignore_errors=True)
        shutil.copytree(suite.folder, half)
        half.rename(folder / SUITE)
