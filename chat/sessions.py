"""Conversations: whose they are, what they are called, where they are kept, how they are answered, and how they are
found by what was said in them, on both sides; links that show one as it was when they were made; and what a person sets
for all of theirs: instructions, and prompts by name.

Who has the file cannot follow its links: only the SHA-256 of a link's secret is kept. A link that was taken back stays
so, also when a backup of before is restored.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, fields
from hashlib import sha256
from pathlib import Path
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, bindparam, delete, exists, func, insert, select, text, update
from sqlalchemy.dialects.sqlite import insert as upsert

from chat.backups import FAULTS, NAME, fault_of
from chat.deletions import WIPED, are_wiped, deletions, id_of, record_deletion
from chat.faults import ChatFault, UnknownSession, told_when_full
from chat.settings import Options, checked_instructions
from chat.tables import (
    IN_VIEW,
    MODEL,
    OF_TURN,
    PERSON,
    TRANSCRIPT,
    WORDS,
    documents,
    events,
    found,
    people,
    pictures,
    sessions,
    shares,
    turns,
)
from storage.engine import BREATH, WAL, Store, reading, whole
from storage.schema import Schema

PROMPTS, LONGEST, NAMED = 200, 8_000, 40
"""Prompts of one person; characters of a prompt, or of instructions; of a name."""
UNKNOWN = "There is nothing to see under this link: it was taken back, or it is not whole."
LETTERS = 3
"""The index knows letters by threes: shorter words are looked for in the texts themselves."""
EACH = 3
"""Hits of one conversation that are shown."""
READ = 300
"""Hits that are read, the newest."""
SLICE = 64
"""Pages of the index that are merged at a time: for some hundredths of a second."""
_MERGE = text("INSERT INTO found(found, rank) VALUES ('merge', :pages)")


@dataclass(frozen=True)
class Session:
    """One conversation of one user."""

    id: str
    user: str
    title: str
    created: float
    updated: float
    pinned: bool = False
    archived: bool = False
    folder: str = ""


SESSION = [sessions.c[each.name] for each in fields(Session)]
_SESSION = select(*SESSION)
# What every turn asks is put together once: that takes longer than asking.
_BY_ID = _SESSION.where(sessions.c.id == bindparam("id_"))
_OPTIONS = select(sessions.c.options).where(sessions.c.id == bindparam("id_"))
_OWN = select(people.c.instructions, people.c.prompts).where(people.c.user == bindparam("user_"))


@dataclass(frozen=True)
class Hit:
    """A message that holds all the words; `turn` is 0 where it is the title."""

    session: Session
    turn: int
    text: str


@dataclass(frozen=True)
class Share:
    """One link."""

    id: str
    """The SHA-256 of its secret."""
    session: str
    turns: tuple[int, ...]
    upto: int
    """The newest event that it shows."""
    steps: bool
    """Whether it shows how the slow mind came to its results."""
    made: float


@dataclass(frozen=True)
class Own:
    """One person's."""

    instructions: str = ""
    prompts: dict[str, str] = field(default_factory=dict)
    """Name -> text."""


def new_id() -> str:
    """Stands on command lines too, where a dash in front would make it a flag."""
    made = secrets.token_urlsafe(9)
    return new_id() if made.startswith("-") else made


def kept(home: Path) -> dict[str, int]:
    """Who has conversations here, and how many; of a home that a server may hold."""
    query = select(sessions.c.user, func.count()).group_by(sessions.c.user).order_by(sessions.c.user)
    with suppress(*FAULTS), reading(home / NAME).connect() as db:
        return {str(user): int(count) for user, count in db.execute(query)}
    return {}


def title_of(said: str) -> str:
    """A conversation's title from its first turn: its first words, at most 60 characters."""
    words = " ".join(said.split())
    return words if len(words) <= 60 else words[:57].rsplit(" ", 1)[0] + "…"


