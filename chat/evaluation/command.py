"""`evaluate`: runs a suite, makes its report, and what goes with it."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from chat.faults import ChatFault
from chat.settings import Settings

Given = Mapping[str, Any]


def evaluate(settings: Settings, what: str, more: Sequence[str], given: Given) -> int:
    """The exit code: 0, or 1 where something is below `--fail-under`, broke off or is wrong. Raises ChatFault."""
    actions: dict[str, tuple[int, int, Callable[..., int]]] = {
        "init": (1, 1, _init),
        "check": (1, 1, _check),
        "report": (1, 1, _report),
        "diff": (2, 2, _diff),
        "pool": (2, 99, _pool),
        "grade": (1, 1, _grade),
    }
    if what not in actions:
        if more:
            raise ChatFault(f"`{more[0]}` is too much: `evaluate FOLDER` takes one folder, the rest are flags.")
        return _run(settings, Path(what), given)
    least, most, act = actions[what]
    if not least <= len(more) <= most:
        count = f"{least} name{'s' if least > 1 else ''}" + (" or more" if most > least else "")
        raise ChatFault(f"`evaluate {what}` takes {count}; see `evaluate --help`.")
    return act(settings, given, *more)


def bases_of(settings: Settings) -> Path:
    """Where the databases of suites are kept: built once a seed."""
    return settings.home / "evaluation" / "bases"


def _init(_: Settings, given: Given, name: str) -> int:
    from chat.evaluation.checking import init

    folder = init(name, Path(given.get("out") or "."))
    print(f"{folder} is a suite to start from: change it, then `evaluate check {folder}` and `evaluate {folder}`.")
    return 0


def _check(_: Settings, __: Given, folder: str) -> int:
    from chat.evaluation.checking import check

    problems = check(Path(folder))
    for problem in problems:
        print(problem)
    if not problems:
        print(f"{folder} can be run.")
    return int(bool(problems))


def _report(settings: Settings, given: Given, folder: str) -> int:
    """Programs grade anew; the judge is not asked."""
    from chat.evaluation.folder import RunFolder
    from chat.evaluation.result import Result
    from chat.evaluation.run import by_program

    path = Path(folder)
    first = Result.read(path, bases_of(settings))
    run = RunFolder.open(path, first.folder.config)
    try:
        by_program(first.grading, run)
        asyncio.run(_calibrate(settings, first.grading, str(first.folder.config.get("judge", "")), path))
        result = Result.read(path, bases_of(settings))
        result.write(Path(given["junit"]) if given.get("junit") else None)
    finally:
        run.close()
    print("\n".join([*result.lines(), f"{path / 'report.html'}"]))
    return _verdict(result, given)


def _diff(settings: Settings, given: Given, first: str, second: str) -> int:
    from chat.evaluation.diff import write_diff
    from chat.evaluation.result import Result

    one, other = (Result.read(Path(path), bases_of(settings)) for path in (first, second))
    file = Path(given.get("out") or Path(second) / "diff.html")
    file = file / "diff.html" if file.is_dir() else file
    print(write_diff(one, other, file))
    print(file)
    return 0


def _pool(settings: Settings, given: Given, *folders: str) -> int:
    from chat.evaluation.pool import write_pool
    from chat.evaluation.result import Result

    results = [Result.read(Path(path), bases_of(settings)) for path in folders]
    print(write_pool(results, Path(given["out"]) if given.get("out") else None))
    return 0


def _grade(settings: Settings, _: Given, folder: str) -> int:
    from chat.evaluation.grading_page import serve

    return serve(Path(folder), bases_of(settings), settings.host, 0 if settings.port == 7860 else settings.port)


def _run(settings: Settings, path: Path, given: Given) -> int:
    from chat.evaluation.folder import RunFolder
    from chat.evaluation.result import Result, keep_suite
    from chat.evaluation.run import run

    bases = bases_of(settings)
    plan = _plan(settings, path, given, bases)
    config = plan.config()
    folder = RunFolder.open(_out(settings, given, plan.suite.name, config), config)
    try:
        keep_suite(plan.suite, folder.path)
        _forewarn(plan, folder, bases, calibrate=bool(given.get("calibrate")))
        asyncio.run(run(plan, folder, bases))
        asyncio.run(_calibrate_run(settings, plan, folder.path, bases, asking=bool(given.get("calibrate"))))
        result = Result.read(folder.path, bases, plan.suite)
        result.write(Path(given["junit"]) if given.get("junit") else None)
    finally:
        folder.close()
    print("\n".join([*result.lines(), f"{folder.path / 'report.html'}"]))
    return _verdict(result, given)


def _forewarn(plan: Any, folder: Any, bases: Path, *, calibrate: bool) -> None:
    """What the run will ask of models, before it asks."""
    from chat.evaluation.expected import expected, graded_turns
    from chat.evaluation.run import played

    done = {key for key, dialogue in played(folder).items() if not dialogue.fault}
    for each in expected(plan, done, graded_turns(plan, bases) if calibrate else 0):
        print(each, file=sys.stderr)


def _plan(settings: Settings, path: Path, given: Given, bases: Path) -> Any:
    from chat.evaluation.rubric import read_rubric
    from chat.evaluation.run import Plan, scripts_of
    from chat.evaluation.suite_reader import load
    from chat.evaluation.systems import named

    suite = load(path, bases)
    asked = [name.strip() for name in str(given.get("systems") or "").split(",") if name.strip()]
    count = given.get("seeds")
    if count is not None and count < 1:
        raise ChatFault("--seeds must be at least 1.")
    seeds = tuple(range(count)) if count else suite.seeds
    if len(seeds) > 1 and settings.temperature == 0:
        print("At temperature 0 all seeds are alike; add --temperature 0.5 to see them differ.", file=sys.stderr)
    names = asked or list(suite.systems)
    scripts = scripts_of(suite, core=bool(given.get("core")), limit=given.get("limit"))
    return Plan(
        suite,
        read_rubric(suite.rubric_file),
        named(name.removesuffix(":core") for name in names),
        seeds,
        scripts,
        settings,
        str(given.get("judge") or ""),
        str(given.get("person") or ""),
        max(1, int(given.get("jobs") or 1)),
        frozenset(name.removesuffix(":core") for name in names if name.endswith(":core")),
    )


def _out(settings: Settings, given: Given, name: str, config: Given) -> Path:
    """The same command goes on with the same folder."""
    if given.get("out"):
        return Path(given["out"])
    plain = json.dumps({key: value for key, value in config.items() if key != "about"}, sort_keys=True)
    return settings.home / "evaluation" / f"{name}-{sha256(plain.encode()).hexdigest()[:8]}"


async def _calibrate(settings: Settings, grading: Any, spec: str, folder: Path, model: Any = None) -> None:
    """Against hand grades: the suite's own, or the project's. Without a model, what its judge said before counts."""
    from dataclasses import replace

    from chat.evaluation.calibration import calibrate, graded_by_hand, kept_for
    from chat.evaluation.judge import Judge
    from chat.evaluation.result import CALIBRATION

    graded = graded_by_hand(grading.suite, grading.bases)
    if graded is None:
        return
    kept = kept_for(settings.home / "evaluation" / "judges", spec, grading.rubric)
    judge = Judge(model, graded.suite.about) if model else None
    found = await calibrate(replace(grading, suite=graded.suite), graded.file, kept, judge)
    (folder / CALIBRATION).write_text(json.dumps(found, indent=1), encoding="utf-8")


async def _calibrate_run(settings: Settings, plan: Any, folder: Path, bases: Path, *, asking: bool) -> None:
    """`asking`: the judge grades what people graded and it did not yet; else only what it once said is counted."""
    from chat.evaluation.grading import Grading
    from chat.evaluation.run import open_for

    model = open_for(plan, plan.judge) if plan.judge and asking else None
    try:
        await _calibrate(settings, Grading(plan.suite, plan.rubric, bases), plan.judge, folder, model)
    finally:
        if model:
            await model.close()


def _verdict(result: Any, given: Given) -> int:
    """1 where a dialogue broke off, or a system's mean decided by program is below what was asked for."""
    from chat.evaluation.figures import PROGRAM

    code = 0
    for name, system in result.figures["systems"].items():
        if system["faults"]:
            print(f"{name}: {system['faults']} dialogues broke off; start the command again.", file=sys.stderr)
            code = 1
        least, found = given.get("fail_under"), system["metrics"][PROGRAM]
        if least is not None and (found is None or found["mean"] < least):
            mean = f"{found['mean']:.2f}" if found else "nothing"
            print(f"{name}: {mean} is under {least:g}.", file=sys.stderr)
            code = 1
    return code
