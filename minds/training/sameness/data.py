"""The questions that are fitted on: groups that people wrote, groups with slots, and what chance makes of both.

What is changed by chance is read from how a text is written - digits, capitals, letters - and never from its language.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from memory.pairs import anchors, figures, words
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


class Chance:
    """Draws pairs from groups; the same seed draws the same."""

    def __init__(self, groups: Sequence[Group], seed: int) -> None:
        self._rng = random.Random(seed)
        self._names = sorted({name for group in groups for text in group.same for name in _names(text)})

    def of(self, group: Group, like: int, unlike: int) -> Iterator[Pair]:
        """`like` paraphrases and `unlike` near misses, and some that are made by changing figures and names."""
        rng = self._rng
        found = list(combinations(group.same, 2))
        for pair in rng.sample(found, min(like, len(found))):
            yield self._dressed(Pair(*pair, True, "same"))
        missed = [*group.near] * (-(-unlike // max(len(group.near), 1)))
        for other, why in missed[:unlike]:
            near = rng.random() < 0.5
            against = max(group.same, key=lambda text: _shared(text, other)) if near else rng.choice(group.same)
            yield self._dressed(Pair(against, other, False, why))
        text = rng.choice([*group.same, *(other for other, _ in group.near)])
        if rng.random() < 0.5:
            yield Pair(text, self.dressed(self.dressed(text)), True, "equal")
        yield from self._varied(*rng.sample(group.same, 2))

    def _varied(self, one: str, other: str) -> Iterator[Pair]:
        """A figure or a name that becomes another in one of two paraphrases, or the same other one in both."""
        rng = self._rng
        if numbers := re.findall(r"\d+", other):
            old = rng.choice(numbers)
            both = sorted(figures(one)) == sorted(figures(other)) and re.search(rf"(?<!\d){old}(?!\d)", one)
            new = self._number(old)
            if figures(_replaced(other, old, new)) != figures(other):
                yield from self._exchanged(one, other, (old, new), "figure", bool(both))
        if (names := _names(other)) and rng.random() < 0.5:
            old, new = rng.choice(names), rng.choice(self._names)
            if old.lower() != new.lower():
                yield from self._exchanged(one, other, (old, new), "name", old in words(one))

    def _exchanged(self, one: str, other: str, names: tuple[str, str], why: str, both: bool) -> Iterator[Pair]:
        changed = _replaced(other, *names)
        yield self._dressed(Pair(one, changed, False, why))
        if both and (why == "figure" or self._rng.random() < 0.5):
            yield self._dressed(Pair(_replaced(one, *names), changed, True, f"{why}s"))

    def _number(self, old: str) -> str:
        digits, at = list(old), self._rng.randrange(len(old))
        if len(old) > 1 and self._rng.random() < 0.3:
            digits[at - 1], digits[at] = digits[at], digits[at - 1]
        else:
            digits[at] = self._rng.choice([d for d in "123456789" if d != digits[at]])
        return "".join(digits) if self._rng.random() < 0.85 else old + "0"

    def _dressed(self, pair: Pair) -> Pair:
        one, other = (self.dressed(text) if self._rng.random() < 0.15 else text for text in (pair.one, pair.other))
        return replace(pair, one=one, other=other)

    def dressed(self, text: str) -> str:
        """The same question, written carelessly."""
        chance = self._rng.random()
        if chance < 0.5:
            text = text.lower()
        if 0.3 < chance < 0.7:
            text = text.rstrip("?.! ")
        return self._typo(text) if chance > 0.7 else text

    def _typo(self, text: str) -> str:
        parts = text.split(" ")
        if fit := [i for i, word in enumerate(parts) if len(word) > 5 and word.isalpha() and word.islower()]:
            at = self._rng.choice(fit)
            word, cut = parts[at], self._rng.randrange(1, len(parts[at]) - 2)
            parts[at] = word[:cut] + word[cut + 1] + word[cut] + word[cut + 2 :]
        return " ".join(parts)


def _names(text: str) -> list[str]:
    found = words(text)
    return [word for word in found if word[0].isupper() and word.lower() in anchors(found)]


def _shared(one: str, other: str) -> float:
    a, b = ({w.lower() for w in words(text)} for text in (one, other))
    return len(a & b) / len(a | b)


def _replaced(text: str, old: str, new: str) -> str:
    return re.sub(rf"(?<![^\W_]){re.escape(old)}(?![^\W_])", lambda _: new, text)
