"""Scripts, dialogues and grades for tests, made by hand."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from chat.evaluation.graders.case import Case
from chat.evaluation.record import Call, Exchange, Grade, Key, Played
from chat.evaluation.script_words import Signs
from chat.evaluation.scripts import Script, Suite
from chat.evaluation.turns import Expect, Turn

SIGNS = Signs(
    {"budget": (re.compile("budget", re.I),), "district": (re.compile("district", re.I),)},
    {"viewing": (re.compile("would you like to see", re.I),)},
)


def script(*expects: Expect, name: str = "one", tells: tuple[tuple[str, ...], ...] = (), **more: Any) -> Script:
    """A dialogue of one fixed turn for each expectation."""
    told = [*tells, *[()] * len(expects)]
    turns = tuple(
        Turn(number=number, expect=expect, person=f"Said {number}", tells=told[number - 1])
        for number, expect in enumerate(expects, 1)
    )
    return Script(id=name, intent="search", seed=7, turns=turns, **more)


def suite(*scripts: Script, folder: Path = Path("none"), domain: str = "library") -> Suite:
    """The library has no reader of claims: what replies assert is not looked at."""
    now = datetime(2026, 11, 22, 10, tzinfo=UTC)
    return Suite(
        folder=folder,
        bases=folder / "bases",
        name="made",
        about="a desk",
        domain=domain,
        now=now,
        systems=("dual",),
        seeds=(0,),
        signs=SIGNS,
        dialogues=scripts,
    )


def exchange(number: int, reply: str, **more: Any) -> Exchange:
    return Exchange(number, more.pop("turn", number), f"Said {number}", reply, **more)


def played(*turns: Exchange, script: str = "one", system: str = "dual", seed: int = 0, **more: Any) -> Played:
    return Played(Key(script, system, seed), turns, **more)


def case(of: Script, *turns: Exchange, **of_suite: Any) -> Case:
    return Case(suite(of, **of_suite), of, played(*turns, script=of.id))


def call(tool: str, argument: str = "", **more: Any) -> Call:
    return Call(tool, argument, more.pop("observation", "found"), **more)


def grade(metric: str, score: int | None, by: Any = "program", key: str = "one|dual|0", **more: Any) -> Grade:
    return Grade(metric, score, by, key=key, **more)
