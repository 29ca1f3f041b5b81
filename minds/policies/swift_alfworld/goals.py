"""A household task as a typed goal, and which goal is played while a person's words leave several open.

What a person wrote gives each goal its odds. The room tells some apart: a place that does not stand there, a thing that
is nowhere, a goal that is reached without the world saying that it is won. What is likeliest then is what is played.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

from minds.policies.swift_alfworld.memory import Memory, kind_of
from tools.worlds.household import KINDS
from tools.worlds.household_rooms import can_be, holds
from tools.worlds.kinds import KINDS as NAMED

if TYPE_CHECKING:
    from minds.policies.wishes import Likely, Wishes

LAMP = "look_at_obj_in_light"
SHARE, MOST = 0.9999, 20
"""Of what a person's words may mean: nearly all of what is likely, and at most so many kinds, things, places."""


@dataclass(frozen=True)
class Goal:
    """One task: what the policy reads in place of a sentence."""

    kind: str
    """A kind of task by the simulator's name."""
    thing: str
    """`mug`; as the engine names it, like `place`."""
    place: str
    """`coffeemachine`; of a look in the light the lamp."""

    @classmethod
    def of(cls, kind: str, thing: str, place: str) -> Goal:
        """From names in any writing: `CoffeeMachine`, `coffee machine`."""
        return cls(kind, *("".join(name.lower().split()) for name in (thing, place)))

    @property
    def words(self) -> str:
        """In the form that the policy was trained on."""
        return KINDS[self.kind].goals[0].format(obj=self.thing, recep=self.place, toggle=self.place)

    @property
    def made(self) -> str:
        """What is to be done to the thing: `clean`, `heat`, `cool`, or nothing."""
        return KINDS[self.kind].verb

    def within(self, other: Goal) -> bool:
        """Whether it is what another one asks for, whose empty parts are open."""
        return self.kind == other.kind and other.thing in ("", self.thing) and other.place in ("", self.place)

    def possible(self, memory: Memory) -> bool:
        """Whether what it takes stands in the room. A lamp stands on something and may be seen later."""
        there = {place.kind for place in memory.places.values()}
        needs = {KINDS[self.kind].changer.lower()} - {""}
        return needs | (set() if self.kind == LAMP else {self.place}) <= there

    def reached(self, memory: Memory) -> bool:
        """Whether nothing is left to be done for it."""
        if self.kind == LAMP:
            lit = {memory.lies.get(lamp) for lamp in memory.used if kind_of(lamp) == self.place}
            return kind_of(memory.held) == self.thing and bool(lit & memory.here)
        inside = Counter(
            where
            for thing, where in memory.lies.items()
            if kind_of(thing) == self.thing and kind_of(where) == self.place and self._is_made(memory, thing)
        )
        return max(inside.values(), default=0) >= KINDS[self.kind].count

    def left(self, memory: Memory) -> dict[str, str]:
        """Of what was put down, what counts for it."""
        return {
            thing: where
            for thing, where in memory.put.items()
            if kind_of(where) == self.place and self._is_made(memory, thing)
        }

    def _is_made(self, memory: Memory, thing: str) -> bool:
        return not self.made or self.made in memory.made.get(thing, ())


def odds(wishes: Wishes, said: str) -> dict[Goal, float]:
    """What a person's words may ask for in a household: goal -> odds, of those that can be had in one."""
    return dict(_goals(wishes.wish(said, SHARE, MOST)))


def _goals(likely: Likely) -> Iterator[tuple[Goal, float]]:
    parts = product(likely.kinds.items(), likely.things.items(), likely.places.items())
    for (name, p), (thing, of_thing), (place, of_place) in parts:
        kind = NAMED[name]
        if kind.world == "household" and _can_be(kind.task, thing, place):
            yield Goal.of(kind.task, thing, place), p * of_thing * of_place


def _can_be(kind: str, thing: str, place: str) -> bool:
    """Whether a thing can be made so, and lie in such a place."""
    change = KINDS[kind].change
    if change and thing not in can_be(change):
        return False
    return place.endswith("Lamp") if kind == LAMP else thing in holds(place)


class Belief:
    """The odds of the goals of one episode, as it goes on."""

    def __init__(self, odds: Mapping[Goal, float], memory: Memory) -> None:
        """Keeps all where the room rules out every goal."""
        fitting = {goal: p for goal, p in odds.items() if goal.possible(memory)}
        self.odds = dict(fitting or odds)

    def likeliest(self, memory: Memory) -> Goal:
        """The goal to be played now; called while the world is not won."""
        wrong = {goal for goal in self.odds if goal.reached(memory)}
        self.odds = {goal: p for goal, p in self.odds.items() if goal not in wrong} or self.odds
        seen = {kind_of(thing) for thing in (*memory.lies, memory.held)}
        looked = [place.looked for place in memory.places.values()]
        unlooked = 1 - sum(looked) / max(1, len(looked))
        weights = {goal: p * (1.0 if goal.thing in seen else unlooked) for goal, p in self.odds.items()}
        return max(weights, key=lambda goal: weights[goal])
