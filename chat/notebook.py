"""What a person can see of the memory and do with it: list, search, show, edit, pin, forget, undo, export, import.

One list of wishes behind the command line, /api/memory and the page; everything goes in and out as JSON.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, fields
from datetime import datetime, timedelta
from typing import Any

from chat.faults import ChatFault
from memory.memory import KINDS, MemoryFault, Note
from memory.store import UserMemory

Wish = Callable[[UserMemory, Mapping[str, Any]], dict[str, Any]]
PAGE, MOST = 50, 10_000_000
FORMAT = "duet-memory-1"
GONE = "you took it out"
EDITABLE = ("text", "answer")


def fulfil(memory: UserMemory, wish: str, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Carries out one of WISHES. Raises ChatFault with one sentence."""
    if wish not in WISHES:
        raise ChatFault(f"There is no `{wish[:60]}`; there are: {', '.join(WISHES)}.")
    try:
        return WISHES[wish](memory, asked)
    except MemoryFault as fault:
        raise ChatFault(str(fault)) from fault


def _list(memory: UserMemory, asked: Mapping[str, Any]) -> dict[str, Any]:
    """The newest notes, pinned ones first; `words`, `kind`, `since`, `until`, `skip` narrow it down."""
    kind = str(asked.get("kind") or "")
    if kind and kind not in KINDS:
        raise ChatFault(f"There is no kind `{kind[:60]}`; there are: {', '.join(KINDS)}.")
    kinds = tuple(each for each in KINDS if not kind or each == kind)
    limit = _number(asked, "limit") or PAGE
    found = memory.notes.page(
        kinds,
        words=str(asked.get("words") or ""),
        since=_seconds(asked.get("since")),
        until=_seconds(asked.get("until"), days=1),
        limit=limit + 1,
        skip=_number(asked, "skip"),
    )
    done, all_ = memory.progress
    return {
        "notes": [shown(note) for note in found[:limit]],
        "more": len(found) > limit,
        "count": memory.notes.count(),
        "bytes": memory.notes.size(),
        "indexing": f"{done} of {all_}" if all_ else "",
    }


def _show(memory: UserMemory, asked: Mapping[str, Any]) -> dict[str, Any]:
    return {"note": shown(_known(memory, asked))}


def _edit(memory: UserMemory, asked: Mapping[str, Any]) -> dict[str, Any]:
    note = _known(memory, asked)
    changed = {name: str(asked[name]).strip() for name in EDITABLE if asked.get(name) is not None}
    if not changed or not changed.get("text", note.text):
        raise ChatFault("Say what the note is to hold: its text, or of a result its answer.")
    about = {**note.about, "edited": "yes", "quote": changed.get("text", note.about.get("quote", ""))}
    return {"note": shown(memory.edit(note.id, about=about if note.kind == "fact" else note.about, **changed))}


def _pin(memory: UserMemory, asked: Mapping[str, Any]) -> dict[str, Any]:
    note = _known(memory, asked)
    memory.notes.pin(note.id, bool(asked.get("on", True)))
    return _show(memory, asked)


