"""`bench harness`: what the evaluation itself costs. Ideal minds play the suite: next to nothing is the models'.

`turns_a_minute` is all of it: playing, the database, grading, the report; `turns_a_cpu_minute` the same by the
processor's time, for a machine that has other work. `overhead` is the share of the dialogues'
time that the harness took beside the conversation; of a run with real models it stands in that run's summary.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import TYPE_CHECKING

from chat.bench import Ask

if TYPE_CHECKING:
    from chat.evaluation.record import Played
    from chat.evaluation.run import Plan


def run(ask: Ask) -> dict[str, object]:
    """Turns a minute and the harness's share."""
    with TemporaryDirectory() as folder:
        return measure(ask, ask.out or Path(folder))


def measure(ask: Ask, out: Path) -> dict[str, object]:
    """The run's folder is out/harness."""
    from chat.bench.perturbed import plan_of
    from chat.evaluation.command import bases_of
    from chat.evaluation.figures import overhead
    from chat.evaluation.scripts import base_of

    plan, bases = plan_of(ask, "dual"), bases_of(ask.settings)
    for script in plan.scripts:
        base_of(plan.suite, script, bases)  # built once on a machine, not once a run
    with TemporaryDirectory() as first:  # what is imported late is imported once a process
        _play(replace(plan, scripts=plan.scripts[:1]), Path(first), bases)
    began, computed = perf_counter(), process_time()
    dialogues = _play(plan, out / "harness", bases)
    seconds, cpu = perf_counter() - began, process_time() - computed
    turns = sum(len(dialogue.turns) for dialogue in dialogues)
    return {
        "dialogues": len(dialogues),
        "turns": turns,
        "broke_off": sum(bool(dialogue.fault) for dialogue in dialogues),
        "seconds": round(seconds, 2),
        "cpu_seconds": round(cpu, 2),
        "turns_a_minute": round(turns / seconds * 60),
        "turns_a_cpu_minute": round(turns / cpu * 60),
        "overhead_of_scripted": overhead(dialogues),
        "harness_ms_a_turn": round(1000 * sum(d.seconds - d.thinking for d in dialogues) / max(turns, 1), 2),
    }


def _play(plan: Plan, path: Path, bases: Path) -> list[Played]:
    """A whole run: played, graded, summed up."""
    from chat.bench.ideal import ideal
    from chat.evaluation.folder import RunFolder
    from chat.evaluation.perturbed import rigged
    from chat.evaluation.result import Result, keep_suite
    from chat.evaluation.run import grade, perform, played

    folder = RunFolder.open(path, plan.config())
    try:
        asyncio.run(perform(plan, folder, bases, lambda system: rigged(system, ideal())))
        keep_suite(plan.suite, folder.path)
        asyncio.run(grade(plan, folder, bases))
        Result.read(folder.path, bases, plan.suite).write()
        return list(played(folder).values())
    finally:
        folder.close()
