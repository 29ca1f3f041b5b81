"""A domain's ledger: what people changed, and what they were asked about before it was changed.

Nothing is changed unasked. A tool first proposes; the person is asked; their yes, in a later turn, carries it out.
That the proposal is older than the run which confirms it is checked here, so no model can skip the asking: the
tools are made for each slow run, and a run does not see the person's answer to what it proposed itself.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Engine,
    Index,
    Integer,
    MetaData,
    Row,
    Table,
    Text,
    case,
    delete,
    insert,
    literal_column,
    select,
    update,
)
from sqlalchemy.dialects.sqlite import insert as upsert

from storage.engine import afresh, transaction, writer
from storage.schema import MIGRATIONS, Json, Schema
from tools.desk import Artifact, ToolFault

CHANGES = "changes.sqlite"
_tables = MetaData()
_entries = Table(
    "entries", _tables,
    Column("id", Integer, primary_key=True),
    *(Column(name, Text, nullable=False) for name in ("session", "kind", "key")),
    Column("details", Json, nullable=False),
    Column("made", Text, nullable=False),
    Column("ended", Text),
)  # fmt: skip
_LASTS = _entries.c.ended.is_(None)
Index("one_each", _entries.c.kind, _entries.c.key, unique=True, sqlite_where=_LASTS)
_proposals = Table(
    "proposals", _tables,
    *(Column(name, Text, primary_key=True) for name in ("session", "code")),
    *(Column(name, Text, nullable=False) for name in ("run", "kind")),
    Column("details", Json, nullable=False),
    *(Column(name, Text, nullable=False) for name in ("said", "state")),
)  # fmt: skip
_OLDEST_FIRST: ColumnElement[int] = literal_column("proposals.rowid")
LEDGER = Schema(_tables, MIGRATIONS / "ledger")
_LETTERS = "ABCDEFGHJKLMNPQRTUVWXY346789"
_YES = re.compile(
    r"\b(?:yes|yep|yeah|yup|sure|ok|okay|alright|confirm(?:ed|s)?|agree[ds]?|"
    r"accept(?:ed|s)?|go ahead|do it|do that|"
    r"please do|by all means|of course|absolutely|definitely|certainly|sounds (?:good|great|perfect|fine)|"
    r"that (?:works|suits|is fine|would be (?:great|good|lovely|nice|perfect))|"
    r"that's (?:fine|right|good|perfect|great)|"
    r"go for it|go on then|let's do (?:it|that)|works for me|suits me|you may|book me in|make it so|as you say|"
    r"correct|perfect|fine by me|fine|great|lovely|wonderful|i would|i'd (?:love|like) (?:to|that)|why not|gladly|"
    r"please (?:book|cancel|store|reserve|save)|(?:book|cancel|store|reserve|save) (?:it|that|them|this))\b",
    re.I,
)
_NO = re.compile(
    r"\b(?:no|nope|nah|don't|do not|not|never|rather not|stop|wait|hold on|forget it|changed? my mind|another|other|"
    r"instead)\b",
    re.I,
)
_NOT_NO = re.compile(r"\b(?:no problem|no worries|why not|not a problem|no objections?)\b", re.I)
_OPEN = re.compile(
    r"\b(?:maybe|perhaps|might|possibly|not sure|unsure|i think so|think about|let me think|have to (?:ask|check|see)|"
    r"need to (?:ask|check|see)|later|depends|probably|if)\b|\bi guess\b",
    re.I,
)


def agreement(said: str) -> bool | None:
    """Whether the person says yes or no to what was asked; None where it is neither, as with a maybe or a question."""
    said = said.replace("’", "'")
    first = re.split(r"[.!?;,]|\b(?:but|and)\b", said.strip(), maxsplit=1)[0]
    yes = _YES.search(said)
    no = _NO.search(_NOT_NO.sub(" ", said))
    if _OPEN.search(said):
        return None
    if no:
        return None if yes and yes.start() < no.start() else False
    clear = yes and (len(said.split()) <= 8 or _YES.match(first.strip()) is not None)
    return True if clear and not (said.rstrip().endswith("?") and not _PLAIN_YES.match(said.strip())) else None


_PLAIN_YES = re.compile(r"(?:yes|yep|yeah|sure|ok|okay)\b(?!.*\b(?:what|which|how|when|where|who|does|is|are)\b)", re.I)


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
    kind: str
    details: Mapping[str, Any]
    said: str
    """`viewing of H-0421 on Tuesday, 24 November 2026 at 14:00`"""
    own: bool = False
    """Made by the same run: the person cannot have answered it."""
    state: str = "open"
    """`open`, `done`"""


@dataclass(frozen=True)
class Ledger:
    """The changes in one folder, as one session in one run sees them. Every method opens the file for itself."""

    folder: Path
    session: str
    run: str = field(default_factory=lambda: secrets.token_hex(6))
    said: str | None = None
    """What the person said in this turn; where it is known, nothing but a yes in it confirms."""
    before: tuple[str, ...] = ()
    """Earlier sessions known to be of the same person: what was entered there can be told of and ended here."""

    @contextmanager
    def opened(self) -> Iterator[Connection]:
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
            rows = file.execute(select(_entries).order_by(_entries.c.id)).all()
        found = (Entry(r.session, r.kind, r.key, r.details, r.made, r.ended) for r in rows)
        return tuple(
            e
            for e in found
            if (everyone or e.session in (self.session, *self.before))
            and kind in ("", e.kind)
            and (ended or e.ended is None)
        )

    def revision(self) -> str:
        """Another one after every change."""
        entries = self.entries(everyone=True)
        return f"{len(entries)}-{sum(e.ended is not None for e in entries)}"

    def propose(self, kind: str, details: Mapping[str, Any], said: str) -> Proposal:
        """Changes nothing but what is waiting for an answer."""
        written = json.dumps(details, sort_keys=True)
        number = int.from_bytes(sha256(f"{kind} {written}".encode()).digest()[:8], "big")
        code = "".join(_LETTERS[number // len(_LETTERS) ** place % len(_LETTERS)] for place in range(4))
        with self.opened() as file:
            # Asked anew about the same kind of thing, the person answers the newest question.
            others = (_proposals.c.kind == kind, _proposals.c.code != code, _proposals.c.state == "open")
            file.execute(delete(_proposals).where(_proposals.c.session == self.session, *others))
            row = upsert(_proposals).values(
                session=self.session, code=code, run=self.run, kind=kind, details=details, said=said, state="open"
            )
            run = case((_proposals.c.state == "open", _proposals.c.run), else_=row.excluded.run)
            file.execute(row.on_conflict_do_update(["session", "code"], set_={"state": "open", "run": run}))
        return Proposal(code, kind, details, said, own=True)

    def proposals(self, kind: str) -> tuple[Proposal, ...]:
        """Of this session, the newest last."""
        query = select(_proposals).where(_proposals.c.session == self.session, _proposals.c.kind == kind)
        with self.opened() as file:
            return tuple(map(self._proposal, file.execute(query.order_by(_OLDEST_FIRST))))

    def waiting(self) -> Proposal | None:
        """The newest proposal of any kind that this session has not answered."""
        query = select(_proposals).where(_proposals.c.session == self.session, _proposals.c.state == "open")
        with self.opened() as file:
            row = file.execute(query.order_by(_OLDEST_FIRST.desc()).limit(1)).first()
        return self._proposal(row) if row else None

    def _proposal(self, row: Row[Any]) -> Proposal:
        return Proposal(row.code, row.kind, row.details, row.said, row.run == self.run, row.state)

    def close(self, proposal: Proposal, *, done: bool) -> None:
        """A refused proposal is forgotten with all that it held; one that was carried out is known by its code."""
        this = (_proposals.c.session == self.session, _proposals.c.code == proposal.code)
        with self.opened() as file:
            file.execute(
                update(_proposals).where(*this).values(state="done") if done else delete(_proposals).where(*this)
            )

    def enter(self, kind: str, key: str, details: Mapping[str, Any], made: str) -> bool:
        """False where somebody has the same already."""
        row = {"session": self.session, "kind": kind, "key": key, "details": details, "made": made}
        with self.opened() as file:
            return file.execute(insert(_entries).prefix_with("OR IGNORE"), row).rowcount == 1

    def end(self, kind: str, key: str, when: str) -> bool:
        """False where this person has no such thing (any more)."""
        own = (self.session, *self.before)
        this = (_entries.c.session.in_(own), _entries.c.kind == kind, _entries.c.key == key, _LASTS)
        with self.opened() as file:
            return file.execute(update(_entries).where(*this).values(ended=when)).rowcount == 1


@lru_cache(maxsize=64)
def _engine(path: Path) -> Engine:
    """Holds no file: one is opened for each transaction."""
    return afresh(writer(path, timeout=20))


def answered(ledger: Ledger, kind: str, text: str) -> tuple[Proposal, bool] | None:
    """The proposal that `text` answers, and whether with yes; None where it is no answer but a new wish.

    Raises ToolFault where it answers too early, or leaves open which proposal or what is meant.
    """
    yes, no = bool(_YES.search(text)), bool(_NO.search(text))
    known = ledger.proposals(kind)
    named = [p for p in known if re.search(rf"\b{p.code}\b", text, re.I)]
    still = [p for p in known if p.state == "open"]
    if still and not named and yes and (other := re.search(rf"\b[{_LETTERS}]{{4}}\b", text)):
        raise ToolFault(f"Nothing is waiting for a yes under {other[0]}; ask the person again.")
    short = len(text.split()) <= 6 and not re.search(r"\d", text)
    finished = known[-1:] if yes and not no and known and known[-1].state == "done" else ()
    chosen = named or (still or [*finished] if short and (yes or no) else [])
    if not chosen:
        if short and yes and not no:
            raise ToolFault("Nothing is waiting for a yes; say first what is wanted, with the home and the time.")
        return None
    if len(chosen) > 1:
        codes = "; ".join(f"{p.code}: {p.said}" for p in chosen)
        raise ToolFault(f"Several things wait for an answer ({codes}); give the code of one.")
    if no:
        return chosen[0], False
    if chosen[0].own and chosen[0].state == "open":
        raise ToolFault(f"The person has not answered yet: ask them first whether they want the {chosen[0].said}.")
    if not yes or (ledger.said is not None and chosen[0].state == "open" and agreement(ledger.said) is not True):
        raise ToolFault(f'Ask the person first; once they agree, write "yes {chosen[0].code}".')
    return chosen[0], True


def asking(tool: str, proposal: Proposal, told: str = "") -> tuple[str, Findings]:
    """What a tool says when it proposes; `told` is the question in the desk's own words."""
    text = (
        f"Not done yet. Ask the person: shall I go ahead with the {proposal.said}? "
        f"Once they say yes, use {tool} with: yes {proposal.code}"
    )
    return text, {"asks": proposal.code, "told": told or f"Shall I go ahead with the {proposal.said}?"}


def withdrawn(ledger: Ledger, proposal: Proposal) -> tuple[str, Findings]:
    """What a tool says when the person said no."""
    ledger.close(proposal, done=False)
    return f"Nothing was changed: the {proposal.said} was not wanted.", {}
