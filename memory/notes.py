"""One user's notes in SQLite: the truth of the memory. FTS5 (BM25 over stemmed words) searches them at once.

What is searched of a turn are its words between those of the turns beside it: the reply to a question holds few of
the question's words.
"""

from __future__ import annotations

import json
import re
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memory.faults import plain_faults
from memory.memory import Kind, MemoryFault, Note

SCHEMA = """
CREATE TABLE IF NOT EXISTS notes (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, text TEXT NOT NULL,
    at REAL NOT NULL, answer TEXT NOT NULL, session TEXT NOT NULL, turn INTEGER NOT NULL, speaker TEXT NOT NULL,
    depends TEXT NOT NULL, about TEXT NOT NULL, out TEXT NOT NULL, pinned INTEGER NOT NULL,
    before INTEGER, after INTEGER, vector BLOB, indexed INTEGER NOT NULL DEFAULT 0);
CREATE INDEX IF NOT EXISTS notes_by_session ON notes(session, seq);
CREATE INDEX IF NOT EXISTS notes_by_kind ON notes(kind, at);
CREATE INDEX IF NOT EXISTS notes_by_question ON notes(text, at) WHERE kind='result';
CREATE INDEX IF NOT EXISTS notes_to_index ON notes(seq) WHERE indexed=0;
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(said, beside, tokenize='porter unicode61');
CREATE TABLE IF NOT EXISTS gone (id TEXT PRIMARY KEY, at REAL NOT NULL);
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
"""
COLUMNS = "id, kind, text, at, answer, session, turn, speaker, depends, about, out, pinned"
MATCHES = 12_000
"""Notes that the words of one search may match, rarest words first: what keeps it quick among 100,000 notes."""
_AT_ONCE = 500
_NOTHING = '""'


@dataclass(frozen=True)
class Row:
    """A note as it is ranked."""

    seq: int
    note: Note
    before: int
    after: int
    """The turns beside it in its conversation; 0 for none."""
    vector: bytes
    """float16, unit length; empty where it is not made yet."""


