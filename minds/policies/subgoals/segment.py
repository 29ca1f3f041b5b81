"""Sub-goals, cut from demonstrations without a language model (in place of sub-goal distillation, 3.2).

A segment of an episode ends where the engine's score rises, and before and after a walk to another room; its sub-goal
is the act it ends with. Its things are named by their part in the task, so that one sub-goal serves many variations:
`focus on @1` is to focus on what the goal's second sentence names, `activate sink` is just that.

Both networks see what Swift sees and the sub-goals done so far; the action generator also sees the sub-goal it works
for, on the whole and on every thing and room that has a part in it (A.2).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from minds.policies.swift.features import MOST_THINGS, State, bucket, kind_of, state
from minds.policies.swift.memory import Memory
from minds.policies.swift.mentions import Text
from minds.policies.swift.wording import ROOMS, Act, failed

CUT = "|"
"""Between the pattern and the parts in a sub-goal's name."""
ASKED = "@"
LATELY = 3
"""How many of the sub-goals done last are seen in their order."""


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


# -- what the two networks see of a step


def overall(memory: Memory, progress: Progress, rooms: Sequence[str]) -> State:
    """What the sub-goal generator sees."""
    now = state(memory, rooms)
    base = now.tokens[0].base
    base += [f"d{back}:{name}" for back, name in enumerate(reversed(progress.done[-LATELY:]))]
    base += [f"did:{name}:{bucket(count)}" for name, count in progress.counts.items()]
    base += [f"since:{bucket(memory.at - progress.at)}", f"goals:{bucket(len(progress.done))}"]
    return now


def towards(now: State, memory: Memory, current: Subgoal) -> State:
    """What the action generator sees: marks are added to `now` itself."""
    now.tokens[0].base += [f"sub:{current.name}", f"sub:{current.pattern}"]
    now.tokens[0].base += [f"sub:{slot}:{one}" for slot, one in enumerate(current.parts)]
    names = [thing.name for thing in memory.seen[:MOST_THINGS]] + list(now.rooms)
    for token, name in zip(now.tokens[1:], names, strict=True):
        own = part(name, memory.goal)
        token.base += [f"sub:{slot}:{current.pattern}" for slot, one in enumerate(current.parts) if one == own]
    return now
