"""`main.py memory`: the same wishes on the command line, through the server where one holds DUET_HOME."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from chat.faults import ChatFault
from chat.notebook import as_text
from chat.settings import Settings


def memory(settings: Settings, action: str, given: Mapping[str, Any]) -> int:
    """The exit code; what was asked for goes to standard output. Raises ChatFault."""
    asked = _asked(action, given)
    answer = asyncio.run(_answered(settings, action, asked))
    if "asks" in answer:
        if not _agreed(answer["asks"]):
            print("Nothing was deleted.")
            return 0
        answer = asyncio.run(_answered(settings, action, {"ids": answer["ids"], "sure": True}))
    print(
        json.dumps(answer, ensure_ascii=False, indent=1) if given.get("json") or action == "export" else as_text(answer)
    )
    return 0


def _asked(action: str, given: Mapping[str, Any]) -> dict[str, Any]:
    what = " ".join(given.get("what") or ())
    names = ("text", "answer", "kind", "state", "since", "until", "limit")
    asked = {name: given[name] for name in names if name in given}
    asked |= {"sure": bool(given.get("yes")), "all": bool(given.get("all"))}
    if action == "import":
        return {**asked, **_file(what)}
    if action in ("list", "search") or (action == "forget" and ":" not in what):
        return {**asked, "words": what}
    return {**asked, "id": what}


def _file(name: str) -> Mapping[str, Any]:
    try:
        read: Any = json.loads(sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as fault:
        raise ChatFault(f"`{name}` cannot be read as an export ({fault}).") from fault
    if not isinstance(read, dict):
        raise ChatFault(f"`{name}` is no export of a memory: it has to be what `memory export` wrote.")
    return read


async def _answered(settings: Settings, action: str, asked: Mapping[str, Any]) -> dict[str, Any]:
    from chat.line import open_line

    async with open_line(settings) as line:
        return await line.memory(settings.user, action, asked)


def _agreed(question: str) -> bool:
    """Deleting asks once; where nobody can be asked, --yes has to stand."""
    if not sys.stdin.isatty():
        raise ChatFault(f"{question} Add --yes to do it.")
    try:
        return input(f"{question} Go on? [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        return False
