"""Which reader a turn goes to: the act that the head hears, weighed by what the dialogue and the words' patterns "
"say."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from tools.domains import Plan
from tools.housing import intents as about
from tools.housing.answer_turn import contact_plan
from tools.housing.home_turn import again_plan, compare_plan, details_plan, history_plan, loan_plan, way_plan
from tools.housing.homes import UNKNOWN, asked_fields
from tools.housing.search_turn import search_plan
from tools.housing.talk_turn import (
    angry_plan,
    closing_plan,
    dislike_plan,
    district_plan,
    hello_plan,
    liking_plan,
    nearest,
    people_plan,
    question_plan,
    rest_plan,
    wait_plan,
)  # fmt: skip
from tools.housing.transit import place_in
from tools.housing.turn import Turn
from tools.housing.viewing_turn import cancel_plan, own_viewings_plan, viewing_plan
from tools.housing.wants import NEEDS

Reader = Callable[[Turn], Plan | None]
READERS: Mapping[str, Reader] = {
    "search": search_plan, "fact": details_plan, "compare": compare_plan, "history": history_plan, "way": way_plan,
    "loan": loan_plan, "afford": loan_plan, "district": district_plan, "people": people_plan, "viewing": viewing_plan,
    "cancel": cancel_plan, "mine": own_viewings_plan, "contact": contact_plan, "trade": question_plan,
    "chat": rest_plan, "like": liking_plan, "dislike": dislike_plan, "wait": wait_plan, "angry": angry_plan,
    "thanks": closing_plan, "bye": closing_plan, "hello": hello_plan, "yes": rest_plan, "no": rest_plan,
}  # fmt: skip
"""Act -> who reads it."""
LEAST = 0.2
"""Of the likeliest act's weight, what another must have to be tried after it."""
UNSURE = 0.12
"""Of a weight below this nothing follows that could offend."""
SHY, SURE_OF_PEOPLE = 0.22, 0.35
_BOLD = ("angry", "contact", "people", "dislike", "cancel")
_SEEKS = (
    about.LOOKING,
    about.DIRECT,
    about.MORE,
    about.CHEAPER,
    about.BIGGER,
    about.SMALLER,
    about.SIMILAR,
    about.SAME,
)
_SHOW = re.compile(
    r"\b(?:show|list) (?:me|us)\b.*\b(?:you have|you've|got|them|all|some|something|it)\b|\blet(?:'s|"
    r" me| us) see\b",
    re.I,
)
_REACHED = re.compile(
    r"\b(?:within|afford|enough|reach|possible|too (?:much|dear|expensive) for (?:me|us)|can (?:i|"
    r"we) (?:buy|get|have))\b",
    re.I,
)
_GENERAL = re.compile(
    r"\b(?:means?|usual\w*|normal\w*|general\w*|typical\w*|why|what (?:is|are) (?:an? |the )?(?:\w+ )?(?:charge|"
    r"class|rate|rating)|"
    r"explain|better|advantages?|worth|pay for|cover|include[ds]?|should (?:i|we|one))\b",
    re.I,
)
_AMONG = re.compile(r"\b(?:is there|are there|any|one of them|some)\b.*\b(?:with|without|has|have|under|below)\b", re.I)
_FOR_IT = re.compile(r"\b(?:for|of|on) (?:it|that|this|them)\b|\bmortgage|\bloan\b", re.I)
_PICK = re.compile(
    r"\b(?:first|second|third|fourth|last|earliest|latest|earlier|later)\b|\b\d{1,2}(?::\d\d| ?[ap]m)\b", re.I
)
_DISTRICT_ASKED = re.compile(
    r"\b(?:schools?|noise|noisy|quiet|loud|like|price|prices|cost|costs|expensive|cheap|go for|square met\w+|m2|area|"
    r"primary|secondary|district|stops?|median|typical|average|safe|rating)\b",
    re.I,
)
_HOMES = re.compile(
    r"\b(?:homes?|flats?|houses?|studios?|apartments?|lofts?|penthouses?|townhouses?|bedrooms?)\b", re.I
)


def read(turn: Turn) -> Plan | None:
    """The plan of the likeliest act whose reader can make one of the turn. Raises ToolFault for a home that is not."""
    if found := again_plan(turn) or needed_plan(turn):
        return found
    weights = weighed(turn)
    best = max(weights.values(), default=0.0)
    for act in sorted(weights, key=weights.__getitem__, reverse=True):
        if act == "people" and weights[act] < SURE_OF_PEOPLE and not turn.asks(about.PEOPLE):
            continue
        if (best < UNSURE and act in _BOLD) or (best < SHY and act == "like" and not turn.asks(about.LIKES)):
            continue
        if weights[act] >= LEAST * best and (found := READERS[act](replace(turn, meant=act))):
            return found
        if act == "chat" and weights[act] == best:  # a remark is no order, whatever words are in it
            return None
    return None


