"""From what was typed to plain words: contractions, numbers, spelling, singulars. No meaning yet."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable, Collection
from functools import cache, lru_cache
from importlib.resources import files

from rapidfuzz.distance import OSA

from tools.worlds.words.nouns import IRREGULAR, NUMBERS, ORDINALS, PARTS, TENS, WHOLE
from tools.worlds.words.phrasings import CONTRACTIONS, PHRASES
from tools.worlds.words.rewrites import rewritten

COMMON = 200
"""A word that is rarer in the list may as well be a slip (`dor`)."""
TWINS = {"purple": "violet", "violet": "purple", "grey": "gray", "gray": "grey"}
LONGEST = 600
"""Characters of a sentence that are read: nobody types longer commands, and a paste must not stall the turn."""

COUNTED = re.compile(
    rf"\b({'|'.join(TENS)})[ -]+({'|'.join([*list(NUMBERS)[1:10], *list(ORDINALS)[1:10]])}|[1-9](?:st|nd|rd|th))\b"
)

STATE = re.compile(
    r"(?<=[a-z])['’]s (?=(?:the|a|an|in|on|so|very|too|not|already|still|getting|been|empty|full|closed|open|shut|cold|"
    r"hot|warm|cool|clean|dirty|ready|done|here|there|now)\b)"
)
"""`the safe's empty`: no safe owns an empty."""


def _counted(found: re.Match[str]) -> str:
    """`twenty-sixth` -> 26th, `twenty six` -> 26."""
    low = found[2]
    value = int(TENS[found[1]]) + (NUMBERS.get(low) or ORDINALS.get(low) or int(low[0]))
    return f"{value}th" if low in ORDINALS or low[0].isdigit() else str(value)


@cache
def _phrases() -> tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...]:
    return tuple((re.compile(pattern), instead) for pattern, instead in PHRASES)


def tidy(says: str) -> str:
    """Lower case, plain quotes, no contractions, prepositions of several words made one."""
    text = (
        says[:LONGEST]
        .lower()
        .replace(" - ", ", ")
        .replace("’", "'")
        .replace("`", "'")
        .replace("—", ", ")
        .replace("–", "-")
    )
    text = re.sub(r"\s+", " ", re.sub(r"[\"“”*_~<>\[\]{}|\\^]", " ", text))
    text = STATE.sub(" is ", re.sub(r"(?:\.\s?){2,}|…", ", ", text))
    text = re.sub(r"(?<=[a-z])'s\b(?! )", "", text)
    words = re.findall(r"w/|'em\b|no\.(?=\s*\d)|\d+(?:st|nd|rd|th)\b|[a-z]+(?:'[a-z]+)?|\d+|[.,;!?:&#()/-]", text)
    text = " ".join(CONTRACTIONS.get(word, word) for word in words)
    text = re.sub(r"\b([a-z]+)'s\b", r"\1", text)
    text = re.sub(r" - (?=[a-z])", " ", text)
    text = COUNTED.sub(_counted, text)
    for pattern, instead in _phrases():
        text = pattern.sub(instead, text)
    return re.sub(r"\s+", " ", rewritten(re.sub(r"\s+", " ", text).strip())).strip()


def tokens(text: str) -> list[str]:
    """Words, numbers and marks of a tidied text."""
    return [word for word in re.findall(r"[a-z']+|\d+(?:st|nd|rd|th)\b|\d+|[.,;!?:]", text) if word != "'"]


@lru_cache(maxsize=4096)
def singular(word: str) -> str:
    """Without its plural s: `mugs` -> `mug`, `knives` -> `knife`."""
    if word in IRREGULAR:
        return IRREGULAR[word]
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("sses", "shes", "ches", "xes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def is_plural(word: str) -> bool:
    return singular(word) != word


def plain_words(words: list[str]) -> list[str]:
    """Each without its plural s."""
    return [singular(word) for word in words]


def number(word: str) -> int | None:
    """`3`, `three`, `third`, `3rd` -> 3; `26th` -> 26."""
    if digits := re.match(r"\d+(?=$|(?:st|nd|rd|th)$)", word):
        return int(digits.group()[:6])
    return NUMBERS.get(word, ORDINALS.get(word))


@lru_cache(maxsize=4096)
def parts(word: str) -> tuple[str, ...]:
    """A run-together name in its words (`diningtable` -> dining, table); the word itself where that does not work."""
    if word in PARTS or word in WHOLE or len(word) < 5:
        return (word,)
    return _cut(word) or (word,)


def _cut(word: str) -> tuple[str, ...]:
    if not word:
        return ()
    for end in range(len(word), 1, -1):
        if word[:end] in PARTS:
            if end == len(word):
                return (word,)
            rest = _cut(word[end:])
            if rest:
                return (word[:end], *rest)
    return ()


@cache
def english() -> frozenset[str]:
    """Words of the language (from pyspellchecker's list), read when the first unknown word comes up."""
    packed = files("spellchecker").joinpath("resources", "en.json.gz").read_bytes()
    counts: dict[str, int] = json.loads(gzip.decompress(packed))
    return frozenset(word for word, count in counts.items() if count >= COMMON)


def spelled(word: str, here: Collection[str], known: Collection[str], bold: bool = False) -> str:
    """The word of the world (`here`) or of commands (`known`) that was meant; the word itself where none is near.

    Of two words for one colour, that of the world is meant.

    A word that exists is not changed (a sword is no misspelled wood), unless `bold`: then one letter may be wrong.
    """
    if word in TWINS and word not in here and TWINS[word] in here:
        return TWINS[word]
    if len(word) < 3 or not word.isalpha() or word in here or word in known or parts(word) != (word,):
        return word
    if singular(word) in here or singular(word) in known:
        return word
    if word in english() and (not bold or (len(word) < 4 and word in here)):
        return word
    limit = 1 if len(word) <= 5 or bold else 2
    near = [
        (OSA.distance(word, other, score_cutoff=limit), kind, other[0] != word[0], -len(other), other)
        for kind, words in enumerate((here, known))
        for other in words
        if abs(len(other) - len(word)) <= limit and len(other) > 2
    ]
    best = min((n for n in near if n[0] <= limit), default=None)
    return best[-1] if best else word
