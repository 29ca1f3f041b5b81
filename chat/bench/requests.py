"""`bench requests`: wishes for tasks in text worlds, played as whole turns, with the tasks that are right.

A line is {"says", "world": scienceworld|alfworld|none, "task", "object", "receptacle"}.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from chat.bench import Ask
from chat.bench.cases import read_lines
from chat.bench.ground import say
from chat.bench.standin import among_stand_ins
from chat.bench.turns import Replies, opened, played
from minds.dialogue import Event
from tools.desk import ToolFault
from tools.worlds import simulator
from tools.worlds.alfworld_games import parts
from tools.worlds.goal import Goal, find, goals
from tools.worlds.kinds import KINDS
from tools.worlds.world import WorldSpec

OPEN = "world_open"
DEV = Path(__file__).parents[2] / "tests" / "data" / "requests_dev.jsonl"


@dataclass(frozen=True)
class Case:
    """What was said and what is right."""

    says: str
    world: str
    task: str = ""
    object: str = ""
    receptacle: str = ""


def run(ask: Ask) -> dict[str, object]:
    """Figures: turns that opened the task wished for (or none where none is), by world; seconds, calls, tokens."""
    return asyncio.run(_run(ask, read_cases(ask.data or DEV)[: ask.limit]))


async def _run(ask: Ask, cases: Sequence[Case]) -> dict[str, object]:
    replies = Replies("requests", ask)
    async with among_stand_ins(ask.settings) as duet:
        for number, case in enumerate(cases):
            if number not in replies.all:
                events = await say(duet, duet.open_session(f"person-{number}"), case.says)
                expect = [part for part in (case.task, case.object, case.receptacle) if part]
                group, did = case.world or "none", _done(events)
                replies.add(played(number, case.says, group, right(case, events), did, expect, events))
    return replies.figures()


def right(case: Case, events: Sequence[Event]) -> bool:
    """Whether the world is open that was wished for, in kind, thing and place; none where none was, nor asked for."""
    found = opened(events)
    if case.world == "none":
        return found is None and not any(event.kind == "step" and event.data["action"] == OPEN for event in events)
    if found is None or found["world"] != case.world:
        return False
    return (found["world"], found["task"]) in wanted(_filled(case, str(found["task"])), found)


def _filled(case: Case, task: str) -> Case:
    """What the person left open is right as it was opened."""
    if case.world != "alfworld":
        return case
    first, *rest = task.split("/")
    *_, thing, place = [*rest, "", ""][:3] if first == "household" else parts(WorldSpec("alfworld", task))
    return replace(case, object=case.object or thing, receptacle=case.receptacle or place)


def wanted(case: Case, found: Mapping[str, object]) -> set[tuple[str, str]]:
    """The tasks that are right: (world, task)."""
    if case.world == "scienceworld":
        return {(case.world, case.task)} if _is_about(case, int(str(found["variation"]))) else set()
    names = [name for name, kind in KINDS.items() if kind.task == case.task]
    if not names:
        return set()
    goal = Goal.model_validate({"world": "household", "kind": names[0], "thing": case.object, "place": case.receptacle})
    try:
        spec = find(goal, simulator)
    except ToolFault:
        return set()
    return {(spec.world, spec.task)}


def _is_about(case: Case, variation: int) -> bool:
    """Whether a laboratory's variation is about what was named."""
    own = goals().get(case.task, {"own": {}})["own"]
    wished = [text for text in own.values() if case.object and case.object.lower() in text]
    return not wished or case.object.lower() in own.get(str(variation), "")


def _done(events: Sequence[Event]) -> list[str]:
    found = opened(events)
    return [f"{found['world']}: {found['task']} {found['variation']}"] if found else []


def read_cases(path: Path) -> list[Case]:
    """Cases of a file of JSON lines. Raises ChatFault where it cannot be read."""
    names = ("task", "object", "receptacle")

    def made(row: Any) -> Case:
        return Case(row["says"], row["world"], *(str(row.get(name) or "") for name in names))

    return read_lines(path, made, '{"says": ..., "world": "scienceworld", "task": ...}')
