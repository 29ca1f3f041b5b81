"""A domain's ledger: what people changed, and what they were asked about before it was changed.

Nothing is changed unasked. A tool first proposes; the person is asked; their yes, in a later turn, carries it out.
Whether they said yes is for the model to hear. That the question stood in the conversation when the person said the
turn which confirms it is checked here, so no model can skip the asking: neither a turn that confirms what it proposed
itself, nor one that was said before the question, nor one behind a question that was taken back.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from langchain_core.tools import BaseTool
from pydantic import BaseModel, Field

from storage.engine import afresh, transaction, writer
from storage.schema import MIGRATIONS, Json, Schema
from tools.desk import Artifact, Desk, ToolFault
from tools.typed import model_of, typed_tool

CHANGES = "changes.sqlite"
CONTACT = "contact"
"""The kind of an entry that says who a person is: it goes with its conversation."""
_tables = sa.MetaData()
_entries = sa.Table(
    "entries", _tables,
    sa.Column("id", sa.Integer, primary_key=True),
    *(sa.Column(name, sa.Text, nullable=False) for name in ("session", "kind", "key")),
    sa.Column("details", Json, nullable=False),
    sa.Column("made", sa.Text, nullable=False),
    sa.Column("ended", sa.Text),
)  # fmt: skip
_LASTS = _entries.c.ended.is_(None)
sa.Index("one_each", _entries.c.kind, _entries.c.key, unique=True, sqlite_where=_LASTS)
_proposals = sa.Table(
    "proposals", _tables,
    *(sa.Column(name, sa.Text, primary_key=True) for name in ("session", "code")),
    *(sa.Column(name, sa.Text, nullable=False) for name in ("run", "kind")),
    sa.Column("details", Json, nullable=False),
    *(sa.Column(name, sa.Text, nullable=False) for name in ("said", "state")),
)  # fmt: skip
_AND = ", "
"""Between the runs that asked the same."""
_OLDEST_FIRST: sa.ColumnElement[int] = sa.literal_column("proposals.rowid")
LEDGER = Schema(_tables, MIGRATIONS / "ledger")
_LETTERS = "ABCDEFGHJKLMNPQRTUVWXY346789"


class Findings(Artifact, total=False):
    """A domain tool's artifact: what an evaluation can hold a reply against."""

    facts: dict[str, Any]
    """What the text asserts, by name: {"H-0421.price": 245000}."""
    changes: list[dict[str, Any]]
    """What was changed in the database: [{"kind": "viewing", "key": "H-0421 2026-11-24 14:00", "done": "made"}]."""
    asks: str
    """The code of the proposal that the person must answer before anything is changed."""


@dataclass(frozen=True)
class Entry:
    """One thing that a person had done."""

    session: str
    kind: str
    """`viewing`, `contact`, `reservation`"""
    key: str
    """What can be had once at a time."""
    details: Mapping[str, Any]
    made: str
    ended: str | None
    """When it was cancelled."""


@dataclass(frozen=True)
class Proposal:
    """What the person is asked about."""

    code: str
    """Four signs, the same for the same proposal."""
    tool: str
    """The tool that made it and carries it out."""
    details: Mapping[str, Any]
    said: str
    """`viewing of H-0421 on Tuesday, 24 November 2026 at 14:00`"""
    unheard: bool = False
    """The person cannot have answered it in this turn: they said it without this question before them."""
    state: str = "open"
    """`open`, `done`"""
    runs: tuple[str, ...] = ()
    """Which asked it, the newest last; see `Ledger`."""