class Notes:
    """One file. Every method may be called from any thread; raises MemoryFault."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        self._lock = threading.RLock()
        with plain_faults(path.parent):
            self._db = sqlite3.connect(path, check_same_thread=False, isolation_level=None, timeout=5)
            for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "secure_delete=ON"):
                self._db.execute(f"PRAGMA {pragma}")
            self._db.executescript(SCHEMA)

    def close(self) -> None:
        with self._lock:
            self._db.close()

    # -- writing

    def keep(self, notes: Iterable[Note]) -> list[int]:
        """Stores notes; one with a known id is replaced, one that was deleted for good stays deleted. Their seqs."""
        with self._transaction() as db:
            return [seq for note in notes if (seq := self._keep(db, note))]

    def mark(self, ids: Sequence[str], why: str) -> None:
        """Takes notes out, for `why`, or brings them back with an empty one."""
        with self._transaction() as db:
            db.executemany("UPDATE notes SET out=? WHERE id=?", [(_storable(why), each) for each in ids])

    def pin(self, id_: str, pinned: bool) -> None:
        with self._transaction() as db:
            db.execute("UPDATE notes SET pinned=? WHERE id=?", (pinned, id_))

    def delete(self, ids: Sequence[str]) -> list[int]:
        """Removes notes for good, words and all; whatever brings them back finds them refused. Their seqs."""
        with self._transaction() as db:
            seqs = [seq for id_ in ids if (seq := self._delete(db, _storable(id_)))]
        if seqs:
            with self._lock, plain_faults(self._path.parent):
                self._db.execute("INSERT INTO words(words) VALUES ('optimize')")
                self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return seqs

    def _keep(self, db: sqlite3.Connection, note: Note) -> int:
        if db.execute("SELECT 1 FROM gone WHERE id=?", (note.id,)).fetchone():
            return 0
        known = db.execute("SELECT seq FROM notes WHERE id=?", (note.id,)).fetchone()
        values = (*_values(note), note.id) if known else _values(note)
        if known:
            names = ",".join(f"{name}=?" for name in COLUMNS.split(", "))
            db.execute(f"UPDATE notes SET {names}, vector=NULL, indexed=0 WHERE id=?", values)
            seq = int(known[0])
        else:
            marks = ",".join("?" * len(values))
            seq = int(db.execute(f"INSERT INTO notes({COLUMNS}) VALUES ({marks})", values).lastrowid or 0)
            if note.kind == "turn":
                self._chain(db, seq, note.session)
        self._write_words(db, seq)
        return seq

    def _chain(self, db: sqlite3.Connection, seq: int, session: str) -> None:
        """A new turn stands behind the one before it."""
        query = "SELECT seq FROM notes WHERE session=? AND seq<? AND kind='turn' ORDER BY seq DESC LIMIT 1"
        if last := db.execute(query, (session, seq)).fetchone():
            db.execute("UPDATE notes SET before=? WHERE seq=?", (last[0], seq))
            db.execute("UPDATE notes SET after=? WHERE seq=?", (seq, last[0]))
            self._write_words(db, int(last[0]))

    def _write_words(self, db: sqlite3.Connection, seq: int) -> None:
        """The note's own words, and those of the turns beside it."""
        query = (
            "SELECT n.text || ' ' || n.answer, coalesce(b.text, '') || ' ' || coalesce(a.text, '') FROM notes n"
            " LEFT JOIN notes b ON b.seq=n.before LEFT JOIN notes a ON a.seq=n.after WHERE n.seq=?"
        )
        said, beside = db.execute(query, (seq,)).fetchone()
        db.execute("DELETE FROM words WHERE rowid=?", (seq,))
        db.execute("INSERT INTO words(rowid, said, beside) VALUES (?,?,?)", (seq, said, beside))

    def _delete(self, db: sqlite3.Connection, id_: str) -> int:
        found = db.execute("SELECT seq, before, after FROM notes WHERE id=?", (id_,)).fetchone()
        db.execute("INSERT OR REPLACE INTO gone VALUES (?,?)", (id_, time.time()))
        if not found:
            return 0
        seq, before, after = found
        db.execute("DELETE FROM notes WHERE seq=?", (seq,))
        db.execute("DELETE FROM words WHERE rowid=?", (seq,))
        db.execute("UPDATE notes SET after=? WHERE seq=?", (after, before))
        db.execute("UPDATE notes SET before=? WHERE seq=?", (before, after))
        for beside in (before, after):
            if beside:
                self._write_words(db, beside)
        return int(seq)

    # -- reading

    def get(self, id_: str) -> Note | None:
        rows = self._read(f"SELECT {COLUMNS} FROM notes WHERE id=?", (id_,))
        return _note(rows[0]) if rows else None

    def page(
        self,
        kinds: Sequence[Kind],
        *,
        words: str = "",
        since: float = 0,
        until: float = 0,
        limit: int = 50,
        skip: int = 0,
        out: bool = True,
    ) -> list[Note]:
        """The newest first, pinned ones before them; `words` all stand in the note; `out`: also those taken out."""
        marks = ",".join("?" * len(kinds))
        query, values = f"SELECT {COLUMNS} FROM notes n WHERE kind IN ({marks})", list[Any](kinds)
        if words.strip():
            query += " AND seq IN (SELECT rowid FROM words WHERE words MATCH ?)"
            values.append(f"said : ({' AND '.join(_quoted(words)) or _NOTHING})")
        query += " AND at>=? AND at<=?" + ("" if out else " AND out=''")
        query += " ORDER BY pinned DESC, at DESC, seq DESC LIMIT ? OFFSET ?"
        return [_note(row) for row in self._read(query, (*values, since, until or 1e12, limit, skip))]

    def newest_result(self, question: str) -> list[Note]:
        """Results kept under this very question, the newest first."""
        query = f"SELECT {COLUMNS} FROM notes WHERE kind='result' AND text=? AND out='' ORDER BY at DESC LIMIT 50"
        return [_note(row) for row in self._read(query, (question,))]

    def facts(self, subject: str, attribute: str) -> list[Note]:
        """Current facts of one attribute of one subject."""
        query = (
            f"SELECT {COLUMNS} FROM notes WHERE kind='fact' AND out='' AND json_extract(about,'$.subject')=?"
            " AND json_extract(about,'$.attribute')=? AND coalesce(json_extract(about,'$.until'),'')=''"
        )
        return [_note(row) for row in self._read(query, (subject, attribute))]

    def count(self, kind: str = "%") -> int:
        return int(self._read("SELECT count(*) FROM notes WHERE kind LIKE ?", (kind,))[0][0])

    def of_session(self, session: str, turn: int | None = None) -> list[str]:
        """Ids of all that comes from a conversation, or from one of its turns."""
        query = "SELECT id FROM notes WHERE session=?" + (" AND turn=?" if turn is not None else "")
        return [str(row[0]) for row in self._read(query, (session,) if turn is None else (session, turn))]

    def search(self, text: str, kinds: Sequence[Kind], session: str, most: int) -> dict[int, float]:
        """seq -> BM25 (larger is better) of the notes that share words with `text`; the rarest words count first."""
        expression = " OR ".join(self._rare(text))
        if not expression:
            return {}
        marks = ",".join("?" * len(kinds))
        query = (
            "SELECT words.rowid, -bm25(words) FROM words JOIN notes n ON n.seq=words.rowid WHERE words MATCH ?"
            f" AND n.kind IN ({marks}) AND n.out=''"
            + (" AND n.session=?" if session else "")
            + " ORDER BY 2 DESC LIMIT ?"
        )
        values = (expression, *kinds, *([session] if session else []), most)
        return {int(seq): float(score) for seq, score in self._read(query, values)}

    def rows(self, seqs: Iterable[int]) -> dict[int, Row]:
        """Unknown ones are left out, and so are those that were taken out."""
        wanted, found = list(dict.fromkeys(seqs)), {}
        for start in range(0, len(wanted), _AT_ONCE):
            some = wanted[start : start + _AT_ONCE]
            query = (
                f"SELECT {COLUMNS}, seq, before, after, vector FROM notes WHERE out='' AND seq IN"
                f" ({','.join('?' * len(some))})"
            )
            for *fields, seq, before, after, vector in self._read(query, some):
                found[seq] = Row(seq, _note(fields), before or 0, after or 0, vector or b"")
        return found

    def meta(self, name: str) -> str:
        rows = self._read("SELECT value FROM meta WHERE name=?", (name,))
        return str(rows[0][0]) if rows else ""

    def set_meta(self, name: str, value: str) -> None:
        with self._transaction() as db:
            db.execute("INSERT OR REPLACE INTO meta VALUES (?,?)", (name, value))

    def gone(self) -> list[str]:
        """Ids of all that was deleted for good."""
        return [str(row[0]) for row in self._read("SELECT id FROM gone")]

    def size(self) -> int:
        """Bytes on the disk."""
        return sum(path.stat().st_size for path in self._path.parent.rglob("*") if path.is_file())

    # -- what the vector index lacks

    def unindexed(self, most: int) -> list[tuple[int, Note, bytes]]:
        """(seq, note, vector or nothing) of notes that the index does not have yet."""
        query = f"SELECT seq, vector, {COLUMNS} FROM notes WHERE indexed=0 ORDER BY seq LIMIT ?"
        return [(seq, _note(fields), vector or b"") for seq, vector, *fields in self._read(query, (most,))]

    def indexed(self, vectors: Mapping[int, bytes], texts: Mapping[int, str]) -> None:
        """The index has these now; a note that was changed meanwhile stays to be done."""
        with self._transaction() as db:
            rows = [(vector, seq, texts[seq]) for seq, vector in vectors.items()]
            db.executemany("UPDATE notes SET vector=?, indexed=1 WHERE seq=? AND text=?", rows)

    def in_index(self) -> int:
        return int(self._read("SELECT count(*) FROM notes WHERE indexed=1")[0][0])

    def reindex(self, *, embedded: bool) -> None:
        """All notes are to be put into the index again; `embedded`: their vectors are still good."""
        with self._transaction() as db:
            db.execute("UPDATE notes SET indexed=0" + ("" if embedded else ", vector=NULL"))

    # -- inside

    def _rare(self, text: str) -> list[str]:
        """The words of a search, quoted, rarest first, as long as they match MATCHES notes at most."""
        kept, room = list[str](), MATCHES
        counted = sorted((self._matching(word), word) for word in _quoted(text))
        for count, word in counted:
            if count and (count <= room or not kept):
                kept.append(word)
                room -= count
        return kept

    def _matching(self, quoted: str) -> int:
        # FTS5 stems what it is asked for, its vocabulary holds stems: asking for the word itself is the sure way.
        query = "SELECT count(*) FROM (SELECT 1 FROM words WHERE words MATCH ? LIMIT ?)"
        return int(self._read(query, (quoted, MATCHES + 1))[0][0])

    def _read(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        with self._lock, plain_faults(self._path.parent):
            return self._db.execute(query, [_storable(v) if isinstance(v, str) else v for v in values]).fetchall()

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._lock, plain_faults(self._path.parent):
            try:
                self._db.execute("BEGIN IMMEDIATE")
                yield self._db
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise


def _quoted(text: str) -> list[str]:
    """Each word once, as FTS5 wants it."""
    return [f'"{word}"' for word in dict.fromkeys(re.findall(r"\w+", text[:4000].lower()))][:64]


def _values(note: Note) -> tuple[Any, ...]:
    texts = [_storable(text) for text in (note.id, note.kind, note.text)]
    rest = [_storable(note.answer), _storable(note.session), note.turn, _storable(note.speaker)]
    more = [json.dumps(dict(note.depends)), json.dumps(dict(note.about)), _storable(note.out), int(note.pinned)]
    return (*texts, note.at, *rest, *more)


def _note(row: Sequence[Any]) -> Note:
    id_, kind, text, at, answer, session, turn, speaker, depends, about, out, pinned = row
    return Note(
        id_, kind, text, at, answer, session, turn, speaker, json.loads(depends), json.loads(about), out, bool(pinned)
    )


def _storable(text: str) -> str:
    """Lone surrogates cannot be stored, and FTS5 ends a text at NUL."""
    return text.encode("utf-8", "backslashreplace").decode().replace("\0", "\\0")


__all__ = ["MemoryFault", "Notes", "Row"]
