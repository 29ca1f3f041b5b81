"""`bench perturbed`: does the harness notice what is broken? Ideal minds play the suite, then each broken system does.

Each must drop by at least DROP on the metric that it should, in at least SHARE of the dialogues that it touches.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from chat.bench import Ask

if TYPE_CHECKING:
    from chat.evaluation.play import Rig
    from chat.evaluation.record import Grade, Played
    from chat.evaluation.run import Plan

SUITE = Path(__file__).parents[1] / "evaluation" / "suites" / "housing"
DROP, SHARE = 0.5, 0.95


def run(ask: Ask) -> dict[str, object]:
    """What the ideal minds score, and for each broken system the share of touched dialogues that drop."""
    with TemporaryDirectory() as folder:
        return measure(ask, ask.out or Path(folder))


def measure(ask: Ask, out: Path) -> dict[str, object]:
    """Files go to `out`: one run folder a system."""
    from chat.evaluation.perturbed import SHOWN_BY

    base, _ = grades(ask, "dual", out / "ideal")
    figures: dict[str, object] = {"dialogues": len(base), "ideal": means(base)}
    caught = True
    for system, metric in SHOWN_BY.items():
        broken, touched = grades(ask, system, out / system)
        drops = {key: _score(base[key], metric) - _score(broken[key], metric) for key in sorted(touched)}
        for key in (key for key, drop in drops.items() if drop < DROP):
            print(
                f"{system} is not seen in {key}: {_told(base[key], metric)} -> {_told(broken[key], metric)}",
                file=sys.stderr,
            )
        share = sum(drop >= DROP for drop in drops.values()) / len(drops) if drops else 0.0
        figures[system] = {"metric": metric, "touched": len(drops), "caught": round(share, 4)}
        caught = caught and share >= SHARE
    return {**figures, "all_caught": caught}


def grades(ask: Ask, system: str, folder: Path) -> tuple[dict[str, dict[str, Grade]], set[str]]:
    """Script -> metric -> grade, and the scripts that the system's fault touched."""
    from chat.evaluation.command import bases_of
    from chat.evaluation.folder import RunFolder
    from chat.evaluation.grading import Grading
    from chat.evaluation.run import perform, played

    plan, bases = plan_of(ask, system), bases_of(ask.settings)
    made: list[Rig] = []

    def rig(chosen: Any) -> Any:
        from chat.bench.ideal import ideal
        from chat.evaluation.perturbed import rigged

        put = rigged(chosen, ideal())
        assert put is not None
        made.append(put)
        return put

    run_folder = RunFolder.open(folder, plan.config())
    try:
        asyncio.run(perform(plan, run_folder, bases, rig))
        grading, dialogues = Grading(plan.suite, plan.rubric, bases), played(run_folder).values()
        found = {d.key.script: _by_metric(grading, d) for d in dialogues}
    finally:
        run_folder.close()
    return found, {key.split("|")[0] for each in made for key in each.touched}


def _by_metric(grading: Any, dialogue: Played) -> dict[str, Grade]:
    return {grade.metric: grade for grade in grading.by_program(dialogue)}


def plan_of(ask: Ask, system: str) -> Plan:
    """One system on the suite, once."""
    from chat.evaluation.command import bases_of
    from chat.evaluation.rubric import read_rubric
    from chat.evaluation.run import Plan, scripts_of
    from chat.evaluation.suite_reader import load
    from chat.evaluation.systems import named

    suite = load(ask.data or SUITE, bases_of(ask.settings))
    scripts = scripts_of(suite, core=False, limit=ask.limit)
    return Plan(suite, read_rubric(suite.rubric), named([system]), (0,), scripts, ask.settings)


def _score(found: Mapping[str, Grade], metric: str) -> float:
    """Where a metric does not apply, nothing was done wrong. What cannot be graded is no success."""
    grade = found.get(metric)
    if grade is None or (grade.score is None and not grade.error):
        return 2.0
    return float(grade.score or 0)


def _told(found: Mapping[str, Grade], metric: str) -> str:
    grade = found.get(metric)
    return "-" if grade is None else f"{grade.score} ({grade.error or grade.reason})"


def means(found: Mapping[str, Mapping[str, Grade]]) -> dict[str, float]:
    """Of each metric over the dialogues to which it applies."""
    names = sorted({name for grades in found.values() for name in grades})
    scores = {name: [g.score for f in found.values() if (g := f.get(name)) and g.score is not None] for name in names}
    return {name: round(sum(each) / len(each), 3) for name, each in scores.items() if each}
