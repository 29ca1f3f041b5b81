"""What the policy sees of a step, as arrays: the goal's words, the memory, and each possible action against both.

Nothing here knows which word of the goal means what: every table is by goal word, and the network learns which words
to attend to. Kinds of things enter by match with those words (so unknown ones work), and hashed (so that where
newspapers lie can be learned).
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from minds.policies.swift_alfworld.memory import Action, Memory, Place, kind_of

WORDS = 12
"""Of a goal, at most."""
NAMES = 2048
"""Numbers that words and kinds are hashed to; 0 is none."""
PAIRS = 8192
"""Numbers of (goal word, kind of receptacle)."""
SPOTS = 65536
"""Numbers of (room, goal word, receptacle)."""
VERBS = (
    *("go to", "open", "close", "examine", "take", "move"),
    *("clean", "heat", "cool", "use", "slice", "look", "inventory", "help"),
)
MADE = ("clean", "heat", "cool")
Bytes = npt.NDArray[np.uint8]
Shorts = npt.NDArray[np.int16]
Numbers = npt.NDArray[np.uint16]
BY_WORD = 11
BY_ACTION = len(VERBS) + 18
BY_PAIR = 6
OVERALL = len(VERBS) + 9
FULL = 255
"""Features are bytes, of 1/255."""


@dataclass(frozen=True)
class Step:
    """One state with its possible actions."""

    words: Shorts
    """(WORDS,) hashed goal words; 0 beyond the end."""
    about: Bytes
    """(WORDS, BY_WORD) memory of each goal word's kind."""
    overall: Bytes
    """(OVERALL,)"""
    room: Shorts
    """(receptacles,) hashed kinds of what stands in the room."""
    actions: Bytes
    """(actions, BY_ACTION)"""
    names: Shorts
    """(actions, 2) hashed kind of thing and of receptacle."""
    match: Bytes
    """(actions, WORDS, BY_PAIR) each action against each goal word."""
    pairs: Shorts
    """(actions, WORDS) hashed (goal word, kind of receptacle)."""
    spots: Numbers
    """(actions, WORDS) hashed (room, goal word, receptacle)."""


@lru_cache(maxsize=65536)
def hashed(word: str, size: int) -> int:
    """1 to size - 1; 0 for nothing."""
    return zlib.crc32(word.encode()) % (size - 1) + 1 if word else 0


@lru_cache(maxsize=64)
def goal_words(goal: str) -> tuple[str, ...]:
    """Lower-case words, the first WORDS of them."""
    return tuple(re.findall(r"[a-z]+", goal.lower())[:WORDS])


def encode(memory: Memory, acts: Sequence[Action], goal: str = "") -> Step:
    """The step that `acts` are possible in; `goal`: other words to be read than the memory's goal."""
    words = goal_words(goal or memory.goal)
    seen = Seen(memory, words)
    ids = np.zeros(WORDS, np.int16)
    ids[: len(words)] = [hashed(word, NAMES) for word in words]
    rows = [_action(memory, act, seen) for act in acts]
    kinds = [[hashed(kind_of(act.thing), NAMES), hashed(kind_of(act.place), NAMES)] for act in acts]
    match = np.zeros((len(acts), WORDS, BY_PAIR), np.uint8)
    pairs = np.zeros((len(acts), WORDS), np.int16)
    spots = np.zeros((len(acts), WORDS), np.uint16)
    for number, act in enumerate(acts):
        match[number, : len(words)] = seen.against(act)
        if act.place:
            pairs[number, : len(words)] = [hashed(f"{word} {kind_of(act.place)}", PAIRS) for word in words]
            spots[number, : len(words)] = [hashed(f"{memory.room} {word} {act.place}", SPOTS) for word in words]
    return Step(
        ids,
        seen.about(),
        _bytes(_overall(memory)),
        np.array([hashed(place.kind, NAMES) for place in memory.places.values()], np.int16),
        _bytes(rows),
        np.array(kinds, np.int16),
        match,
        pairs,
        spots,
    )


