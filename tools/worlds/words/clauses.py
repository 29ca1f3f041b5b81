"""A sentence in its clauses: what is asked to be done, what is forbidden, what is mere talk."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from functools import cache

from tools.worlds.words import nouns
from tools.worlds.words.alone import ALONE, NEVER
from tools.worlds.words.courtesies import CUT, FILLERS, TALK
from tools.worlds.words.mentions import BINDERS, noun_words
from tools.worlds.words.pieces import (
    LOOKING,
    TELLING,
    TOWARDS,
    TURNED,
    contrast_of,
    has_verb,
    in_pieces,
    is_remark,
    is_state,
    is_thing,
    stripped,
)
from tools.worlds.words.questions import shown
from tools.worlds.words.text import parts, spelled, tidy, tokens
from tools.worlds.words.turns import corrected, joined
from tools.worlds.words.vocabulary import COPULAS, gerunds, heads, is_verb, known_words

OFFER = re.compile(r"(?:what|how) about\b")
SAYING = nouns.words("is was were are am has had have if why what who when because think thought said will would that")
FORMS = nouns.words("from off out in into on onto to toward towards inside open shut closed ajar over")
TAG = re.compile(r"\b(?:is|are|was|does|do|did|has|have) (?:not )?(?:it|they|he|she|there|i)(?: not)?$")
"""`..., isn't it?`"""
IDLE = re.compile(rf"(?<=\w),? (?:{'|'.join(sorted(nouns.IDLE, key=len, reverse=True))})(?= ?[,.!?;]|$| and | then )")
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
    excluded: tuple[tuple[str, ...], ...] = ()
    """What is not meant: `fork 3, not fork 2`."""


def read(says: str, here: Collection[str] = (), bold: bool = False) -> Sentence | None:
    """None where nothing is commanded. `here`: words of the names of this world, for the spelling.

    `bold`: words that exist may be slips too (`tale the mug`).
    """
    known = known_words()
    text = tidy(" ".join(spelled(word, here, known, bold) for word in tokens(tidy(says))))
    words = tokens(joined(IDLE.sub("", IDLE.sub("", text))))
    clauses: list[tuple[str, ...]] = []
    negated = unsure = False
    perhaps: tuple[str, ...] = ()
    excluded: list[tuple[str, ...]] = []
    topic: list[str] = []
    for sentence, mark in _sentences(words):
        sentence = _taken_up(sentence, topic, here)
        done = _commands(sentence, mark == "?")
        topic = [] if done.clauses else _asked_about(sentence, here)
        clauses += done.clauses
        excluded += done.excluded
        negated, unsure, perhaps = negated or done.negated, unsure or done.unsure, perhaps or done.perhaps
    if clauses or negated or unsure:
        return Sentence(tuple(clauses), negated, unsure, perhaps, tuple(excluded))
    return Sentence(perhaps=perhaps, excluded=tuple(excluded)) if perhaps else None


def _asked_about(sentence: list[str], here: Collection[str]) -> list[str]:
    """What a question or remark is about: `is the tin melted`, `where's the kitchen`."""
    known = (frozenset(here) | noun_words()) - {"temperature"}
    for i, word in enumerate(sentence):
        end = i + 1
        while word in nouns.DETERMINERS and end < len(sentence) and (sentence[end] in known or sentence[end].isdigit()):
            end += 1
        if end > i + 1:
            return sentence[i:end]
    return []


def _taken_up(sentence: list[str], topic: list[str], here: Collection[str]) -> list[str]:
    """`take its temperature`, behind a question about the tin."""
    if not topic or _asked_about(sentence, here):
        return sentence
    at = next((i for i, word in enumerate(sentence) if i and word in ("it", "them", "there")), 0)
    to = ["to"] if at and sentence[at] == "there" and sentence[at - 1] not in ("in", "into", "from") else []
    return [*sentence[:at], *to, *topic, *sentence[at + 1 :]] if at else sentence


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
    if asked and TAG.search(text):
        return Sentence()
    words = corrected(words)
    text = " ".join(words)
    if words[0] == "before" and (parted := _before(words)):
        first, then = (_commands(part, asked) for part in reversed(parted))
        return replace(first, clauses=first.clauses + then.clauses)
    clauses: list[list[str]] = []
    negated, swap, contrast = False, False, False
    excluded: list[tuple[str, ...]] = []
    topic: list[str] = []
    spoken: list[str] = []
    lead: list[str] = []
    pieces = in_pieces(words)
    for separator, piece in pieces:
        start, forbidden, question = stripped(piece)
        if clauses and not forbidden and not is_verb(start) and is_remark(piece):
            continue
        if question and not clauses:
            return Sentence(perhaps=shown(" ".join(words)))
        if forbidden and (contrasted := contrast_of(start)):
            contrast = True
            excluded.append(contrasted)
        elif forbidden:
            negated = True
        elif (
            is_verb(start)
            or (start and not clauses and CUT.sub("", " ".join(start)) in _alone_phrases())
            or LOOKING.match(" ".join(start))
        ):
            swap = separator in ("after",) and bool(clauses)
            if topic and (at := _pointer(start)):
                start = [*start[:at], *(["to"] if start[at] == "there" else []), *topic, *start[at + 1 :]]
            elif topic and _verb_only(start):
                start = [*start, *topic]
            clauses.insert(-1 if swap else len(clauses), [*start, *lead])
            lead, topic = [], []
        elif clauses and separator == "," and set(clauses[-1]) & {"it", "them"} and start[:1] == ["the"]:
            clauses[-1] = [part for word in clauses[-1] for part in (start if word in ("it", "them") else [word])]
        elif clauses and separator == "then" and is_state(start):
            clauses.append([*TURNED[start[-1]], *start[:-1]])
        elif clauses and start:
            clauses[-1] += ["and", *(w for w in piece if w not in FILLERS)] if not _only_fillers(piece) else []
        elif towards := TOWARDS.match(" ".join(start)):
            to = " ".join(start)[towards.end() :].removesuffix(" with it")
            order = ["put", "it", "in"] if start[-2:] == ["with", "it"] else ["go", "to"]
            clauses.append([*order, *to.split()])
        elif _formed(start):
            clauses.append(start)
        elif 1 < len(start) < 6 and start[-1] in TURNED and is_thing(start[:-1]) and start[0] not in BINDERS:
            clauses.append([*TURNED[start[-1]], *start[:-1]])
        elif start and start[0] in BINDERS:
            verb = next((i for i in range(2, len(start)) if is_verb(start, i) and start[i] not in nouns.VERBS_TOO), 0)
            clauses += [[*start[verb:], *start[:verb]]] if verb else []
            lead = [] if verb else start
        elif len(start) > 2 and start[0] in nouns.DETERMINERS and _last_verb(start):
            clauses.append([start[-1], *start[:-1]])
        elif start and "please" in words and start != ["please"] and not any(has_verb(part) for _, part in pieces):
            clauses.append(["want", *start])
        elif start:
            more = separator == "and" and topic and topic == spoken and not clauses
            topic, spoken = ([*topic, "and", *start],) * 2 if more else (_topic(start), start)
    if not clauses and not negated and not asked:
        clauses = _anywhere(words)
    bare = (
        topic if topic == spoken and not clauses and not negated and (not asked or OFFER.match(" ".join(words))) else []
    )
    perhaps = ("want", *bare) if is_thing(bare) else ()
    negated = negated or (contrast and not clauses and not perhaps)
    done = tuple(tuple(c) for clause in clauses for c in _purposes(clause))
    return Sentence(done, negated, perhaps=perhaps, excluded=tuple(excluded))


def _pointer(start: list[str]) -> int:
    """Where a word stands for what was just named; 0 where none does."""
    at = next((i for i, word in enumerate(start) if word in ("it", "there", "them", "one")), 0)
    return at or (len(start) - 1) * (start[-1] in ("that", "this", "those", "these"))


def _last_verb(start: list[str]) -> bool:
    """`the book to the desk please bring`."""
    last = start[-1]
    return (
        last in heads()
        and last not in noun_words() | BINDERS | nouns.ADJECTIVES | nouns.VERBS_TOO
        and not set(start) & SAYING
    )


def _before(words: list[str]) -> tuple[list[str], list[str]] | None:
    """`before you go to bed take the book`: (what comes later, what comes first)."""
    comma = words.index(",") if "," in words else len(words)
    at = next((i for i in range(3, len(words)) if words[i] != "to" and is_verb(words, i)), 0)
    cut = comma if comma < len(words) else at
    if not cut:
        return None
    return words[1:cut], words[cut + (words[cut] == ",") :]


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
