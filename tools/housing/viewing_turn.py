"""A turn about seeing a home: free times, a time that is chosen, what is booked, cancelling."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime, time

from tools.days import long
from tools.domains import Call, Plan, said
from tools.housing import intents as about
from tools.housing.listings import home_ids
from tools.housing.times import read_written, when, written
from tools.housing.turn import NAME, Turn, focused
from tools.housing.viewings import Viewings
from tools.ledger import agreement


def cancel_plan(turn: Turn) -> Plan | None:
    if not (turn.is_about("cancel", about.CANCEL) and (turn.booked or turn.asks(about.CANCEL))) or re.search(
        r"\b(?:can i|could i|may i|is it possible to) cancel .*(?:later|if|any ?time)", turn.said, re.I
    ):
        return None
    own = Viewings(turn.desk, turn.listings, turn.ledger).own()
    homes = [home for home in turn.named if any(e.details["home"] == home for e in own)]
    day, hour = when(turn.said, turn.desk.now)
    which = " ".join(homes or turn.named) or "my viewing"
    return Plan((Call("cancel_viewing", f"{which}{moment(day, hour)}", True),))


def own_viewings_plan(turn: Turn) -> Plan | None:
    return Plan((Call("my_viewings", "all"),)) if turn.is_about("mine", about.OWN_VIEWINGS) else None


def viewing_plan(turn: Turn) -> Plan | None:
    told_times = turn.track.did[0] in ("viewing_slots", "book_viewing")
    timed = any(when(turn.said, turn.desk.now))
    goes_on = told_times and (
        timed or (turn.asks(about.TIME) and len(turn.said.split()) <= 6 and not turn.asks(about.LIKES))
    )
    goes_on = goes_on or (told_times and bool(re.fullmatch(_PICKED, turn.said, re.I)))
    goes_on = goes_on or (timed and turn.track.open[0] == "invite" and not turn.asks(about.QUESTION))
    if turn.track.open == ("ask", "viewing") and (turn.named or timed):
        homes = turn.named
        return viewing_of(turn, homes) if homes else Plan(reply=said(NAME, "ask home"), moves=("ask:viewing",))
    wants = turn.is_about("viewing", about.VIEWING) and not re.search(
        r"\b(?:what happens|cost|free of charge|on sundays)\b", turn.said, re.I
    )
    if not (wants or goes_on):
        yes = told_times and not turn.track.open[0] and agreement(turn.said)
        return Plan(reply=said(NAME, "ask time")) if yes and len(turn.said.split()) <= 3 else None
    if not timed and not turn.said.rstrip().endswith("?") and turn.asks(_NO_VIEWING):
        return Plan(reply=said(NAME, "no invitation"), moves=("refused",))
    homes = turn.homes
    if goes_on and not home_ids(turn.said):  # `the first one` is a time here
        homes = home_ids(turn.track.did[1]) or homes
    if re.search(r"\b(?:move|reschedule|postpone|change)\b", turn.said, re.I) and not turn.named:
        own = Viewings(turn.desk, turn.listings, turn.ledger).own()
        homes = [entry.details["home"] for entry in own[-1:]] or homes
    if not homes:
        return Plan(reply=said(NAME, "ask home"), moves=("ask:viewing",))
    return viewing_of(turn, homes)


_PICKED = r"\W*(?:the )?(?:first|second|third|fourth|last|earliest|latest|earlier|later)(?: one)?(?:,? please)?\W*"
_NO_VIEWING = re.compile(
    r"\b(?:no|not|don't|rather not|without)\b(?: \w+){0,4} (?:viewings?|visits?|appointments?|view|visit|see)\b", re.I
)


def viewing_of(turn: Turn, homes: Sequence[str]) -> Plan:
    """A booking where a time is said that can be had, else the free times."""
    home = homes[0]
    diary = Viewings(turn.desk, turn.listings, turn.ledger)
    day, hour = when(turn.said, turn.desk.now)
    offered = _offered_times(turn, diary)
    if not offered and re.search(r"\b(?:earliest|soonest|any ?time|first (?:free|slot|time))\b", turn.said, re.I):
        offered = diary.offered(turn.listings.get(home), f"{home}{moment(day, None)}")
    if not day and re.search(r"\b(?:same|that) day\b", turn.said, re.I):
        own = [read_written(entry.details["at"]).date() for entry in diary.own()]
        day = when(turn.track.did[1], turn.desk.now)[0] or (own[-1] if own else None)
    at = _chosen(turn, [at for at in offered if not day or at.date() == day])
    if hour and not day and not at:  # the day that was spoken of
        day = when(turn.track.did[1], turn.desk.now)[0] if offered else None
    if day and hour:
        at = datetime.combine(day, hour)
    moves = focused(turn, [home])
    if at:
        return Plan((Call("book_viewing", f"{home} on {written(at)}", True),), moves=moves)
    part = re.search(r"\b(?:morning|afternoon|evening)\b", turn.said, re.I)
    asked = f"{home}{moment(day, hour)}"
    return Plan((Call("viewing_slots", f"{asked}{f' in the {part[0].lower()}' if part else ''}"),), moves=moves)


def moment(day: date | None, hour: time | None) -> str:
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
    if re.search(r"\b(?:first|earliest|earlier|soonest|any ?time|either|any of)\b", low) and offered:
        return offered[0]
    for at, word in enumerate(("second", "third", "fourth", "fifth"), 1):
        if re.search(rf"\b{word}\b", low) and at < len(offered):
            return offered[at]
    if re.search(r"\b(?:last|latest|later)\b", low) and offered:
        return offered[-1]
    return offered[0] if len(offered) == 1 and when(turn.said, turn.desk.now)[0] else None
