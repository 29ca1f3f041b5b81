"""Uploaded documents: each belongs to one conversation and is kept as the pieces it is searched by."""

from __future__ import annotations

import json
import secrets
import sqlite3
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from chat.backups import record_deletion
from chat.sessions import Sessions
from tools.desk import Chunk


@dataclass(frozen=True)
class Document:
    """An uploaded document of one conversation."""

    id: str
    name: str
    digest: str
    chunks: int
    added: float


class Documents(Sessions):
    """The conversations with what was uploaded into them."""

    def add_document(self, session: str, name: str, digest: str, chunks: Sequence[Chunk]) -> Document:
        """The same file again is the same document."""
        self.session(session)
        for known in self.documents(session):
            if (known.name, known.digest) == (name, digest):
                return known
        document = Document(secrets.token_urlsafe(6), name, digest, len(chunks), time.time())
        with self._transaction() as db:
            self._insert_document(db, session, document, chunks)
        return document

    def documents(self, session: str) -> list[Document]:
        rows = self._read(
            "SELECT id, name, digest, json_array_length(chunks), added FROM documents WHERE session=? ORDER BY added",
            (session,),
        )
        return [Document(*row) for row in rows]

    def uploaded(self, user: str) -> int:
        """Bytes of all that is kept of this user's documents."""
        rows = self._read(
            "SELECT coalesce(sum(length(d.chunks)), 0) FROM documents d JOIN sessions s ON s.id=d.session"
            " WHERE s.user=?",
            (user,),
        )
        return int(rows[0][0])

    def chunks(self, session: str) -> list[Chunk]:
        rows = self._read("SELECT chunks FROM documents WHERE session=? ORDER BY added", (session,))
        return [Chunk(**chunk) for row in rows for chunk in json.loads(row[0])]

    def remove_document(self, session: str, document: str) -> None:
        record_deletion(self.path.parent, "document", document)
        self._write("DELETE FROM documents WHERE session=? AND id=?", (session, document))

    def _insert_document(
        self, db: sqlite3.Connection, session: str, document: Document, chunks: Sequence[Chunk]
    ) -> None:
        text = json.dumps([asdict(chunk) for chunk in chunks])
        row = (document.id, session, document.name, document.digest, text, document.added)
        db.execute("INSERT INTO documents VALUES (?,?,?,?,?,?)", row)