def _withdraw(memory: UserMemory, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Takes a note out: it is not given any more, and `restore` brings it back."""
    memory.withdraw([_known(memory, asked).id], str(asked.get("why") or GONE))
    return _show(memory, asked)


def _restore(memory: UserMemory, asked: Mapping[str, Any]) -> dict[str, Any]:
    memory.restore([_known(memory, asked).id])
    return _show(memory, asked)


def _forget(memory: UserMemory, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Deletes for good, and only what was confirmed."""
    ids = [_known(memory, asked).id] if asked.get("id") else [note.id for note in _matching(memory, asked)]
    if not asked.get("sure"):
        return {"asks": f"{len(ids)} note{'s' * (len(ids) != 1)} will be deleted for good.", "ids": ids}
    memory.forget(ids)
    return {"forgotten": len(ids)}


def _export(memory: UserMemory, asked: Mapping[str, Any]) -> dict[str, Any]:
    notes = memory.notes.page(KINDS, limit=MOST)
    return {"format": FORMAT, "notes": [asdict(note) for note in reversed(notes)], "forgotten": memory.notes.gone()}


def _import(memory: UserMemory, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Takes in an export; what was deleted here stays deleted, and what it says was deleted goes here too."""
    if asked.get("format") != FORMAT or not isinstance(asked.get("notes"), list):
        raise ChatFault(f"This is no export of a memory: it has to say `{FORMAT}` and hold notes.")
    names = {field.name for field in fields(Note)}
    try:
        notes = [
            _checked(Note(**{name: value for name, value in note.items() if name in names})) for note in asked["notes"]
        ]
    except (TypeError, AttributeError) as fault:
        raise ChatFault(f"A note of this export cannot be read ({fault}).") from fault
    memory.forget([str(each) for each in asked.get("forgotten") or ()])
    before = memory.notes.count()
    memory.keep(notes)
    return {"imported": memory.notes.count() - before, "read": len(notes)}


WISHES: dict[str, Wish] = {
    "list": _list, "search": _list, "show": _show, "edit": _edit, "pin": _pin, "withdraw": _withdraw,
    "restore": _restore, "forget": _forget, "export": _export, "import": _import,
}  # fmt: skip


def shown(note: Note) -> dict[str, Any]:
    """A note as JSON, with its day and whether it is current."""
    return {
        **asdict(note),
        "day": f"{datetime.fromtimestamp(note.at).astimezone():%Y-%m-%d %H:%M}",
        "current": note.current,
    }


def _known(memory: UserMemory, asked: Mapping[str, Any]) -> Note:
    note = memory.notes.get(str(asked.get("id") or ""))
    if note is None:
        raise ChatFault(f"There is no note `{str(asked.get('id') or '')[:60]}`: list them to see what is kept.")
    return note


def _matching(memory: UserMemory, asked: Mapping[str, Any]) -> list[Note]:
    words = str(asked.get("words") or "").strip()
    if not words and not asked.get("all"):
        raise ChatFault("Say what to forget: a note's id, words that all its text holds, or everything.")
    return memory.notes.page(KINDS, words=words, limit=MOST)


def _checked(note: Note) -> Note:
    """An import brings notes, not orders: of every kind only what this program itself would keep."""
    texts = (note.id, note.text, note.answer, note.session, note.speaker, note.out)
    tables = (note.depends, note.about)
    sound = note.kind in KINDS and all(isinstance(text, str) for text in texts) and _is_time(note.at)
    sound = sound and isinstance(note.turn, int) and 0 <= note.turn < MOST and isinstance(note.pinned, int)
    if not sound or not all(_is_table(table) for table in tables) or not note.id:
        raise TypeError("its fields are of other types")
    return note


def _is_time(at: object) -> bool:
    """Seconds that a calendar can show."""
    return isinstance(at, int | float) and 0 <= at < 2.5e11


def _is_table(table: object) -> bool:
    return isinstance(table, dict) and all(isinstance(value, str) for value in table.values())


def _number(asked: Mapping[str, Any], name: str) -> int:
    """How many; 0 where nothing is said."""
    try:
        return min(MOST, max(0, int(asked.get(name) or 0)))
    except (TypeError, ValueError, OverflowError) as fault:
        raise ChatFault(f"`{str(asked[name])[:60]}` is no number for `{name}`: write it as 20.") from fault


def _seconds(day: Any, days: int = 0) -> float:
    if not day:
        return 0.0
    try:
        return (datetime.fromisoformat(str(day)).astimezone() + timedelta(days=days)).timestamp()
    except (ValueError, OverflowError) as fault:
        raise ChatFault(f"`{str(day)[:60]}` is no day: write it as 2026-05-01.") from fault


def as_text(answer: Mapping[str, Any]) -> str:
    """An answer for a terminal."""
    if "notes" in answer and "format" not in answer:
        lines = [_line(note) for note in answer["notes"]]
        return "\n".join([*lines, f"{answer['count']} notes, {answer['bytes'] / 1e6:.1f} MB"])
    if "note" in answer:
        return "\n".join(
            f"{name}: {value}" for name, value in answer["note"].items() if value not in ("", {}, 0, False)
        )
    return str(answer["asks"]) if "asks" in answer else json.dumps(answer, ensure_ascii=False, indent=1)


def _line(note: Mapping[str, Any]) -> str:
    state = "" if note["current"] else f" [out: {note['out'] or 'no longer so'}]"
    answer = f" -> {note['answer']}" if note["answer"] else ""
    return f"{note['id']}  {note['day']}  {note['kind']}  {note['speaker']}  {note['text'][:160]}{answer[:160]}{state}"
