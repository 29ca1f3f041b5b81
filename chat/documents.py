"""Uploaded documents: each belongs to one conversation and is kept as the pieces it is searched by."""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from sqlalchemy import Connection, Text, delete, func, insert, select, type_coerce

from chat.backups import record_deletion
from chat.own import Owners
from chat.tables import documents, sessions
from tools.desk import Chunk


@dataclass(frozen=True)
class Document:
    """An uploaded document of one conversation."""

    id: str
    name: str
    digest: str
    chunks: int
    added: float


class Documents(Owners):
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
        about = (documents.c.id, documents.c.name, documents.c.digest, func.json_array_length(documents.c.chunks))
        query = select(*about, documents.c.added).where(documents.c.session == session)
        return [Document(*row) for row in self._read(query.order_by(documents.c.added))]

    def uploaded(self, user: str) -> int:
        """Characters of all that is kept of this user's documents."""
        size = func.coalesce(func.sum(func.length(type_coerce(documents.c.chunks, Text))), 0)
        [[found]] = self._read(select(size).select_from(documents.join(sessions)).where(sessions.c.user == user))
        return int(found)

    def chunks(self, session: str) -> list[Chunk]:
        query = select(documents.c.chunks).where(documents.c.session == session).order_by(documents.c.added)
        return [Chunk(**chunk) for [chunks] in self._read(query) for chunk in chunks]

    def remove_document(self, session: str, document: str) -> None:
        record_deletion(self.path.parent, "document", document)
        self._write(delete(documents).where(documents.c.session == session, documents.c.id == document))

    def _insert_document(self, db: Connection, session: str, document: Document, chunks: Sequence[Chunk]) -> None:
        row = asdict(document) | {"session": session, "chunks": [asdict(chunk) for chunk in chunks]}
        db.execute(insert(documents), row)
