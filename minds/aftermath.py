# ruff: noqa: E501  (one pattern a line reads better than folded ones)
"""Follow-ups that go on from a result: `divided by 6`, `double that`, `with 20% VAT on top`, `and per day?`.

The figure, date or time that the answer before ended in is put into the turn; like minds/analogy.py, this proposes
readings, of which the caller takes what a tool understands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from minds.analogy import core_of, corrects
from minds.fidelity import figures

_RESULT = re.compile(
    r"\b(?:that|it|this|them|those|the (?:result|total|sum|answer|number|price|amount|product)|its)\b", re.I
)
_OPERATION = re.compile(
    r"^(?:divided? by|times|multiplied by|plus|minus|less|squared|cubed|to the power|increased by|reduced by|[-+*/×÷])",
    re.I,
)
_VERB = re.compile(
    r"^(?:divide|multiply|add|subtract|take|double|halve|triple|round|convert|square|split|share|knock)\b", re.I
)
_NUMBER = r"\d[\d,.]*\d|\d"
_DATE = re.compile(r"\d{1,2} [A-Z][a-z]+ \d{4}")
_TIME = re.compile(r"\d{1,2}:\d\d(?: [ap]m)?")
_AMOUNT = re.compile(rf"-?(?:{_NUMBER})(?: [a-z°][a-zA-Z]+)?")
_LESS = re.compile(r"\b(?:off|discount|reduction|rebate|less|cheaper|minus|deducted|knocked|fewer|drop|cut)\b", re.I)
_MORE = re.compile(
    r"\b(?:vat|tax|tip|gst|service|raise|rise|increase|on top|added|add|plus|interest|more|surcharge|markup|fee|extra)\b",
    re.I,
)
_RATE = re.compile(rf"({_NUMBER})\s?(?:%|per ?cent\b)", re.I)
_BESIDES = re.compile(
    rf"\b(?:with|plus|add|and) (?:an? )?(?:extra |another )?[$€£]?({_NUMBER})(?: (?!each\b|per\b|of\b)[a-z-]+){{0,4}} (?:on top|extra|added|off|discount|less)\b"
    rf"|\b(?:with|plus|add|and) (?:an? )?(?:extra |another |additional )?[$€£]?({_NUMBER})(?: (?!each\b|per\b|of\b)[a-z-]+){{0,3}} (?:delivery|shipping|postage|fee|deposit|tip|tax|charge|discount|voucher|coupon)\b",
    re.I,
)
"""An amount put on or taken off: `with 15 euros delivery on top`."""
_CONDITION = re.compile(r"(?:if|when) (?:it|that|they|we|i|you|the|an?)\b", re.I)
_DEGREES = re.compile(r"\b(?:celsius|fahrenheit|degrees?|[CF])\b|°")
_EVERY = re.compile(
    r"\b(?:(?:per|an?|each|every|one|the|whole|full) )(day|week|month|year)\b|\b(dai|week|month|year)ly\b|\b(rent|salary)\b",
    re.I,
)


def operations(said: str, question: str, answer: str) -> Iterator[str]:
    """Readings of `said` as something to be done with what the answer before ended in."""
    core = re.sub(r"\b(?:another|an? further|an extra|an additional) (?=[$€£]?\d)", "", core_of(said))
    for value in values(answer) if core else ():
        if _OPERATION.match(core):
            yield f"{value} {core}"
        yield from _reckoned(core, question, value)
        if _RESULT.search(core) and not _CONDITION.match(core):
            yield _RESULT.sub(value, re.sub(r"^take (?=\d[\d.,]*\s*%)", "", core, flags=re.I), count=1)
        elif _VERB.match(core) and not re.search(r"\d.*\b(?:by|from|to|and)\b.*\d", core):
            yield from _verbs(core, value)
        if found := re.fullmatch(
            r"((?:an?|\d+) (?:day|week|month|year|hour|minute)s?) (later|earlier|after|before)", core, re.I
        ):
            yield f"{found[1]} {'after' if found[2].lower() in ('later', 'after') else 'before'} {value}"


def goes_on(said: str, question: str) -> bool:
    """Whether a turn works on the result rather than asking the question before in another way."""
    core = core_of(said)
    if corrects(said) or not core or _CONDITION.match(core):
        return False
    if found := _OPERATION.match(core):
        again = found[0].lower() == "to the power" and "to the power" in question.lower()
        return not again and (not re.match(r"(?:minus|plus|-|\+) ?\d+$", core) or not _DEGREES.search(question))
    if _RATE.search(core) and _RATE.search(question):
        return bool(_RESULT.search(core))
    changes = bool(_BESIDES.search(core)) or bool(_RATE.search(core) and (_LESS.search(core) or _MORE.search(core)))
    return bool(_VERB.match(core) or _RESULT.search(core) or changes)


def values(answer: str) -> list[str]:
    """What an answer ends in: a date, a time, or a figure with and without its unit."""
    plain = " ".join(re.sub(r"\[[^\]]*\]|\([^)]*\)", " ", answer).split())
    tail = re.split(r" = |: ", plain)[-1]
    for kind in (_DATE, _TIME):
        if found := kind.findall(tail):
            return [found[-1]]
    amounts = _AMOUNT.findall(tail) or _AMOUNT.findall(plain)
    bare = figures(amounts[-1])[-1:] if amounts else []
    return (
        list(dict.fromkeys([*bare, amounts[-1].rstrip(" ."), *([amounts[0]] if " = " not in plain else [])]))
        if bare
        else []
    )


def _verbs(core: str, value: str) -> Iterator[str]:
    """`Subtract 40`, `double`, `split between 4`."""
    if found := re.match(rf"(add|subtract|take away|take off|take|knock off) ({_NUMBER}%?)", core, re.I):
        yield f"{value} {'plus' if found[1].lower() == 'add' else 'minus'} {found[2]}"
    elif found := re.match(r"(\w+)(?: (.*))?$", core):
        yield f"{found[1]} {value} {found[2] or ''}".strip()


def _reckoned(core: str, question: str, value: str) -> Iterator[str]:
    """What has a meaning of its own: halves, shares, rates taken off or put on, change, rests, other periods."""
    if re.match(r"halve\b", core, re.I):
        yield f"{value} / 2"
    if found := re.search(rf"\b(?:take|knock|subtract) ({_NUMBER}) (?:off|away|from)\b", core, re.I):
        yield f"{value} - {found[1]}"
    if found := re.search(
        rf"\b(?:split|shared?|divided?) .*?\b(?:between|among|amongst|by|into) (?:the )?({_NUMBER})", core, re.I
    ):
        yield f"{value} / {found[1]}"
    if (rate := _RATE.search(core)) and not re.search(r"\bof\b", core[rate.end() :]):
        if _LESS.search(core):
            yield f"{value} minus {rate[1]}%"
        elif _MORE.search(core):
            yield f"{value} plus {rate[1]}%"
    if not _RATE.search(core) and (found := _BESIDES.search(core)):
        amount = found[1] or found[2]
        yield f"{value} {'-' if _LESS.search(core) else '+'} {amount}"
    if found := re.search(
        rf"\b(?:change|left|remains?|get back|rest|over)\b.*?\b(?:of|from|out of|on)\b(?: the| a| my)? ({_NUMBER})",
        core,
        re.I,
    ):
        yield f"{found[1]} - {value}"
    yield from _for_period(core, question, value)


def _for_period(core: str, question: str, value: str) -> Iterator[str]:
    """An amount for one length of time made into one for another: a year has 12 months, 52 weeks, 365 days."""
    asked, known = _EVERY.search(core), list(_EVERY.finditer(question))
    if not asked or not known or re.search(r"\d", core):
        return
    new, old = (next(filter(None, found.groups())).lower() for found in (asked, known[-1]))
    new, old = ({"dai": "day", "rent": "month", "salary": "month"}.get(word, word) for word in (new, old))
    if (old, new) == ("week", "day") or (old, new) == ("day", "week"):
        yield f"{value} * 7" if new == "week" else f"{value} / 7"
    elif old != new:
        many = {"day": 365, "week": 52, "month": 12, "year": 1}
        steps = [f"* {many[old]}"] * (many[old] > 1) + [f"/ {many[new]}"] * (many[new] > 1)
        yield " ".join([value, *steps])
