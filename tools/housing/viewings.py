"""Viewings: when a home can be seen, booking and cancelling. What changes the database is asked about before."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from tools.days import long
from tools.desk import Desk, ToolFault
from tools.housing.listings import Home, Listings, home_ids
from tools.housing.times import fits, listed, read_written, told, when, written
from tools.ledger import Entry, Findings, Ledger, Proposal, answered, asking, withdrawn
from tools.plain import clean, plain_tool

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

KIND = "viewing"
DAYS = 14
"""How far ahead viewings are arranged, from tomorrow on."""
_HOURS = (10, 11, 12, 14, 15, 16, 17, 18)
_SHOWN = 6


@dataclass(frozen=True)
class Viewings:
    """The diary of one run."""

    desk: Desk
    listings: Listings
    ledger: Ledger

    def free(self, home: Home, day: date) -> list[datetime]:
        """The times of a day at which the home can be seen and its agent has no other viewing."""
        if not 1 <= (day - self.desk.now.date()).days <= DAYS or day.weekday() == 6:
            return []
        dice = Random(f"{home.id} {day.isoformat()}")
        offered = sorted({_HOURS[int(dice.random() * len(_HOURS))] for _ in range(4)})
        taken = {(e.details["agent"], e.details["at"]) for e in self._booked()}
        times = [datetime.combine(day, time(hour)) for hour in offered]
        return [at for at in times if (home.agent, written(at)) not in taken]

    def coming(self, home: Home) -> list[datetime]:
        today = self.desk.now.date()
        return [at for ahead in range(1, DAYS + 1) for at in self.free(home, today + timedelta(ahead))]

    def offered(self, home: Home, asked: str) -> list[datetime]:
        """The times that `slots` tells of for such an input."""
        day, hour = when(asked, self.desk.now)
        free = self.free(home, day) if day else self.coming(home)
        free = [at for at in free if fits(at, asked, hour)][:_SHOWN]
        return free or self.coming(home)[:3]

    def own(self) -> list[Entry]:
        """What this person has booked and not cancelled, if it is still to come."""
        now = written(self.desk.now.replace(tzinfo=None))
        return [e for e in self.ledger.entries(KIND, ended=False) if e.details["at"] >= now]

    def _booked(self) -> tuple[Entry, ...]:
        return self.ledger.entries(KIND, everyone=True, ended=False)

    def depends(self) -> dict[str, str]:
        today = self.desk.now.date().isoformat()
        return {"listings": self.listings.version(), "changes": self.ledger.revision(), "date": today}


def make(desk: Desk, folder: Path) -> list[BaseTool]:
    diary = Viewings(desk, Listings(folder), Ledger(folder, desk.session, said=desk.said or None, before=desk.sessions))
    return [
        plain_tool("viewing_slots", "Free times to see a home. Input: H-0421 on Friday", lambda t: slots(t, diary)),
        plain_tool(
            "book_viewing",
            "Books a viewing; asks the person first. Input: H-0421 Friday 14:00, then: yes CODE",
            lambda text: book(text, diary),
        ),
        plain_tool(
            "cancel_viewing",
            "Cancels a viewing; asks the person first. Input: H-0421, then: yes CODE",
            lambda text: cancel(text, diary),
        ),
        plain_tool("my_viewings", "The viewings booked in this conversation. Input: all", lambda text: mine(diary)),
    ]


def slots(text: str, diary: Viewings) -> tuple[str, Findings]:
    """Free times of a day, or the next ones. Raises ToolFault."""
    asked = clean(text, "viewing_slots")
    home = _open(diary.listings.one(asked, "viewing_slots"))
    day, hour = when(asked, diary.desk.now)
    free = diary.free(home, day) if day else diary.coming(home)
    free = [at for at in free if fits(at, asked, hour)]
    facts: dict[str, object] = {
        f"{home.id}.slots": [written(at) for at in free[:_SHOWN]],
        f"{home.id}.agent": home.agent,
    }
    artifact: Findings = {"sources": [home.source], "depends": diary.depends(), "facts": facts}
    if not free:
        others = diary.coming(home)[:3]
        facts[f"{home.id}.slots"] = [written(at) for at in others]
        return f"{home.id} has no free time {_then(day)}; the next ones are: {listed(others)}.", artifact
    return f"{home.id} can be seen with {home.agent}: {listed(free[:_SHOWN])}.", artifact


def book(text: str, diary: Viewings) -> tuple[str, Findings]:
    """Proposes, and with the person's yes to the proposal books. Raises ToolFault."""
    asked = clean(text, "book_viewing")
    if reply := answered(diary.ledger, KIND, asked):
        proposal, agreed = reply
        return _enter(proposal, diary) if agreed else withdrawn(diary.ledger, proposal)
    home, at = _home(asked, diary), _time(asked, diary)
    own = [e for e in diary.own() if e.details["home"] == home.id]
    if at and any(e.details["at"] == written(at) for e in own):
        return f"You have this viewing already: {_name(home.id, written(at))}.", _artifact(diary, home)
    _open(home)
    if at is None:
        raise ToolFault(f"{home.id} can be seen {listed(diary.coming(home)[:4])}; which time is wanted?")
    _bookable(home, at, diary)
    details = {"home": home.id, "at": written(at), "agent": home.agent}
    waiting = [p for p in diary.ledger.proposals(KIND) if p.state == "open" and not p.own and p.details == details]
    if waiting and re.match(r"\W*(?:yes|yep|yeah|ok|okay|confirm)", asked, re.I):
        return _enter(waiting[0], diary)
    proposal = diary.ledger.propose(KIND, details, _name(home.id, written(at)))
    said, artifact = asking("book_viewing", proposal, f"Shall I book the {proposal.said}, with {home.agent}?")
    return said, {**_artifact(diary, home), **artifact}


