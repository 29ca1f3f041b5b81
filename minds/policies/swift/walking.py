"""Where a world has no teleport, the policy's `teleport to` is walked: door by door, on the map that is known.

What room lies behind which door was seen in train episodes (the map lies beside the weights) and is seen on the way;
the simulator's houses share one floor plan. Nothing here knows any task.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from minds.policies.swift.reading import Thing

FILE = "swift_{world}_map.json"
DOOR = "door to the "
ARRIVED = "You teleport to the {}."
"""What the policy learned to hear when it has come to a room."""
Doors = dict[str, tuple[str, ...]]


class Walk:
    """One episode's walking: knows the doors, and which of them would not open."""

    def __init__(self, doors: Mapping[str, Sequence[str]]) -> None:
        self._doors = {room: set(behind) for room, behind in doors.items()}
        self._shut: set[tuple[str, str]] = set()
        self._last = ("", "")

    def step(self, room: str, seen: Sequence[Thing], target: str, said: str) -> str:
        """The next action on the way; empty in the room itself and where no way is known. `said`: the last answer.

        A step of a walk that would have to be repeated did nothing: another way is taken.
        """
        shown = {thing.name.removeprefix(DOOR): thing for thing in seen if thing.name.startswith(DOOR)}
        self._doors.setdefault(room, set()).update(shown)
        behind, text = self._hop(room, shown, target)
        if said and text and self._last == (room, text):
            self._shut.add((room, behind))
            _, text = self._hop(room, shown, target)
        self._last = (room, text)
        return text

    def _hop(self, room: str, shown: Mapping[str, Thing], target: str) -> tuple[str, str]:
        """The room that is next on the way, and the action that goes there or opens its door."""
        way = self.way(room, target)
        if len(way) < 2:
            return "", ""
        door = shown.get(way[1])
        return way[1], f"{'open door' if door and 'closed' in door.states else 'go'} to {way[1]}"

    def way(self, room: str, target: str) -> list[str]:
        """The shortest known way, both ends included; empty where none is known."""
        ways, met = [[room]], {room}
        for way in ways:  # grows meanwhile
            if way[-1] == target:
                return way
            behind = {next for next in self._doors.get(way[-1], set()) - met if (way[-1], next) not in self._shut}
            ways += [[*way, next] for next in sorted(behind)]
            met |= behind
        return []


def load(world: str, *folders: Path) -> Doors:
    """The map of the first folder that has one; empty where none has: then only what is seen is known."""
    for folder in folders:
        if (path := folder / FILE.format(world=world)).exists():
            return {room: tuple(behind) for room, behind in json.loads(path.read_text(encoding="utf-8")).items()}
    return {}
