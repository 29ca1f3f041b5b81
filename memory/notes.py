"""One user's notes in SQLite: the truth of the memory. FTS5 (BM25 over stemmed words) searches them at once.

What is searched of a turn are its words between those of the turns beside it: the reply to a question holds few of
the question's words.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.dialects.sqlite import insert as upsert

from memory.faults import plain_faults
from memory.memory import ASSISTANT, ENDS, EVERYTHING, LEAVING, Filter, Kind, Note
from memory.tables import NOTES, TOLD_AGAIN, gone, meta, notes
from memory.tables import words as _words
from memory.written import within
from storage.engine import WAL, Store, key_of, parts

MATCHES = 4_000
"""Notes that the words of one search may match, rarest words first: what keeps it quick among 100,000 notes."""
_FIELDS = [notes.c[field.name] for field in fields(Note)]
_NOTE = sa.select(*_FIELDS)
_NEWEST = (notes.c.pinned.desc(), notes.c.at.desc(), notes.c.seq.desc())
_MATCH = sa.text("words MATCH :words")
_HOLDS = sa.text(
    "NOT EXISTS (SELECT 1 FROM json_each(notes.depends) AS needed"
    " LEFT JOIN json_each(:here) AS given ON given.key = needed.key WHERE given.value IS NOT needed.value)"
)
"""As memory.holds says."""
_COUNTS = sa.text(
    "SELECT given.value, (SELECT count(*) FROM (SELECT 1 FROM words WHERE words MATCH given.value LIMIT :most))"
    " FROM json_each(:given) AS given"
)
"""FTS5 stems what it is asked for, its vocabulary holds stems: asking for the word itself is the sure way."""
_TO_INDEX = ~notes.c.indexed
_KNOWN = sa.select(notes.c.seq).where(notes.c.id == sa.bindparam("id_"))
_IS_GONE = sa.select(gone.c.at).where(gone.c.id == sa.bindparam("id_"))
_beside = {side: notes.alias(side) for side in ("before", "after")}
_BESIDE = sa.select(notes.c.before, notes.c.after)
_SAID = (
    sa.select(
        notes.c.text + " " + notes.c.answer,
        sa.func.coalesce(_beside["before"].c.text, "") + " " + sa.func.coalesce(_beside["after"].c.text, ""),
    )
    .outerjoin(_beside["before"], _beside["before"].c.seq == notes.c.before)
    .outerjoin(_beside["after"], _beside["after"].c.seq == notes.c.after)
    .where(notes.c.seq == sa.bindparam("seq_"))
)
# What every turn asks is put together once: that takes longer than asking.
_TAKE_WORDS, _PUT_WORDS = sa.delete(_words).where(_words.c.rowid == sa.bindparam("seq_")), sa.insert(_words)
_NEW = sa.insert(notes)
_EARLIER = (notes.c.session == sa.bindparam("session_"), notes.c.seq < sa.bindparam("seq_"), notes.c.kind == "turn")
_LAST = sa.select(notes.c.seq).where(*_EARLIER).order_by(notes.c.seq.desc()).limit(1)
_THIS = sa.update(notes).where(notes.c.seq == sa.bindparam("seq_"))
_BEHIND, _BEFORE = _THIS.values(before=sa.bindparam("other")), _THIS.values(after=sa.bindparam("other"))
_META = sa.select(meta.c.value).where(meta.c.name == sa.bindparam("name_"))
_RANKED = sa.text(
    "WITH found AS (SELECT * FROM notes WHERE out = '' AND seq IN (SELECT value FROM json_each(:seqs)))"
    " SELECT seq, id, kind, text, at, session, speaker, pinned, coalesce(before, 0), coalesce(after, 0), vector"
    " FROM notes WHERE out = ''"
    " AND seq IN (SELECT seq FROM found UNION SELECT before FROM found UNION SELECT after FROM found)"
)
"""A list that is handed over as one text costs a tenth of a parameter for each."""
_ENDED = sa.and_(notes.c.out == "", sa.func.coalesce(notes.c.about["until"].as_string(), "") != "")
_NOTHING = '""'


class Row(NamedTuple):
    """What a note is ranked by."""

    seq: int
    id: str
    kind: Kind
    text: str
    at: float
    session: str
    speaker: str
    pinned: bool
    before: int
    after: int
    """The turns beside it in its conversation; 0 for none."""
    vector: bytes | None
    """float16, unit length; None where it is not made yet."""


class Notes(Store):
    """One file. Every method may be called from any thread; raises MemoryFault."""

    def __init__(self, path: Path) -> None:
        with plain_faults(path.parent):
            super().__init__(path, _settled, *WAL, "secure_delete=ON")

    def close(self) -> None:
        with plain_faults(self.path.parent):
            super().close()

    # -- writing

    def keep(self, notes: Iterable[Note]) -> list[int]:
        """Stores notes; one with a known id is replaced, one that was deleted for good stays deleted. Their seqs."""
        with self._transaction() as db:
            return [seq for note in notes if (seq := self._keep(db, note))]

    def mark(self, ids: Sequence[str], why: str) -> None:
        """Takes notes out, for `why`, or brings them back with an empty one."""
        if ids:
            change = sa.update(notes).where(notes.c.id == sa.bindparam("id_")).values(out=_storable(why))
            self._write(change, [{"id_": _storable(each)} for each in ids])

    def pin(self, id_: str, pinned: bool) -> None:
        self._write(sa.update(notes).where(notes.c.id == id_).values(pinned=pinned))

    def delete(self, ids: Sequence[str], *, everywhere: bool = True) -> list[int]:
        """Removes notes for good, words and all; whatever brings them back finds them refused. Their seqs.

        `everywhere`: what else was made of them is to go too; of the others the time is negative.
        """
        at = time.time() if everywhere else -time.time()
        seqs = [seq for part in parts(ids) for seq in self._delete(list(map(_storable, part)), at)]
        if seqs:
            self.sweep()
        return seqs

    def sweep(self) -> None:
        """No word is left on the disk of what was deleted or written anew: else the index keeps it until it merges its
        parts. It takes 10 ms for 1,000 notes, up to a second for 100,000."""
        self._write(sa.text("INSERT INTO words(words) VALUES ('optimize')"))
        self._read(sa.text("PRAGMA wal_checkpoint(TRUNCATE)"))

    def with_their_turns(self, ids: Sequence[str]) -> list[str]:
        """These and what else the turns that told them left: of a fact's turns no fact that says something else."""
        turns = defaultdict[tuple[str, int], list[Note]](list)
        for note in self.of(ids):
            for place in filter(all, note.places):
                turns[place].append(note)
        beside = self._in(notes.c.session, list({session for session, _ in turns}))
        found = [n.id for n in beside if any(_says_the_same(one, n) for one in turns.get((n.session, n.turn), ()))]
        return list(dict.fromkeys([*map(_storable, ids), *found]))

    def turns_of(self, note: Note) -> list[Note]:
        """Of a fact: the turns that say it; of a result: the reply that tells it."""
        found = self.of(self.with_their_turns([note.id])) if note.kind in ("fact", "result") else []
        return [n for n in found if n.kind == "turn" and (note.kind == "fact" or n.speaker == ASSISTANT)]

    def of(self, ids: Sequence[str]) -> list[Note]:
        """In their order; unknown ones are left out."""
        found = {note.id: note for note in self._in(notes.c.id, list(map(_storable, ids)))}
        return [found[id_] for id_ in dict.fromkeys(map(_storable, ids)) if id_ in found]

    def former(self, told: Iterable[Note]) -> dict[tuple[str, int], list[tuple[Note, Note | None]]]:
        """Of the turns (session, number) that notes come from: facts told there that no longer hold, each with the one
        that does now, or that told its end."""
        turns = {(n.session, n.turn) for n in told}
        found = defaultdict[tuple[str, int], list[tuple[Note, Note | None]]](list)
        if not turns:
            return found
        ended = self._in(notes.c.session, list({session for session, _ in turns}), _ENDED)
        again = self._notes(_NOTE.where(TOLD_AGAIN, _ENDED))
        for old in {note.id: note for note in (*ended, *again)}.values():
            for place in turns.intersection(() if old.about.get(ENDS) else old.places):
                found[place].append((old, self._now(old)))
        return found

    def _now(self, old: Note) -> Note | None:
        """What took its place, and the place of that, up to what told its end."""
        last: Note | None = old
        for _ in range(20):  # what was edited by hand may stand in a circle
            if last is None or last.out or last.current or last.about.get(ENDS):
                return None if last is None or last.out else last
            last = self.get(last.about.get("by", ""))
        return None

    def _in(self, column: sa.ColumnElement[str], values: Sequence[str], *more: sa.ColumnElement[bool]) -> list[Note]:
        listed = sa.func.json_each(json.dumps(values)).table_valued("value")
        return self._notes(_NOTE.where(column.in_(sa.select(listed.c.value)), *more))

    def _keep(self, db: sa.Connection, note: Note) -> int:
        if db.scalar(_IS_GONE, {"id_": note.id}):
            return 0
        if seq := int(db.scalar(_KNOWN, {"id_": note.id}) or 0):
            changed = sa.update(notes).where(notes.c.seq == seq).values(vector=None, indexed=False)
            db.execute(changed, _values(note))
            self._write_beside(db, *db.execute(_BESIDE.where(notes.c.seq == seq)).one())
        else:
            seq = key_of(db.execute(_NEW, _values(note)))
            if note.kind == "turn":
                self._chain(db, seq, note.session)
        self._write_words(db, seq)
        return seq

    def _chain(self, db: sa.Connection, seq: int, session: str) -> None:
        """A new turn stands behind the one before it."""
        if last := db.scalar(_LAST, {"session_": session, "seq_": seq}):
            db.execute(_BEHIND, {"seq_": seq, "other": last})
            db.execute(_BEFORE, {"seq_": last, "other": seq})
            self._write_words(db, last)

    def _write_words(self, db: sa.Connection, seq: int) -> None:
        """The note's own words, and those of the turns beside it."""
        said, beside = db.execute(_SAID, {"seq_": seq}).one()
        db.execute(_TAKE_WORDS, {"seq_": seq})
        db.execute(_PUT_WORDS, {"rowid": seq, "said": said, "beside": beside})

    def _delete(self, ids: Sequence[str], at: float) -> list[int]:
        with self._transaction() as db:
            db.execute(upsert(gone).on_conflict_do_nothing(), [{"id": id_, "at": at} for id_ in ids])
            query = sa.select(notes.c.seq, notes.c.before, notes.c.after).where(notes.c.id.in_(ids))
            found = {int(seq): (before, after) for seq, before, after in db.execute(query)}
            db.execute(sa.delete(notes).where(notes.c.seq.in_(found)))
            db.execute(sa.delete(_words).where(_words.c.rowid.in_(found)))
            for before, after in found.values():
                if before not in found:  # the first of some in a row
                    while after in found:
                        after = found[after][1]
                    db.execute(_BEFORE, {"seq_": before, "other": after})
                    db.execute(_BEHIND, {"seq_": after, "other": before})
                    self._write_beside(db, before, after)
        return [*found]

    def _write_beside(self, db: sa.Connection, *seqs: int | None) -> None:
        """The turns beside one that was changed: its words stand with theirs."""
        for seq in filter(None, seqs):
            self._write_words(db, seq)

    # -- reading

    def get(self, id_: str) -> Note | None:
        return next(iter(self._notes(_NOTE.where(notes.c.id == id_))), None)

    def page(self, only: Filter = EVERYTHING, limit: int = 50, skip: int = 0) -> list[Note]:
        """The newest first, pinned ones before them."""
        return self._notes(_NOTE.where(*_fits(only)).order_by(*_NEWEST).limit(limit).offset(skip))

    def matching(self, only: Filter = EVERYTHING) -> list[str]:
        """The ids of all that `page` gives."""
        return self._ids(sa.select(notes.c.id).where(*_fits(only)))

    def newest_result(self, question: str) -> list[Note]:
        """Results kept under this very question, the newest first."""
        # The kind is written out, as in the index of questions, which SQLite finds only so.
        result = notes.c.kind == sa.literal_column("'result'")
        query = _NOTE.where(result, notes.c.text == question, notes.c.out == "")
        return self._notes(query.order_by(notes.c.at.desc()).limit(50))

    def facts(self, subject: str, attribute: str, quote: str = "") -> list[Note]:
        """Current facts of one attribute of one subject, who may be told by the name alone: `Ingrid`, a sister.

        quote: the words in which the subject is told of.
        """
        query = _NOTE.where(*_fits(Filter(("fact",), state="current")))
        found = self._notes(query.where(notes.c.about["attribute"].as_string() == attribute))
        return [note for note in found if _same_subject(note, subject, quote)]

    def told_of(self, subject: str, limit: int) -> list[Note]:
        """Current facts of a subject, the newest first, pinned ones before them."""
        query = _NOTE.where(*_fits(Filter(("fact",), state="current")), notes.c.about["subject"].as_string() == subject)
        return self._notes(query.order_by(*_NEWEST).limit(limit))

    def closed_by(self, ids: Sequence[str]) -> list[Note]:
        """The facts that one of these took the place of, or ended."""
        return self._in(notes.c.about["by"].as_string(), ids)

    def count(self, only: Filter = EVERYTHING) -> int:
        return self._number(sa.select(sa.func.count()).where(*_fits(only)))

    def of_session(self, session: str, turn: int | None = None) -> list[str]:
        """Ids of all that comes from a conversation, or from one of its turns."""
        query = sa.select(notes.c.id).where(notes.c.session == session)
        return self._ids(query if turn is None else query.where(notes.c.turn == turn))

    def of_sessions(self, sessions: Sequence[str]) -> list[str]:
        """Ids of all that comes from these conversations."""
        return [note.id for note in self._in(notes.c.session, sessions)]

    def search(
        self, text: str, kinds: Sequence[Kind], session: str, most: int, here: Mapping[str, str] | None = None
    ) -> dict[int, float]:
        """seq -> BM25 (larger is better) of the notes that share words with `text`; the rarest words count first.
        `here`: only of those that hold in this context."""
        expression = " OR ".join(self._rare(text))
        if not expression:
            return {}
        score: sa.ColumnElement[float] = sa.literal_column("-bm25(words)")
        found = sa.select(_words.c.rowid, score).join(notes, notes.c.seq == _words.c.rowid)
        query = found.where(_MATCH.bindparams(words=expression), notes.c.kind.in_(kinds), notes.c.out == "")
        if session:
            query = query.where(notes.c.session == session)
        if here is not None:
            query = query.where(_HOLDS.bindparams(here=json.dumps(dict(here))))
        return {int(seq): float(score) for seq, score in self._read(query.order_by(score.desc()).limit(most))}

    def rows(self, seqs: Iterable[int]) -> dict[int, Row]:
        """These and the turns beside them. Unknown ones are left out, and so are those that were taken out."""
        found = self._read(_RANKED, {"seqs": json.dumps(list(seqs))})
        return {row[0]: Row._make(row) for row in found}

    def meta(self, name: str) -> str:
        rows = self._read(_META, {"name_": name})
        return str(rows[0][0]) if rows else ""

    def set_meta(self, name: str, value: str) -> None:
        row = upsert(meta)
        self._write(row.on_conflict_do_update(["name"], set_={"value": value}), {"name": name, "value": value})

    def gone(self) -> list[str]:
        """Ids of all that was deleted for good."""
        return self._ids(sa.select(gone.c.id))

    def gone_everywhere(self) -> list[str]:
        """Of that what was to go everywhere."""
        return self._ids(sa.select(gone.c.id).where(gone.c.at > 0))

    def size(self) -> int:
        """Bytes on the disk; what an index that is closed takes along counts for none."""
        total = 0
        for place, _, names in os.walk(self.path.parent):
            for name in names:
                with suppress(FileNotFoundError):
                    total += (Path(place) / name).stat().st_size
        return total

    # -- what the vector index lacks

    def unindexed(self, most: int) -> list[tuple[int, Note, bytes]]:
        """(seq, note, vector or nothing) of notes that the index does not have yet."""
        query = sa.select(notes.c.seq, notes.c.vector, *_FIELDS).where(_TO_INDEX).order_by(notes.c.seq).limit(most)
        return [(seq, Note(*note), vector or b"") for seq, vector, *note in self._read(query)]

    def indexed(self, made: Iterable[tuple[int, str, bytes]]) -> None:
        """The index has these now, (seq, text, vector); a note that was changed meanwhile stays to be done."""
        same = (notes.c.seq == sa.bindparam("seq_"), notes.c.text == sa.bindparam("text_"))
        change = sa.update(notes).where(*same).values(vector=sa.bindparam("vector_"), indexed=True)
        self._write(change, [{"seq_": seq, "text_": text, "vector_": vector} for seq, text, vector in made])

    def in_index(self) -> int:
        return self._number(sa.select(sa.func.count()).where(notes.c.indexed))

    def seqs_in_index(self) -> set[int]:
        return {int(seq) for (seq,) in self._read(sa.select(notes.c.seq).where(notes.c.indexed))}

    def to_index(self) -> int:
        return self._number(sa.select(sa.func.count()).where(_TO_INDEX))

    def reindex(self, *, embedded: bool) -> None:
        """All notes are to be put into the index again; `embedded`: their vectors are still good."""
        self._write(sa.update(notes).values({"indexed": False} if embedded else {"indexed": False, "vector": None}))

    # -- inside

    def _rare(self, text: str) -> list[str]:
        """The words of a search, quoted, rarest first, as long as they match MATCHES notes at most."""
        kept, room = list[str](), MATCHES
        counted = self._read(_COUNTS, {"given": json.dumps(_quoted(text)), "most": MATCHES + 1})
        for count, word in sorted((count, word) for word, count in counted):
            if count and (count <= room or not kept):
                kept.append(word)
                room -= count
        return kept

    def _number(self, query: sa.Executable) -> int:
        return int(self._read(query)[0][0])

    def _ids(self, query: sa.Executable) -> list[str]:
        return [str(id_) for (id_,) in self._read(query)]

    def _notes(self, query: sa.Executable) -> list[Note]:
        return [Note(*row) for row in self._read(query)]

    def _read(self, query: sa.Executable, values: Any = None) -> Sequence[Any]:
        with plain_faults(self.path.parent):
            return super()._read(query, values)

    @contextmanager
    def _transaction(self) -> Iterator[sa.Connection]:
        with plain_faults(self.path.parent), super()._transaction() as db:
            yield db


