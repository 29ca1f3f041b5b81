"""Scripted dialogues: what a person says, what is expected of the replies. The nouns of a suite, as frozen data.

A suite is a folder: suite.yaml, and one YAML file a dialogue. What is expected is written as queries against the
domain's generated database and is answered when the suite is loaded, so the seed stays the truth:

    let:
      best: {from: homes, where: "district = 'Riverside' AND bedrooms = 2 AND status = 'available'", pick: 1}
    turns:
      - person: How much is {best}?
        expect: {invoke: true, facts: [best.price], calls: [details|search]}
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from chat.faults import ChatFault

Invite = Literal["right", "wrong", "allowed"]


@dataclass(frozen=True)
class Problem:
    """What is wrong in a suite, and what to change."""

    file: str
    """As the person would open it."""
    line: int
    """From 1."""
    sentence: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.sentence}"


class ScriptFault(ChatFault):
    """A suite that cannot be run; the text has all its problems, one a line."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(map(str, self.problems)))


@dataclass(frozen=True)
class Fact:
    """What is so in the database: `H-0421.price` is 84000. The names are those of the tools' facts."""

    name: str
    value: Any


@dataclass(frozen=True)
class Names:
    """Ids that a reply names: at least one of `any`, each of `all`, and none of `none`."""

    any: tuple[str, ...] = ()
    all: tuple[str, ...] = ()
    none: tuple[str, ...] = ()


@dataclass(frozen=True)
class CallWanted:
    """A tool call that a turn needs."""

    tools: tuple[str, ...]
    """Any of these does it."""
    contains: tuple[str, ...] = ()
    """All of them stand in its input, in any case."""
    gives: tuple[Fact, ...] = ()
    """All of them are among its facts."""


@dataclass(frozen=True)
class Expect:
    """What is expected of the reply to one turn."""

    facts: tuple[Fact, ...] = ()
    """The reply says them."""
    names: Names = Names()
    says: tuple[re.Pattern[str], ...] = ()
    """Each is found in the reply."""
    says_not: tuple[re.Pattern[str], ...] = ()
    calls: tuple[CallWanted, ...] = ()
    """Each is made in this turn."""
    no_calls: tuple[str, ...] = ()
    changes: tuple[Mapping[str, str], ...] = ()
    """Exactly these are made in the database: {"kind": "viewing", "done": "made", "home": "H-0421"}. What is not
    expected is forbidden."""
    must_mine: tuple[str, ...] = ()
    """The reply asks for at least one of these demands."""
    invite: Invite = "allowed"
    invoke: bool | None = None
    """Whether the turn needs a slow run; None: either way is right. Of a repeat, memory may answer instead."""
    trade: bool = False
    """A question of the trade (loans, buying, words, policy): the reply counts for industry familiarity."""
    repeat_of: int | None = None
    """The turn that asked the same in other words."""
    order: tuple[str, ...] = ()
    """Tools, in this order within the turn."""
    within: float | None = None
    """Seconds until the final reply."""


@dataclass(frozen=True)
class When:
    """A condition on the last reply (`called`: on the tools used for it)."""

    kind: Literal["contains", "matches", "offered", "asked_for", "called"]
    value: str


@dataclass(frozen=True)
class Branch:
    """One way in which the person goes on."""

    when: When | None
    """None for the last, which holds where no other does."""
    person: str
    expect: Expect
    tells: tuple[str, ...] = ()


@dataclass(frozen=True)
class Goal:
    """A simulated person for the turns from here on, played by any chat model."""

    persona: str
    goal: str
    facts: tuple[str, ...] = ()
    """What the person knows and tells when asked."""
    most: int = 6
    """Exchanges."""
    ends: re.Pattern[str] | None = None
    """A reply in which this is found ends it."""


@dataclass(frozen=True)
class Turn:
    """One turn of the person: fixed words, or branches, or a goal; exactly one of the three."""

    number: int
    """From 1."""
    line: int
    expect: Expect
    """Of branches: of the first; each has its own. Of a goal: holds for all its exchanges taken together."""
    person: str | None = None
    branches: tuple[Branch, ...] = ()
    goal: Goal | None = None
    tells: tuple[str, ...] = ()
    """Demands that the words give away: they need not be asked for any more."""
    later: bool = False
    """The person comes back: a new conversation of the same person, at the same desk, in which nothing was said yet."""

    @property
    def ways(self) -> tuple[Expect, ...]:
        return tuple(branch.expect for branch in self.branches) or (self.expect,)


@dataclass(frozen=True)
class Script:
    """One dialogue."""

    id: str
    intent: str
    about: str
    file: str
    """Its name within the suite's folder."""
    seed: int
    """Of the database."""
    turns: tuple[Turn, ...]
    core: bool = False
    """Played on every system, the others on those that the run names."""
    order: tuple[str, ...] = ()
    """Tools, in this order over the whole dialogue."""
    never_calls: tuple[str, ...] = ()
    never_says: tuple[re.Pattern[str], ...] = ()
    """Found in no reply of the dialogue."""

    @property
    def must_mine(self) -> tuple[str, ...]:
        """All demands that are to be mined somewhere in it."""
        return tuple(dict.fromkeys(d for turn in self.turns for way in turn.ways for d in way.must_mine))


@dataclass(frozen=True)
class Signs:
    """How a program sees what a reply does: patterns for what it asks for and what it offers."""

    asks: Mapping[str, re.Pattern[str]] = field(default_factory=dict)
    """Demand (`budget`) -> what is found in a question for it."""
    offers: Mapping[str, re.Pattern[str]] = field(default_factory=dict)
    """`viewing` -> what is found in a sentence that offers one."""


@dataclass(frozen=True)
class Suite:
    """Dialogues with what they are run on."""

    folder: Path
    name: str
    about: str
    domain: str
    """A key of tools.domains.DOMAINS."""
    seed: int
    now: datetime
    """The desk's clock, time-zone aware."""
    rubric: str | Path
    """A name, or a file of the folder."""
    systems: tuple[str, ...]
    """Names of chat/evaluation/systems."""
    seeds: tuple[int, ...]
    """One run of every dialogue for each: sampling, not the database."""
    signs: Signs
    dialogues: tuple[Script, ...]


def base_of(suite: Suite, script: Script, bases: Path) -> Path:
    """The domain's folder with this dialogue's database; copy it with tools.domains.fresh for each play."""
    from tools.domains import prepare

    return prepare(suite.domain, bases / str(script.seed), script.seed)
