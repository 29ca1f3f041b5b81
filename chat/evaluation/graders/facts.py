"""House expertise and industry familiarity: what replies assert, held against the database and what the script asks."""

from __future__ import annotations

import re
from calendar import month_name
from collections.abc import Iterator, Sequence
from typing import Any

from chat.evaluation.graders.case import Case, Item, Stage, grader, named, quoted
from chat.evaluation.graders.claimed import Checked
from chat.evaluation.graders.claims import numbers, slack, whether, words
from chat.evaluation.turns import Expect, Fact, Names
from minds.dialogue import clip

_LOANS = ("loan.", "afford.")
_YES, _NO = (
    r"^\W*yes\b|\bhas one\b",
    r"^\W*(?:(?:sorry|unfortunately)\W+)?no(?:\W*$|\s*[,.;:!-]|\s+it\b)|\bnot have one\b",
)
"""Answers that leave out what was asked for."""
_GIVES_UP = re.compile(r"\bcould not work (?:this|that|it) out\b", re.I)


@grader(missing="nothing that was not asked for, no question and no offer went with the answers")
def facts(case: Case) -> Iterator[Item]:
    """One item for each question about what the database holds, and for each other turn that asserts what is not so."""
    for stage in case.stages:
        wrong = _unfounded(case, stage)
        if wrong and not stage.expect.trade:
            yield stage.item(False, _told(wrong), wrong.claim.quote)
        elif _asks(stage.expect) and not _of_trade(stage.expect):
            yield _answered(case, stage)


@grader(missing="no question and no offer went with the answers")
def trade(case: Case) -> Iterator[Item]:
    """One item for each question of the trade whose answer the script can tell."""
    for stage in case.stages:
        if _of_trade(stage.expect) and (_asks(stage.expect) or stage.expect.says_not):
            wrong = _unfounded(case, stage)
            yield stage.item(False, _told(wrong), wrong.claim.quote) if wrong else _answered(case, stage)


def _of_trade(expect: Expect) -> bool:
    """Said so by the script; or figures of a loan; or words that need no look-up, such as an apology."""
    if expect.trade or expect.facts:
        return expect.trade or all(fact.name.startswith(_LOANS) for fact in expect.facts)
    return bool(expect.says) and expect.invoke is False and expect.names == Names()


def open_to_judge(case: Case) -> bool:
    """Whether it has questions of the trade for which the script names no answer."""
    return any(stage.expect.trade for stage in case.stages)


def _asks(expect: Expect) -> bool:
    return bool(expect.facts or expect.says or expect.names != Names())


def _answered(case: Case, stage: Stage) -> Item:
    reply, wanted = stage.exchange.reply, stage.expect.facts
    fault = next(_amiss(stage), "")
    for fact in reversed(wanted):
        if not says(fact, reply, case.checked[stage.number]):
            fault = f"does not say {fact.name} = {_short(fact.value)}"
    if found := _GIVES_UP.search(reply):
        fault = f"says `{found[0]}`: that is no answer"
    if stage.exchange.error:
        fault = f"there is no reply: {stage.exchange.error}"
    said = ", ".join(f"{fact.name} = {_short(fact.value)}" for fact in wanted[:3])
    why = fault or (f"says {said}" if said else "answers as expected")
    return stage.item(not fault, why, quoted(reply), extends=bool(fault) or _goes_on(case, stage))


def _amiss(stage: Stage) -> Iterator[str]:
    """What the reply does not name or say, or says and must not."""
    reply, wanted = stage.exchange.reply, stage.expect.names
    there, words = named(reply), unlisted(reply) if _of_trade(stage.expect) else reply
    if wanted.any and not there & set(wanted.any):
        yield f"names none of {', '.join(wanted.any[:4])}"
    if absent := [name for name in wanted.all if name not in there]:
        yield f"does not name {', '.join(absent[:4])}"
    yield from (f"says nothing like `{each.pattern}`" for each in stage.expect.says if not each.search(words))
    found = filter(None, (pattern.search(reply) for pattern in stage.expect.says_not))
    yield from (f"says `{each[0]}`, which it must not" for each in found)


def unlisted(reply: str) -> str:
    """What a reply says in words: a list of homes, with the line over it, explains nothing."""
    lines = [line for line in reply.splitlines() if line.strip()]
    listed = [bool(re.match(r"\s*[-*•]", line)) and bool(named(line)) for line in lines]
    over = [line.rstrip().endswith(":") and after for line, after in zip(lines, [*listed, False][1:], strict=True)]
    return "\n".join(line for line, *drop in zip(lines, listed, over, strict=True) if not any(drop))


