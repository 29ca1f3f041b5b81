"""Facts, drawn out of what the person told: in idle time, by the model, held to a form and to the person's own words.

A fact without an exact quote of the person is none: of the turn, or also of the one before where the turn only answers
whom that was about. A new value of the same attribute of the same subject closes the old one's time: both stay, one is
current.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from typing import Any

from langchain_core.messages import HumanMessage, SystemMessage

from chat.remembering import TAKEN_BACK, Remembering, said_id
from memory.memory import AGAIN, ENDS, MANY, Filter, Note, Wanted
from memory.store import UserMemory
from memory.times import day_of
from memory.written import within
from minds.dialogue import clip, question_of, with_note
from minds.models.language import LanguageModel
from minds.reading import facts_of
from minds.strategies.steps import closed, shown
from prompts import render

KEPT, LINE, KEPT_SO_FAR = 32, 120, "Kept so far:"
"""Facts of before that a turn is read with, twice so many at most, and characters of each."""
BEFORE = 500
"""Characters of what was said before a turn, and of the question that it answers, that it is read with: their ends."""
MOST = 50
"""Turns that told the same, the newest, that a fact names."""
_TEXT = {"type": "string", "maxLength": 200}
_FACT = {
    "subject": _TEXT,
    "attribute": _TEXT,
    "value": _TEXT,
    "quote": _TEXT,
    "since": _TEXT,
    "ended": {"type": "boolean"},
    "replaces": {"type": "array", "items": {"type": "integer"}},
}
FORM: dict[str, object] = {
    "title": "Facts",
    **closed({"facts": {"type": "array", "maxItems": 12, "items": closed(_FACT)}}),
}


@dataclass(frozen=True)
class Told:
    """One turn in which the person told something."""

    user: str
    session: str
    turn: int
    said: str
    at: float
    model: LanguageModel
    zone: tzinfo | None = None
    """The person's; without one this machine's."""
    before: tuple[str, str] = ("", "")
    """What was said before it, the person's words and the reply: whom "she" means, and what "yes, two" answers."""


async def draw_out(remembering: Remembering, told: Told) -> None:
    """Reads a turn once nobody speaks, and keeps its facts. Raises ModelFault, MemoryFault, ChatFault."""
    if told.model.abilities.schema and await asyncio.to_thread(_learns, remembering, told):
        kept = [] if told.model.notes else await asyncio.to_thread(_kept, remembering, told)
        await asyncio.to_thread(_keep, remembering, told, await read(told, kept), kept)


def _learns(remembering: Remembering, told: Told) -> bool:
    """Not where it was taken back or deleted meanwhile, where its words were taken out, or no memory is wanted."""
    if not remembering.learns(told.user, told.session, told.turn):
        return False
    said = remembering.of(told.user).notes.get(said_id(told.session, told.turn))
    return not (said and said.out)


def _kept(remembering: Remembering, told: Told) -> list[Note]:
    """The facts so far that the turn may change: those that bear on it, and the newest."""
    memory, now = remembering.of(told.user), datetime.fromtimestamp(told.at, told.zone)
    words = " ".join((*told.before, told.said))
    bearing = [recall.note for recall in memory.recall(words, now, Wanted(("fact",)), KEPT)]
    newest = memory.notes.page(Filter(("fact",), state="current"), KEPT)
    known = {note.id: note for note in (*bearing, *newest) if note.current}
    return list(known.values())


def _keep(remembering: Remembering, told: Told, found: Sequence[Mapping[str, Any]], kept: Sequence[Note]) -> None:
    if not _learns(remembering, told):
        return
    memory = remembering.of(told.user)
    anew = [keep(memory, told, number, fact, kept) for number, fact in enumerate(found)]
    if any(anew):
        memory.changed()
    if not _learns(remembering, told):  # it went just now, and its facts were not found
        left = memory.notes.of(memory.notes.of_session(told.session, told.turn))
        facts = [note.id for note in left if note.kind == "fact"]
        memory.withdraw(facts, TAKEN_BACK)
        if facts and remembering.transcript.erased(told.session, told.turn):
            memory.forget(facts, everywhere=False)