def needed_plan(turn: Turn) -> Plan | None:
    """A short answer to what was asked for before a search: `2`, `no preference`, `Riverside`."""
    kind, need = turn.track.open
    just = turn.desk.past[-1].deeds[-1:] if turn.desk.past else ()
    if just and just[0].tool == "viewing_slots" and len(turn.said.split()) <= 4 and turn.asks(_PICK):
        return viewing_plan(replace(turn, meant="viewing"))
    if turn.track.did[0] == "affordability" and len(turn.named) == 1 and turn.asks(_REACHED):
        return loan_plan(replace(turn, meant="afford"))
    if (
        kind != "ask"
        or need not in NEEDS
        or turn.named
        or len(turn.said.split()) > 6
        or turn.said.rstrip().endswith("?")
    ):
        return None
    told = (
        need in turn.wants.known
        or turn.asks(about.NONE)
        or re.search(
            r"\b(?:\d+|one|two|three|four|"
            r"five)\b",
            turn.said,
            re.I,
        )
    )
    return search_plan(replace(turn, meant="search")) if told else None


def weighed(turn: Turn) -> dict[str, float]:
    """Act -> what speaks for it."""
    weights = {act: p for act, p in turn.acts.items() if act in READERS}
    for act, factor in _evidence(turn):
        if act in weights:
            weights[act] *= factor
    return weights


def _evidence(turn: Turn) -> Iterator[tuple[str, float]]:
    for part in (_of_words, _of_homes, _of_wishes, _of_places, _of_money, _of_times, _of_talk):
        yield from part(turn)


_PATTERNS = (
    ("history", about.HISTORY, 3.0, 0.7), ("compare", about.COMPARE, 2.0, 0.7), ("way", about.WAY, 1.5, 0.6),
    ("loan", about.LOAN, 2.0, 0.5), ("afford", about.AFFORD, 2.0, 0.6), ("viewing", about.VIEWING, 1.6, 0.6),
    ("cancel", about.CANCEL, 2.5, 0.5), ("mine", about.OWN_VIEWINGS, 4.0, 0.7), ("contact", about.CONTACT, 2.0, 0.6),
    ("angry", about.ANGRY, 2.0, 1.0), ("wait", about.WAITS, 2.0, 0.9), ("dislike", about.DISLIKES, 2.5, 1.0),
    ("like", about.LIKES, 1.5, 1.0), ("people", about.PEOPLE, 2.0, 0.6),
)  # fmt: skip


def _of_words(turn: Turn) -> Iterator[tuple[str, float]]:
    for act, pattern, there, absent in _PATTERNS:
        yield act, there if turn.asks(pattern) else absent
    if turn.said.rstrip().endswith("?"):
        yield "angry", 1.0 if turn.asks(about.ANGRY) else 0.4
        yield from (("chat", 0.4), ("like", 0.2), ("dislike", 0.4), ("thanks", 0.3), ("wait", 0.5), ("bye", 0.4))
    elif not turn.asks(about.QUESTION):
        yield from (("trade", 0.6), ("district", 0.7))


def _of_homes(turn: Turn) -> Iterator[tuple[str, float]]:
    fields = asked_fields(turn.said)
    if len(turn.named) > 1:
        yield "compare", 0.4 if turn.asks(about.VIEWING) and not turn.asks(about.COMPARE) else 2.5
        yield "like", 0.4
    if turn.named:
        yield from (("search", 0.2), ("trade", 0.3), ("chat", 0.5), ("district", 0.5), ("people", 0.5))
        yield from (("fact", 1.5), ("like", 1.5))
        yield "afford", 0.6
    elif turn.homes:
        yield "fact", 1.3 if turn.asks(about.POINTS) or fields else 0.8
    elif len(turn.track.focus) > 1 and fields:
        yield from (("fact", 1.3), ("trade", 0.6))
    else:
        yield from (("fact", 0.3), ("like", 0.5), ("compare", 0.6 if turn.asks(about.COMPARE) else 0.2))
    if turn.homes and turn.asks(UNKNOWN) and turn.asks(about.QUESTION) and not turn.asks(about.HISTORY):
        yield from (("fact", 6.0), ("search", 0.2), ("compare", 0.5))
    if turn.homes and fields and (turn.asks(about.QUESTION) or len(turn.said.split()) < 7):
        yield from (("fact", 2.0), ("search", 0.6))
        yield from (("trade", 1.0 if turn.asks(_GENERAL) else 0.25), ("people", 0.5))
    if turn.named and fields:
        yield from (("fact", 2.5), ("like", 0.5), ("chat", 0.3))
    if "fee" in fields:
        yield from (("loan", 0.2), ("afford", 0.3))


