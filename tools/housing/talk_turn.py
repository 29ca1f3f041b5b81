"""A turn that needs no home: districts, questions of the trade, feelings, thanks, and the next thing to be asked."""

from __future__ import annotations

import re
from dataclasses import replace

from tools.domains import Call, Plan, answer, said
from tools.housing import intents as about
from tools.housing.listings import home_ids
from tools.housing.names import find
from tools.housing.search_turn import still_missing
from tools.housing.turn import NAME, Turn, ask, focused, invitation
from tools.housing.wants import read_wants
from tools.ledger import agreement

SURE = 0.62
"""Cosine from which a question of answers.txt is the one that was asked."""
LIKELY = 0.42
"""The same, where the head hears a question of the trade."""
AKIN = 0.36
"""The same, of a remark and one of smalltalk.txt: what is said to it fits many."""
SURE_OF_HOMES = 0.75
"""The same, where a home is spoken of that could be meant instead."""


_HOMES = re.compile(r"\b(?:you have|homes?|flats?|houses?|studios?)\b", re.I)
_EVERY = re.compile(
    r"\b(?:(?:what|which|other|all|list|the) (?:districts|areas|neighbou?rhoods|parts)|which (?:district|area|part))\b",
    re.I,
)
_AROUND = re.compile(r"\b(?:area|neighbou?rhood|district|there|surroundings)\b", re.I)


def district_plan(turn: Turn) -> Plan | None:
    """Districts are described by what can be measured; who lives there is no question for this desk."""
    if not turn.meant and (not (turn.asks(about.DISTRICT) and turn.asks(about.QUESTION)) or turn.asks(about.PEOPLE)):
        return None
    several = find(turn.said, turn.listings.districts())
    if len(several) > 1 and not turn.asks(_HOMES):
        return Plan((Call("district", "all districts"),))
    named = [turn.district] if turn.district else []
    if not named and turn.asks(_EVERY):
        return Plan((Call("district", "all districts"),))
    if not turn.meant and turn.asks(_HOMES):
        return None
    if not named and turn.meant and turn.track.did[0] == "district" and not turn.named:
        named = [name for name in turn.listings.districts() if name == turn.track.did[1]]
    if not named and turn.homes and turn.asks(_AROUND):
        named = [turn.listings.get(turn.homes[0]).district]
    if not named and turn.meant and not turn.homes and turn.asks(_AROUND):
        return ask("which district")
    moves = (f"did:district|{named[0]}",) if named else ()
    return Plan((Call("district", named[0]),), moves=moves) if named else None


def question_plan(turn: Turn) -> Plan | None:
    """What people ask about the desk and the trade is answered without looking anything up."""
    if not turn.desk.embed:
        return None
    if not turn.meant and (not (turn.asks(about.QUESTION) or turn.asks(about.SELLS)) or home_ids(turn.said)):
        return None
    told, near = nearest(turn)
    least = LIKELY if turn.meant else SURE_OF_HOMES if turn.homes and turn.asks(about.POINTS) else SURE
    if near < least:
        if not turn.meant or turn.acts.get("trade", 0) < 0.5:
            return None
        told = said(NAME, "not known")
    again = mined(turn) if turn.track.looking and not turn.track.searched else Plan()
    return Plan(reply=told, add=again.add or _goes_on(turn), moves=again.moves)


def nearest(turn: Turn) -> tuple[str, float]:
    """The answer of answers.txt that is nearest to the turn or to one of its sentences, and how near."""
    if not turn.desk.embed:
        return "", 0.0
    if turn.asks(about.BARGAIN):
        return answer(NAME, "Can you lower the price?", turn.desk.embed)
    if turn.asks(_MEANING) and (topic := _topic(turn)):
        return answer(NAME, topic, turn.desk.embed)
    parts = list(turn.clauses)
    if turn.track.did[0] in ("mortgage", "affordability") and len(turn.said.split()) < 9:
        parts.append(f"{turn.said} (the loan figures of the bank)")
    embed = turn.desk.embed
    return max((answer(NAME, part, embed) for part in dict.fromkeys(parts)), key=lambda found: found[1])


