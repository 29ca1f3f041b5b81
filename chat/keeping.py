"""What is kept of a person, as one turn may show, add to, correct and delete it (tools/memory.py)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from functools import cached_property
from typing import Any

from chat.facts import Told, in_words, keep
from chat.notebook import GONE
from chat.remembering import Remembering
from chat.transcript import Transcript
from memory.memory import ASSISTANT, EVERYTHING, KINDS, LEAVING, PERSON, Filter, MemoryFault, Note, Wanted
from memory.store import UserMemory
from memory.times import day_of
from memory.written import within
from tools.desk import Kept, ToolFault

FACTS, FOUND, LINE = 60, 24, 160
"""Facts shown to whoever asks for all, notes that are looked at for something, characters of each."""
WHEN = (("when:", "since"), ("until", "until"))
"""How the times of a fact are told, by their names in its note."""
BEARS = 0.45
"""Similarity from which a note that shares no word is about something."""
ALL = 10_000_000
PROPOSAL = "proposal"
"""In the notes' own file, so that a restart between the question and the yes loses nothing."""
NOTED = 100
"""From which the facts that were noted at once are numbered: fewer are drawn out of the same turn (chat/facts.py)."""
UNWANTED = "you did not want this conversation remembered"


@dataclass(frozen=True)
class Keeping:
    """One turn's view. Blocking; raises ToolFault."""

    remembering: Remembering
    transcript: Transcript
    told: Told
    """The turn."""

    def show(self, about: str) -> tuple[Sequence[Kept], int]:
        """The notes that bear on it, or without words the current facts, pinned notes first."""
        memory = self._memory()
        found = self._bearing(about) if about else self._facts(FACTS)
        return [_kept(note, memory.zone) for note in found if not note.out], memory.notes.count()

    def note(self, subject: str, attribute: str, value: str, quote: str, instead: str = "") -> Sequence[Kept]:
        """As if it had been drawn out of the turn, and at once; what it takes the place of."""
        memory = self._memory()
        fact = in_words({"subject": subject, "attribute": attribute, "value": value, "quote": quote}, self.told)
        if not fact:
            raise ToolFault(
                "Only what the person says in this turn can be noted: copy the quote exactly from their words, with "
                "the value in it, and give subject and attribute."
            )
        over = [self._kept_so_far(subject, instead)] if instead.strip() else []
        number = NOTED + len(memory.notes.of_session(self.told.session, self.told.turn))
        before = {note.id for note in self._facts()}
        keep(memory, self.told, number, {**fact, **({"replaces": [1]} if over else {})}, over)
        memory.changed()
        gone = before - {note.id for note in self._facts()}
        return [_kept(note, memory.zone) for note in memory.notes.of(sorted(gone))]

    def _facts(self, most: int = ALL) -> list[Note]:
        return self._memory().notes.page(Filter(("fact",), state="current"), most)

    def _kept_so_far(self, subject: str, value: str) -> Note:
        """The fact of this subject with a value, or with a part of it; of any subject only with the very value."""
        facts, about = self._facts(), " ".join(subject.split()).casefold()
        holding = [note for note in facts if within(value, note.about["value"])]
        part = [note for note in facts if within(note.about["value"], value)]
        own, own_part = ([note for note in some if note.about["subject"] == about] for some in (holding, part))
        found = own or [note for note in holding if note in part] or own_part
        if len(found) != 1:
            several = "; ".join(_kept(note, self._memory().zone).text for note in found)
            raise ToolFault(
                f"Several facts have {value[:80]!r}: {several[:600]}. Give more of the value of the one that is over."
                if found
                else f"No fact is kept with {value[:80]!r}: note it without `instead`, or look with show what is kept."
            )
        return found[0]

    def wrong(self) -> Sequence[Kept]:
        """Of the reply before this turn, where it came from memory, is kept there or rests on one note of it."""
        memory = self._memory()
        rests_on = memory.notes.of(self.replied.get("rests_on", ()))
        found = [self.last] if self.last else [note for note in rests_on if not note.out]
        if not found:
            raise ToolFault("Nothing is kept of the last reply: there is no note to correct.")
        if len(found) > 1:
            rests = "; ".join(_kept(note, memory.zone).text for note in found)
            raise ToolFault(f"The last reply rests on several notes, and any of them may be wrong: {rests}")
        gone = [note for note in _all_of(memory, found[0]) if not note.out]
        memory.withdraw([note.id for note in gone], GONE)
        return [_kept(note, memory.zone) for note in (gone if found[0].kind == "turn" else found)]

    def propose(self, which: str, about: str, ids: Sequence[str]) -> Sequence[Kept]:
        """With what else their turns left that says the same: it goes too, so it is named."""
        memory = self._memory()
        meant = self._meant(memory, which, about, ids)
        found = _there(memory, memory.notes.with_their_turns(meant))
        if not found:
            raise ToolFault(f"Nothing is kept{f' about {about[:80]}' if about else ''} that could be deleted.")
        # Without what goes with them: that is found anew, and a turn named here would take all its other facts along.
        chosen = {"session": self.told.session, "turn": self.told.turn, "ids": list(meant)}
        memory.notes.set_meta(PROPOSAL, json.dumps(chosen))
        return [_kept(note, memory.zone) for note in found]

    def confirm(self) -> int:
        """Only what was proposed in the very turn before, so that no yes is taken for another's."""
        memory = self._memory()
        proposal = pending(memory, self.transcript, self.told.session, self.told.turn)
        if proposal is None:
            raise ToolFault(
                "The turn before this one proposed no deletion: propose it with forget, and let the person answer."
            )
        memory.notes.set_meta(PROPOSAL, "")
        forgotten = memory.forget(proposal)
        if not memory.notes.count():
            memory.forget_aside()
        self.transcript.remove([(self.told.session, self._before())])  # the wish itself said what it was about
        return len(forgotten)

    def off(self) -> int:
        memory, session = self._memory(), self.told.session
        self.transcript.set_options(session, replace(self.transcript.options(session), memory=False))
        ids = [note.id for note in _there(memory, memory.notes.of_session(session))]
        memory.withdraw(ids, UNWANTED)
        return len(ids)

    @cached_property
    def replied(self) -> Mapping[str, Any]:
        """The final reply of the turn before this one."""
        events = self.transcript.turn_events(self.told.session, self._before())
        return next((event.data for event in events if event.kind == "reply" and event.data.get("final")), {})

    @property
    def last(self) -> Note | None:
        """The result that the reply before this turn was given from, or left: the same question gets it again."""
        left = f"{self.told.session}:{self._before()}:found"
        note = self._memory().notes.get(str(self.replied.get("from_note") or left))
        return note if note and not note.out else None

    # -- inside

    def _memory(self) -> UserMemory:
        try:
            return self.remembering.of(self.told.user)
        except MemoryFault as fault:
            raise ToolFault(str(fault)) from fault

    def _before(self) -> int:
        """The number of the turn before this one; 0 for none."""
        turns = self.transcript.turns_from(self.told.session, 1)
        return max((turn for turn in turns if turn < self.told.turn), default=0)

    def _bearing(self, about: str) -> list[Note]:
        """The notes that share a word with it that is not common here, or are near to it."""
        memory = self._memory()
        now = datetime.fromtimestamp(self.told.at, self.told.zone)
        found = memory.recall(about, now, Wanted(KINDS), FOUND)
        words = memory.notes.page(Filter(words=about), ALL)
        return words + [recall.note for recall in found if recall.similarity >= BEARS and recall.note not in words]

    def _meant(self, memory: UserMemory, which: str, about: str, ids: Sequence[str]) -> Sequence[str]:
        if ids:
            return ids
        if which == "everything":
            return memory.notes.matching(EVERYTHING)
        if which == "conversation":
            return memory.notes.of_session(self.told.session)
        if which == "last":
            return memory.notes.of_session(self.told.session, self._before()) if self.told.turn > 1 else []
        if not about:
            raise ToolFault("Say what is to be forgotten: about whom or what, the last thing, or everything.")
        return [note.id for note in self._bearing(about)]


