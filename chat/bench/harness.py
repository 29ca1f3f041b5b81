"""`bench harness`: what the evaluation itself costs. Ideal minds play the suite: next to nothing is the models'.

`turns_a_minute` is all of it: playing, the database, grading, the report. `overhead` is the share of the dialogues'
time that the harness took beside the conversation; of a run with real models it stands in that run's summary.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from chat.bench import Ask


def run(ask: Ask) -> dict[str, object]:
    """Turns a minute and the harness's share."""
    with TemporaryDirectory() as folder:
        return measure(ask, ask.out or Path(folder))


def measure(ask: Ask, out: Path) -> dict[str, object]:
    from chat.bench.folder import RunFolder
    from chat.bench.perturbed import plan_of
    from chat.evaluation.command import bases_of
    from chat.evaluation.figures import overhead
    from chat.evaluation.ideal import ideal
    from chat.evaluation.result import Result, keep_suite
    from chat.evaluation.run import grade, perform, played
    from chat.evaluation.scripts import base_of

    plan, bases = plan_of(ask, "dual"), bases_of(ask.settings)
    for script in plan.scripts:
        base_of(plan.suite, script, bases)  # built once on a machine, not once a run
    folder = RunFolder.open(out / "harness", plan.config())
    try:
        began = perf_counter()
        asyncio.run(perform(plan, folder, bases, lambda system: system.rig(ideal())))
        performed = perf_counter() - began
        keep_suite(plan.suite, folder.path)
        asyncio.run(grade(plan, folder, bases))
        Result.read(folder.path, bases).write()
        seconds = perf_counter() - began
        dialogues = list(played(folder).values())
    finally:
        folder.close()
    turns = sum(len(dialogue.turns) for dialogue in dialogues)
    return {
        "dialogues": len(dialogues),
        "turns": turns,
        "broke_off": sum(bool(dialogue.fault) for dialogue in dialogues),
        "seconds": round(seconds, 2),
        "played_seconds": round(performed, 2),
        "turns_a_minute": round(turns / seconds * 60),
        "overhead_of_scripted": overhead(dialogues),
        "harness_ms_a_turn": round(1000 * sum(d.seconds - d.thinking for d in dialogues) / max(turns, 1), 2),
    }
