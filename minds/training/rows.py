"""Files of JSON, a row a line, zipped where they are called so: the labelled data, and what trainings collect."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter

from minds.training.processes import mapped, say

DATA = Path(__file__).with_name("data")
Row = dict[str, Any]
Key = tuple[str, int, int]
T = TypeVar("T")


def lines(name: str) -> list[Any]:
    """Of a zipped file of DATA. Raises ValueError for what is no JSON."""
    return rows_of(DATA / f"{name}.jsonl.gz")


def rows_of(path: Path) -> list[Any]:
    """Of a file that people made: a line that is no JSON is a mistake in it. Raises OSError, ValueError."""
    rows = []
    with _opened(path, "rt") as file:
        for number, line in enumerate(file, 1):
            try:
                rows += [json.loads(line)] if line.strip() else []
            except json.JSONDecodeError as error:
                raise ValueError(f"line {number} of {path} is no JSON: {error.msg}") from error
    return rows


def stored(path: Path) -> Iterator[Any]:
    """What was collected so far: nothing where there is no file, and no line that a crash cut short."""
    if path.is_file():
        with suppress(EOFError), _opened(path, "rt") as file:
            for line in file:
                with suppress(json.JSONDecodeError):
                    yield json.loads(line)


def records(path: Path, kind: type[T]) -> Iterator[T]:
    """The same as this dataclass."""
    return map(TypeAdapter(kind).validate_python, stored(path))


def append(path: Path, *rows: Any) -> None:
    """More lines, into a folder that is made where there is none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with _opened(path, "at") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


def _opened(path: Path, mode: str) -> Any:
    if path.suffix == ".gz":
        return gzip.open(path, mode, compresslevel=4, encoding="utf-8")
    return path.open(mode, encoding="utf-8")


def key(row: Mapping[str, Any]) -> Key:
    """What names an episode of a file: its task, the task's variation, and which of several."""
    return row["task"], row["variation"], row.get("round", 0)


def collected(path: Path, wanted: Iterable[Key], make: Callable[[Key], Row | None], jobs: int = 1) -> None:
    """Makes the episodes that a file lacks, each a line (None: it cannot be made); can be stopped and started again."""
    have = set(map(key, stored(path)))
    left = [name for name in wanted if name not in have]
    for number, row in enumerate(mapped(jobs, make, left), 1):
        if row is not None:
            append(path, row)
        say(f"{path.name}: {number} of {len(left)}")
