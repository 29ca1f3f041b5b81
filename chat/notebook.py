"""What a person can see of the memory and do with it: list, search, show, edit, pin, forget, undo, export, import.

One list of wishes behind the command line, /api/memory and the page; everything goes in and out as JSON.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import datetime, timedelta, tzinfo
from functools import partial
from typing import Any, Literal, TypeVar

from chat.faults import ChatFault
from chat.note_imports import FORMAT, LONGEST, read
from chat.remembering import OFF, RESTORED
from memory.memory import ENDS, EVERYTHING, IMPORTED, KINDS, LEAVING, Filter, Note
from memory.store import UserMemory
from memory.undo import SECONDS

Wish = Callable[[UserMemory, Mapping[str, Any]], dict[str, Any]]
PAGE, MOST = 50, 10_000_000
MANY = 100
"""Ids that a list is narrowed down to."""
STATES: tuple[Literal["current", "former"], ...] = ("current", "former")
GONE, CORRECTED = "you took it out", "you corrected what it says"
CHANGING = frozenset({"edit", "confirm", "forget", "undo", "import"})
"""Further wishes after which what was found for the person may be otherwise."""
EDITABLE = ("text", "answer")


def fulfil(memory: UserMemory, wish: str, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Carries out one of WISHES. Raises ChatFault and MemoryFault with one sentence."""
    if wish not in WISHES:
        raise ChatFault(f"There is no `{wish[:60]}`; there are: {', '.join(WISHES)}.")
    answer = WISHES[wish](memory, asked)
    if wish in CHANGING and "asks" not in answer:
        memory.changed()
    return answer


def _list(memory: UserMemory, asked: Mapping[str, Any]) -> dict[str, Any]:
    """The newest notes, pinned ones first, from the number `skip` on; `ids`, `words`, `kind`, `state`, `since` and
    `until` narrow it down."""
    only, limit = _filter(asked, memory.zone), _number(asked, "limit") or PAGE
    found = memory.notes.page(only, limit + 1, _number(asked, "skip"))
    done, all_ = memory.vectors.progress
    return {
        "notes": [shown(note, memory.zone) for note in found[:limit]],
        "more": len(found) > limit,
        "found": memory.notes.count(only),
        "count": memory.notes.count(),
        "on": not memory.notes.meta(OFF),
        "bytes": memory.notes.size(),
        "indexing": f"{done} of {all_}" if all_ else "",
    }


def _show(memory: UserMemory, asked: Mapping[str, Any]) -> dict[str, Any]:
    return {"note": shown(_known(memory, asked), memory.zone)}


def _edit(memory: UserMemory, asked: Mapping[str, Any]) -> dict[str, Any]:
    note = _known(memory, asked)
    changes = _changes(note, asked)
    beside = [turn.id for turn in memory.notes.turns_of(note) if not turn.out]
    memory.undo.edited(note, beside)
    edited = replace(note, **changes)
    memory.keep([edited])
    memory.withdraw(beside, CORRECTED)
    return {"note": shown(edited, memory.zone), "undo": SECONDS}


def _changes(note: Note, asked: Mapping[str, Any]) -> dict[str, Any]:
    """What an edit makes of a note, which says no less than before. Raises ChatFault."""
    new = {name: str(asked[name]).strip() for name in EDITABLE if asked.get(name) is not None}
    about = {**note.about, "edited": "yes"} if note.kind == "fact" else note.about
    if note.kind == "fact" and new.get("text"):
        head, value = _parted(note, new["text"])
        new["text"] = f"{head} {value}"
        about = {**about, "quote": new["text"], "value": value}
    emptied = any(getattr(note, name) and not value for name, value in new.items()) or not about.get("value", "-")
    answers = new.get("answer") and not note.answer
    if not new or emptied or answers or max(map(len, new.values())) > LONGEST:
        raise ChatFault(
            "Say what the note is to hold: its text, of a result its answer, of a fact its value, "
            f"in at most {LONGEST:,} characters."
        )
    return {**new, "about": about}


def _parted(note: Note, text: str) -> tuple[str, str]:
    """What a fact is about, as it is written, and the value: all of a text that is not written as facts are."""
    head = f"{note.about.get('subject', '')}, {note.about.get('attribute', '')}:"
    own = ":".join(note.text.split(":")[: head.count(":")]) + ":"
    said = text.split(":", head.count(":"))[-1].removesuffix(f" ({note.about.get('quote', '')})")
    value = said if text.casefold().startswith(head.casefold()) else text
    return own if own.casefold() == head.casefold() else head, value.strip()


