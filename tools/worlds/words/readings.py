"""A clause's readings: which intent its verb has, and which words fill which role."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tools.worlds.words.alone import ALONE, INVENTORY, SURVEY
from tools.worlds.words.frames import Intent
from tools.worlds.words.mentions import BINDERS, Mention, mention
from tools.worlds.words.nouns import DETERMINERS, words
from tools.worlds.words.text import number, plain_words
from tools.worlds.words.vocabulary import heads

TRAILING = words(
    "up off out away back down over along together around open shut there here again instead first next now too "
    "also aside inside closely safely on in thoroughly completely well properly and carefully onto into to from "
    "of through round about forth forward everywhere ahead altogether directly somewhere anywhere elsewhere outwards"
)


PAUSE = re.compile(
    r"(?:hold on|hang on|hang around|hang about|sit tight|do nothing|stand by|take a (?:breather|break)|"
    r"pause|stay put)\b|"
    r"(?:chill|relax|rest)(?: out)?(?: a| for| some|$)|let (?:a|some|a few|the|several|\d+|two|three|five|"
    r"ten) [a-z ]*(?:pass|go by|"
    r"elapse)\b|wait\b(?! (?:1|one|a|for a|for one|for 1|just one) (?:step|turn|second|moment|sec)\b)"
)
"""Ways to let time pass."""
MOMENT = re.compile(
    r"(?:hold on|hang on|hold up|wait|pause|stay put|stop)(?: there)?(?: for)?(?: just)?(?: a| one|"
    r" 1) (?:sec|second|moment|tick|jiffy|beat|mo)$"
)


@dataclass(frozen=True)
class Reading:
    """One way to understand a clause."""

    intent: Intent
    verb: str
    """The person's words for it."""
    direct: tuple[Mention, ...] = ()
    others: tuple[tuple[str, Mention], ...] = ()
    """Role -> what fills it."""

    def roles(self, which: int) -> dict[str, Mention]:
        """Roles of the `which`-th of the things that are to be acted on."""
        filled = dict(self.others)
        if self.direct:
            filled[self.intent.direct] = self.direct[which]
        for role, what in self.intent.given.items():
            filled.setdefault(role, mention(what.split()) or Mention(what, ()))
        return filled


def alone(words: Sequence[str]) -> tuple[str, ...]:
    """World actions for a clause that is one of the phrases without an object, in order of preference."""
    said = " ".join(words)
    if re.match(r"(?:have a |take a |take another )?look (?:a?round|about)\b", said):
        return ("look around", "look")
    if words[-1] in ("you", "me", "us", "here") and len(words) > 2:
        words, said = words[:-1], " ".join(words[:-1])
    bare = " ".join(word for word in words if word not in DETERMINERS)
    for actions, phrases in ALONE.values():
        if said in phrases or bare in phrases:
            return actions
    if INVENTORY.match(said):
        return ("inventory",)
    if MOMENT.match(said):
        return ("wait1", "wait")
    if SURVEY.match(said):
        return ("look around", "look")
    if PAUSE.match(said):
        return ("wait", "wait1")
    if (
        words
        and words[0] == "wait"
        and len(words) > 1
        and (words[1] in ("for", "until", "a", "another") or words[1].isdigit())
    ):
        return ("wait",)
    return ()


def readings(words: Sequence[str]) -> list[Reading]:
    """Every way to understand the clause that the tables allow, longest verb phrases first."""
    found: list[Reading] = []
    parted = 0
    for intent, before, particle in heads().get(words[0], ()):
        if tuple(words[: len(before)]) != before or (parted and not particle):
            continue  # `throw _ away` says more than `throw`
        rest = list(words[len(before) :])
        if particle:
            at = _particle(rest, particle.split())
            if at < 0:
                continue
            parted = len(before)
            rest = rest[:at] + rest[at + len(particle.split()) :]
        verb = " ".join((*before, *particle.split()))
        for direct, others in splits(rest, intent):
            if isinstance(made := reading(intent, verb, direct, others), Reading):
                found.append(made)
    return found


def _particle(rest: list[str], particle: list[str]) -> int:
    """Where the particle stands behind the object, the last such place; -1 where it does not."""
    size = len(particle)
    for at in range(len(rest) - size, 0, -1):
        after = rest[at + size] if at + size < len(rest) else ""
        if rest[at : at + size] == particle and (
            not after or after in BINDERS or after in ("and", "down", "up", "using", "again", "there", "here")
        ):
            return at
    return -1


def splits(rest: list[str], intent: Intent) -> list[tuple[list[str], dict[str, list[str]]]]:
    """(words of the object, role -> words): the whole, and cut at each preposition the intent knows."""
    found: list[tuple[list[str], dict[str, list[str]]]] = [(rest, {})]
    for i, word in enumerate(rest):
        role = intent.prepositions.get(word)
        if role is None or i + 1 == len(rest):
            continue
        if role == intent.direct:
            found.append((rest[i + 1 :], {}))
        else:
            found.append((rest[:i], {role: rest[i + 1 :]}))
            if i == 0:  # `from the desk the mug`
                for cut in range(2, len(rest)):
                    if rest[cut] in DETERMINERS:
                        found.append((rest[cut:], {role: rest[1:cut]}))
    if intent.name == "put" and len(rest) > 1 and rest[-1] == "outside" and rest[-2] not in ("the", "to"):
        found.append((rest[:-1], {"place": ["outside"]}))
    if intent.name == "put" and rest and rest[-1] in ("there", "here"):
        found.append((rest[:-1], {"place": ["it"]}))
    return found


def reading(intent: Intent, verb: str, direct: list[str], others: dict[str, list[str]]) -> Reading | None:
    """None where a role's words name nothing."""
    pieces = _pieces(_trimmed(direct))
    if intent.name == "connect" and not others and len(pieces) == 2:
        pieces, others = pieces[:1], {"place": pieces[1]}
    things = [mention(piece) for piece in pieces]
    filled = [(role, mention(_trimmed(words))) for role, words in others.items()]
    if any(thing is None for thing in things) or any(what is None for _, what in filled):
        return None
    return Reading(intent, verb, tuple(t for t in things if t), tuple((role, what) for role, what in filled if what))


def _trimmed(words: list[str]) -> list[str]:
    kept = list(words)
    while len(kept) > 1 and kept[-1] in TRAILING:
        kept.pop()
    while len(kept) > 1 and kept[0] in (
        "me",
        "us",
        "you",
        "up",
        "out",
        "away",
        "back",
        "down",
        "over",
        "of",
        "and",
        "to",
        "at",
        "right",
        "straight",
        "directly",
        "on",
        "in",
        "inside",
    ):
        kept.pop(0)
    return (
        []
        if kept and len(kept) == 1 and kept[0] in TRAILING | {"me", "us"} and kept[0] not in ("there", "here")
        else kept
    )


def _pieces(words: list[str]) -> list[list[str]]:
    """Cut at `and`; a bare number takes over the noun before it (`cabinets 1 and 2`)."""
    pieces: list[list[str]] = [[]]
    for word in words:
        if word == "and":
            pieces.append([])
        else:
            pieces[-1].append(word)
    pieces = [piece for piece in pieces if piece]
    for i in range(1, len(pieces)):
        if len(pieces[i]) == 1 and number(pieces[i][0]) is not None:
            head = [word for word in pieces[i - 1] if number(word) is None]
            pieces[i] = [*(plain_words(head)), pieces[i][0]]
    if len(pieces) > 1:
        pieces[0] = plain_words(pieces[0]) if number(pieces[0][-1]) is not None else pieces[0]
    return pieces
