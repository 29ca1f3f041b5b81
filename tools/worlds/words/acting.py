"""One clause in one world: actions, a question, a reason why not."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tools.worlds.words import nouns
from tools.worlds.words.alone import IDIOM, NEVER
from tools.worlds.words.choose import Choice, Chooser
from tools.worlds.words.constructions import constructed
from tools.worlds.words.frames import MOTIONS
from tools.worlds.words.mentions import match, mention, noun_words
from tools.worlds.words.nouns import DETERMINERS
from tools.worlds.words.outcomes import Actions, Grounded, Impossible, NotAnAction, Unclear
from tools.worlds.words.readings import Reading, alone, readings
from tools.worlds.words.reasons import listed, reason
from tools.worlds.words.steps import carried, doors, exits, first
from tools.worlds.words.surroundings import Surroundings
from tools.worlds.words.text import number, singular

OPENED = ("open", "shut", "closed", "ajar")
THROUGH = {"in", "inside", "through", "on", "into", "it", "there"}
TALK = frozenset(["chef", "stop", "full", "pretty", "love", "liquid"])
"""Parts of names that are no things by themselves."""
OUT = re.compile(
    r"(?:leave|exit|get out|go out|head out|walk out|step out|get from|go from|head from|walk from)(?: (?:from "
    r")?(.+))?$"
)
DONE = re.compile(r"you (heat|cool|clean) the ([a-z]+ \d+) using the ([a-z]+ \d+)")


def onward(clause: Sequence[str]) -> bool:
    """`go in`, `head through`: into what was just opened."""
    return clause[0] in MOTIONS and set(clause[1:]) <= THROUGH


def acted(words: list[str], here: Surroundings, recent: Sequence[str]) -> Grounded:
    """What the clause's words come to; `recent`: actions before, those of earlier clauses included."""
    for action in alone(words):
        if action in here.admissible:
            return Actions((action,))
    if IDIOM.match(" ".join(words)):
        return Impossible(f"I cannot {' '.join(words)}; I can {listed(here.verbs)}.")
    if "for" in words[2:-1] and not _named(words[words.index("for") + 1 :], here):
        words = words[: words.index("for")]
    if "or" in words[1:-1]:
        return _either(words, here, recent)
    if _out(words, here):
        return _leave(here)
    ways = readings(["go", "to", "it"] if onward(words) and len(words) > 1 else words)
    chooser = Chooser(here, recent)
    if steps := carried(words, ways, chooser):
        return Actions(steps)
    choice = chooser.choose(constructed(words)) if words[-1] in OPENED else Choice()
    if not choice.actions:
        choice = chooser.choose(ways) if ways else Choice()
    if not choice.actions and not choice.between:
        choice = chooser.choose(constructed(words))
    if not ways and not choice.actions:
        return _unknown(words, here)
    if choice.actions:
        return Actions(choice.actions)
    if choice.between:
        return _ask(choice, ways)
    if _says_nothing(ways):
        return _what(ways[0], here)
    if several := doors(ways, here):
        return Actions(several)
    step, finished = first(words, ways, chooser)
    if step:
        return Actions((step,), () if finished else (" ".join(words),))
    why, possible = reason(here, chooser, sorted(ways, key=lambda way: not way.others))
    if why.startswith("The door to ") and ways[0].intent.name == "go":
        return Actions(possible, (" ".join(words),))
    return Impossible(why, possible, already=" already " in why, absent=_fluff(why, here))


def last_done(here: Surroundings, recent: Sequence[str]) -> str:
    """What was done last, if it can be done once more; without a record of it, what the observation tells."""
    told = DONE.match(here.observation)
    last = recent[-1] if recent else f"{told[1]} {told[2]} with {told[3]}" if told else ""
    return last if last in here.admissible else ""


def _named(words: Sequence[str], here: Surroundings) -> bool:
    """Something in these words may be a name of this world."""
    known = {part for name in here.names for part in (*name.base, *name.rest)}
    return any(singular(word) in known or word in known or number(word) is not None for word in words)


