"""What an episode of ALFWorld has shown so far: read from its texts, nothing else."""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

NOTHING = "Nothing happens."
_THINGS = re.compile(r"\ban? ([a-z]+ \d+)")
_SEEN = re.compile(r"On the ([a-z]+ \d+), you see ([^.]*)\.|The ([a-z]+ \d+) is open\. In it, you see ([^.]*)\.")
_CLOSED = re.compile(r"The ([a-z]+ \d+) is closed\.")
_ARRIVED = re.compile(r"You arrive at (?:the )?([a-z]+ \d+)\.")
_SHUT = re.compile(r"You close the ([a-z]+ \d+)\.")
_TOOK = re.compile(r"You pick up the ([a-z]+ \d+) from the ([a-z]+ \d+)\.")
_PUT = re.compile(r"You (?:move|put) the ([a-z]+ \d+) (?:to|in/on|in|on) the ([a-z]+ \d+)\.")
_CHANGED = re.compile(r"You (clean|heat|cool) the ([a-z]+ \d+) using the ([a-z]+ \d+)\.")
_USED = re.compile(r"You turn on the ([a-z]+ \d+)\.")
_ACTION = re.compile(r"([a-z]+(?: to)?) ([a-z]+ \d+)(?: (?:from|to|with) ([a-z]+ \d+))?")
UNDOES = {"heat": "cool", "cool": "heat"}


@dataclass(frozen=True)
class Action:
    """A command taken apart: `move mug 1 to desk 1` is move, `mug 1`, `desk 1`; of `go to`, `open`, `close` and
    `examine` the one name is the second where it is a receptacle."""

    text: str
    verb: str
    thing: str = ""
    place: str = ""


@dataclass
class Place:
    """A receptacle as far as it was seen."""

    name: str
    kind: str
    visits: int = 0
    shut: bool = False
    """Seen closed, and not opened since."""
    opened: bool = False
    """Was seen to be one that opens."""
    looked: bool = False
    """What lies in it has been seen."""
    last: int = -1
    """Step of the last visit."""


def kind_of(name: str) -> str:
    """`mug 2` -> `mug`."""
    return name.rpartition(" ")[0] or name


def room_number(places: Iterable[str]) -> int:
    """Of a room with these receptacles."""
    return zlib.crc32(" ".join(sorted(places)).encode())