class Sessions(Store):
    """The conversations of one DUET_HOME: SQLite in WAL mode. Any thread may call every method.

    Writes survive the death of the process (synchronous=NORMAL under WAL).
    """

    def __init__(self, path: Path, schema: Schema = TRANSCRIPT) -> None:
        """Raises ChatFault where the file is damaged, foreign or of a newer Duet; it is left as it is then."""
        self.shows: Callable[[str], bool] = lambda user: True
        """Whether the links of this user lead anywhere."""
        try:
            super().__init__(path, schema.settle, *WAL, "foreign_keys=ON", "secure_delete=ON", checked=True)
        except FAULTS as error:
            raise fault_of(error, path) from error

    def new_session(self, user: str, title: str = "", options: Options | None = None) -> Session:
        now = time.time()
        session = Session(new_id(), user, title, now, now)
        named_by = PERSON if title else WORDS
        row = asdict(session) | {"options": asdict(options or Options()), "named_by": named_by}
        self._write(insert(sessions), row)
        return session

    def sessions(self, user: str, most: int | None = None, **where: object) -> list[Session]:
        """Newest first, of those whose columns are so: `archived=False, folder=""`."""
        query = _SESSION.where(sessions.c.user == user, *_where(where)).order_by(sessions.c.updated.desc())
        return [Session(*row) for row in self._read(query.limit(most))]

    def counted(self, user: str, **where: object) -> int:
        """How many conversations there are of which this holds."""
        [[count]] = self._read(select(func.count()).where(sessions.c.user == user, *_where(where)))
        return int(count)

    def folders(self, user: str) -> dict[str, int]:
        """The user's folders in the order of their names, with how many conversations are in each."""
        query = select(sessions.c.folder, func.count()).where(
            sessions.c.user == user, sessions.c.folder != "", *_where({"archived": False})
        )
        rows = self._read(query.group_by(sessions.c.folder))
        return {str(name): int(count) for name, count in sorted(rows, key=lambda row: str(row[0]).casefold())}

    def replied(self, user: str, most: int) -> dict[str, int]:
        """The number of the newest final reply in each of the newest conversations; 0 where there is none."""
        final = (events.c.session == sessions.c.id, events.c.kind == "reply", events.c.data["final"].as_boolean())
        newest = select(events.c.seq).where(*final).order_by(events.c.seq.desc()).limit(1).scalar_subquery()
        query = select(sessions.c.id, newest).where(sessions.c.user == user)
        rows = self._read(query.order_by(sessions.c.updated.desc()).limit(most))
        return {str(session): int(seq or 0) for session, seq in rows}

    def earlier(self, session: str, user: str, domain: str, most: int) -> list[str]:
        """The user's conversations before this one at the same desk that may be remembered: ids, oldest first."""
        options, this = sessions.c.options, sessions.alias()
        query = select(sessions.c.id).where(
            sessions.c.user == user, options["domain"].as_string() == domain, options["memory"].as_boolean(),
            sessions.c.created < select(this.c.created).where(this.c.id == session).scalar_subquery(),
        )  # fmt: skip
        rows = self._read(query.order_by(sessions.c.created.desc()).limit(most))
        return [str(row[0]) for row in reversed(rows)]

    def session(self, session: str) -> Session:
        """Raises UnknownSession."""
        for row in self._read(_BY_ID, {"id_": session}):
            return Session(*row)
        raise UnknownSession(session)

    def rename(self, session: str, title: str) -> None:
        self.arrange(session, title=whole(title.strip()[:200]), named_by=PERSON)

    def unnamed(self, session: str) -> bool:
        """Whether its first words stand for its title."""
        query = select(sessions.c.id).where(sessions.c.id == session, sessions.c.named_by == WORDS)
        return bool(self._read(query))

    def name(self, session: str, title: str) -> bool:
        """The fast mind's title, where nobody has given one; whether it was taken."""
        given = update(sessions).where(sessions.c.id == session, sessions.c.named_by == WORDS)
        return self._write(given.values(title=whole(title.strip()[:200]), named_by=MODEL)) == 1

    def arrange(self, session: str, **values: object) -> None:
        """`pinned`, `archived`, `folder`. Raises UnknownSession."""
        if self._write(update(sessions).where(sessions.c.id == session).values(values)) == 0:
            raise UnknownSession(session)

    def delete(self, *ids: str) -> None:
        """Raises UnknownSession, before anything is deleted."""
        for session in ids:
            self.session(session)
        record_deletion(self.path.parent, "session", *ids)
        self._write(delete(sessions).where(sessions.c.id.in_(ids)))

    def outlived(self, moment: float) -> list[str]:
        """Ids of the temporary conversations in which nothing happened since, but for pinned ones."""
        temporary = sessions.c.options["temporary"].as_boolean() & ~sessions.c.pinned
        query = select(sessions.c.id).where(temporary, sessions.c.updated < moment)
        for each, at in ((events, events.c.at), (documents, documents.c.added), (pictures, pictures.c.added)):
            query = query.where(~exists().where(each.c.session == sessions.c.id, at >= moment))
        return [str(row[0]) for row in self._read(query)]

    def wipe(self) -> None:
        """What was deleted leaves the file, and what SQLite keeps beside it."""
        self._merge_found()
        self._read(text("PRAGMA wal_checkpoint(TRUNCATE)"))

    def wipe_rest(self) -> None:
        """`wipe`, where a process ended before it was through."""
        if not are_wiped(deletions(self.path.parent)):
            self.wipe()

    def deleted(self) -> list[str]:
        """Ids of all conversations that were deleted, and did not come back."""
        here = {row[0] for row in self._read(select(sessions.c.id))}
        return [name for kind, name in deletions(self.path.parent) if kind == "session" and name not in here]

    def options(self, session: str) -> Options:
        for [options] in self._read(_OPTIONS, {"id_": session}):
            return Options(**options)
        raise UnknownSession(session)

    def set_options(self, session: str, options: Options) -> None:
        self.arrange(session, options=asdict(options))

    def search(self, user: str, words: str, most: int = 100) -> list[list[Hit]]:
        """The newest hits of each conversation, the one that was hit last first; every word must stand there."""
        wanted = words.split()
        if not wanted:
            return []
        hits: dict[str, list[Hit]] = {}
        for hit in [*self._said(user, wanted), *self._titled(user, wanted)]:
            of_session = hits.setdefault(hit.session.id, [])
            if len(of_session) < EACH and (hit.turn or not of_session):
                of_session.append(hit)
        return list(hits.values())[:most]

    def _said(self, user: str, wanted: Sequence[str]) -> list[Hit]:
        said = events.c.data["text"].as_string()
        place = func.row_number().over(partition_by=events.c.session, order_by=events.c.seq.desc())
        all_hits = select(events.c.seq, place.label("place")).join(sessions, sessions.c.id == events.c.session)
        all_hits = all_hits.join(turns, OF_TURN).where(sessions.c.user == user, IN_VIEW)
        newest = _holding(all_hits, said, wanted).subquery()
        query = select(*SESSION, events.c.turn, said).join(events, events.c.session == sessions.c.id)
        query = query.join(newest, newest.c.seq == events.c.seq).where(newest.c.place <= EACH)
        rows = self._read(query.order_by(events.c.seq.desc()).limit(READ), _asked(wanted))
        return [Hit(Session(*row[:-2]), int(row[-2]), str(row[-1])) for row in rows]

    def _titled(self, user: str, wanted: Sequence[str]) -> list[Hit]:
        query = select(*SESSION).where(sessions.c.user == user, *_all(sessions.c.title, wanted))
        rows = self._read(query.order_by(sessions.c.updated.desc()).limit(READ))
        return [Hit(Session(*row), 0, str(row[2])) for row in rows]

    # -- links that show a conversation to whoever has them, and nothing else

    def share(self, session: str, *, steps: bool) -> str:
        """Makes a link that shows what is in view now; its secret, which is kept nowhere. Raises ChatFault."""
        self.session(session)
        secret = secrets.token_urlsafe(32)
        with self._transaction() as db:
            in_view = select(turns.c.number).where(turns.c.session == session, IN_VIEW).order_by(turns.c.number)
            shown = [int(number) for [number] in db.execute(in_view)]
            if not shown:
                raise ChatFault("Nothing has been said here yet: there is nothing to show.")
            upto = db.scalar(select(func.max(events.c.seq)).where(events.c.session == session)) or 0
            row = {"id": _hashed(secret), "session": session, "turns": shown, "upto": upto}
            db.execute(insert(shares), row | {"steps": steps, "made": time.time()})
        return secret

    def shared(self, secret: str) -> Share:
        """What the link of this secret shows. Raises ChatFault."""
        for share in self._shares(shares.c.id == _hashed(secret)):
            if self.shows(self.session(share.session).user):
                return share
        raise ChatFault(UNKNOWN)

    def links(self, session: str) -> list[Share]:
        """The newest first."""
        return self._shares(shares.c.session == session)

    def take_back(self, session: str, link: str) -> None:
        """From now on the link shows nothing."""
        with self._transaction():
            if self._write(delete(shares).where(shares.c.session == session, shares.c.id == link)):
                record_deletion(self.path.parent, "share", link)

    def take_all_back(self, user: str) -> None:
        """The links of all conversations of the user."""
        theirs = select(shares.c.session, shares.c.id).join(sessions, sessions.c.id == shares.c.session)
        for session, link in self._read(theirs.where(sessions.c.user == user)):
            self.take_back(session, link)

    def _shares(self, where: ColumnElement[bool]) -> list[Share]:
        columns = (shares.c[each.name] for each in fields(Share))
        rows = self._read(select(*columns).where(where).order_by(shares.c.made.desc()))
        return [Share(id_, session, tuple(shown), *rest) for id_, session, shown, *rest in rows]

    # -- what people set for themselves, once for all conversations

    def disown(self, user: str) -> None:
        """As if they had never set anything; no backup brings it back."""
        with self._transaction():
            record_deletion(self.path.parent, "person", id_of(user))
            self._write(delete(people).where(people.c.user == user))

    def own(self, user: str) -> Own:
        """Nothing is set where nothing was kept."""
        for row in self._read(_OWN, {"user_": user}):
            return Own(str(row[0]), {str(name): str(text) for name, text in sorted(row[1].items())})
        return Own()

    def instruct(self, user: str, words: str) -> None:
        """Of all replies from now on; nothing takes them back. Raises ChatFault."""
        self._set(user, instructions=checked_instructions(words))

    def keep_prompt(self, user: str, name: str, words: str) -> None:
        """A prompt by its name; without words it goes. Raises ChatFault."""
        name, words = "-".join(name.split()).strip("/")[:NAMED], words.strip()
        if not name:
            raise ChatFault("A prompt needs a name: type one and try again.")
        if len(words) > LONGEST:
            raise ChatFault(f"A prompt has at most {LONGEST:,} characters: shorten it.")
        others = {other: text for other, text in self.own(user).prompts.items() if other != name}
        if words and len(others) >= PROMPTS:
            raise ChatFault(f"You have {PROMPTS} prompts, which is the most: delete one first.")
        self._set(user, prompts=others | ({name: words} if words else {}))

    def remembered(self, user: str) -> bool:
        """Whether the person wants a memory, as their notes said last."""
        return all(row[0] for row in self._read(select(people.c.remembered).where(people.c.user == user)))

    def set_remembered(self, user: str, on: bool) -> None:
        if on != self.remembered(user):
            self._set(user, remembered=on)

    def _set(self, user: str, **values: object) -> None:
        row = upsert(people).on_conflict_do_update(["user"], set_=values)
        self._write(row, {"user": user, **values})

    # -- inside

    def _merge_found(self) -> None:
        """The index keeps words that were deleted until its parts are one. Others have their turn between slices."""
        home, gone = self.path.parent, deletions(self.path.parent)
        pages = -SLICE  # begins to merge all parts; what goes on with that says +SLICE
        while self._changes(pages) > 1:  # as FTS5 tells that there was something left to do
            pages = SLICE
            time.sleep(BREATH)
        if not are_wiped(gone) and deletions(home) == gone:  # else it is written down by whoever deleted meanwhile
            with suppress(OSError):  # then it is done once more at the next start
                record_deletion(home, WIPED, "")

    def _changes(self, pages: int) -> int:
        counted = text("SELECT total_changes()")
        with self._transaction() as db:
            before = int(db.scalar(counted) or 0)
            db.execute(_MERGE, {"pages": pages})
            return int(db.scalar(counted) or 0) - before

    @contextmanager
    def _transaction(self) -> Iterator[Connection]:
        with told_when_full(), super()._transaction() as db:
            yield db


def _hashed(secret: str) -> str:
    return sha256(secret.encode(errors="replace")).hexdigest()


def _where(columns: dict[str, object]) -> list[ColumnElement[bool]]:
    return [sessions.c[name] == value for name, value in columns.items()]


def _holding(query: Select[Any], said: ColumnElement[str], wanted: Sequence[str]) -> Select[Any]:
    if _asked(wanted):
        query = query.join(found, found.c.rowid == events.c.seq).where(text("found MATCH :asked"))
    else:
        query = query.where(events.c.kind.in_(("turn", "reply")))
    return query.where(*_all(said, [word for word in wanted if len(word) < LETTERS]))


def _asked(wanted: Sequence[str]) -> dict[str, str]:
    """The words as FTS5 wants them; none where all are too short for it."""
    whole = [f'"{word.replace(chr(34), chr(34) * 2)}"' for word in wanted if len(word) >= LETTERS]
    return {"asked": " ".join(whole)} if whole else {}


def _all(where: ColumnElement[str], wanted: Sequence[str]) -> list[ColumnElement[bool]]:
    return [where.icontains(word, autoescape=True) for word in wanted]
