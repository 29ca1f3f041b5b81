"""What people upload, each file into one conversation: documents, kept as the pieces they are searched by, and
pictures, which wait over the composer until they are sent."""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from typing import Any

from sqlalchemy import Connection, Text, bindparam, delete, func, insert, select, type_coerce, update

from chat.deletions import record_deletion
from chat.faults import ChatFault
from chat.sessions import Sessions
from chat.settings import Options
from chat.tables import OF_THIS_TURN, documents, events, picture_ids, pictures, sessions
from minds.models.spec import parse
from tools.desk import Chunk
from tools.pictures import Drawn
from tools.reading import file_name

MOST = 8
"""That wait at once."""
# What every turn asks is put together once: that takes longer than asking.
_SHOWN = select(*(pictures.c[name] for name in ("id", "name", "width", "height")))
_WAIT = (pictures.c.session == bindparam("of_session"), pictures.c.waiting)
_WAITING = _SHOWN.where(*_WAIT).order_by(pictures.c.added)
_SENT = update(pictures).where(*_WAIT).values(waiting=False)
_SAID = select(events.c.data).where(*OF_THIS_TURN, events.c.kind == "turn")
_ABOUT = (documents.c.id, documents.c.name, documents.c.digest, func.json_array_length(documents.c.chunks))
_THERE = select(*_ABOUT, documents.c.added).where(documents.c.session == bindparam("of_session"))
_DOCUMENTS = _THERE.order_by(documents.c.added)
Shown = dict[str, Any]
"""In the event of a turn: {id, name, width, height}."""


@dataclass(frozen=True)
class Document:
    """An uploaded document of one conversation."""

    id: str
    name: str
    digest: str
    chunks: int
    added: float