def cancel(text: str, diary: Viewings) -> tuple[str, Findings]:
    """Proposes to cancel, and with the person's yes does. Raises ToolFault."""
    asked = clean(text, "cancel_viewing")
    kind = f"cancel {KIND}"
    if reply := answered(diary.ledger, kind, asked):
        proposal, agreed = reply
        return _end(proposal, diary) if agreed else withdrawn(diary.ledger, proposal)
    own, named = diary.own(), home_ids(asked)
    chosen = [e for e in own if e.details["home"] in named] if named else own
    at = _time(asked, diary) if len(chosen) > 1 else None
    chosen = [e for e in chosen if not at or e.details["at"] == written(at)]
    if not own:
        raise ToolFault("There is no viewing booked in this conversation, so nothing can be cancelled.")
    if len(chosen) != 1:
        known = "; ".join(_name(e.details["home"], e.details["at"]) for e in own)
        raise ToolFault(f"Say which viewing to cancel by the home's number; booked are: {known}.")
    entry = chosen[0]
    name = f"cancellation of the {_name(entry.details['home'], entry.details['at'])}"
    details = {"home": entry.details["home"], "at": entry.details["at"], "key": entry.key, "made": entry.made}
    told = f"Shall I cancel the {_name(entry.details['home'], entry.details['at'])}?"
    said, artifact = asking("cancel_viewing", diary.ledger.propose(kind, details, name), told)
    return said, {"depends": diary.depends(), **artifact}


def mine(diary: Viewings) -> tuple[str, Findings]:
    """What the person has booked and not cancelled."""
    own = diary.own()
    names = "; ".join(f"{_name(e.details['home'], e.details['at'])}, with {e.details['agent']}" for e in own)
    facts: dict[str, object] = {f"{e.details['home']}.booked": e.details["at"] for e in own}
    said = f"Booked are: {names}." if own else "No viewing is booked in this conversation."
    return said, {"depends": {**diary.depends(), "session": diary.desk.session}, "facts": facts}


