"""What is shown of a world episode, as data: the step that is looked at, what led there, and the map so far.

Pure functions of the records that chat/worlds/episodes.py folds; no HTML, no simulator.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath

from chat.worlds.episodes import Holder, Record, in_hand
from chat.worlds.kept import type_of
from minds.dialogue import Event
from tools.worlds.world import Observation, Scene

HOUSEHOLDS = ("alfworld",)
"""Worlds whose places all lie in one room, so that ways between them say nothing."""
_PAIRS = (
    *(("north", "south"), ("east", "west"), ("up", "down"), ("in", "out")),
    *(("northeast", "southwest"), ("northwest", "southeast")),
)
TELEPORT = "teleport to "
OPPOSITE = {one: other for pair in _PAIRS for one, other in (pair, pair[::-1])}
"""Exits that are directions, and the way back."""


@dataclass(frozen=True)
class Line:
    """One step in the list of steps."""

    step: int
    """From 1."""
    action: str
    by: Holder
    gained: float
    """By how much the score changed; 0 where there is none."""
    reached: str = ""
    """The sub-goal that it reached, where the strategy has sub-goals."""


@dataclass(frozen=True)
class Spot:
    """A place of the map."""

    name: str
    came: int | None
    """The first step at which the agent was there (0: it began there); None where it was only heard of."""
    heard: int
    """The first step at which it was seen, be it from afar."""
    things: tuple[str, ...] = ()
    """What was seen there last, as far as the step that is shown."""
    way: str = ""
    """The exit's own word where it is a direction, behind which an unknown place lies."""


@dataclass(frozen=True)
class Way:
    """A way between two rooms of the map."""

    one: int
    other: int
    """Numbers of spots."""
    heard: int
    """The first step at which it was seen."""
    gone: int | None
    """The first step at which the agent went there."""


@dataclass(frozen=True)
class WorldMap:
    """Places in the order in which they became known, all of the episode; those heard of after `step` are not shown."""

    spots: tuple[Spot, ...]
    ways: tuple[Way, ...]
    here: int
    """The number of the spot where the agent is at `step`."""
    step: int
    rooms: bool
    """Rooms with ways between them; else places of one household."""


@dataclass(frozen=True)
class Tab:
    """An episode in the choice of episodes."""

    number: int
    title: str
    shown: bool


@dataclass(frozen=True)
class WorldView:
    """An episode as it stood after one of its steps."""

    record: Record
    tabs: tuple[Tab, ...]
    in_hand: bool
    """It is the episode that a person's words act on."""
    step: int
    """0 is the opening."""
    seen: Observation
    scene: Scene
    scores: tuple[float | None, ...]
    """After each step of the episode, the opening first."""
    lines: tuple[Line, ...]
    map: WorldMap
    game: Mapping[Holder, Record]
    """Who played this task in a game, each with the last time; empty where it is none."""

    @property
    def steps(self) -> int:
        return len(self.record.deeds)

    @property
    def now(self) -> bool:
        """The last step is shown."""
        return self.step == self.steps

    @property
    def rises(self) -> tuple[Line, ...]:
        """Where the score rose (sub-goals that the world counts), or the strategy reached a sub-goal of its own."""
        return tuple(line for line in self.lines if line.gained > 0 or line.reached)


def view(records: Sequence[Record], number: int | None = None, step: int | None = None) -> WorldView | None:
    """The episode of this number (None: the one in hand) after this step (None: the last); None where there is none."""
    hand = in_hand(records)
    wanted = number if number is not None else hand.number if hand else records[-1].number if records else 0
    record = next((record for record in records if record.number == wanted), None)
    if record is None:
        return None
    at = len(record.deeds) if step is None else max(0, min(step, len(record.deeds)))
    deed = record.deeds[at - 1] if at else None
    return WorldView(
        record,
        tuple(
            Tab(r.number, title(r), r.number == wanted) for r in sorted(records, key=lambda r: r.number)
        ),
        hand is not None and hand.number == wanted,
        at,
        deed.seen if deed else record.opening,
        deed.scene if deed else record.scene,
        (record.opening.score, *(deed.seen.score for deed in record.deeds)),
        lines(record),
        map_of(record, at),
        {r.wheel: r for r in records if r.game and r.spec == record.spec} if record.game else {},
    )  # fmt: skip


def ahead(you: Record, duet: Record) -> int:
    """Who did better at the same task: 1 the person, -1 the slow mind, 0 neither. Solved counts first, then fewer
    steps; where neither solved it, the score."""

    def worth(record: Record) -> tuple[float, ...]:
        last = record.last
        return (1.0, -len(record.deeds)) if last.won else (0.0, last.score or 0.0)

    return (worth(you) > worth(duet)) - (worth(you) < worth(duet))


def title(record: Record) -> str:
    """The task in a few words: `boil 3`, `pick and place simple`, `zork` of `/games/zork.z5`."""
    name, number = PurePath(type_of(record.spec)).stem, record.spec.variation
    return f"{name[:40].replace('_', ' ')}{f' {number}' if number else ''}"


