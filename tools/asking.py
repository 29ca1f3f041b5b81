# ruff: noqa: E501  (one pattern a line reads better than folded ones)
"""What a question to documents asks for: without the name of its source, in other words, and what kind of answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Set

_SOURCES = (
    r"guides?|handbooks?|manuals?|rules|agreement|newsletter|notebook|pdf|files?|documents?|terms|booklet|contract|leaflet"
    r"|brochure|letter|report|paper|text|notes?|policy|instructions|programme|plan|minutes|sheet|catalogue|e-?mail|recipes"
)
_NAMED = rf"(?:the|my|this|that|your|our|these)\b(?: [\w'’&-]+){{0,3}}? (?:{_SOURCES})(?: (?:that )?i (?:just )?(?:uploaded|gave you|sent(?: you)?|attached|shared))?\b"
_SOURCE = re.compile(
    rf",?\s*\b(?:according to|as per|per|based on|says|say|in|from|by|under|look in|check)\s+{_NAMED}[,:]?|^{_NAMED}[,:]\s"
    r"|,?\s*\baccording to (?:the|my|our) [\w ]+?(?=[,?.]|$),?",
    re.I,
)
_ALIKE = """
heavy weigh weight kilogram kg
tall high height
wide width
deep depth
long last length duration hour minute
loud noise decibel db
far distance kilometre metre mile
old age
wifi wi-fi wireless wlan network internet
phone telephone call ring number
ill sick illness sickness
cost price fee charge pay rate euro pound dollar cent
salary wage pay
start begin open commence
finish end close until
warranty guarantee covered
holiday vacation leave
probation trial
quit leave resign notice
cancel withdraw
return back
rubbish trash waste garbage bin
car vehicle park
kid child
boss manager owner director chair
teach teacher taught
cook chef
doctor surgery physician
buy purchase
rent hire lease
allow permit may forbidden
ban forbidden prohibit allowed
discount reduction percent off
complain complaint
fix repair mend
break broken damage
lose lost
late delay
member people
guest visitor
sign signature
shut close
arrive arrival check-in ready
leave departure check-out
""".strip().splitlines()
"""Words that say about the same; the first ones stand for the question."""
_COUNT = r"(?:\d[\d.,]*|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|no)\b"
_PLACE = (
    r"\b(?:behind|beside|next to|above|below|under|underneath|near|opposite|left of|right of)\b|\b[A-Z]\w+ (?:Street|Road|Lane|Square)\b"
    r"|\b(?:in|at|on|to|from) (?:the|our|a|an|\d+)? ?(?:[\w'-]+ )?(?:room|hall|house|building|floor|kitchen|cupboard|cellar|garden|yard|shop"
    r"|office|church|drawer|box|shelf|desk|door|wall|library|school|centre|station|car park|park|garage|gate|corridor|lobby|[A-Z]\w+)\b"
)
_KINDS = (
    (r"\bwhere\b|\bin (?:which|what) (?:room|place|street|building)\b", _PLACE),
    (r"\bhow (?:much|many|old|long|far|high|tall|wide|deep|heavy|big|large|often|loud|hot|cold|warm|fast)\b|\bwhat (?:does .* cost|is the (?:price|fee|cost|number))", r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|free|once|twice|every|daily|weekly)\b"),
    (r"\bwhen\b|\b(?:what|which) (?:day|date|time|month|year)\b|\buntil what\b|\bby when\b", r"\d|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\bnoon\b|\bmidnight\b"),
    (r"^who\b|\bwho\b|\bwhose\b", r"\b[A-Z][a-z]+ [A-Z][a-z]+|\b(?:Mr|Mrs|Ms|Dr|Monsieur|Madame)\b"),
)  # fmt: skip
"""Questions, and what an answer to them holds."""


def without_source(question: str) -> str:
    """`Who conducts the choir, according to the member guide?` as `Who conducts the choir?`."""
    rest = " ".join(re.sub(r"\btakes? place\b", " ", _SOURCE.sub(" ", question)).split())
    return rest if len(re.findall(r"\w{3,}", rest)) >= 2 else question


def forms(term: str, vocabulary: Set[str], stem: Callable[[str], str]) -> frozenset[str]:
    """The words of the documents that a term of the question may stand for.

    Itself and, where the documents do not have it, words that begin with it (`conduct`, `conductor`) or say the same.
    """
    if term in vocabulary:
        return frozenset({term})
    longer = {word for word in vocabulary if len(term) >= 4 and word.startswith(term) and len(word) <= len(term) + 4}
    alike = {stem(word) for line in _ALIKE for words in [line.split()] if term in map(stem, words) for word in words}
    return frozenset(longer or alike & vocabulary)


def fits_kind(question: str, text: str) -> bool:
    """Whether a passage holds the kind of thing that is asked for: a figure, a day or time, a name."""
    if counted := re.search(r"\bhow many ([a-z]{3,}?)(?:e?s)?\b", question, re.I):
        return bool(re.search(rf"{_COUNT}\W+(?:\w+ )?{counted[1]}|{counted[1]}\w*\W+(?:\w+ )?{_COUNT}", text, re.I))
    kinds = [answer for asked, answer in _KINDS if re.search(asked, question, re.I)]
    return all(re.search(answer, text) for answer in kinds[:1])
