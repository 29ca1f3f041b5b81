"""A dialogue beside its script: each exchange with what was expected of it, its claims held against the base, and what
a grader says of it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from typing import Any, Literal

from chat.evaluation.graders.claimed import Checked, check
from chat.evaluation.graders.claims import figures_in
from chat.evaluation.record import Exchange, Played
from chat.evaluation.script_words import ID, sentences
from chat.evaluation.scripts import Script, Suite
from chat.evaluation.turns import Expect, Turn
from tools.housing.listings import Listings

CHECKED = ("housing",)
"""Domains of which what replies assert can be held against the database."""


@dataclass(frozen=True)
class Stage:
    """One turn of the script, as it was played."""

    parts: tuple[Exchange, ...]
    """One, or all that a simulated person took for it."""
    exchange: Exchange
    """These as one."""
    turn: Turn
    expect: Expect
    tells: frozenset[str]
    """The demands that the person tells in it."""

    @property
    def number(self) -> int:
        return self.exchange.number

    def item(self, right: bool, why: str, quote: str | None = None, **more: bool) -> Item:
        """What was right or wrong in it; it rests on how the reply begins, unless on other words."""
        return Item(self.number, right, why, self.exchange.reply[:160] if quote is None else quote, **more)


@dataclass(frozen=True)
class Case:
    """One dialogue to grade."""

    suite: Suite
    script: Script
    played: Played

    @cached_property
    def stages(self) -> Sequence[Stage]:
        found, last = list[Stage](), Exchange(0, 0, "", "")
        for number, part in groupby(self.played.turns, key=lambda exchange: exchange.turn):
            turn, parts = self.script.turns[number - 1], tuple(part)
            said = turn if turn.goal else turn.spoken(last.reply, last.called, self.suite.signs)
            found.append(Stage(parts, _together(parts), turn, said.expect, frozenset(said.tells)))
            last = parts[-1]
        return found

    def unanswered(self) -> Case:
        """Every turn of the script taken, and nothing replied: what it expects shows, whatever was played."""
        turns = tuple(Exchange(turn.number, turn.number, "", "") for turn in self.script.turns)
        return replace(self, played=replace(self.played, turns=turns))

    @cached_property
    def checked(self) -> defaultdict[int, list[Checked]]:
        """Of each stage, what its reply asserts, and whether that is so; empty in a domain without such a reader."""
        checked = defaultdict[int, list[Checked]](list)
        if self.suite.domain not in CHECKED:
            return checked
        listings, found, said = Listings(self.suite.base(self.script)), list[Mapping[str, Any]](), ""
        for number, exchange in ((stage.number, part) for stage in self.stages for part in stage.parts):
            found += [call.facts for call in exchange.calls]
            said += f"\n{exchange.said}"
            checked[number] += check(figures_in(exchange.reply, listings), listings, found, said)
        return checked


def named(reply: str) -> frozenset[str]:
    """The ids that a reply names: H-0421, B-012."""
    return frozenset(re.findall(rf"\b{ID.pattern}\b", reply.upper()))


def _together(exchanges: Sequence[Exchange]) -> Exchange:
    """A simulated person's part as one: what is expected of it may come in any of its exchanges."""
    return replace(
        exchanges[-1],
        reply="\n".join(exchange.reply for exchange in exchanges if exchange.reply),
        invoked=any(exchange.invoked for exchange in exchanges),
        calls=tuple(call for exchange in exchanges for call in exchange.calls),
        changes=tuple(change for exchange in exchanges for change in exchange.changes),
    )


def quoted(reply: str, seen: Callable[[str], object] = bool) -> str:
    """The first sentence in which it is seen."""
    return next(filter(seen, sentences(reply)), reply[:160])


# -- verdicts


@dataclass(frozen=True)
class Item:
    """One thing that was right or wrong."""

    turn: int
    """The exchange's number."""
    right: bool
    why: str
    quote: str = ""
    fatal: bool = False
    """Wrong so that nothing else counts: the score is 0."""
    beside: bool = False
    """Counts only where nothing else is to be counted (something forbidden that was rightly left)."""
    extends: bool = True
    """It went beyond what was asked, where the best score asks for that."""


@dataclass(frozen=True)
class Verdict:
    """All items of a dialogue; empty: the metric does not apply."""

    items: tuple[Item, ...]
    least: Literal["half", "one"] = "half"
    """What the middle score asks for (DUMA, table 1)."""
    missing: str = ""
    """What was not done for the best score, where nothing was wrong."""


def grader(
    *, least: Literal["half", "one"] = "half", missing: str = ""
) -> Callable[[Callable[[Case], Iterator[Item]]], Callable[[Case], Verdict]]:
    """Makes a grader of what yields its items."""
    return lambda items: lambda case: Verdict(tuple(items(case)), least, missing)


def fold(verdict: Verdict, turn: int = 0) -> tuple[int | None, str, Item | None]:
    """Score, reason, and the item to quote, of the dialogue or one of its turns; a score of None: does not apply.

    0 for less than half (or none), 2 for all with an extension of at least one of them, 1 between.
    """
    items = [item for item in verdict.items if turn in (0, item.turn)]
    counted = [item for item in items if not item.beside] or items
    if not counted:
        return None, "", None
    wrong = [item for item in items if not item.right]
    if fatal := next((item for item in wrong if item.fatal), None):
        return 0, fatal.why, fatal
    right = sum(item.right for item in counted)
    said = f"{right} of {len(counted)} right"
    if wrong:
        enough = right > 0 if verdict.least == "one" else right * 2 >= len(counted)
        return int(enough), f"{said}; turn {wrong[0].turn}: {wrong[0].why}", wrong[0]
    if not any(item.extends for item in counted):
        return 1, f"{said}; {verdict.missing}", counted[-1]
    return 2, f"{said}; {counted[-1].why}", counted[-1]
