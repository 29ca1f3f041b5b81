"""Reads a suite: suite.yaml, then every dialogue beside it against the database of its seed."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from chat.evaluation.script_expect import Ids, Known
from chat.evaluation.script_let import bind
from chat.evaluation.script_nodes import Fields, Page, nearest
from chat.evaluation.script_queries import Base, Scope
from chat.evaluation.script_turns import read_turns
from chat.evaluation.scripts import Problem, Script, ScriptFault, Signs, Suite
from chat.evaluation.systems import STANDARD, SYSTEMS
from chat.faults import ChatFault

SUITE = "suite.yaml"
SUITE_KEYS = (
    "name", "about", "domain", "seed", "now", "rubric", "systems", "seeds", "intents", "ids", "signs",
)  # fmt: skip
SCRIPT_KEYS = (
    "id", "intent", "about", "core", "seed", "absent", "let", "turns", "order", "never_calls", "never_says",
)  # fmt: skip


@dataclass
class Reading:
    """A suite while it is read: databases are opened once a seed."""

    folder: Path
    bases: Path
    scratch: Path
    opened: dict[int, Base] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def base(self, suite: Suite, seed: int) -> Base:
        from tools.domains import fresh, prepare

        if seed not in self.opened:
            place = prepare(suite.domain, self.bases / str(seed), seed)
            copy = fresh(place, self.scratch / str(seed))
            self.opened[seed] = Base(copy, suite.domain, suite.now)
        return self.opened[seed]

    def page(self, path: Path) -> Page:
        return Page(str(self.folder / path.name), self.problems)


def load(folder: Path, bases: Path) -> Suite:
    """The suite with every query answered; databases are built under `bases` or used again.

    Raises ScriptFault with all that is wrong.
    """
    suite, problems = read_suite(folder, bases)
    if suite is None or problems:
        raise ScriptFault(problems)
    return suite


def read_suite(folder: Path, bases: Path) -> tuple[Suite | None, list[Problem]]:
    """The suite (None where suite.yaml itself cannot be read) and all problems, by file and line."""
    with TemporaryDirectory() as scratch:
        reading = Reading(folder, bases, Path(scratch))
        suite, ids, intents = _suite(reading)
        if suite is not None:
            suite = _with_dialogues(reading, suite, ids, intents)
    return suite, sorted(reading.problems, key=lambda p: (not p.file.endswith(SUITE), p.file, p.line))


# -- suite.yaml


def _suite(reading: Reading) -> tuple[Suite | None, Ids | None, tuple[str, ...]]:
    from tools.domains import DOMAINS

    path = reading.folder / SUITE
    page = reading.page(path)
    if not path.is_file():
        page.wrong(1, f"There is no {SUITE} in this folder: name a suite's folder, or make one with `evaluate init`.")
        return None, None, ()
    top = page.top(path, SUITE_KEYS, "a suite")
    if top is None or not top.needs("name", "domain"):
        return None, None, ()
    domain = top.text("domain")
    if domain not in DOMAINS:
        top.wrong("domain", f"There is no domain `{domain}`{nearest(domain, DOMAINS)}")
        return None, None, ()
    suite = Suite(
        folder=reading.folder,
        name=top.text("name"),
        about=top.text("about"),
        domain=domain,
        seed=top.whole("seed", 7, 0),
        now=_now(top),
        rubric=_rubric(top, reading.folder),
        systems=_systems(top),
        seeds=_seeds(top),
        signs=_signs(top),
        dialogues=(),
    )
    return suite, _ids(top, reading.base(suite, suite.seed)), _intents(top)


def _now(top: Fields) -> datetime:
    """A fixed moment, so that free times are the same in every run."""
    said = top.text("now", "2026-11-22T10:00+01:00")
    try:
        now = datetime.fromisoformat(said)
    except ValueError:
        now = datetime.min
    if now.tzinfo is None:
        top.wrong("now", f"`now` is `{said}`: write a time with its zone, such as 2026-11-22T10:00+01:00.")
        return datetime.fromisoformat("2026-11-22T10:00+01:00")
    return now


def _rubric(top: Fields, folder: Path) -> str | Path:
    from chat.evaluation.rubric import read_rubric

    said = top.text("rubric", "duma")
    own = said.endswith((".yaml", ".yml"))
    try:
        read_rubric(folder / said if own else said)
    except ChatFault as fault:
        found = re.match(r"([^:]+):(\d+): (.*)", str(fault), re.S)
        if found:
            page = Page(str(folder / said), top.page.problems)
            page.wrong(int(found[2]), f"{found[3][:1].upper()}{found[3][1:]}")
        else:
            top.wrong("rubric", str(fault))
    return folder / said if own else said


def _systems(top: Fields) -> tuple[str, ...]:
    found = []
    for system, node in top.lines("systems"):
        if system in SYSTEMS:
            found.append(system)
        else:
            top.page.wrong(node, f"There is no system `{system}`{nearest(system, SYSTEMS)}")
    return tuple(dict.fromkeys(found)) or STANDARD


def _seeds(top: Fields) -> tuple[int, ...]:
    found = []
    for said, node in top.lines("seeds"):
        if re.fullmatch(r"\d{1,9}", said):
            found.append(int(said))
        else:
            top.page.wrong(node, f"`{said}` is no seed: write whole numbers, such as `seeds: [1, 2, 3]`.")
    return tuple(dict.fromkeys(found)) or (1,)


def _signs(top: Fields) -> Signs:
    inner = top.inner("signs", ("asks", "offers"), "`signs`")
    kinds = [inner.inner(kind, (), f"`{kind}`") if inner else None for kind in ("asks", "offers")]
    asks, offers = ({name: p for name in kind if (p := _either(kind.patterns(name)))} if kind else {} for kind in kinds)
    return Signs(asks, offers)


def _either(patterns: tuple[re.Pattern[str], ...]) -> re.Pattern[str] | None:
    """One of several."""
    return re.compile("|".join(f"(?:{pattern.pattern})" for pattern in patterns), re.I) if patterns else None


def _ids(top: Fields, base: Base) -> Ids | None:
    inner = top.inner("ids", ("pattern", "table"), "`ids`")
    if inner is None or not inner.needs("pattern", "table"):
        return None
    patterns, table = inner.patterns("pattern"), inner.text("table")
    if table not in base.tables:
        inner.wrong("table", f"There is no table `{table}` in the domain `{base.domain}`{nearest(table, base.tables)}")
        return None
    return Ids(patterns[0], table) if patterns else None


def _intents(top: Fields) -> tuple[str, ...]:
    """Names, with or without a sentence each; none: any name will do."""
    import yaml

    if "intents" in top and isinstance(top.value("intents"), yaml.MappingNode):
        return tuple(top.inner("intents", (), "`intents`") or ())
    return top.texts("intents")


# -- dialogues


def _with_dialogues(reading: Reading, suite: Suite, ids: Ids | None, intents: tuple[str, ...]) -> Suite:
    own = {SUITE} | ({suite.rubric.name} if isinstance(suite.rubric, Path) else set())
    paths = sorted(p for p in reading.folder.glob("*.y*ml") if p.name not in own)
    if not paths:
        reading.page(reading.folder / SUITE).wrong(1, "The suite has no dialogue: add a YAML file for each beside it.")
    taken: dict[str, str] = {}
    found = [_script(reading, path, suite, ids, intents, taken) for path in paths]
    return replace(suite, dialogues=tuple(script for script in found if script))


def _script(
    reading: Reading, path: Path, suite: Suite, ids: Ids | None, intents: tuple[str, ...], taken: dict[str, str]
) -> Script | None:
    page = reading.page(path)
    top = page.top(path, SCRIPT_KEYS, "a dialogue")
    if top is None or not top.needs("id", "intent", "turns"):
        return None
    seed = top.whole("seed", suite.seed, 0)
    known = Known(Scope(reading.base(suite, seed)), suite.signs, ids, top.texts("absent"))
    _absent(top, known)
    bind(top, known.scope)
    intent = top.text("intent")
    if intents and intent and intent not in intents:
        top.wrong("intent", f"`{intent}` is not among the suite's intents{nearest(intent, intents)}")
    return Script(
        id=_id(top, path, taken),
        intent=intent,
        about=top.text("about"),
        file=path.name,
        seed=seed,
        turns=read_turns(top, known),
        core=bool(top.flag("core")),
        order=known.tools(top, "order"),
        never_calls=known.tools(top, "never_calls"),
        never_says=top.patterns("never_says"),
    )


def _id(top: Fields, path: Path, taken: dict[str, str]) -> str:
    name = top.text("id")
    if not re.fullmatch(r"[a-z0-9][a-z0-9._-]*", name):
        top.wrong("id", f"`{name}` is no id: use small letters, digits, - and _, such as `{path.stem.lower()}`.")
    elif name in taken:
        top.wrong("id", f"The id `{name}` is taken by {taken[name]}: choose another.")
    taken.setdefault(name, path.name)
    return name


def _absent(top: Fields, known: Known) -> None:
    """What is said to be missing must be missing."""
    for said, node in top.lines("absent"):
        if known.ids and known.scope.base.has_id(known.ids.table, said):
            top.page.wrong(node, f"{said} is in this database, so it is not `absent`: choose an id that is not there.")
