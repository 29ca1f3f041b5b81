"""A person who comes back: what earlier conversations came to, where this one goes on from there.

The earlier ones are told by the memory (Desk.before); without it there are none. A new conversation is a new one until
the person goes back to an older: "the flat from yesterday", "what was the payment again?". Then what is known of old
fills what this conversation does not know itself; questions, offers and refusals of that time are over.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from tools.desk import Desk
from tools.domains import Plan
from tools.housing.listings import Listings, home_ids
from tools.housing.track import Track, track
from tools.housing.wants import read_wants

TAKEN_UP = "back"
"""The move of a turn that went back: the conversation knows the older ones from then on."""
_HOME = r"(?:one|flat|house|home|studio|loft|townhouse|penthouse|apartment|place)"
BACK = re.compile(
    r"\b(?:last (?:time|week|month|night|(?:mon|tues|wednes|thurs|fri|satur|sun)day)|yesterday|"
    r"(?:the )?other (?:day|night|evening|morning)|"
    r"(?:a|a few|a couple of|some|two|three|four) (?:days?|weeks?|while) ago|"
    r"earlier (?:today|this week)|this morning|(?:we|i) (?:last )?(?:spoke|talked|chatted|wrote|met)|"
    r"(?:i|we) (?:was|were) (?:just )?here|"
    r"(?:last|previous|earlier|former|old) (?:chat|conversation|visit|list|search|talk))\b",
    re.I,
)
"""Says outright that an older conversation is meant."""
_AGAIN = re.compile(
    r"\b(?:again|still|once more|back|remember|remind|forgot(?:ten)?|as before|same|anything new|any news|"
    r"lost (?:my|the) (?:notes?|list|number|link|page)|"
    r"you (?:\w+ ){0,2}(?:said|told|showed|found|gave|sent|worked out|mentioned|quoted|named|calculated|looked up)|"
    r"did you (?:\w+ ){0,2}(?:say|tell|show|find|give|work out|mention|quote|name|calculate|look up)|"
    r"(?:i|we) (?:\w+ )?(?:liked|saw|asked|wanted|told|gave|left|looked|compared|had|booked|was|were)|"
    r"was|were|had been|after all|instead|changed? (?:my|our) mind)\b",
    re.I,
)
"""Goes back to something, which is an older conversation where this one has nothing."""
_SAME = re.compile(
    r"\b(?:again|same|as before|after all|instead|also|anything new|any news|"
    r"my (?:old )?(?:search|list|wish(?:es)?))\b",
    re.I,
)
"""A wish that is put to the old one."""
_POINTS = re.compile(rf"\b(?:that {_HOME}|from there|both|them|those|the (?:\w+ )?(?:{_HOME}|two|list))\b", re.I)
_GREETING = 3
"""Words that a greeting has at most."""
_IT = re.compile(r"\b(?:it|its|it's)\b", re.I)


def known(desk: Desk, folder: Path) -> Track:
    """What the dialogue has come to, the older ones included where it goes back to them."""
    own = track(desk.past)
    if not desk.before or not goes_back(desk, folder, own):
        return own
    old = replace(
        track(desk.before), searched=False, refused=False, sore=False, open=("", ""), told="",
        asked=frozenset(), invited=(),
    )  # fmt: skip
    first, second = (old, own) if BACK.search(desk.said) else (own, old)
    wish = first.wish or second.wish
    if not own.wish and read_wants(desk.said, Listings(folder)) and not _SAME.search(desk.said):
        wish = ""  # a new wish does not begin with what was left of an old one
    spoken = first if first.shown or first.focus else second
    return replace(
        own,
        wish=wish,
        shown=first.shown or second.shown,
        focus=spoken.focus,
        among=spoken.among or first.among,
        did=first.did if first.did[0] else second.did,
        towards=first.towards or second.towards,
        loan=first.loan or second.loan,
    )


def goes_back(desk: Desk, folder: Path, own: Track) -> bool:
    """Whether the turn, or one before it, is about an older conversation: in doubt a wish is a new one."""
    if BACK.search(desk.said) or any(TAKEN_UP in exchange.moves for exchange in desk.past):
        return True
    if own.shown or own.focus or own.wish or own.did[0] or home_ids(desk.said):
        return False
    asks = desk.said.rstrip().endswith("?")
    if read_wants(desk.said, Listings(folder)):
        return bool(_SAME.search(desk.said) or (asks and _AGAIN.search(desk.said)))
    *ahead, last = re.split(r"(?<=[.!?])\s+", desk.said.strip())
    named = any(len(sentence.split()) > _GREETING for sentence in ahead)  # what `it` is may have just been said
    return bool(_AGAIN.search(desk.said) or _POINTS.search(desk.said) or (asks and not named and _IT.search(last)))


def taken_up(plan: Plan, desk: Desk, folder: Path) -> Plan:
    """The plan with the move of a turn that goes back. A greeting alone takes up nothing."""
    if not desk.before or not (plan.calls or plan.moves) or not goes_back(desk, folder, track(desk.past)):
        return plan
    return replace(plan, moves=(TAKEN_UP, *plan.moves))
