"""Domains: what Duet can be the desk of. A domain is one folder with the same files; a new one is a line in `DOMAINS`.

    tools/housing/__init__.py   ABOUT, VERSION, build(path, seed), make(desk, folder), understands(text),
                                plan(desk, folder), afterwards(desk, folder, deeds)
    tools/housing/policy.md     what the assistant must follow
    tools/housing/slow.txt      worked examples for the slow mind, in the form of prompts/slow/react_examples.txt
    tools/housing/fast.txt      worked examples for the fast mind, in the form of prompts/fast/examples.txt
    tools/housing/wording.txt   sentences with $names: what is said where a small model could not word it
    tools/housing/answers.txt   what people ask about the desk and the trade, and the answers; no figures of homes
    tools/housing/smalltalk.txt remarks, and what is said to such a thing
    tools/housing/acts.txt      turns by what they are about; acts.safetensors is the head fitted to them

On disk an opened domain is a folder with two files: `base.sqlite`, built once from a seed and never written again,
and `changes.sqlite`, what people did (tools/ledger.py). So a fresh copy of the whole desk costs one hard link.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import import_module
from pathlib import Path
from string import Template
from threading import get_ident
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

    from tools.desk import Deed, Desk
    from tools.ledger import Entry

DOMAINS = {"housing": "tools.housing", "library": "tools.library"}
"""Name -> folder. A folder's module is imported when the domain is opened."""
BASE = "base.sqlite"
SEED = 7
FAST_PROMPT, SLOW_PROMPT = "domains/fast", "domains/slow"
"""The prompts that put a domain before each mind: they are filled with title, sentence, policy (and tools)."""


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
    fallback: str = "How can I help you?"
    """What it says where it has nothing better to say."""


@dataclass(frozen=True)
class Call:
    """A tool with its input, made of the person's words and of what the dialogue says already."""

    tool: str
    input: str
    changes: bool = False
    """It may change the database: no memory answers in its place."""


@dataclass(frozen=True)
class Plan:
    """What a turn wants, as the domain reads it. A strong model needs none."""

    calls: tuple[Call, ...] = ()
    """What the slow mind may begin with, the likeliest first; none where the fast mind can answer alone."""
    interim: str = ""
    """What the fast mind says while the slow mind works."""
    reply: str = ""
    """The fast mind's whole reply, where the domain has the words for it."""
    add: str = ""
    """What the fast mind asks behind its own words."""
    moves: tuple[str, ...] = ()
    """What is to be known of this turn later: `wish:2 bedrooms, in Riverside`, `ask:budget`, `invite:H-0421`."""
    thought: str = ""
    """Why the one call is made, in the slow mind's name: a small model is not asked: it has no choice."""


class Domain(Protocol):
    """What the module of a domain's folder offers."""

    ABOUT: About
    VERSION: str
    """Changes whenever `build` would make another database of the same seed."""

    def build(self, path: Path, seed: int) -> None:
        """Makes the base database, the same on every machine for the same seed."""
        ...

    def make(self, desk: Desk, folder: Path) -> dict[str, BaseTool]:
        """The domain's tools for one slow run, over the two files in `folder`."""
        ...

    def understands(self, text: str) -> tuple[str, ...]:
        """The tools that can take these words as they stand, the likeliest first; none where none can."""
        ...

    def plan(self, desk: Desk, folder: Path) -> Plan:
        """Reads the turn `desk.said` in the light of `desk.past` and of the database; changes nothing."""
        ...

    def afterwards(self, desk: Desk, folder: Path, deeds: Sequence[Deed]) -> Plan:
        """What is to be said behind the result of these tool calls (`add`), with its moves."""
        ...


def open_domain(name: str) -> Domain:
    """Raises KeyError for another name."""
    return cast(Domain, import_module(DOMAINS[name]))


def abouts() -> tuple[About, ...]:
    """All domains, in the order in which a person chooses from them."""
    return tuple(open_domain(name).ABOUT for name in DOMAINS)


def words(name: str, file: str) -> str:
    """A text of the domain's folder: `policy.md`, `slow.txt`, `fast.txt`. Raises KeyError, FileNotFoundError."""
    folder = Path(__file__).parent.parent.joinpath(*DOMAINS[name].split("."))
    return (folder / file).read_text(encoding="utf-8").strip()


def exchanges(name: str, file: str) -> list[tuple[str, str]]:
    """The worked examples of `slow.txt` or `fast.txt`: what goes in (\\n breaks it), what comes out."""
    blocks = [block.strip().partition("\n") for block in words(name, file).split("\n\n") if block.strip()]
    return [(said.replace("\\n", "\n"), reply) for said, _, reply in blocks]


def said(name: str, key: str, **values: str) -> str:
    """A sentence of the domain's `wording.txt`, filled. Raises KeyError for another key or a missing value."""
    return Template(_wording(name)[key]).substitute(values)


@cache
def _wording(name: str) -> dict[str, str]:
    """`key: sentence` lines."""
    lines = [line.partition(":") for line in words(name, "wording.txt").splitlines() if line.strip()]
    return {key.strip(): sentence.strip() for key, _, sentence in lines}


def answer(
    name: str, asked: str, embed: Callable[[Sequence[str]], Sequence[Sequence[float]]], page: str = "answers.txt"
) -> tuple[str, float]:
    """The nearest answer of a page of the domain, and how near (cosine) its nearest question is."""
    _, answers = _questions(name, page)
    rows, row = _rows(name, embed, page), embed([asked])[0]
    near = [sum(a * b for a, b in zip(other, row, strict=True)) for other in rows]
    best = max(range(len(near)), key=near.__getitem__)
    return answers[best], float(near[best])


@cache
def _questions(name: str, page: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Blocks between blank lines: the questions, a line each, and the answer in the last line."""
    questions, answers = [], []
    for block in words(name, page).split("\n\n"):
        *asked, told = block.strip().splitlines()
        questions += asked
        answers += [told] * len(asked)
    return tuple(questions), tuple(answers)


@lru_cache(maxsize=8)
def _rows(name: str, embed: Callable[[Sequence[str]], Sequence[Sequence[float]]], page: str) -> list[list[float]]:
    return [[float(value) for value in row] for row in embed(list(_questions(name, page)[0]))]


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
