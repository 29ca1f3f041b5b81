"""The training pairs of questions: groups of wordings with near misses, multiplied by slots and by single edits."""

from __future__ import annotations

import gzip
import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

DATA = Path(__file__).parents[1] / "data"
Words = Sequence[str]


@dataclass(frozen=True)
class Pair:
    """Two questions, and whether they ask the same."""

    one: str
    other: str
    same: bool
    why: str
    group: int


@dataclass
class Group:
    """Wordings of one question, and questions that are near and others; `{city}` and `{city1}` are slots."""

    number: int
    same: list[str] = field(default_factory=list)
    near: list[str] = field(default_factory=list)
    scope: str = "anywhere"

    @property
    def slots(self) -> list[str]:
        return sorted({slot for text in (*self.same, *self.near) for slot in re.findall(r"\{(\w+)\}", text)})


def read(name: str) -> list[str]:
    with gzip.open(DATA / name, "rt", encoding="utf-8") as file:
        return file.read().splitlines()


def groups() -> tuple[list[Group], dict[str, list[str]]]:
    """The groups, and the values of the slots."""
    slots: dict[str, list[str]] = {}
    found = [Group(0)]
    for line in read("sameness_groups.txt.gz"):
        mark, _, text = line.partition(" ")
        if mark.startswith("@"):
            slots[mark[1:]] = text.split("|")
        elif mark in ("=", "-"):
            (found[-1].same if mark == "=" else found[-1].near).append(text)
        elif mark == "?":
            found[-1].scope = text
        elif found[-1].same:
            found.append(Group(len(found)))
    return [group for group in found if len(group.same) > 1], slots


def scopes() -> list[tuple[str, str]]:
    """(question, scope)."""
    found, scope = [], ""
    for line in read("question_scopes.txt.gz"):
        if line.startswith("# "):
            scope = line[2:]
        elif line:
            found.append((line, scope))
    rng, (some, slots) = random.Random(5), groups()
    thrice = [group for group in some for _ in range(3)]
    wordings = [(filled(rng.choice(group.same), _values(group, slots, rng)), group.scope) for group in thrice]
    return [*found, *dict.fromkeys(wordings)]


class Edits:
    """Changes of one word or phrase that keep the meaning, or do not."""

    def __init__(self, slots: dict[str, list[str]], rng: random.Random) -> None:
        self._slots, self._rng = slots, rng
        self._lists = {name: rest for name, _, rest in (line.partition(": ") for line in read("sameness_edits.txt.gz"))}
        self._sets = {name: [p.strip() for p in text.split(" | ")] for name, text in self._lists.items()}

    def dressed(self, text: str) -> str:
        """The same question, said another way around its words; half of the time as it stands."""
        rng, change = self._rng, self._rng.random()
        if rng.random() < 0.5:
            return text
        if change < 0.25:
            text = f"{rng.choice(self._sets['before'])} {text}"
        if 0.2 < change < 0.4:
            text = f"{text.rstrip('?.')} {rng.choice(self._sets['after'])}"
        if rng.random() < 0.3:
            text = text.lower()
        if rng.random() < 0.3:
            text = text.rstrip("?.!")
        if rng.random() < 0.12:
            text = self._typo(text)
        return text

    def equal(self, text: str) -> str | None:
        return self._swapped(text, self._pairs("equal"), both=True)

    def changed(self) -> list[tuple[str, Callable[[str], str | None]]]:
        """(kind, change) where the change gives another question, or None where it does not apply."""
        return [
            ("opposite", lambda text: self._swapped(text, self._pairs("opposite"), both=True)),
            ("person", lambda text: self._among(text, "person")),
            ("unit", lambda text: self._among(text, "units")),
            ("entity", lambda text: self._among(text, "names")),
            ("number", self._number),
            ("scope", self._limited),
            ("negation", self._negated),
            ("direction", self._turned),
        ]

    def _pairs(self, name: str) -> list[tuple[str, str]]:
        return [(a, b) for a, _, b in (pair.partition("/") for pair in self._sets[name]) if a and b]

    def _swapped(self, text: str, pairs: Sequence[tuple[str, str]], *, both: bool) -> str | None:
        ways = [*pairs, *((b, a) for a, b in pairs)] if both else list(pairs)
        fit = [(a, b) for a, b in ways if _holds(text, a)]
        return _replaced(text, *self._rng.choice(fit)) if fit else None

    def _among(self, text: str, name: str) -> str | None:
        fit = [(a, group) for group in self._sets[name] for a in group.split() if _holds(text, a)]
        if not fit:
            return None
        word, group = self._rng.choice(fit)
        return _replaced(text, word, self._rng.choice([other for other in group.split() if other != word]))

    def _number(self, text: str) -> str | None:
        found = list(re.finditer(r"\d+", text))
        if not found:
            return None
        match, digits = (m := self._rng.choice(found)), list(m[0])
        at = self._rng.randrange(len(digits))
        digits[at] = self._rng.choice([d for d in "123456789" if d != digits[at]])
        new = "".join(digits) if self._rng.random() < 0.7 else match[0] + "0"
        return text[: match.start()] + new + text[match.end() :]

    def _limited(self, text: str) -> str | None:
        limit = self._rng.choice(self._sets["limit"])
        limit = filled(limit, {name: self._rng.choice(values) for name, values in self._slots.items()})
        return f"{text.rstrip('?.! ')} {limit}?"

    def _negated(self, text: str) -> str | None:
        pattern = r"\b(is|are|was|were|do|does|did|can|may|should|will|must|has|have|could)\b( \w+)?"
        found = re.search(pattern, text)
        return text[: found.end()] + " not" + text[found.end() :] if found else None

    def _turned(self, text: str) -> str | None:
        """The words on both sides of a small word change places."""
        pattern = r"(\w+) ((?:to|in|into|from|than|before|after|over|by|minus|for|with|against)(?: the| my)?) (\w+)"
        found = list(re.finditer(pattern, text))
        if not found:
            return None
        m = self._rng.choice(found)
        return f"{text[: m.start()]}{m[3]} {m[2]} {m[1]}{text[m.end() :]}"

    def _typo(self, text: str) -> str:
        words = text.split(" ")
        fit = [i for i, word in enumerate(words) if len(word) > 4 and word.isalpha() and word.islower()]
        if fit:
            at = self._rng.choice(fit)
            word, cut = words[at], self._rng.randrange(1, len(words[at]) - 2)
            words[at] = word[:cut] + word[cut + 1] + word[cut] + word[cut + 2 :]
        return " ".join(words)


