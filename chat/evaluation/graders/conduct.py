"""What the assistant does: which tools it calls and what it changes, what it asks for, when it invites, and when its
slow mind works."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from typing import Any

from chat.evaluation.graders.case import Case, Item, Stage, grader, quoted
from chat.evaluation.graders.facts import says
from chat.evaluation.record import Call
from chat.evaluation.turns import CallWanted

_REFUSAL = re.compile(r"\b(?:no|not|don't|never|rather)\b", re.I)
_TIMES = re.compile(r"\b\d{1,2}:\d\d\b")
_CHOOSE = re.compile(r"\b(?:which|what|when|any)\b[^?]*\b(?:suits?|works?|fits?|prefer|good)\b[^?]*\?", re.I)


@grader()
def tools(case: Case) -> Iterator[Item]:
    """One item for each expected call, change and order, and for each that was not to be."""
    for stage in case.stages:
        yield from _calls(stage)
        yield from _changes(stage)
        yield from _forbidden(case, stage)
    if case.script.order:
        # the tools in this order, whatever else was called between them
        names, said = chain.from_iterable(stage.exchange.called for stage in case.stages), case.script.order
        absent, told = next((tool for tool in said if tool not in names), ""), " before ".join(said)
        why = f"{absent} is not where it should be in: {told}" if absent else f"{told}, in order"
        yield Item(case.stages[-1].number if case.stages else 0, not absent, why)


def _calls(stage: Stage) -> Iterator[Item]:
    exchange = stage.exchange
    for wanted in stage.expect.calls:
        name = " or ".join(wanted.tools)
        made = [call for call in exchange.calls if call.tool in wanted.tools]
        right = next((call for call in made if not lacks(call, wanted)), None)
        if exchange.by == "memory":  # what was found before answers: the call was made then
            there = all(says(fact, exchange.reply) for fact in stage.expect.facts or wanted.gives)
            yield stage.item(there, f"a stored result{f' of {name}' if there else ', of something else'}")
        elif right:
            yield stage.item(True, f"called {right.tool}[{right.argument[:60]}]")
        elif made:
            yield stage.item(False, f"{made[-1].tool}[{made[-1].argument[:60]}] {lacks(made[-1], wanted)}")
        else:
            yield stage.item(False, f"did not call {name}")


def lacks(call: Call, wanted: CallWanted) -> str:
    """What is wrong with a call; empty where it does."""
    if absent := [word for word in wanted.contains if _plain(word) not in _plain(call.argument)]:
        return f"lacks `{absent[0]}`"
    if call.failed:
        return f"failed: {call.observation[:80]}"
    if call.hollow and not _REFUSAL.search(call.argument):
        return "came back with nothing"
    for fact in wanted.gives:
        if fact.name not in call.facts:
            return f"did not give {fact.name}"
        if not _equal(call.facts[fact.name], fact.value):
            return f"gave {fact.name} = {call.facts[fact.name]}, not {fact.value}"
    return ""


def _changes(stage: Stage) -> Iterator[Item]:
    """What the database says that the turn changed; what is not expected is forbidden."""
    left = list(stage.exchange.changes)
    for wanted in stage.expect.changes:
        fits = (change for change in left if all(_equal(change.get(name), value) for name, value in wanted.items()))
        made = next(fits, None)
        name = " ".join(str(wanted.get(key, "")) for key in ("kind", "home", "done")).strip()
        yield stage.item(made is not None, f"the database has {name if made else f'no {name}'}")
        left = [change for change in left if change is not made]
    for change in left:
        name = f"{change.get('kind')} {change.get('key')}"
        yield stage.item(False, f"{name} was {change.get('done')} without the person's yes", fatal=True)


def _forbidden(case: Case, stage: Stage) -> Iterator[Item]:
    called, forbidden = stage.exchange.called, stage.expect.no_calls
    for tool in called:
        if tool in (*forbidden, *case.script.never_calls):
            yield stage.item(False, f"called {tool}, which it must not here")
    if forbidden and not stage.exchange.error and not set(called) & set(forbidden):
        yield stage.item(True, f"left {', '.join(forbidden)} alone", "", beside=True)


def _equal(a: Any, b: Any) -> bool:
    if isinstance(a, int | float) and isinstance(b, int | float) and not isinstance(a, bool):
        return abs(a - b) <= 0.005 * max(1.0, abs(b)) / 100
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(_equal(x, y) for x, y in zip(a, b, strict=True))
    return _plain(str(a)) == _plain(str(b))


def _plain(text: str) -> str:
    """Lower case, thousands without commas, blanks as one."""
    return " ".join(re.sub(r"(?<=\d),(?=\d{3})", "", text.lower()).split())


# -- how it leads the talk


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
