"""Reads a turn in its dialogue: what it asks of which home, put so that a tool can take it as it stands.

A small model cannot do this; it chooses among what was read. Readers are tried in order, the surest first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time
from functools import cached_property
from pathlib import Path

from tools.days import long
from tools.desk import Deed, Desk, ToolFault
from tools.domains import Call, Plan, answer, said
from tools.housing import intents as about
from tools.housing.contact import name_in, read_contact, ways_to_reach
from tools.housing.homes import asked_fields
from tools.housing.listings import Listings, home_ids
from tools.housing.loans import price_in, understood_terms
from tools.housing.pointing import pointed
from tools.housing.search_turn import search_plan, still_missing
from tools.housing.times import when, written
from tools.housing.track import Track, track
from tools.housing.transit import place_in
from tools.housing.viewings import KIND, Viewings
from tools.housing.wants import read_wants
from tools.ledger import Ledger, agreement

NAME = "housing"
SURE = 0.62
"""Cosine from which a question of answers.txt is the one that was asked."""
SURE_OF_HOMES = 0.75
"""The same, where a home is spoken of that could be meant instead."""
_TOOLS = {KIND: "book_viewing", f"cancel {KIND}": "cancel_viewing", "contact": "leave_contact"}


@dataclass(frozen=True)
class Turn:
    """What the readers look at."""

    desk: Desk
    folder: Path
    track: Track

    @property
    def said(self) -> str:
        return self.desk.said.replace("’", "'")

    @cached_property
    def listings(self) -> Listings:
        return Listings(self.folder)

    @cached_property
    def named(self) -> list[str]:
        """The homes that the words themselves point at."""
        return self._pointed(False)

    @cached_property
    def homes(self) -> list[str]:
        """The homes meant, `it` included."""
        return self._pointed(True)

    @cached_property
    def ledger(self) -> Ledger:
        return Ledger(self.folder, self.desk.session)

    def asks(self, pattern: re.Pattern[str]) -> bool:
        return bool(pattern.search(self.said))

    def _pointed(self, it: bool) -> list[str]:
        return pointed(self.said, self.track.shown, self.track.focus, self.listings, it=it)


def plan(desk: Desk, folder: Path) -> Plan:
    """What the turn wants. Changes nothing."""
    turn = Turn(desk, folder, track(desk.past))
    try:
        return next((found for reader in _READERS if (found := reader(turn))), Plan())
    except ToolFault as fault:  # a home that does not exist
        return Plan(reply=str(fault))


def _focused(turn: Turn, homes: Sequence[str], *more: str) -> tuple[str, ...]:
    return (f"focus:{','.join(homes)}", *more) if homes else more


# -- answers to what was asked


def _answers(turn: Turn) -> Plan | None:
    """Yes or no to what waits for it, or to what the last reply offered."""
    agreed = agreement(turn.said)
    waiting = turn.ledger.waiting()
    just_asked = any(deed.asks for exchange in turn.desk.past[-1:] for deed in exchange.deeds)
    named = re.search(r"\b(?:book|cancel|store|confirm|reserve)\b", turn.said, re.I)
    if waiting and (just_asked or (named and agreed)):
        if agreed or (agreed is False and not _says_more(turn)):
            call = Call(_TOOLS[waiting.kind], f"{'yes' if agreed else 'no'} {waiting.code}", True)
            return Plan((call,), moves=() if agreed else ("refused",) if waiting.kind == KIND else ())
        if agreed is None and turn.asks(about.WAITS):
            return Plan(reply=said(NAME, "undecided"))
    kind, what = turn.track.open
    if kind == "invite" and agreed is not None:
        if agreed:
            return _viewing_of(turn, [what])
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
    return _ask("contact") if agreed else Plan(reply=said(NAME, "no contact"))


def _ask(what: str, *moves: str, **values: str) -> Plan:
    return Plan(reply=said(NAME, f"ask {what}", **values), moves=(*moves, f"ask:{what}"))


# -- contact details


def _contact(turn: Turn) -> Plan | None:
    asked = turn.track.open in (("ask", "contact"), ("ask", "name"))
    reachable = turn.asks(about.REACHABLE) and not re.search(r"\bh[-_ ]?\d", turn.said, re.I)
    if asked and agreement(turn.said) is False and not reachable:
        return Plan(reply=said(NAME, "no contact"))
    if not (reachable and (asked or turn.asks(about.CONTACT) or "@" in turn.said) or (asked and turn.track.told)):
        wants = turn.asks(about.CONTACT) and not re.match(r"\W*(?:do|why|what|must)\b", turn.said, re.I)
        return _ask("contact") if wants else None
    whole = f"{turn.said}, {turn.track.told}"
    phone, mail = ways_to_reach(whole)
    name = name_in(turn.said, alone=asked) or _own_name(turn)
    if (phone or mail) and not name:
        return _ask("name", f"told:{phone} {mail}")
    text = ", ".join(filter(None, (name, phone, mail)))
    try:
        read_contact(text)
    except ToolFault as fault:
        return Plan(reply=str(fault), moves=("ask:contact",))
    return Plan((Call("leave_contact", text, True),), moves=("told:",))


def _own_name(turn: Turn) -> str:
    """As the person introduced themselves earlier."""
    return next((name for past in reversed(turn.desk.past) if (name := name_in(past.said))), "")


# -- viewings


def _cancel(turn: Turn) -> Plan | None:
    if not turn.asks(about.CANCEL) or re.search(
        r"\b(?:can i|could i|may i|is it possible to) cancel .*(?:later|if|any ?time)", turn.said, re.I
    ):
        return None
    own = Viewings(turn.desk, turn.listings, turn.ledger).own()
    homes = [home for home in turn.named if any(e.details["home"] == home for e in own)]
    day, hour = when(turn.said, turn.desk.now)
    which = " ".join(homes) or "my viewing"
    return Plan((Call("cancel_viewing", f"{which}{_moment(day, hour)}", True),))


def _own_viewings(turn: Turn) -> Plan | None:
    return Plan((Call("my_viewings", "all"),)) if turn.asks(about.OWN_VIEWINGS) else None


def _viewing(turn: Turn) -> Plan | None:
    told_times = turn.track.did[0] in ("viewing_slots", "book_viewing")
    timed = any(when(turn.said, turn.desk.now))
    goes_on = told_times and (
        timed or (turn.asks(about.TIME) and len(turn.said.split()) <= 6 and not turn.asks(about.LIKES))
    )
    goes_on = goes_on or (timed and turn.track.open[0] == "invite" and not turn.asks(about.QUESTION))
    if turn.track.open == ("ask", "viewing") and (turn.named or timed):
        homes = turn.named
        return _viewing_of(turn, homes) if homes else Plan(reply=said(NAME, "ask home"), moves=("ask:viewing",))
    wants = turn.asks(about.VIEWING) and not re.search(
        r"\b(?:what happens|cost|free of charge|on sundays)\b", turn.said, re.I
    )
    if not (wants or goes_on):
        return None
    homes = turn.homes
    if goes_on and not home_ids(turn.said):  # `the first one` is a time here
        homes = home_ids(turn.track.did[1]) or homes
    if re.search(r"\b(?:move|reschedule|postpone|change)\b", turn.said, re.I) and not turn.named:
        own = Viewings(turn.desk, turn.listings, turn.ledger).own()
        homes = [entry.details["home"] for entry in own[-1:]] or homes
    if not homes:
        return Plan(reply=said(NAME, "ask home"), moves=("ask:viewing",))
    return _viewing_of(turn, homes)


def _viewing_of(turn: Turn, homes: Sequence[str]) -> Plan:
    """A booking where a time is said that can be had, else the free times."""
    home = homes[0]
    diary = Viewings(turn.desk, turn.listings, turn.ledger)
    day, hour = when(turn.said, turn.desk.now)
    offered = _offered_times(turn, diary)
    at = _chosen(turn, [at for at in offered if not day or at.date() == day])
    if hour and not day and not at:  # the day that was spoken of
        day = when(turn.track.did[1], turn.desk.now)[0] if offered else None
    if day and hour:
        at = datetime.combine(day, hour)
    moves = _focused(turn, [home])
    if at:
        return Plan((Call("book_viewing", f"{home} on {written(at)}", True),), moves=moves)
    part = re.search(r"\b(?:morning|afternoon|evening)\b", turn.said, re.I)
    asked = f"{home}{_moment(day, hour)}"
    return Plan((Call("viewing_slots", f"{asked}{f' in the {part[0].lower()}' if part else ''}"),), moves=moves)


def _moment(day: date | None, hour: time | None) -> str:
    return f"{f' on {long(day)}' if day else ''}{f' at {hour:%H:%M}' if hour else ''}"


def _offered_times(turn: Turn, diary: Viewings) -> list[datetime]:
    """The times of the last reply that named some."""
    tool, asked = turn.track.did
    if tool not in ("viewing_slots", "book_viewing"):
        return []
    homes = home_ids(asked)
    return diary.offered(turn.listings.get(homes[0]), asked) if homes else []


def _chosen(turn: Turn, offered: list[datetime]) -> datetime | None:
    """`the second one`, `at 14:00`, `the earliest`, `Tuesday` where it has one time."""
    _, hour = when(turn.said, turn.desk.now)
    low = turn.said.lower()
    if hour:
        return next((at for at in offered if at.time() == hour), None)
    if re.search(r"\b(?:first|earliest|soonest|any ?time|either|any of)\b", low) and offered:
        return offered[0]
    for at, word in enumerate(("second", "third", "fourth", "fifth"), 1):
        if re.search(rf"\b{word}\b", low) and at < len(offered):
            return offered[at]
    if re.search(r"\b(?:last|latest)\b", low) and offered:
        return offered[-1]
    return offered[0] if len(offered) == 1 and when(turn.said, turn.desk.now)[0] else None


# -- one home, or several


def _way(turn: Turn) -> Plan | None:
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
                moves=_focused(turn, turn.homes),
            )
        return Plan(reply=said(NAME, "ask place"), moves=_focused(turn, turn.homes, "ask:place"))
    call = Call("commute", f"{' and '.join(turn.homes[:5])} to {place}")
    return Plan((call,), moves=_focused(turn, turn.homes[:5]))


def _history(turn: Turn) -> Plan | None:
    if not turn.asks(about.HISTORY) or not turn.homes:
        return None
    return Plan((Call("price_history", turn.homes[0]),), moves=_focused(turn, turn.homes[:1]))


def _compare(turn: Turn) -> Plan | None:
    if not turn.asks(about.COMPARE):
        return None
    homes = turn.homes if len(turn.homes) > 1 else [*dict.fromkeys([*turn.track.focus, *turn.named])]
    homes = homes if len(homes) > 1 else [*turn.track.shown[:3]] if not turn.named else homes
    if len(homes) < 2:
        return None
    call = Call("compare", " and ".join(homes[:4]))
    return Plan((call,), moves=_focused(turn, homes[:4]))


def _loan(turn: Turn) -> Plan | None:
    """What a loan costs or an income carries; terms that are said later change the last one."""
    last, before = turn.track.did
    asked = turn.track.open == ("ask", "income")
    if turn.asks(about.AFFORD) or (asked and re.search(r"\d", turn.said)):
        if not re.search(r"\d", turn.said):
            return Plan(reply=said(NAME, "ask income"), moves=("ask:income",))
        home = f"{turn.homes[0]}, " if turn.homes and re.search(r"\b(?:it|this|that|h-)", turn.said, re.I) else ""
        lead = "income " if asked and not turn.asks(about.AFFORD) else ""
        return Plan((Call("affordability", f"{home}{lead}{turn.said}"),), moves=_focused(turn, turn.homes[:1]))
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
        return Plan((Call("mortgage", f"{homes[0]} {whole}".strip()),), moves=_focused(turn, homes[:1]))
    if other or goes_on:
        of = price_in(before if goes_on else turn.said)
        return Plan((Call("mortgage", f"{of} euros {whole}".strip() if of else turn.said),))
    return Plan(reply=said(NAME, "ask price"), moves=("ask:price",)) if turn.said.rstrip().endswith("?") else None


def _details(turn: Turn) -> Plan | None:
    """All about a home, or what is asked of it."""
    if not turn.homes or len(turn.homes) > 4 or re.search(r"\b(?:you have|any)\b", turn.said, re.I):
        return None
    fields = asked_fields(turn.said)
    points = bool(turn.named) or turn.asks(about.POINTS)
    question = turn.asks(about.QUESTION) or re.match(r"\W*(?:and|what about)\b", turn.said, re.I)
    if fields and points and question and not turn.asks(about.SIMILAR):
        homes = turn.homes[:4] if len(turn.homes) > 1 else turn.homes
        return Plan((Call("details", f"{' and '.join(homes)}: {', '.join(fields)}"),), moves=_focused(turn, homes))
    last = turn.track.did[0]
    if turn.named and re.match(r"\W*(?:and|what about|how about)\b", turn.said, re.I) and last in _AGAIN:
        rest = turn.track.did[1].split(" ", 1)[1:] if last == "mortgage" else []
        return Plan((Call(last, " ".join([turn.named[0], *rest])),), moves=_focused(turn, turn.named[:1]))
    if turn.asks(about.CHEAPER) or turn.asks(about.BIGGER) or turn.asks(about.SIMILAR):
        return None
    if (points and turn.asks(about.ABOUT)) or (turn.named and not turn.asks(about.LIKES)):
        if turn.asks(about.LIKES) and not turn.asks(about.ABOUT):
            return None
        homes = turn.named or turn.homes
        tool, text = ("details", homes[0]) if len(homes) == 1 else ("compare", " and ".join(homes[:4]))
        return Plan((Call(tool, text),), moves=_focused(turn, homes[:4]))
    return None


_AGAIN = ("mortgage", "price_history", "details")


# -- everything else


def _district(turn: Turn) -> Plan | None:
    districts = turn.listings.districts()
    named = [name for name in districts if re.search(rf"\b{re.escape(name)}\b", turn.said, re.I)]
    if (
        not turn.asks(about.DISTRICT)
        or not turn.asks(about.QUESTION)
        or re.search(
            r"\b(?:you have|homes?|flats?|houses?|people|families|foreigners|who lives|lives there|religion|neighbours)\b",
            turn.said,
            re.I,
        )
    ):
        return None
    if not named and re.search(
        r"\b(?:districts|areas|neighbou?rhoods|parts of|which (?:district|area|part))\b", turn.said, re.I
    ):
        return Plan((Call("district", "all districts"),))
    if (
        not named
        and turn.homes
        and re.search(r"\b(?:area|neighbou?rhood|district|there|surroundings)\b", turn.said, re.I)
    ):
        named = [turn.listings.get(turn.homes[0]).district]
    return Plan((Call("district", named[0]),)) if named else None


def _question(turn: Turn) -> Plan | None:
    """What people ask about the desk and the trade is answered without looking anything up."""
    if not turn.desk.embed or not (turn.asks(about.QUESTION) or turn.asks(about.SELLS)) or home_ids(turn.said):
        return None
    told, near = answer(NAME, turn.said, turn.desk.embed)
    if near < (SURE_OF_HOMES if turn.homes and turn.asks(about.POINTS) else SURE):
        return None
    again = _mined(turn) if turn.track.looking else Plan()
    return Plan(reply=told, add=again.add, moves=again.moves)


def _feelings(turn: Turn) -> Plan | None:
    if turn.asks(about.ANGRY) and not turn.asks(about.QUESTION) and not turn.named:
        return Plan(reply=said(NAME, "sorry"), moves=("offer:callback",))
    if turn.asks(about.WAITS) and len(turn.said.split()) < 25 and not turn.asks(about.VIEWING):
        return Plan(reply=said(NAME, "take your time"))
    return None


def _liking(turn: Turn) -> Plan | None:
    """Interest in a home is when an invitation is right."""
    if not turn.homes or turn.asks(about.DISLIKES) or not turn.asks(about.LIKES) or turn.said.rstrip().endswith("?"):
        return None
    if not turn.named and (read_wants(turn.said, turn.listings) or len(turn.track.focus) != 1):
        return None
    invited = _invitation(turn, turn.homes[0])
    return Plan(add=invited.add, moves=_focused(turn, turn.homes[:1], *invited.moves))


def _closing(turn: Turn) -> Plan | None:
    """Thanks and goodbyes are the fast mind's own."""
    return Plan(moves=("closing",)) if turn.asks(about.CLOSING) and not turn.asks(about.QUESTION) else None