async def read(told: Told, kept: Sequence[Note] = ()) -> list[Mapping[str, Any]]:
    """The facts of a turn that stand in its words. kept: those of before that they may replace. Raises ModelFault."""
    if notes := told.model.notes:
        heard = "\n".join(filter(None, (question_of(told.before[1]), told.said)))
        asked = [SystemMessage(render("memory/facts_noted")), HumanMessage(heard)]
        written = [piece async for piece in notes.stream(asked, max_tokens=400)]
        return [fact for fact in facts_of("".join(written)) if stands(fact, told.said)]
    asked, most = [*shown("memory/facts"), HumanMessage(_behind(told, kept))], told.model.abilities.room(400)
    answer = await told.model.structured(asked, FORM, max_tokens=most)
    facts = answer.get("facts")
    found = [fact for fact in facts if isinstance(fact, dict)] if isinstance(facts, list) else []
    return [fact for given in found if (fact := in_words(given, told))]


def _behind(told: Told, kept: Sequence[Note]) -> str:
    """The turn, with what was said before it and the facts so far behind it. Of a reply its question alone: the rest
    may hold what others wrote."""
    said, asked = told.before[0], question_of(told.before[1])
    said, asked = (words if len(words) <= BEFORE else f"...{words[-BEFORE:]}" for words in (said, asked))
    before = [render("memory/facts_before", said=said)] if said else []
    before += [render("memory/facts_asked", asked=asked)] if asked else []
    lines = [KEPT_SO_FAR, *(f"{number}. {_numbered(note, told.zone)}" for number, note in enumerate(kept, 1))]
    day = f"Said on {datetime.fromtimestamp(told.at, told.zone):%A}, {day_of(told.at, told.zone)}."
    return with_note(told.said, "\n".join([day, *before, *(lines if kept else ())]))


def _numbered(note: Note, zone: tzinfo | None) -> str:
    about, when = note.about, f", for {note.about['since']}" if note.about.get("since") else ""
    value = clip(" ".join(about["value"].split()), LINE)
    return f'{about["subject"]}, {about["attribute"]}: "{value}" (said on {day_of(note.at, zone)}{when})'


def stands(fact: Mapping[str, Any], said: str) -> bool:
    """Whether a fact is quoted exactly, with its value in the quote: what a model adds of its own is none.

    Neither is what the person asks: a quote with a question mark at its end, or right behind it.
    """
    return _quoted(fact, said) and _plain(fact["value"]) in _plain(fact["quote"])


def _quoted(fact: Mapping[str, Any], said: str) -> bool:
    quote = _plain(fact.get("quote"))
    if not (quote and all(_plain(fact.get(name)) for name in ("subject", "attribute", "value"))):
        return False
    behind = _plain(said).split(quote)[1:]
    return not quote.endswith("?") and any(not rest.lstrip().startswith("?") for rest in behind)


def in_words(fact: Mapping[str, Any], told: Told) -> Mapping[str, Any] | None:
    """A fact in the person's words, None where it is not. Of a strong model the value may be worded a little anew ("a
    bakery, Crumb's" of "at Crumb's, the bakery": its quote is the value), or stand in what they told before, where the
    turn answers a question: one that only says whom it was about ("My brother.") says no more."""
    if stands(fact, told.said):
        return fact
    if not (told.model.abilities.strong and _quoted(fact, told.said)):
        return None
    value, quote = (str(fact[name]).strip() for name in ("value", "quote"))
    words, there = (set(re.findall(r"\w+", _plain(text))) for text in (value, quote))
    if 2 * len(words & there) >= len(words):
        return {**fact, "value": quote}
    told_before = bool(question_of(told.before[1])) and within(_plain(value), _plain(told.before[0][-BEFORE:]))
    return {**fact, "quote": f"{value} … {quote}"} if told_before else None


