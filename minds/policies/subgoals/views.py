"""What the two networks see of a step, and the steps of a demonstration as each of them learns it.

Both see what Swift sees and the sub-goals done so far; the action generator also sees the sub-goal it works for, on
the whole and on every thing and room that has a part in it (sub-goal distillation, A.2).
"""

from __future__ import annotations

from collections.abc import Sequence

from minds.policies.subgoals.segment import Progress, Subgoal, part
from minds.policies.swift.features import MOST_THINGS, State, bucket, state
from minds.policies.swift.memory import Memory

LATELY = 3
"""How many of the sub-goals done last are seen in their order."""


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
