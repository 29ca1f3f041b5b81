"""Sentence forms that say what is meant whatever the verb: `winkle the pencil out of the bin`, `nudge the door shut`.

They are tried where the tables of verbs give nothing: `VERB x from y` takes, `VERB x into y` puts, `VERB over to
y` goes, `VERB x open` opens. Verbs that name another deed (`paint`, `wash`) are left out, so that
nothing else is done instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from tools.worlds.words.alone import NEVER
from tools.worlds.words.frames import GO, INTO, Frame, Intent, roles
from tools.worlds.words.nouns import DETERMINERS, phrases, words
from tools.worlds.words.readings import Reading, reading, splits
from tools.worlds.words.vocabulary import heads

TAKE = Intent(
    "take",
    (),
    (Frame("take", ("object", "place"), needs="place"), Frame("pick up")),
    roles("place", "from off out"),
)
PUT = Intent("put", (), (Frame("move", ("object", "place"), needs="place"),), roles("place", INTO))
WALK = Intent("go", (), GO, roles("object", "to into toward towards onto inside by"))
STATES = {
    **dict.fromkeys(phrases("open, wide open, ajar, opened"), Intent("open", (), (Frame("open"),))),
    **dict.fromkeys(phrases("shut, closed, close, to"), Intent("close", (), (Frame("close"),))),
    "on": Intent("activate", (), (Frame("activate"), Frame("turn on"), Frame("use"))),
    "off": Intent("deactivate", (), (Frame("deactivate"), Frame("turn off"))),
}
"""What stands behind the object and says how it is to be in the end."""
HANDLING = frozenset(("take", "put", "go", "open", "close", "activate", "deactivate", "apply", "throw away", "heat"))
"""Intents whose verbs tell of the manner, so that the form may say something else than they usually do."""
DEEDS = words("heat warm cook bake reheat toast roast boil fry melt grill microwave eat taste drink")
SELF = words(
    "yourself yourselves myself ourselves you me us your way over back on out off down up along right straight across "
    "around round through away forward ahead inside again the my our body self feet legs"
)
"""What may stand between a verb of motion and where it leads to."""


@cache
def handling() -> frozenset[str]:
    """Verbs that may be read by the form they stand in."""
    named = {head: {intent.name for intent, *_ in found} for head, found in heads().items()}
    other = {head for head, intents in named.items() if not intents & HANDLING}
    return frozenset(named) - other - DEEDS


def constructed(clause: Sequence[str]) -> list[Reading]:
    """Readings by form alone; none for verbs that name a deed of their own."""
    verb, rest = clause[0], list(clause[1:])
    forced = verb in NEVER and rest[-1:] in (["open"], ["shut"], ["closed"])
    unknown = forced or (verb not in heads() and verb not in NEVER and verb not in DETERMINERS and verb.isalpha())
    if not rest or not (unknown or verb in handling()):
        return []
    found = _walk(verb, rest)
    intent = STATES.get(rest[-1])
    if intent and len(rest) > 1 and (made := reading(intent, verb, rest[:-1], {})):
        found.append(made)
    for intent in (TAKE, PUT):
        cut = ((direct, others) for direct, others in splits(rest, intent) if others and direct)
        found += [made for direct, others in cut if (made := reading(intent, verb, direct, others))]
    return found


def _walk(verb: str, rest: list[str]) -> list[Reading]:
    at = next((i for i, word in enumerate(rest) if word in WALK.prepositions), len(rest))
    if at + 1 >= len(rest) or not set(rest[:at]) <= SELF:
        return []
    made = reading(WALK, verb, rest[at + 1 :], {})
    return [made] if made else []
