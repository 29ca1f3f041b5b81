"""Who shows the learner how: an agent that searches, and knows no more than what it has seen.

Only used to make training data (its own play, and its word on states that the learner came into). What lies where is
counted in train games; an unexplored receptacle is worth its chance of holding the thing, for each step it costs.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from minds.policies.swift_alfworld.goals import LAMP, Goal
from minds.policies.swift_alfworld.memory import Action, Memory, Place, kind_of
from tools.worlds.household import KINDS

OPENS = frozenset({"fridge", "cabinet", "microwave", "drawer", "safe"})
SURE = 0.999
TRUST_KIND = 16.0
"""Games of a room that weigh as much as what is known of the kind of receptacle."""


def wanted(goal: str) -> Goal:
    """A goal as the expert understands it; the learner must find that out. Raises ValueError for another form."""
    for kind, about in KINDS.items():
        for form in about.goals:
            said = form.rstrip(".").format(obj=r"(?P<thing>\w+)", recep=r"(?P<place>\w+)", toggle=r"(?P<place>\w+)")
            if found := re.fullmatch(said, goal.strip().rstrip(".")):
                return Goal(kind, found["thing"], found["place"])
    raise ValueError(f"The expert does not understand {goal!r}.")


@dataclass
class Prior:
    """How often a receptacle holds a thing of a kind, counted over games: of its kind, and this one in its room."""

    holds: Counter[tuple[object, ...]] = field(default_factory=Counter)
    there: Counter[tuple[object, ...]] = field(default_factory=Counter)
    rooms: bool = True
    """Whether rooms are told apart."""

    def count(self, room: int, inside: Iterable[tuple[str, str]], places: Sequence[str]) -> None:
        """One game: the room's number, (thing, receptacle) by name, and every receptacle."""
        pairs = {(kind_of(thing), place) for thing, place in inside}
        for thing in {thing for thing, _ in pairs}:
            for place in places:
                self.there[thing, kind_of(place)] += 1
                self.there[room, thing, place] += self.rooms
        for thing, place in pairs:
            self.holds[thing, kind_of(place)] += 1
            self.holds[room, thing, place] += self.rooms

    def chance(self, thing: str, room: int, place: Place) -> float:
        """Of one receptacle, 0 to 1."""
        kind, here = (thing, place.kind), (room, thing, place.name)
        of_kind = (self.holds[kind] + 0.02) / (self.there[kind] + 4.0)
        return (self.holds[here] + TRUST_KIND * of_kind) / (self.there[here] + TRUST_KIND)


@dataclass
class Expert:
    """Says which of the possible actions are good now, all equally."""

    prior: Prior
    goal: Goal

    @property
    def _several(self) -> bool:
        return KINDS[self.goal.kind].count > 1

    def good(self, memory: Memory, acts: Sequence[Action]) -> list[str]:
        """Never empty where anything is possible."""
        able = {act.text for act in acts} - memory.futile
        if memory.held and kind_of(memory.held) != self.goal.thing:
            found = self._rid(memory, able)
        elif memory.held:
            found = self._carry(memory, able)
        else:
            found = self._fetch(memory, able)
        return found or sorted(text for text in able if text.startswith("go to"))

    def _rid(self, memory: Memory, able: set[str]) -> list[str]:
        """A wrong thing is put down at once, or where it came from."""
        drops = [text for text in able if text.startswith(f"move {memory.held} to")]
        return sorted(drops) or self._reach(memory, [memory.taken_from], able)

    def _carry(self, memory: Memory, able: set[str]) -> list[str]:
        held, goal = memory.held, self.goal
        if goal.made and goal.made not in memory.made.get(held, ()):
            changer = KINDS[goal.kind].changer.lower()
            kinds = [place.name for place in memory.places.values() if place.kind == changer]
            changes = [f"{goal.made} {held} with {name}" for name in kinds]
            return sorted(set(changes) & able) or self._reach(memory, kinds, able)
        if goal.kind == LAMP:
            uses = sorted(text for text in able if text.startswith(f"use {goal.place} "))
            known = [where for thing, where in memory.lies.items() if kind_of(thing) == goal.place]
            return uses or self._reach(memory, known, able) or self._search(memory, goal.place, able)
        best = self._destinations(memory)
        moves = [f"move {held} to {name}" for name in best if f"move {held} to {name}" in able]
        return moves or self._reach(memory, best, able)

    def _destinations(self, memory: Memory) -> list[str]:
        """Where to put it: beside the first of two, else where it is quickest."""
        places = [place for place in memory.places.values() if place.kind == self.goal.place]

        def worth(place: Place) -> tuple[int, int]:
            inside = sum(w == place.name and kind_of(thing) == self.goal.thing for thing, w in memory.lies.items())
            far = place.name not in memory.here
            return (-inside if self._several else 0, _unopened(place) + far)

        least = min(map(worth, places), default=(0, 0))
        return [place.name for place in places if worth(place) == least]

    def _fetch(self, memory: Memory, able: set[str]) -> list[str]:
        known = {thing: where for thing, where in memory.lies.items() if self._lacks(memory, thing, where)}
        takes = [f"take {thing} from {where}" for thing, where in known.items()]
        return (
            sorted(set(takes) & able)
            or self._reach(memory, sorted(set(known.values())), able)
            or self._search(memory, self.goal.thing, able)
        )

    def _lacks(self, memory: Memory, thing: str, where: str) -> bool:
        """Whether that thing has yet to be moved."""
        if kind_of(thing) != self.goal.thing:
            return False
        if self._several:
            fullest = self._destinations(memory)
            return where not in fullest[:1] if len(fullest) == 1 else kind_of(where) != self.goal.place
        made = not self.goal.made or self.goal.made in memory.made.get(thing, ())
        return not (made and kind_of(where) == self.goal.place)

    def _reach(self, memory: Memory, names: Sequence[str], able: set[str]) -> list[str]:
        """The next action towards having one of these open before one."""
        steps = list[tuple[int, str]]()
        for place in (memory.places[name] for name in names if name in memory.places):
            if way := _way(place, able):
                opens, walks = (way.startswith(verb) for verb in ("open", "go to"))
                steps.append((0 if opens else _unopened(place) + walks, way))
        least = min((cost for cost, _ in steps), default=0)
        return [text for cost, text in steps if cost == least]

    def _search(self, memory: Memory, thing: str, able: set[str]) -> list[str]:
        """The next action towards the most promising place not yet looked into."""
        worth = {}
        for place in memory.places.values():
            if not place.looked and (way := _way(place, able)):
                cost = 1 + (way.startswith("go to") and _unopened(place))
                worth[way] = self.prior.chance(thing, memory.room, place) / cost
        best = max(worth.values(), default=0.0)
        return [text for text, value in worth.items() if value >= best * SURE]


def _unopened(place: Place) -> bool:
    return place.shut or (place.kind in OPENS and not place.looked)


def _way(place: Place, able: set[str]) -> str:
    """What comes next on the way to seeing what is there; empty where nothing does."""
    return next((text for verb in ("open", "examine", "go to") if (text := f"{verb} {place.name}") in able), "")