def keep(memory: UserMemory, told: Told, number: int, fact: Mapping[str, Any], kept: Sequence[Note] = ()) -> bool:
    """Keeps one fact, and closes what it takes the place of; of one that ended only the end is kept. Whether
    anything is not as before.

    kept: the facts that the fact's `replaces` counts; where it has that, it alone says which of them are over.
    """
    subject, attribute, value = (_plain(fact[name]) for name in ("subject", "attribute", "value"))
    day, ended, id_ = day_of(told.at, told.zone), bool(fact.get("ended")), f"{told.session}:{told.turn}:fact{number}"
    olds = memory.notes.facts(subject, attribute, str(fact["quote"]))
    own = [old for old in olds if not old.imported]  # what only a file says is told anew
    again = next((old for old in own if not ended and _plain(old.about["value"]) == value), None)
    shown = {note.id for note in kept if "replaces" in fact}
    over = [*_replaced(memory, fact, kept), *(old for old in olds if old.id not in shown and _gives_way(old, fact))]
    over = [old for old in over if old.at <= told.at and not (again and old.id == again.id)]
    over = [old for old in over if (old.session, old.turn) != (told.session, told.turn)]  # "the harp and the flute"
    for old in over:
        memory.close_fact(old, day, again.id if again else id_)
    if again:
        _told_again(memory, again, told)
        return bool(over)
    until, by = day if ended else "", ""
    if not (ended or attribute in MANY) and (later := [old for old in own if old.at > told.at]):
        until, by = day_of(later[0].at, told.zone), later[0].id  # read out of order
    before = "" if _plain(fact["quote"]) in _plain(told.said) else _place_before(memory, told)
    about = {
        "subject": subject, "attribute": attribute,
        "value": str(fact["value"]).strip(), "quote": str(fact["quote"]).strip(),
        "since": str(fact.get("since", "")).strip(), "until": until, **({"by": by} if by else {}),
        **({ENDS: day} if ended else {}), **({AGAIN: before} if before else {}),
    }  # fmt: skip
    line = _line({**about, "subject": str(fact["subject"]).strip()})  # a name as it is written
    memory.keep([Note(id_, "fact", line, told.at, session=told.session, turn=told.turn, speaker="user", about=about)])
    return True


def _replaced(memory: UserMemory, fact: Mapping[str, Any], kept: Sequence[Note]) -> list[Note]:
    """What a fact says that it replaces, as it is now."""
    numbers = [number for number in fact.get("replaces") or () if isinstance(number, int) and 0 < number <= len(kept)]
    return [note for note in memory.notes.of([kept[number - 1].id for number in numbers]) if note.current]


def _gives_way(old: Note, fact: Mapping[str, Any]) -> bool:
    """Whether one of the same attribute of the same subject is over by a fact, as far as their words tell. What is
    worded otherwise the model names by its number (`replaces`)."""
    was, value = _plain(old.about["value"]), _plain(fact["value"])
    if fact.get("ended"):
        return within(value, was)
    return was != value and old.about["attribute"] not in MANY


def _place_before(memory: UserMemory, told: Told) -> str:
    """The turn that said the value, which goes with a fact that is deleted."""
    said = memory.notes.of([said_id(told.session, turn) for turn in range(max(0, told.turn - MOST), told.turn)])
    turn = max((note.turn for note in said if note.text == told.before[0]), default=0)
    return f"{told.session}:{turn}" if turn else ""


def _told_again(memory: UserMemory, old: Note, told: Told) -> None:
    """When it is no longer so, this turn is not to be told as true either."""
    if (told.session, told.turn) not in old.places:
        again = [*old.about.get(AGAIN, "").split(), f"{told.session}:{told.turn}"]
        memory.keep([replace(old, about={**old.about, AGAIN: " ".join(again[-MOST:])})])


def _line(about: Mapping[str, Any]) -> str:
    return f"{about['subject']}, {about['attribute']}: {about['value']} ({about['quote']})"


def _plain(text: object) -> str:
    return " ".join(str(text or "").split()).casefold()
