"""A sentence cut where one command may end and the next begin, and what each piece is once courtesies are gone."""

from __future__ import annotations

import re

from tools.worlds.words import nouns
from tools.worlds.words.alone import INVENTORY, SURVEY
from tools.worlds.words.courtesies import FILLERS, LEADS, MODALS, NEGATION, PERCEIVING, QUESTION, WISH
from tools.worlds.words.mentions import BINDERS, noun_words
from tools.worlds.words.statements import ordered, participles
from tools.worlds.words.vocabulary import SEPARATORS, gerunds, is_verb

TELLING = nouns.words(
    "did was were is are am had has have think thought like likes liked wonder hate love remember told said "
    "yesterday if why "
    "what who when where how because not never no nobody he she they who used always often usually sometimes "
    "ago people "
    "someone somebody tried wanted could would should might does do knows know see saw hear heard the a my "
    "your this that"
)
"""Words that make a sentence a remark, though it has a verb in it."""
TOWARDS = re.compile(
    r"(?:(?:back|over|off|on|out|up|down|onwards?|straight|right|along|through|away|around|across|forth|"
    r"ahead|further|next"
    r"|inside|outside) )*(?:to|into|towards?|onto) (?!be\b|do\b|have\b)"
)
"""So begins a command to go that leaves out the verb."""
LOOKING = re.compile(f"{SURVEY.pattern}|{INVENTORY.pattern}")
ORDER = ("first ", "next ")
OR = {"or": "or"}
TURNED = {"on": ["turn", "on"], "off": ["turn", "off"], "shut": ["close"], "closed": ["close"], "open": ["open"]}
"""`stove on`"""
REMARKING = nouns.words("it i we they he she there you that")


def in_pieces(words: list[str]) -> list[tuple[str, list[str]]]:
    """Cut at every word that may part two commands, if a command (or a prohibition) follows; else left together."""
    pieces: list[tuple[str, list[str]]] = [("", [])]
    separator = ""
    for i, word in enumerate(words):
        if word in SEPARATORS:
            separator = word if separator in ("", ",", "and") else separator
        elif separator and (begins(words[i:], separator) or not pieces[-1][1] or not has_verb(pieces[-1][1])):
            pieces.append((separator, [word]))
            separator = ""
        else:
            pieces[-1][1].extend([OR.get(separator, "and"), word] if separator else [word])
            separator = ""
    return pieces


def has_verb(piece: list[str]) -> bool:
    start, forbidden, _ = stripped(piece)
    return (forbidden and not contrast_of(start)) or is_verb(start)


def begins(words: list[str], separator: str = "") -> bool:
    cut = next((i for i, word in enumerate(words) if word in SEPARATORS), len(words))
    start, forbidden, _ = stripped(words[: cut + 2])
    if separator == "then" and (TOWARDS.match(" ".join(start)) or is_state(words[:cut])):
        return True
    return (
        forbidden or is_verb(start) or is_remark(words[:cut]) or words[0] in ("could", "would", "can", "will", "thank")
    )


def stripped(piece: list[str]) -> tuple[list[str], bool, bool]:
    """(words from the verb on, is forbidden, is a question): courtesies and lead-ins taken away."""
    text = " ".join(word for word in piece if word not in FILLERS)
    requested = led = False
    if LOOKING.match(text):
        return text.split(), False, False
    text = WISH.sub("take ", text)
    while True:
        if text.startswith(ORDER) and is_verb(text.split(), 1):
            text = text.partition(" ")[2]
        if NEGATION.match(text) and not re.match(r"do not (?:forget|hesitate) to", text):
            return text.split(), True, False
        found = next((m for lead in LEADS if (m := lead.match(text))), None)
        if not found:
            break
        if QUESTION.match(text) and found.group().startswith(("i ", "we ", "you ")):
            break
        led = True
        requested = requested or bool(re.match(rf"(?:{MODALS}|do) ", found.group()))
        text = text[found.end() :].strip()
    words = text.split()
    if words and words[0] in gerunds() and words[0] not in noun_words():
        words[0] = gerunds()[words[0]]
    if not is_verb(words) or words[0] in ("give", "have", "take", "do", "get", "make", "try"):
        words = ordered(" ".join(words)).split()
    if led and words and not is_verb(words) and words[0] in participles():  # `it would be nice if you took`
        words[0] = participles()[words[0]]
    question = bool(QUESTION.match(text)) or (requested and bool(words) and words[0] in PERCEIVING)
    return words, False, question


def contrast_of(start: list[str]) -> tuple[str, ...]:
    """`not fork 2`: what is meant is something else; empty where a deed is forbidden."""
    if start[0] != "not" or len(start) < 2 or (is_verb(start, 1) and start[1] not in noun_words()):
        return ()
    named = start[2:] if start[1] in ("in", "on", "to", "into", "from", "at") else start[1:]
    return tuple(named) if named and len(named) < 5 and (is_thing(named) or named == ["there"]) else ()


def is_remark(start: list[str]) -> bool:
    """`..., it hums`; `..., I am hungry`: says how things are, asks for nothing, and does not say where they are."""
    if len(start) < 2 or start[0] not in REMARKING or (start[1] == "is" and start[2:3] and start[2] in BINDERS):
        return False
    return start[1] not in BINDERS | {"one", "other", "please", "too", "all"}


def is_state(start: list[str]) -> bool:
    """`stove on`, behind another command."""
    return 1 < len(start) < 5 and start[-1] in TURNED and is_thing(start[:-1]) and start[0] not in BINDERS


def is_thing(words: list[str]) -> bool:
    """May be the name of a thing: no word in it that tells something."""
    return 0 < len(words) < 8 and not set(words) & (TELLING - nouns.DETERMINERS - {"a", "the", "who"})
