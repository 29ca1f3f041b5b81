"""What people change: viewings booked and cancelled, contact details left. All is asked about before.

A time is written as in the ledger, `2026-11-24 14:00`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from tools.desk import Desk, ToolFault
from tools.housing.listings import Home, HomeName, Listings
from tools.ledger import CONTACT, Entry, Findings, Ledger, Proposal, Proposed, to_end

VIEWING = "viewing"
DAYS = 14
"""How far ahead viewings are arranged, from tomorrow on."""
HOURS = (10, 11, 12, 14, 15, 16, 17, 18)
_SHOWN = 6
_PARTS = {"morning": range(12), "afternoon": range(12, 17), "evening": range(17, 24)}


def _dated(day: object) -> object:
    """`Tuesday, 24 November 2026, 2026-11-24` as its date."""
    return day.rpartition(" ")[2] or None if isinstance(day, str) else day


Day = Annotated[date | None, BeforeValidator(_dated), Field(description="2026-11-24")]
Time = Annotated[str, Field(pattern=r"^([01]?\d|2[0-3]):[0-5]\d$", description="14:00")]
Part = Literal["morning", "afternoon", "evening"]
Name = Annotated[str, Field(max_length=60)]
Phone = Annotated[str, Field(max_length=40)]
Email = Annotated[str, Field(max_length=100)]
_MAIL = re.compile(r"[\w.+'-]+@[\w-]+(?:\.[\w-]+)+")


@dataclass(frozen=True)
class Diary:
    """The viewings as one run sees them."""

    desk: Desk
    listings: Listings
    ledger: Ledger

    def slots(self, home: HomeName, day: Day = None, part: Part | None = None) -> tuple[str, Findings]:
        """Free times of a day, or the next ones. Raises ToolFault."""
        seen = self._open(home)
        free = [at for at in self._free(seen, day) if part is None or int(at[11:13]) in _PARTS[part]][:_SHOWN]
        shown = free or (self._free(seen, day) or self._free(seen))[:3]
        found = self._found({f"{seen.id}.slots": shown, f"{seen.id}.agent": seen.agent}, seen)
        if not free:
            when = f"{f' in the {part}' if part else ''} {f'on {long(day)}' if day else f'in the next {DAYS} days'}"
            if day and (day not in ahead(self.desk) or day.weekday() == 6):
                when += f" (viewings are from tomorrow on, up to {DAYS} days ahead, never on Sundays)"
            return f"{seen.id} has no free time{when}; the next ones are: {listed(shown)}.", found
        return f"{seen.id} can be seen with {seen.agent}: {listed(shown)}. Which of these suits you?", found

    def wanted(self, home: HomeName = "", day: Day = None, time: Time | None = None) -> Proposed:
        """A viewing to be asked about. Raises ToolFault with what is missing, or the times that can be had."""
        if not home:
            raise ToolFault("Which home would you like to see? Please name it by its number.")
        seen, hour = self._open(home), f"{time or '':0>5}"
        free = self._free(seen, day) or self._free(seen)
        fitting = [at for at in free if at.startswith(f"{day or ''}") and (not time or at[11:] == hour)]
        if any(e.details["home"] == seen.id and e.details["at"] == f"{day} {hour}" for e in self._own()):
            raise ToolFault(f"You have this viewing of {seen.id} already.")
        if not day or len(fitting) != 1:
            raise ToolFault(f"{seen.id} can be seen {listed((fitting or free)[:4])}; which of these times suits you?")
        self._unless_busy(seen, fitting[0])
        name = _name(seen.id, fitting[0])
        details = {"home": seen.id, "at": fitting[0], "agent": seen.agent}
        return details, name, f"Shall I book the {name}, with {seen.agent}?"

    def book(self, proposal: Proposal) -> tuple[str, Findings]:
        """Raises ToolFault where the time was taken meanwhile."""
        seen, at = self._open(proposal.details["home"]), str(proposal.details["at"])
        if proposal.details not in [entry.details for entry in self._own()]:
            self._unless_busy(seen, at)
        said, made = self.ledger.make(proposal, VIEWING, f"{seen.agent} {at}", self.desk.now, "Booked")
        found = self._found({f"{seen.id}.booked": at, f"{seen.id}.agent": seen.agent}, seen, mine=True)
        return f"{said.rstrip('.')}, with {seen.agent} at {seen.address}.", {**made, **found}

    def unwanted(self, home: HomeName = "", day: Day = None) -> Proposed:
        """A viewing to be cancelled. Raises ToolFault where it is not plain which."""
        own, of = self._own(), self.listings.get(home).id if home else ""
        chosen = [e for e in own if of in ("", e.details["home"])]
        chosen = [e for e in chosen if day and e.details["at"].startswith(day.isoformat())] or chosen
        return to_end(VIEWING, own, chosen, _name_of)

    def cancel(self, proposal: Proposal) -> tuple[str, Findings]:
        """Once. Raises ToolFault where it was booked anew since."""
        said, ended = self.ledger.take_back(proposal, VIEWING, self.desk.now)
        return said, {**ended, **self._found({f"{proposal.details['home']}.booked": None})}

    def mine(self) -> tuple[str, Findings]:
        """What the person has booked and not cancelled."""
        own = self._own()
        named = "; ".join(f"{_name_of(e)}, with {e.details['agent']}" for e in own)
        said = f"Booked are: {named}." if own else "No viewing is booked in this conversation."
        return said, self._found({f"{e.details['home']}.booked": e.details["at"] for e in own}, mine=True)

    def _free(self, home: Home, day: date | None = None) -> list[str]:
        """The times at which the home can be seen and its agent has no other viewing; of a day, or of all."""
        days = [on for on in ahead(self.desk) if on.weekday() != 6 and day in (None, on)]
        booked = self.ledger.entries(VIEWING, everyone=True, ended=False)
        taken = {(e.details["agent"], e.details["at"]) for e in booked}
        times = [f"{on} {hour}:00" for on in days for hour in _offered(home, on)]
        return [at for at in times if (home.agent, at) not in taken]

    def _own(self) -> list[Entry]:
        """What this person has booked and not cancelled, if it is still to come; the next first."""
        own, now = self.ledger.entries(VIEWING, ended=False), f"{self.desk.now:%Y-%m-%d %H:%M}"
        return sorted((e for e in own if e.details["at"] >= now), key=lambda e: str(e.details["at"]))

    def _open(self, name: str) -> Home:
        home = self.listings.get(name)
        if home.status != "available":
            raise ToolFault(f"{home.id} is {home.status}, so it cannot be viewed; a similar home can be looked for.")
        return home

    def _unless_busy(self, home: Home, at: str) -> None:
        """Raises ToolFault where the person or the agent is busy then."""
        if other := next((e for e in self._own() if e.details["at"] == at), None):
            raise ToolFault(f"You have a viewing of {other.details['home']} at that time; choose another time.")
        if at not in self._free(home):
            raise ToolFault(f"{home.id} cannot be seen on {listed([at])}; free are: {listed(self._free(home)[:3])}.")

    def _found(self, facts: Mapping[str, Any], *homes: Home, mine: bool = False) -> Findings:
        """A tool's artifact; `mine`: it holds for this person alone."""
        found = self.listings.found(homes, facts)
        found["depends"] |= {"changes": self.ledger.revision(), "date": self.desk.now.date().isoformat()}
        found["depends"] |= {"session": self.desk.session} if mine else {}
        return found