@dataclass(frozen=True)
class Ledger:
    """The changes in one folder, as one session in one turn sees them. Every method opens the file for itself."""

    folder: Path
    session: str
    run: str = field(default_factory=lambda: secrets.token_hex(6))
    """Whose proposals are its own; see `ledger_of`."""
    before: tuple[str, ...] = ()
    """Earlier sessions known to be of the same person: what was entered there can be told of and ended here."""
    heard: tuple[str, ...] | None = None
    """The runs whose questions the person may answer in this one; None for all others."""

    @contextmanager
    def opened(self) -> Iterator[sa.Connection]:
        """One transaction; what fails leaves no trace."""
        path = self.folder / CHANGES
        with _engine(path).connect() as db:
            LEDGER.settle(db, path)
            with transaction(db):
                yield db

    def entries(self, kind: str = "", *, everyone: bool = False, ended: bool = True) -> tuple[Entry, ...]:
        """Oldest first; of this person unless of everyone."""
        if not (self.folder / CHANGES).is_file():
            return ()
        with self.opened() as file:
            rows = file.execute(sa.select(_entries).order_by(_entries.c.id)).all()
        found = (Entry(r.session, r.kind, r.key, r.details, r.made, r.ended) for r in rows)
        return tuple(
            e
            for e in found
            if (everyone or e.session in (self.session, *self.before))
            and kind in ("", e.kind)
            and (ended or e.ended is None)
        )

    def revision(self) -> str:
        """Another one after every change, also where as many entries were forgotten as made."""
        entries = self.entries(everyone=True)
        newest = max((entry.made for entry in entries), default="")
        return f"{len(entries)}-{sum(e.ended is not None for e in entries)} {newest}".rstrip()

    def propose(self, kind: str, details: Mapping[str, Any], said: str) -> Proposal:
        """Changes nothing but what is waiting for an answer."""
        written = json.dumps(details, sort_keys=True)
        number = int.from_bytes(sha256(f"{kind} {written}".encode()).digest()[:8], "big")
        code = "".join(_LETTERS[number // len(_LETTERS) ** place % len(_LETTERS)] for place in range(4))
        # What this turn asks takes the place of what is over. What it may answer stays beside ("the first, yes, but
        # the second at noon"), also where it is asked anew: then it is of both turns, and as new as this one's.
        open_ = [one for one in self.proposals(kind) if one.state == "open"]
        stay = {one.code: one.runs for one in open_ if not one.unheard or self.run in one.runs}
        runs = dict.fromkeys((*self._heard(stay.pop(code, ())), self.run))
        row = {"session": self.session, "code": code, "run": _AND.join(runs), "kind": kind, "details": details}
        with self.opened() as file:
            over = sa.and_(_proposals.c.kind == kind, _proposals.c.state == "open", _proposals.c.code.not_in(stay))
            own = _proposals.c.session == self.session
            file.execute(sa.delete(_proposals).where(own, sa.or_(over, _proposals.c.code == code)))
            file.execute(sa.insert(_proposals).values(**row, said=said, state="open"))
        return Proposal(code, kind, details, said, unheard=True)

    def proposals(self, kind: str = "") -> list[Proposal]:
        """Of this session, the newest last; without those that a tool asked before its newest run that was heard."""
        query = sa.select(_proposals).where(_proposals.c.session == self.session).order_by(_OLDEST_FIRST)
        with self.opened() as file:
            rows = [(row, tuple(row.run.split(_AND))) for row in file.execute(query)]
        newest = {r.kind: heard[-1] for r, runs in rows if r.state == "open" and (heard := self._heard(runs))}
        found = (
            Proposal(r.code, r.kind, r.details, r.said, not self._heard(runs), r.state, runs)
            for r, runs in rows
            if kind in ("", r.kind)
        )
        return [one for one in found if one.state != "open" or one.unheard or newest[one.tool] in one.runs]

    def waiting(self) -> list[Proposal]:
        """What this turn may answer, the newest last."""
        return [one for one in self.proposals() if one.state == "open" and not one.unheard]

    def _heard(self, runs: Sequence[str]) -> list[str]:
        return [run for run in runs if (run != self.run if self.heard is None else run in self.heard)]

    def close(self, proposal: Proposal, *, done: bool) -> None:
        """A refused proposal is forgotten with all that it held; one that was carried out is known by its code. What
        it had taken the place of does not wait again."""
        lasting = {proposal.code, *(one.code for one in self.proposals(proposal.tool))}
        own = _proposals.c.session == self.session
        this = (own, _proposals.c.code == proposal.code)
        with self.opened() as file:
            over = (own, _proposals.c.kind == proposal.tool, _proposals.c.code.not_in(lasting))
            file.execute(sa.delete(_proposals).where(*over))
            file.execute(
                sa.update(_proposals).where(*this).values(state="done") if done else sa.delete(_proposals).where(*this)
            )

    def enter(self, kind: str, key: str, details: Mapping[str, Any], made: str) -> bool:
        """False where somebody has the same already."""
        row = {"session": self.session, "kind": kind, "key": key, "details": details, "made": made}
        with self.opened() as file:
            return file.execute(sa.insert(_entries).prefix_with("OR IGNORE"), row).rowcount == 1

    def make(self, proposal: Proposal, kind: str, key: str, when: datetime, done: str) -> tuple[str, Findings]:
        """Enters what the person agreed to, once; `done` says it (`Booked`). Raises ToolFault where somebody else has
        it, or where it was entered before and is over since."""
        kept: Findings = {"depends": {"session": self.session}}
        if any(entry.key == key for entry in self.entries(kind, ended=False)):
            return f"{done} already: {proposal.said}.", kept
        if proposal.state == "done":
            raise ToolFault(f"{proposal.code} was used already, and the {proposal.said} is over since; ask anew.")
        if not self.enter(kind, key, proposal.details, when.isoformat()):
            raise ToolFault(f"Somebody else was quicker: there is no {proposal.said} any more; choose another.")
        self.close(proposal, done=True)
        change = {"kind": kind, "done": "made", "key": key, **proposal.details}
        return f"{done}: {proposal.said}.", {**kept, "changes": [change]}

    def take_back(self, proposal: Proposal, kind: str, when: datetime) -> tuple[str, Findings]:
        """Ends what `to_end` asked about, once. Raises ToolFault where it was made anew since."""
        what, key = proposal.said.removeprefix("cancellation of "), str(proposal.details["key"])
        if proposal.state == "done" and any(entry.key == key for entry in self.entries(kind, ended=False)):
            raise ToolFault(f"{proposal.code} was used already, and there is {what} anew since; ask again.")
        if not self.end(kind, key, proposal.details["made"], when.isoformat()):
            return f"Nothing to do: {what} is cancelled already.", {}
        self.close(proposal, done=True)
        change = {"kind": kind, "done": "cancelled", **proposal.details}
        return f"Cancelled: {what}.", {"depends": {"session": self.session}, "changes": [change]}

    def forget(self) -> None:
        """What this session kept of a person: how to reach them, and what they were asked. Bookings stand."""
        if (self.folder / CHANGES).is_file():
            with self.opened() as file:
                file.execute(sa.delete(_proposals).where(_proposals.c.session == self.session))
                file.execute(sa.delete(_entries).where(_entries.c.session == self.session, _entries.c.kind == CONTACT))

    def end(self, kind: str, key: str, made: str, when: str) -> bool:
        """False where this person has no such thing (any more), or one that was made at another time."""
        own = (self.session, *self.before)
        this = (_entries.c.kind == kind, _entries.c.key == key, _entries.c.made == made, _LASTS)
        with self.opened() as file:
            mine = sa.update(_entries).where(_entries.c.session.in_(own), *this)
            return file.execute(mine.values(ended=when)).rowcount == 1

    def expire(self, kind: str, before: str, when: str) -> None:
        """Whoever entered it before that time."""
        if any(entry.made < before for entry in self.entries(kind, everyone=True, ended=False)):
            with self.opened() as file:
                this = (_entries.c.kind == kind, _entries.c.made < before, _LASTS)
                file.execute(sa.update(_entries).where(*this).values(ended=when))


def ledger_of(desk: Desk, folder: Path, before: tuple[str, ...] = ()) -> Ledger:
    """As the desk's turn sees it: what goes on after a crash has not been answered either. Without a turn each ledger
    is a run."""
    if not desk.turn:
        return Ledger(folder, desk.session, before=before)
    run, *heard = (f"turn {number}" for number in (desk.turn, *desk.replied))
    return Ledger(folder, desk.session, run, before, tuple(heard))


@lru_cache(maxsize=64)
def _engine(path: Path) -> sa.Engine:
    """Holds no file: one is opened for each transaction."""
    return afresh(writer(path, timeout=20))


Proposed = tuple[Mapping[str, Any], str, str]
"""What is to be kept of a proposal, what it is called, and the question."""


def to_end(kind: str, own: Sequence[Entry], meant: Sequence[Entry], named: Callable[[Entry], str]) -> Proposed:
    """The cancellation of the one of a person's entries that is meant. Raises ToolFault where it is not plain which."""
    if not own:
        raise ToolFault(f"There is no {kind} of yours, so nothing can be cancelled.")
    if len(meant) != 1:
        raise ToolFault(f"Which {kind} shall I cancel? There are: {'; '.join(map(named, own))}.")
    details = {**meant[0].details, "key": meant[0].key, "made": meant[0].made}
    return details, f"cancellation of the {named(meant[0])}", f"Shall I cancel the {named(meant[0])}?"


class Consent(BaseModel):
    """What every tool takes that changes something: first the rest, and in a later turn the person's answer."""

    confirm: str = Field(
        "", description="Only once the person answered what this tool had you ask: the code it gave; nothing else then"
    )
    agreed: bool = Field(True, description="With the code: true after a clear yes to exactly that, false after a no")


def consenting(
    name: str,
    description: str,
    ledger: Ledger,
    propose: Callable[..., Proposed],
    carry_out: Callable[[Proposal], tuple[str, Findings]],
) -> BaseTool:
    """A tool that has the person asked before it changes something.

    propose: its arguments are the tool's. All have defaults: with the person's answer there are none.
    carry_out: does it, once the person agreed. Both may raise ToolFault.
    """

    def run(confirm: str, agreed: bool, **asked: Any) -> tuple[str, Findings]:
        if confirm:
            proposal = answered(ledger, name, confirm, agreed)
            return carry_out(proposal) if proposal else ("All right, nothing was changed.", {})
        details, called, question = propose(**asked)
        proposal = ledger.propose(name, details, called)
        text = f"Not done yet. Ask the person: {question} Once they have answered, use {name} with nothing but "
        depends = {"session": ledger.session, "changes": ledger.revision()}
        asking: Findings = {"asks": proposal.code, "told": question, "depends": depends}
        return f"{text}confirm={proposal.code} and agreed.", asking

    return typed_tool(name, description, run, model_of(name, propose, Consent), changes=True)


def answered(ledger: Ledger, tool: str, confirm: str, agreed: bool) -> Proposal | None:
    """The proposal that the person agreed to; None where they did not. Raises ToolFault.

    It is refused where the person said this turn without its question before them.
    """
    proposal = next((p for p in ledger.proposals(tool) if p.code == confirm.strip().upper()), None)
    if proposal is None:
        raise ToolFault(f"Nothing waits for an answer under {confirm[:12]}; say anew what is wanted.")
    if not agreed and proposal.state == "done":
        raise ToolFault(f"A no does not undo what was done already, and still stands: {proposal.said}.")
    if not agreed:
        ledger.close(proposal, done=False)
        return None
    if proposal.unheard and proposal.state == "open":
        raise ToolFault(f"The person has not answered yet: ask them first whether they want the {proposal.said}.")
    return proposal
