"""`evaluate`: makes, checks and plays a suite; and reads runs: reports, comparisons, grades of people."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from chat.evaluation.figures import PROGRAM
from chat.evaluation.folder import RunFolder, read_config
from chat.evaluation.grading import RUBRIC, Grading, by_judge, by_program, calibrated, graded_turns, unjudged
from chat.evaluation.grading_page import serve
from chat.evaluation.judge import Judge
from chat.evaluation.play import Starved
from chat.evaluation.report.pages import write, write_diff, write_pool
from chat.evaluation.result import Result, keep_suite, ungraded
from chat.evaluation.rubric import read_rubric
from chat.evaluation.run import LATER, Plan, calls_told, expected, missing, opened_model, perform, scripts_of
from chat.evaluation.scripts import Suite
from chat.evaluation.suite_reader import SUITE, load, read_suite
from chat.evaluation.systems import named
from chat.faults import ChatFault
from chat.settings import Settings
from minds.models.language import ModelFault

EXAMPLE = Path(__file__).parent / "suites" / "example"
ACTIONS = {"init": (1, 1), "check": (1, 1), "report": (1, 1), "diff": (2, 2), "pool": (2, 99), "grade": (1, 1)}
"""Besides playing a suite: the fewest and the most names that each takes."""


def evaluate(settings: Settings, what: str, more: Sequence[str], given: Mapping[str, Any]) -> int:
    """The exit code: 0, or 1 where something is below `--fail-under`, broke off or is wrong. Raises ChatFault."""
    if what not in ACTIONS and more:
        raise ChatFault(f"`{more[0]}` is too much: `evaluate FOLDER` takes one folder, the rest are flags.")
    what, more, least, most = (what, more, *ACTIONS[what]) if what in ACTIONS else ("run", [what], 1, 1)
    if not least <= len(more) <= most:
        count = f"{least} name{'s' if least > 1 else ''}" + (" or more" if most > least else "")
        raise ChatFault(f"`evaluate {what}` takes {count}; see `evaluate --help`.")
    code: int = getattr(Command(settings, given), what)(*more)
    return code


def init(name: str, out: Path) -> Path:
    """Makes out/name, a small suite that runs, with comments. Raises ChatFault."""
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


@dataclass(frozen=True)
class Command:
    """What was typed; `run` and the methods that are called as one types them give the exit code."""

    settings: Settings
    given: Mapping[str, Any]

    @property
    def bases(self) -> Path:
        """Where the databases of suites are kept: built once a seed."""
        return self.settings.home / "evaluation" / "bases"

    def results(self, *paths: str) -> list[Result]:
        return [Result.read(Path(path), self.bases) for path in paths]

    def init(self, name: str) -> int:
        folder = init(name, Path(self.given.get("out") or "."))
        print(f"{folder} is a suite to start from: change it, then `evaluate check {folder}` and `evaluate {folder}`.")
        return 0

    def check(self, folder: str) -> int:
        problems = read_suite(Path(folder), self.bases)[1]
        print("\n".join(map(str, problems)) or f"{folder} can be run.")
        return int(bool(problems))

    def report(self, folder: str) -> int:
        """Programs grade anew; a judge that is named what it has not graded yet."""
        [first] = self.results(folder)
        judge = str(self.given.get("judge") or "")
        with closing(RunFolder.open(folder, {**first.folder.config, "judge": judge}, LATER)) as kept:
            return self.finish(first.grading, kept, judge)

    def diff(self, first: str, second: str) -> int:
        file = Path(self.given.get("out") or second)
        file = file / "diff.html" if file.is_dir() else file
        one, other = self.results(first, second)
        print(write_diff(one, other, file), file, sep="\n")
        return 0

    def pool(self, *folders: str) -> int:
        print(write_pool(self.results(*folders), Path(self.given["out"]) if self.given.get("out") else None))
        return 0

    def grade(self, folder: str) -> int:
        return serve(Path(folder), self.bases, int(self.given.get("port", 7861)))  # beside the page

    def run(self, suite: str) -> int:
        plan = self.plan(load(Path(suite), self.bases))
        config = plan.config()
        out = self.out(config)
        if Path(suite).resolve() in (out.resolve(), *out.resolve().parents):
            raise ChatFault(f"{out} lies in the suite's folder: name another one with --out.")
        with closing(RunFolder.open(out, config, LATER)) as folder:
            keep_suite(plan.suite, folder.path)
            return self.finish(Grading(plan.suite, plan.rubric), folder, plan.judge, plan)

    def finish(self, grading: Grading, folder: RunFolder, judge: str, plan: Plan | None = None) -> int:
        """Plays what is missing, has it graded and tells what came of it; first, what that will ask of models. Raises
        ChatFault."""
        left = missing(plan, folder) if plan else []
        if plan:
            tell(expected(plan, left))
        if judge:
            tell(
                calls_told("The judge", judge, len(left) * len(grading.rubric.judged) + len(unjudged(grading, folder)))
            )
        if self.asking(grading.suite):
            tell(calls_told("The judge on what people graded", judge, 2 * graded_turns(grading.rubric)))
        try:
            asyncio.run(self.go_on(grading, folder, judge, plan))
        except (ModelFault, Starved) as fault:
            raise ChatFault(f"{fault} What was played is kept in {folder.path}.") from fault
        return self.told(grading, folder)

    async def go_on(self, grading: Grading, folder: RunFolder, judge: str, plan: Plan | None) -> None:
        async with opened_model(self.settings, judge) as model:  # before hours of play, where there is none
            if plan:
                await perform(plan, folder)
            if model:
                await by_judge(Judge(model, grading.suite.desk), unjudged(grading, folder), folder)
        by_program(grading, folder)
        await calibrated(self.settings, grading, folder, asking=self.asking(grading.suite))

    def asking(self, suite: Suite) -> bool:
        """Whether the judge is to grade what people did. Raises ChatFault where it cannot."""
        if self.given.get("calibrate") and not self.given.get("judge"):
            raise ChatFault("--calibrate holds the judge against people's grades: name one with --judge SPEC.")
        if self.given.get("calibrate") and suite.rubric != RUBRIC:
            raise ChatFault(f"--calibrate has people's grades by the rubric `{RUBRIC}` alone: leave it out.")
        return bool(self.given.get("calibrate"))

    def plan(self, suite: Suite) -> Plan:
        """Raises ChatFault."""
        given, settings = self.given, self.settings
        self.asking(suite)
        for flag in ("seeds", "limit"):
            if given.get(flag, 1) < 1:
                raise ChatFault(f"--{flag} must be at least 1.")
        seeds = tuple(range(given["seeds"])) if "seeds" in given else suite.seeds
        if len(seeds) > 1 and settings.temperature == 0:
            print("At temperature 0 all seeds are alike; add --temperature 0.5 to see them differ.", file=sys.stderr)
        scripts = scripts_of(suite, core=bool(given.get("core")), limit=given.get("limit"))
        if not given.get("person") and any(turn.goal for script in scripts for turn in script.turns):
            raise ChatFault("A dialogue has a simulated person: name a model for it with --person SPEC.")
        names = [name.strip() for name in str(given.get("systems") or "").split(",") if name.strip()] or suite.systems
        return Plan(
            suite,
            read_rubric(suite.rubric, suite.folder),
            named(names),
            seeds,
            scripts,
            settings,
            str(given.get("judge") or ""),
            str(given.get("person") or ""),
            max(1, int(given.get("jobs") or 1)),
        )

    def out(self, config: Mapping[str, Any]) -> Path:
        """The same command goes on with the same folder, also with another judge until one has graded."""
        if self.given.get("out"):
            return Path(self.given["out"])
        told = {key: value for key, value in config.items() if key != "about"}
        own, bare = (
            self.settings.home / "evaluation" / f"{config['suite']}-{sha256(plain.encode()).hexdigest()[:8]}"
            for plain in (json.dumps(each, sort_keys=True) for each in (told, {**told, "judge": ""}))
        )
        kept = bare / "config.json"
        judge = read_config(kept).get("judge") if kept.is_file() else ""
        return own if own.exists() or judge not in ("", config["judge"]) else bare

    def told(self, grading: Grading, folder: RunFolder) -> int:
        """Sums up, into the run's folder and on the terminal."""
        result = Result.read(folder.path, grading.suite.bases, grading.suite)
        write(result, Path(self.given["junit"]) if self.given.get("junit") else None)
        print(*result.lines(), folder.path / "report.html", sep="\n")
        wrong = list(_failures(result, self.given.get("fail_under")))
        tell(wrong)
        return int(bool(wrong))


def tell(sentences: Sequence[str]) -> None:
    """On standard error, one a line."""
    print(*sentences, sep="\n", end="\n" * bool(sentences), file=sys.stderr, flush=True)


def _failures(result: Result, least: float | None) -> Iterator[str]:
    """Systems of which a dialogue broke off or lacks a grade, or whose mean decided by program is below what was asked
    for."""
    for name, system in result.figures["systems"].items():
        if system["faults"]:
            why = next(d.fault for d in result.scores.dialogues.values() if d.fault and d.key.system == name)
            yield f"{name}: {system['faults']} dialogues broke off ({why}); start the command again."
        if system["grade_errors"]:
            yield f"{name}: {ungraded(system, result.scores.rubric)}; start the command again."
        found = system["metrics"][PROGRAM]
        if least is not None and (found is None or found["mean"] < least):
            under = f"{found['mean']:.2f} is under {least:g}" if found else "a program graded nothing for --fail-under"
            yield f"{name}: {under}."
