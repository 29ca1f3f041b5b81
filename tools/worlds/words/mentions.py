"""What a person calls a thing, and how well a name of the world fits it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from tools.worlds.words import nouns
from tools.worlds.words.text import is_plural, number, parts, singular

BINDERS = nouns.words("in on inside containing called by to from of with at under near for holding onto into off over")
"""Words that end the name proper: `cup containing water in fridge`, `door to kitchen`."""
GENERIC = nouns.words("top surface area tank seat edge itself unit appliance thing spot place side bowl")
"""Behind a name these say no more: `the toilet tank`, `the counter area`."""
YOUNGER = frozenset({"egg", "seed", "baby", "juvenile", "adult", *nouns.YOUNG})
LINKS = nouns.words("that which is was are were")


@dataclass(frozen=True)
class Name:
    """A thing as the world calls it."""

    text: str
    base: tuple[str, ...]
    rest: frozenset[str]
    """Words of what it is in, contains or leads to."""
    number: int | None
    joined: bool
    """Run together out of several words, so that a part may stand for it (`remote` for `remotecontrol`)."""
    aliases: tuple[tuple[str, ...], ...] = ()
    """Other base words, from the observation: `substance in metal pot` is the water that is seen there."""

    @property
    def contents(self) -> frozenset[str]:
        """Words of what it contains: a cup may be told by the juice in it."""
        if " containing " not in self.text:
            return frozenset()
        inside = self.text.partition(" containing ")[2].partition(" in ")[0].partition(" on ")[0]
        return frozenset(plain(inside)) - {"nothing", "and"}


@lru_cache(maxsize=8192)
def name(text: str, aliases: tuple[str, ...] = ()) -> Name:
    words = text.lower().replace("(", " ").replace(")", " ").split()
    cut = next((i for i, word in enumerate(words) if i and word in BINDERS), len(words))
    digits = [int(word) for word in words[:cut] if word.isdigit()]
    split = [parts(word) for word in words[:cut] if not word.isdigit()]
    rest = frozenset(part for word in words[cut:] if word not in BINDERS for part in (*parts(word), word))
    base = tuple(dict.fromkeys(singular(part) for pieces in split for part in pieces))
    joined = len(split) == 1 and len(base) > 1
    return Name(text, base, rest, digits[0] if digits else None, joined, tuple(plain(alias) for alias in aliases))


def plain(text: str) -> tuple[str, ...]:
    return tuple(singular(part) for word in text.split() for part in parts(word))


@dataclass(frozen=True)
class Mention:
    """A thing as the person calls it."""

    said: str
    base: tuple[str, ...]
    rest: tuple[str, ...] = ()
    number: int | None = None
    nth: bool = False
    """The number was an ordinal: `the second drawer` may also be the second of those that are here."""
    last: bool = False
    every: bool = False
    any: bool = False
    other: bool = False
    next: bool = False
    held: bool = False
    that: bool = False
    """Pointed at: where several fit, the one that was spoken of last."""
    pronoun: bool = False
    count: int | None = None
    where: tuple[str, ...] = ()
    """The words of `rest` if they say a place."""

    @property
    def words(self) -> tuple[str, ...]:
        return self.base + self.rest


def mention(words: Sequence[str]) -> Mention | None:
    """Reads a noun phrase; None where it names nothing."""
    said = " ".join(words)
    if not words:
        return None
    if words[0] == "what" and said.removeprefix("what ") in nouns.HELD:
        return Mention(said, (), pronoun=True, held=True)
    held = next((phrase for phrase in nouns.HELD if said.endswith(" " + phrase)), "")
    kept = said.removesuffix(held).split() if held else list(words)
    if kept and kept[0] in BINDERS:
        return None
    kept = [word for word in kept if word not in LINKS] if len(kept) > 1 else kept
    flags = {
        "every": any(word in nouns.EVERY for word in kept),
        "any": any(word in nouns.ANY for word in kept),
        "other": any(word in nouns.OTHER for word in kept),
        "last": "last" in kept,
        "next": "next" in kept,
        "that": kept[:1] in (["that"], ["this"], ["those"], ["these"]),
    }
    bare = [word for word in kept if word not in nouns.DETERMINERS - {"this", "that"} | {"back"}] or kept
    if len(bare) == 1 and bare[0] in nouns.PRONOUNS and not flags["every"]:
        return Mention(said, (), pronoun=True, held=bool(held))
    drop = nouns.DETERMINERS | nouns.EVERY | nouns.ANY | nouns.OTHER | {"last", "next", "back"}
    cut = next((i for i, word in enumerate(kept) if i and word in BINDERS), len(kept))
    head, tail = kept[:cut], kept[cut:]
    head = [word for i, word in enumerate(head) if word not in drop]
    value, nth, count, base = _numbers(head)
    plural = bool(base) and is_plural(base[-1]) and base[-1] not in ("keys", "instructions") and value is None
    rest = tuple(singular(part) for word in tail if word not in BINDERS | drop for part in parts(word))
    rest = tuple(str(number(word)) if word in nouns.ORDINALS else word for word in rest)
    if value is None and len(rest) == 1 and (value := number(rest[0])) is not None:  # `the burner on 2`
        rest = ()
    where = rest if tail and tail[0] not in ("containing", "of", "with", "called", "holding", "by") else ()
    if not base and value is None and not flags["every"] and not flags["other"] and not flags["last"]:
        return None
    one = bool(base) and base[-1] in ("one", "ones")
    core = tuple(singular(part) for word in (base[:-1] if one else base) for part in parts(word))
    flags["every"] = (flags["every"] or plural) and value is None and not flags["any"]
    if "both" in kept and core and plural:
        flags["every"], count = False, 2
    return Mention(
        said, core, rest, value, nth, held=bool(held), pronoun=one or not core, count=count, where=where, **flags
    )


def _numbers(head: list[str]) -> tuple[int | None, bool, int | None, list[str]]:
    """(number, was an ordinal, how many, the other words) of a noun phrase's words."""
    base, value, nth, count = [], None, False, None
    for i, word in enumerate(head):
        found = number(word)
        if found is None or (
            word == "one" and i == len(head) - 1 and (not i or head[i - 1] in nouns.ADJECTIVES or number(head[i - 1]))
        ):
            base.append(word)
        elif word in nouns.ORDINALS or not (word.isdigit() or word.isalpha()):
            value, nth = found, True
        elif i == 0 and len(head) > 1 and is_plural(head[-1]):
            count = found
        elif i == 0 and len(head) > 1 and word == "one":
            continue  # `take one mug` asks for any, not for number 1
        else:
            value = found
    return value, nth, count, base


