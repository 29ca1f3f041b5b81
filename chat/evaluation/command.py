"""`evaluate`: runs a suite, makes its report, and what goes with it."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

from chat.faults import ChatFault
from chat.settings import Settings

Given = Mapping[str, Any]
EXAMPLE = Path(__file__).parent / "suites" / "example"


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
        return _run(settings, given, what)
    least, most, act = actions[what]
    if not least <= len(more) <= most:
        count = f"{least} name{'s' if least > 1 else ''}" + (" or more" if most > least else "")
        raise ChatFault(f"`evaluate {what}` takes {count}; see `evaluate --help`.")
    return act(settings, given, *more)


def bases_of(settings: Settings) -> Path:
    """Where the databases of suites are kept: built once a seed."""
    return settings.home / "evaluation" / "bases"


def _init(_: Settings, given: Given, name: str) -> int:
    folder = init(name, Path(given.get("out") or "."))
    print(f"{folder} is a suite to start from: change it, then `evaluate check {folder}` and `evaluate {folder}`.")
    return 0


def init(name: str, out: Path) -> Path:
    """Makes out/name, a small suite that runs, with comments. Raises ChatFault."""
    from chat.evaluation.suite_reader import SUITE

    if not re.fullmatch(r"[A-Za-z0-9][\w.-]*", name):
        raise ChatFault(f"`{name[:60]}` is no name for a suite: use letters, digits, - and _.")
    folder = out / name
    if folder.exists():
        raise ChatFault(f"{folder} is there already: choose another name, or delete it.")
    try:
        shutil.copytree(EXAMPLE, folder, copy_function=shutil.copyfile)
        text = (folder / SUITE).read_text(encoding="utf-8")
        (folder / SUITE).write_text(re.sub(r"(?m)^name: .*$", f"name: {name}", text, count=1), encoding="utf-8")
    except OSError as error:
        raise ChatFault(f"{folder} cannot be written ({error.strerror}): choose another folder with --out.") from error
    return folder


def _check(settings: Settings, _: Given, folder: str) -> int:
    from chat.evaluation.suite_reader import read_suite

    problems = read_suite(Path(folder), bases_of(settings))[1]
    print("\n".join(map(str, problems)) or f"{folder} can be run.")
    return int(bool(problems))


def _report(settings: Settings, given: Given, folder: str) -> int:
    """Programs grade anew; the judge is not asked."""
    from chat.evaluation.folder import RunFolder
    from chat.evaluation.result import Result
    from chat.evaluation.run import by_program

    first = Result.read(Path(folder), bases_of(settings))
    with closing(RunFolder.open(folder, first.folder.config)) as run:
        by_program(first.grading, run)
        return _told(settings, given, first.grading, run, asking=False)


def _diff(settings: Settings, given: Given, first: str, second: str) -> int:
    from chat.evaluation.compared import write_diff
    from chat.evaluation.result import Result

    one, other = (Result.read(Path(path), bases_of(settings)) for path in (first, second))
    file = Path(given.get("out") or Path(second) / "diff.html")
    file = file / "diff.html" if file.is_dir() else file
    print(write_diff(one, other, file))
    print(file)
    return 0


def _pool(settings: Settings, given: Given, *folders: str) -> int:
    from chat.evaluation.compared import write_pool
    from chat.evaluation.result import Result

    results = [Result.read(Path(path), bases_of(settings)) for path in folders]
    print(write_pool(results, Path(given["out"]) if given.get("out") else None))
    return 0


def _grade(settings: Settings, _: Given, folder: str) -> int:
    from chat.evaluation.grading_page import serve

    return serve(Path(folder), bases_of(settings), settings.host, 7861 if settings.port == 7860 else settings.port)


def _run(settings: Settings, given: Given, path: str) -> int:
    from chat.evaluation.folder import RunFolder
    from chat.evaluation.grading import Grading
    from chat.evaluation.result import keep_suite
    from chat.evaluation.run import run

    bases, asking = bases_of(settings), bool(given.get("calibrate"))
    plan = _plan(settings, given, Path(path))
    config = plan.config()
    with closing(RunFolder.open(_out(settings, given, config), config)) as folder:
        keep_suite(plan.suite, folder.path)
        _forewarn(plan, folder, bases, calibrate=asking)
        asyncio.run(run(plan, folder, bases))
        return _told(settings, given, Grading(plan.suite, plan.rubric, bases), folder, asking=asking)


def _plan(settings: Settings, given: Given, path: Path) -> Any:
    from chat.evaluation.rubric import read_rubric
    from chat.evaluation.run import Plan, scripts_of
    from chat.evaluation.suite_reader import load
    from chat.evaluation.systems import named

    suite = load(path, bases_of(settings))
    count = given.get("seeds")
    if count is not None and count < 1:
        raise ChatFault("--seeds must be at least 1.")
    seeds = tuple(range(count)) if count else suite.seeds
    if len(seeds) > 1 and settings.temperature == 0:
        print("At temperature 0 all seeds are alike; add --temperature 0.5 to see them differ.", file=sys.stderr)
    names = [name.strip() for name in str(given.get("systems") or "").split(",") if name.strip()] or suite.systems
    return Plan(
        suite,
        read_rubric(suite.rubric_file),
        named(name.removesuffix(":core") for name in names),
        seeds,
        scripts_of(suite, core=bool(given.get("core")), limit=given.get("limit")),
        settings,
        str(given.get("judge") or ""),
        str(given.get("person") or ""),
        max(1, int(given.get("jobs") or 1)),
        frozenset(name.removesuffix(":core") for name in names if name.endswith(":core")),
    )


def _out(settings: Settings, given: Given, config: Given) -> Path:
    """The same command goes on with the same folder."""
    if given.get("out"):
        return Path(given["out"])
    plain = json.dumps({key: value for key, value in config.items() if key != "about"}, sort_keys=True)
    return settings.home / "evaluation" / f"{config['suite']}-{sha256(plain.encode()).hexdigest()[:8]}"


def _forewarn(plan: Any, folder: Any, bases: Path, *, calibrate: bool) -> None:
    """What the run will ask of models, before it asks."""
    from chat.evaluation.calibration import graded_turns
    from chat.evaluation.expected import expected
    from chat.evaluation.run import played

    done = {key for key, dialogue in played(folder).items() if not dialogue.fault}
    hand_graded = graded_turns(plan.suite, plan.rubric, bases) if calibrate else 0
    print(*expected(plan, done, hand_graded), sep="\n", end="\n", file=sys.stderr)


def _told(settings: Settings, given: Given, grading: Any, run: Any, *, asking: bool) -> int:
    """Sums a run up, into its folder and on the terminal; the exit code. `asking`: the judge grades what people did."""
    from chat.evaluation.result import Result

    asyncio.run(calibrated(settings, grading, run, asking=asking))
    result = Result.read(run.path, grading.bases, grading.suite)
    result.write(Path(given["junit"]) if given.get("junit") else None)
    print("\n".join([*result.lines(), f"{run.path / 'report.html'}"]))
    return _verdict(result, given)


async def calibrated(settings: Settings, grading: Any, run: Any, *, asking: bool) -> None:
    """Holds the grades against those by hand. Not `asking`, only what the run's judge said before counts."""
    from chat.evaluation.calibration import calibrate, graded_by_hand, kept_for
    from chat.evaluation.judge import Judge
    from chat.evaluation.result import CALIBRATION
    from chat.evaluation.run import opened_model

    graded, spec = graded_by_hand(grading.suite, grading.bases), str(run.config.get("judge", ""))
    if graded is None:
        return
    kept = kept_for(settings.home / "evaluation" / "judges", spec, grading.rubric)
    async with opened_model(settings, spec if asking else "") as model:
        judge = Judge(model, graded.suite.about) if model else None
        found = await calibrate(grading, graded, kept, judge)
    (run.path / CALIBRATION).write_text(json.dumps(found, indent=1), encoding="utf-8")


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
