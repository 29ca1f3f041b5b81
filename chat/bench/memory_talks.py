"""What the memory is worth over whole talks: repeated questions with and without it (--repeats), and lives told over
weeks (--lives)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from chat.app import Duet
from chat.bench import Ask
from chat.bench.grading_answers import right
from chat.bench.ground import a_duet, final, invoked, say
from chat.bench.turns import Replies, accuracy, played
from chat.faults import ChatFault

Line = Mapping[str, Any]
TOLD, NEW = "told", "new"


def read_lines(path: Path, *names: str) -> list[Line]:
    """Lines that have all of `names`. Raises ChatFault."""
    try:
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
        _ = [line[name] for line in lines for name in names]
    except (OSError, ValueError, KeyError, TypeError) as fault:
        raise ChatFault(f"{path.name} cannot be read ({fault}): one JSON object a line, with {names}.") from fault
    return lines


async def repeats(ask: Ask, path: Path) -> dict[str, object]:
    """A line is {"say", "new": a conversation begins, "repeats": number of an earlier line, "expect"}; all are played
    with the memory on and then off. Raises ChatFault."""
    lines, ways = read_lines(path, "say")[: ask.limit], {"on": True, "off": False}
    return {way: await _repeated(ask, lines, way, memory) for way, memory in ways.items()} | {"n": len(lines)}


async def _repeated(ask: Ask, lines: Sequence[Line], way: str, memory: bool) -> dict[str, object]:
    replies, runs, served, session = Replies(f"repeats-{way}", ask.out), 0, 0, ""
    async with a_duet(replace(ask.settings, memory=memory)) as duet:
        for number, line in enumerate(lines):
            if line.get("new"):
                session = duet.open_session("person")
            events = await say(duet, session, line["say"])
            await duet.settle()
            reply, expect = final(events), line.get("expect", {})
            by = "memory" if reply.get("by") == "memory" else "slow" if invoked(events) else "fast"
            runs, served = runs + (by == "slow"), served + (by == "memory")
            good = not expect or right(line, str(reply.get("text", "")))
            group = ("again" if "repeats" in line else NEW) if expect else "talk"
            replies.add(played(number, line["say"], group, good, [by], expect.get("any", ()), events))
    figures = replies.figures()
    wrong = sum(not one.right for one in replies.all.values())
    seconds = round(sum(one.seconds for one in replies.all.values()), 1)
    return {"slow_runs": runs, "served": served, "wrong": wrong, "seconds": seconds, "groups": figures["groups"]}


async def lives(ask: Ask, path: Path) -> dict[str, object]:
    """A line is {"life", "talks": [{"days_ago", "turns"}], "questions": [{"ask", "expect", "withdrawn"}]}.

    Each question is asked today, in a conversation of its own. Raises ChatFault.
    """
    replies, stale, number, days = Replies("lives", ask.out), 0, 0, [0]
    async with a_duet(ask.settings, lambda: datetime.now().astimezone() - timedelta(days=days[0])) as duet:
        for life in read_lines(path, "life", "talks", "questions")[: ask.limit]:
            for talk in life["talks"]:
                days[0] = talk["days_ago"]
                await _told(duet, life["life"], talk)
            days[0] = 0
            for line in life["questions"]:
                events = await say(duet, duet.open_session(life["life"]), line["ask"])
                text = str(final(events).get("text", ""))
                good = right(line, text)
                old = [each for each in line["withdrawn"] if each.casefold() in text.casefold()]
                stale += bool(old) and not good
                expect = line["expect"].get("any", ())
                replies.add(played(number, line["ask"], life["life"], good, (), expect, events))
                number += 1
    return {**accuracy(list(replies.all.values())), "withdrawn": stale, "groups": replies.figures()["groups"]}


async def _told(duet: Duet, user: str, talk: Line) -> None:
    """One conversation, at the end of which everything told is read; its turns are as old as it is."""
    session = duet.open_session(user)
    for text in talk["turns"]:
        await say(duet, session, text)
    await duet.settle()
    memory = duet.remembering.of(user)
    turns = [n for n in memory.notes.of(memory.notes.of_session(session)) if n.kind in ("turn", "result")]
    memory.keep(replace(note, at=note.at - talk["days_ago"] * 86_400) for note in turns)
    for note in memory.notes.of(memory.notes.of_session(session)):
        if note.kind == "fact":
            print(f"  {user}: {note.text}", flush=True)
    await duet.settle()
