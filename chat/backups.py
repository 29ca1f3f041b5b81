"""Copies of the transcript: one each day while it is served, the last seven kept; `backup` and `restore`.

What was deleted stays deleted: the ids of deleted conversations, turns and documents are written down, without a word
of them, and a restore leaves them out; of somebody who is deleted, their name, and what was set under it.
"""

from __future__ import annotations

import asyncio
import logging
import shutil
import sqlite3
import time
from contextlib import suppress
from pathlib import Path

from sqlalchemy import Connection, delete, select, text
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.exc import OperationalError, SQLAlchemyError

from chat.deletions import REMOVED, deletions, id_of, remove_words
from chat.faults import ChatFault, DiskFull, is_disk_full
from chat.tables import TRANSCRIPT, documents, events, people, picture_ids, pictures, sessions, shares, turns
from storage.engine import Damaged, afresh, cause, check, own, reading, transaction, writer
from storage.schema import Newer, StorageFault

log = logging.getLogger("duet.backups")
NAME = "duet.sqlite"
READY = f"{NAME}.restored"
"""What a restore puts in the transcript's place; from the moment that it is there whole, it will be."""
KEPT = 7
DAY = 24 * 3600.0
COPY = f"duet-{'[0-9]' * 8}-{'[0-9]' * 6}.sqlite"
"""Names of those made each day; what a person named lies there as it is."""
UNFINISHED = 3600.0
"""Seconds after which a copy that is still being made was given up."""
FAULTS = (SQLAlchemyError, sqlite3.Error, StorageFault, Damaged, OSError, UnicodeError)
"""What a database that cannot be opened or copied raises."""
NEEDED = 100_000
"""Bytes on the disk without which no transcript is opened."""
LOOK = 600.0
"""Seconds after which a served Duet sees whether a day is over."""


def backup(home: Path, to: Path | None = None) -> Path:
    """A copy of the transcript as it is now; may be made beside a running server. `to`: a file, or a folder for one.

    Raises ChatFault.
    """
    source = home / NAME
    if not source.is_file():
        raise ChatFault(f"There is no transcript {source} to back up: start Duet once, or set DUET_HOME.")
    target = to or _folder(home)
    if target.is_dir():
        target /= f"duet-{time.strftime('%Y%m%d-%H%M%S')}.sqlite"
    partial = target.with_name(f"{target.name}.part")
    try:
        own(partial)
        _copy(source, partial)
        partial.replace(target)
    except BaseException as error:
        _drop(partial)
        if not isinstance(error, FAULTS):
            raise
        why = "the disk is full" if is_disk_full(error) else str(cause(error))
        raise ChatFault(f"The backup {target} could not be made ({why}): name another place.") from error
    return target


def _drop(partial: Path) -> None:
    for more in ("-journal", ""):
        with suppress(OSError):
            Path(f"{partial}{more}").unlink(missing_ok=True)


def _copy(source: Path, target: Path) -> None:
    with reading(source).connect() as here, afresh(writer(target)).connect() as there:
        # SQLite's own copy of a file that is being written to: the driver has it, and no other database does.
        ours, theirs = here.connection.driver_connection, there.connection.driver_connection
        assert ours and theirs
        ours.backup(theirs)
        there.exec_driver_sql("PRAGMA journal_mode=DELETE")  # else who reads it writes files beside it
        _examine(there, target)


def _examine(db: Connection, path: Path) -> str:
    """The version of its tables; nothing where there are none yet. Raises StorageFault, Damaged, SQLAlchemyError."""
    version = TRANSCRIPT.version(db, path)
    check(db)
    return version


def _folder(home: Path) -> Path:
    folder = home / "backups"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise ChatFault(f"{folder} cannot be written ({error.strerror}): make it writable.") from error
    return folder


def backups(home: Path) -> list[Path]:
    """Newest first; last those of a day that has not come: the clock ran ahead when they were made. That of a file
    server may be a little ahead of ours."""
    soon = time.time() + DAY
    return sorted(
        (home / "backups").glob(COPY), key=lambda path: (path.stat().st_mtime <= soon, path.name), reverse=True
    )


def newest_good(home: Path) -> Path | None:
    """The newest backup that is whole."""
    return next((path for path in backups(home) if is_good(path)), None)


def is_good(path: Path) -> bool:
    """Whether this is a whole transcript of ours."""
    with suppress(*FAULTS):
        return _is_whole(path)
    return False


def _is_whole(path: Path) -> bool:
    """Raises one of FAULTS."""
    with reading(path).connect() as db:
        return bool(_examine(db, path))


async def daily(home: Path) -> None:
    """While it is served. A backup that fails is told in the log and tried again."""
    while True:
        try:
            newest = next(iter(backups(home)), None)
            if newest is None or abs(time.time() - newest.stat().st_mtime) >= DAY:
                await asyncio.to_thread(backup, home)
                await asyncio.to_thread(prune, home)
        except (ChatFault, OSError) as fault:
            log.warning("%s", fault)
        await asyncio.sleep(LOOK)


def prune(home: Path) -> None:
    """Keeps the newest seven, and the newest whole one however old it is; what lies beside others goes with them."""
    kept = {*backups(home)[:KEPT], newest_good(home)}
    for path in (home / "backups").glob(f"{COPY}*"):
        young = ".part" in path.name and time.time() - path.stat().st_mtime < UNFINISHED
        if path.with_name(f"{path.name.partition('.')[0]}.sqlite") not in kept and not young:
            path.unlink(missing_ok=True)


