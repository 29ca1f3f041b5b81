"""`bench grounding --split dev41 | --data FILE`: words to actions over lists of real games; no language model is asked.

A line of data: {"world":..., "observation":..., "admissible":[...], "says":..., "expect":[...]} and perhaps "recent":
[actions before]. `expect` holds the acceptable actions; for a sentence of several steps all of them; it is empty where
the sentence must be refused or asked back. A line without `admissible` goes on in the situation of the line before.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chat.bench import Ask
from chat.faults import ChatFault
from tools.worlds.grounding import Actions, Grounded, Impossible, Unclear, ground


@dataclass(frozen=True)
class Case:
    """One sentence in one situation."""

    world: str
    observation: str
    admissible: tuple[str, ...]
    says: str
    expect: tuple[str, ...]
    recent: tuple[str, ...] = ()


def run(ask: Ask) -> dict[str, object]:
    """Figures: share right (`accuracy`), counts by kind, milliseconds a sentence."""
    from memory.embedder import Embedder

    cases = (read_cases(ask.data) if ask.data else own_cases(ask.split))[: ask.limit]
    embedder = Embedder()
    embedder.warm()
    kinds: Counter[str] = Counter()
    right: Counter[str] = Counter()
    seconds = []
    for case in cases:
        began = time.perf_counter()
        done = ground(
            case.says, case.world, case.admissible, case.observation, recent=case.recent, tokens=embedder.tokens
        )
        seconds.append(time.perf_counter() - began)
        kind = f"{case.world} {'act' if case.expect else 'refuse or ask'}"
        kinds[kind] += 1
        right[kind] += is_right(case, done)
        if not is_right(case, done):
            print(
                f"{case.says!r}: {told(done)}; expected {list(case.expect[:3]) or 'none'}", file=sys.stderr, flush=True
            )
    return {
        "data": ask.data.name if ask.data else ask.split,
        "cases": len(cases),
        "accuracy": round(sum(right.values()) / len(cases), 4),
        "right": {kind: f"{right[kind]}/{kinds[kind]}" for kind in sorted(kinds)},
        "ms_p50": round(sorted(seconds)[len(seconds) // 2] * 1000, 1),
    }


def is_right(case: Case, done: Grounded) -> bool:
    """Every action that came out is acceptable, and at least one did; none where none is acceptable."""
    actions = done.actions if isinstance(done, Actions) else ()
    return bool(actions) == bool(case.expect) and set(actions) <= set(case.expect)


def told(done: Grounded) -> str:
    """One line for the list of failures."""
    if isinstance(done, Actions):
        return f"did {list(done.actions)}" + (f", later {list(done.rest)}" if done.rest else "")
    if isinstance(done, Unclear):
        return f"asked {done.question!r}"
    return f"refused {done.why!r}" if isinstance(done, Impossible) else "took it for no action"


def own_cases(split: str) -> list[Case]:
    """Of the labelled sentences that words to actions are fitted on. Raises ChatFault where there is no such split."""
    from minds.training.grounding.sentences import files, rows

    if split not in files():
        raise ChatFault(
            f"There is no split `{split}`: name --split {files()[0]} to {files()[-1]}, or a file with --data."
        )
    return [_made(row) for row in rows(split)]


def read_cases(path: Path) -> list[Case]:
    """Raises ChatFault, one sentence with the file and the line."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ChatFault(
            f"The data `{path}` cannot be read ({type(error).__name__}): name a file of JSON lines."
        ) from None
    cases: list[Case] = []
    for number, line in enumerate(lines, 1):
        if line.strip():
            cases.append(_case(path, number, line, cases[-1] if cases else None))
    if not cases:
        raise ChatFault(f"There is no case in `{path}`: give one JSON object a line.")
    return cases


def _case(path: Path, number: int, line: str, before: Case | None) -> Case:
    where = f"Line {number} of `{path}`"
    try:
        given = json.loads(line)
    except json.JSONDecodeError as error:
        raise ChatFault(f"{where} is not JSON ({error.msg}): give one object a line.") from None
    if not isinstance(given, dict):
        raise ChatFault(f"{where} is not a JSON object: give world, observation, admissible, says and expect.")
    if before and "admissible" not in given:
        same = {"world": before.world, "observation": before.observation, "admissible": list(before.admissible)}
        given = {**same, **given}
    for key in ("world", "says"):
        if not isinstance(given.get(key), str):
            raise ChatFault(f"{where} has no text `{key}`: add it.")
    for key in ("admissible", "expect"):
        if not _is_list(given.get(key)):
            raise ChatFault(f"{where} has no list of texts `{key}`: add it.")
    if not isinstance(given.get("observation", ""), str) or not _is_list(given.get("recent", [])):
        raise ChatFault(f"{where}: `observation` is to be a text and `recent` a list of texts.")
    return _made(given)


def _made(given: Mapping[str, Any]) -> Case:
    lists = {key: tuple(given.get(key, ())) for key in ("admissible", "expect", "recent")}
    return Case(given["world"], given.get("observation", ""), says=given["says"], **lists)


def _is_list(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)
