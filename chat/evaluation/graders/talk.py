"""How the assistant leads the talk: what it asks for, when it invites, when the slow mind works."""

from __future__ import annotations

import re
from collections.abc import Iterator

from chat.evaluation.graders.case import Case, Item, grader, quoted

_TIMES = re.compile(r"\b\d{1,2}:\d\d\b")
_CHOOSE = re.compile(r"\b(?:which|what|when|any)\b[^?]*\b(?:suits?|works?|fits?|prefer|good)\b[^?]*\?", re.I)


@grader(least="one")
def mining(case: Case) -> Iterator[Item]:
    """One item for each turn that must ask for something; asking for what was told is one that failed."""
    told, signs = set[str](), case.suite.signs
    wanted = {demand for turn in case.script.turns for way in turn.ways for demand in way.must_mine}
    for stage in case.stages if wanted else ():
        scripted = stage.turn.goal is None  # when a simulated person told what is not known: it counts afterwards
        told |= stage.tells if scripted else set()
        asks, reply = signs.asked(stage.exchange.reply), stage.exchange.reply
        needed = [demand for demand in stage.expect.must_mine if demand not in told]
        reads_back = any(call.asks for call in stage.exchange.calls)  # what was told is put before the person's yes
        if (again := sorted(asks & told & wanted)) and scripted and not reads_back:
            yield stage.item(False, f"asks again for {again[0]}", quoted(reply, signs.asked))
        elif got := [demand for demand in needed if demand in asks]:
            yield stage.item(True, f"asks for {', '.join(got)}", quoted(reply, signs.asked))
        elif needed:
            yield stage.item(False, f"does not ask for {' or '.join(needed)}")
        told |= stage.tells


@grader(least="one")
def invitation(case: Case) -> Iterator[Item]:
    """One item for each right time; inviting at a wrong one is random, and then nothing else counts."""
    before = False
    for stage in case.stages:
        reply, invite, offered = stage.exchange.reply, stage.expect.invite, case.suite.signs.offered
        quote, does = quoted(reply, offered), bool(offered(reply))
        if invite == "right":
            # Times to choose from invite only here: given to somebody who asked for them they are an answer.
            does |= bool(_TIMES.search(reply) and _CHOOSE.search(reply))
            kept = does or (before and not stage.expect.must_mine)  # the offer was taken up: now is the time to ask
            yield stage.item(kept, "invites" if does else "invited just before" if kept else "does not invite", quote)
        elif invite == "wrong":
            why = f"{'invites' if does else 'does not invite'} at a wrong time"
            yield stage.item(not does, why, quote, fatal=does, beside=not does)
        before = does and invite != "wrong"


@grader()
def invoking(case: Case) -> Iterator[Item]:
    """One item for each turn of which the script says whether it needs the slow mind."""
    for stage in case.stages:
        exchange, needed = stage.exchange, stage.expect.invoke
        quote = quoted(exchange.interim or exchange.reply)
        if needed is not None and exchange.by == "memory":
            yield stage.item(True, "a stored result answered", quote)
        elif needed is not None:
            does = "the slow mind worked" if exchange.invoked else "the fast mind answered alone"
            why = f"{does}, and it was {'' if needed else 'not '}needed"
            yield stage.item(exchange.invoked == needed, why, quote)