@dataclass
class Memory:
    """One episode. `begin` reads the opening text, `did` an action and its answer, `sees` what is possible now."""

    goal: str
    room: int = 0
    """A number for what stands in the room, by which it is known again."""
    places: dict[str, Place] = field(default_factory=dict)
    lies: dict[str, str] = field(default_factory=dict)
    """Thing -> receptacle it was last seen in."""
    at: str = ""
    here: frozenset[str] = frozenset()
    """Receptacles within reach."""
    beside: dict[str, set[str]] = field(default_factory=dict)
    """Receptacles that proved to be within one another's reach."""
    held: str = ""
    taken_from: str = ""
    made: dict[str, set[str]] = field(default_factory=dict)
    """Thing -> what was done to it: clean, heat, cool."""
    used: set[str] = field(default_factory=set)
    put: dict[str, str] = field(default_factory=dict)
    """Thing -> where it was put down by the agent."""
    history: list[tuple[Action, bool]] = field(default_factory=list)
    """Actions so far and whether anything came of each."""
    times: Counter[str] = field(default_factory=Counter)
    futile: set[str] = field(default_factory=set)
    """Actions that were refused since anything last changed."""

    def begin(self, opening: str) -> None:
        """The opening text: what stands in the room."""
        around = opening.partition("you see")[2].partition("Your task")[0]
        for name in _THINGS.findall(around):
            self.places[name] = Place(name, kind_of(name))
        self.room = room_number(self.places)

    def did(self, action: str, text: str) -> None:
        """Takes in an action and what the world said to it."""
        act = self.parse(action)
        worked = text.strip() != NOTHING
        before = self.state()
        if worked:
            self._arrive(text)
            self._look(text)
            self._handle(text)
        elif act.verb == "go to" and act.place in self.places and act.place != self.at and self.at:
            self._together((self.at, act.place))
        self.history.append((act, worked))
        self.times[action] += 1
        if self.state() != before:
            self.futile.clear()
        elif not worked:
            self.futile.add(action)

    def sees(self, admissible: Iterable[str]) -> tuple[Action, ...]:
        """Learns from the list of what is possible: what is within reach and what lies there. Returns it parsed."""
        acts = tuple(self.parse(text) for text in admissible)
        near = {act.place for act in acts if act.verb in ("examine", "open", "close") and act.place}
        if near:
            self.here = frozenset(near)
            self._together(near)
        for act in acts:
            if act.verb == "take" and act.place in self.places:
                self.lies[act.thing] = act.place
        return acts

    def parse(self, text: str) -> Action:
        """A command of the engine's grammar; of anything else only the text."""
        found = _ACTION.fullmatch(text.strip())
        if not found:
            return Action(text, text.strip())
        verb, first, second = found.groups()
        if second is None and first in self.places:
            return Action(text, verb, "", first)
        return Action(text, verb, first, second or "")

    def state(self) -> tuple[object, ...]:
        """What makes a difference to what can be done."""
        shut = tuple(name for name, place in self.places.items() if place.shut)
        return (self.at, self.held, shut, len(self.lies), len(self.used), sum(map(len, self.made.values())))

    def possible(self) -> tuple[str, ...]:
        """What could be done as far as memory goes: for worlds that do not tell."""
        out = [f"go to {name}" for name in self.places if name != self.at and name not in self.here]
        for name in sorted(self.here):
            place = self.places[name]
            out += [f"examine {name}"]
            if place.opened or place.shut:
                out.append(f"open {name}" if place.shut else f"close {name}")
            if self.held:
                out.append(f"move {self.held} to {name}")
                out += [f"{verb} {self.held} with {name}" for verb in ("clean", "heat", "cool")]
            inside = [thing for thing, where in self.lies.items() if where == name]
            if not self.held and not place.shut:
                out += [f"take {thing} from {name}" for thing in inside]
            out += [f"use {thing}" for thing in inside]
        return (*out, "look", "inventory")

    def _arrive(self, text: str) -> None:
        if found := _ARRIVED.search(text):
            self.at = found[1]
            self.here = frozenset(self.beside.get(self.at, set()) | {self.at})
            place = self._place(self.at)
            place.visits += 1
            place.last = len(self.history)

    def _look(self, text: str) -> None:
        for on, things, inside, others in _SEEN.findall(text):
            place = self._place(on or inside)
            place.shut, place.looked, place.opened = False, True, place.opened or bool(inside)
            for thing in [thing for thing, where in self.lies.items() if where == place.name]:
                del self.lies[thing]
            self.lies |= dict.fromkeys(_THINGS.findall(things or others), place.name)
        for name in _CLOSED.findall(text):
            self._place(name).shut = True
        if found := _SHUT.search(text):
            place = self._place(found[1])
            place.shut = place.opened = True

    def _handle(self, text: str) -> None:
        if found := _TOOK.search(text):
            self.held, self.taken_from = found.groups()
            self.lies.pop(self.held, None)
            self.put.pop(self.held, None)
        elif found := _PUT.search(text):
            self.lies[found[1]] = self.put[found[1]] = found[2]
            self.held = ""
        elif found := _CHANGED.search(text):
            done = self.made.setdefault(found[2], set())
            done.discard(UNDOES.get(found[1], ""))
            done.add(found[1])
        elif found := _USED.search(text):
            self.used.add(found[1])

    def _place(self, name: str) -> Place:
        return self.places.setdefault(name, Place(name, kind_of(name)))

    def _together(self, names: Iterable[str]) -> None:
        near = set(names)
        for name in names:
            near |= self.beside.get(name, set())
        for name in near:
            self.beside[name] = near
        if self.at in near:
            self.here = frozenset(near)
