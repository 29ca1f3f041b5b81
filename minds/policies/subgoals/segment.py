"""Sub-goals, cut from demonstrations without a language model (in place of sub-goal distillation, 3.2).

A segment of an episode ends where the engine's score rises, and before and after a walk to another room; its sub-goal
is the act it ends with. Its things are named by their part in the task, so that one sub-goal serves many variations:
`focus on @1` is to focus on what the goal's second sentence names, `activate sink` is just that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from minds.policies.swift.memory import Memory
from minds.policies.swift.mentions import Text
from minds.policies.swift.wording import ROOMS, Act, failed, words

CUT = "|"
"""Between the pattern and the parts in a sub-goal's name."""
ASKED = "@"


@dataclass(frozen=True)
class Subgoal:
    """An act to be reached: its pattern, and the part in the task of each thing (or of the room)."""

    pattern: str
    parts: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return CUT.join((self.pattern, *self.parts))

    @classmethod
    def of(cls, name: str) -> Subgoal:
        """From its name."""
        pattern, *parts = name.split(CUT)
        return cls(pattern, tuple(parts))


def part(name: str, goal: Text) -> str:
    """A thing's or room's part in a task: `@` and the sentence of the goal that names it, or the kind of thing."""
    kind, contexts, _ = goal.mention(name)
    if kind in ("full", "tail"):
        row = next(c.rpartition(":")[2] for c in contexts if ":row:" in c)
        return ASKED + row
    return kind_of(name)


@lru_cache(maxsize=8192)
def kind_of(name: str) -> str:
    """`flower pot 3` is a pot, `inclined plane with a soapy surface` a plane."""
    plain = [w for w in words(name.partition(" with ")[0]) if not w.isdigit() and len(w) > 1]
    return plain[-1] if plain else name


def subgoal(act: Act, names: Sequence[str], goal: Text) -> Subgoal:
    """What an act with things of these names would reach."""
    parts = (act.room,) if act.room else names
    return Subgoal(act.pattern, tuple(part(name, goal) for name in parts))


@dataclass
class Progress:
    """The sub-goals done so far in an episode, oldest first."""

    done: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    at: int = 0
    """The step at which the last one was done."""

    def took(self, act: Act, said: str, score: float, memory: Memory, current: str) -> str:
        """Looks at a step (before `memory` takes it in); the sub-goal that it reached, or nothing."""
        reached = subgoal(act, [memory.seen[i].name for i in act.args], memory.goal)
        moved = act.pattern == ROOMS or (reached.name == current and bool(reached.parts))
        if failed(said) or not (score > memory.score or moved):
            return ""
        self.done.append(reached.name)
        self.counts[reached.name] += 1
        self.at = memory.at + 1
        return reached.name
