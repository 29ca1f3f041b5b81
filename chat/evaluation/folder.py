"""One folder a run: its config, rows that are only ever appended, its summary; and how far it is, on standard error.

config.json     what the run is of; going on with another config is refused, naming what differs
starts.jsonl    every start: when, with which versions and commit
NAME.jsonl      one whole line a row; a line torn by a kill is cut off when the run goes on
summary.json    the figures, replaced in one stroke
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, TypeVar

from tqdm import tqdm  # type: ignore[import-untyped]

from chat.faults import ChatFault
from memory.lock import FolderLock
from memory.memory import MemoryFault, MemoryLocked
from minds.dialogue import clip

PAUSE = 15.0
"""Seconds between the lines of a bar that nobody watches."""
ABOUT = "about"
"""The one key of a config that may differ when a run goes on: versions, commit. Each start notes its own."""
Row = Mapping[str, Any]
T = TypeVar("T")


@dataclass(frozen=True)
class RunFolder:
    """The files of one run; only `open` takes the lock."""

    path: Path
    config: Row
    lock: FolderLock | None = None

    @classmethod
    def open(cls, path: Path | str, config: Row, later: Sequence[str] = ()) -> RunFolder:
        """Makes the folder or goes on with it; one run at a time. Raises ChatFault.

        `later`: keys of the config that are empty until `settle`; then what was said of them stays, and an empty one
        means just that.
        """
        folder = Path(path)
        wanted = json.loads(json.dumps(config))  # as it will be read back: tuples are lists
        try:
            with ExitStack() as opened:
                lock = FolderLock(folder)
                opened.callback(lock.release)
                kept = _kept(folder / "config.json", wanted, later)
                for file in folder.glob("*.jsonl"):
                    _mend(file)
                run = cls(folder, kept, lock)
                run.append("starts", {"at": time.strftime("%Y-%m-%dT%H:%M:%S%z"), ABOUT: wanted.get(ABOUT)})
                opened.pop_all()
        except MemoryLocked as error:
            raise ChatFault(f"Another run is writing {folder}: wait for it, or name another folder.") from error
        except (OSError, MemoryFault) as error:
            why = getattr(error.__cause__ or error, "strerror", "")
            raise ChatFault(f"The folder `{path}` cannot be used ({why}): name another one.") from error
        return run

    def close(self) -> None:
        """Another run may then use the folder; safe to repeat."""
        if self.lock:
            self.lock.release()

    def settle(self) -> None:
        """What this start said of keys that may be told `later` holds from now on. Raises ChatFault."""
        save_json(self.path / "config.json", self.config)

    def append(self, name: str, row: Row) -> None:
        """One more row of `NAME.jsonl`, whole or not at all. Raises ChatFault where the disk is full."""
        line = (json.dumps(row, ensure_ascii=False) + "\n").encode()
        try:
            with (self.path / f"{name}.jsonl").open("ab", buffering=0) as file:
                written = file.write(line)
        except OSError as error:
            raise ChatFault(f"`{self.path}` cannot be written ({error.strerror}): free some space, go on.") from error
        if written < len(line):
            raise ChatFault(f"The disk of `{self.path}` is full: free some space and start the command again.")

    def rows(self, name: str) -> Iterator[dict[str, Any]]:
        """Every whole row so far, the oldest first. Raises ChatFault for one that is none."""
        return self.read(name, dict)

    def read(self, name: str, made: Callable[[Any], T]) -> Iterator[T]:
        """What is made of each row. Raises ChatFault for one of which it cannot be made."""
        file = self.path / f"{name}.jsonl"
        if not file.is_file():
            return
        with file.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                if not line.endswith(b"\n"):
                    return  # torn, or just being written
                try:
                    row = made(json.loads(line))
                except (ValueError, KeyError, TypeError, AttributeError) as error:
                    wrong = f"Line {number} of {file} cannot be used: delete that line and start the command again."
                    raise ChatFault(wrong) from error
                yield row

    def finished(self, name: str) -> set[str]:
        """The ids of the rows so far."""
        return {str(row["id"]) for row in self.rows(name) if "id" in row}

    def summary(self, figures: Row) -> None:
        """Writes `summary.json`, whole or not at all."""
        save_json(self.path / "summary.json", figures)


def _kept(file: Path, wanted: Row, later: Sequence[str]) -> Row:
    """The config of the run that goes on. Raises ChatFault with the first key that differs."""
    if not file.is_file():
        save_json(file, {**wanted, **dict.fromkeys(later, "")})
        return wanted
    kept = read_config(file)
    said = {name: kept.get(name) or wanted.get(name) or "" for name in later}
    kept, wanted = {**kept, **said}, {**wanted, **{name: wanted.get(name) or said[name] for name in later}}
    for name in sorted({*kept, *wanted} - {ABOUT}):
        if (kept.get(name) or None) != (wanted.get(name) or None):  # what is empty may as well be missing
            values = f"is {_brief(kept.get(name))}, now it would be {_brief(wanted.get(name))}"
            differs = "differs: a file was changed" if name.endswith("sha256") else values
            raise ChatFault(f"{file.parent} holds another run: its `{name}` {differs}; name another folder with --out.")
    return kept


def read_config(file: Path) -> dict[str, Any]:
    """Raises ChatFault where it is broken."""
    try:
        return dict(json.loads(file.read_bytes()))
    except (OSError, ValueError, TypeError) as error:
        raise ChatFault(f"{file} cannot be read: name another folder, or delete this one.") from error


def _brief(value: object) -> str:
    return clip(json.dumps(value, ensure_ascii=False), 80)


def _mend(file: Path) -> None:
    """Cuts off what follows the last whole line."""
    text = file.read_bytes()
    if text and not text.endswith(b"\n"):
        os.truncate(file, text.rfind(b"\n") + 1)


def save(file: Path, text: str) -> None:
    """Makes its folder too. Raises ChatFault."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ChatFault(f"{file} cannot be written ({error.strerror}): name another place.") from error


def save_json(file: Path, content: Row) -> None:
    """A file of a run's folder, in one stroke. Raises ChatFault."""
    beside = file.with_name(f"{file.name}.new")
    save(beside, json.dumps(content, indent=1, ensure_ascii=False) + "\n")
    beside.replace(file)


def provenance(*packages: str) -> dict[str, Any]:
    """For a config's `about`: what the figures were made with. Nothing in it names the machine."""
    versions = {}
    for name in packages:
        with suppress(metadata.PackageNotFoundError):
            versions[name] = metadata.version(name)
    return {"python": sys.version.split()[0], "packages": versions, "commit": _commit()}


def _commit() -> str | None:
    """Of the checkout that runs, with a + where files of it were changed; None outside of git."""
    command = ["git", "describe", "--always", "--abbrev=12", "--dirty=+", "--exclude=*"]
    try:
        said = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return said.stdout.strip() or None


@contextmanager
def progress(total: int, done: int = 0) -> Iterator[Callable[[str], None]]:
    """A bar on a terminal, its line now and then elsewhere, on standard error; one more is done with each call of what
    it gives, which says something of it. `done`: what was there already when the run went on."""
    pause = 0.1 if sys.stderr.isatty() else PAUSE
    with tqdm(total=total, initial=done, mininterval=pause, dynamic_ncols=True, file=sys.stderr) as bar:

        def advance(note: str) -> None:
            bar.set_postfix_str(note, refresh=False)
            bar.update()

        yield advance