def _pin(memory: UserMemory, asked: Mapping[str, Any]) -> dict[str, Any]:
    note = _known(memory, asked)
    memory.notes.pin(note.id, bool(asked.get("on", True)))
    return _show(memory, asked)


def _withdraw(memory: UserMemory, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Takes a note out: it is not given any more, and `restore` brings it back."""
    note = _known(memory, asked)
    turns = [turn.id for turn in memory.notes.turns_of(note) if not turn.out]
    memory.withdraw([note.id, *turns], str(asked.get("why") or GONE))
    return _show(memory, asked)


def _restore(memory: UserMemory, asked: Mapping[str, Any]) -> dict[str, Any]:
    """With what of its turn went for the same reason; from now on that it was taken back takes it out no more. A fact
    that was closed by another holds again, where no newer one of the same attribute does."""
    note = _known(memory, asked)
    closed = bool(note.about.get("until")) and not (note.out or note.about.get(ENDS))
    for one in [note, *(turn for turn in memory.notes.turns_of(note) if turn.out and turn.out == note.out)]:
        opened = {"until": "", "by": ""} if closed and one is note else {}
        memory.keep([replace(one, about={**one.about, **opened, RESTORED: "yes"})])
        memory.restore([one.id])
    return _show(memory, asked)


def _forget(memory: UserMemory, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Deletes what `id`, `ids` or the filters of `list` name, and only once it was confirmed; `undo` brings it back."""
    ids = _meant(memory, asked)
    whole = memory.notes.with_their_turns(ids)
    if not asked.get("sure"):
        beside = f", with {_notes(len(whole) - len(ids))} of the same turns" if len(whole) > len(ids) else ""
        asks = f"{_notes(len(ids))} will be deleted for good{beside}."
        return {"asks": asks, "ids": ids, "beside": len(whole) - len(ids)}
    memory.undo.leave(whole)
    if asked.get("all") and not memory.notes.count():  # everything: there may be more that nobody can read
        memory.forget_aside()
    return {"forgotten": len(whole), "undo": SECONDS}


def _undo(memory: UserMemory, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Takes back the last edit, or a deletion while it can be."""
    if not (ids := memory.undo.back()):
        raise ChatFault(f"There is nothing to undo: a deletion can be taken back for {SECONDS / 60:.0f} minutes.")
    return {"undone": len(ids)}


def _switch(off: str, memory: UserMemory, asked: Mapping[str, Any]) -> dict[str, Any]:
    """With OFF nothing is remembered and nothing recalled from now on; what is kept stays as it is."""
    memory.notes.set_meta(OFF, off)
    return {"on": not off}


def _export(memory: UserMemory, asked: Mapping[str, Any]) -> dict[str, Any]:
    """In the order of what was said, in which an import puts turns beside each other."""
    kept = sorted(memory.notes.page(limit=MOST), key=lambda note: note.at, reverse=True)[::-1]
    return {"format": FORMAT, "notes": [asdict(note) for note in kept]}


def _import(memory: UserMemory, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Takes in what is new of an export; what is here stays as it is, what was deleted here stays deleted."""
    here, gone = memory.notes.of, set(memory.notes.gone())
    notes = read(asked, lambda ids: gone | {note.id for note in here(ids)}, datetime.now(memory.zone))
    memory.keep(notes)
    return {"imported": len(notes), "read": len(asked["notes"])}


def _confirm(memory: UserMemory, asked: Mapping[str, Any]) -> dict[str, Any]:
    """An imported note is as good as one of here from now on: of facts of one attribute the newest holds, a result is
    as good as any model's."""
    note = _known(memory, asked)
    about = {name: value for name, value in note.about.items() if name != IMPORTED}
    about |= {"strength": "1"} if note.kind == "result" else {}
    memory.keep([replace(note, about=about)])
    if not note.out:
        memory.restore([note.id])
    return _show(memory, asked)


WISHES: dict[str, Wish] = {
    "list": _list, "search": _list, "show": _show, "edit": _edit, "pin": _pin, "withdraw": _withdraw,
    "restore": _restore, "confirm": _confirm, "forget": _forget, "undo": _undo, "export": _export,
    "import": _import, "on": partial(_switch, ""), "off": partial(_switch, OFF),
}  # fmt: skip


def shown(note: Note, zone: tzinfo | None) -> dict[str, Any]:
    """A note as JSON, with its day and whether it is current."""
    return {
        **asdict(note),
        "day": f"{datetime.fromtimestamp(note.at, zone):%Y-%m-%d %H:%M}",
        "current": note.current,
        "imported": note.imported,
    }


def _known(memory: UserMemory, asked: Mapping[str, Any]) -> Note:
    note = memory.notes.get(str(asked.get("id") or ""))
    if note is None or note.out == LEAVING:
        raise ChatFault(f"There is no note `{str(asked.get('id') or '')[:60]}`: list them to see what is kept.")
    return note


def _meant(memory: UserMemory, asked: Mapping[str, Any]) -> list[str]:
    if asked.get("id"):
        return [_known(memory, asked).id]
    if isinstance(ids := asked.get("ids"), list):
        return [note.id for note in memory.notes.of(list(map(str, ids))) if note.out != LEAVING]
    only = _filter(asked, memory.zone)
    if only == EVERYTHING and not asked.get("all"):
        raise ChatFault("Say what to forget: a note's id, words that all its text holds, or everything.")
    return memory.notes.matching(only)


def _filter(asked: Mapping[str, Any], zone: tzinfo | None) -> Filter:
    kind, state = _one_of(KINDS, "kind", asked), _one_of(STATES, "state", asked)
    return Filter(
        (kind,) if kind else KINDS,
        str(asked.get("words") or "").strip(),
        seconds(asked.get("since"), zone),
        seconds(asked.get("until"), zone, days=1),
        state or "",
        tuple(map(str, ids[:MANY])) if isinstance(ids := asked.get("ids"), list) else None,
    )


Choice = TypeVar("Choice", bound=str)


def _one_of(choices: Sequence[Choice], name: str, asked: Mapping[str, Any]) -> Choice | None:
    """None where nothing is said."""
    if not (said := str(asked.get(name) or "")):
        return None
    for choice in choices:
        if said == choice:
            return choice
    raise ChatFault(f"There is no {name} `{said[:60]}`; there are: {', '.join(choices)}.")


def _notes(count: int) -> str:
    return f"{count} note{'s' * (count != 1)}"


def _number(asked: Mapping[str, Any], name: str) -> int:
    """How many; 0 where nothing is said."""
    try:
        return min(MOST, max(0, int(asked.get(name) or 0)))
    except (TypeError, ValueError, OverflowError) as fault:
        raise ChatFault(f"`{str(asked[name])[:60]}` is no number for `{name}`: write it as 20.") from fault


def seconds(day: Any, zone: tzinfo | None, days: int = 0) -> float:
    """When a day begins, or so many days later; 0 where none is named. Raises ChatFault."""
    if not day:
        return 0.0
    try:
        at = datetime.fromisoformat(str(day))
        return (at.replace(tzinfo=at.tzinfo or zone) + timedelta(days=days)).timestamp()
    except (ValueError, OverflowError) as fault:
        raise ChatFault(f"`{str(day)[:60]}` is no day: write it as 2026-05-01.") from fault


def as_text(answer: Mapping[str, Any]) -> str:
    """An answer for a terminal."""
    if "notes" in answer and "format" not in answer:
        lines = [_line(note) for note in answer["notes"]]
        more = "; --limit N shows more" if answer.get("more") else ""
        count = f"{len(lines)} of {answer['count']}" if len(lines) < answer["count"] else answer["count"]
        return "\n".join([*lines, f"{count} notes, {answer['bytes'] / 1e6:.1f} MB{more}"])
    if "note" in answer:
        return "\n".join(
            f"{name}: {value}" for name, value in answer["note"].items() if value not in ("", {}, 0, False)
        )
    if set(answer) == {"on"}:
        return f"The memory is {'on' if answer['on'] else 'off: nothing is remembered, nothing recalled'}."
    if "asks" in answer:
        return str(answer["asks"])
    if "read" in answer:
        return f"{answer['imported']} of {_notes(answer['read'])} imported."
    [(done, count), *_] = answer.items()
    return f"{_notes(count)} {done}."


def _line(note: Mapping[str, Any]) -> str:
    state = " [imported]" * note["imported"]
    state += "" if note["current"] else f" [out: {note['out'] or 'no longer so'}]"
    answer = f" -> {note['answer']}" if note["answer"] else ""
    return f"{note['id']}  {note['day']}  {note['kind']}  {note['speaker']}  {note['text'][:160]}{answer[:160]}{state}"