class Seen:
    """The memory by goal word, worked out once a step."""

    def __init__(self, memory: Memory, words: tuple[str, ...]) -> None:
        self.memory, self.words = memory, words
        self.inside = Counter((kind_of(thing), where) for thing, where in memory.lies.items())
        self.spread = Counter((kind, kind_of(where)) for kind, where in self.inside)
        self.of_kind = Counter(place.kind for place in memory.places.values())
        self.looked = Counter(place.kind for place in memory.places.values() if place.looked)
        self._against: dict[tuple[str, str, str], list[list[int]]] = {}

    def about(self) -> Bytes:
        memory = self.memory
        held = kind_of(memory.held)
        made = memory.made.get(memory.held, ())
        lying = Counter(kind_of(thing) for thing in memory.lies)
        put = Counter(kind_of(thing) for thing in memory.put)
        used = Counter(kind_of(thing) for thing in memory.used)
        near = {memory.places[name].kind for name in memory.here}
        table = np.zeros((WORDS, BY_WORD), np.uint8)
        for number, word in enumerate(self.words):
            row = [held == word, *(held == word and how in made for how in MADE), lying[word] / 3, bool(lying[word])]
            row += [put[word] / 2, self.of_kind[word] / 5, word in near, bool(used[word])]
            row += [any(kind == word and where in memory.here for kind, where in self.inside)]
            table[number] = _bytes(row)
        return table

    def against(self, act: Action) -> list[list[int]]:
        key = (act.verb, kind_of(act.thing), act.place)
        if key not in self._against:
            self._against[key] = [self._pair(act, word) for word in self.words]
        return self._against[key]

    def _pair(self, act: Action, word: str) -> list[int]:
        place = kind_of(act.place)
        count = self.inside[word, act.place] if place else 0
        others = self.spread[word, place] > (count > 0)
        flags = (kind_of(act.thing) == word, place == word, act.verb == word, count > 0, count > 1, others)
        return [FULL * bool(flag) for flag in flags]


def _action(memory: Memory, act: Action, seen: Seen) -> list[float]:
    row = [float(act.verb == verb) for verb in VERBS]
    place = memory.places.get(act.place) or Place("", "")
    there = sum(where == act.place for where in memory.lies.values()) if act.place else 0
    row += [place.name in memory.here, place.name == memory.at != "", place.shut, place.opened, place.looked]
    row += [min(place.visits, 3) / 3, place.visits > 0, min(there, 6) / 6]
    row += [1 / (1 + len(memory.history) - place.last) if place.last >= 0 else 0.0]
    row += [min(seen.of_kind[place.kind], 10) / 10, seen.looked[place.kind] / max(1, seen.of_kind[place.kind])]
    row += [act.thing == memory.held != "", act.thing in memory.put, act.thing in memory.used]
    row += [min(memory.times[act.text], 3) / 3, act.text in memory.futile]
    row += [act.place == memory.taken_from != "", bool(memory.history) and memory.history[-1][0].text == act.text]
    return row


def _overall(memory: Memory) -> list[float]:
    last = memory.history[-1] if memory.history else None
    row = [float(last is not None and last[0].verb == verb) for verb in VERBS]
    made = memory.made.get(memory.held, ())
    looked = sum(place.looked for place in memory.places.values())
    unlooked = len(memory.places) - looked
    row += [bool(memory.held), *(how in made for how in MADE), last is None or last[1]]
    row += [min(len(memory.history), 50) / 50, looked / max(1, len(memory.places)), min(unlooked, 20) / 20]
    row += [min(len(memory.put), 2) / 2]
    return row


def _bytes(values: Sequence[float] | Sequence[Sequence[float]]) -> Bytes:
    return np.rint(np.clip(np.array(values, np.float32), 0, 1) * FULL).astype(np.uint8)