class Uploads(Sessions):
    """The conversations with what was uploaded into them."""

    def add_document(self, session: str, name: str, digest: str, chunks: Sequence[Chunk]) -> Document:
        """The same file again is the same document; another one of the same name is told apart by a number: the next
        one, of those that are there."""
        self.session(session)
        name = file_name(name)
        base, dot, ending = name.rpartition(".") if "." in name else (name, "", "")
        version = re.compile(rf"{re.escape(base)}(?: \((\d{{1,7}})\))?{re.escape(dot + ending)}")
        found = [(version.fullmatch(document.name), document) for document in self.documents(session)]
        known = [(int(match[1] or 1), document) for match, document in found if match]
        if same := next((document for _, document in known if document.digest == digest), None):
            return same
        if known:
            name = f"{base} ({max(number for number, _ in known) + 1}){dot}{ending}"
        chunks = [replace(chunk, document=name) for chunk in chunks]
        document = Document(secrets.token_urlsafe(6), name, digest, len(chunks), time.time())
        with self._transaction() as db:
            self._insert_document(db, session, document, chunks)
        return document

    def documents(self, session: str) -> list[Document]:
        return [Document(*row) for row in self._read(_DOCUMENTS, {"of_session": session})]

    def uploaded(self, user: str) -> int:
        """Characters of a user's documents and bytes of the pictures, as they are kept."""
        found = 0
        for table, kept in ((documents, type_coerce(documents.c.chunks, Text)), (pictures, pictures.c.data)):
            size = select(func.sum(func.length(kept))).select_from(table.join(sessions))
            [[there]] = self._read(size.where(sessions.c.user == user))
            found += int(there or 0)
        return found

    def chunks(self, session: str) -> list[Chunk]:
        query = select(documents.c.chunks).where(documents.c.session == session).order_by(documents.c.added)
        return [Chunk(**chunk) for [chunks] in self._read(query) for chunk in chunks]

    def remove_document(self, session: str, document: str) -> None:
        with self._transaction():
            if self._write(delete(documents).where(documents.c.session == session, documents.c.id == document)):
                record_deletion(self.path.parent, "document", document)

    def _insert_document(self, db: Connection, session: str, document: Document, chunks: Sequence[Chunk]) -> None:
        row = asdict(document) | {"session": session, "chunks": [asdict(chunk) for chunk in chunks]}
        db.execute(insert(documents), row)

    # -- pictures

    def add_picture(self, session: str, drawn: Drawn) -> None:
        """It waits for the next turn. The same picture again is the same one. Raises ChatFault."""
        self.session(session)
        if len(self.waiting(session)) >= MOST:
            raise ChatFault(f"{MOST} pictures wait here, which is the most for one message: send it first.")
        id_ = sha256(drawn.data).hexdigest()[:32]
        this = (pictures.c.session == session, pictures.c.id == id_)
        with self._transaction() as db:
            if db.execute(update(pictures).where(*this).values(waiting=True)).rowcount == 0:
                self._insert_picture(db, session, id_, drawn, waiting=True)

    def waiting(self, session: str) -> list[Shown]:
        """Those that the next turn will show, in the order in which they came."""
        return [_shown(row) for row in self._read(_WAITING, {"of_session": session})]

    def picture(self, session: str, id_: str) -> bytes:
        """JPEG. Raises ChatFault."""
        if data := self.picture_data(session, [id_]).get(id_):
            return data
        raise ChatFault("There is no such picture in this conversation.")

    def picture_data(self, session: str, ids: Sequence[str]) -> Mapping[str, bytes]:
        """id -> JPEG, of those that are there."""
        query = select(pictures.c.id, pictures.c.data).where(pictures.c.session == session, pictures.c.id.in_(ids))
        return {str(id_): bytes(data) for id_, data in self._read(query)} if ids else {}

    def put_away(self, session: str, id_: str) -> None:
        """One that waits is not sent; where no turn shows it, it is gone."""
        with self._transaction() as db:
            this = (pictures.c.session == session, pictures.c.id == id_)
            db.execute(update(pictures).where(*this).values(waiting=False))
            said = events.c.session == session, events.c.kind == "turn"
            if not any(id_ in picture_ids(data) for [data] in db.execute(select(events.c.data).where(*said))):
                record_deletion(self.path.parent, "picture", f"{session}:{id_}")
                db.execute(delete(pictures).where(*this))

    def _insert_picture(self, db: Connection, session: str, id_: str, drawn: Drawn, *, waiting: bool) -> None:
        row = asdict(drawn) | {"session": session, "id": id_, "waiting": waiting, "added": time.time()}
        db.execute(insert(pictures), row)

    def _send(self, db: Connection, session: str, again: int | None) -> list[Shown]:
        """What a new turn shows: that of the turn that it is asked `again` for, and what waited."""
        before = db.execute(_SAID, {"of_session": session, "of_turn": again}).scalars()
        shown = [each for data in before for each in data.get("pictures", ())]
        shown += [_shown(row) for row in db.execute(_WAITING, {"of_session": session})]
        db.execute(_SENT, {"of_session": session})
        return list({each["id"]: each for each in shown}.values())

    def _take_back(self, db: Connection, session: str, turn: int) -> None:
        """The pictures of a turn that is taken back wait again, as its words do."""
        said = db.execute(_SAID, {"of_session": session, "of_turn": turn}).scalars()
        ids = [id_ for data in said for id_ in picture_ids(data)]
        db.execute(update(pictures).where(pictures.c.session == session, pictures.c.id.in_(ids)).values(waiting=True))


def seen_by(options: Options) -> bool:
    """Whether a mind that answers can see, by what its spec says."""
    specs = {"fast": options.fast_model, "slow": options.slow_model}
    return any(parse(spec).sees for mind, spec in specs.items() if options.minds in ("both", mind))


def unseen(options: Options) -> str:
    """What a person is told who shows a picture to minds that see none."""
    model = options.slow_model if options.minds == "slow" else options.fast_model
    return f"The model {model} cannot see pictures: choose one that can (Models, at the top), then try again."


def _shown(row: Any) -> Shown:
    return dict(zip(("id", "name", "width", "height"), row, strict=True))
