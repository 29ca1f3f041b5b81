"""A turn about one home or several: ways, prices, comparisons, loans, and what each of them has."""

from __future__ import annotations

import re

from tools.domains import Call, Plan, said
from tools.housing import intents as about
from tools.housing.homes import asked_fields
from tools.housing.listings import home_ids
from tools.housing.loans import price_in, understood_terms
from tools.housing.transit import place_in
from tools.housing.turn import NAME, Turn, focused
from tools.housing.wants import read_wants


def way_plan(turn: Turn) -> Plan | None:
    goes_on = turn.track.did[0] == "commute" and re.match(r"\W*(?:and|what about|how about)\b", turn.said, re.I)
    asked = turn.track.open == ("ask", "place")
    if not (turn.asks(about.WAY) or goes_on or asked):
        return None
    place = place_in(turn.said, turn.listings, turn.homes[:1])
    if not place and goes_on and turn.named and turn.track.did[1]:
        place = turn.track.did[1].partition(" to ")[2]
    if not turn.homes:
        return (
            Plan(reply=said(NAME, "ask home"), moves=("ask:home",))
            if place and not read_wants(turn.said, turn.listings).reaches
            else None
        )
    if not place:
        far = re.search(r"\b(?:to|from|commute|work|office|get)\b", turn.said, re.I)
        if not far or asked_fields(turn.said):
            return None
        wanted = re.search(
            r"\bto (?!get\b|work\b|know\b|the office\b)(?:the |my )?([a-z][\w' -]{2,40})", turn.said, re.I
        )
        if wanted and not asked:
            return Plan(
                (Call("commute", f"{' '.join(turn.homes[:4])} to {wanted[1].strip()}"),),
                moves=focused(turn, turn.homes),
            )
        return Plan(reply=said(NAME, "ask place"), moves=focused(turn, turn.homes, "ask:place"))
    call = Call("commute", f"{' and '.join(turn.homes[:5])} to {place}")
    return Plan((call,), moves=focused(turn, turn.homes[:5]))


def history_plan(turn: Turn) -> Plan | None:
    if not turn.asks(about.HISTORY) or not turn.homes:
        return None
    return Plan((Call("price_history", turn.homes[0]),), moves=focused(turn, turn.homes[:1]))


def compare_plan(turn: Turn) -> Plan | None:
    if not turn.asks(about.COMPARE):
        return None
    homes = turn.homes if len(turn.homes) > 1 else [*dict.fromkeys([*turn.track.focus, *turn.named])]
    homes = homes if len(homes) > 1 else [*turn.track.shown[:3]] if not turn.named else homes
    if len(homes) < 2:
        return None
    call = Call("compare", " and ".join(homes[:4]))
    return Plan((call,), moves=focused(turn, homes[:4]))


def loan_plan(turn: Turn) -> Plan | None:
    """What a loan costs or an income carries; terms that are said later change the last one."""
    last, before = turn.track.did
    asked = turn.track.open == ("ask", "income")
    if turn.asks(about.AFFORD) or (asked and re.search(r"\d", turn.said)):
        if not re.search(r"\d", turn.said):
            return Plan(reply=said(NAME, "ask income"), moves=("ask:income",))
        home = f"{turn.homes[0]}, " if turn.homes and re.search(r"\b(?:it|this|that|h-)", turn.said, re.I) else ""
        lead = "income " if asked and not turn.asks(about.AFFORD) else ""
        return Plan((Call("affordability", f"{home}{lead}{turn.said}"),), moves=focused(turn, turn.homes[:1]))
    goes_on = last in ("mortgage", "affordability") and turn.asks(about.TERMS)
    goes_on = goes_on and not read_wants(turn.said, turn.listings).known
    if not (turn.asks(about.LOAN) or goes_on):
        return None
    terms = understood_terms(turn.said)
    older = understood_terms(before) if goes_on and last == "mortgage" else {}
    whole = " ".join({**older, **terms}.values())
    homes = turn.homes if turn.named or not goes_on else home_ids(before) or turn.homes
    other = not turn.named and not goes_on and price_in(turn.said)
    if homes and not other:
        return Plan((Call("mortgage", f"{homes[0]} {whole}".strip()),), moves=focused(turn, homes[:1]))
    if other or goes_on:
        of = price_in(before if goes_on else turn.said)
        return Plan((Call("mortgage", f"{of} euros {whole}".strip() if of else turn.said),))
    return Plan(reply=said(NAME, "ask price"), moves=("ask:price",)) if turn.said.rstrip().endswith("?") else None


def details_plan(turn: Turn) -> Plan | None:
    """All about a home, or what is asked of it."""
    if not turn.homes or len(turn.homes) > 4 or re.search(r"\b(?:you have|any)\b", turn.said, re.I):
        return None
    fields = asked_fields(turn.said)
    points = bool(turn.named) or turn.asks(about.POINTS)
    question = turn.asks(about.QUESTION) or re.match(r"\W*(?:and|what about)\b", turn.said, re.I)
    if fields and points and question and not turn.asks(about.SIMILAR):
        homes = turn.homes[:4] if len(turn.homes) > 1 else turn.homes
        return Plan((Call("details", f"{' and '.join(homes)}: {', '.join(fields)}"),), moves=focused(turn, homes))
    last = turn.track.did[0]
    if turn.named and re.match(r"\W*(?:and|what about|how about)\b", turn.said, re.I) and last in _AGAIN:
        rest = turn.track.did[1].split(" ", 1)[1:] if last == "mortgage" else []
        return Plan((Call(last, " ".join([turn.named[0], *rest])),), moves=focused(turn, turn.named[:1]))
    if turn.asks(about.CHEAPER) or turn.asks(about.BIGGER) or turn.asks(about.SIMILAR):
        return None
    if (points and turn.asks(about.ABOUT)) or (turn.named and not turn.asks(about.LIKES)):
        if turn.asks(about.LIKES) and not turn.asks(about.ABOUT):
            return None
        homes = turn.named or turn.homes
        tool, text = ("details", homes[0]) if len(homes) == 1 else ("compare", " and ".join(homes[:4]))
        return Plan((Call(tool, text),), moves=focused(turn, homes[:4]))
    return None


_AGAIN = ("mortgage", "price_history", "details")
