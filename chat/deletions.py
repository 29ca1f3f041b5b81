"""What a person had deleted stays deleted: its id is written down, without a word of it, so that no backup brings it
back; its words are taken out of the transcript, whose turns stay as places that say so.
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, delete, select, update

from chat.tables import MODEL, WORDS, events, picture_ids, pictures, sessions, turns

REMOVED = "removed"
WIPED = "wiped"
"""The kind of a line which says that of all deletions above it no word is left in the search index."""


def id_of(user: str) -> str:
    """Of a person who was deleted: the name itself may be an address."""
    return sha256(user.encode("utf-8", "surrogatepass")).hexdigest()


def record_deletion(home: Path, kind: str, *names: str) -> None:
    """Written down before it happens; `kind` is session, document, share, picture, turn or person. Ids only."""
    lines = "".join(json.dumps({"kind": kind, "id": name}) + "\n" for name in names)
    data = f"\n{lines}".encode()  # the line before may have been cut off
    file = os.open(home / "deletions.jsonl", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        if os.write(file, data) != len(data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        os.fsync(file)
    finally:
        os.close(file)


def deletions(home: Path) -> list[tuple[str, str]]:
    """(kind, id), oldest first; a line that was cut off is none."""
    found = []
    with suppress(OSError):
        for line in (home / "deletions.jsonl").read_text("utf-8", "replace").splitlines():
            with suppress(ValueError, KeyError, TypeError, RecursionError):
                data = json.loads(line)
                found.append((str(data["kind"]), str(data["id"])))
    return found


def are_wiped(gone: Sequence[tuple[str, str]]) -> bool:
    """Whether no word of these deletions is left in the search index."""
    kinds = [kind for kind, _ in gone if kind in ("session", "turn", WIPED)]
    return not kinds or kinds[-1] == WIPED


def remove_words(db: Connection, session: str, turn: int) -> bool:
    """The words of a turn and of all that was said and thought for it; what was done in a world stays, without words.

    False where there is no such turn, or nothing left of it. A summary may hold them too: it is made again.
    """
    this = (turns.c.session == session, turns.c.number == turn)
    row = db.execute(select(turns.c.said, turns.c.parent).where(*this)).first()
    if row is None or row.said == REMOVED:
        return False
    db.execute(update(turns).where(*this).values(said=REMOVED))
    _untitle(db, session, row.said, first=not row.parent)
    db.execute(delete(events).where(events.c.session == session, events.c.kind == "summary"))
    of_turn = (events.c.session == session, events.c.turn == turn)
    for seq, kind, data in db.execute(select(events.c.seq, events.c.kind, events.c.data).where(*of_turn)).all():
        left, one = _left(kind, data), events.c.seq == seq
        if shown := set(picture_ids(data)):
            others = select(events.c.data).where(
                events.c.session == session, events.c.turn != turn, events.c.kind == "turn"
            )
            alone = shown.difference(*map(picture_ids, db.scalars(others)))  # what another turn shows stays for it
            db.execute(delete(pictures).where(pictures.c.session == session, pictures.c.id.in_(alone)))
        db.execute(delete(events).where(one) if left is None else update(events).where(one).values(data=left))
    return True


def _untitle(db: Connection, session: str, said: str, *, first: bool) -> None:
    """A title made of a turn goes with it: its first words, or what the fast mind made of a first turn, whichever
    version of it was in view then. What is left may be named."""
    this = sessions.c.id == session
    title, named_by = db.execute(select(sessions.c.title, sessions.c.named_by).where(this)).one()
    words = bool(title) and " ".join(said.split()).startswith(title.removesuffix("…"))
    if words or (first and named_by == MODEL):
        db.execute(update(sessions).where(this).values(title=REMOVED, named_by=WORDS))


def _left(kind: str, data: Mapping[str, Any]) -> dict[str, Any] | None:
    """What stays of an event; None for nothing."""
    if kind == "turn":
        return {"text": REMOVED, REMOVED: True} | _some(data, "edits")
    if kind == "reply" and data.get("final"):
        kept = _some(data, "by", "episode", "seconds", "tokens", "calls")
        return {**kept, "text": REMOVED, "invoke": False, "final": True, "off_record": True, REMOVED: True}
    if kind == "step" and "episode" in data:
        return {**data, "thought": ""}
    return dict(data) if kind in ("world", "end", "superseded") else None


def _some(data: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: data[name] for name in names if name in data}
