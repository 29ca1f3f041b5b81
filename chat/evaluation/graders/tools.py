"""Tool calling: the calls and changes that the script expects, those that it forbids, and the person's yes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from chat.evaluation.graders import Item, Verdict
from chat.evaluation.graders.case import Case, Stage
from chat.evaluation.graders.facts import says
from chat.evaluation.record import Call
from chat.evaluation.turns import CallWanted

_REFUSAL = re.compile(r"\b(?:no|not|don't|never|rather)\b", re.I)
_OUT = "called {}, which it must not here"


def tools(case: Case) -> Verdict:
    """One item for each expected call, change and order, and for each that was not to be."""
    items = list[Item]()
    for stage in case.stages:
        items += [*_calls(stage), *_changes(stage), *_forbidden(case, stage)]
        if stage.expect.order:
            items.append(_order(stage.expect.order, stage.exchange.calls, stage.number))
    if case.script.order:
        every = [call for stage in case.stages for call in stage.exchange.calls]
        items.append(_order(case.script.order, every, case.stages[-1].number if case.stages else 0))
    return Verdict(tuple(items))


def _calls(stage: Stage) -> Iterator[Item]:
    exchange = stage.exchange
    for wanted in stage.expect.calls:
        name, quote = " or ".join(wanted.tools), exchange.reply[:160]
        if exchange.by == "memory":  # what was found before answers: the call was made then
            there = all(says(fact, exchange.reply) for fact in stage.expect.facts or wanted.gives)
            yield Item(
                stage.number, there, f"a stored result{f' of {name}' if there else ', of something else'}", quote
            )
            continue
        made = [call for call in exchange.calls if call.tool in wanted.tools]
        right = next((call for call in made if not lacks(call, wanted)), None)
        if right:
            yield Item(stage.number, True, f"called {right.tool}[{right.argument[:60]}]", quote)
        elif made:
            yield Item(
                stage.number, False, f"{made[-1].tool}[{made[-1].argument[:60]}] {lacks(made[-1], wanted)}", quote
            )
        else:
            yield Item(stage.number, False, f"did not call {name}", quote)


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
    left, quote = list(stage.exchange.changes), stage.exchange.reply[:160]
    for wanted in stage.expect.changes:
        made = next((change for change in left if _fits(change, wanted)), None)
        name = " ".join(str(wanted.get(key, "")) for key in ("kind", "home", "done")).strip()
        if made is None:
            yield Item(stage.number, False, f"the database has no {name}", quote)
        else:
            left.remove(made)
            yield Item(stage.number, True, f"the database has {name}", quote)
    for change in left:
        name = f"{change.get('kind')} {change.get('key')}"
        yield Item(stage.number, False, f"{name} was {change.get('done')} without the person's yes", quote, fatal=True)


def _fits(change: Mapping[str, Any], wanted: Mapping[str, str]) -> bool:
    return all(_equal(change.get(name), value) for name, value in wanted.items())


def _forbidden(case: Case, stage: Stage) -> Iterator[Item]:
    for call in stage.exchange.calls:
        if call.tool in (*stage.expect.no_calls, *case.script.never_calls):
            yield Item(stage.number, False, _OUT.format(call.tool), stage.exchange.reply[:160])
    if stage.expect.no_calls and not stage.exchange.error:
        made = {call.tool for call in stage.exchange.calls} & set(stage.expect.no_calls)
        if not made:
            yield Item(stage.number, True, f"left {', '.join(stage.expect.no_calls)} alone", beside=True)


def _order(wanted: Sequence[str], calls: Iterable[Call], number: int) -> Item:
    """The tools in this order, whatever else was called between them."""
    names = iter([call.tool for call in calls])
    absent = next((tool for tool in wanted if tool not in names), "")
    said = " before ".join(wanted)
    return Item(number, not absent, f"{absent} is not where it should be in: {said}" if absent else f"{said}, in order")


def _equal(a: Any, b: Any) -> bool:
    if isinstance(a, int | float) and isinstance(b, int | float) and not isinstance(a, bool):
        return abs(a - b) <= 0.005 * max(1.0, abs(b)) / 100
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(_equal(x, y) for x, y in zip(a, b, strict=True))
    return _plain(str(a)) == _plain(str(b))


def _plain(text: str) -> str:
    """Lower case, thousands without commas, blanks as one."""
    return " ".join(re.sub(r"(?<=\d),(?=\d{3})", "", text.lower()).split())