def pending(memory: UserMemory, transcript: Transcript, session: str, turn: int) -> Sequence[str] | None:
    """Ids of what the turn before this one proposed to delete; None where it proposed nothing."""
    proposal = json.loads(memory.notes.meta(PROPOSAL) or "{}")
    if proposal.get("session") != session or proposal["turn"] >= turn:
        return None
    between = [one for one in transcript.turns_from(session, proposal["turn"]) if one < turn]
    return list(map(str, proposal["ids"])) if between == [proposal["turn"]] else None


def _all_of(memory: UserMemory, note: Note) -> list[Note]:
    """A note and what goes with it where it is wrong: of a fact the turns that tell it, of what the person said in a
    turn the facts that it told."""
    if note.kind != "turn" or note.speaker != PERSON:
        return [note, *memory.notes.turns_of(note)]
    of_turn = memory.notes.of(memory.notes.of_session(note.session, note.turn))
    return [note, *(other for other in of_turn if other.kind == "fact")]


def _there(memory: UserMemory, ids: Sequence[str]) -> list[Note]:
    """Without what is being deleted on the page: it is told no more, and stays what it is until that is over."""
    return [note for note in memory.notes.of(ids) if note.out != LEAVING]


def _kept(note: Note, zone: tzinfo | None) -> Kept:
    """As the person is told of it."""
    day = day_of(note.at, zone) + ", imported" * note.imported
    about, words = note.about, _short(note.about.get("quote") or note.text)
    if note.kind == "fact":
        when = "".join(f", {name} {about[key]}" for name, key in WHEN if about.get(key))
        words += f" ({about.get('subject', '')}, {about.get('attribute', '')}: {about.get('value', '')}{when})"
    if note.kind == "result":
        words += f" → {_short(note.answer)}"
    who = {PERSON: "you", ASSISTANT: "Duet", "": ""}.get(note.speaker, note.speaker)
    return Kept(note.id, f"{day}{f', {who}' if who else ''}: {words}")


def _short(text: str) -> str:
    line = " ".join(text.split())
    return f"“{line}”" if len(line) <= LINE else f"“{line[:LINE].rstrip()} …”"
