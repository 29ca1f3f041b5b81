"""The list of conversations as HTML: pinned ones, folders, the rest under their days; and what a search found."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta, tzinfo
from functools import lru_cache
from itertools import groupby
from typing import Any

from markupsafe import Markup

from chat.sessions import Hit, Session, Sessions
from chat.ui.drawing import macros
from chat.ui.language import _, language, month

SHOWN = 60
"""Conversations that are listed at first, and how many more each time."""
MOST = 5_000
IN_FOLDER = 300
"""Conversations of one opened folder."""
ARCHIVE = "archive"
"""What the browser calls the archive among the folders that are open; those begin with a slash."""
AROUND = 40
"""Characters of a hit on each side of the word."""


@lru_cache(maxsize=MOST)
def entry(session: Session, _language: str) -> Markup:
    """One conversation's; the list is drawn often, and few of them change."""
    return Markup(macros("listed.html", **_HELPERS).entry(session))  # nosec B704


@dataclass(frozen=True)
class Listing:
    """What stands in the list."""

    pinned: Sequence[Session] = ()
    folders: Sequence[tuple[str, int, Sequence[Session]]] = ()
    """(name, conversations in it, those that are shown)."""
    rest: Sequence[Session] = ()
    more: bool = False
    archived: tuple[int, Sequence[Session]] = field(default=(0, ()))


def listing(of: Sessions, user: str, shown: int, opened: Sequence[str]) -> Listing:
    """`shown`: how many of the rest; `opened`: folders, and the archive, whose conversations are shown."""

    def within(folder: str) -> Sequence[Session]:
        if f"/{folder}" not in opened:
            return ()
        return of.sessions(user, IN_FOLDER, archived=False, pinned=False, folder=folder)

    rest = of.sessions(user, shown + 1, archived=False, pinned=False, folder="")
    return Listing(
        of.sessions(user, IN_FOLDER, archived=False, pinned=True),
        [(name, count, within(name)) for name, count in of.folders(user).items()],
        rest[:shown],
        len(rest) > shown,
        (of.counted(user, archived=True), of.sessions(user, IN_FOLDER, archived=True) if ARCHIVE in opened else ()),
    )


def conversations(found: Listing, zone: tzinfo | None = None) -> str:
    """The whole list, by days of this zone, or of this machine's."""
    today = datetime.now(zone).date()
    days = groupby(found.rest, key=lambda session: _day(datetime.fromtimestamp(session.updated, zone).date(), today))
    return str(macros("listed.html", **_HELPERS).conversations(found, days))


def hits(found: Sequence[Sequence[Hit]], search: str) -> str:
    """What a search found, by conversation; each hit leads to its place."""
    return str(macros("listed.html", **_HELPERS).hits(found, search.split()))


def around(text: str, words: Sequence[str]) -> list[str]:
    """The part of the text in which the first of the words stands, on one line: what stands between words, and words,
    in turn."""
    line = " ".join(text.split())
    at = found.start() if (found := re.search(re.escape(words[0]), line, re.I)) else 0
    first, last = max(0, at - AROUND), at + len(words[0]) + AROUND
    shown = f"{'…' if first else ''}{line[first:last]}{'…' if last < len(line) else ''}"
    either = "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
    return re.split(f"({either})", shown, flags=re.I)


def _day(day: date, today: date) -> str:
    if day >= today:
        return _("Today")
    if day == today - timedelta(days=1):
        return _("Yesterday")
    return _("This week") if day > today - timedelta(days=7) else month(day)


_HELPERS: dict[str, Any] = {"around": around, "drawn_entry": lambda session: entry(session, language())}
