"""What a text (the goal, a recipe read) says of a thing's name: where it is mentioned and in which words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from minds.policies.swift.wording import ALONE, FILLER, words

SENTENCE = re.compile(r"(?<!\d)\.|\.(?!\d)|\n|;")
BEFORE = 10
ABOVE = frozenset(["above", "over", "higher", "greater", "more", "exceeds"])
BELOW = frozenset(["below", "under", "lower", "less"])
NEAR = 3
"""How many words after `above` its number may come."""
LISTED = re.compile(rf"\b(?:{'|'.join(ALONE.split())})\s+([^.\n]+)")
QUESTION = re.compile(r"\bwhether (?:an? |the )?([a-z]+)((?: [a-z]+)+?) (?:is|are)\b")
STEM = 3
"""Letters by which `leaf` and `leaves` are one."""
BETWEEN = re.compile(r",\s*(?:and\s+)?|(?<!\s)\s+and\s+")


class Text:
    """A text cut into sentences of words, searched by name; results are kept for each name."""

    def __init__(self, text: str, source: str) -> None:
        self.source, self.raw = source, text
        self.sentences = [s for s in (words(part) for part in SENTENCE.split(text)) if s]
        self.numbers = [float(w) for s in self.sentences for w in s if w.lstrip("-").replace(".", "", 1).isdecimal()]
        self.vocabulary = {w for s in self.sentences for w in s}
        self.items = tuple(words(item) for item in _listed(text))
        """What is to be mixed, put together and so on: the list after the last such verb."""
        asked = QUESTION.search(text.lower())
        self.question = (asked.group(1), tuple(w[:STEM] for w in asked.group(2).split())) if asked else None
        """`whether tall plant height is`: the value, and how the words for what has it begin."""
        self._kept: dict[str, tuple[str, tuple[str, ...], int]] = {}

    def mention(self, name: str) -> tuple[str, tuple[str, ...], int]:
        """How much of a name is said (`full`, `tail`, `head`, `part`, empty), features of its contexts, first place."""
        if name not in self._kept:
            self._kept[name] = self._search([w for w in words(name) if w not in FILLER])
        return self._kept[name]

    def share(self, name: str) -> str:
        """How many of a name's words are said anywhere: `a short height` has 2/2 of `short plant height`."""
        own = [w for w in words(name) if w not in FILLER]
        return f"{sum(w in self.vocabulary for w in own)}/{len(own)}"

    def condition(self, name: str) -> tuple[int, float] | None:
        """The comparison (1 is above, -1 below; the number) of the first sentence that names a thing and compares."""
        kind, _, place = self.mention(name)
        row = place // 100
        return _comparison(self.sentences[row]) if kind == "full" and row < len(self.sentences) else None

    def item(self, name: str) -> int:
        """Which item of the list a name is, or -1."""
        own = words(name)
        return next((i for i, item in enumerate(self.items) if own[-len(item) :] == item), -1)

    def shows(self, text: str) -> int:
        """Whether words show the value that is asked about (1), another one of its kind (-1), or neither (0)."""
        if self.question is None:
            return 0
        own, (value, kinds) = words(text), self.question
        return 0 if not own or own[-1][:STEM] not in kinds else 1 if value in own else -1

    def _search(self, own: Sequence[str]) -> tuple[str, tuple[str, ...], int]:
        if not any(w in self.vocabulary for w in own):
            return "", (), 999
        for size in range(len(own), 0, -1):
            for start in range(len(own) - size, -1, -1):
                if places := self._places(own[start : start + size]):
                    kind = _kind(start, size, len(own))
                    return kind, self._contexts(kind, places, size), places[0][0] * 100 + places[0][1]
        return "", (), 999

    def _places(self, gram: Sequence[str]) -> list[tuple[int, int]]:
        return [
            (row, at)
            for row, sentence in enumerate(self.sentences)
            for at in range(len(sentence) - len(gram) + 1)
            if _same(sentence[at : at + len(gram)], gram)
        ]

    def _contexts(self, kind: str, places: list[tuple[int, int]], size: int) -> tuple[str, ...]:
        out = [""]
        for row, at in places[:4]:
            sentence = self.sentences[row]
            left = ["^", *sentence[:at]]
            right = [*sentence[at + size :], "$"]
            out += [f":l:{left[-1]}", f":r:{right[0]}", f":ll:{' '.join(left[-2:])}", f":row:{row}"]
            out += [f":b:{word}" for word in left[-BEFORE:]]
        return tuple(f"{self.source}:{kind}{end}" for end in dict.fromkeys(out))


def _comparison(sentence: Sequence[str]) -> tuple[int, float] | None:
    for at, word in enumerate(sentence):
        sign = (word in ABOVE) - (word in BELOW)
        if sign:
            for after in sentence[at + 1 : at + 1 + NEAR]:
                if after.lstrip("-").replace(".", "", 1).isdecimal():
                    return sign, float(after)
    return None


def _listed(text: str) -> list[str]:
    found = LISTED.findall(text.lower())
    return [item for item in BETWEEN.split(found[-1]) if words(item)] if found else []


def _kind(start: int, size: int, length: int) -> str:
    if size == length:
        return "full"
    return "tail" if start + size == length else "head" if start == 0 else "part"


def _same(one: Sequence[str], other: Sequence[str]) -> bool:
    """Equal words, a plural's `s` apart at the end."""
    return list(one[:-1]) == list(other[:-1]) and one[-1].rstrip("s") == other[-1].rstrip("s")