def _enter(proposal: Proposal, diary: Viewings) -> tuple[str, Findings]:
    home, at = diary.listings.get(proposal.details["home"]), str(proposal.details["at"])
    key = f"{home.agent} {at}"
    if any(e.key == key and e.details["home"] == home.id for e in diary.own()):
        return f"This is booked already: {proposal.said}, with {home.agent}.", _artifact(diary, home)
    if proposal.state == "done":
        raise ToolFault(f"{proposal.code} was used already, and the viewing was cancelled since; ask for a new time.")
    _bookable(_open(home), read_written(at), diary)
    if not diary.ledger.enter(KIND, key, proposal.details, diary.desk.now.isoformat()):
        raise ToolFault(f"Somebody else was quicker: {_name(home.id, at)} is taken; choose another time.")
    diary.ledger.close(proposal, done=True)
    artifact = _artifact(diary, home)
    artifact["changes"] = [{"kind": KIND, "done": "made", "key": key, **proposal.details}]
    artifact["facts"] = {f"{home.id}.booked": at, f"{home.id}.agent": home.agent}
    return f"Booked: {proposal.said}, with {home.agent} at {home.address}.", artifact


def _end(proposal: Proposal, diary: Viewings) -> tuple[str, Findings]:
    details = proposal.details
    if not diary.ledger.end(KIND, details["key"], diary.desk.now.isoformat()):
        return f"Nothing to do: the {_name(details['home'], details['at'])} is cancelled already.", {}
    diary.ledger.close(proposal, done=True)
    change = {"kind": KIND, "done": "cancelled", "key": details["key"], "home": details["home"], "at": details["at"]}
    text = f"Cancelled: the {_name(details['home'], details['at'])}."
    return text, {"depends": diary.depends(), "changes": [change], "facts": {f"{details['home']}.booked": None}}


def _artifact(diary: Viewings, home: Home) -> Findings:
    return {"sources": [home.source], "depends": {**diary.depends(), "session": diary.desk.session}}


def _open(home: Home) -> Home:
    if home.status != "available":
        raise ToolFault(f"{home.id} is {home.status}, so it cannot be viewed; a similar home can be looked for.")
    return home


def _bookable(home: Home, at: datetime, diary: Viewings) -> None:
    """Raises ToolFault with the times that can be had instead."""
    now = diary.desk.now.replace(tzinfo=None)
    if at <= now:
        raise ToolFault(f"{told(at)} is past; viewings are arranged from tomorrow on.")
    if other := next((e for e in diary.own() if e.details["at"] == written(at)), None):
        raise ToolFault(f"The person has a viewing of {other.details['home']} at that time; choose another time.")
    if at not in diary.free(home, at.date()):
        instead = diary.free(home, at.date()) or diary.coming(home)[:3]
        raise ToolFault(f"{home.id} cannot be seen on {told(at)}; free are: {listed(instead)}.")


def _time(text: str, diary: Viewings) -> datetime | None:
    """A whole time; `the first free one` is one as well, and an hour alone where only one day has it free."""
    day, hour = when(text, diary.desk.now)
    if day and hour:
        return datetime.combine(day, hour)
    if re.search(r"\b(?:first|earliest|soonest|any(?:time| time)|next (?:free|available|possible))\b", text, re.I):
        free = diary.coming(_home(text, diary))
        free = [at for at in free if (not day or at.date() == day) and fits(at, text, hour)]
        return free[0] if free else None
    if day:
        free = [at for at in diary.free(_home(text, diary), day) if fits(at, text, hour)]
        return free[0] if len(free) == 1 else None
    return None


def _home(text: str, diary: Viewings) -> Home:
    """The home named, or that of the proposal that waits."""
    if named := diary.listings.named(text, 1):
        return named[0]
    waiting = {p.details["home"] for p in diary.ledger.proposals(KIND) if p.state == "open"}
    return diary.listings.get(waiting.pop()) if len(waiting) == 1 else diary.listings.one(text, "book_viewing")


def _name(home: str, at: str) -> str:
    return f"viewing of {home} on {told(read_written(at))}"


def _then(day: date | None) -> str:
    return f"on {long(day)}" if day else f"in the next {DAYS} days"
