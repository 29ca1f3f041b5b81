"""`bench memory`: what is recalled of long conversations (--locomo), what is served of question pairs (--pairs), what
repeated questions save (--repeats), what is known of lives told over weeks (--lives), and how quick it is (--scale)."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

from pydantic.dataclasses import dataclass

from chat.app import Duet
from chat.bench import Ask
from chat.bench.cases import Played, accuracy, groups, read_cases
from chat.bench.grading_answers import Expect, asserted
from chat.bench.ground import a_duet, say
from chat.bench.memory_locomo import locomo
from chat.bench.memory_pairs import pairs
from chat.bench.memory_scale import scale
from chat.evaluation.play import final, invoked
from chat.faults import ChatFault

DAY = 86_400
SIZES, USERS = (10_000, 100_000), 1_000


def run(ask: Ask) -> dict[str, object]:
    """Figures of what was asked for."""
    if ask.scale is not None:
        return scale(ask.settings, ask.scale or SIZES, ask.users or USERS)
    ways = {"locomo": locomo, "pairs": pairs, "repeats": repeats, "lives": lives}
    for name, way in ways.items():
        if path := getattr(ask, name):
            return asyncio.run(way(ask, path))
    raise ChatFault(f"Say what to measure: --scale, or one of --{', --'.join(ways)} with a folder or file.")


# -- whole talks: repeated questions with and without the memory, and lives told over weeks


@dataclass(frozen=True)
class Said:
    """A turn of mixed conversation."""

    say: str
    new: bool = False
    """A conversation begins."""
    repeats: int | None = None
    """The number of the turn that asked the same before, from 0 on."""
    expect: Expect | None = None
    """None where nothing can be wrong."""


@dataclass(frozen=True)
class Talk:
    """What a person told in one conversation."""

    days_ago: int
    turns: list[str]


@dataclass(frozen=True)
class Question:
    """Asked today, in a conversation of its own."""

    ask: str
    expect: Expect
    withdrawn: list[str]
    """What was so once, or was said wrongly."""


@dataclass(frozen=True)
class Life:
    """One person's weeks."""

    life: str
    talks: list[Talk]
    questions: list[Question]


async def repeats(ask: Ask, path: Path) -> dict[str, object]:
    """All turns with the memory on, and then off. Raises ChatFault."""
    turns, ways = read_cases(path, Said)[: ask.limit], {"on": True, "off": False}
    return {way: await _repeated(ask, turns, memory=memory) for way, memory in ways.items()} | {"n": len(turns)}


async def _repeated(ask: Ask, turns: Sequence[Said], *, memory: bool) -> dict[str, object]:
    rows, session = list[Played](), ""
    async with a_duet(replace(ask.settings, memory=memory)) as duet:
        for number, turn in enumerate(turns):
            if turn.new or not session:
                session = duet.open_session("person")
            events = await say(duet, session, turn.say)
            await duet.settle()
            reply = final(events)
            by = "memory" if reply.get("by") == "memory" else "slow" if invoked(events) else "fast"
            good = not turn.expect or turn.expect.met(str(reply.get("text", "")), [turn.say])
            group = ("new" if turn.repeats is None else "again") if turn.expect else "talk"
            rows.append(Played.of(number, turn.say, group, good, [by], turn.expect.any if turn.expect else (), events))
            print(rows[-1], flush=True)
    wrong, seconds = sum(not row.right for row in rows), sum(row.seconds for row in rows)
    by_whom = Counter(by for row in rows for by in row.did)
    told = {"slow_runs": by_whom["slow"], "served": by_whom["memory"], "wrong": wrong, "seconds": seconds}
    return {**told, "groups": groups(rows)}


async def lives(ask: Ask, path: Path) -> dict[str, object]:
    """Share of the questions that are answered rightly, and those that are answered by what is no longer so.

    Raises ChatFault.
    """
    rows, stale, days, told = list[Played](), 0, [0], read_cases(path, Life)[: ask.limit]
    async with a_duet(ask.settings, lambda: datetime.now().astimezone() - timedelta(days=days[0])) as duet:
        for life in told:
            for talk in life.talks:
                days[0] = talk.days_ago
                await _told(duet, life.life, talk)
            days[0] = 0
            for question in life.questions:
                events = await say(duet, duet.open_session(life.life), question.ask)
                text = str(final(events).get("text", ""))
                good = known(question, text)
                stale += not good and any(each.casefold() in text.casefold() for each in question.withdrawn)
                rows.append(Played.of(len(rows), question.ask, life.life, good, (), question.expect.any, events))
                print(rows[-1], flush=True)
    return {**accuracy(rows), "withdrawn": stale, "groups": groups(rows)}


def known(question: Question, text: str) -> bool:
    """Whether an answer is right. Of figures the first or the last: `£15: it was £60, and you gave her £25 and £20`."""
    expect = question.expect
    if expect.number is None:
        return expect.met(text, [question.ask])
    found = asserted(text, expect.number)
    return any(map(expect.agrees, (*found[:1], *found[-1:])))


async def _told(duet: Duet, user: str, talk: Talk) -> None:
    """One conversation, at the end of which everything told is read; its turns are as old as it is."""
    session = duet.open_session(user)
    for text in talk.turns:
        await say(duet, session, text)
    await duet.settle()
    memory = duet.remembering.of(user)
    notes = memory.notes.of(memory.notes.of_session(session))
    memory.keep(replace(note, at=note.at - talk.days_ago * DAY) for note in notes if note.kind in ("turn", "result"))
    for note in notes:
        if note.kind == "fact":
            print(f"  {user}: {note.text}", flush=True)
    await duet.settle()
