"""Every word that commands are made of: verbs with what they may mean, and the rest, for the spelling."""

from __future__ import annotations

import re
from functools import cache

from tools.worlds.words import nouns
from tools.worlds.words.alone import ALONE, NEVER
from tools.worlds.words.courtesies import CUT, FILLERS, LEADS, NEGATION, QUESTION, TALK, WISH
from tools.worlds.words.frames import Intent
from tools.worlds.words.mentions import BINDERS, noun_words
from tools.worlds.words.verbs import INTENTS

COPULAS = nouns.words("is are was were be looks look seems appears smells tastes feels")
SEPARATORS = frozenset((",", "then", "and", "plus", "before", ";", ":", "but", "or", "followed", "after", "prior"))


@cache
def heads() -> dict[str, tuple[tuple[Intent, tuple[str, ...], str], ...]]:
    """First word -> (intent, words before the gap, particle behind it) of the phrases that begin so; longest first."""
    table: dict[str, list[tuple[Intent, tuple[str, ...], str]]] = {}
    for intent in INTENTS:
        for phrase in intent.phrases:
            before, _, after = phrase.partition(" _ ")
            words = tuple(before.split())
            table.setdefault(words[0], []).append((intent, words, after))
    return {head: tuple(sorted(found, key=lambda f: -len(f[1]) - 0.5 * bool(f[2]))) for head, found in table.items()}


@cache
def gerunds() -> dict[str, str]:
    """`putting` -> put, `taking` -> take."""
    table: dict[str, str] = {}
    for verb in (*heads(), *NEVER, "look", "wait"):
        for form in (
            verb + "ing",
            verb.removesuffix("e") + "ing",
            verb + verb[-1] + "ing",
            verb.removesuffix("ie") + "ying",
        ):
            table.setdefault(form, verb)
    return table


@cache
def verb_words() -> frozenset[str]:
    said = (word for intent in INTENTS for phrase in intent.phrases for word in phrase.replace("_", " ").split())
    alone = (word for _, phrases in ALONE.values() for phrase in phrases for word in phrase.split())
    return (
        frozenset(said)
        | frozenset(alone)
        | FILLERS
        | BINDERS
        | NEVER
        | frozenset(gerunds())
        | SEPARATORS
        | nouns.DETERMINERS
    )


@cache
def lead_words() -> frozenset[str]:
    """Words of courtesies, numbers and pointers, for the spelling."""
    patterns = " ".join(pattern.pattern for pattern in (*LEADS, QUESTION, NEGATION, TALK, CUT, WISH))
    pointing = " ".join((*nouns.IDLE, *nouns.HELD, *nouns.NUMBERS, *nouns.ORDINALS))
    flags = nouns.EVERY | nouns.ANY | nouns.OTHER | nouns.PRONOUNS | nouns.ADJECTIVES
    said = re.findall(r"[a-z]{3,}", f"{patterns} {pointing} number temperature contents")
    return frozenset(said) | flags


@cache
def known_words() -> frozenset[str]:
    """Every word that may be meant by a misspelled one."""
    return verb_words() | noun_words() | lead_words()


def is_verb(words: list[str], at: int = 0) -> bool:
    """A command could begin here. A word that is also a thing needs something to act on."""
    if at >= len(words):
        return False
    word = words[at]
    if word not in heads() and word not in NEVER and word not in ("look", "wait", "inventory"):
        return False
    follows = words[at + 1] if at + 1 < len(words) else ""
    if follows and f"{word} {follows}" in compounds():
        return False
    ends = not follows or follows in BINDERS | SEPARATORS | COPULAS or follows.isdigit()
    return not (word in nouns.VERBS_TOO and ends)


@cache
def compounds() -> frozenset[str]:
    """Names that begin with a verb: `hand towel`, `wash basin`."""
    said = (phrase.split()[:2] for line in nouns.SAME for phrase in line.split(",") if len(phrase.split()) > 1)
    return frozenset(" ".join(pair) for pair in said if pair[0] in heads() and pair[1] not in BINDERS)
