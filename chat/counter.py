"""The counter: where a conversation and the desk of a domain meet. It opens the desk's tools and reads its state."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import Any

from langchain_core.tools import BaseTool

from chat.transcript import Transcript
from minds.briefing import Briefing
from minds.dialogue import Call
from tools import open_tools
from tools.desk import Desk, Exchange
from tools.domains import DOMAINS, about, open_domain, prepare, state
from tools.ledger import Ledger, ledger_of

Tools = Mapping[str, "BaseTool"]
EARLIER = 3
"""Conversations back that a person may go on from."""


class Counters:
    """The domains of one DUET_HOME. Every method blocks: call it in a thread."""

    def __init__(self, folder: Path, transcript: Transcript, swap: Callable[[Tools], Tools] = dict) -> None:
        """`swap`: what the tools of every run are passed through; an evaluation breaks them here on purpose."""
        self._folder, self._transcript, self._swap = folder, transcript, swap
        self._given: dict[str, Path] = {}
        self._building = Lock()
        """Several threads may want a desk that has yet to be built."""

    def give(self, session: str, place: Path) -> None:
        """A desk of its own for one conversation (tools/domains.py `fresh`), in place of the one that all share."""
        self._given[session] = place

    def place(self, domain: str, session: str) -> Path:
        """The folder of the desk, built where it is missing."""
        if session in self._given:
            return self._given[session]
        with self._building:
            return prepare(domain, self._folder)

    def tools(self, domain: str, desk: Desk) -> Tools:
        """What the slow mind can act with there: everybody's tools, and the domain's."""
        opened = open_tools(desk)
        if domain:
            opened |= open_domain(domain).make(desk, self.place(domain, desk.session))
        return self._swap(opened)

    def at_desk(self, desk: Desk, said: str, turn: int, user: str = "", domain: str = "") -> Desk:
        """The desk with the person's words and all that was said and done there before.

        user: whose earlier conversations at this desk the memory is to tell of (DUMA 2.4: what was said, and what the
        slow mind found, so that it thinks only once); empty for nobody's.
        """
        replied = tuple(self._transcript.replied_before(desk.session, turn))
        found = replace(desk, said=said, turn=turn, replied=replied, past=self._past(desk.session, turn))
        sessions = self._transcript.earlier(desk.session, user, domain, EARLIER) if user else ()
        before = tuple(exchange for session in sessions for exchange in self._past(session, recorded=True))
        return replace(found, before=before, sessions=tuple(sessions))

    def briefing(self, domain: str, desk: Desk) -> Briefing:
        """What the minds are told."""
        home, place = open_domain(domain), self.place(domain, desk.session)
        asked = [(one.tool, one.code, one.said) for one in ledger_of(desk, place).waiting()]
        newest = asked[-1][:2] if asked else None
        return Briefing(about(domain), desk, home.make(desk, place), home.choices(desk, place), newest, asked)

    def context(self, domain: str, session: str, call: Call | None) -> dict[str, str]:
        """What notes of the domain depend on: the exact call, and what the database is now."""
        called = call.asked_as if call else ""
        return {"domain": domain, "call": called, **state(self.place(domain, session))}

    def forget(self, session: str) -> None:
        """What desks keep of a person goes with the conversation."""
        for place in {self._given.get(session, self._folder / domain) for domain in DOMAINS}:
            Ledger(place, session).forget()

    def _past(self, session: str, before: int = 0, *, recorded: bool = False) -> tuple[Exchange, ...]:
        """The view's turns before this one, or all; `recorded`: without those that nothing was to be kept of."""
        found: dict[int, Exchange] = {}
        for event in self._transcript.spoken(session, before):
            data: Mapping[str, Any] = event.data
            if event.kind == "turn":
                found[event.turn] = Exchange(str(data["text"]), "")
            elif event.turn not in found:
                continue
            elif recorded and data.get("off_record"):
                del found[event.turn]
            elif data.get("final"):
                found[event.turn] = replace(found[event.turn], reply=str(data["text"]), written=data.get("written", {}))
        return tuple(found.values())
