"""What the observation calls a thing that the actions name otherwise: of what a cup is, which letter a substance has.

ScienceWorld shows `a glass cup (containing red paint)` and acts on `cup containing red paint`; it shows `unknown
substance B` and acts on `unknown substance`, `a seed jar` and acts on `ceramic cup`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tools.worlds.words.mentions import Name, name
from tools.worlds.words.nouns import DETERMINERS, words

VESSEL = re.compile(
    r"\ban? ((?:glass|tin|wood|wooden|plastic|paper|metal|ceramic|steel) (?:cup|jar|bowl)) \(containing ([^()]*)\)"
)
UPON = re.compile(r"\b(?:on|in) the ([a-z ]+?) is: ")
BEHIND = re.compile(r" containing .*? (?:in|on) ([a-z ]+)$")
LETTERED = re.compile(r"\bunknown substance ([b-hj-z])\b")
FILLING = DETERMINERS | words("substance called nothing and")


def observed(named: Sequence[str], observation: str) -> dict[str, tuple[str, ...]]:
    """Name -> what it is called in the observation (in lower case), where that is one thing and certain."""
    found: dict[str, tuple[str, ...]] = {}
    vessels = [(called, _contents(inside), place) for called, inside, place in _vessels(observation)]
    letters = set(LETTERED.findall(observation))
    for text in named:
        if " containing " in text and vessels and (called := _vessel(name(text), vessels)):
            found[text] = (called,)
        lettered = re.search(r"unknown substance ([b-hj-z])$", text)
        if lettered or (text == "unknown substance" and len(letters) == 1):
            letter = lettered[1] if lettered else min(letters)
            found[text] = (f"substance {letter}", f"unknown substance {letter}", letter)
    if "a seed jar (" in observation and "seed jar" not in named and "ceramic cup" in named:
        found["ceramic cup"] = ("seed jar", "jar")
    return found


def _vessels(observation: str) -> list[tuple[str, str, str]]:
    """(what it is called, what is in it, on what it stands)."""
    found = []
    for line in observation.splitlines():
        for seen in VESSEL.finditer(line):
            upon = UPON.search(line[: seen.start()])
            found.append((seen[1], seen[2], upon[1] if upon else ""))
    return found


def _contents(inside: str) -> frozenset[str]:
    return frozenset(re.findall("[a-z]+", inside)) - FILLING


def _vessel(thing: Name, vessels: Sequence[tuple[str, frozenset[str], str]]) -> str:
    kind = thing.base[-1]
    alike = [(called, place) for called, inside, place in vessels if inside == thing.contents]
    fitting = [(called, place) for called, place in alike if called.endswith(f" {kind}")]
    behind = BEHIND.search(thing.text)
    placed = {called for called, place in fitting if behind and place and place.split()[-1] in behind[1].split()}
    called = placed or {called for called, _ in fitting}
    return min(called) if len(called) == 1 else ""
