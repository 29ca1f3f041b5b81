"""Reads a suite: suite.yaml, then every dialogue beside it against the database of its seed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from chat.evaluation.marked_yaml import FileFault, Page, Problem, nearest, read_page
from chat.evaluation.references import Base, Scope, bind
from chat.evaluation.rubric import read_rubric
from chat.evaluation.script_words import listed
from chat.evaluation.scripts import SCRIPT_PARTS, SUITE_PARTS, Head, Script, Suite
from chat.faults import ChatFault
from tools.domains import fresh, prepare

SUITE = "suite.yaml"


def load(folder: Path, bases: Path) -> Suite:
    """The suite with every query answered; databases are built under `bases` or used again.

    Raises FileFault with all that is wrong.
    """
    suite, problems = read_suite(folder, bases)
    if suite is None or problems:
        raise FileFault(problems)
    return suite


def read_suite(folder: Path, bases: Path) -> tuple[Suite | None, list[Problem]]:
    """The suite (None where suite.yaml itself cannot be read) and all problems, by file and line."""
    file = folder / SUITE
    if not file.is_file():
        how = "name a suite's folder, or make one with `evaluate init`."
        return None, [Problem(str(file), 1, f"There is no {SUITE} in this folder: {how}")]
    try:
        page = read_page(file, "a suite")
    except FileFault as fault:
        return None, list(fault.problems)
    head, problems = page.filled(Head, SUITE_PARTS)
    if head is None:
        return None, problems
    suite, scripts = Suite(**vars(head), folder=folder, bases=bases), dict[str, Script]()
    with TemporaryDirectory() as scratch:

        @cache
        def base(seed: int) -> Base:
            place = prepare(suite.domain, bases / str(seed), seed)
            return Base(fresh(place, Path(scratch) / str(seed)), suite.domain, suite.now)

        problems += [*_beside(page, suite, base(suite.seed)), *_dialogues(page, suite, base, scripts)]
    problems.sort(key=lambda p: (not p.file.endswith(SUITE), p.file, p.line))
    return replace(suite, dialogues=tuple(scripts.values())), problems


def _beside(page: Page, suite: Suite, base: Base) -> Iterator[Problem]:
    """What suite.yaml names and is not there, or not as it should be."""
    if suite.ids and suite.ids.table not in base.tables:
        yield page.problem(("ids", "table"), base.no("table", suite.ids.table, base.tables))
    try:
        read_rubric(suite.rubric, suite.folder)
    except FileFault as fault:
        yield from fault.problems
    except ChatFault as missing:
        yield page.problem(("rubric",), str(missing))


def _dialogues(page: Page, suite: Suite, base: Callable[[int], Base], scripts: dict[str, Script]) -> Iterator[Problem]:
    """Reads every dialogue; adds to `scripts`, by their files, those that can be read."""
    paths = sorted(p for p in suite.folder.glob("*.y*ml") if p.name not in (SUITE, suite.rubric))
    taken = dict[str, str]()
    if not paths:
        yield page.problem((), "The suite has no dialogue: add a YAML file for each beside it.")
    for path in paths:
        try:
            page = read_page(path, "a dialogue")
        except FileFault as fault:
            yield from fault.problems
            continue
        script, problems = _dialogue(page, suite, base)
        yield from problems
        name = str(page.data.get("id", "")) if isinstance(page.data, dict) else ""
        if name and taken.setdefault(name, path.name) != path.name:
            yield page.problem(("id",), f"The id `{name}` is taken by {taken[name]}: choose another.")
        if script:
            scripts[path.name] = script


def _dialogue(page: Page, suite: Suite, base_of: Callable[[int], Base]) -> tuple[Script | None, list[Problem]]:
    given = page.data if isinstance(page.data, dict) else {}
    said, problems = str(given.get("seed", suite.seed)), list[Problem]()
    base = base_of(int(said) if said.isdecimal() and len(said) < 10 else suite.seed)
    ids = suite.ids if suite.ids and suite.ids.table in base.tables else None
    scope = Scope(base, suite.signs, ids, listed(given.get("absent", [])))
    if given:
        problems += bind(page, scope)
        page = replace(page, data={"seed": str(suite.seed), **given})
    script, wrong = page.filled(Script, SCRIPT_PARTS, scope)
    problems += wrong
    if script and suite.intents and script.intent not in suite.intents:
        there = nearest(script.intent, suite.intents)
        problems.append(page.problem(("intent",), f"`{script.intent}` is not among the suite's intents{there}"))
    for each in script.absent if script else ():
        if ids and base.holds(ids.table, each):
            told = f"{each} is in this database, so it is not `absent`: choose an id that is not there."
            problems.append(page.problem(("absent",), told))
    return script, problems
