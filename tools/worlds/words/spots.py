"""What a talkative sentence has in it: verbs of the tables and names of this world, wherever they stand."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache

from tools.worlds.words.alone import ALONE
from tools.worlds.words.choose import Chooser
from tools.worlds.words.clauses import ENDS
from tools.worlds.words.courtesies import FILLERS
from tools.worlds.words.frames import Intent
from tools.worlds.words.mentions import BINDERS, Mention, Name, match, mention, noun_words, same
from tools.worlds.words.nouns import ADJECTIVES, COLORS, DETERMINERS, FRUIT, PRONOUNS, STUFFS
from tools.worlds.words.nouns import words as table
from tools.worlds.words.statements import participles
from tools.worlds.words.surroundings import Surroundings
from tools.worlds.words.text import number, parts, singular, spelled, tidy, tokens
from tools.worlds.words.vocabulary import SEPARATORS, heads, known_words

LONG = 4
"""Words of a name as it is spoken, its number not counted."""
GAP = 7
"""So many words may stand between a verb and its particle (`turn the big red stove on`)."""
MATCHES = 0.6
EDGES = DETERMINERS | BINDERS | PRONOUNS | FILLERS | SEPARATORS | ENDS | {"i", "you", "we", "is", "are", "be", "do"}
NUMBERED = table("number numbered no designated marked labelled labeled called the nr nbr num")
VAGUE = table("room place area thing stuff substance unknown object here one number")
HALF = table("can safe will light water cell art set stand rest watch")
"""Names only behind an article: else these are other words."""
DICTATED = {"comma": ",", "period": ".", "full stop": ".", "question mark": "?", "semicolon": ";", "new line": "."}


@dataclass(frozen=True)
class Cue:
    """A verb phrase of the tables in the sentence."""

    intent: Intent
    start: int
    end: int
    size: int
    """Words of the phrase, its particle included."""
    plain: bool
    """In the form of a command, not `opened`, `opening`."""


@dataclass(frozen=True)
class Spot:
    """A name spoken: the words from `start` to `end`, and what they may mean here."""

    start: int
    end: int
    what: Mention
    fits: dict[str, float] = field(hash=False)


@dataclass(frozen=True)
class Heard:
    """A sentence by its parts."""

    words: tuple[str, ...]
    cues: tuple[Cue, ...]
    spots: tuple[Spot, ...]
    alone: tuple[tuple[str, int, int], ...]
    """Actions without an argument: (key of the table, start, size of the phrase)."""


def heard(says: str, here: Surroundings) -> Heard:
    vocabulary = frozenset(word for name in here.names for word in (*name.text.split(), *name.base) if word.isalpha())
    words = _words(says, vocabulary)
    return Heard(tuple(words), tuple(_cues(words)), tuple(_spots(words, here)), tuple(_alone(words)))


def _words(says: str, vocabulary: frozenset[str]) -> list[str]:
    text = tidy(says)
    for spoken, mark in DICTATED.items():
        text = re.sub(rf"\b{spoken}\b", mark, text)
    known = known_words()
    return tokens(" ".join(spelled(word, vocabulary, known) for word in tokens(text)))


def _cues(words: Sequence[str]) -> Iterable[Cue]:
    for i, word in enumerate(words):
        verb = word if word in heads() else participles().get(word, word)
        longest = 0
        for intent, before, particle in heads().get(verb, ()):
            size = len(before)
            if size < longest and not particle:
                continue
            if before[1:] != tuple(words[i + 1 : i + size]):
                continue
            end = i + size
            if particle:
                gap = words[end : end + GAP]
                if particle.split()[0] not in gap[1:]:
                    continue
                size += 1
            longest = max(longest, len(before))
            yield Cue(intent, i, end, size, word == verb)


def _alone(words: Sequence[str]) -> Iterable[tuple[str, int, int]]:
    for i, word in enumerate(words):
        for key, phrase in _alone_phrases().get(word, ()):
            if tuple(words[i : i + len(phrase)]) == phrase:
                yield key, i, len(phrase)
                break


@cache
def _alone_phrases() -> dict[str, list[tuple[str, tuple[str, ...]]]]:
    table: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
    for key, (_, phrases) in ALONE.items():
        for phrase in phrases:
            table.setdefault(phrase.split()[0], []).append((key, tuple(phrase.split())))
    return {word: sorted(found, key=lambda pair: -len(pair[1])) for word, found in table.items()}


def _spots(words: Sequence[str], here: Surroundings) -> Iterable[Spot]:
    """Names in the sentence, the longest at each place; none over another."""
    near = _near(here)
    i = 0
    chooser = Chooser(here, here.recent)
    while i < len(words):
        found = next((spot for size in range(LONG, 0, -1) if (spot := _spot(words, i, size, here, near))), None)
        found = found or _numbered(words, i, chooser)
        if found:
            yield found
        i = found.end if found else i + 1


def _numbered(words: Sequence[str], at: int, chooser: Chooser) -> Spot | None:
    """`number eight`, of the kind that was spoken of last."""
    pair = words[at : at + 2]
    value = number(pair[1]) if len(pair) == 2 and pair[0] == "number" else None
    if value is None:
        return None
    what = Mention(" ".join(pair), (), number=value, pronoun=True)
    fits = {name.text: fit for name in chooser.here.names if (fit := chooser.fit(what, name.text)) >= MATCHES}
    return Spot(at, at + 2, what, fits) if fits else None


def _near(here: Surroundings) -> frozenset[str]:
    """Every word that may be part of a name of something here."""
    spoken = {word for name in here.names for word in (*name.base, *name.rest)}
    aliases = {word for name in here.names for alias in name.aliases for word in alias}
    return frozenset(spoken | aliases | {word for name in here.names for word in same(name.base)})


def _spot(words: Sequence[str], at: int, size: int, here: Surroundings, near: frozenset[str]) -> Spot | None:
    core = list(words[at : at + size])
    if len(core) < size or core[0] in EDGES or core[-1] in EDGES or not all(w.isalpha() for w in core):
        return None
    if size == 1 and (core[0] in VAGUE or (core[0] in HALF and words[at - 1 : at] not in [[d] for d in DETERMINERS])):
        return None
    if core[0] in heads() and not _is_near(core[0], near):
        return None
    inside = core[1:-1] if core[0] != "door" else [word for word in core[1:-1] if word not in ("to", "the")]
    if any(word in EDGES and word != "of" for word in inside):
        return None
    if not all(word in ADJECTIVES or _is_near(word, near) for word in core if word != "of" and word not in EDGES):
        return None
    start, end = at, at + size
    if number(core[0]) is not None or number(core[-1]) is not None:
        return None
    if at and words[at - 1] in COLORS and not any(words[at - 1] in (*n.base, *n.rest) for n in here.names):
        return None  # a blue box, where all boxes are red
    before = words[at - 1] if at else ""
    kind = next((kinds for kinds in (FRUIT, STUFFS) if before in kinds), frozenset())
    said = core
    behind = end
    while behind < len(words) and words[behind] in NUMBERED:
        behind += 1
    if behind < len(words) and number(words[behind]) is not None and _counts(words, behind, end):
        said, end = [*core, words[behind]], behind + 1
    if said == core and at and number(words[at - 1]) is not None and words[at - 1] != "one":
        said, start = [words[at - 1], *core], at - 1
    elif at and words[at - 1] in ("other", "another", "next", "last", "this", "that"):
        said = [words[at - 1], *core]
    what = mention(said)
    fits = {name.text: fit for name in here.names if what and (fit := match(what, name)) >= MATCHES}
    if what and what.base:
        doors = {name.text: 0.7 for name in here.names if "door" in name.base and set(what.base) <= _leads(name)}
        fits = {**doors, **fits}
    fits = {text: fit for text, fit in fits.items() if not (own := kind & _called(text)) or before in own}
    best = max(fits.values(), default=0.0)
    kept = {text: fit for text, fit in fits.items() if fit >= best - 0.1 or fit == 0.7}
    return Spot(start, end, what, kept) if what and kept else None


def _called(text: str) -> set[str]:
    """The words of a name without what it is in, or has in it."""
    return {*re.split(r" (?:containing|in|on) ", text)[0].split()}


def _leads(name: Name) -> set[str]:
    """Where a door leads, in words."""
    return {*name.base, *name.rest} - {"door"}


def _counts(words: Sequence[str], at: int, end: int) -> bool:
    """The number behind a name is its own: not `desk one more time`, `the mug first`."""
    return words[at].isdigit() or at > end or words[at] not in ("one", "first", "second")


def _is_near(word: str, near: frozenset[str]) -> bool:
    return any(part in near for part in (word, singular(word), *parts(word)))


@cache
def things() -> frozenset[str]:
    """Words for things that people ask for; where one is spoken that is not here, nothing else was meant."""
    return frozenset(word for word in noun_words() if word not in COLORS and word not in participles())
