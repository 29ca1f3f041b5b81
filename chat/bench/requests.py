"""`bench requests`: wishes for tasks in text worlds, played as whole turns, with the tasks that are right.

A line is {"says", "world": scienceworld|alfworld|none, "task", "object", "receptacle"}.
"""

from __future__ import annotations

from collections.abc import Sequence

from pydantic.dataclasses import dataclass

from chat.app import Duet
from chat.bench import Ask
from chat.bench.cases import Played, figures, play_turns, read_cases
from chat.bench.ground import DATA, among_stand_ins, asked_to_open, opened, say
from minds.dialogue import Event
from tools.desk import ToolFault
from tools.worlds import simulator
from tools.worlds.alfworld import parts
from tools.worlds.goal import Goal, find, goals
from tools.worlds.kinds import KINDS
from tools.worlds.world import WorldSpec

DEV = DATA / "requests_dev.jsonl"


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
    cases = read_cases(ask.data or DEV, Case)[: ask.limit]
    return figures(play_turns(ask, "requests", cases, among_stand_ins(ask.settings), _play))


async def _play(duet: Duet, number: int, case: Case) -> Played:
    events = await say(duet, duet.open_session(f"person-{number}"), case.says)
    expect = [part for part in (case.task, case.object, case.receptacle) if part]
    found = opened(events)
    did = [f"{found['world']}: {found['task']} {found['variation']}"] if found else []
    return Played.of(number, case.says, case.world, right(case, events), did, expect, events)


def right(case: Case, events: Sequence[Event]) -> bool:
    """Whether the world is open that was wished for, in kind, thing and place; none where none was, nor asked for."""
    found = opened(events)
    if case.world == "none":
        return found is None and asked_to_open(events) is None
    if found is None or found["world"] != case.world:
        return False
    task = str(found["task"])
    if case.world == "scienceworld":
        return task == case.task and _is_about(case, int(found["variation"]))
    return task == _household(case, task)


def _household(case: Case, task: str) -> str:
    """The task that was wished for, what the person left open as it was opened; empty where there is none."""
    kind = next((name for name, kind in KINDS.items() if kind.task == case.task), "")
    first, *rest = task.split("/")
    *_, thing, place = [*rest, "", ""][:3] if first == "household" else parts(WorldSpec("alfworld", task))
    wish = {"kind": kind, "thing": case.object or thing, "place": case.receptacle or place}
    try:
        return find(Goal.model_validate({"world": "household", **wish}), simulator).task if kind else ""
    except ToolFault:
        return ""


def _is_about(case: Case, variation: int) -> bool:
    """Whether a laboratory's variation is about what was named."""
    own = goals().get(case.task, {"own": {}})["own"]
    wished = [text for text in own.values() if case.object and case.object.lower() in text]
    return not wished or case.object.lower() in own.get(str(variation), "")