@cache
def _groups(kin: bool) -> dict[tuple[str, ...], frozenset[int]]:
    table: dict[tuple[str, ...], set[int]] = {}
    for i, line in enumerate(nouns.KIN if kin else nouns.SAME):
        for phrase in line.split(","):
            for form in {tuple(phrase.split()), plain(phrase)}:
                table.setdefault(form, set()).add(i)
    return {phrase: frozenset(found) for phrase, found in table.items()}


@lru_cache(maxsize=4096)
def same(base: tuple[str, ...]) -> frozenset[str]:
    """Every word of the names that people have for it."""
    return frozenset(word for kin in (False, True) for word in _kindred(base, kin))


@cache
def _members(kin: bool) -> dict[int, frozenset[str]]:
    table: dict[int, set[str]] = {}
    for phrase, lines in _groups(kin).items():
        for line in lines:
            table.setdefault(line, set()).update(phrase)
    return {line: frozenset(found) for line, found in table.items()}


def _kindred(base: tuple[str, ...], kin: bool) -> frozenset[str]:
    lines = (line for cut in range(len(base)) for line in _groups(kin).get(base[cut:], ()))
    return frozenset(word for line in lines for word in _members(kin)[line])


@cache
def noun_words() -> frozenset[str]:
    """Every word of the tables, for the spelling."""
    said = (word for line in (*nouns.SAME, *nouns.KIN) for word in line.replace(",", " ").split())
    return frozenset(said) | nouns.PARTS | nouns.WHOLE | nouns.ADJECTIVES


@lru_cache(maxsize=65536)
def fit(
    said: tuple[str, ...], rest: tuple[str, ...], base: tuple[str, ...], about: frozenset[str], joined: bool
) -> float:
    """0 to 1: how well a name's words are what was said. `rest`, `about`: what stands behind in, to, containing."""
    found = 0.0
    trimmed = (*(w for w in said[:-1] if w not in nouns.ADJECTIVES or w in base or w in about), *said[-1:])
    vague = 0.12 if nouns.COLORS & (set(said) - set(trimmed)) else 0.04  # a colour tells more than `nice`
    for words, less in ((said, 0.0), (trimmed, vague)):
        if words:
            found = max(found, _words(words, rest, base, about, joined) - less)
    if not found and len(said) > 1 and len(said[-1]) == 1 and said[-1].isalpha() and len(base[-1]) > 1:
        found = 0.9 * _words(said[:-1], rest, base, about, joined)  # the world tells `unknown substance` by no letter
    if found and not _colors_agree(said + rest, base, about):
        return 0.0
    if "empty" in said and about:
        found *= 1.0 if "nothing" in about else 0.8
    missed = [word for word in rest if word not in about and word not in base]
    told = 0.08 if rest and not missed and found < 0.9 else 0.0
    return (
        max(0.0, found + told - 0.02 * bool(about - set(rest) - set(said)) - (0.2 if missed else 0.0)) if found else 0.0
    )


