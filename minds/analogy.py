# ruff: noqa: E501  (one pattern a line reads better than folded ones)
"""Follow-ups resolved by rule: what a turn leaves out is taken from the exchange before it.

`And 55 miles?` after `How many kilometres are 40 miles?` puts the new phrase in the place of its like; `now take 20% of
that` puts in the result (minds/aftermath.py). A small model copies or drops where these rules only move words; they
propose, and the caller takes what a tool understands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from minds.quantities import UNITS
from tools.desk import ToolFault
from tools.measures import measure
from tools.numerals import digits

_LEAD = re.compile(
    r"^(?:(?:ok(?:ay)?|and|now|so|then|but|or|please|also|nice|thanks|thank you|great|cool|hm+|well|right|alright|perfect"
    r"|good|no|nope|oops|sorry|wait|actually|rather|correction|pardon|excuse me|ah|oh)\b[,.!:]*\s+)*"
    r"(?:(?:what|how) about|what if (?:it(?:'s| is| was| were)|(?:i|we|you)(?: (?:take|use|want|had|buy|pay|need|have))?)"
    r"|(?:what )?if (?:you|i|we) (?=(?:then )?(?:add|subtract|take (?:away|off)|divide|multiply|double|halve|split|share|round)\b|take [\d.,%]+ (?:off|away|from|of)\b)|if (?:i|we|you) (?:take|use|want|had|buy|pay|need|have) (?=\d)|(?:the )?same (?:thing |question |again )?(?:for|with)|i (?:actually )?meant(?: to say)?|i mean|make (?:it|that))?\s*",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"(?:,?\s+(?:instead|then|please|now|too|as well|again|sorry|i mean|i meant|though))*[\s?!.]*$", re.IGNORECASE
)
_CORRECTS = re.compile(r"^(?:no|nope|oops|sorry|wait|actually|correction|ah|oh|i meant?|make)\b", re.IGNORECASE)
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
_KINDS = {
    "date": rf"\d{{4}}-\d\d-\d\d|\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}\b(?:,? \d{{4}}\b)?"
    rf"|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?\b(?:,? \d{{4}}\b)?"
    r"|(?:(?:next|last|this|coming) )?(?:mon|tues|wednes|thurs|fri|satur|sun)day\b"
    r"|christmas(?: eve| day)?|easter(?: sunday| monday)?|halloween|new year's (?:eve|day)|(?:today|tomorrow|yesterday)\b",
    "time": r"\d{1,2}[:.]\d\d ?(?:[ap]\.?m\b\.?)?(?!\d)|\d{1,2} ?[ap]\.?m\b\.?|(?:noon|midnight)\b|(?:half|quarter) (?:past|to) \d+",
    "code": r"(?=[a-z]*\d)[a-z]{1,4}-?\d[\w-]{0,6}\b",
    "rate": r"\d[\d,.]*\s?(?:%|per ?cent\b)",
    "amount": r"[$€£]?(?<![\w.])-?(?:\d[\d,.]*\d|\d)",
}
_SPANS = re.compile("|".join(f"(?P<{kind}>{pattern})" for kind, pattern in _KINDS.items()), re.IGNORECASE)
_UNIT = re.compile(r"\s?(°\s?[CF]\b|[A-Za-z][A-Za-z/'-]*)(?: (?:before|after|later|earlier|ago)\b)?")
_TARGET = re.compile(r"\b(in|to|into)\s+([a-z°][a-z ]{0,24}?)(?=[\s?!.]*$)", re.IGNORECASE)
_COUNTED = re.compile(
    r"\b(how many|how much) ([a-z ]{1,20}?)(?= (?:are|is|in|do|does|until|till|to|from|between|make)\b|[\s?!.]*$)", re.I
)
_PERIOD = re.compile(
    r"\b(?:(?:per|a|an|each|every|in an?|for an?|over an?|for one|in one|for the|for a whole|in total over a) "
    r"(?:whole |full )?(?:day|week|month|year)|(?:daily|weekly|monthly|yearly))\b", re.IGNORECASE
)  # fmt: skip
_JOIN = r"of|on|for|from|to|by|between|among|in|into|at|until|till|with|after|before|since|per|over|when|if|about"
_NAME = re.compile(r"(?<![.?!] )(?<!^)\b[A-Z][\w'’-]+(?: (?:[A-Z][\w'’-]+|de|of|los)(?= ?[A-Z]|[\s?.,!]|$))*")
_BREAK = rf"is|are|was|were|do|does|did|can|may|must|will|i|we|you|how|what|when|who|where|which|much|many|and|or|has|have|{_JOIN}"
_WHOLE = re.compile(
    r"(?:what|how|when|which|who|where|is|are|does|do|did|can|convert|calculate|split|divide|multiply|add)\b(?:\W+\S+){3}"
    r"|(?:-?[\d.,]+%? ?(?:times|plus|minus|divided by|of|[-+*/x]) ?[\d.,]+)", re.I
)  # fmt: skip
_POINTS = re.compile(r"\b(?:that|it|this|them|they|those|he|she|him|her|its|their|then|there|one)\b", re.I)
_INSTEAD = re.compile(
    r"^(?P<new>.+?),? (?:and )?not (?P<old>.+)$|^not (?P<old2>.+?),? but (?P<new2>.+)$", re.IGNORECASE
)


@dataclass(frozen=True)
class Span:
    """A phrase that another of its kind may replace."""

    kind: str
    start: int
    end: int
    """Of the figure alone for an amount; `stop` is behind its unit."""
    stop: int
    unit: str
    anchor: str
    """The word before it."""


def core_of(said: str) -> str:
    """What is new in a follow-up, number words as digits: `And what about half a cup?` as `0.5 cup`."""
    core = _TAIL.sub("", _LEAD.sub("", " ".join(said.split())))
    return digits(re.sub(r"\bhalf an? (?=[a-z])", "0.5 ", core))


def corrects(said: str) -> bool:
    """Whether a turn takes back what was asked, so that it is no step further."""
    return bool(_CORRECTS.match(said.strip()))


def leans(core: str) -> bool:
    """Whether it is only a part of a question, or points at something said before."""
    return not _WHOLE.match(core) or bool(_POINTS.search(core))


def substitutions(said: str, question: str) -> Iterator[str]:
    """Readings of `said` as the question before with one phrase replaced by its like, the likeliest first."""
    core, question = core_of(said), digits(question)
    if not core:
        return
    if swap := _INSTEAD.match(core):
        old, new = swap["old"] or swap["old2"], swap["new"] or swap["new2"]
        if (at := question.lower().find(old.lower())) >= 0:
            yield question[:at] + new + question[at + len(old) :]
        core = new
    yield from _same_head(core, question)
    yield from _like_spans(core, question)
    yield from _units(core, question)
    yield from _names(core, question)
    yield from _phrases(core, question)


def spans(text: str) -> list[Span]:
    """The phrases of a text that can be replaced: dates, times, codes, rates, amounts with their units."""
    return [_span(text, found) for found in _SPANS.finditer(text)]


def _span(text: str, found: re.Match[str]) -> Span:
    before = re.search(r"([A-Za-z']+)[^A-Za-z]*$", text[: found.start()])
    anchor = before[1].lower() if before else ""
    kind, unit, stop = str(found.lastgroup), "", found.end()
    if kind == "amount" and (behind := _UNIT.match(text, stop)) and not re.fullmatch(_BREAK, behind[1], re.I):
        unit, stop = behind[1], behind.end() if _measure(behind[1]) else behind.end(1)
    return Span(kind, found.start(), found.end(), stop, unit, anchor)


def _measure(unit: str) -> str:
    """One name for all spellings of a unit; empty for other nouns."""
    if len(unit) < 3 or unit.lower() in UNITS:
        return UNITS.get(unit.lower(), "")
    try:
        return measure(unit.lower()).unit
    except ToolFault:
        return ""


def _same(one: str, other: str) -> bool:
    a, b = ((_measure(unit) or unit.lower().removesuffix("s")) for unit in (one, other))
    return bool(one) and a == b


def _like_spans(core: str, question: str) -> Iterator[str]:
    if nth := re.fullmatch(r"(?:on )?(?:the )?(\d{1,2})(?:st|nd|rd|th)", core, re.I):
        for found in re.finditer(
            rf"\b\d{{1,2}}(?=(?:st|nd|rd|th)? (?:of )?{_MONTH}\b)|(?<=[a-z] )\d{{1,2}}(?=, \d{{4}})", question, re.I
        ):
            yield question[: found.start()] + nth[1] + question[found.end() :]
    new = next(iter(spans(core)), None)
    if not new:
        return
    old = [span for span in spans(question) if span.kind == new.kind]
    if new.kind == "amount" and _measure(new.unit) and not any(_same(new.unit, span.unit) for span in old):
        yield from _period(core, question)
    latest = new.kind in ("date", "time") and new.anchor not in ("from", "since", "at", "starts")
    context = {_stem(word) for word in re.findall(r"[a-z]{3,}", core.lower())}
    if not old:
        yield from _same_head(core, question, measured=True)
    ranked = sorted(
        old, key=lambda span: (-_likeness(new, span, core, question, context), -span.start if latest else span.start)
    )
    for span in ranked:
        yield _replaced(core, new, question, span)


def _likeness(new: Span, old: Span, core: str, question: str, context: set[str]) -> int:
    fraction = ("." in core[new.start : new.end]) == ("." in question[old.start : old.end])
    near = {_stem(word) for word in re.findall(r"[a-z]{3,}", question[max(0, old.start - 24) : old.stop + 12].lower())}
    kinds = 4 * _same(new.unit, old.unit) + 2 * bool(_measure(new.unit) and _measure(old.unit))
    return kinds + 3 * (new.anchor != "" and new.anchor == old.anchor) + fraction + len(context & near)


def _replaced(core: str, new: Span, question: str, old: Span) -> str:
    """The figure alone where the unit stays what it was, else the phrase with its unit."""
    text, end = core[new.start : new.end], old.end
    if re.search(r"\b(?:minus|negative) $", core[: new.start]):
        text = f"-{text}"
    whole = _measure(new.unit) and (_measure(old.unit) or not old.unit)
    if whole:
        text, end = core[new.start : new.stop], old.stop
        turned = re.search(r" (?:before|after|later|earlier|ago)$", question[old.start : old.stop])
        if turned and not re.search(r" (?:before|after|later|earlier|ago)$", text):
            text += turned[0]
        elif not turned:
            text = re.sub(r" (?:before|after|later|earlier|ago)$", "", text)
    kept = re.match(r"(?:next|last|this|coming) ", question[old.start : old.end], re.I) if new.kind == "date" else None
    if kept and re.match(r"[a-z]+day$", text, re.I):
        text = kept[0] + text
    return question[: old.start] + text + question[end:]


def _period(core: str, question: str) -> Iterator[str]:
    """`And over 2 years?` in the place of `per year`."""
    asked = list(_PERIOD.finditer(question))
    if re.match(r"(?:for|in|over|after) ", core, re.I) and asked:
        yield question[: asked[-1].start()] + core + question[asked[-1].end() :]


def _units(core: str, question: str) -> Iterator[str]:
    """Another unit for the result: `And in pints?`, `and seconds?`."""
    target = _TARGET.fullmatch(core)
    unit = target[2] if target else core
    if not re.fullmatch(r"[A-Za-z° /]+", unit) or not (target or _measure(unit.split()[-1])):
        return
    for like in (_TARGET.search(question), _COUNTED.search(question)):
        if like:
            yield question[: like.start(2)] + unit + question[like.end(2) :]


def _names(core: str, question: str) -> Iterator[str]:
    """`And in Tokyo?`, `and Sydney?`: the last name behind the same word, else the last name."""
    new = re.search(r"(?:\b(in|at|for|from|on|to)\s+)?((?:[A-Z][\w'’-]+\s?)+)$", core)
    if not new:
        return
    likes = [found for found in _NAME.finditer(question) if not re.fullmatch(rf"(?:{_MONTH}|\w+day)", found[0], re.I)]
    same = [like for like in likes if new[1] and re.search(rf"\b{new[1]}\s+$", question[: like.start()], re.I)]
    for like in [*reversed(same), *reversed(likes)]:
        yield question[: like.start()] + new[2].strip() + question[like.end() :]


def _same_head(core: str, question: str, measured: bool = False) -> Iterator[str]:
    """`And a trekking bike?` in the place of `a city bike`: the last word is the same thing."""
    words = core.split()
    head = words[-1].removesuffix("?")
    if (
        not re.fullmatch(r"[a-z][a-z'-]{2,}", head)
        or head in _BREAK.split("|")
        or len(words) < 2
        or _measured(core) > measured
    ):
        return
    for found in re.finditer(r"[A-Za-z][\w'-]+", question):
        if _stem(found[0].lower()) == _stem(head) and (start := _phrase_start(question, found.start())) < found.start():
            new = core if not re.match(rf"(?:{_JOIN})\b ", core, re.I) else core.split(" ", 1)[1]
            yield question[:start] + new + question[found.end() :]


def _measured(core: str) -> bool:
    return bool(_SPANS.match(core)) and not re.search(r"[A-Z]", core)


def _phrase_start(question: str, at: int) -> int:
    """Where the noun phrase begins whose head stands at `at`."""
    start = at
    for word in reversed(list(re.finditer(r"[\w'-]+", question[:at]))):
        if re.fullmatch(_BREAK, word[0], re.I) or question[word.end() : start].strip():
            break
        start = word.start()
        if re.fullmatch(r"(?:an?|the|my|our|your)", word[0], re.I):
            break
    return start


def _phrases(core: str, question: str) -> Iterator[str]:
    """`And on the motor?`: what stands behind the same word; `And the tenors?`: the first phrase with such an article."""
    anchored = re.match(rf"({_JOIN}) (.+)", core, re.I)
    if anchored and (
        found := re.search(rf"\b{anchored[1]} (.+?)(?= (?:{_JOIN}|is|are|do|does)\b|[,?!.]|$)", question, re.I)
    ):
        yield question[: found.start(1)] + anchored[2] + question[found.end(1) :]
    article = re.match(r"(an?|the|my|our|your) [\w' -]+$", core, re.I)
    if article and (
        found := re.search(rf"\b{article[1]} [\w'-]+(?: (?!(?:{_BREAK}|[a-z]+s?)\b)[\w'-]+)*", question, re.I)
    ):
        yield question[: found.start()] + core + question[found.end() :]


def _stem(word: str) -> str:
    return re.sub(r"(?<=[sxz])es$|(?<=[cs]h)es$|(?<=[^s])s$", "", word) if len(word) > 3 else word
