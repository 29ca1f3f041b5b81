"""A sentence in its clauses: what is asked to be done, what is forbidden, what is mere talk."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cache

from tools.worlds.words import nouns
from tools.worlds.words.alone import ALONE, INVENTORY, NEVER, SURVEY
from tools.worlds.words.courtesies import CUT, FILLERS, LEADS, MODALS, NEGATION, PERCEIVING, QUESTION, TALK, WISH
from tools.worlds.words.mentions import BINDERS, noun_words
from tools.worlds.words.questions import shown
from tools.worlds.words.statements import ordered, participles
from tools.worlds.words.text import parts, spelled, tidy, tokens
from tools.worlds.words.verbs import INTENTS, Intent

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
OFFER = re.compile(r"(?:what|how) about\b")
COPULAS = nouns.words("is are was were be looks look seems appears smells tastes feels")
SAYING = nouns.words("is was were are am has had have if why what who when because think thought said will would that")
FORMS = nouns.words("from off out in into on onto to toward towards inside open shut closed ajar over")
SEPARATORS = frozenset((",", "then", "and", "plus", "before", ";", ":", "but", "or", "followed", "after", "prior"))
ORDER = ("first ", "next ")
ENDS = frozenset(".!?;")


@dataclass(frozen=True)
class Sentence:
    """`clauses` are commands in the order they are to be done; each a list of words that begins with a verb."""

    clauses: tuple[tuple[str, ...], ...] = ()
    negated: bool = False
    """Something was forbidden (and left out of the clauses)."""
    unsure: bool = False
    """Something hangs on an `if` that only the person can decide."""
    perhaps: tuple[str, ...] = ()
    """A clause to be tried where there is nothing else: a thing named without a verb, a question what is in it."""


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


def is_verb(words: list[str], at: int = 0) -> bool:
    """A command could begin here. A word that is also a thing needs something to act on."""
    if at >= len(words):
        return False
    word = words[at]
    if word not in heads() and word not in NEVER and word not in ("look", "wait", "inventory"):
        return False
    follows = words[at + 1] if at + 1 < len(words) else ""
    return not (word in nouns.VERBS_TOO and (not follows or follows in BINDERS | SEPARATORS or follows.isdigit()))


def read(says: str, here: Collection[str] = (), bold: bool = False) -> Sentence | None:
    """None where nothing is commanded. `here`: words of the names of this world, for the spelling.

    `bold`: words that exist may be slips too (`tale the mug`).
    """
    known = verb_words() | noun_words() | lead_words()
    text = tidy(" ".join(spelled(word, here, known, bold) for word in tokens(tidy(says))))
    for phrase in nouns.IDLE:
        text = re.sub(rf"(?<=\w),? {phrase}(?= ?[,.!?;]|$| and | then )", "", text)
    words = tokens(text)
    clauses: list[tuple[str, ...]] = []
    negated = unsure = False
    perhaps: tuple[str, ...] = ()
    for sentence, mark in _sentences(words):
        done = _commands(sentence, mark == "?")
        clauses += done.clauses
        negated, unsure, perhaps = negated or done.negated, unsure or done.unsure, perhaps or done.perhaps
    if clauses or negated or unsure:
        return Sentence(tuple(clauses), negated, unsure, perhaps)
    return Sentence(perhaps=perhaps) if perhaps else None


def _sentences(words: Iterable[str]) -> Iterable[tuple[list[str], str]]:
    sentence: list[str] = []
    for word in words:
        if word in ENDS:
            yield sentence, word
            sentence = []
        else:
            sentence.append(word)
    yield sentence, ""


def _commands(words: list[str], asked: bool) -> Sentence:
    text = " ".join(words)
    if not words or TALK.match(text.replace(" , ", " ").strip(" ,")):
        return Sentence()
    if words[0] in ("if", "when", "unless", "whenever", "suppose", "once", "while") and "," in words:
        after = _commands(words[words.index(",") + 1 :], asked)
        return Sentence(
            after.clauses if words[0] in ("once", "when", "while") else (), after.negated, words[0] in ("if", "unless")
        )
    clauses: list[list[str]] = []
    negated, swap = False, False
    topic: list[str] = []
    spoken: list[str] = []
    lead: list[str] = []
    for separator, piece in _pieces(words):
        start, forbidden, question = _stripped(piece)
        if question and not clauses:
            return Sentence(perhaps=shown(" ".join(words)))
        if forbidden:
            negated = True
        elif (
            is_verb(start)
            or (start and not clauses and CUT.sub("", " ".join(start)) in _alone_phrases())
            or LOOKING.match(" ".join(start))
        ):
            swap = separator in ("after",) and bool(clauses)
            if topic and (at := next((i for i, word in enumerate(start) if word in ("it", "there", "them", "one")), 0)):
                start = [*start[:at], *(["to"] if start[at] == "there" else []), *topic, *start[at + 1 :]]
            elif topic and _verb_only(start):
                start = [*start, *topic]
            clauses.insert(-1 if swap else len(clauses), [*start, *lead])
            lead, topic = [], []
        elif clauses and separator == "," and set(clauses[-1]) & {"it", "them"} and start[:1] == ["the"]:
            clauses[-1] = [part for word in clauses[-1] for part in (start if word in ("it", "them") else [word])]
        elif clauses and start:
            clauses[-1] += ["and", *piece] if not _only_fillers(piece) else []
        elif towards := TOWARDS.match(" ".join(start)):
            to = " ".join(start)[towards.end() :].removesuffix(" with it")
            order = ["put", "it", "in"] if start[-2:] == ["with", "it"] else ["go", "to"]
            clauses.append([*order, *to.split()])
        elif _formed(start):
            clauses.append(start)
        elif start and start[0] in BINDERS:
            verb = next((i for i in range(2, len(start)) if is_verb(start, i) and start[i] not in nouns.VERBS_TOO), 0)
            clauses += [[*start[verb:], *start[:verb]]] if verb else []
            lead = [] if verb else start
        elif start and "please" in words and start != ["please"]:
            clauses.append(["want", *start])
        elif start:
            topic, spoken = _topic(start), start
    if not clauses and not negated and not asked:
        clauses = _anywhere(words)
    bare = (
        topic if topic == spoken and not clauses and not negated and (not asked or OFFER.match(" ".join(words))) else []
    )
    perhaps = ("want", *bare) if _thing(bare) else ()
    return Sentence(tuple(tuple(c) for clause in clauses for c in _purposes(clause)), negated, perhaps=perhaps)


def _verb_only(start: list[str]) -> bool:
    return any(tuple(start) == before and not particle for _, before, particle in heads().get(start[0], ()))


def _topic(start: list[str]) -> list[str]:
    """What a remark is about: `the fork is dirty`, `it may be in the sink`."""
    at = next((i for i, word in enumerate(start) if i and word in COPULAS), len(start))
    if start[0] not in ("it", "there") or at == len(start):
        named = start[at + 1 : at + 2]
        return start[at + 1 :] if named and named[0] in ("the", "that") and start[-1] != "one" else start[:at]
    behind = start[at + 1 :]
    return behind[1:] if behind and behind[0] in BINDERS else behind


def _formed(start: list[str]) -> bool:
    """A verb that no table knows, in a form that tells all the same: `winkle the pencil out of the bin`."""
    if len(start) < 3 or start[0] in TELLING | nouns.DETERMINERS | nouns.ADJECTIVES or not start[0].isalpha():
        return False
    behind = start[1] in nouns.DETERMINERS | nouns.PRONOUNS | BINDERS | {"back", "over", "up", "down", "yourself"}
    return behind and not set(start) & SAYING and bool(set(start[1:]) & FORMS)


def _thing(words: list[str]) -> bool:
    """May be the name of a thing: no word in it that tells something."""
    return 0 < len(words) < 8 and not set(words) & (TELLING - nouns.DETERMINERS - {"a", "the", "who"})


def _anywhere(words: list[str]) -> list[list[str]]:
    """The last resort: a verb with a thing behind it, whatever stands before, unless that tells of something."""
    for i in range(1, len(words) - 1):
        if words[i - 1] in TELLING:
            return []
        if is_verb(words, i) and words[i] in heads() and words[i + 1] in nouns.DETERMINERS | {"it", "them"}:
            return [words[i:]]
    return []


@cache
def _alone_phrases() -> frozenset[str]:
    return frozenset(phrase for _, phrases in ALONE.values() for phrase in phrases)


def _only_fillers(piece: list[str]) -> bool:
    return all(
        word
        in FILLERS
        | nouns.PRONOUNS
        | {"you", "would", "could", "can", "will", "i", "right", "thank", "so", "much", "good", "my"}
        for word in piece
    )


def _pieces(words: list[str]) -> list[tuple[str, list[str]]]:
    """Cut at every word that may part two commands, if a command (or a prohibition) follows; else left together."""
    pieces: list[tuple[str, list[str]]] = [("", [])]
    separator = ""
    for i, word in enumerate(words):
        if word in SEPARATORS:
            separator = word if separator in ("", ",", "and") else separator
        elif separator and (_begins(words[i:]) or not pieces[-1][1] or not _has_verb(pieces[-1][1])):
            pieces.append((separator, [word]))
            separator = ""
        else:
            pieces[-1][1].extend(["and", word] if separator else [word])
            separator = ""
    return pieces


def _has_verb(piece: list[str]) -> bool:
    start, forbidden, _ = _stripped(piece)
    return forbidden or is_verb(start)


def _begins(words: list[str]) -> bool:
    cut = next((i for i, word in enumerate(words) if word in SEPARATORS), len(words))
    start, forbidden, _ = _stripped(words[: cut + 2])
    return forbidden or is_verb(start) or words[0] in ("could", "would", "can", "will", "thank")


def _stripped(piece: list[str]) -> tuple[list[str], bool, bool]:
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


def _purposes(clause: list[str]) -> list[list[str]]:
    """`use X to VERB Y` -> `VERB Y with X`; `go to X to VERB Y` -> two clauses; reasons are cut off."""
    text = CUT.sub("", " ".join(clause))
    words = text.split()
    for i in range(2, len(words) - 1):
        if (
            words[i] in ("to", "for")
            and (is_verb(words, i + 1) or words[i + 1] in gerunds())
            and words[i + 1] not in ("light", "place", "plant", "set", "rest", "safe")
        ):
            then = [gerunds().get(words[i + 1], words[i + 1]), *words[i + 2 :]]
            if words[0] == "use":
                unknown = then[0] in NEVER and then[0] not in heads()
                return [[*words[:i], "on", *then[1:]] if unknown else [*then, "with", *words[1:i]]]
            if (
                parts(words[i + 1]) == (words[i + 1],)
                and words[i + 1] not in noun_words() | nouns.ADJECTIVES
                and words[i + 1] not in ("top",)
            ):
                return [words[:i], *_purposes(then)]
    return [words] if words else []
