"""A turn that answers what was asked: yes, no, or how the person can be reached."""

from __future__ import annotations

import re

from tools.desk import ToolFault
from tools.domains import Call, Plan, said
from tools.housing import intents as about
from tools.housing.contact import name_in, read_contact, ways_to_reach
from tools.housing.search_turn import search_plan
from tools.housing.times import when
from tools.housing.turn import NAME, Turn, ask
from tools.housing.viewing_turn import viewing_of
from tools.housing.viewings import KIND
from tools.ledger import agreement

_TOOLS = {KIND: "book_viewing", f"cancel {KIND}": "cancel_viewing", "contact": "leave_contact"}


def answer_plan(turn: Turn) -> Plan | None:
    """Yes or no to what waits for it, or to what the last reply offered."""
    agreed = agreement(turn.said)
    waiting = turn.ledger.waiting()
    just_asked = any(deed.asks for exchange in turn.desk.past[-1:] for deed in exchange.deeds)
    named = re.search(r"\b(?:book|cancel|store|confirm|reserve)\b", turn.said, re.I)
    if waiting and (just_asked or (named and agreed)):
        if agreed or (agreed is False and not _says_more(turn)):
            call = Call(_TOOLS[waiting.kind], f"{'yes' if agreed else 'no'} {waiting.code}", True)
            return Plan((call,), moves=() if agreed else ("refused",) if waiting.kind == KIND else ())
        if agreed is None and (turn.asks(about.WAITS) or turn.asks(about.MAYBE)):
            return Plan(reply=said(NAME, "undecided"))
    kind, what = turn.track.open
    if kind == "invite" and agreed is not None:
        if agreed:
            return viewing_of(turn, [what])
        return None if _says_more(turn) else Plan(reply=said(NAME, "no invitation"), moves=("refused",))
    if kind == "offer" and agreed is not None and not _says_more(turn):
        return _offered(turn, what, agreed)
    return None


def _says_more(turn: Turn) -> bool:
    """More than a no: another time, home or question comes with it."""
    day, hour = when(turn.said, turn.desk.now)
    return bool(day or hour or turn.named or turn.said.rstrip().endswith("?") or len(turn.said.split()) > 9)


def _offered(turn: Turn, what: str, agreed: bool) -> Plan | None:
    kind, _, key = what.partition(" ")
    if kind == "drop":
        return search_plan(turn, drop=key) if agreed else Plan(reply=said(NAME, "no loosen"))
    return ask("contact") if agreed else Plan(reply=said(NAME, "no contact"))


# -- contact details


def contact_plan(turn: Turn) -> Plan | None:
    asked = turn.track.open in (("ask", "contact"), ("ask", "name"))
    reachable = turn.asks(about.REACHABLE) and not re.search(r"\bh[-_ ]?\d", turn.said, re.I)
    if asked and agreement(turn.said) is False and not reachable:
        return Plan(reply=said(NAME, "no contact"))
    if not ((reachable and (asked or turn.asks(about.CONTACT) or "@" in turn.said)) or (asked and turn.track.told)):
        wants = turn.asks(about.CONTACT) and not re.match(r"\W*(?:do|why|what|must)\b", turn.said, re.I)
        return ask("contact") if wants else None
    whole = f"{turn.said}, {turn.track.told}"
    phone, mail = ways_to_reach(whole)
    name = name_in(turn.said, alone=asked) or _own_name(turn)
    if (phone or mail) and not name:
        return ask("name", f"told:{phone} {mail}")
    text = ", ".join(filter(None, (name, phone, mail)))
    try:
        read_contact(text)
    except ToolFault as fault:
        return Plan(reply=str(fault), moves=("ask:contact",))
    return Plan((Call("leave_contact", text, True),), moves=("told:",))


def _own_name(turn: Turn) -> str:
    """As the person introduced themselves earlier."""
    return next((name for past in reversed(turn.desk.past) if (name := name_in(past.said))), "")
