"""The two-level policy in households: a generator of sub-goals in function form, and one of actions for them.

Both are networks of Swift's for households. The one chooses among sub-goals as Swift does among actions; the other
reads the chosen one, `heat(mug, microwave)`, in place of the task's words. A sub-goal is an act that gets something
done, by kinds; ways, doors and looks serve it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from minds.policies.arrays import Floats
from minds.policies.subgoals.play import both
from minds.policies.swift_alfworld.features import MADE, encode, goal_words
from minds.policies.swift_alfworld.memory import NOTHING, Action, Memory, kind_of
from minds.policies.swift_alfworld.network import Network, load
from minds.policies.swift_alfworld.policy import Play, SwiftAlfworld

ON_PLACES = (*MADE, "move")
"""Verbs of sub-goals that name a receptacle."""
ALONE = ("take", "use")
"""Of those that name a thing only."""


def subgoal(verb: str, thing: str, place: str = "") -> Action:
    """In function form, by kinds: `take(mug)`, wherever it lies."""
    kinds = [kind_of(thing), *([kind_of(place)] if verb in ON_PLACES else [])]
    return Action(f"{verb}({', '.join(kinds)})", verb, *kinds)


def worded(form: str) -> str:
    """For a person: `heat(mug, microwave)` is "heat the mug in the microwave"."""
    verb, _, kinds = form.rstrip(")").partition("(")
    return form and f"{verb} the {kinds.replace(', ', ' to the ' if verb == 'move' else ' in the ')}"


def done(memory: Memory, action: str, said: str = "") -> str:
    """The sub-goal that an action reaches; empty where it is none, or nothing happened."""
    act = memory.parse(action)
    reaches = act.verb in (*ALONE, *ON_PLACES) and said.strip() != NOTHING
    return subgoal(act.verb, act.thing, act.place).text if reaches else ""


def subgoals(memory: Memory) -> tuple[Action, ...]:
    """What may be next: with what is held at any kind of receptacle here, or with what the goal's words may name."""
    words = dict.fromkeys(goal_words(memory.goal))
    if not memory.held:
        return tuple(subgoal(verb, word) for verb in ALONE for word in words)
    kinds = dict.fromkeys(place.kind for place in memory.places.values())
    held = [subgoal(verb, memory.held, kind) for verb in ON_PLACES for kind in kinds]
    return (*held, *(subgoal("use", word) for word in words))


@dataclass
class HouseholdPlay(Play):
    """One episode: Swift's, but that actions are weighed for the sub-goal that seems next, said anew at every step."""

    planner: Network | None = None
    current: str = ""
    """In function form, as the network reads it."""
    reached: str = ""
    """The sub-goal, in words, that the last step reached."""

    def _scores(self, acts: Sequence[Action]) -> tuple[Floats, Floats]:
        assert self.planner is not None
        open_ = subgoals(self.memory)
        self.current = open_[int(self.planner.scores(encode(self.memory, open_))[0].argmax())].text
        return self.network.scores(encode(self.memory, acts, self.current))

    def told(self, action: str, said: str) -> None:
        self.reached = worded(done(self.memory, action, said))
        super().told(action, said)

    def worded(self) -> str:
        return worded(self.current)


def policy(folder: Path) -> SwiftAlfworld:
    """The trained policy. Raises NoPolicy."""
    planner, actor = both("alfworld", folder, load)
    return SwiftAlfworld(actor, partial(HouseholdPlay, planner=planner))
