"""What a person says about the wheel of a text world: who holds it, back a step, and what was done and why.

Only clear cases count; everything else is an action, a question about the world, or ordinary talk.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Kind = Literal["take", "give", "undo", "tried", "why", "leave", "look", "carry", "goal", "score", "options", "back"]


@dataclass(frozen=True)
class Word:
    """One such word. `about`: what "why" asks about, or which task to go back to; `count`: steps to undo."""

    kind: Kind
    about: str = ""
    count: int = 1


_LEAD = (
    r"^(?:(?:please|ok(?:ay)?|hey|no|wait|and|oh|now|actually|then|so|alright|right|well|could you|can you|would you"
    r"|thanks|thank you)[,.!]*\s+)*"
)
_END = (
    r"(?:[,\s]+(?:please|now|again|then|too|also|as well|once more|one more time|thanks|thank you|from here"
    r"|for (?:a (?:moment|bit|while)|now|me)))*[\s.!?]*$"
)
_IT = r"(?: (?:it|this|that|the rest|the task|the job))?"
_SO_FAR = r"(?: (?:so far|already|until now|here|yet|up to now))*"
_WORLD = r"(?:world|task|game|episode|lab|simulation|simulator|scienceworld|alfworld)"
_WORDS: dict[Kind, tuple[str, ...]] = {
    "take": (
        r"let me(?: (?:do|try|drive|take|have|handle|play|go|continue)\b.{0,40})?",
        r"i(?:'ll| will| want to|'d like to) (?:do (?:it|this|that|the (?:next|rest)\b.{0,20})|drive|take over)",
        r"i(?:'ll| will| want to|'d like to) (?:take (?:it from here|the wheel)|(?:try|handle|drive)"
        + _IT
        + r")(?: myself)?",
        r"my turn|i take (?:over|the wheel)",
        r"(?:give|hand) (?:me )?(?:over )?(?:the )?(?:wheel|control)(?: (?:back|over))?(?: to me)?",
    ),
    "give": (
        r"go on|go ahead|continue|carry on|keep going|proceed|resume|play on|your turn|over to you",
        r"(?:you )?take (?:over|the wheel|it from here)|you have the wheel",
        r"you (?:do|finish|try|drive)" + _IT,
        r"(?:finish|do|solve|complete) (?:it|this|the (?:task|job|rest))(?: (?:off|yourself|for me))?",
    ),
    "undo": (
        r"undo" + _IT,
        r"undo (?:the |my |your )?(?:last )?(?:_N_ |couple of )?(?:steps?|actions?|moves?|one)",
        r"undo (?:one|another)(?: more)?(?: (?:step|action|move))?",
        r"undo (?:the|that) (?:one|step|action|move) before(?: (?:that|it|this))?",
        r"(?:one|another)(?: more)? (?:step|move) back|one further back",
        r"take (?:that|it) back|revert (?:that|it)|back up a (?:step|move)",
        r"(?:go|step|take me) back(?: _N_)?(?: (?:steps?|moves?))?",
    ),
    "tried": (
        r"what (?:have|did) (?:you|we|i) (?:tried|try|done|do|already tried)" + _SO_FAR,
        r"(?:show|list|tell) (?:me )?(?:the |your |all )?(?:steps|actions|moves|history)(?: so far| taken)*|history",
        r"(?:show|tell) me what (?:you|we) (?:did|have done|tried)" + _SO_FAR,
    ),
    "leave": (
        r"(?:leave|close|quit|exit|end|stop|abandon|give up(?: on)?|drop) (?:the |this |that )?" + _WORLD,
        r"(?:stop|quit) playing|i(?:'m| am) done (?:here|with (?:this|the " + _WORLD + r"))|quit|exit|stop",
        r"let'?s (?:stop|quit|leave)(?: (?:here|this|the " + _WORLD + r"))?",
    ),
    "look": (
        r"look(?: around)?|what (?:do|can) (?:i|you|we) see(?: (?:here|around|now|there))?",
        r"where (?:am i|are we|are you)|describe (?:the (?:room|place)|where (?:we are|i am))",
        r"what(?:'s| is) (?:here|around(?: me)?|in (?:here|this room|the room))",
    ),
    "carry": (
        r"inventory|what (?:am i|are you|are we) (?:carrying|holding)|what do (?:i|you|we) (?:have|carry|hold)",
        r"what(?:'s| is) in (?:my|your) (?:inventory|hands?|bag|pockets?)",
    ),
    "goal": (
        r"what(?:'s| is| was) (?:the|my|our|your) (?:goal|task|job|mission|aim)|(?:remind me of )?the (?:goal|task)",
        r"what (?:am i|are we) (?:supposed|meant) to do|what do i have to do",
    ),
    "score": (
        r"what(?:'s| is) (?:the|my|our|your) score|score|how (?:are we|am i|are you) doing",
        r"how many (?:steps|points)(?: (?:so far|(?:have|did) (?:i|we|you) (?:taken?|made?|got|done)))*",
        r"(?:did|have) (?:i|we|you) (?:win|won|finish(?:ed)?|do it|done it|make it|made it)",
        r"is (?:it|the task) (?:done|finished|won|solved)",
    ),
    "options": (
        r"what (?:can|could) (?:i|you|we) (?:do|try)(?: (?:here|now|next))*|what(?:'s| is) possible(?: here| now)?",
        r"(?:show |list )?(?:the )?(?:possible |admissible )?actions|options|what are (?:my|the) options|help",
    ),
}
_NUMBERS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_COUNT = re.compile(r"\b(\d+|" + "|".join(_NUMBERS) + r"|couple)\b")
_N = r"(?:\d+|an?(?: couple of)?|" + "|".join(_NUMBERS) + ")"
_ALL = {
    kind: re.compile(_LEAD + f"(?:{'|'.join(patterns)})".replace("_N_", _N) + _END, re.IGNORECASE)
    for kind, patterns in _WORDS.items()
}
_WHY = re.compile(_LEAD + r"why (?:did|have|are|were|do|would) (?:you|we)\b(?P<about>.+?)[\s?.!]*$", re.IGNORECASE)
_BACK = re.compile(
    _LEAD + r"(?:(?:let's )?(?:go|switch|get|return|come) (?:back )?to|reopen|back to|resume|continue(?: with)?)"
    r" (?:the |task |episode |world |my )*"
    r"(?P<about>first|second|third|last|other|previous|earlier|\d+|scienceworld|alfworld|lab|house)"
    r"(?: (?:one|task|episode|world|game))*" + _END,
    re.IGNORECASE,
)


def hear(said: str) -> Word | None:
    """The word, or None where it is none."""
    text = " ".join(said.replace("’", "'").split())
    if len(text) > 160:
        return None
    if found := _WHY.match(text) or _BACK.match(text):
        return Word("why" if found.re is _WHY else "back", found["about"].strip())
    kind = next((kind for kind, pattern in _ALL.items() if pattern.match(text)), None)
    return Word(kind, count=_number(text) if kind == "undo" else 1) if kind else None


def _number(text: str) -> int:
    found = _COUNT.search(text.lower())
    if not found:
        return 1
    return 2 if found[1] == "couple" else int(found[1]) if found[1].isdigit() else _NUMBERS[found[1]]
