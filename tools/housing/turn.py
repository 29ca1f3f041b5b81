"""What the readers of a turn look at: the words, the homes they point at, and what was said before."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from tools.desk import Desk
from tools.domains import Plan, said
from tools.housing.listings import Listings
from tools.housing.pointing import pointed
from tools.housing.track import Track
from tools.housing.viewings import KIND
from tools.ledger import Ledger

NAME = "housing"


@dataclass(frozen=True)
class Turn:
    """What the readers look at."""

    desk: Desk
    folder: Path
    track: Track

    @property
    def said(self) -> str:
        return self.desk.said.replace("’", "'")

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
        return Ledger(self.folder, self.desk.session)

    def asks(self, pattern: re.Pattern[str]) -> bool:
        return bool(pattern.search(self.said))

    def _pointed(self, it: bool) -> list[str]:
        return pointed(self.said, self.track.shown, self.track.focus, self.listings, it=it)


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
    if known.refused or home in known.invited or just_now or turn.listings.get(home).status != "available":
        return Plan()
    if any(entry.details["home"] == home for entry in turn.ledger.entries(KIND, ended=False)):
        return Plan()
    return Plan(add=said(NAME, "invite", home=home), moves=(f"invite:{home}",))
