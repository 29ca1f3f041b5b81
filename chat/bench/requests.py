"""`bench requests`: a person's words to a world and a task, on JSON lines of one's own or on the project's dev lines.

A line is {"says", "world": scienceworld|alfworld|none, "task", "object", "receptacle"}. Right is: the task's name; of a
household task kind, thing and place (a lamp or nothing where the thing is looked at in its light); of `none`, that
nothing was read as a task, neither a request nor a question back. Without --data and with ALFWORLD_DATA, 200 held-out
descriptions of valid_seen are drawn as well, always the same ones: read among all household tasks, and among
valid_seen's own games (tasks in homes).
"""

from __future__ import annotations

import json
import os
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from chat.bench import Ask
from chat.faults import ChatFault

if TYPE_CHECKING:
    from memory.embedder import Embedder
    from minds.requests import Openable, Read, Requests

DEV = Path(__file__).parents[2] / "tests" / "data" / "requests_dev.jsonl"
SEED, HELD_OUT = 7, 200
LAMPS = {"", "desklamp", "floorlamp"}


@dataclass(frozen=True)
class Case:
    """What was said and what is right."""

    says: str
    world: str
    task: str = ""
    object: str = ""
    receptacle: str = ""


def run(ask: Ask) -> dict[str, object]:
    """Shares right: `accuracy`, one for each world, and of `none` the share mistaken for a task; failures to stderr."""
    from memory.embedder import Embedder
    from minds.requests import Requests

    cases = read_cases(ask.data or DEV)
    data_set = os.environ.get("ALFWORLD_DATA", "")
    held_out = described(Path(data_set)) if data_set and not ask.data else []
    reader, embedder = Requests.load(), Embedder()
    embedder.warm()
    figures = measure(reader, cases[: ask.limit], embedder)
    if held_out:
        held_out, there = held_out[: ask.limit], openable(Path(data_set))
        figures["valid_seen"] = measure(reader, held_out, embedder)["accuracy"]
        figures["valid_seen_among_its_games"] = measure(reader, held_out, embedder, there)["accuracy"]
        figures["valid_seen_descriptions"] = len(held_out)
    return figures


def read_cases(path: Path) -> list[Case]:
    """Cases of a file of JSON lines. Raises ChatFault where it cannot be read."""
    try:
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
        names = ("task", "object", "receptacle")
        return [Case(row["says"], row["world"], *(str(row.get(name) or "") for name in names)) for row in rows]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as fault:
        raise ChatFault(
            f'{path.name} is no file of requests: each line is {{"says": ..., "world": "scienceworld", "task": ...}}.'
        ) from fault


def described(root: Path) -> list[Case]:
    """HELD_OUT descriptions of games of valid_seen, the same ones always; empty where the split is not there."""
    from minds.training.requests.turns import games

    found = [Case(g.text, "alfworld", g.kind, g.thing, g.place) for g in games(root, "valid_seen")]
    return random.Random(SEED).sample(found, min(HELD_OUT, len(found)))


def openable(root: Path) -> Openable:
    """In which homes (floor plans) valid_seen has games of a household task."""
    from minds.training.requests.turns import games, there

    return there(games(root, "valid_seen"))


def measure(
    reader: Requests, cases: list[Case], embedder: Embedder, there: Openable | None = None
) -> dict[str, object]:
    """Shares right over the cases, household tasks among all or those that are `there`; failures go to stderr."""
    right: dict[str, list[bool]] = {}
    times = []
    for case in cases:
        vector = embedder.embed([case.says])[0]
        started = perf_counter()
        read = reader.read(case.says, vector=vector, openable=there)
        times.append(perf_counter() - started)
        good = fits(case, read)
        right.setdefault(case.world, []).append(good)
        if not good:
            print(f"{case.says!r}: wanted {wanted(case)}, read {told(read)}", file=sys.stderr)
    every = [good for found in right.values() for good in found]
    return {"requests": len(every), "accuracy": share(every), **dict(_shares(right)), "read_ms": _middle(times)}


def fits(case: Case, read: Read) -> bool:
    """Whether what was read is what is right."""
    from minds.requests import Request

    if case.world == "none":
        return read is None
    if not isinstance(read, Request) or (read.world, plain(read.task)) != (case.world, plain(case.task)):
        return False
    if case.world == "scienceworld":
        return True
    lamp = case.task == "look_at_obj_in_light" and plain(case.receptacle) in LAMPS
    place = plain(read.receptacle) in LAMPS if lamp else plain(read.receptacle) == plain(case.receptacle)
    return place and plain(read.object) == plain(case.object)


def plain(name: str) -> str:
    """Lower case without blanks."""
    return "".join(name.lower().split())


def wanted(case: Case) -> str:
    """What is right, for a line of failures."""
    return " ".join(part for part in (case.world, case.task, case.object, case.receptacle) if part)


def told(read: Read) -> str:
    """What was read, for a line of failures."""
    from minds.requests import NoSuch, Request, Unclear

    if isinstance(read, Request):
        return " ".join(part for part in (read.world, read.task, read.object, read.receptacle) if part)
    if isinstance(read, Unclear):
        return f"unclear: {read.question}"
    return "no such task" if isinstance(read, NoSuch) else "nothing"


def share(found: list[bool]) -> float:
    """Of those that are true; 0 of none."""
    return round(sum(found) / len(found), 4) if found else 0.0


def _shares(right: dict[str, list[bool]]) -> Iterator[tuple[str, float]]:
    for world, found in sorted(right.items()):
        yield ("none_mistaken", round(1 - share(found), 4)) if world == "none" else (world, share(found))


def _middle(times: list[float]) -> float:
    """Milliseconds."""
    return round(sorted(times)[len(times) // 2] * 1000, 2) if times else 0.0