def _either(words: list[str], here: Surroundings, recent: Sequence[str]) -> Grounded:
    """`drawer 1 or 2`: the person decides, but where any will do."""
    done = acted(["and" if word == "or" else word for word in words], here, recent)
    if not isinstance(done, Actions) or (len(done.actions) < 2 and not done.rest):
        return done
    if nouns.ANY & set(words):
        return Actions(done.actions[:1], done.rest)
    return Unclear(f"Which: {listed(done.actions, 'or')}?", done.actions)


def _out(words: Sequence[str], here: Surroundings) -> bool:
    """`leave`, `exit the room`, `get out of the workshop`."""
    said = " ".join(word for word in words if word not in DETERMINERS)
    found = OUT.match(said)
    if found is None or not found[1]:
        return found is not None and words[0] in ("leave", "exit")
    return (
        here.room == f"in {found[1]}"
        or _is_room(found[1], here)
        or found[1] in ("room", "place", "here", "area", here.place)
    )


def _is_room(said: str, here: Surroundings) -> bool:
    """The room in which the agent is, as far as one can tell: it was just moved to and nobody can go to it."""
    what = mention(said.split())
    gone = next((act.args[0] for text in reversed(here.recent) if (act := here.parse(text)).verb == "go to"), "")
    rooms = [room for room in (here.room.removeprefix("in "), gone) if room and f"go to {room}" not in here.admissible]
    if here.world == "scienceworld" and what and any(match(what, here.name(room)) > 0.7 for room in rooms):
        return True
    return f"you move to the {said}." in here.observation and f"go to {said}" not in here.admissible


def _leave(here: Surroundings) -> Grounded:
    ways = exits(here)
    if here.world == "alfworld" or not ways:
        return Impossible("There is no way out of here.")
    return Actions(ways) if len(ways) == 1 else Unclear(f"Which way: {listed(ways, 'or')}?", ways)


def _fluff(why: str, here: Surroundings) -> bool:
    """What is absent is perhaps no thing at all: `there is no sink chef order here`."""
    absent = re.match(r"There is no (.+?) here;", why)
    known = noun_words() | {word for name in here.names for word in (*name.base, *name.rest)} | {"terminal"}
    known = known - TALK
    words = absent[1].split() if absent else []
    return not all(word in known or len(word) == 1 or word.isdigit() for word in words)


def _unknown(words: list[str], here: Surroundings) -> Grounded:
    if alone(words):
        return Impossible(f"`{' '.join(words)}` is not possible here; I can {listed(here.verbs)}.")
    if words[0] in NEVER:
        return Impossible(f"I cannot {words[0]} here; I can {listed(here.verbs)}.")
    return NotAnAction()


def _says_nothing(ways: Sequence[Reading]) -> bool:
    return all(not way.direct and not way.others for way in ways)


def _what(way: Reading, here: Surroundings) -> Grounded:
    possible = tuple(act.text for frame in way.intent.frames for act in here.acts(frame.verb))[:8]
    if not possible:
        return Impossible(f"There is nothing to {way.verb} here; I can {listed(here.verbs)}.")
    return Unclear(f"What shall I {way.verb}?", possible)


def _ask(choice: Choice, ways: Sequence[Reading]) -> Unclear:
    """`Which mug: mug 1 or mug 2?`"""
    things = list(dict.fromkeys(candidate.roles.get(choice.role, candidate.act.text) for candidate in choice.between))
    options = tuple(candidate.act.text for candidate in choice.between)
    if len(things) < 2:
        return Unclear(f"What is meant: {listed(options, 'or')}?", options)
    kinds = {" ".join(word for word in thing.split() if not word.isdigit()) for thing in things}
    said = _said(choice.role, ways)
    which = kinds.pop() if len(kinds) == 1 else said
    return Unclear(f"Which {which or 'one'}: {listed(things, 'or')}?", options)


def _said(role: str, ways: Sequence[Reading]) -> str:
    """The person's own noun for a role."""
    for way in ways:
        what = way.roles(0).get(role)
        if what and what.base:
            return " ".join(what.base)
    return ""
