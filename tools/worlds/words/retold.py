"""Second readings: a sentence that came to nothing, told in another way (`salt into the box` may be to put it)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from tools.worlds.words.clauses import read
from tools.worlds.words.courtesies import FILLERS
from tools.worlds.words.mentions import noun_words
from tools.worlds.words.nouns import ADJECTIVES, DETERMINERS, VERBS_TOO, words
from tools.worlds.words.spots import heard
from tools.worlds.words.surroundings import Surroundings
from tools.worlds.words.text import number, singular, spelled, tidy, tokens
from tools.worlds.words.vocabulary import SEPARATORS, heads, is_verb, known_words

Told = tuple[str, tuple[str, ...]]
"""(the sentence anew, names that were spoken of before it)."""
PLACING = words("in into on onto inside under to")
STATES = {
    "open": "open", "opened": "open", "shut": "close", "closed": "close", "on": "turn on", "off": "turn off",
    "in": "", "inside": "",
}  # fmt: skip
AFTER = words("please now then first again thanks too")
HINDERING = words("not no never if unless or without when whether avoid nor")
"""With these in it, what stands before a command is no mere remark."""


def retold(says: str, here: Collection[str], there: Surroundings) -> Iterator[Told]:
    """Every other way to tell it, the likeliest first. `here`: words of the names of this world."""
    known = known_words()
    said = tokens(" ".join(spelled(word, here, known) for word in tokens(tidy(says))))
    named = noun_words() | frozenset(here)
    for told in (_stated(said, named), _placed(said, named), _typed(said)):
        if told:
            yield told, ()
    if told_of := _behind(said, here, there):
        yield told_of


def surely(says: str, here: Collection[str]) -> str:
    """A command without its verb in a form that says which: `pot into the sink`, `fridge open`; empty for others."""
    known = known_words()
    said = tokens(" ".join(spelled(word, here, known) for word in tokens(tidy(says))))
    named = noun_words() | frozenset(here)
    start = _bare(said)
    into = next((word for word in start if word in PLACING | {"to"}), "") in ("into", "onto", "to")
    article = bool(start) and start[0] in DETERMINERS
    door = start[:1] == ["door"]
    placed = "" if door or (article and not into) else _placed(said, named)
    return _stated(said, named) or placed


def _typed(said: list[str]) -> str:
    """`2` for `to`."""
    at = next((i for i in range(1, len(said) - 1) if said[i] == "2" and said[i + 1] in DETERMINERS), 0)
    return " ".join([*said[:at], "to", *said[at + 1 :]]) if at else ""


def _named(some: list[str], named: Collection[str]) -> bool:
    """Nothing but a name: no `cook the potato`, whatever is called a cook pot."""
    if some and ((some[0] in heads() and some[0] not in VERBS_TOO) or set(some[1:2]) & DETERMINERS):
        return False
    core = [word for word in some if word not in DETERMINERS]
    things = [word for word in core if (word in named or singular(word) in named) and word not in ADJECTIVES]
    return bool(things) and all(
        word in named or singular(word) in named or word in ADJECTIVES or word == "and" or number(word) is not None
        for word in core
    )


def _bare(said: list[str]) -> list[str]:
    start = next((i for i, word in enumerate(said) if word not in FILLERS | {",", "and", "so", "then"}), len(said))
    return said[start:]


def _placed(said: list[str], named: Collection[str]) -> str:
    """`pot on the stove and turn it on` -> put pot on the stove and turn it on."""
    start = _bare(said)
    cut = next((i for i, word in enumerate(start) if i > 2 and word in SEPARATORS | {".", "!"}), len(start))
    at = next((i for i, word in enumerate(start[:cut]) if i and word in PLACING), 0)
    behind = start[at + 1 : cut]
    while behind and behind[-1] in AFTER | FILLERS:
        behind = behind[:-1]
    if not at or at > 5 or "?" in said or not _named(start[:at], named) or not _named(behind, named):
        return ""
    return " ".join(("put", *start))


def _stated(said: list[str], named: Collection[str]) -> str:
    """`fridge open please` -> open fridge."""
    start = [word for word in _bare(said) if word not in AFTER | FILLERS and word.isalnum()]
    if len(start) < 2 or len(start) > 5 or start[-1] not in STATES or "?" in said or not _named(start[:-1], named):
        return ""
    if start[-1] in ("in", "inside"):
        return " ".join(("put", *start[:-1], "in", "there"))
    return " ".join((STATES[start[-1]], *start[:-1]))


def _behind(said: list[str], here: Collection[str], there: Surroundings) -> Told | None:
    """The command behind a remark: `the pot is on a burner I think, try number one`; what it is about is told."""
    marks = [i for i, word in enumerate(said[:-1]) if word in (",", ":", ";", ".", "!", "?") and i]
    for at in reversed(marks):
        before, last = said[:at], _bare(said[at + 1 :])
        if not last or not is_verb(last) or set(before) & HINDERING or set(last) & HINDERING:
            continue
        earlier = read(" ".join(before), here)
        if said[at] != ":" and earlier and earlier.clauses and not re.match(r"(?:give|water)\b", before[0]):
            continue
        spots = heard(" ".join(before), there).spots
        best = [max(spot.fits, key=lambda name: spot.fits[name]) for spot in spots]
        several = any(
            len({name for name, fit in s.fits.items() if fit >= max(s.fits.values()) - 0.03}) > 1 for s in spots
        )
        if several and {"it", "that", "this"} & set(last):
            return None  # the person has to say which
        return " ".join(last), tuple(best)
    return None
