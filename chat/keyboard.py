"""What a person types on a terminal, below what is printed meanwhile; elsewhere lines that are piped in. Files that are
named there."""

from __future__ import annotations

import asyncio
import shlex
import sys
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from pathlib import Path
from stat import S_ISREG
from threading import Thread
from typing import Protocol

from chat.faults import ChatFault
from tools.reading import LARGEST


class Out(Protocol):
    """Where text is printed to."""

    def write(self, text: str, /) -> object: ...
    def flush(self) -> object: ...


Keys = tuple[Out, Callable[[], Awaitable[str | None]]]
"""Where text is printed meanwhile, and what reads the next that is said."""


class Keyboard:
    """Of a person: what is half typed stays whole, a paste of many lines is one text, arrows edit and go back."""

    def __init__(self) -> None:
        from prompt_toolkit import PromptSession

        self._begun = ""
        """A line that is not whole yet: it stands above the prompt, and is printed at its end."""
        self._session = PromptSession[str](self._prompt, enable_suspend=True)

    def _prompt(self) -> str:
        return f"{self._begun}\n> " if self._begun else "> "

    def write(self, text: str) -> None:
        whole, end, self._begun = (self._begun + text).rpartition("\n")
        sys.stdout.write(whole + end)
        self._session.app.invalidate()

    def flush(self) -> None:
        """Nothing waits."""

    async def read(self) -> str | None:
        """What was typed up to an Enter; None at Ctrl+D. Ctrl+C drops what is half typed. Raises KeyboardInterrupt
        where nothing is."""
        try:
            return await self._session.prompt_async()
        except EOFError:
            return None
        except KeyboardInterrupt:
            if self._session.default_buffer.text:
                return ""
            raise
        finally:
            self._begun = ""  # it stands above what was typed


async def piped() -> str | None:
    """A line, read in a thread that nothing waits for: Ctrl+C ends Duet without an Enter. None at the end."""
    typed: Future[str | None] = Future()
    typed.set_running_or_notify_cancel()

    def read() -> None:
        try:
            typed.set_result(_read())
        except Exception as fault:
            typed.set_exception(fault)

    Thread(target=read, daemon=True).start()
    return await asyncio.wrap_future(typed)


def _read() -> str | None:
    """A line; None at the end of input."""
    line = sys.stdin.readline()
    return line.removesuffix("\n") if line else None


@contextmanager
def keyboard() -> Iterator[Keys]:
    """Of a person at a terminal, or of what is piped in."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        yield sys.stdout, piped
        return
    from prompt_toolkit.patch_stdout import patch_stdout

    with patch_stdout():
        keys = Keyboard()
        yield keys, keys.read


def paths_of(typed: str) -> list[str]:
    """Files as they are typed, or dropped on a terminal: one, or several in quotes or with their blanks escaped. Raises
    ChatFault."""
    if not typed:
        raise ChatFault("Which file? Type /file and its path.")
    with suppress(ValueError, OSError, RuntimeError):  # of a text that can be no path, or names nobody's home
        if Path(typed).expanduser().is_file():
            return [typed]
    with suppress(ValueError):
        return shlex.split(typed)
    return [typed]


async def read_file(path: str) -> bytes:
    """Of this machine; of what is too large as much as shows it. Raises ChatFault."""
    try:
        return await asyncio.to_thread(_bytes_of, Path(path).expanduser())
    except (OSError, ValueError, RuntimeError) as error:
        raise ChatFault(f"{path} cannot be read: {getattr(error, 'strerror', str(error).rstrip('.'))}.") from error


def _bytes_of(path: Path) -> bytes:
    if not S_ISREG(path.stat().st_mode):
        raise ValueError("it is no file")  # a pipe may never end
    with path.open("rb") as file:
        return file.read(LARGEST + 1)