def _rest(turn: Turn) -> Plan | None:
    return _mined(turn) if turn.track.looking and not turn.track.searched else None


def _mined(turn: Turn) -> Plan:
    """The next thing that should be known and was never asked."""
    missing = still_missing(turn, read_wants(turn.track.wish, turn.listings))
    return Plan(add=said(NAME, f"ask {missing[0]}"), moves=(f"ask:{missing[0]}",)) if missing else Plan()


_READERS: tuple[Callable[[Turn], Plan | None], ...] = (
    _answers, _contact, _cancel, _own_viewings, _viewing, _feelings, _way, _compare, _history, _loan, _details,
    _district, _question, search_plan, _liking, _closing, _rest,
)  # fmt: skip


# -- behind a result


def afterwards(desk: Desk, folder: Path, deeds: Sequence[Deed]) -> Plan:
    """What was found is kept in the moves; then the next question, or an invitation where interest was shown."""
    if not deeds:
        return Plan()
    deed = deeds[-1]
    turn = Turn(desk, folder, track(desk.past))
    did = f"did:{deed.tool}|{deed.input}"
    if deed.failed:
        return Plan(moves=(did,) if deed.tool in ("viewing_slots", "book_viewing") else ())
    if deed.tool == "search":
        found = _after_search(turn, deed)
    elif deed.tool == "commute" and len(home_ids(deed.input)) > 1:
        minutes = {name[:6]: value for name, value in deed.facts.items() if ".minutes." in name}
        found = Plan(moves=(f"focus:{min(minutes, key=minutes.__getitem__)}",)) if minutes else Plan()
    elif deed.tool in ("details", "commute", "mortgage", "price_history"):
        homes = home_ids(deed.input)
        found = _invitation(turn, homes[0]) if len(homes) == 1 else Plan()
    elif deed.tool == "viewing_slots":
        found = Plan(add=said(NAME, "ask time"))
    else:
        found = Plan()
    return replace(found, moves=(did, *found.moves))


