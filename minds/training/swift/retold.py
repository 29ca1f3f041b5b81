"""An oracle's own episode retold as a demonstration: walks become one teleport, looking around is left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from minds.policies.swift.reading import room_of, things
from minds.policies.swift.wording import AMBIGUOUS, MOVES, ROOMS, Act, in_place, wordings
from minds.training.swift.oracle import WALKS, idle, meant


def retold(first: tuple[str, str], steps: Sequence[Sequence[Any]]) -> list[dict[str, Any]]:
    """Rows as a replay would have them, from (action, answer, look, inventory, score, done) of every oracle step."""
    rows: list[dict[str, Any]] = []
    view = start = first
    at, before = 0, 0.0
    while at < len(steps):
        action, said, after, score = steps[at][0], steps[at][1], tuple(steps[at][2:4]), steps[at][4]
        if said.startswith(AMBIGUOUS) and at + 1 < len(steps) and steps[at + 1][0] == "0":
            at += 1
            said, after, score = said + "\n" + steps[at][1], tuple(steps[at][2:4]), steps[at][4]
        if not action.startswith(WALKS) and not idle(said):
            act = meant(action, said, things(*view))
            if act is not None:
                if room_of(start[0]) != room_of(view[0]):
                    room = room_of(view[0])
                    rows.append(_row(start, Act(ROOMS, (), room), f"You teleport to the {room}.", before))
                rows.append(_row(view, act, said.rpartition("\n")[2] if "\n0:" in said else said, score))
            start = (after[0], after[1])
        view, before = (after[0], after[1]), score
        at += 1
    return rows


def effective(episode: dict[str, Any]) -> dict[str, Any]:
    """A demonstration without the steps that put a thing where it is: a habit of the oracle's, who fills a jug that is
    full, and of two seeds alike moves the one in the jar into the jar. Learned, they become circles."""
    return {**episode, "rows": [row for row in episode["rows"] if not _vain(row)]}


def _vain(row: Mapping[str, Any]) -> bool:
    pattern, args, room = row["act"]
    if pattern != MOVES:
        return False
    seen = things(row["look"], row["inv"])
    return max(args) < len(seen) and in_place(Act(pattern, tuple(args), room), seen)


def _row(view: tuple[str, str], act: Act, said: str, score: float) -> dict[str, Any]:
    text = wordings(act, things(*view), {})[0][0]
    about = {"look": view[0], "inv": view[1], "act": [act.pattern, list(act.args), act.room], "learn": True}
    return about | {"text": text, "said": said, "score": score}