def _colors_agree(said: tuple[str, ...], base: tuple[str, ...], about: frozenset[str]) -> bool:
    told = nouns.COLORS & set(said)
    theirs = nouns.COLORS & set(base[:-1]) or (nouns.COLORS & about if base[-1] == "paint" else set())
    return not told or not theirs or told <= set(base) | about


def _words(
    said: tuple[str, ...], rest: tuple[str, ...], base: tuple[str, ...], about: frozenset[str], joined: bool
) -> float:
    if said == base or "".join(said) == "".join(base):
        return 1.0
    if _groups(False).get(said, frozenset()) & _groups(False).get(base, frozenset()):
        return 0.97
    if said[-1] == base[-1] and len(said[-1]) == 1 and len(said) > 1 and len(base) > 1:  # `ramp j`
        return _words(said[:-1], rest, base[:-1], about, joined)
    looser = 0.0
    if len(base) > 2 and len(base[-1]) == 1 and len(said[-1]) > 1:  # `unknown liquid` for one that has a letter
        looser = 0.9 * _words(said, rest, base[:-1], about, joined)
    if len(said) > 1 and said[-1] in GENERIC and said[-1] not in base:
        looser = max(looser, 0.97 * _words(said[:-1], rest, base, about, joined))
    if looser:
        return looser
    if said[-1:] == base[-1:] and set(said) <= set(base) | about:
        return 0.97 if set(base) <= set(said) | set(rest) else 0.86
    if found := _jumbled(tuple(word if word in base else nouns.YOUNG.get(word, word) for word in said), base):
        return found
    for cut in range(1, len(said)):  # words before the name: `red apple`, `kitchen door`
        extra, core = said[:cut], said[cut:]
        if core == base or _groups(False).get(core, frozenset()) & _groups(False).get(base, frozenset()):
            return 0.96 if set(extra) <= about else (0.8 if core == base else 0.76) if not about else 0.52
    if said[-1] in ("door", "lid") and len(said) > 1 and base[-1] != "door":
        return 0.85 * _words(said[:-1], rest, base, about, joined)
    for cut in range(1, len(base)):  # a group's word with others before it: `table` -> `steel table`
        if _groups(False).get(said, frozenset()) & _groups(False).get(base[cut:], frozenset()):
            return 0.83
        if _groups(True).get(said, frozenset()) & _groups(True).get(base[cut:], frozenset()):
            return 0.7
    if joined and base[: len(said)] == said:
        return 0.78
    if _groups(True).get(said, frozenset()) & _groups(True).get(base, frozenset()):
        return 0.72
    return 0.0


def _jumbled(said: tuple[str, ...], base: tuple[str, ...]) -> float:
    """In another order, or without a letter behind: `parrot egg`, `wolf pup`, `unknown substance`."""
    if set(said) == set(base):
        return 0.95
    if said[-1] == base[0] in YOUNGER and set(said) <= set(base):
        return 0.9 if len(said) > 1 else 0.8
    lettered = len(base) > 2 and len(base[-1]) == 1 and said[-1] == base[-2]
    return 0.85 if lettered and set(said) <= set(base) else 0.0


def _made_alike(what: Mention, thing: Name) -> bool:
    """`the glass cup` is not the one of tin, as far as is told of what things are."""
    theirs = {*thing.base, *(word for alias in thing.aliases for word in alias)}
    theirs |= thing.rest if "surface" in thing.rest else set()
    told = nouns.STUFFS & set(what.base[:-1])
    return not told or not (theirs & nouns.STUFFS) or bool(told & theirs)


def match(what: Mention, thing: Name) -> float:
    """0 to 1: how well a name of the world fits what was said, its number included."""
    rest = what.rest
    if "empty" in what.base and thing.contents:
        return 0.0
    if what.number is not None and not what.nth and thing.number is None:
        return 0.0
    if what.number is not None and thing.number is not None and what.number != thing.number:
        return 0.0
    numbers = tuple(word for word in rest if word.isdigit())
    if numbers and thing.rest and not set(numbers) <= thing.rest and any(word.isdigit() for word in thing.rest):
        return 0.0
    if not _made_alike(what, thing):
        return 0.0
    found = fit(what.base, rest, thing.base, thing.rest, thing.joined)
    if what.base == ("egg",) and "egg" in {*thing.base, *(alias[-1] for alias in thing.aliases)}:
        return 0.86  # any of them
    for alias in thing.aliases:
        if alias[-1] in YOUNGER and len(what.base) < 2:
            continue  # `the baby` may be any
        found = max(found, fit(what.base, rest, alias, thing.rest, False) - 0.01)
    if not found and what.base and set(what.base) <= thing.contents:
        found = 0.62
    loose = what.number is not None and not what.nth and found < 0.75
    return 0.0 if loose else found
