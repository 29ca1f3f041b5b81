"""Follow-ups resolved by rule: what a turn leaves out is taken from the exchange before it.

`And 55 miles?` after `How many kilometres are 40 miles?` puts the new phrase in the place of its like; `now take 20% of
that` puts in the result. A small model copies or drops where these rules only move words; they propose, and the
caller takes what a tool understands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from minds.fidelity import figures

_LEAD = re.compile(
    r"^(?:(?:ok(?:ay)?|and|now|so|then|but|or|please|also|nice|thanks|thank you|great|cool|hm+|well|right)[,.!]?\s+)*"
    r"(?:(?:what|how) about|what if (?:it(?:'s| is| was| were)|(?:i|we|you)(?: (?:take|use|want|had|buy|pay))?)"
    r"|same (?:for|with)"
    r"|make (?:it|that))?\s*",
    re.IGNORECASE,
)
_TAIL = re.compile(r"(?:\s+(?:instead|then|please|now|too|as well|again))*[\s?!.]*$", re.IGNORECASE)
_RESULT = re.compile(r"\b(?:that|it|this|the (?:result|total|sum|answer|number)|its)\b", re.IGNORECASE)
_OPERATION = re.compile(
    r"^(?:divided? by|times|multiplied by|plus|minus|less|squared|cubed|to the power|increased by|reduced by|[-+*/×÷])",
    re.IGNORECASE,
)
_VERB = re.compile(r"^(divide|multiply|add|subtract|take|double|halve|round|convert)\b", re.IGNORECASE)
_QUANTITY = re.compile(r"(\d[\d,.]*\d|\d)\s*(%|°?[A-Za-z]+)?")
_CODE = re.compile(r"\b(?=\w*\d)(?=\w*[A-Za-z])\w{2,8}\b")
_TARGET = re.compile(r"\b(in|to|into)\s+([a-z][a-z ]{1,24}?)(?=[\s?!.]*$)", re.IGNORECASE)
_PLACE = re.compile(r"\b(in|at|for|from|on|to)\s+((?:[A-Z][\w'-]+\s?)+)")


def operations(said: str, answer: str) -> Iterator[str]:
    """Readings of `said` as something to be done with the figure of the answer before."""
    core, value = _core(said), _value(answer)
    if core and value and _OPERATION.match(core):
        yield f"{value} {core}"
    if core and value and (_VERB.match(core) or _RESULT.search(core)):
        yield from _with_value(core, value)


def substitutions(said: str, question: str) -> Iterator[str]:
    """Readings of `said` as the question before with one phrase replaced by its like."""
    if core := _core(said):
        yield from _in_place(core, question)


def _core(said: str) -> str:
    return _TAIL.sub("", _LEAD.sub("", " ".join(said.split())))


def _value(answer: str) -> str:
    """The figure that an answer ends in, or its last one: what `that` means after a sum."""
    plain = re.sub(r"\[[^\]]*\]|\([^)]*\)", " ", answer)
    found = figures(plain)
    return found[-1] if found else ""


def _with_value(core: str, value: str) -> Iterator[str]:
    core = re.sub(r"^take (?=\d[\d.,]*\s*%)", "", core, flags=re.IGNORECASE)
    if _RESULT.search(core):
        yield _RESULT.sub(value, core, count=1)
    elif found := re.match(r"(add|subtract)\s+(.+)", core, re.IGNORECASE):
        yield f"{value} {'plus' if found[1].lower() == 'add' else 'minus'} {found[2]}"


def _in_place(core: str, question: str) -> Iterator[str]:
    """The new phrase in the place of its like in the question before."""
    codes = _CODE.findall(core)
    if len(codes) == 1 and len(_CODE.findall(question)) == 1 and not _QUANTITY.fullmatch(core):
        yield _CODE.sub(lambda _: codes[0], question)
    if place := _PLACE.search(core):
        likes = [found for found in _PLACE.finditer(question) if found[1].lower() == place[1].lower()]
        if likes:
            yield question[: likes[-1].start(2)] + place[2].strip() + question[likes[-1].end(2) :]
    if (target := _TARGET.fullmatch(core)) and (like := _TARGET.search(question)):
        yield question[: like.start(2)] + target[2] + question[like.end(2) :]
    if quantity := _QUANTITY.match(core):
        yield from _quantities(quantity, question)


def _quantities(new: re.Match[str], question: str) -> Iterator[str]:
    """First where the same unit or noun follows the figure, then in the place of the first figure."""
    old = list(_QUANTITY.finditer(question))
    same = [found for found in old if new[2] and found[2] and found[2].lower() == new[2].lower()]
    for found in same or ([] if new[2] else old[:1]):
        yield question[: found.start(1)] + new[1] + question[found.end(1) :]