def _of_wishes(turn: Turn) -> Iterator[tuple[str, float]]:
    kind, need = turn.track.open
    seeks = any(turn.asks(pattern) for pattern in _SEEKS)
    if kind == "ask" and need in NEEDS and (turn.wants.known or re.search(r"\d", turn.said) or turn.asks(about.NONE)):
        told = need in turn.wants.known and not turn.said.rstrip().endswith("?")
        yield from (("search", 8.0 if told else 4.0), ("district", 0.1 if told else 0.6), ("afford", 0.4))
    elif turn.wants and not turn.named:
        yield "search", 1.6 if seeks or len(turn.wants.conditions) > 1 else 1.1
    elif not seeks:
        yield "search", 0.4
    if (
        turn.asks(about.SIMILAR)
        and turn.homes
        and re.search(
            r"\b(?:something|anything|one|ones|others?|similar|"
            r"home)\b",
            turn.said,
            re.I,
        )
    ):
        yield from (("search", 6.0), ("fact", 0.4), ("angry", 0.3))
    if turn.wants and turn.track.looking and not turn.named and not turn.asks(about.QUESTION):
        yield from (("search", 2.0), ("dislike", 0.3))
    if turn.wants and turn.track.searched and not turn.named and turn.asks(_AMONG):
        yield from (("search", 5.0), ("fact", 0.3))
    if turn.asks(_SHOW) and not turn.homes:
        yield from (("search", 5.0), ("chat", 0.3))
    if turn.track.searched and (turn.asks(about.MORE) or turn.asks(about.SAME)):
        yield from (("search", 4.0), ("district", 0.3))


def _of_places(turn: Turn) -> Iterator[tuple[str, float]]:
    place = place_in(turn.said, turn.listings, turn.homes[:1])
    if place:
        yield "way", 4.0 if (turn.named or len(turn.homes) > 1) and turn.asks(about.WAY) else 2.0 if turn.homes else 1.2
    if place and len(turn.homes) > 1 and turn.asks(about.WAY):
        yield "compare", 0.4
    if turn.track.open == ("ask", "place") and place:
        yield "way", 4.0
    last, named = turn.track.did[0], turn.district
    if last == "commute" and not turn.wants and re.search(r"\b(?:chang\w+|minutes?|from|to)\b", turn.said, re.I):
        yield "way", 8.0 if re.match(r"\W*(?:and|what about|how about) (?:from|to)\b", turn.said, re.I) else 2.0
    if last == "district" and turn.asks(_DISTRICT_ASKED) and not turn.named and not turn.wants.known:
        yield from (("district", 8.0), ("compare", 0.3))
    if named and turn.track.looking and not turn.asks(about.QUESTION) and not turn.said.rstrip().endswith("?"):
        yield from (("search", 4.0), ("district", 0.3), ("way", 0.5))
    if named and re.search(r"\b(?:on average|average|median|typical\w*|usually|normally)\b", turn.said, re.I):
        yield from (("district", 6.0), ("search", 0.5), ("trade", 0.5))
    elif named and turn.asks(_DISTRICT_ASKED) and not turn.asks(_HOMES):
        yield from (("district", 3.0), ("search", 0.5 if not turn.asks(about.SAME) else 2.0))
    elif not named:
        yield "district", 1.2 if last == "district" else 0.6


def _of_money(turn: Turn) -> Iterator[tuple[str, float]]:
    last, terms = turn.track.did[0], turn.asks(about.TERMS)
    if turn.track.open == ("ask", "income") and re.search(r"\d", turn.said):
        yield "afford", 6.0
    if last in ("mortgage", "affordability") and (terms or turn.asks(about.LOAN)):
        short = len(turn.said.split()) < 8 and bool(re.search(r"%|percent|years?\b", turn.said, re.I))
        yield "loan" if last == "mortgage" else "afford", 6.0 if short else 2.5
        yield "afford" if last == "mortgage" else "loan", 1.0 if turn.named or turn.asks(_FOR_IT) else 0.2
        yield "trade", 0.4 if re.search(r"\d", turn.said) else 1.0
    if not re.search(r"\d", turn.said) and not turn.named and not turn.asks(about.QUESTION):
        yield from (("loan", 0.5), ("afford", 0.6))
    if turn.asks(about.ONCE):  # what a grandfather paid is a tale
        yield from (("loan", 0.3), ("afford", 0.3), ("chat", 1.5))


def _of_times(turn: Turn) -> Iterator[tuple[str, float]]:
    told = turn.track.did[0] in ("viewing_slots", "book_viewing")
    if turn.track.open[0] == "invite" and (turn.asks(about.VIEWING) or turn.asks(about.TIME)):
        yield from (("viewing", 4.0), ("wait", 0.5))
    if told and turn.asks(about.TIME):
        yield "viewing", 4.0
    elif not turn.asks(about.VIEWING):
        yield "viewing", 0.4
    if not turn.booked:
        yield from (("cancel", 0.4), ("mine", 0.7))


def _of_talk(turn: Turn) -> Iterator[tuple[str, float]]:
    if turn.reachable:
        yield "contact", 8.0
    if turn.desk.embed:
        near = nearest(turn)[1]
        yield (
            "trade",
            4.0 if near > 0.66 else 2.5 if near > 0.55 else 1.4 if near > 0.47 else 1.0 if near > 0.4 else 0.6,
        )
        yield "chat", 0.5 if near > 0.66 else 1.0
    if turn.asks(about.BARGAIN):
        yield from (("trade", 6.0), ("chat", 0.6))
    if turn.track.shown or turn.track.focus:
        yield "hello", 0.4
