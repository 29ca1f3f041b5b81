"""A turn that needs no home: districts, questions of the trade, feelings, thanks, and the next thing to be asked."""

from __future__ import annotations

import re

from tools.domains import Call, Plan, answer, said
from tools.housing import intents as about
from tools.housing.listings import home_ids
from tools.housing.search_turn import still_missing
from tools.housing.turn import NAME, Turn, focused, invitation
from tools.housing.wants import read_wants
from tools.ledger import agreement

SURE = 0.62
"""Cosine from which a question of answers.txt is the one that was asked."""
SURE_OF_HOMES = 0.75
"""The same, where a home is spoken of that could be meant instead."""


_PEOPLE = re.compile(r"\b(?:people|families|foreigners|who lives|lives there|religion|neighbours|immigrants)\b", re.I)
_HOMES = re.compile(r"\b(?:you have|homes?|flats?|houses?|studios?)\b", re.I)
_EVERY = re.compile(
    r"\b(?:(?:what|which|other|all|list|the) (?:districts|areas|neighbou?rhoods|parts)|which (?:district|area|part))\b",
    re.I,
)
_AROUND = re.compile(r"\b(?:area|neighbou?rhood|district|there|surroundings)\b", re.I)


def district_plan(turn: Turn) -> Plan | None:
    """Districts are described by what can be measured; who lives there is no question for this desk."""
    if not (turn.asks(about.DISTRICT) and turn.asks(about.QUESTION)) or turn.asks(_PEOPLE):
        return None
    named = [name for name in turn.listings.districts() if re.search(rf"\b{re.escape(name)}\b", turn.said, re.I)]
    if not named and turn.asks(_EVERY):
        return Plan((Call("district", "all districts"),))
    if turn.asks(_HOMES):
        return None
    if not named and turn.homes and turn.asks(_AROUND):
        named = [turn.listings.get(turn.homes[0]).district]
    return Plan((Call("district", named[0]),)) if named else None


def question_plan(turn: Turn) -> Plan | None:
    """What people ask about the desk and the trade is answered without looking anything up."""
    if not turn.desk.embed or not (turn.asks(about.QUESTION) or turn.asks(about.SELLS)) or home_ids(turn.said):
        return None
    told, near = answer(NAME, turn.said, turn.desk.embed)
    if near < (SURE_OF_HOMES if turn.homes and turn.asks(about.POINTS) else SURE):
        return None
    again = mined(turn) if turn.track.looking else Plan()
    return Plan(reply=told, add=again.add, moves=again.moves)


def feelings_plan(turn: Turn) -> Plan | None:
    if turn.asks(about.ANGRY) and not turn.asks(about.QUESTION) and not turn.named:
        return Plan(reply=said(NAME, "sorry"), moves=("offer:callback",))
    if turn.asks(about.DISLIKES) and not turn.asks(about.QUESTION) and len(turn.said.split()) <= 8:
        return None if turn.asks(about.DIRECT) or turn.asks(about.CHEAPER) else Plan(reply=said(NAME, "disliked"))
    if turn.asks(about.WAITS) and len(turn.said.split()) < 25 and not turn.asks(about.VIEWING):
        return Plan(reply=said(NAME, "take your time"))
    return None


def liking_plan(turn: Turn) -> Plan | None:
    """Interest in a home is when an invitation is right."""
    if not turn.homes or turn.asks(about.DISLIKES) or not turn.asks(about.LIKES) or turn.said.rstrip().endswith("?"):
        return None
    if not turn.named and (read_wants(turn.said, turn.listings) or len(turn.track.focus) != 1):
        return None
    invited = invitation(turn, turn.homes[0], eager=True)
    return Plan(reply=said(NAME, "liked"), add=invited.add, moves=focused(turn, turn.homes[:1], *invited.moves))


def closing_plan(turn: Turn) -> Plan | None:
    """Thanks and goodbyes, which end no search: nothing is asked behind them."""
    if not turn.asks(about.CLOSING) or turn.asks(about.QUESTION):
        return None
    key = "goodbye" if turn.asks(about.LEAVING) else "all right" if agreement(turn.said) is False else "welcome"
    return Plan(reply=said(NAME, key), moves=("closing",))


def rest_plan(turn: Turn) -> Plan | None:
    return mined(turn) if turn.track.looking and not turn.track.searched else None


def mined(turn: Turn) -> Plan:
    """The next thing that should be known and was never asked."""
    missing = still_missing(turn, read_wants(turn.track.wish, turn.listings))
    return Plan(add=said(NAME, f"ask {missing[0]}"), moves=(f"ask:{missing[0]}",)) if missing else Plan()
