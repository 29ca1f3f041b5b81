"""The questions that are fitted on: groups that people wrote, and groups with slots."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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
class Group:
    """Wordings of one question, and questions that are near and others; `{city}` and `{city1}` are slots."""

    same: list[str]
    near: list[str]
    scope: str = "anywhere"
    author: int = 0
    """0: with slots, by whoever made this."""

    @property
    def slots(self) -> list[str]:
        return sorted({slot for text in (*self.same, *self.near) for slot in _SLOT.findall(text)})

    def values(self, slots: Mapping[str, Sequence[str]], rng: random.Random) -> dict[str, str]:
        """A value of chance for each slot; slots of one kind (`city1`, `city2`) differ."""
        found: dict[str, str] = {}
        for slot in self.slots:
            taken = [found[other] for other in found if kind(other) == kind(slot)]
            found[slot] = rng.choice([value for value in slots[kind(slot)] if value not in taken])
        return found


_SLOT = re.compile(r"\{(\w+)\}")


def by_people() -> list[Group]:
    return list(map(_group, lines("sameness_people")))


def with_slots() -> tuple[list[Group], dict[str, list[str]]]:
    """The groups, and the values of the slots."""
    slots, *rows = lines("sameness_groups")
    return list(map(_group, rows)), slots


def _group(row: Mapping[str, Any]) -> Group:
    return Group(row["same"], [text for text, _ in row["other"]], row["scope"], row.get("author", 0))


def scopes() -> list[tuple[str, str]]:
    """(question, scope)."""
    found = [(row["says"], row["scope"]) for row in lines("question_scopes")]
    rng, (some, slots) = random.Random(5), with_slots()
    for _ in range(3):
        found += [(fill(rng.choice(group.same), group.values(slots, rng)), group.scope) for group in some]
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


def fill(text: str, values: Mapping[str, str]) -> str:
    return _SLOT.sub(lambda m: values[m[1]], text)


def kind(slot: str) -> str:
    """`city` of `city1`."""
    return slot.rstrip("123")
