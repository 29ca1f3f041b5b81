"""What can go wrong around a conversation, and the one sentence a person reads.

    ChatFault                a request that cannot be done; its text says what to do
    ├── UnknownSession
    ├── HomeLocked           another Duet holds DUET_HOME
    └── DiskFull

Models (ModelFault), tools (ToolFault) and the memory (MemoryFault) have trees of their own, whose texts are such
sentences too. Everything else is a defect of Duet: the person is told so, and the log has the traceback.
"""

from __future__ import annotations

import errno
import logging
import sqlite3
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic import ValidationError

log = logging.getLogger("duet")


class ChatFault(Exception):
    """The text is one sentence for a person, with what to do."""


class UnknownSession(ChatFault):
    def __init__(self, session: str) -> None:
        super().__init__(f"There is no conversation `{session[:60]}`; choose one from the list or start a new one.")


class HomeLocked(ChatFault): ...


class DiskFull(ChatFault):
    def __init__(self) -> None:
        super().__init__("The disk is full, so nothing can be stored: free some space, then try again.")


def one_of(name: str, known: Collection[str], what: str) -> str:
    """The name. Raises ChatFault where it is not known."""
    if name not in known:
        raise ChatFault(f"There is no {what} `{name}`; choose one of: {', '.join(known)}.")
    return name


def sentence(error: BaseException) -> str:
    """The one sentence for a person; what is not meant for people goes to the log."""
    from memory.memory import MemoryFault
    from minds.models.language import ModelFault
    from tools.desk import ToolFault

    if isinstance(error, ChatFault | ModelFault | MemoryFault | ToolFault):
        return str(error)
    if is_disk_full(error):
        return str(DiskFull())
    log.error("unexpected %s", type(error).__name__, exc_info=error)
    return f"Something broke inside Duet ({type(error).__name__}); the log has the details. Please try again."


def is_disk_full(error: BaseException) -> bool:
    """Also where SQLAlchemy stands around what the driver said."""
    error = getattr(error, "orig", None) or error
    if isinstance(error, sqlite3.OperationalError):
        return "disk is full" in str(error)
    return isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)


@contextmanager
def told_when_full() -> Iterator[None]:
    """A disk that is full within it is a DiskFull."""
    try:
        yield
    except BaseException as error:
        if is_disk_full(error):
            raise DiskFull() from error
        raise


def first_wrong(fault: ValidationError) -> tuple[str, str]:
    """Where in what was sent something is wrong, as `notes[3].about.quote`, and what; the first that is found."""
    first = fault.errors(include_url=False, include_input=False)[0]
    place = "".join(f"[{part}]" if isinstance(part, int) else f".{part[:60]}" for part in first["loc"])
    what = first["msg"].removeprefix("Value error, ").partition(" or instance of ")[0]
    return place.removesuffix(".[key]").strip("."), what[:1].lower() + what[1:]
