"""Scripted dialogues and a suite of them, as their files are: suite.yaml, and one YAML file a dialogue beside it.

What is expected is written as queries against the domain's generated database and is answered when the suite is read,
so the seed stays the truth:

    let:
      best: {from: homes, where: "district = 'Riverside' AND bedrooms = 2 AND status = 'available'", pick: 1}
    turns:
      - person: How much is {best}?
        expect: {invoke: true, facts: [best.price], calls: [details|search]}
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, AwareDatetime, BeforeValidator, Field
from pydantic.dataclasses import dataclass

from chat.evaluation.marked_yaml import STRICT, Parts, Wrong, nearest
from chat.evaluation.script_words import Ids, Many, Signs, Text, Tool, listed
from chat.evaluation.systems import SYSTEMS
from chat.evaluation.turns import Branch, CallWanted, Expect, Fact, Goal, Names, Turn, When
from tools.domains import DOMAINS, about, prepare

Seed = Annotated[int, Field(ge=0, le=10**9)]


def _numbered(raw: Any) -> Any:
    turns = listed(raw)
    if not turns:
        raise Wrong("`turns` is empty: add at least one `- person: ...`.")
    for place, turn in enumerate(turns):
        if isinstance(turn, dict) and "number" in turn:
            raise Wrong("`number` is no key of a turn: turns are counted by themselves.", place, "number")
    return [{**turn, "number": n} if isinstance(turn, dict) else turn for n, turn in enumerate(turns, 1)]


def _repeated(turns: tuple[Turn, ...]) -> tuple[Turn, ...]:
    """A repeat that says nothing of its own is held to what the first asking was."""
    made = list(turns)
    for place, turn in enumerate(turns):
        if target := next((way.repeat_of for way in turn.ways if (way.repeat_of or 0) >= turn.number), 0):
            told = f"Turn {turn.number} cannot repeat turn {target}: name an earlier turn."
            raise Wrong(told, place, "expect", "repeat_of")
        own = turn.expect
        if own.repeat_of and not (turn.branches or own.facts or own.says or own.names != Names()):
            first = turns[own.repeat_of - 1].expect
            made[place] = replace(turn, expect=replace(own, facts=first.facts, says=first.says, names=first.names))
    return tuple(made)


def _id(name: str) -> str:
    if not re.fullmatch(r"[a-z0-9][a-z0-9._-]*", name):
        raise Wrong(f"`{name}` is no id: use small letters, digits, - and _, such as `first-home`.")
    return name


@dataclass(frozen=True, config=STRICT, kw_only=True)
class Script:
    """One dialogue."""

    id: Annotated[str, AfterValidator(_id)]
    intent: Text
    about: str = ""
    core: bool = False
    """Played on every system, the others on those that the run names."""
    seed: Seed
    """Of the database."""
    absent: Many[Text] = ()
    """Ids that are named on purpose though they do not exist."""
    let: Any = Field(default=None, repr=False)
    """As it is written: chat/evaluation/references.py answers it."""
    turns: Annotated[tuple[Turn, ...], BeforeValidator(_numbered), AfterValidator(_repeated)]
    order: Many[Tool] = ()
    """Tools, in this order over the whole dialogue."""
    never_calls: Many[Tool] = ()


def _one_of(what: str, known: Collection[str]) -> AfterValidator:
    def check(name: str) -> str:
        if name not in known:
            raise Wrong(f"There is no {what} `{name}`{nearest(name, known)}")
        return name

    return AfterValidator(check)


@dataclass(frozen=True, config=STRICT, kw_only=True)
class Head:
    """What suite.yaml says."""

    name: Text
    about: str = ""
    domain: Annotated[str, _one_of("domain", DOMAINS)]
    seed: Seed = 7
    now: AwareDatetime = Field(default="2026-11-22T10:00+01:00", validate_default=True)
    """The desk's clock: a fixed moment, so that free times are the same in every run."""
    rubric: Text = "duma"
    """A name, or a file of the folder."""
    systems: Many[Annotated[str, _one_of("system", SYSTEMS)]] = tuple(SYSTEMS)
    """Names of chat/evaluation/systems."""
    seeds: Many[Seed] = (1,)
    """One run of every dialogue for each: sampling, not the database."""
    intents: Annotated[
        tuple[Text, ...], BeforeValidator(lambda raw: listed(list(raw) if isinstance(raw, dict) else raw))
    ] = ()
    """Names, with or without a sentence each; none: any name will do."""
    ids: Ids | None = None
    signs: Signs = Signs()


@dataclass(frozen=True, config=STRICT, kw_only=True)
class Suite(Head):
    """Dialogues with what they are run on."""

    folder: Path
    bases: Path
    """Where databases are kept: built once a seed."""
    dialogues: tuple[Script, ...] = ()

    @property
    def desk(self) -> str:
        """Who the assistant speaks for."""
        told = about(self.domain)
        return f"{told.title}. {told.sentence}"

    def base(self, script: Script) -> Path:
        """The domain's folder with this dialogue's database; copy it with tools.domains.fresh for each play."""
        return prepare(self.domain, self.bases / str(script.seed), script.seed)


SCRIPT_PARTS: Parts = {
    "": ("a dialogue", Script),
    "turns": ("a turn", Turn),
    "branches": ("a branch", Branch),
    "when": ("`when`", When),
    "goal": ("a goal", Goal),
    "expect": ("`expect`", Expect),
    "facts": ("a fact", Fact),
    "gives": ("a fact", Fact),
    "names": ("`names`", Names),
    "calls": ("a call", CallWanted),
}
SUITE_PARTS: Parts = {"": ("a suite", Head), "signs": ("`signs`", Signs), "ids": ("`ids`", Ids)}
