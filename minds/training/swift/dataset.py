"""Demonstrations as arrays: replayed episodes in, ragged feature ids and the choices to learn out."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from minds.policies.swift.features import MOST_THINGS, State, state
from minds.policies.swift.memory import Memory
from minds.policies.swift.mentions import Text
from minds.policies.swift.network import Lexicon, encode
from minds.policies.swift.wording import Act, wordings

Key = tuple[str, int]
Episode = Mapping[str, Any]
ENOUGH = 400
"""Tasks with fewer steps weigh more in each of them."""
LIGHT_AND_HEAVY = (0.5, 4.0)
STEADY = 6
"""After so many waits in a row, only a part of the further ones is learned from."""


@dataclass
class Sample:
    """One step: flat ids with the token and the kind of each, and the choice (pattern, first, second; -1 is none)."""

    ids: npt.NDArray[np.int32]
    token: npt.NDArray[np.int16]
    kind: npt.NDArray[np.int8]
    size: int
    choice: tuple[int, int, int]
    key: Key
    """Task and variation."""
    weight: float = 1.0


def walk(episode: Episode, rooms: Sequence[str]) -> Iterator[tuple[State, Act]]:
    """The steps of a stored episode to learn from: features and the act."""
    memory = Memory(Text(episode["goal"], "goal"))
    for row, act in lived(episode, memory):
        if learned(row, act, memory):
            yield state(memory, rooms), act


def lived(episode: Episode, memory: Memory) -> Iterator[tuple[Mapping[str, Any], Act]]:
    """The steps of an episode up to one about what was not in view. A step is seen before, and remembered behind."""
    for row in episode["rows"]:
        memory.see(row["look"], row["inv"])
        act = Act.of(row["act"])
        if any(a >= len(memory.seen) for a in act.args):
            return
        yield row, act
        memory.did(act, row["said"], row["score"])


UNKNOWING = Lexicon({}, (), ())
Steps = Callable[[Episode, Sequence[str]], Iterator[tuple[State, Act]]]
"""Which steps of an episode are learned from, and how they are seen."""


def learned(row: Mapping[str, Any], act: Act, memory: Memory) -> bool:
    """Whether a step is one to learn: no stray, in view, worded as the policy words it, not one wait too many."""
    worded = all(a < MOST_THINGS for a in act.args) and row["text"] in {w for w, _ in wordings(act, memory.seen, {})}
    return bool(row["learn"]) and worded and _counts(memory, act.pattern)


def _counts(memory: Memory, pattern: str) -> bool:
    return pattern != "wait1" or memory.waits < STEADY or (memory.at * 7919) % 10 < 4


class Growing(dict[str, int]):
    """Gives every new feature the next number."""

    def get(self, key: str, default: Any = None) -> int:
        return self.setdefault(key, len(self) + 1)


def gather(
    episodes: Iterable[Episode], rooms: Sequence[str], steps: Steps = walk, before: Lexicon = UNKNOWING
) -> tuple[list[Sample], Lexicon]:
    """All steps to learn from, weighed by task, and what is known by number: no feature of a single variation, but
    all that was known before."""
    everything = Lexicon(Growing(before.features), (), tuple(rooms))
    patterns = {pattern: number for number, pattern in enumerate(before.patterns)}
    rows, owners = list[Sample](), defaultdict[int, set[Key]](set)
    for episode in episodes:
        key = (episode["task"], episode["variation"])
        for now, act in steps(episode, rooms):
            ids, token, kind = encode(now, everything)
            for one in set(ids.tolist()):
                owners[one].add(key)
            pattern = patterns.setdefault(act.pattern, len(patterns))
            rows.append(Sample(ids, token, kind, len(now.tokens), (pattern, *_pointers(act, now)), key))
    found = everything.features.items()
    kept = sorted(name for name, number in found if len(owners[number]) > 1 or name in before.features)
    known = Lexicon({name: number for number, name in enumerate(kept, 1)}, tuple(sorted(patterns)), tuple(rooms))
    _renumber(rows, everything.features, known, tuple(patterns))
    weigh(rows)
    return rows, known


def _renumber(rows: Iterable[Sample], before: Mapping[str, int], known: Lexicon, patterns: tuple[str, ...]) -> None:
    numbers = np.zeros(len(before) + 1, np.int32)
    for name, number in known.features.items():
        numbers[before[name]] = number
    for row in rows:
        ids = numbers[row.ids]
        row.ids, row.token, row.kind = ids[ids > 0], row.token[ids > 0], row.kind[ids > 0]
        row.choice = (known.patterns.index(patterns[row.choice[0]]), *row.choice[1:])


def weigh(rows: Sequence[Sample]) -> None:
    """Rare acts of a task weigh more, as do tasks with few steps (balanced imitation, SwiftSage 3.2)."""
    kinds = Counter((row.key[0], row.choice[0]) for row in rows)
    tasks = Counter(row.key[0] for row in rows)
    variety = Counter(task for task, _ in kinds)
    for row in rows:
        task = row.key[0]
        rarity = tasks[task] / variety[task] / kinds[task, row.choice[0]]
        few = ENOUGH / min(tasks[task], ENOUGH)
        row.weight = float(np.clip((few * rarity) ** 0.5, *LIGHT_AND_HEAVY))


def _pointers(act: Act, now: State) -> tuple[int, int]:
    if act.room:
        return 1 + now.things + now.rooms.index(act.room), -1
    first, second = (*(1 + a for a in act.args), -1, -1)[:2]
    return first, second
