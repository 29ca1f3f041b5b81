"""A domain's ledger: what people changed, and what they were asked about before it was changed.

Nothing is changed unasked. A tool first proposes; the person is asked; their yes, in a later turn, carries it out.
That the proposal is older than the run which confirms it is checked here, so no model can skip the asking: the
tools are made for each slow run, and a run does not see the person's answer to what it proposed itself.
"""

from __future__ import annotations

import json
import re
import secrets
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from tools.desk import Artifact, ToolFault

CHANGES = "changes.sqlite"
_SCHEMA = """
CREATE TABLE IF NOT EXISTS entries (
    id INTEGER PRIMARY KEY, session TEXT NOT NULL, kind TEXT NOT NULL, key TEXT NOT NULL, details TEXT NOT NULL,
    made TEXT NOT NULL, ended TEXT);
CREATE UNIQUE INDEX IF NOT EXISTS one_each ON entries (kind, key) WHERE ended IS NULL;
CREATE TABLE IF NOT EXISTS proposals (
    session TEXT NOT NULL, code TEXT NOT NULL, run TEXT NOT NULL, kind TEXT NOT NULL, details TEXT NOT NULL,
    said TEXT NOT NULL, state TEXT NOT NULL, PRIMARY KEY (session, code));
"""
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
    told: str
    """The result in words for the person, where the text is more for the model."""


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
    def opened(self) -> Iterator[sqlite3.Connection]:
        """One transaction; what fails leaves no trace."""
        with closing(sqlite3.connect(self.folder / CHANGES, timeout=20, isolation_level=None)) as file:
            file.row_factory = sqlite3.Row
            if not file.execute("SELECT 1 FROM sqlite_master WHERE name = 'proposals'").fetchone():
                file.executescript(_SCHEMA)
            file.execute("BEGIN IMMEDIATE")
            try:
                yield file
            except BaseException:
                file.execute("ROLLBACK")
                raise
            file.execute("COMMIT")

    def entries(self, kind: str = "", *, everyone: bool = False, ended: bool = True) -> tuple[Entry, ...]:
        """Oldest first; of this person unless of everyone."""
        if not (self.folder / CHANGES).is_file():
            return ()
        with self.opened() as file:
            rows = file.execute("SELECT * FROM entries ORDER BY id").fetchall()
        found = (
            Entry(r["session"], r["kind"], r["key"], json.loads(r["details"]), r["made"], r["ended"]) for r in rows
        )
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
            file.execute(
                "DELETE FROM proposals WHERE session = ? AND kind = ? AND code != ? AND state = 'open'",
                (self.session, kind, code),
            )
            file.execute(
                "INSERT INTO proposals VALUES (?, ?, ?, ?, ?, ?, 'open') ON CONFLICT DO UPDATE SET state = 'open', "
                "run = CASE state WHEN 'open' THEN run ELSE excluded.run END",
                (self.session, code, self.run, kind, written, said),
            )
        return Proposal(code, kind, details, said, own=True)

    def proposals(self, kind: str) -> tuple[Proposal, ...]:
        """Of this session, the newest last."""
        with self.opened() as file:
            rows = file.execute(
                "SELECT * FROM proposals WHERE session = ? AND kind = ? ORDER BY rowid", (self.session, kind)
            ).fetchall()
        return tuple(
            Proposal(r["code"], kind, json.loads(r["details"]), r["said"], r["run"] == self.run, r["state"])
            for r in rows
        )

    def waiting(self) -> Proposal | None:
        """The newest proposal of any kind that this session has not answered."""
        with self.opened() as file:
            row = file.execute(
                "SELECT * FROM proposals WHERE session = ? AND state = 'open' ORDER BY rowid DESC LIMIT 1",
                (self.session,),
            ).fetchone()
        if row is None:
            return None
        return Proposal(row["code"], row["kind"], json.loads(row["details"]), row["said"], row["run"] == self.run)

    def close(self, proposal: Proposal, *, done: bool) -> None:
        """A refused proposal is forgotten with all that it held; one that was carried out is known by its code."""
        sql = "UPDATE proposals SET state = 'done'" if done else "DELETE FROM proposals"
        with self.opened() as file:
            file.execute(f"{sql} WHERE session = ? AND code = ?", (self.session, proposal.code))

    def enter(self, kind: str, key: str, details: Mapping[str, Any], made: str) -> bool:
        """False where somebody has the same already."""
        written = json.dumps(details, sort_keys=True)
        with self.opened() as file:
            done = file.execute(
                "INSERT OR IGNORE INTO entries (session, kind, key, details, made) VALUES (?, ?, ?, ?, ?)",
                (self.session, kind, key, written, made),
            )
            return done.rowcount == 1

    def end(self, kind: str, key: str, when: str) -> bool:
        """False where this person has no such thing (any more)."""
        own = (self.session, *self.before)
        with self.opened() as file:
            done = file.execute(
                f"UPDATE entries SET ended = ? WHERE session IN ({', '.join('?' * len(own))}) AND kind = ? AND key = ?"
                " AND ended IS NULL",
                (when, *own, kind, key),
            )
            return done.rowcount == 1


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
