"""Facts, drawn out of what the person told: in idle time, by the model, held to a form and to the person's own words.

A fact without an exact quote of the person is none. A new value of the same attribute of the same subject closes the
old one's time: both stay, one is current.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from typing import Any

from langchain_core.messages import HumanMessage, SystemMessage

from chat.remembering import TAKEN_BACK, Remembering
from memory.memory import AGAIN, MANY, Note
from memory.sameness import sentences
from memory.store import UserMemory
from minds.dialogue import Dialogue, with_note
from minds.models.language import LanguageModel
from minds.reading import facts_of
from minds.strategies.steps import closed, shown
from prompts import render

BEFORE = 500
"""Characters of what was said before a turn, and of the reply to it, that it is read with: their ends."""
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
}
FORM: dict[str, object] = {
    "title": "Facts",
    **closed({"facts": {"type": "array", "maxItems": 6, "items": closed(_FACT)}}),
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
        await asyncio.to_thread(_keep, remembering, told, await read(told))


def _learns(remembering: Remembering, told: Told) -> bool:
    """Not where it was taken back or deleted meanwhile, where its words were taken out, or no memory is wanted."""
    if not remembering.learns(told.user, told.session, told.turn):
        return False
    said = remembering.of(told.user).notes.get(f"{told.session}:{told.turn}:said")
    return not (said and said.out)


def _keep(remembering: Remembering, told: Told, found: Sequence[Mapping[str, Any]]) -> None:
    if not _learns(remembering, told):
        return
    memory = remembering.of(told.user)
    anew = [keep(memory, told, number, fact) for number, fact in enumerate(found)]
    if any(anew):
        memory.changed()
    if not _learns(remembering, told):  # it went just now, and its facts were not found
        left = memory.notes.of(memory.notes.of_session(told.session, told.turn))
        facts = [note.id for note in left if note.kind == "fact"]
        memory.withdraw(facts, TAKEN_BACK)
        if facts and remembering.erased(told.session, told.turn):
            memory.forget(facts, everywhere=False)


async def read(told: Told) -> list[Mapping[str, Any]]:
    """The facts of a turn that stand in its words. Raises ModelFault."""
    if notes := told.model.notes:
        heard = "\n".join(filter(None, (question_of(told.before[1]), told.said)))
        asked = [SystemMessage(render("memory/facts_noted")), HumanMessage(heard)]
        written = [piece async for piece in notes.stream(asked, max_tokens=400)]
        return [fact for fact in facts_of("".join(written)) if stands(fact, told.said)]
    asked, most = [*shown("memory/facts"), HumanMessage(_behind(told))], told.model.abilities.room(400)
    answer = await told.model.structured(asked, FORM, max_tokens=most)
    facts = answer.get("facts")
    return (
        [fact for fact in facts if isinstance(fact, dict) and stands(fact, told.said)]
        if isinstance(facts, list)
        else []
    )


def _behind(told: Told) -> str:
    """The turn, with what was said before it behind it."""
    said, reply = (words if len(words) <= BEFORE else f"...{words[-BEFORE:]}" for words in told.before)
    return with_note(told.said, render("memory/facts_before", said=said, reply=reply) if said or reply else "")


def said_before(dialogue: Dialogue) -> tuple[str, str]:
    """The last words of the person, and the reply to them."""
    said = next((turn.text for turn in reversed(dialogue.turns) if turn.speaker == "user"), "")
    last = dialogue.turns[-1:]
    return said, last[0].text if last and last[0].speaker != "user" else ""


def question_of(reply: str) -> str:
    """The question that a reply ends with; empty where it ends otherwise."""
    last = sentences(reply)[-1:]
    return last[0] if last and last[0].rstrip("*_ \n").endswith(("?", "？", "؟")) else ""


def stands(fact: Mapping[str, Any], said: str) -> bool:
    """Whether a fact is quoted exactly, with its value in the quote: what a model adds of its own is none.

    Neither is what the person asks: a quote with a question mark at its end, or right behind it.
    """
    quote, value = _plain(fact.get("quote")), _plain(fact.get("value"))
    whole = all(_plain(fact.get(name)) for name in ("subject", "attribute"))
    if not (quote and value and whole and value in quote):
        return False
    behind = _plain(said).split(quote)[1:]
    return not quote.endswith("?") and any(not rest.lstrip().startswith("?") for rest in behind)


def keep(memory: UserMemory, told: Told, number: int, fact: Mapping[str, Any]) -> bool:
    """Keeps one fact, and closes what it takes the place of; of one that ended only the end is kept. Whether
    anything is not as before."""
    subject, attribute, value = (_plain(fact[name]) for name in ("subject", "attribute", "value"))
    day = day_of(told.at, told.zone)
    ended, id_ = bool(fact.get("ended")), f"{told.session}:{told.turn}:fact{number}"
    until, by, closed = day if ended else "", "", False
    for old in memory.notes.facts(subject, attribute, str(fact["quote"])):
        same = old.about["value"].casefold() == str(fact["value"]).strip().casefold()
        beside = (old.session, old.turn) == (told.session, told.turn)  # "I play the harp and the flute"
        if (
            not beside
            and old.at <= told.at
            and (
                (ended and value in old.about["value"].casefold()) or (not ended and not same and attribute not in MANY)
            )
        ):
            memory.close_fact(old, day, id_)
            closed = True
        if same and not ended and not old.imported:
            _told_again(memory, old, told)
            return closed
        if old.at > told.at and not (same or ended or by or attribute in MANY or old.imported):  # read out of order
            until, by = day_of(old.at, told.zone), old.id
    about = {
        "subject": subject, "attribute": attribute,
        "value": str(fact["value"]).strip(), "quote": str(fact["quote"]).strip(),
        "since": str(fact.get("since", "")).strip(), "until": until, **({"by": by} if by else {}),
    }  # fmt: skip
    memory.keep(
        [Note(id_, "fact", _line(about), told.at, session=told.session, turn=told.turn, speaker="user", about=about)]
    )
    return True


def _told_again(memory: UserMemory, old: Note, told: Told) -> None:
    """When it is no longer so, this turn is not to be told as true either."""
    if (told.session, told.turn) not in old.places:
        again = [*old.about.get(AGAIN, "").split(), f"{told.session}:{told.turn}"]
        memory.keep([replace(old, about={**old.about, AGAIN: " ".join(again[-MOST:])})])


def day_of(at: float, zone: tzinfo | None) -> str:
    """The day of a moment, as 2026-05-01, in a zone or in this machine's."""
    return datetime.fromtimestamp(at, zone).date().isoformat()


def _line(about: Mapping[str, Any]) -> str:
    return f"{about['subject']}, {about['attribute']}: {about['value']} ({about['quote']})"


def _plain(text: object) -> str:
    return " ".join(str(text or "").split()).casefold()
