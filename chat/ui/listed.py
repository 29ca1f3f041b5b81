"""The list of conversations as HTML: pinned ones, folders, the rest under their days; and what a search found."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import TYPE_CHECKING
from urllib.parse import quote

from chat.ui.icons import icon
from chat.ui.language import _, month, number
from chat.ui.markup import escape

if TYPE_CHECKING:
    from chat.searching import Hit
    from chat.sessions import Session, Sessions

SHOWN = 60
"""Conversations that are listed at first, and how many more each time."""
MOST = 5_000
IN_FOLDER = 300
"""Conversations of one opened folder."""
ARCHIVE = "archive"
"""What the browser calls the archive among the folders that are open; those begin with a slash."""
AROUND = 40
"""Characters of a hit on each side of the word."""


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


def conversations(found: Listing) -> str:
    """The whole list."""
    parts = [f"<h3>{_('Pinned')}</h3>", *map(_entry, found.pinned)] if found.pinned else []
    parts += [_folder(f"/{name}", name, count, inside) for name, count, inside in found.folders]
    heading = ""
    for session in found.rest:
        if (day := _day(date.fromtimestamp(session.updated))) != heading:
            heading = day
            parts.append(f"<h3>{day}</h3>")
        parts.append(_entry(session))
    if found.more:
        parts.append(f'<button type="button" class="more" data-do="list-more">{_("Show more")}</button>')
    if found.archived[0]:
        parts.append(_folder(ARCHIVE, _("Archived"), *found.archived))
    return "".join(parts) or f'<p class="none">{_("Conversations appear here.")}</p>'


def hits(found: Sequence[Sequence[Hit]], search: str) -> str:
    """What a search found, by conversation; each hit leads to its place."""
    if not found:
        return f'<p class="none">{_("No conversation holds these words.")}</p>'
    words = search.split()
    return "".join(_entry(group[0].session) + "".join(_hit(hit, words) for hit in group if hit.turn) for group in found)


def _folder(key: str, name: str, count: int, inside: Sequence[Session]) -> str:
    sign, many = icon("archive" if key == ARCHIVE else "folder"), number(count)
    return (
        f'<details class="folder" data-key="folder-{escape(key)}" data-folder="{escape(key)}"'
        f'{" open" if inside else ""}><summary>{sign}<span dir="auto">{escape(name)}</span><small>{many}</small>'
        f"</summary>{''.join(map(_entry, inside))}</details>"
    )


def _entry(session: Session) -> str:
    title = escape(session.title or _("New conversation"))
    pin = icon("tack") if session.pinned else ""
    link = f'<a href="?c={quote(session.id, safe="")}" dir="auto">{pin}{title}</a>'
    return f'<div class="entry" data-session="{escape(session.id)}">{link}{_menu(session, title)}</div>'


def _menu(session: Session, title: str) -> str:
    key, path = escape(session.id), f"conversations/{quote(session.id, safe='')}"

    def item(do: str, words: str, **data: object) -> str:
        more = "".join(f' data-{name}="{value}"' for name, value in data.items())
        return f'<button role="menuitem" type="button" data-do="{do}" data-session="{key}"{more}>{words}</button>'

    label = _("More for {name}").format(name=title)
    filed = _("Take out of the archive") if session.archived else _("Archive")
    items = [
        item("rename", _("Rename")),
        item("pin", _("Unpin") if session.pinned else _("Pin"), value=int(not session.pinned)),
        item("folder", _("Move to a folder"), folder=escape(session.folder)),
        item("archive", filed, value=int(not session.archived)),
        item("share", _("Share")),
        f'<a role="menuitem" href="{path}.md" download>{_("Export Markdown")}</a>',
        f'<a role="menuitem" href="{path}.json" download>{_("Export JSON")}</a>',
        item("delete", _("Delete")).replace("<button", '<button class="grave"', 1),
    ]
    return (
        f'<details class="menu" data-key="menu-{key}"><summary class="b" aria-label="{label}">{icon("more")}'
        f'</summary><div role="menu">{"".join(items)}</div></details>'
    )


def _hit(hit: Hit, words: Sequence[str]) -> str:
    address = f"?c={quote(hit.session.id, safe='')}"
    return (
        f'<a class="hit" href="{address}" data-session="{escape(hit.session.id)}" data-turn="{hit.turn}" dir="auto">'
        f"{_marked(_around(hit.text, words), words)}</a>"
    )


def _around(text: str, words: Sequence[str]) -> str:
    """The part of the text in which the first of the words stands, on one line."""
    line = " ".join(text.split())
    at = max(0, line.casefold().find(words[0].casefold()))
    first, last = max(0, at - AROUND), at + len(words[0]) + AROUND
    return f"{'…' if first else ''}{line[first:last]}{'…' if last < len(line) else ''}"


def _marked(text: str, words: Sequence[str]) -> str:
    parts = re.split("(" + "|".join(map(re.escape, sorted(words, key=len, reverse=True))) + ")", text, flags=re.I)
    return "".join(f"<mark>{escape(part)}</mark>" if n % 2 else escape(part) for n, part in enumerate(parts))


def _day(day: date) -> str:
    today = date.today()
    if day >= today:
        return _("Today")
    if day == today - timedelta(days=1):
        return _("Yesterday")
    return _("This week") if day > today - timedelta(days=7) else month(day)
