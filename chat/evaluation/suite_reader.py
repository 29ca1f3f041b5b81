"""Reads a suite: suite.yaml, then every dialogue beside it against the database of its seed."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from chat.evaluation.marked_yaml import FileFault, Page, Problem, nearest, read_page
from chat.evaluation.queries import bind
from chat.evaluation.references import Base, Scope
from chat.evaluation.rubric import read_rubric
from chat.evaluation.script_words import Known
from chat.evaluation.scripts import SCRIPT_PARTS, SUITE_PARTS, Script, Suite
from chat.faults import ChatFault

SUITE = "suite.yaml"


@dataclass
class Reading:
    """A suite while it is read: databases are opened once a seed."""

    suite: Suite
    bases: Path
    scratch: Path
    opened: dict[int, Base] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def base(self, seed: int) -> Base:
        from tools.domains import fresh, prepare

        if seed not in self.opened:
            place = prepare(self.suite.domain, self.bases / str(seed), seed)
            self.opened[seed] = Base(fresh(place, self.scratch / str(seed)), self.suite.domain, self.suite.now)
        return self.opened[seed]


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
    suite, problems = page.filled(Suite, SUITE_PARTS, folder=folder)
    if suite:
        with TemporaryDirectory() as scratch:
            reading = Reading(suite, bases, Path(scratch))
            reading.problems += problems + _beside(page, suite, reading)
            suite = replace(suite, dialogues=_dialogues(page, reading))
        problems = reading.problems
    return suite, sorted(problems, key=lambda p: (not p.file.endswith(SUITE), p.file, p.line))


def _beside(page: Page, suite: Suite, reading: Reading) -> list[Problem]:
    """What suite.yaml names and is not there, or not as it should be."""
    found = []
    if suite.ids and suite.ids.table not in (tables := reading.base(suite.seed).tables):
        there = nearest(suite.ids.table, tables)
        sentence = f"There is no table `{suite.ids.table}` in the domain `{suite.domain}`{there}"
        found.append(page.problem(("ids", "table"), sentence))
    try:
        read_rubric(suite.rubric_file)
    except FileFault as fault:
        found += fault.problems
    except ChatFault as missing:
        found.append(page.problem(("rubric",), str(missing)))
    return found


def _dialogues(page: Page, reading: Reading) -> tuple[Script, ...]:
    suite = reading.suite
    paths = sorted(p for p in suite.folder.glob("*.y*ml") if p.name not in (SUITE, suite.rubric))
    if not paths:
        sentence = "The suite has no dialogue: add a YAML file for each beside it."
        reading.problems.append(page.problem((), sentence))
    taken: dict[str, str] = {}
    found = [_script(reading, path, taken) for path in paths]
    return tuple(script for script in found if script)


def _script(reading: Reading, path: Path, taken: dict[str, str]) -> Script | None:
    """`taken`: id -> file, of those before."""
    suite = reading.suite
    try:
        page = read_page(path, "a dialogue")
    except FileFault as fault:
        reading.problems += fault.problems
        return None
    given = page.data if isinstance(page.data, dict) else {}
    said = str(given.get("seed", suite.seed))
    scope = Scope(reading.base(int(said) if said.isdecimal() and len(said) < 10 else suite.seed))
    ids = suite.ids if suite.ids and suite.ids.table in scope.base.tables else None
    absent = given.get("absent", [])
    known = Known(scope, suite.signs, ids, tuple(absent if isinstance(absent, list) else [absent]))
    problems = list(bind(page, scope)) if given else []
    page = replace(page, data={"seed": str(suite.seed), **given}) if given else page
    script, more = page.filled(Script, SCRIPT_PARTS, known)
    reading.problems += [*problems, *more]
    name = str(given.get("id", ""))
    if name in taken:
        reading.problems.append(page.problem(("id",), f"The id `{name}` is taken by {taken[name]}: choose another."))
    if name:
        taken.setdefault(name, path.name)
    if script:
        reading.problems += [page.problem(where, sentence) for where, sentence in _misplaced(script, known, suite)]
    return script


def _misplaced(script: Script, known: Known, suite: Suite) -> list[tuple[tuple[str, ...], str]]:
    """What a dialogue names that is not so in its suite or its database: (where, sentence)."""
    found: list[tuple[tuple[str, ...], str]] = []
    if suite.intents and script.intent not in suite.intents:
        there = nearest(script.intent, suite.intents)
        found.append((("intent",), f"`{script.intent}` is not among the suite's intents{there}"))
    for name in script.absent:
        if known.ids and name in known.scope.base.subjects(known.ids.table):
            told = f"{name} is in this database, so it is not `absent`: choose an id that is not there."
            found.append((("absent",), told))
    return found