def _settled(db: sa.Connection, path: Path) -> None:
    """The tables at their newest, with all columns: else each use would fail."""
    NOTES.settle(db, path)
    for table in (notes, gone, meta, _words):
        db.execute(sa.select(table).limit(0))


def _fits(only: Filter) -> list[sa.ColumnElement[bool]]:
    kinds = notes.c.kind.in_(only.kinds)
    found = [kinds, notes.c.out != LEAVING, notes.c.at >= only.since, notes.c.at <= (only.until or 1e12)]
    if only.words.strip():
        expression = f"said : ({' AND '.join(_quoted(only.words)) or _NOTHING})"
        found.append(notes.c.seq.in_(sa.select(_words.c.rowid).where(_MATCH.bindparams(words=expression))))
    if only.ids is not None:
        found.append(notes.c.id.in_(only.ids))
    current = sa.and_(notes.c.out == "", sa.func.coalesce(notes.c.about["until"].as_string(), "") == "")
    return found + {"": [], "current": [current], "former": [sa.not_(current)]}[only.state]


def _says_the_same(one: Note, other: Note) -> bool:
    """Of the same turn: two facts do where the value of one stands in the other, as whole words."""
    return not one.kind == other.kind == "fact" or within(one.about.get("value", ""), other.text)


def _same_subject(note: Note, subject: str, quote: str) -> bool:
    """The same words, or a name alone that stands last in the other's: of two people with one role it is another, and
    the role alone is nobody's. A name has a capital in the person's own words, which no beginning of a sentence gave
    it, nor somebody who writes in capitals only; subjects have none."""
    short, long = sorted((note.about.get("subject", "").split(), subject.split()), key=len)
    inner = re.findall(r"(?<=[^.!?\s]\s)\w+", f"{note.about.get('quote', '')}. {quote}")
    names = {word.casefold() for word in inner if word[0].isupper() and not word.isupper()}
    return short == long or (len(short) == 1 and long[-1:] == short and short[0] in names)


def _quoted(text: str) -> list[str]:
    """Each word once, as FTS5 wants it."""
    return [f'"{word}"' for word in dict.fromkeys(re.findall(r"\w+", text[:4000].lower()))][:64]


def _values(note: Note) -> dict[str, Any]:
    values = asdict(note) | {"pinned": bool(note.pinned)}
    return {name: _storable(value) if isinstance(value, str) else value for name, value in values.items()}


def _storable(text: str) -> str:
    """Lone surrogates cannot be stored, and FTS5 ends a text at NUL."""
    return text.encode("utf-8", "backslashreplace").decode().replace("\0", "\\0")