def _after_search(turn: Turn, deed: Deed) -> Plan:
    from tools.housing.search import blocking, search

    shown = deed.facts.get("search.shown")
    if shown is None:  # an answer from memory
        shown = search(deed.input, turn.listings)[1]["facts"]["search.shown"]
    if not shown:
        moves: tuple[str, ...] = (
            (f"wish:{turn.track.wish}",) if turn.asks(about.CHEAPER) or turn.asks(about.BIGGER) else ("searched",)
        )
        loose = blocking(deed.input, turn.listings)
        add = said(NAME, "ask loosen", wish=loose) if loose else ""
        return Plan(add=add, moves=(*moves, *((f"offer:drop {loose}",) if loose else ())))
    moves = ("searched", f"shown:{','.join(shown)}", f"focus:{shown[0] if len(shown) == 1 else ''}")
    if missing := still_missing(turn, read_wants(deed.input, turn.listings)):
        return Plan(add=said(NAME, f"ask {missing[0]}"), moves=(*moves, f"ask:{missing[0]}"))
    return (
        Plan(add=said(NAME, "ask which"), moves=(*moves, "ask:which"))
        if "which" not in turn.track.asked
        else Plan(moves=moves)
    )


def _invitation(turn: Turn, home: str) -> Plan:
    """Once for a home, not twice in a row, never after a no, and not where a viewing is arranged already."""
    known = turn.track
    just_now = known.open[0] == "invite"
    if known.refused or home in known.invited or just_now or turn.listings.get(home).status != "available":
        return Plan()
    if any(entry.details["home"] == home for entry in turn.ledger.entries(KIND, ended=False)):
        return Plan()
    return Plan(add=said(NAME, "invite", home=home), moves=(f"invite:{home}",))
