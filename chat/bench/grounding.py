"""`bench grounding --data FILE`: what is said in a world, played as whole turns.

A line of data: {"world":..., "observation":..., "admissible":[...], "says":..., "expect":[...]} and perhaps "recent":
[actions before]. `expect` holds the acceptable actions; for a sentence of several steps all of them; it is empty where
the sentence must be refused or asked back. A line without `admissible` goes on in the situation of the line before.
"""

from __future__ import annotations

from pathlib import Path

from pydantic.dataclasses import dataclass

from chat.app import Duet
from chat.bench import Ask
from chat.bench.cases import Played, Row, figures, play_turns, read_cases
from chat.bench.ground import Situation, acted, among_stand_ins, say

EXAMPLE = (
    '{"world": "alfworld", "observation": "You are at desk 1.", "admissible": ["take mug 1 from desk 1", "look"],'
    ' "says": "take the mug", "expect": ["take mug 1 from desk 1"]}'
)
SITUATION = ("world", "observation", "admissible")


@dataclass(frozen=True)
class Case:
    """One sentence in one situation."""

    world: str
    admissible: tuple[str, ...]
    says: str
    expect: tuple[str, ...]
    observation: str = ""
    recent: tuple[str, ...] = ()


def run(ask: Ask) -> dict[str, object]:
    """Figures: turns whose actions are all right ones (none where none is), by world; seconds, calls, tokens."""
    file = ask.file(EXAMPLE)
    cases = read(file)[: ask.limit]
    situations = [Situation(case.observation, case.admissible, case.recent) for case in cases]
    rows = play_turns(ask, "grounding", cases, among_stand_ins(ask.settings, situations), _play)
    return {"data": file.name, **figures(rows)}


async def _play(duet: Duet, number: int, case: Case) -> Played:
    """In a conversation of its own: the world is opened, led to the situation, and the person speaks."""
    session = duet.open_session(f"person-{number}")
    for said in (f"/play {case.world} {number} --human", *case.recent):
        await say(duet, session, said)
    events = await say(duet, session, case.says)
    did = acted(events)
    right = set(did) <= set(case.expect) and bool(did) == bool(case.expect)
    return Played.of(number, case.says, case.world, right, did, case.expect, events)


def read(path: Path) -> list[Case]:
    """Raises ChatFault, one sentence with the file and the line."""
    last: Row = {}

    def with_situation(row: Row) -> Row:
        nonlocal last
        row = row if "admissible" in row else {**last, **row}
        last = {name: row[name] for name in SITUATION if name in row}
        return row

    return read_cases(path, Case, with_situation)
