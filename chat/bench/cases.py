"""What benchmarks read: files of JSON lines, one case each."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from chat.faults import ChatFault

T = TypeVar("T")


def read_lines(path: Path, made: Callable[[Any], T], wanted: str) -> list[T]:
    """The cases; `made` raises where a line's object is none. Raises ChatFault that names the line, and says what is
    `wanted` in its place."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        what = type(error).__name__
        raise ChatFault(f"The data `{path}` cannot be read ({what}): name a file of JSON lines.") from None
    found = []
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                found.append(made(json.loads(line)))
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise ChatFault(f"Line {number} of `{path}` cannot be used ({_why(error)}): give {wanted}.") from error
    if not found:
        raise ChatFault(f"There is no case in `{path}`: give one JSON object a line.")
    return found


def _why(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"not JSON: {error.msg}"
    if isinstance(error, ValidationError):
        first = error.errors()[0]
        return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    return f"it lacks {error}" if isinstance(error, KeyError) else str(error)
