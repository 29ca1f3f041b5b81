"""What a small model found in several ways: which way is to be believed, and how far.

Programs and words fail differently, so that they agree says more than how sure the model is of either. The weights were
fitted on questions with known answers (minds/training/agreement); confidence is the probability that it gave there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence, Set
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from minds.grounds import numbers, readings

WEIGHTS = Path(__file__).parent / "weights" / "agreement.json"
CLOSE = 0.005
"""How far two figures may differ, as a share of the larger, and be one."""
WORDS = 0.6
"""The share of an answer's own words that another must have to say the same, where neither has a figure."""

LEAST = -40.0
"""Log-probability below which a text is as good as any other."""
BLOCK = re.compile(r"[|]|[*+-] |\d+[.)] |```")
"""How a line of a table, a list or code begins."""


@dataclass(frozen=True)
class Way:
    """One way in which an answer was found."""

    kind: str
    """program, again (a second program) or words."""
    answer: str
    odds: float
    """The natural log-probability of all that was written: what is long is seldom right."""
    working: str = ""
    """The program, or the words: for the person."""


def asserted(text: str) -> str:
    """What a text that works its way to an answer asserts: at most the last two sentences of its last line; of a list
    or a table all."""
    lines = [line.strip() for line in text.splitlines() if any(c.isalnum() for c in line)]
    if lines and BLOCK.match(lines[-1]):
        return text
    return " ".join(re.split(r"(?<=[.!?])\s+(?=\S)", lines[-1])[-2:]) if lines else ""


def agree(one: str, other: str, said: str) -> bool:
    """Whether two answers to the same words assert the same: a figure or a name that was not said, else most words."""
    known = {value for written in numbers(said) for value in readings(written)}
    first, second = ([readings(written) for written in numbers(text)] for text in (one, other))
    own, others_own = ([each for each in each_of if not each & known] for each_of in (first, second))
    if own or others_own:
        return _near(own, others_own)
    names, others = (_own_names(text, said) for text in (one, other))
    if names and others:
        return bool(names & others)
    if first or second:
        return _near(first, second)
    words = _words(one) - _words(said) or _words(one)
    return bool(words) and len(words & _words(other)) / len(words) >= WORDS


def features(ways: Sequence[Way], number: int, said: str, behind: bool = False) -> list[float]:
    """Of one way among all: which kind it is, with how many of the others it agrees, and how sure the model was.
    `behind`: the words are said behind other turns, which a program copies with ease and seldom understands."""
    way, others = ways[number], [other for n, other in enumerate(ways) if n != number]
    alike = [agree(way.answer, other.answer, said) for other in others]
    across = sum(a for a, other in zip(alike, others, strict=True) if (other.kind == "words") != (way.kind == "words"))
    within, written = sum(alike) - across, max(way.odds, LEAST) / 10
    return [
        float(way.kind == "words"),
        float(way.kind == "again"),
        float(across),
        float(within),
        float(len(others) - sum(alike)),
        float(behind),
        float(behind and way.kind == "words"),
        *((0.0, written) if way.kind == "words" else (written, 0.0)),
        1.0,
    ]


def chosen(ways: Sequence[Way], said: str, behind: bool = False) -> tuple[int, float]:
    """The number of the way that is most likely right, and how likely that is (0 to 1)."""
    odds = [float(np.dot(_held()[0], features(ways, number, said, behind))) for number in range(len(ways))]
    best = int(np.argmax(odds))
    return best, float(1 / (1 + np.exp(-odds[best])))


def sure(p: float) -> bool:
    """Whether an answer of this probability is told without a doubt."""
    return p >= _held()[1]


@cache
def _held() -> tuple[np.ndarray, float]:
    """The weights of `features`, and from which probability on an answer is sure."""
    held = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    return np.array(held["weights"], float), float(held["sure"])


def _own_names(text: str, said: str) -> set[str]:
    """Words with a capital within a sentence that the person did not say."""
    return {word.casefold() for word in re.findall(r"(?<=[^\W_][ ,;:]|[,;:] )[A-Z]\w+", text)} - _words(said)


def _near(some: Sequence[Set[str]], others: Sequence[Set[str]]) -> bool:
    """Whether one figure of each side may be the same."""
    one, other = ([float(value) for each in side for value in each] for side in (some, others))
    return any(abs(a - b) <= CLOSE * max(abs(a), abs(b)) for a in one for b in other)


def _words(text: str) -> set[str]:
    return set("".join(c if c.isalnum() else " " for c in text.casefold()).split())
