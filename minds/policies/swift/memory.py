"""What a policy remembers of its episode: rooms, uses of things, readings, what it focused on, what it read."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from minds.policies.swift.mentions import Text
from minds.policies.swift.reading import Thing, room_of, things
from minds.policies.swift.wording import Act, failed

NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
KEPT = 6


@dataclass(frozen=True)
class Use:
    """One time a thing was used."""

    pattern: str
    slot: int
    at: int
    ok: bool
    partner: str
    place: str = ""
    """What the thing was in."""


@dataclass
class Memory:
    """One episode so far. `see` the view, then `did` the act and its answer, and so on."""

    goal: Text
    notes: Text = field(default_factory=lambda: Text("", "note"))
    at: int = 0
    visits: dict[str, list[int]] = field(default_factory=dict)
    spotted: dict[str, set[str]] = field(default_factory=dict)
    """Room -> what the goal or a note says of the things last seen there."""
    places: dict[str, str] = field(default_factory=dict)
    uses: dict[str, list[Use]] = field(default_factory=dict)
    focused: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    readings: dict[str, list[float]] = field(default_factory=dict)
    numbers: list[float] = field(default_factory=list)
    measured: dict[str, tuple[str, float]] = field(default_factory=dict)
    """What a thing was called when it was last measured, and that reading; by what it was called at first."""
    turned: dict[str, tuple[float, float]] = field(default_factory=dict)
    """The readings on both sides of a thing's first change: where it melts, or freezes."""
    recent: list[tuple[str, tuple[str, ...], str, bool, str]] = field(default_factory=list)
    """The last acts, newest first: pattern, names, room, whether it worked, what was said."""
    done: Counter[str] = field(default_factory=Counter)
    waits: int = 0
    score: float = 0.0
    look: str = ""
    inventory: str = ""
    room: str = ""
    seen: list[Thing] = field(default_factory=list)
    known: set[str] = field(default_factory=set)
    was: dict[str, str] = field(default_factory=dict)
    """What a thing was before it changed where it lies: ice -> water."""
    fresh: set[str] = field(default_factory=set)
    """Names that came into view in a room that was in view before."""
    marks: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Of each pot and the like: how many things in it last showed the value the goal asks about, and another one."""

    def see(self, look: str, inventory: str) -> None:
        """Takes in the present view."""
        self.look, self.inventory = look, inventory
        room = room_of(look)
        before, self.seen = self.seen, things(look, inventory)
        self._follow_changes(before)
        names = {t.name for t in self.seen}
        self.fresh = names - self.known if room == self.room else set()
        self.known = names
        if room != self.room or room not in self.visits:
            self.visits.setdefault(room, []).append(self.at)
        self.room = room
        self.spotted[room] = set()
        for thing in self.seen:
            if not thing.held:
                self._spot(thing, room)
        if self.goal.question:
            self._mark()

    def _mark(self) -> None:
        counts: dict[str, list[int]] = {}
        for thing in self.seen:
            organism = any(state.startswith("stage ") for state in thing.states)
            for text in thing.states if organism else (thing.name,):
                if shown := self.goal.shows(text):
                    counts.setdefault(self._outermost(thing), [0, 0])[shown < 0] += thing.count
        self.marks |= {name: (yes, no) for name, (yes, no) in counts.items()}

    def _outermost(self, thing: Thing) -> str:
        while thing.holder >= 0:
            thing = self.seen[thing.holder]
        return thing.name

    def most(self) -> float:
        """More pots and the like showed the value asked about than another one (above 0), or fewer (below 0)."""
        return sum((yes > no) - (yes < no) for yes, no in self.marks.values())

    def _follow_changes(self, before: Sequence[Thing]) -> None:
        """One thing gone and one come in the same holder: it changed (melted, hatched, was mixed)."""
        old, new = _contents(before), _contents(self.seen)
        for holder in filter(new.__contains__, old):  # in the view's order, where two changed to one name
            gone, come = old[holder] - new[holder], new[holder] - old[holder]
            if len(gone) == 1 and len(come) == 1:
                (former,), (present,) = gone, come
                self.was[present] = self.was.get(former, former)

    def root(self, name: str) -> str:
        """What a thing was called when it was first seen, as far as its changes were seen."""
        return self.was.get(name, name)

    def _spot(self, thing: Thing, room: str) -> None:
        for text in (self.goal, self.notes):
            if kind := text.mention(thing.name)[0]:
                self.spotted[room].add(f"{text.source}:{kind}")
                if kind in ("full", "tail"):
                    self.places[thing.name] = room
        if "closed" in thing.states and not thing.name.startswith("door"):
            self.spotted[room].add("closed")

    def did(self, act: Act, said: str, score: float) -> None:
        """Takes in an act (in terms of the view last seen) and the world's answer."""
        ok = not failed(said)
        names = tuple(self.seen[i].name for i in act.args)
        for slot, name in enumerate(names):
            partner = names[1 - slot] if len(names) == 2 else ""
            self.uses.setdefault(name, []).append(
                Use(act.pattern, slot, self.at, ok, partner, self.seen[act.args[slot]].place)
            )
        if act.pattern == "focus on {}" and ok:
            self.focused.append((names[0], self.seen[act.args[0]].states))
        if "reads:" in said:
            self.notes = Text(said.split("reads:", 1)[1], "note")
        self._measure(names, said)
        self.recent = [(act.pattern, names, act.room, ok, said), *self.recent][:KEPT]
        self.done[act.pattern] += 1
        self.waits = self.waits + 1 if act.pattern in ("wait", "wait1") else 0
        self.at += 1
        self.score = score

    def _measure(self, names: Sequence[str], said: str) -> None:
        if not ("measures" in said or "reads" in said) or "recipe" in said:
            return
        if not (found := NUMBER.search(said.split("measures")[-1].split("reads")[-1])):
            return
        number = float(found.group())
        self.numbers.append(number)
        if names:
            self._turn(names[-1], number)
        owner = self._last_mentioned(names) if len(names) < 2 else ""
        for name in (*names, *([owner] if owner else [])):
            self.readings.setdefault(name, []).append(number)

    def _turn(self, name: str, number: float) -> None:
        root = self.root(name)
        called, before = self.measured.get(root, (name, number))
        if called != name:
            self.turned.setdefault(root, (before, number))
        self.measured[root] = (name, number)

    def telling(self) -> float | None:
        """What a condition (`if above 50`) is held against: the last reading, but where a thing that the goal names
        changed between two, the middle of these; None before the first."""
        sides = self.turned_of_goal()
        return sum(sides) / 2 if sides else self.numbers[-1] if self.numbers else None

    def turned_of_goal(self) -> tuple[float, float] | None:
        """The readings on both sides of the change of a thing that the goal names."""
        return next((sides for root, sides in self.turned.items() if self.goal.mention(root)[0] == "full"), None)

    def _last_mentioned(self, but: Sequence[str]) -> str:
        """The thing of the goal that was used last: what a stopwatch's reading is about."""
        named = {
            name: uses[-1].at for name, uses in self.uses.items() if name not in but and self.goal.mention(name)[0]
        }
        return max(named, key=named.__getitem__, default="")


def _contents(seen: Sequence[Thing]) -> dict[str, set[str]]:
    out: dict[str, set[str]] = {}
    for thing in seen:
        if thing.holder >= 0:
            out.setdefault(seen[thing.holder].name, set()).add(thing.name)
    return out