# -- contact details, left voluntarily


def contact(name: Name = "", phone: Phone = "", email: Email = "") -> Proposed:
    """A name with at least one way to reach the person. Raises ToolFault with what is missing or wrong."""
    abroad = phone.lstrip(" (").startswith(("+", "00"))
    number = re.sub(r"[\s()/.–-]", "", phone.replace("(0)", "") if abroad else phone)
    if email and not _MAIL.fullmatch(email.strip()):
        raise ToolFault("The email address is not complete; ask the person to say it again, like ann@example.org.")
    if phone and not re.fullmatch(r"\+?[0-9]{7,15}", number):
        raise ToolFault(f"{phone} is no whole phone number: it needs 7 to 15 digits, no words; ask the person again.")
    if not email and not phone:
        raise ToolFault("May I have a phone number or an email address? It is used for nothing else.")
    if not name.strip():
        raise ToolFault("Thank you. What name may I put with it?")
    details = {"name": " ".join(name.split()), "phone": number, "email": email.strip()}
    ways = ", ".join([details["name"], *(f"{way} {details[way]}" for way in ("phone", "email") if details[way])])
    return details, f"contact details: {ways}", f"Shall I store {ways}, so that an agent can get in touch?"


def store(desk: Desk, ledger: Ledger, proposal: Proposal) -> tuple[str, Findings]:
    """Once."""
    said, stored = ledger.make(proposal, CONTACT, f"{ledger.session} {proposal.code}", desk.now, "Stored")
    return f"{said} An agent will get in touch.", stored


def ahead(desk: Desk) -> list[date]:
    """The days for which viewings are arranged."""
    return [desk.now.date() + timedelta(number) for number in range(1, DAYS + 1)]


def _offered(home: Home, day: date) -> list[int]:
    """Hours, the same for the same home and day."""
    dice = Random(f"{home.id} {day.isoformat()}")
    return sorted({HOURS[int(dice.random() * len(HOURS))] for _ in range(4)})


def _name(home: str, at: str) -> str:
    return f"viewing of {home} on {listed([at])}"


def _name_of(entry: Entry) -> str:
    return _name(entry.details["home"], entry.details["at"])


def long(day: date) -> str:
    """`Tuesday, 24 November 2026`"""
    return f"{day:%A}, {day.day} {day:%B} {day.year}"


def listed(times: Iterable[str]) -> str:
    """`Tuesday, 24 November 2026 at 10:00 or 14:00; ...`"""
    days: dict[str, list[str]] = {}
    for at in times:
        days.setdefault(at[:10], []).append(at[11:])
    told = (f"{long(date.fromisoformat(day))} at {' or '.join(hours)}" for day, hours in days.items())
    return "; ".join(told) or "at no time"
