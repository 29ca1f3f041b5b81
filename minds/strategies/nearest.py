"""What a model wrote as an action of what is possible now; where it is none, the nearest that is (SwiftSage 4.2).

Papers count an action that is not possible before it is replaced, so `valid` is asked first; the log says what was
written (`Move.wrote`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from rapidfuzz.distance import Levenshtein

from minds.dialogue import Move, Step, in_world
from minds.policies.swift.wording import FILLER
from minds.strategies.lines import bare
from tools.desk import ToolFault
from tools.worlds.actions import LASTING, NUMBER, ActionSpace, Parts, action_space, meant, parts_of, words
from tools.worlds.world import World

PARSED = (
    *("look at {object}", "look in {object}", "examine {object}", "read {object}", "focus on {object}"),
    *("go {object}", "open {object}", "close {object}", "pick up {object}", "drop {object}", "eat {object}"),
    *("move {object} to {other}", "pour {object} into {other}", "dunk {object} into {other}", "mix {object}"),
    *("activate {object}", "deactivate {object}", "turn on {object}", "turn off {object}", "use {object} on {other}"),
    *("connect {object} to {other}", "disconnect {object}", "flush {object}"),
)
"""What a laboratory's parser knows though its list may lack it, as `open` where all in sight is open."""
LOOK = "look around"
"""Where nothing was written: the nearest to this changes nothing."""
HELP = "help"
"""What nothing is near to: it does nothing."""
NAMES_SHOWN = ("scienceworld",)
"""Worlds that understand names on the screen, though their lists call things otherwise."""
_NUMBERED = re.compile(r"(?<![a-z])[a-z]+ \d+")


class InSight(ActionSpace):
    """What a laboratory's parser understands beyond its list: it finds a thing by the words of its name, as they are
    displayed (`unknown substance b`, `orange wire terminal 2`), and its answer says whether that can be done."""

    def __init__(self, admissible: Sequence[str], view: str) -> None:
        super().__init__(admissible)
        self._words = words(" ".join((view, *admissible)))

    def sees(self, parts: Parts) -> bool:
        """Whether all that is named is in sight; while the laboratory asks which thing is meant, nothing is."""
        names = [name for name in (parts.object, parts.other) if name]
        if NUMBER in self.verbs or parts.verb not in (*self.verbs, *PARSED) or len(names) != parts.verb.count("{"):
            return False
        return bool(names) and all(words(name) <= self._words | FILLER for name in names)


def space_of(world: World) -> ActionSpace:
    """What can be done now; empty where the world may not be asked."""
    if world.spec.world in NAMES_SHOWN and (admissible := world.admissible()):
        return InSight(admissible, f"{world.look()} {world.inventory()}")
    return action_space(world.admissible())


def valid(wrote: str, space: ActionSpace) -> str:
    """The action that was written, as the world calls it; empty where it is not possible."""
    said = bare(wrote)
    if found := space.literal(said):
        return found
    if not said:
        return ""
    parts = parts_of(" ".join(said.lower().split()))
    try:
        return space.action(parts.verb, parts.object, parts.other)
    except ToolFault:
        return parts.action if isinstance(space, InSight) and space.sees(parts) else ""


def answer(wrote: str, steps: Sequence[Step]) -> str:
    """The number that answers what the world asked behind the last step: which one? Empty where it asked nothing."""
    return meant(steps[-1].observation, steps[-1].action, bare(wrote)) if steps else ""


def taken(thought: str, wrote: str, space: ActionSpace, steps: Sequence[Step] = ()) -> Move:
    """A move with the action as it was written, or the nearest. Where nothing is listed, as written; where the world
    asked which one was meant behind the last of the `steps`, the answer that was meant.

    Nearest is what is done with none but the numbered things that were named, and with the most of them, then what is
    at the smallest edit distance: who stands before shelf 3 cannot go there, but examine it, and did not mean shelf 1;
    who would put a book on the sidetable has to go there first, and not to put it elsewhere. What nothing takes back is
    done only where it was written: who would `boil water` did not mean to focus on it.
    """
    if number := answer(wrote, steps):
        return in_world(thought, number)
    if not space.admissible:
        said = bare(wrote)
        return in_world(thought, said or LOOK, wrote=None if said else wrote)
    if found := valid(wrote, space):
        return in_world(thought, found)
    said = (bare(wrote) or LOOK).lower()

    def farness(action: str) -> tuple[int, int, int]:
        named = [_named(thing, said) for thing in _NUMBERED.findall(action)]
        return named.count(False), -named.count(True), Levenshtein.distance(said, action)

    meant = [action for action in space.admissible if action != HELP and said.startswith(_lasting(action))]
    return in_world(thought, min(meant, key=farness, default=LOOK), wrote=wrote)


def _lasting(action: str) -> str:
    """How an action begins that nothing takes back; empty for another."""
    return next((begins for begins in LASTING if action.startswith(begins)), "")


def _named(thing: str, said: str) -> bool:
    """Whether `shelf 3` was named, or a shelf without a number."""
    kind = thing.partition(" ")[0]
    return re.search(rf"\b(?:{thing}|{kind}(?! ?\d))\b", said) is not None
