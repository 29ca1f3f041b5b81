"""A turn about one home or several: ways, prices, comparisons, loans, and what each of them has."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tools.domains import Call, Plan, said
from tools.housing import intents as about
from tools.housing.homes import UNKNOWN, asked_fields
from tools.housing.listings import home_ids
from tools.housing.terms import borrowed, debts_in, income_in, price_in, understood_terms
from tools.housing.transit import place_in
from tools.housing.turn import NAME, Turn, ask, focused
from tools.housing.wants import read_wants


def way_plan(turn: Turn) -> Plan | None:
    last = turn.track.did[0]
    goes_on = last == "commute" and re.match(r"\W*(?:and|what about|how about)\b", turn.said, re.I)
    asked = turn.track.open == ("ask", "place")
    if not (turn.is_about("way", about.WAY) or goes_on or asked):
        return None
    place = place_in(turn.said, turn.listings, turn.homes[:1])
    if not place and goes_on and turn.named and turn.track.did[1]:
        place = turn.track.did[1].partition(" to ")[2]
    if place and place.lower() in turn.track.towards.lower():  # `the hospital` again
        place = turn.track.towards
    if turn.meant and last == "commute" and turn.asks(_CHANGES):
        place = ""
    if not place and turn.meant and last == "commute" and (before := _commute_again(turn)):
        return before
    if not turn.homes and turn.meant and turn.track.did[1] and last == "commute" and place and not turn.wants:
        return Plan((Call("commute", f"{turn.track.did[1].partition(' to ')[0]} to {place}"),))
    if not turn.homes and turn.meant and not turn.wants.reaches:
        return ask("home")
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


_INCOME = re.compile(
    r"\b(?:afford\w*|earn\w*|income|salary|wages?|pension|month\w*|net|year\w*|get|getting|bring|make|take[- ]home|"
    r"paid|"
    r"save\w*|savings|deposit|borrow|lend|bank|possible|spend|price range|max\w*|reach)\b",
    re.I,
)
_CHANGES = re.compile(r"\bchang(?:e|es|ing)\b(?! my)", re.I)


def _commute_again(turn: Turn) -> Plan | None:
    """`do I have to change for that?`, `and from the other one?`: the last way, of another home where one is named."""
    origin, _, place = turn.track.did[1].partition(" to ")
    homes = turn.named[:5] or home_ids(origin) or turn.homes[:1]
    if not (homes and place):
        return None
    return Plan((Call("commute", f"{' and '.join(homes)} to {place}"),), moves=focused(turn, homes))


def history_plan(turn: Turn) -> Plan | None:
    if not turn.is_about("history", about.HISTORY):
        return None
    if not turn.homes:
        if turn.meant and turn.district:
            return Plan((Call("district", turn.district),))
        return ask("topic") if turn.meant and not turn.wants else None
    return Plan((Call("price_history", turn.homes[0]),), moves=focused(turn, turn.homes[:1]))


def compare_plan(turn: Turn) -> Plan | None:
    if not turn.is_about("compare", about.COMPARE):
        return None
    homes = turn.homes if len(turn.homes) > 1 else [*dict.fromkeys([*turn.track.focus, *turn.named])]
    homes = homes if len(homes) > 1 else [*turn.track.shown[:3]] if not turn.named else homes
    if len(homes) < 2 and turn.meant and not turn.wants and (turn.named or not turn.homes):
        return ask("pair", *focused(turn, homes))
    if len(homes) < 2:
        return None
    call = Call("compare", " and ".join(homes[:4]))
    return Plan((call,), moves=focused(turn, homes[:4]))


def loan_plan(turn: Turn) -> Plan | None:
    """What a loan costs or an income carries; terms that are said later change the last one."""
    last, asked = turn.track.did[0], turn.track.open == ("ask", "income")
    if turn.meant == "afford" and last != "affordability" and not asked and not turn.asks(_INCOME):
        return None
    afford = turn.meant == "afford" or (turn.meant != "loan" and turn.asks(about.AFFORD))
    if afford or (asked and re.search(r"\d", turn.said)):
        return _afford_plan(turn, asked=asked)
    goes_on = last in ("mortgage", "affordability") and (turn.asks(about.TERMS) or turn.asks(about.LOAN))
    goes_on = goes_on and not turn.wants.known - {"budget"}
    return _mortgage_plan(turn, goes_on=goes_on) if turn.is_about("loan", about.LOAN) or goes_on else None


def _afford_plan(turn: Turn, *, asked: bool) -> Plan:
    """`asked`: the income was asked for."""
    last, before = turn.track.did
    goes_on = last == "affordability"
    if goes_on and turn.homes and not income_in(turn.said):
        older = re.sub(r"^h-\d{4}, ", "", before, flags=re.I)
        return Plan((Call("affordability", f"{turn.homes[0]}, {older}"),), moves=focused(turn, turn.homes[:1]))
    if not re.search(r"\d", re.sub(r"\bh-\d+", "", turn.said, flags=re.I)):
        return Plan(reply=said(NAME, "ask income"), moves=("ask:income",))
    terms = understood_terms(turn.said)
    more = [*terms.values(), *filter(None, [debts_in(turn.said)])]
    if goes_on and more and not income_in(turn.said):
        return Plan((Call("affordability", f"{re.sub(r', with .*', '', before)}, {', '.join(more)}"),))
    home = f"{turn.homes[0]}, " if turn.homes and re.search(r"\b(?:it|this|that|h-)", turn.said, re.I) else ""
    lead = "income " if asked and not turn.asks(about.AFFORD) else ""
    own = understood_terms(before).get("deposit", "") if goes_on and "deposit" not in terms else ""
    text = f"{home}{lead}{turn.said}{f', {own}' if own else ''}"
    return Plan((Call("affordability", text),), moves=focused(turn, turn.homes[:1]))


def _mortgage_plan(turn: Turn, *, goes_on: bool) -> Plan | None:
    """`goes_on`: it speaks of the loan that was worked out last."""
    last, before = turn.track.did
    older = understood_terms(before) if goes_on and last == "mortgage" else {}
    homes = turn.homes if turn.named or not goes_on else home_ids(before) or turn.homes
    if not older and homes and homes[:1] == home_ids(turn.track.loan)[:1]:  # the same loan, whatever was asked between
        older = understood_terms(turn.track.loan)
    whole = " ".join({**older, **understood_terms(turn.said)}.values())
    other = not turn.named and not goes_on and price_in(turn.said)
    if homes and not other:
        return Plan((Call("mortgage", f"{homes[0]} {whole}".strip()),), moves=focused(turn, homes[:1]))
    if other or goes_on:
        text = turn.said if not goes_on or price_in(turn.said) else before
        of, kind = price_in(text), "loan of " if borrowed(text) else ""
        return Plan((Call("mortgage", f"{kind}{of} euros {whole}".strip() if of else turn.said),))
    return ask("price") if turn.said.rstrip().endswith("?") or turn.meant else None


def details_plan(turn: Turn) -> Plan | None:
    """All about a home, or what is asked of it."""
    fields = asked_fields(turn.said)
    if turn.meant and not turn.homes and len(turn.track.focus) > 1 and fields:
        return _fields_of(turn, turn.track.focus[:4], fields)
    if turn.meant and not turn.homes and not turn.wants and turn.asks(about.QUESTION):
        return ask("home")
    of_others = not turn.meant and re.search(r"\b(?:you have|any)\b", turn.said, re.I)
    if not turn.homes or len(turn.homes) > 4 or of_others:
        return None
    if "school" in fields and turn.asks(_RATED) and len(turn.homes) == 1:
        return Plan((Call("district", turn.listings.get(turn.homes[0]).district),), moves=focused(turn, turn.homes))
    points = bool(turn.meant or turn.named or turn.asks(about.POINTS))
    question = turn.meant or turn.asks(about.QUESTION) or re.match(r"\W*(?:and|what about)\b", turn.said, re.I)
    if fields and points and question and not turn.asks(about.SIMILAR):
        return _fields_of(turn, turn.homes[:4], fields)
    if not fields and turn.meant and (nothing := UNKNOWN.search(turn.said)):
        return _fields_of(turn, turn.homes[:4], [nothing[0].strip()])
    return _as_before(turn) or _whole_plan(turn, points=points)


_RATED = re.compile(r"\brat(?:ed|ings?)\b|\bgood\b|\bdecent\b|\bbest\b", re.I)


def _fields_of(turn: Turn, homes: Sequence[str], fields: Sequence[str]) -> Plan:
    call = Call("details", f"{' and '.join(homes)}: {', '.join(fields)}")
    return Plan((call,), moves=focused(turn, homes))


def _as_before(turn: Turn) -> Plan | None:
    """`and H-0007?`: what was just asked of another home."""
    last, before = turn.track.did
    goes_on = re.match(r"\W*(?:and|what about|how about)\b", turn.said, re.I)
    if not (turn.named and goes_on and last in _AGAIN[:3]):
        return None
    rest = before.split(" ", 1)[1:] if last == "mortgage" else []
    return Plan((Call(last, " ".join([turn.named[0], *rest])),), moves=focused(turn, turn.named[:1]))


def _whole_plan(turn: Turn, *, points: bool) -> Plan | None:
    if turn.asks(about.CHEAPER) or turn.asks(about.BIGGER) or turn.asks(about.SIMILAR):
        return None
    asks, likes = points and turn.asks(about.ABOUT), turn.asks(about.LIKES)
    if not (turn.meant or asks or (turn.named and not likes)):
        return None
    homes = turn.named or turn.homes
    tool, text = ("details", homes[0]) if len(homes) == 1 else ("compare", " and ".join(homes[:4]))
    return Plan((Call(tool, text),), moves=focused(turn, homes[:4]))


_AGAIN = ("mortgage", "price_history", "details", "compare", "commute", "viewing_slots")
_CORRECTED = re.compile(
    r"\b(?:i (?:mean|meant)|meant|wrong (?:one|number|home)|typo|oops|mistyped|i typed|not that one|no,? (?:sorry|"
    r"h-\d))\b|"
    r"^\W*(?:sorry|no|pardon),? (?:it is |it's |that is )?h-\d",
    re.I,
)


def again_plan(turn: Turn) -> Plan | None:
    """`I meant H-0421`: what was just done, with the home that was meant."""
    tool, text = turn.track.did
    if len(turn.named) != 1 or not turn.asks(_CORRECTED) or tool not in _AGAIN:
        return None
    if asked_fields(turn.said) or turn.asks(about.WAY) or turn.asks(about.ABOUT) or turn.asks(about.HISTORY):
        return None
    wrong = home_ids(text)
    if len(wrong) < 2:
        text = re.sub(r"\bh-\d{4}\b", turn.named[0], text, flags=re.I)
        return Plan((Call(tool, text),), moves=focused(turn, turn.named))
    known = [home for home in wrong if home != turn.named[0] and turn.listings.has(home)]
    homes = [*known[: len(wrong) - 1], turn.named[0]]
    if len(known) == len(wrong):  # nobody says which was wrong: the last one
        homes = [*wrong[:-1], turn.named[0]]
    tail = text.partition(" to ")[2]
    return Plan(
        (Call(tool, " and ".join(homes) + (f" to {tail}" if tool == "commute" else "")),), moves=focused(turn, homes)
    )
