"""Reads a suite: suite.yaml, then every dialogue beside it against the database of its seed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
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
    with TemporaryDirectory() as scratch:
        reading = _Reading(Suite(**vars(head), folder=folder), page, bases, Path(scratch))
        problems += [*reading.beside(), *reading.dialogues()]
    suite = replace(reading.suite, dialogues=tuple(reading.scripts))
    return suite, sorted(problems, key=lambda p: (not p.file.endswith(SUITE), p.file, p.line))


@dataclass
class _Reading:
    """A suite while it is read: databases are opened once a seed."""

    suite: Suite
    page: Page
    bases: Path
    scratch: Path
    scripts: list[Script] = field(default_factory=list)
    """Those that can be read."""
    opened: dict[int, Base] = field(default_factory=dict)
    taken: dict[str, str] = field(default_factory=dict)
    """Id of a dialogue -> its file."""

    def base(self, seed: int) -> Base:
        if seed not in self.opened:
            place = prepare(self.suite.domain, self.bases / str(seed), seed)
            self.opened[seed] = Base(fresh(place, self.scratch / str(seed)), self.suite.domain, self.suite.now)
        return self.opened[seed]

    def beside(self) -> Iterator[Problem]:
        """What suite.yaml names and is not there, or not as it should be."""
        suite = self.suite
        if suite.ids and suite.ids.table not in (tables := self.base(suite.seed).tables):
            yield self.page.problem(("ids", "table"), self.base(suite.seed).no("table", suite.ids.table, tables))
        try:
            read_rubric(suite.rubric, suite.folder)
        except FileFault as fault:
            yield from fault.problems
        except ChatFault as missing:
            yield self.page.problem(("rubric",), str(missing))

    def dialogues(self) -> Iterator[Problem]:
        """Reads every dialogue."""
        paths = sorted(p for p in self.suite.folder.glob("*.y*ml") if p.name not in (SUITE, self.suite.rubric))
        if not paths:
            yield self.page.problem((), "The suite has no dialogue: add a YAML file for each beside it.")
        for path in paths:
            try:
                yield from self.dialogue(read_page(path, "a dialogue"), path.name)
            except FileFault as fault:
                yield from fault.problems

    def dialogue(self, page: Page, file: str) -> Iterator[Problem]:
        suite = self.suite
        given = page.data if isinstance(page.data, dict) else {}
        said, name = str(given.get("seed", suite.seed)), str(given.get("id", ""))
        base = self.base(int(said) if said.isdecimal() and len(said) < 10 else suite.seed)
        ids = suite.ids if suite.ids and suite.ids.table in base.tables else None
        scope = Scope(base, suite.signs, ids, listed(given.get("absent", [])))
        if given:
            yield from bind(page, scope)
            page = replace(page, data={"seed": str(suite.seed), **given})
        script, problems = page.filled(Script, SCRIPT_PARTS, scope)
        yield from problems
        if name and self.taken.setdefault(name, file) != file:
            yield page.problem(("id",), f"The id `{name}` is taken by {self.taken[name]}: choose another.")
        if script is None:
            return
        self.scripts.append(script)
        if suite.intents and script.intent not in suite.intents:
            there = nearest(script.intent, suite.intents)
            yield page.problem(("intent",), f"`{script.intent}` is not among the suite's intents{there}")
        for each in script.absent:
            if ids and base.holds(ids.table, each):
                told = f"{each} is in this database, so it is not `absent`: choose an id that is not there."
                yield page.problem(("absent",), told)
