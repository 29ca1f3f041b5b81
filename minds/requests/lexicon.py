"""Which words mean the same to the request reader: names of substances, animals, surfaces, and ways to say `unknown`.

What was fitted with "melt the chocolate" then also reads "melt the gallium", and a request for a thing finds the
variation that has it.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

TEXT = Path(__file__).with_name("lexicon.txt")
_TOKEN = re.compile(r"[a-z]+(?:['-][a-z]+)*|\d+")


@cache
def lexicon() -> dict[str, tuple[str, ...]]:
    """Name of a group -> its words, lower case, as the file has them."""
    lines = [line for line in TEXT.read_text(encoding="utf-8").splitlines() if line and not line.startswith("##")]
    pairs = [line.partition(" = ") for line in lines]
    return {name: tuple(word.strip() for word in words.split("|")) for name, _, words in pairs}


@cache
def groups_of() -> dict[tuple[str, ...], tuple[str, ...]]:
    """A phrase, as tokens -> the groups it is in."""
    found: dict[tuple[str, ...], list[str]] = {}
    for name, words in lexicon().items():
        for word in words:
            groups = found.setdefault(tuple(tokens(word)), [])
            groups.extend([name] if name not in groups else [])
    return {phrase: tuple(groups) for phrase, groups in found.items()}


@cache
def _longest() -> int:
    return max(map(len, groups_of()))


def tokens(said: str) -> list[str]:
    """Lower-case words and numbers; a hyphen or an apostrophe inside a word parts it like a blank."""
    low = said.lower().replace("’", "'").replace("-", " ")
    return [word for token in _TOKEN.findall(low) for word in token.split("'")]


def spotted(words: list[str]) -> list[tuple[str, tuple[str, ...]]]:
    """The words with the longest known phrases made one: (phrase, its groups); an unknown word has no groups."""
    known, found, at = groups_of(), [], 0
    while at < len(words):
        for length in range(min(_longest(), len(words) - at), 0, -1):
            phrase = tuple(words[at : at + length])
            groups = known.get(phrase) or (length == 1 and known.get((phrase[0].removesuffix("s"),))) or ()
            if groups:
                break
        found.append((" ".join(words[at : at + length]), groups))
        at += length
    return found
