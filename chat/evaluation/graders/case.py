"""A dialogue beside its script: each exchange with what was expected of it, and its claims held against the base."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chat.evaluation.record import Exchange, Played
from chat.evaluation.script_branches import chosen
from chat.evaluation.scripts import Script, Suite
from chat.evaluation.turns import Expect, Turn

if TYPE_CHECKING:
    from chat.evaluation.graders.claimed import Checked


CHECKED = ("housing",)
"""Domains of which what replies assert can be held against the database."""


@dataclass(frozen=True)
class Stage:
    """One exchange."""

    exchange: Exchange
    turn: Turn
    expect: Expect
    tells: frozenset[str]
    """The demands that the person tells in it."""

    @property
    def number(self) -> int:
        return self.exchange.number


@dataclass(frozen=True)
class Case:
    """One dialogue to grade."""

    suite: Suite
    script: Script
    played: Played
    base: Path
    """The domain's folder that it was played on."""

    @cached_property
    def stages(self) -> tuple[Stage, ...]:
        return tuple(self._stages())

    def _stages(self) -> Iterator[Stage]:
        turns = {turn.number: turn for turn in self.script.turns}
        reply, called = "", list[str]()
        for number, part in groupby(self.played.turns, key=lambda exchange: exchange.turn):
            turn, exchanges = turns[number], list(part)
            if turn.goal is None:
                spoken = chosen(turn, reply, called, self.suite.signs)
                for exchange in exchanges:
                    yield Stage(exchange, turn, spoken.expect, frozenset(spoken.tells))
            else:
                yield Stage(_together(exchanges), turn, turn.expect, frozenset(turn.tells))
            reply = exchanges[-1].reply
            called = [call.tool for call in exchanges[-1].calls]

    @cached_property
    def checked(self) -> Mapping[int, Sequence[Checked]]:
        """Of each stage, what its reply asserts, and whether that is so; empty in a domain without such a reader."""
        found: dict[int, list[Checked]] = {}
        ends = [stage.number for stage in self.stages]
        for number, each in self._checked() if self.suite.domain in CHECKED else ():
            # a simulated person's part is one stage, under its last number
            found.setdefault(next(end for end in ends if end >= number), []).extend(each)
        return found

    def _checked(self) -> Iterator[tuple[int, Sequence[Checked]]]:
        from chat.evaluation.graders.claimed import check, figures_in, gather
        from tools.housing.listings import Listings

        listings, found, said = Listings(self.base), list[Mapping[str, Any]](), ""
        for exchange in self.played.turns:
            found += [call.facts for call in exchange.calls]
            said += f"\n{exchange.said}"
            yield exchange.number, check(figures_in(exchange.reply, listings), listings, gather(found), said=said)


def named(reply: str) -> frozenset[str]:
    """The ids that a reply names: H-0421, B-012."""
    return frozenset(re.findall(r"\b[A-Z]-\d{3,4}\b", reply.upper()))


def _together(exchanges: Sequence[Exchange]) -> Exchange:
    """A simulated person's part as one: what is expected of it may come in any of its exchanges."""
    return replace(
        exchanges[-1],
        reply="\n".join(exchange.reply for exchange in exchanges if exchange.reply),
        invoked=any(exchange.invoked for exchange in exchanges),
        calls=tuple(call for exchange in exchanges for call in exchange.calls),
        changes=tuple(change for exchange in exchanges for change in exchange.changes),
        seconds=max(exchange.seconds for exchange in exchanges),
    )


def sentence_with(words: str, text: str) -> str:
    """The sentence of a text in which the words are; its beginning where they are nowhere."""
    parts = re.split(r"(?<=[.!?])\s+|\n", text)
    return next((part for part in parts if words.lower() in part.lower()), text[:120]).strip()
