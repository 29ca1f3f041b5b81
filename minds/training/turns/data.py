"""The questions that are fitted on: groups that people wrote, and groups with slots."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from minds.training.gate import FIT, read_turns
from minds.training.rows import lines

APART = 3
"""The author whose groups are kept apart."""
APART_LIFE, OWN = "a7", 600
"""The author of lives who is kept apart here (the layers that answer learn from all), and how many questions of the
others are shown."""
SUMS = ("arithmetic", "units", "comparing figures", "several steps of reasoning", "percent", "money", "split", "sum")
"""Why a turn needs the slow mind whose answer holds for everybody, though it says `I`."""
ASKS = 300
"""Of the questions so many are shown as what tells nothing."""


@dataclass(frozen=True)
class Pair:
    """Two questions, and whether they ask the same."""

    one: str
    other: str
    same: bool
    why: str


@dataclass(frozen=True)
class Group:
    """Wordings of one question, and questions that are near and others; `{city}` and `{city1}` are slots."""

    same: list[str]
    near: list[tuple[str, str]]
    """(question, in what it is another)."""
    scope: str = "anywhere"
    author: int = 0
    """0: with slots, by whoever made this."""

    @property
    def slots(self) -> list[str]:
        return sorted({slot for text in (*self.same, *(n for n, _ in self.near)) for slot in _SLOT.findall(text)})

    def all(self) -> Iterator[Pair]:
        """Every pair there is in it."""
        yield from (Pair(a, b, True, "same") for a, b in combinations(self.same, 2))
        yield from (Pair(a, b, False, why) for b, why in self.near for a in self.same)


_SLOT = re.compile(r"\{(\w+)\}")


def by_people() -> list[Group]:
    return list(map(_group, lines("sameness_people")))


def with_slots() -> tuple[list[Group], dict[str, list[str]]]:
    """The groups, and the values of the slots."""
    slots, *rows = lines("sameness_groups")
    return list(map(_group, rows)), slots


def _group(row: Mapping[str, Any]) -> Group:
    return Group(row["same"], [(text, why) for text, why in row["other"]], row["scope"], row.get("author", 0))


def scopes() -> list[tuple[str, str]]:
    """(question, scope)."""
    found = [(row["says"], row["scope"]) for row in lines("question_scopes")]
    rng, (some, slots) = random.Random(5), with_slots()
    for _ in range(3):
        found += [(rng.choice(group.same), group.scope) for group in filled(some, slots, rng)]
    found += [(text, "person") for text in rng.sample(of_lives(apart=False), OWN)]
    found += [(turn.text, "anywhere") for turn in read_turns(FIT) if turn.why in SUMS and not turn.dialogue.turns]
    return list(dict.fromkeys(found))


def of_lives(*, apart: bool) -> list[str]:
    """What people ask about what they told: of the author kept apart, or of the others."""
    lives = [life for life in lines("life_examples") if (life["author"] == APART_LIFE) == apart]
    return [asked["question"] for life in lives for asked in life["asked"]]


def talk() -> list[str]:
    """What people of five languages say without any wish: every other turn, for reading them takes its time."""
    return [row["says"] for row in lines("talk_examples")[::2]]


def telling(people: Sequence[Group]) -> list[tuple[str, bool]]:
    """Turns, and whether the person tells something in them that lasts; some of the questions tell nothing."""
    found = [(row["said"], bool(row["facts"])) for row in lines("fact_examples")]
    found += [(row["said"], row["tells"]) for row in lines("telling_examples")]
    asks = [group.same[0] for group in people if group.scope not in ("telling", "memory")]
    return found + [(text, False) for text in random.Random(0).sample(asks, min(ASKS, len(asks)))]


def filled(groups: Sequence[Group], slots: Mapping[str, Sequence[str]], rng: random.Random) -> Iterator[Group]:
    """Each with values of chance in its slots, one of them another in a new near miss."""
    for group in groups:
        values = _values(group, slots, rng)
        same = [_fill(text, values) for text in group.same]
        near = [(_fill(text, values), why) for text, why in group.near]
        if values:
            slot = rng.choice(sorted(values))
            rest = [value for value in slots[slot.rstrip("123")] if value not in values.values()]
            text = rng.choice(group.same)
            near.append((_fill(text, {**values, slot: rng.choice(rest)}), "slot"))
        yield Group(same, [(text, why) for text, why in near if text not in same], group.scope)


def _fill(text: str, values: Mapping[str, str]) -> str:
    return _SLOT.sub(lambda m: values[m[1]], text)


def _values(group: Group, slots: Mapping[str, Sequence[str]], rng: random.Random) -> dict[str, str]:
    """A value for each slot; slots of one kind (`city1`, `city2`) differ."""
    found: dict[str, str] = {}
    for slot in group.slots:
        taken = [found[other] for other in found if other.rstrip("123") == slot.rstrip("123")]
        found[slot] = rng.choice([value for value in slots[slot.rstrip("123")] if value not in taken])
    return found