def lines(record: Record) -> tuple[Line, ...]:
    """Every step, and what it brought."""
    before = [record.opening, *(deed.seen for deed in record.deeds)]
    reached = [*(deed.reached for deed in record.deeds[1:]), ""]
    return tuple(
        Line(number, deed.action, deed.by, gain(before[number - 1].score, deed.seen.score), reached[number - 1])
        for number, deed in enumerate(record.deeds, 1)
    )


def gain(before: float | None, after: float | None) -> float:
    """0 where there is no score."""
    return 0.0 if after is None else round(after - (before or 0.0), 2)


def gains(events: Iterable[Event]) -> dict[int, float]:
    """seq -> by how much the score changed, of every step in a world; steps that were undone later keep theirs."""
    scores: dict[object, list[float | None]] = {}
    found: dict[int, float] = {}
    for event in events:
        data: Mapping[str, object] = event.data
        so_far = scores.setdefault(data.get("episode"), [])
        if event.kind == "world" and data["state"] == "opened":
            so_far[:] = [_score(data)]
        elif event.kind == "world" and data["state"] == "undone":
            del so_far[int(str(data["to"])) + 1 :]
        elif event.kind == "step" and "episode" in data:
            found[event.seq] = gain(so_far[-1] if so_far else None, _score(data))
            so_far.append(_score(data))
    return found


def _score(data: Mapping[str, object]) -> float | None:
    score = data.get("score")
    return float(score) if isinstance(score, int | float) else None


# -- the map


def map_of(record: Record, step: int) -> WorldMap:
    """The places of the whole episode, with what was known of them at this step."""
    scenes = [record.scene, *(deed.scene for deed in record.deeds)]
    actions = ["", *record.actions]
    sketch = _Sketch(rooms=record.spec.world not in HOUSEHOLDS)
    for at, scene in enumerate(scenes):
        sketch.see(at, actions[at], scene, told=at <= step)
    spots = tuple(sketch.spots.values())
    order = {name: number for number, name in enumerate(sketch.spots)}
    ways = tuple(Way(order[one], order[other], *steps) for (one, other), steps in sketch.ways.items())
    return WorldMap(spots, ways, order.get(scenes[step].place, -1), step, sketch.rooms)


class _Sketch:
    """A map while it is drawn, scene by scene."""

    def __init__(self, *, rooms: bool) -> None:
        self.rooms = rooms
        self.spots: dict[str, Spot] = {}
        self.ways: dict[tuple[str, str], tuple[int, int | None]] = {}
        """From, to -> when it was first seen, when it was first gone."""
        self._led: set[str] = set()
        """Stubs (`kitchen north`) of which it is known where they lead."""
        self._place = ""
        self._exits: tuple[str, ...] = ()

    def see(self, at: int, action: str, scene: Scene, *, told: bool) -> None:
        """`told`: at or before the step that is shown."""
        if not scene.place:
            return
        led = not action.startswith(TELEPORT) or scene.place in self._exits
        if self.rooms and self._place and self._place != scene.place and led:
            self._went(at, action.split()[-1] if action else "", scene.place)
        old = self.spots.get(scene.place) or Spot(scene.place, None, at)
        things = scene.things if told else old.things
        self.spots[scene.place] = replace(old, came=at if old.came is None else old.came, things=things)
        for way in scene.exits:
            self._exit(at, scene.place, way)
        self._place, self._exits = scene.place, scene.exits

    def _went(self, at: int, way: str, place: str) -> None:
        """From where the agent was; what was only a direction until now has led here."""
        stubs = [f"{self._place} {way}", f"{place} {OPPOSITE.get(way, '')}"] if way in OPPOSITE else []
        self._led |= set(stubs)
        for stub in stubs:
            if stub in self.spots:
                self._lead(stub, place)
        self._way(self._place, place, at, at)

    def _lead(self, stub: str, place: str) -> None:
        if place in self.spots:
            del self.spots[stub]
            self.ways = {pair: steps for pair, steps in self.ways.items() if stub not in pair}
            return
        named = {place if name == stub else name: spot for name, spot in self.spots.items()}
        self.spots = {**named, place: replace(named[place], name=place)}
        self.ways = {(one, place if other == stub else other): steps for (one, other), steps in self.ways.items()}

    def _exit(self, at: int, place: str, way: str) -> None:
        direction = self.rooms and way in OPPOSITE
        name = f"{place} {way}" if direction else way
        if name in self._led or name == place:
            return
        self.spots.setdefault(name, Spot(way, None, at, way=way if direction else ""))
        if self.rooms:
            self._way(place, name, at, None)

    def _way(self, one: str, other: str, at: int, gone: int | None) -> None:
        pair = (other, one) if (other, one) in self.ways else (one, other)
        heard, before = self.ways.get(pair, (at, None))
        self.ways[pair] = (heard, gone if before is None else before)


def kind_of(name: str) -> tuple[str, int]:
    """`drawer 2` -> (drawer, 2); a name without a number has 0."""
    found = re.fullmatch(r"(.+?) (\d{1,4})", name)
    return (found.group(1), int(found.group(2))) if found else (name, 0)