def _unfounded(case: Case, stage: Stage) -> Checked | None:
    """The first assertion that the base contradicts or that nothing supports."""
    asked, invented = " ".join(call.argument for call in stage.exchange.calls), list[Checked]()
    for one in case.checked[stage.number]:
        if one.verdict == "false":
            return one
        # "3 homes found, 190,000 to 260,000 euros" reads back what was searched for, and asserts it of no home
        wished = not named(one.claim.name) and isinstance(one.claim.value, int | float) and has(one.claim.value, asked)
        if one.verdict == "unsupported" and not wished:
            invented.append(one)
    return next(iter(invented), None)


def _told(wrong: Checked) -> str:
    subject = wrong.claim.name.removeprefix(".")
    actual = f"; it is {_short(wrong.actual)}" if wrong.actual is not None else ""
    how = "which is not so" if wrong.verdict == "false" else "which nothing supports"
    return f"says {subject} = {_short(wrong.claim.value)}, {how}{actual}"


def _goes_on(case: Case, stage: Stage) -> bool:
    """It says more than was asked for, or goes on with a question or an offer."""
    reply, asked = stage.exchange.reply, {fact.name for fact in stage.expect.facts}
    expected = stage.expect.names
    known = named(" ".join([stage.exchange.said, *asked, *expected.any, *expected.all]))
    told = {one.claim.name for one in case.checked[stage.number] if not one.claim.name.endswith(".id")}
    more = (told - asked) | (named(reply) - known)
    return bool(more) or "?" in reply or bool(case.suite.signs.offered(reply))


def says(fact: Fact, reply: str, checked: Sequence[Checked] = ()) -> bool:
    """Whether a reply says a fact: asserts it, or has its value among its words."""
    told = [one for one in checked if one.claim.name == fact.name]
    # of loans there are as many as somebody asks for
    if not fact.name.startswith(_LOANS) and any(one.verdict == "true" for one in told):
        return not isinstance(fact.value, bool) or any(one.claim.value == fact.value for one in told)
    field = fact.name.partition(".")[2].partition(".")[0]
    if isinstance(fact.value, bool) and field in words()["features"]:
        return bool(re.search(_YES if fact.value else _NO, reply, re.I)) or fact.value in whether(field, reply)
    nothing = words()["nothing"].get(field) if fact.value == 0 else None
    return has(fact.value, reply) or bool(nothing and re.search(nothing, reply, re.I))


def has(value: Any, reply: str) -> bool:
    """Whether a value stands in a text: numbers as numbers, times as they are spoken, words in any case."""
    if isinstance(value, bool) or value is None:
        return bool(re.search(r"\b(?:yes|has|with|is)\b" if value else r"\b(?:no|not|without|none)\b", reply, re.I))
    if isinstance(value, int | float):
        return any(abs(number - value) <= slack(number, value) for number in numbers(reply))
    if isinstance(value, list | tuple):
        return any(has(each, reply) for each in value) if value else True
    if moment := re.fullmatch(r"(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d))?", str(value)):
        return _has_moment(moment, reply)
    if len(str(value)) == 1:  # a letter, such as an energy class, stands behind what it is one of
        return bool(re.search(rf"\b(?i:class|energy|rating)\b[^.,;\n]{{0,30}}\b(?<!from )(?<!to ){value}\b", reply))
    return bool(re.search(rf"(?<!\w){re.escape(str(value))}(?!\w)", reply, re.I))


def _has_moment(moment: re.Match[str], reply: str) -> bool:
    month, day = month_name[int(moment[2])], int(moment[3])
    spoken = rf"\b{day}(?:st|nd|rd|th)?(?: of)? {month}\b|\b{month} {day}(?:st|nd|rd|th)?\b"
    if not re.search(rf"{spoken}|{moment[1]}-{moment[2]}-{moment[3]}", reply, re.I):
        return False
    if moment[4] is None:
        return True
    hour, minute = int(moment[4]), moment[5]
    clock = rf"\b0?{hour}:{minute}\b|\b{hour % 12 or 12}(?::{minute})? ?{'p' if hour >= 12 else 'a'}\.?m"
    return bool(re.search(clock, reply, re.I))


def _short(value: Any) -> str:
    return clip(f"{value:g}" if isinstance(value, float) else str(value), 60)
