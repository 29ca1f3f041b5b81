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
    if waiting and waiting.kind == "contact" and turn.reachable:  # another number than the one read back
        return None
    just_asked = any(deed.asks for exchange in turn.desk.past[-1:] for deed in exchange.deeds)
    named = re.search(r"\b(?:book|cancel|store|confirm|reserve)\b", turn.said, re.I)
    if waiting and (just_asked or (named and agreed)):
        if agreed or (agreed is False and not _says_more(turn)):
            call = Call(_TOOLS[waiting.kind], f"{'yes' if agreed else 'no'} {waiting.code}", True)
            return Plan((call,), moves=() if agreed else ("refused",) if waiting.kind == KIND else ())
        if agreed is None and (turn.asks(about.WAITS) or turn.asks(about.MAYBE)):
            return Plan(reply=said(NAME, "undecided"))
    kind, what = turn.track.open
    if (agreed and turn.asks(about.CLOSING)) or (turn.named and what not in turn.named):
        return None
    if kind == "invite" and agreed is not None:
        if agreed:
            likes = turn.asks(about.LIKES) and not turn.asks(about.VIEWING) and not re.match(_CLEAR, turn.said, re.I)
            return None if turn.acts and (likes or _asks_other(turn)) else viewing_of(turn, [what])
        no = turn.asks(_NO) and not _says_more(turn) and not _asks_other(turn)
        return Plan(reply=said(NAME, "no invitation"), moves=("refused",)) if no else None
    if kind == "offer" and agreed is not None and not _says_more(turn):
        return _offered(turn, what, agreed)
    if agreed and not kind and turn.track.did[0] == "viewing_slots" and len(turn.said.split()) <= 3:
        return ask("time")
    return None


def _says_more(turn: Turn) -> bool:
    """More than a no: another time, home or question comes with it."""
    day, hour = when(turn.said, turn.desk.now)
    return bool(day or hour or turn.named or turn.said.rstrip().endswith("?") or len(turn.said.split()) > 9)


_CLEAR = (
    r"\W*(?:yes|yeah|yep|sure|please|of course|gladly|certainly|absolutely|that would be|why not|"
    r"i'd (?:like|love) (?:to|that))\b"
)
_NO = re.compile(
    r"^\W*(?:(?:hm+|oh|well|um)\W+)?(?:no|nope|nah|not|never|rather not|please don't)\b|"
    r"\b(?:i'd|we'd|i would|we would) rather not\b|\b(?:i|we) (?:don't|do not) (?:want|need|think so|like to)\b",
    re.I,
)


def _asks_other(turn: Turn) -> bool:
    """The head hears a wish of another kind in it."""
    act = next(iter(turn.acts), "")
    return act in _WISHES and turn.acts[act] > 0.4


_WISHES = (
    "search",
    "fact",
    "compare",
    "history",
    "way",
    "loan",
    "afford",
    "district",
    "trade",
    "contact",
    "like",
    "people",
)


def _offered(turn: Turn, what: str, agreed: bool) -> Plan | None:
    kind, _, key = what.partition(" ")
    if kind == "drop":
        return search_plan(turn, drop=key) if agreed else Plan(reply=said(NAME, "no loosen"))
    if kind == "cancel":
        call = Call("cancel_viewing", key, True)
        return Plan((call,)) if agreed else Plan(reply=said(NAME, "stays booked"))
    return ask("contact") if agreed else Plan(reply=said(NAME, "no contact"))


# -- contact details


def contact_plan(turn: Turn) -> Plan | None:
    asked = turn.track.open in (("ask", "contact"), ("ask", "name"))
    reachable = turn.reachable
    spoken_of = asked or (turn.asks(about.CONTACT) and not turn.asks(about.ANGRY))
    if spoken_of and not reachable and agreement(turn.said) is False and len(turn.said.split()) < 12:
        return Plan(reply=said(NAME, "no contact"), moves=("refused",))
    if not (
        (reachable and turn.meant)
        or (reachable and (asked or turn.asks(about.CONTACT) or "@" in turn.said))
        or (asked and turn.track.told)
    ):
        wants = turn.is_about("contact", about.CONTACT) and not re.match(r"\W*(?:do|why|what|must)\b", turn.said, re.I)
        return ask("contact", "sore") if wants else None
    whole = f"{turn.desk.said}, {turn.track.told}"
    phone, mail = ways_to_reach(whole)
    name = name_in(turn.desk.said, alone=asked) or _waiting_name(turn) or _own_name(turn)
    if (phone or mail) and not name:
        return ask("name", f"told:{phone} {mail}")
    text = ", ".join(filter(None, (name, phone, mail)))
    try:
        read_contact(text)
    except ToolFault as fault:
        return Plan(reply=str(fault), moves=("ask:contact",))
    return Plan((Call("leave_contact", text, True),), moves=("told:", "sore"))


def _waiting_name(turn: Turn) -> str:
    """That of the contact which was read back."""
    waiting = turn.ledger.waiting()
    return str(waiting.details.get("name", "")) if waiting and waiting.kind == "contact" else ""


def _own_name(turn: Turn) -> str:
    """As the person introduced themselves earlier."""
    return next((name for past in reversed(turn.desk.past) if (name := name_in(past.said))), "")
