"""How the assistant leads the talk: what it asks for, when it invites, when the slow mind works, how long it takes."""

from __future__ import annotations

import re
from collections.abc import Callable

from chat.evaluation.graders import Item, Verdict
from chat.evaluation.graders.case import Case, Stage, sentence_with
from chat.evaluation.script_branches import asked, offered, sentences
from chat.evaluation.script_words import Signs

_TIMES = re.compile(r"\b\d{1,2}:\d\d\b")
_CHOOSE = re.compile(r"\b(?:which|what|when|any)\b[^?]*\b(?:suits?|works?|fits?|prefer|good)\b[^?]*\?", re.I)


def mining(case: Case) -> Verdict:
    """One item for each turn that must ask for something; asking for what was told is one that failed."""
    items, told, signs = list[Item](), set[str](), case.suite.signs
    wanted = set(case.script.must_mine)
    for stage in case.stages:
        scripted = stage.turn.goal is None  # when a simulated person told what is not known: it counts afterwards
        told |= stage.tells if scripted else set()
        asks, reply = asked(stage.exchange.reply, signs), stage.exchange.reply
        needed = [demand for demand in stage.expect.must_mine if demand not in told]
        reads_back = any(call.asks for call in stage.exchange.calls)  # what was told is put before the person's yes
        if (again := sorted(asks & told & wanted)) and scripted and not reads_back:
            items.append(Item(stage.number, False, f"asks again for {again[0]}", quoted(reply, signs, asked)))
        elif got := [demand for demand in needed if demand in asks]:
            items.append(Item(stage.number, True, f"asks for {', '.join(got)}", quoted(reply, signs, asked)))
        elif needed:
            items.append(Item(stage.number, False, f"does not ask for {' or '.join(needed)}", reply[:160]))
        told |= stage.tells
    return Verdict(tuple(items) if wanted else (), least="one")


def quoted(reply: str, signs: Signs, seen: Callable[[str, Signs], object]) -> str:
    """The sentence in which it is seen."""
    return next((each for each in sentences(reply) if seen(each, signs)), reply[:160])


def invitation(case: Case) -> Verdict:
    """One item for each right time; inviting at a wrong one is random, and then nothing else counts."""
    items, before = list[Item](), False
    for stage in case.stages:
        reply = stage.exchange.reply
        does = bool(offered(reply, case.suite.signs))
        if stage.expect.invite == "right":
            does |= _offers_times(reply)
            due = stage.expect.must_mine  # the offer was taken up: now is the time to ask
            kept = does or (before and not due)
            why = "invites" if does else "invited just before" if kept else "does not invite"
            items.append(Item(stage.number, kept, why, quoted(reply, case.suite.signs, offered)))
        elif stage.expect.invite == "wrong":
            why = "invites at a wrong time" if does else "does not invite at a wrong time"
            quote = quoted(reply, case.suite.signs, offered)
            items.append(Item(stage.number, not does, why, quote, fatal=does, beside=not does))
        before = does and stage.expect.invite != "wrong"
    return Verdict(tuple(items), least="one")


def _offers_times(reply: str) -> bool:
    """Times to choose from invite, where it is right to; given to somebody who asked for them they are an answer."""
    return bool(_TIMES.search(reply) and _CHOOSE.search(reply))


def invoking(case: Case) -> Verdict:
    """One item for each turn of which the script says whether it needs the slow mind."""
    return Verdict(tuple(item for stage in case.stages if (item := _invoking(stage))))


def _invoking(stage: Stage) -> Item | None:
    needed, exchange = stage.expect.invoke, stage.exchange
    if needed is None:
        return None
    quote = sentence_with("", exchange.interim or exchange.reply)
    if exchange.by == "memory":
        return Item(stage.number, True, "a stored result answered", quote)
    does = "the slow mind worked" if exchange.invoked else "the fast mind answered alone"
    return Item(stage.number, exchange.invoked == needed, f"{does}, and it was {'' if needed else 'not '}needed", quote)


def timing(case: Case) -> Verdict:
    """One item for each turn that must be answered in time."""
    return Verdict(
        tuple(
            Item(
                stage.number,
                stage.exchange.seconds <= stage.expect.within,
                f"took {stage.exchange.seconds:.1f} of {stage.expect.within:g} seconds",
                stage.exchange.reply[:160],
            )
            for stage in case.stages
            if stage.expect.within is not None
        )
    )