_MEANING = re.compile(
    r"\b(?:what (?:does|do) (?:that|this|it|they|these)(?: \w+)? mean|explain (?:that|this|it)|"
    r"how do i read (?:that|it)|"
    r"is (?:that|this|it) (?:good|bad|a lot|much|normal))\b",
    re.I,
)
_TOPICS = {
    "energy": "What does energy class mean?", "fee": "What is a service charge?", "noise": "What does decibel mean?",
    "status": "What does under offer mean?", "mortgage": "Where do your numbers come from?",
    "affordability": "Where do your numbers come from?", "price_history": "What does a price reduction mean?",
    "district": "What is a median price?", "commute": "How exact are the minutes?",
}  # fmt: skip


def _topic(turn: Turn) -> str:
    """What was told last, as a question of the trade."""
    tool, text = turn.track.did
    field = text.rpartition(": ")[2] if tool == "details" else tool
    return _TOPICS.get(field, "")


def _goes_on(turn: Turn) -> str:
    """Another question each time."""
    return said(NAME, f"go on {len(turn.desk.past) % 3}")


def people_plan(turn: Turn) -> Plan | None:
    """Who lives somewhere is not told, and nobody is steered by it."""
    return Plan(reply=said(NAME, "people"), add=_goes_on(turn))


def hello_plan(turn: Turn) -> Plan | None:
    return Plan(reply=said(NAME, "hello")) if not turn.desk.past else None


def angry_plan(turn: Turn) -> Plan | None:
    return Plan(reply=said(NAME, "sorry"), moves=("offer:callback", "sore")) if not turn.named else None


def dislike_plan(turn: Turn) -> Plan | None:
    if turn.asks(about.CHEAPER) or turn.asks(about.BIGGER) or turn.asks(about.DIRECT):
        return None
    return Plan(reply=said(NAME, "disliked"))


def wait_plan(turn: Turn) -> Plan | None:
    return Plan(reply=said(NAME, "take your time"))


def feelings_plan(turn: Turn) -> Plan | None:
    if turn.asks(about.ANGRY) and not turn.asks(about.QUESTION) and not turn.named:
        return Plan(reply=said(NAME, "sorry"), moves=("offer:callback", "sore"))
    if turn.asks(about.DISLIKES) and not turn.asks(about.QUESTION) and len(turn.said.split()) <= 8:
        return None if turn.asks(about.DIRECT) or turn.asks(about.CHEAPER) else Plan(reply=said(NAME, "disliked"))
    if turn.asks(about.WAITS) and len(turn.said.split()) < 25 and not turn.asks(about.VIEWING):
        return Plan(reply=said(NAME, "take your time"))
    return None


def liking_plan(turn: Turn) -> Plan | None:
    """Interest in a home is when an invitation is right."""
    if (
        turn.meant
        and not turn.homes
        and (turn.track.shown or turn.track.focus)
        and not turn.said.rstrip().endswith("?")
    ):
        return Plan(reply=said(NAME, "liked"), add=said(NAME, "invite one"), moves=("ask:viewing",))
    if not turn.homes or turn.asks(about.DISLIKES) or turn.said.rstrip().endswith("?"):
        return None
    if not turn.is_about("like", about.LIKES):
        return None
    if not turn.meant and not turn.named and (turn.wants or len(turn.track.focus) != 1):
        return None
    invited = invitation(turn, turn.homes[0], eager=True)
    return Plan(reply=said(NAME, "liked"), add=invited.add, moves=focused(turn, turn.homes[:1], *invited.moves))


def closing_plan(turn: Turn) -> Plan | None:
    """Thanks and goodbyes, which end no search: nothing is asked behind them."""
    if not turn.meant and (not turn.asks(about.CLOSING) or turn.asks(about.QUESTION)):
        return None
    leaving = turn.asks(about.LEAVING) or turn.meant == "bye"
    key = "goodbye" if leaving else "all right" if agreement(turn.said) is False else "welcome"
    return Plan(reply=said(NAME, key), moves=("closing",))


def rest_plan(turn: Turn) -> Plan | None:
    """A remark: the desk's own words where it has some for such a thing, else the fast mind's."""
    more = mined(turn) if turn.track.looking and not turn.track.searched else Plan()
    if turn.meant in ("chat", "wait") and turn.desk.embed:
        told, near = answer(NAME, turn.said, turn.desk.embed, "smalltalk.txt")
        if near >= AKIN:
            return replace(more, reply=told)
    return more if more.add else None


def mined(turn: Turn) -> Plan:
    """The next thing that should be known and was never asked."""
    missing = still_missing(turn, read_wants(turn.track.wish, turn.listings))
    return Plan(add=said(NAME, f"ask {missing[0]}"), moves=(f"ask:{missing[0]}",)) if missing else Plan()
