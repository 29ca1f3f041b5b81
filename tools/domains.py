"""Domains: what Duet can be the desk of. A domain is one folder with the same files; a new one is a line in `DOMAINS`.

    tools/housing/__init__.py   ABOUT
    tools/housing/desk.py       VERSION, build(path, seed), make(desk, folder), choices(desk, folder)
    tools/housing/policy.md     what the assistant must follow
    tools/housing/examples.txt  turns and what is done about them, for a small model (docs/new_domain.md)

On disk an opened domain is a folder with two files: `base.sqlite`, built once from a seed and never written again,
and `changes.sqlite`, what people did (tools/ledger.py). So a fresh copy of the whole desk costs one hard link.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from threading import get_ident
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

    from tools.desk import Desk
    from tools.ledger import Entry

DOMAINS = {"housing": "tools.housing", "library": "tools.library"}
"""Name -> folder. Its `desk` is imported when the domain is opened."""
BASE = "base.sqlite"
SEED = 7


@dataclass(frozen=True)
class About:
    """What a person reads where a domain is chosen."""

    name: str
    """The key in `DOMAINS`."""
    title: str
    """Who the assistant speaks for: `Aldermere Homes`."""
    sentence: str
    """What it is for, in one sentence."""
    greeting: str
    """What the assistant says first."""


class Domain(Protocol):
    """What `desk.py` of a domain's folder offers."""

    VERSION: str
    """Changes whenever `build` would make another database of the same seed."""

    def build(self, path: Path, seed: int) -> None:
        """Makes the base database, the same on every machine for the same seed."""

    def make(self, desk: Desk, folder: Path) -> dict[str, BaseTool]:
        """The domain's tools for one slow run, over the two files in `folder`."""

    def choices(self, desk: Desk, folder: Path) -> Mapping[str, Sequence[object]]:
        """What an argument of that name can be in the turn `desk.said`: a small model is held to it.

        An argument that has none, such as a home before one was spoken of, is not offered.
        """


def open_domain(name: str) -> Domain:
    """Raises KeyError for another name."""
    return cast(Domain, import_module(f"{DOMAINS[name]}.desk"))


def about(name: str) -> About:
    """Quickly: nothing of the desk is imported. Raises KeyError."""
    return cast(About, import_module(DOMAINS[name]).ABOUT)


def abouts() -> tuple[About, ...]:
    """All domains, in the order in which a person chooses from them."""
    return tuple(map(about, DOMAINS))


def words(name: str, file: str) -> str:
    """A text of the domain's folder. Raises KeyError, FileNotFoundError."""
    folder = Path(__file__).parent.parent.joinpath(*DOMAINS[name].split("."))
    return (folder / file).read_text(encoding="utf-8").strip()


def examples(name: str) -> list[tuple[str, str]]:
    """The domain's `examples.txt`: blocks between blank lines, what goes in (\\n breaks it), and what comes out."""
    blocks = [block.partition("\n") for block in words(name, "examples.txt").split("\n\n")]
    return [(said.replace("\\n", "\n"), reply) for said, _, reply in blocks]


def prepare(name: str, folder: Path, seed: int = SEED) -> Path:
    """The domain's folder under `folder`, with its base built where it is missing, broken or of another version."""
    domain, place = open_domain(name), folder / name
    place.mkdir(parents=True, exist_ok=True)
    wanted = f"{name} {domain.VERSION} {seed}"
    if stamp(place) != wanted:
        half = place / f"{BASE}.{os.getpid()}-{get_ident()}"
        half.unlink(missing_ok=True)
        try:
            domain.build(half, seed)
            with closing(sqlite3.connect(half)) as base, base:
                base.execute("CREATE TABLE IF NOT EXISTS stamp (text TEXT)")
                base.execute("INSERT INTO stamp VALUES (?)", (wanted,))
            half.replace(place / BASE)
        finally:
            half.unlink(missing_ok=True)
    return place


def stamp(place: Path) -> str:
    """`housing 1 7`: what the base in this folder was built as; empty where there is none that can be read."""
    if not (place / BASE).is_file():
        return ""
    try:
        with closing(sqlite3.connect(f"file:{place / BASE}?mode=ro", uri=True)) as base:
            return str(base.execute("SELECT text FROM stamp").fetchone()[0])
    except (sqlite3.Error, TypeError):
        return ""


def rows(place: Path, sql: str, values: Iterable[object] = ()) -> list[sqlite3.Row]:
    """Of the base. Raises ToolFault where there is none."""
    from tools.desk import ToolFault

    try:
        with closing(sqlite3.connect(f"file:{place / BASE}?mode=ro", uri=True)) as base:
            base.row_factory = sqlite3.Row
            return base.execute(sql, tuple(values)).fetchall()
    except sqlite3.OperationalError as error:
        raise ToolFault("The desk's database cannot be opened; choose the domain again to have it built.") from error


def fresh(place: Path, into: Path) -> Path:
    """The same desk as on its first day, for one evaluated dialogue: the base linked (or copied), no changes."""
    from tools.ledger import CHANGES

    into.mkdir(parents=True, exist_ok=True)
    for file in into.glob(f"{CHANGES}*"):
        file.unlink()
    (into / BASE).unlink(missing_ok=True)
    try:
        (into / BASE).hardlink_to(place / BASE)
    except OSError:  # another file system
        shutil.copyfile(place / BASE, into / BASE)
    return into


def changes(place: Path, session: str = "") -> tuple[Entry, ...]:
    """What people changed there, oldest first: of all, or of one session."""
    from tools.ledger import Ledger

    return Ledger(place, session).entries(everyone=not session)


def state(place: Path) -> Mapping[str, str]:
    """What notes' `depends` are held against: {"listings": what the base was built as, "changes": revision}."""
    from tools.ledger import Ledger

    return {"listings": stamp(place), "changes": Ledger(place, "").revision()}
