"""Turns within a sentence: `go to the oven, sorry, the toaster`, `put it in the sink, no, on the desk`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tools.worlds.words.mentions import BINDERS
from tools.worlds.words.nouns import DETERMINERS, OTHER, words
from tools.worlds.words.text import number

TURN = words("no sorry oops actually rather wait correction pardon instead whoops nope nah oh ah mean")
MARK = (
    r"(?:no|nope|sorry|wait|oops|whoops|actually|or rather|pardon(?: me)?|(?:on )?second thoughts?|scratch that|"
    r"i (?:mean|meant)|oh|uh|er|um)"
)
TAKEN_BACK = re.compile(
    rf"(?:[,.;:!?] ?{MARK}| (?:no ,? ?(?:sorry|wait|no|not that|i mean[t]?)|wait ,? ?no|"
    rf"sorry(?: no)?(?: ,? ?i mean[t]?)?|i mean[t]?|or rather|scratch that|on second thoughts?))"
    rf"(?:[ ,.;:!]+{MARK})*[ ,.;:!]+(?P<behind>[a-z0-9 ]+?)[ .!]*$"
)
"""What ends a sentence and puts another name in the place of one: `Take the cup. On second thoughts, the mug.`"""
PLACING = words("in on into onto inside to at under with from near by")


def corrected(sentence: Sequence[str]) -> list[str]:
    """The sentence as it is meant in the end: what stands behind `no, sorry` takes the place of what it mends."""
    kept = list(sentence)
    if "," in kept[2:] and _narrowing(kept[kept.index(",", 2) + 1 :]):
        at = kept.index(",", 2)
        return _mended(kept[:at], kept[at + 1 :])
    for at in range(2, len(kept) - 1):
        if kept[at] not in TURN or kept[at - 1] not in (",", "or", "then", "and"):
            continue
        start = at
        while start < len(kept) and (kept[start] in TURN or kept[start] in (",", "i", "that", "not")):
            start += 1
        behind, before = kept[start:], kept[: at - 1]
        if behind and _names(behind):
            return _mended(before, behind)
    return kept


def joined(text: str) -> str:
    """A tidied text with its last correction as `corrected` knows it: behind a comma and `sorry`."""
    found = TAKEN_BACK.search(text)
    behind = found["behind"].split() if found else []
    if not found or not behind or not text[: found.start()].strip() or not _names(behind):
        return text
    return f"{text[: found.start()].rstrip(' ,.;:!?')} , sorry , {found['behind']}"


def _narrowing(behind: Sequence[str]) -> bool:
    """`..., the third burner`: says which of those just named."""
    numbered = len(behind) == 3 and behind[0] == "the" and number(behind[1]) is not None
    return numbered and behind[2] not in ("one", "time", "step", "thing")


def _names(behind: Sequence[str]) -> bool:
    """A name, or a place with its preposition, and nothing else."""
    from tools.worlds.words.vocabulary import is_verb

    start = behind[1:] if behind[0] in PLACING else behind
    first = bool(start) and (start[0] in DETERMINERS | OTHER or number(start[-1]) is not None or len(start) <= 2)
    return first and len(behind) < 7 and "," not in behind and not is_verb(list(behind))


def _mended(before: list[str], behind: list[str]) -> list[str]:
    from tools.worlds.words.vocabulary import is_verb

    if number(behind[-1]) is not None and len(behind) == 1:
        digits = [i for i, word in enumerate(before) if number(word) is not None]
        return [*before[: digits[-1]], *behind] if digits else [*before, *behind]
    if behind[0] in PLACING:
        cut = next((i for i in range(len(before) - 1, 0, -1) if before[i] in PLACING), len(before))
        return before[:cut] + behind
    starts = [i for i, word in enumerate(before) if i and word in DETERMINERS]
    behind_place = [i + 1 for i, word in enumerate(before) if i and word in BINDERS]
    verbs = [i + 1 for i in range(len(before)) if is_verb(before, i)]
    found = starts[-1:] or behind_place[-1:] or verbs[:1]
    return before[: found[0]] + behind if found else behind
