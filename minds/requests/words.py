"""What a request says, as hashed lexical features: words, pairs, pieces of words, and the part each word plays.

"take the mug from the desk to the shelf" names two places; which one is the goal is told by the word before it. So a
word is seen twice: as itself, and with its part (start of a clause, thing, source, goal, neighbour).
"""

from __future__ import annotations

import re
import zlib
from functools import cache, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from minds.requests.lexicon import TEXT, spotted, tokens

Ints = NDArray[np.int64]

SIZE = 1 << 14
"""Buckets of the hashed features."""
READ = 400
"""Characters that are read."""
_GOAL = {"in", "into", "inside", "on", "onto", "to", "under", "atop", "upon", "at", "within", "over"}
_SOURCE = {"from", "off", "out"}
_NEAR = {"next", "near", "beside", "by", "behind", "left", "right", "above", "below", "beneath", "with"}
_NEW_CLAUSE = {"and", "then", "so", "but", "after", "before"}
_VERBS = {
    "put", "place", "move", "set", "get", "take", "grab", "pick", "bring", "carry", "store", "throw", "stick", "leave",
    "return", "transfer", "relocate", "drop", "lay", "stash", "hide",
}  # fmt: skip
_SKIPPED = {"a", "an", "the", "please", "it", "them", "that", "this", "some", "of", "is", "are", "s"}
_PLURAL = re.compile(r"[a-z]{2,}[^su]s")


@cache
def _stemmer() -> Any:
    from snowballstemmer import stemmer  # type: ignore[import-untyped]

    return stemmer("english")


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """The word without its ending (Snowball): heated -> heat, mugs -> mug."""
    stemmed: str = _stemmer().stemWord(word)
    return stemmed


def household_grams(said: str) -> list[str]:
    """What tells the kind of a household task, its thing and its place, before hashing."""
    words = tokens(said[:READ])
    kept = [(word, stem(word), part) for word, part in zip(words, _parts(words), strict=True) if word not in _SKIPPED]
    bare = [stemmed for _, stemmed, _ in kept]
    found = [f"1 {stemmed}" for stemmed in bare] + [f"{part} {stemmed}" for _, stemmed, part in kept]
    found += [f"2 {a} {b}" for a, b in zip(["^", *bare], [*bare, "$"], strict=True)]
    found += [f"3 {a} {b}" for a, b in zip(bare, bare[2:], strict=False)]
    found += [f"c {piece}" for stemmed in bare for piece in _pieces(stemmed)]
    found += [f"s {word}" for word, _, _ in kept if _PLURAL.fullmatch(word)]
    return found + _nouns([(stemmed, part) for _, stemmed, part in kept])


def room_grams(said: str) -> list[str]:
    """What tells the home that a household task is done in, before hashing: words, with their parts too."""
    words = tokens(said[:READ])
    kept = [(stem(word), part) for word, part in zip(words, _parts(words), strict=True) if word not in _SKIPPED]
    return [f"room {word}" for word, _ in kept] + [f"room {part} {word}" for word, part in kept]


def _parts(words: list[str]) -> list[str]:
    """v (start of a clause), o (the thing), s (where it is now), g (where it shall go), n (beside what)."""
    part, parts = "v", []
    for word in words:
        part = _NEXT.get(word, part)
        parts.append(part)
    return parts


_NEXT = {
    word: part
    for part, words in zip("sgnvo", (_SOURCE, _GOAL, _NEAR, _NEW_CLAUSE, _VERBS), strict=True)
    for word in words
}


def _pieces(word: str) -> list[str]:
    padded = f"<{word}>"
    return [padded[i : i + 4] for i in range(len(padded) - 3)] if len(word) > 3 else []


def _nouns(kept: list[tuple[str, str]]) -> list[str]:
    """The last word of each part is its noun; the last goal and the last thing are seen together, too."""
    ends = [(w, p) for (w, p), (_, after) in zip(kept, [*kept[1:], ("$", "$")], strict=True) if p != after]
    goal, thing = ([w for w, p in ends if p == part][-1:] for part in "go")
    return [f"h{p} {w}" for w, p in ends] + [f"G {g}" for g in goal] + [f"O {o} {g}" for o in thing for g in goal]


def intent_grams(said: str) -> list[str]:
    """What tells whether a task is wanted and which, before hashing: words of a group are seen as the group."""
    seen = spotted(tokens(said[:READ]))
    plain = [stem(phrase) if not groups else "@" + "+".join(groups) for phrase, groups in seen]
    stems = [stem(word) for phrase, _ in seen for word in phrase.split()]
    groups = sorted({group for _, found in seen for group in found})
    found = [f"w {word}" for word in stems] + [f"@ {group}" for group in groups]
    found += [f"2 {a} {b}" for a, b in zip(["^", *plain], [*plain, "$"], strict=True)]
    found += [f"3 {a} {b} {c}" for a, b, c in zip(["^", *plain], plain, plain[1:], strict=False)]
    found += [f"& {a} {b}" for at, a in enumerate(groups) for b in groups[at + 1 :]]
    found += [f"&w {a} {word}" for a in groups for word in stems]
    first = [f"^ {word}" for word in plain[:1]]
    return [*found, *first, f"? {said.rstrip().endswith('?')}", f"n {min(len(seen), 25) // 4}"]


def buckets(grams: list[str]) -> Ints:
    """Which of the SIZE features are on: their numbers, each once, ascending, shape (n,)."""
    return np.unique([zlib.crc32(gram.encode()) % SIZE for gram in grams]).astype(np.int64)


def names_of_features() -> str:
    """What the features depend on; weights fitted for another name are refused."""
    return f"requests-2 {SIZE} {zlib.crc32(TEXT.read_bytes())}"
