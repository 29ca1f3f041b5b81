"""A sentence in its clauses: what is asked to be done, what is forbidden, what is mere talk."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from functools import cache

from tools.worlds.words import nouns
from tools.worlds.words.alone import ALONE, INVENTORY, NEVER, SURVEY
from tools.worlds.words.courtesies import CUT, FILLERS, LEADS, MODALS, NEGATION, PERCEIVING, QUESTION, TALK, WISH
from tools.worlds.words.mentions import BINDERS, noun_words
from tools.worlds.words.questions import shown
from tools.worlds.words.statements import ordered, participles
from tools.worlds.words.text import parts, spelled, tidy, tokens
from tools.worlds.words.turns import corrected
from tools.worlds.words.vocabulary import COPULAS, SEPARATORS, gerunds, heads, is_verb, known_words

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
SAYING = nouns.words("is was were are am has had have if why what who when because think thought said will would that")
FORMS = nouns.words("from off out in into on onto to toward towards inside open shut closed ajar over")
ORDER = ("first ", "next ")
OR = {"or": "or"}
TAG = re.compile(r"\b(?:is|are|was|does|do|did|has|have) (?:not )?(?:it|they|he|she|there|i)(?: not)?$")
"""`..., isn't it?`"""
TURNED = {"on": ["turn", "on"], "off": ["turn", "off"], "shut": ["close"], "closed": ["close"], "open": ["open"]}
"""`stove on`"""
REMARKING = nouns.words("it i we they he she there you that")
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
    text = IDLE.sub("", IDLE.sub("", text))
    words = tokens(text)
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
    pieces = _pieces(words)
    for separator, piece in pieces:
        start, forbidden, question = _stripped(piece)
        if clauses and not forbidden and not is_verb(start) and _remark(piece):
            continue
        if question and not clauses:
            return Sentence(perhaps=shown(" ".join(words)))
        if forbidden and (contrasted := _contrasted(start)):
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
        elif clauses and separator == "then" and _state(start):
            clauses.append([*TURNED[start[-1]], *start[:-1]])
        elif clauses and start:
            clauses[-1] += ["and", *(w for w in piece if w not in FILLERS)] if not _only_fillers(piece) else []
        elif towards := TOWARDS.match(" ".join(start)):
            to = " ".join(start)[towards.end() :].removesuffix(" with it")
            order = ["put", "it", "in"] if start[-2:] == ["with", "it"] else ["go", "to"]
            clauses.append([*order, *to.split()])
        elif _formed(start):
            clauses.append(start)
        elif 1 < len(start) < 6 and start[-1] in TURNED and _thing(start[:-1]) and start[0] not in BINDERS:
            clauses.append([*TURNED[start[-1]], *start[:-1]])
        elif start and start[0] in BINDERS:
            verb = next((i for i in range(2, len(start)) if is_verb(start, i) and start[i] not in nouns.VERBS_TOO), 0)
            clauses += [[*start[verb:], *start[:verb]]] if verb else []
            lead = [] if verb else start
        elif len(start) > 2 and start[0] in nouns.DETERMINERS and _last_verb(start):
            clauses.append([start[-1], *start[:-1]])
        elif start and "please" in words and start != ["please"] and not any(_has_verb(part) for _, part in pieces):
            clauses.append(["want", *start])
        elif start:
            more = separator == "and" and topic and topic == spoken and not clauses
            topic, spoken = ([*topic, "and", *start],) * 2 if more else (_topic(start), start)
    if not clauses and not negated and not asked:
        clauses = _anywhere(words)
    bare = (
        topic if topic == spoken and not clauses and not negated and (not asked or OFFER.match(" ".join(words))) else []
    )
    perhaps = ("want", *bare) if _thing(bare) else ()
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


def _contrasted(start: list[str]) -> tuple[str, ...]:
    """`not fork 2`: what is meant is something else; empty where a deed is forbidden."""
    if start[0] != "not" or len(start) < 2 or (is_verb(start, 1) and start[1] not in noun_words()):
        return ()
    named = start[2:] if start[1] in ("in", "on", "to", "into", "from", "at") else start[1:]
    return tuple(named) if named and len(named) < 5 and (_thing(named) or named == ["there"]) else ()


def _remark(start: list[str]) -> bool:
    """`..., it hums`; `..., I am hungry`: says how things are, asks for nothing, and does not say where they are."""
    if len(start) < 2 or start[0] not in REMARKING or (start[1] == "is" and start[2:3] and start[2] in BINDERS):
        return False
    return start[1] not in BINDERS | {"one", "other", "please", "too", "all"}


def _state(start: list[str]) -> bool:
    """`stove on`, behind another command."""
    return 1 < len(start) < 5 and start[-1] in TURNED and _thing(start[:-1]) and start[0] not in BINDERS


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
        elif separator and (_begins(words[i:], separator) or not pieces[-1][1] or not _has_verb(pieces[-1][1])):
            pieces.append((separator, [word]))
            separator = ""
        else:
            pieces[-1][1].extend([OR.get(separator, "and"), word] if separator else [word])
            separator = ""
    return pieces


def _has_verb(piece: list[str]) -> bool:
    start, forbidden, _ = _stripped(piece)
    return (forbidden and not _contrasted(start)) or is_verb(start)


def _begins(words: list[str], separator: str = "") -> bool:
    cut = next((i for i, word in enumerate(words) if word in SEPARATORS), len(words))
    start, forbidden, _ = _stripped(words[: cut + 2])
    if separator == "then" and (TOWARDS.match(" ".join(start)) or _state(words[:cut])):
        return True
    return forbidden or is_verb(start) or _remark(words[:cut]) or words[0] in ("could", "would", "can", "will", "thank")


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