def _holds(text: str, words: str) -> bool:
    return bool(re.search(rf"(?<!\w){re.escape(words)}(?!\w)", text, re.I))


def _replaced(text: str, old: str, new: str) -> str:
    return re.sub(rf"(?<!\w){re.escape(old)}(?!\w)", lambda _: new, text, count=1, flags=re.I)


def filled(text: str, values: dict[str, str]) -> str:
    return re.sub(r"\{(\w+)\}", lambda m: values[m[1]], text)


def _values(group: Group, slots: dict[str, list[str]], rng: random.Random) -> dict[str, str]:
    """A value for each slot; slots of one kind (`city1`, `city2`) differ."""
    found: dict[str, str] = {}
    for slot in group.slots:
        taken = [found[other] for other in found if other.rstrip("123") == slot.rstrip("123")]
        found[slot] = rng.choice([value for value in slots[slot.rstrip("123")] if value not in taken])
    return found


def pairs(seed: int, fillings: int = 5) -> Iterator[Pair]:
    """All training pairs, reproducible."""
    rng = random.Random(seed)
    found, slots = groups()
    edits = Edits(slots, rng)
    for group in found:
        for _ in range(fillings if group.slots else 3):
            values = _values(group, slots, rng)
            yield from _of_group(group, values, slots, edits, rng)


def _of_group(
    group: Group, values: dict[str, str], slots: dict[str, list[str]], edits: Edits, rng: random.Random
) -> Iterator[Pair]:
    same = [filled(text, values) for text in group.same]
    near = [filled(text, values) for text in group.near]

    def pair(one: str, other: str, alike: bool, why: str) -> Pair:
        one, other = (one, other) if rng.random() < 0.5 else (other, one)
        return Pair(edits.dressed(one), edits.dressed(other), alike, why, group.number)

    for _ in range(5):
        one, other = rng.sample(same, 2)
        yield pair(one, other, True, "paraphrase")
    one = rng.choice(same)
    if synonym := edits.equal(one):
        yield pair(one, synonym, True, "synonym")
    yield pair(one, one, True, "equal")
    for other in rng.sample(near, min(4, len(near))):
        yield pair(rng.choice(same), other, False, "near")
    if values:
        slot = rng.choice(list(values))
        others = [v for v in slots[slot.rstrip("123")] if v not in values.values()]
        template = rng.choice(group.same)
        changed = filled(template, {**values, slot: rng.choice(others)})
        if changed != filled(template, values):
            yield pair(filled(template, values), changed, False, "slot")
            yield pair(rng.choice(same), changed, False, "slot")
    for why, change in edits.changed():
        source = rng.choice([*same, *near])
        if rng.random() < 0.7 and (made := change(source)) and made.lower() != source.lower():
            against = source if source not in same or rng.random() < 0.6 else rng.choice(same)
            yield pair(against, made, False, why)