# -- restoring


def fault_of(error: Exception, path: Path) -> ChatFault:
    """What a person is told of a database that cannot be opened."""
    if isinstance(error, StorageFault):
        return ChatFault(str(error))
    if is_disk_full(error) or _no_room(path.parent):  # then SQLite may speak of I/O alone
        return DiskFull()
    why = str(cause(error))
    if isinstance(error, OperationalError | OSError) and "malformed" not in why:  # locked, not writable
        return ChatFault(
            f"The transcript {path} cannot be opened ({why}): make it writable, or set DUET_HOME to another folder."
        )
    backup = newest_good(path.parent)
    mend = (
        f"`main.py restore` keeps it aside and brings back the backup {backup.name}"
        if backup
        else "there is no backup, so move it away to begin anew"
    )
    return ChatFault(f"The transcript {path} is damaged ({why}): {mend}.")


def _no_room(folder: Path) -> bool:
    with suppress(OSError):
        return shutil.disk_usage(folder).free < NEEDED
    return False


def restore(home: Path, chosen: Path | None = None) -> tuple[Path, Path | None]:
    """Puts a backup in the transcript's place: (the backup, where what stood there is kept). Nobody may hold the home.

    What was deleted since is deleted in the copy before it is put in place. Raises ChatFault.
    """
    source = chosen or newest_good(home)
    if source is None:
        raise ChatFault(f"There is no whole backup in {home / 'backups'}: name one, `main.py restore FILE`.")
    try:
        if not _is_whole(source):
            raise StorageFault
    except Newer as error:
        raise ChatFault(f"{source} is the backup of a newer Duet: update Duet, or name another one.") from error
    except FAULTS as error:
        raise ChatFault(f"{source} is no whole backup of a transcript: name another one.") from error
    partial = home / f"{NAME}.part"
    try:
        finish(home)
        own(partial)
        _copy(source, partial)
        _leave_out(partial, deletions(home))
        partial.replace(home / READY)
        aside = finish(home)
    except FAULTS as error:
        _drop(partial)
        raise ChatFault(f"{source} could not be restored ({cause(error)}): nothing was changed.") from error
    return source, aside


def _leave_out(path: Path, gone: list[tuple[str, str]]) -> None:
    with afresh(writer(path, "foreign_keys=ON", "secure_delete=ON")).connect() as db:
        TRANSCRIPT.settle(db, path)  # a backup of before there were links or pictures has no table of them
        _take_out(db, gone)


def _take_out(db: Connection, gone: list[tuple[str, str]]) -> None:
    with transaction(db):
        for kind, name in gone:  # what is of no kind below meets nothing
            session, _, part = name.rpartition(":")
            table = {"session": sessions, "share": shares}.get(kind, documents)
            if kind == "turn" and part.isdigit():
                remove_words(db, session, int(part))
                _keep_place(db, session, int(part))
            elif kind == "picture":
                said = select(events.c.data).where(events.c.session == session, events.c.kind == "turn")
                if not any(part in picture_ids(data) for data in db.scalars(said)):  # else it came again, and was sent
                    db.execute(delete(pictures).where(pictures.c.session == session, pictures.c.id == part))
            elif kind == "person":
                named = [user for user in db.scalars(select(people.c.user)) if id_of(user) == name]
                db.execute(delete(people).where(people.c.user.in_(named)))
            else:
                db.execute(delete(table).where(table.c.id == name))
        if gone:  # else the index of what was said keeps their words
            db.execute(text("INSERT INTO found(found) VALUES ('optimize')"))


def _keep_place(db: Connection, session: str, number: int) -> None:
    """A deleted turn that the copy is too old for gets an empty place out of view: a new turn of its number would be
    taken for it, and deleted."""
    if db.scalar(select(sessions.c.id).where(sessions.c.id == session)):
        place = {"session": session, "number": number, "parent": number, "said": REMOVED, "state": "discarded"}
        db.execute(insert(turns).values(**place, superseded=True).on_conflict_do_nothing())


def finish(home: Path) -> Path | None:
    """The rest of a restore, also of one that was killed: from READY on it holds. Where what stood there is kept.

    To be called before the transcript is opened: half of what stood there may be aside already. Raises ChatFault.
    """
    ready = home / READY
    _drop(home / f"{NAME}.part")  # of a restore that was killed before
    if not ready.exists():
        return None
    try:
        aside = _set_aside(home, ready.stat().st_mtime)
        ready.replace(home / NAME)
    except OSError as error:
        raise ChatFault(f"A restore in {home} cannot be finished ({error.strerror}): make it writable.") from error
    return aside


def _set_aside(home: Path, at: float) -> Path | None:
    """What stands there, with what SQLite keeps beside it; under the same name when it is done again."""
    aside = home / f"{NAME}.aside-{time.strftime('%Y%m%d-%H%M%S', time.localtime(at))}"
    for more in ("-wal", "-shm", ""):
        if (part := home / f"{NAME}{more}").exists():
            part.replace(f"{aside}{more}")
    return aside if aside.exists() else None
