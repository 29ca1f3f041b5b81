"""Games whose tasks are told in people's words, and how these become the typed goals that a learned policy reads.

`people` are the descriptions that came with the data set (three or so a game); a file of JSON lines holds others:
{"game": "valid_seen/FOLDER/TRIAL", "says": "..."}. The world then shows the words in place of its own sentence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from chat.app import Duet
from chat.bench import Ask, digest
from chat.bench.cases import play_all, read_lines
from chat.bench.episodes.protocols import Case, in_turn
from chat.bench.ground import among_stand_ins, asked_to_open, say
from chat.evaluation.folder import RunFolder
from chat.faults import one_of
from chat.worlds.kept import type_of
from memory.embedder import Embedder
from minds.policies.swift_alfworld.goals import Goal, odds
from minds.policies.wishes import Wishes
from tools.worlds.alfworld import descriptions, parts, specs
from tools.worlds.kinds import KINDS
from tools.worlds.world import WorldSpec

PEOPLE = "people"
READERS = ("odds", "turn", "words")
"""The learned odds alone; a whole turn of both minds, whose goal comes first; none, the policy reads the words."""
Said = Sequence[tuple[WorldSpec, str]]


@dataclass(frozen=True)
class Asked:
    """What came of a task that was said to both minds."""

    id: str
    says: str
    asked: Mapping[str, Any] | None
    """Arguments of the call that opens a world."""
    seconds: float


def reworded(told: str, split: str) -> list[Case]:
    """The cases, the types of task in turn. Raises ChatFault, UnknownTask."""
    counts, found = Counter[str](), list[Case]()
    for spec, text in descriptions(split) if told == PEOPLE else _said(Path(told), split):
        counts[spec.task] += 1
        found.append(Case(f"{spec.task}#{counts[spec.task]}", type_of(spec), spec, text))
    return in_turn(sorted(found, key=lambda case: case.type))


def _said(path: Path, split: str) -> Said:
    games = {spec.task: spec for spec in specs(split)}

    def made(row: Any) -> tuple[WorldSpec, str]:
        if row["game"] not in games:
            raise ValueError(f"no game of {split}")
        return games[row["game"]], str(row["says"])

    return read_lines(path, made, f'{{"game": "{split}/FOLDER/TRIAL", "says": ...}}')


def about(told: str, reader: str) -> dict[str, str]:
    """What a run's config says of it. Raises ChatFault."""
    return {
        "told": told if told == PEOPLE else digest(Path(told)),
        "goals": one_of(reader, READERS, "way to read goals"),
    }


def read(folder: RunFolder, cases: Sequence[Case], ask: Ask) -> list[Case]:
    """The cases with the goals that their words may mean. Asks a model where the reader is `turn`."""
    if ask.goals == "words":
        return list(cases)
    wishes = Wishes.load(Embedder().changed)
    found = [odds(wishes, case.says) for case in cases]
    firsts = [max(goals, key=lambda goal: goals[goal], default=None) for goals in found]
    if ask.goals == "turn":
        firsts = _turns(folder, cases, ask)
        found = [with_first(goals, first) for goals, first in zip(found, firsts, strict=True)]
    return [
        replace(case, goals=goals, read=first == Goal.of(*parts(case.spec)))
        for case, goals, first in zip(cases, found, firsts, strict=True)
    ]


def _turns(folder: RunFolder, cases: Sequence[Case], ask: Ask) -> list[Goal | None]:
    """What the world was asked for, each in a conversation of its own; goes on where it was."""

    async def play(duet: Duet, name: str, case: Case) -> Asked:
        events = await say(duet, duet.open_session(name), case.says)
        return Asked(name, case.says, asked_to_open(events), round(events[-1].at - events[0].at, 3))

    opened = among_stand_ins(ask.settings)
    rows = play_all(folder, "goals", {case.id: case for case in cases}, opened, play, Asked)
    return [_goal(row.asked) for row in rows]


def _goal(asked: Mapping[str, Any] | None) -> Goal | None:
    """The household's goal that was asked for; what was left open is empty."""
    if asked is None or KINDS[asked["kind"]].world != "household":
        return None
    return Goal.of(KINDS[asked["kind"]].task, asked.get("thing") or "", asked.get("place") or "")


def with_first(goals: Mapping[Goal, float], first: Goal | None) -> dict[Goal, float]:
    """What was asked for before all else; what it leaves open, by the odds."""
    if first is None:
        return dict(goals)
    fitting = {goal for goal in goals if goal.within(first)}
    if not fitting and first.thing and first.place:
        return {first: 1.0, **goals}
    return {goal: p + (goal in fitting) for goal, p in goals.items()}
