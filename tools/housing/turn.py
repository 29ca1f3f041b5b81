"""What the readers of a turn look at: the words, the homes they point at, and what was said before."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from tools.desk import Desk
from tools.domains import Plan, said
from tools.housing import intents
from tools.housing.acts import acts, parts, plainly
from tools.housing.listings import Listings, home_ids
from tools.housing.names import find
from tools.housing.pointing import pointed
from tools.housing.spelling import spelled
from tools.housing.track import Track
from tools.housing.viewings import KIND
from tools.housing.wants import Wants, read_wants
from tools.ledger import Ledger

NAME = "housing"


@dataclass(frozen=True)
class Turn:
    """What the readers look at."""

    desk: Desk
    folder: Path
    track: Track
    meant: str = ""
    """The act that the turn is read as (tools/housing/acts.py); empty where the patterns alone decide."""

    @cached_property
    def said(self) -> str:
        return spelled(self.desk.said)

    @cached_property
    def acts(self) -> Mapping[str, float]:
        """Act -> probability; empty where there are no sentence vectors."""
        if self.desk.embed:  # all that this turn will be asked of is read at once, which takes half the time
            self.desk.embed([*map(plainly, parts(self.said)), *self.clauses])
        return acts(self.said, self.desk.embed)

    @cached_property
    def clauses(self) -> tuple[str, ...]:
        """The whole turn, then what it says and asks one after the other."""
        found = re.split(r"(?<=[.!?])\s+|,\s+(?=what|how|is|are|do|does|can|why|which)", self.said)
        return tuple(part for part in dict.fromkeys([self.said, *found]) if part.strip())

    @cached_property
    def wants(self) -> Wants:
        """The wishes in these words."""
        return read_wants(self.said, self.listings)

    @cached_property
    def district(self) -> str:
        """The first district that the words name; empty where they name none."""
        return next(iter(find(self.said, self.listings.districts())), "")

    @cached_property
    def reachable(self) -> bool:
        """A phone number or an email address is in the words."""
        found = intents.REACHABLE.search(self.said)
        if not found or home_ids(found[0]):
            return False
        asked = self.track.open in (("ask", "contact"), ("ask", "name"))
        return bool("@" in found[0] or re.match(r"[+(0]", found[0]) or asked or self.asks(intents.CONTACT))

    @cached_property
    def seen_to(self) -> set[str]:
        """The homes whose viewing was arranged, or arranged and cancelled."""
        return {str(entry.details["home"]) for entry in self.ledger.entries(KIND)}

    @cached_property
    def booked(self) -> bool:
        """This conversation has a viewing that is not cancelled."""
        return bool(self.ledger.entries(KIND, ended=False))

    def is_about(self, act: str, pattern: re.Pattern[str]) -> bool:
        """The head says so, or the pattern where it was not asked."""
        return self.meant == act or (not self.meant and self.asks(pattern))

    @cached_property
    def listings(self) -> Listings:
        return Listings(self.folder)

    @cached_property
    def named(self) -> list[str]:
        """The homes that the words themselves point at."""
        return self._pointed(False)

    @cached_property
    def homes(self) -> list[str]:
        """The homes meant, `it` included."""
        return self._pointed(True)

    @cached_property
    def ledger(self) -> Ledger:
        return Ledger(self.folder, self.desk.session, before=self.desk.sessions)

    def asks(self, pattern: re.Pattern[str]) -> bool:
        return bool(pattern.search(self.said))

    def _pointed(self, it: bool) -> list[str]:
        track = self.track
        return pointed(self.said, track.shown, track.focus, self.listings, it=it, among=track.among)


def focused(turn: Turn, homes: Sequence[str], *more: str) -> tuple[str, ...]:
    return (f"focus:{','.join(homes)}", *more) if homes else more


def ask(what: str, *moves: str, **values: str) -> Plan:
    return Plan(reply=said(NAME, f"ask {what}", **values), moves=(*moves, f"ask:{what}"))


def invitation(turn: Turn, home: str, *, eager: bool = False) -> Plan:
    """Once for a home, not twice in a row, never after a no, and not where a viewing is arranged already.

    `eager`: the person just said that they like it, which is reason enough to ask again.
    """
    known = turn.track
    just_now = known.open[0] == "invite" and not eager
    if home in turn.seen_to or known.refused or just_now or turn.listings.get(home).status != "available":
        return Plan()
    if (home in known.invited or known.sore) and not eager:
        return Plan()
    return Plan(add=said(NAME, "invite", home=home), moves=(f"invite:{home}",))
