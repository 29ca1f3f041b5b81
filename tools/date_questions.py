"""Which questions are about dates at all, and questions of two sentences told in one."""

from __future__ import annotations

import re
from datetime import date

from tools.days import WEEKDAYS, read_day
from tools.desk import ToolFault

_NO_DATE = "This asks for an amount, not for a date or a time; use another tool."
_COUNTED = (
    r"(?:(?:business|working|week|calendar|full|whole|more|leap|school) ?)*"
    r"(?:days?|weekdays?|weeks?|weekends?|months?|years?|"
    rf"decades|fortnights|hours?|hrs|minutes?|mins|seconds?|sleeps|nights|time|"
    rf"{'|'.join(f'{name}s' for name in WEEKDAYS)})"
)
_AMOUNT = re.compile(
    r"[$€£¥]\s*\d|\d\s*[$€£¥%]|\d\s?-?(?:dollars?|euros?|eur|usd|gbp|chf|pounds?|bucks|cents|percent|per cent)\b|"
    r"\d\s?(?:miles?|km|kilomet(?:er|re)s?|met(?:er|re)s?|cm|feet|kg|kilos?|grams?|lit(?:er|re)s?|pages?|people|mph|kmh)\b|"
    rf"\bhow much (?!time|longer|later|earlier|older|younger)|\bhow many (?!{_COUNTED}\b)|\bspeed\b|"
    r"\b(?:an|per) hour\b|\bpercent\w*|\d hours? (?:a|1|per) (?:day|week)\b|\bper cent\b|\bhow fast\b|"
    r"\bin (?:square |cubic )?(?:feet|foot|inch(?:es)?|yards|pounds|ounces|celsius|fahrenheit|gallons|acres)$|"
    r"\bwhat (?:do|did|will|must|would) (?:i|we|you|they|he|she|it) (?:pay|cost|earn|make|spend|owe|save|get)\b"
)
_LENGTH = r"(?:seconds?|minutes?|hours?|days?|weeks?|fortnights?)"
_CONVERSION = re.compile(
    rf"how (?:many|much) {_LENGTH} (?:(?:are|is) )?(?:there )?(?:in|is|are|make) [\d.]+ (?:{_LENGTH}|years?|months?)"
)


def refuse_amounts(text: str) -> None:
    """Raises ToolFault for money, distances, speeds, counts of things, and units of time made into others."""
    if _AMOUNT.search(text) or _CONVERSION.fullmatch(text):
        raise ToolFault(_NO_DATE)


def refuse_unused(text: str, answer: str) -> None:
    """Raises ToolFault where a figure of the question has no part in the answer: something else was asked."""
    left = re.sub(r"\d{1,4}[-/.]\d{1,2}(?:[-/.]\d{1,4})?(?:t\S*)?|\d{1,2}:\d\d(?::\d\d)?|\b\d{8}\b", " ", text)
    left = re.sub(r"\b\d{1,2} ?(?:[ap]\.?m\b|o'?clock)|\b(?:half|quarter) (?:past|to) \d+", " ", left)
    left = re.sub(r"\b\d+(?:\.\d+)?[ -]*(?:(?:business|working) )?(?:days?|weekdays?|weeks?|fortnights?|months?|years?|"
                  r"decades?|hours?|hrs?|h|minutes?|mins?|min|m|seconds?|secs?)\b", " ", left)  # fmt: skip
    shown = {int(figure) for figure in re.findall(r"\d+", answer)}
    for figure in map(int, re.findall(r"\d+(?!(?:st|nd|rd|th) [a-z]+day)", left)):
        if not shown & {figure, figure + 12, figure + 1900, figure + 2000}:
            raise ToolFault(f"{figure} has no part in a date here; ask one thing about dates or times.")


def in_one(text: str, today: date) -> str:
    """`My visa starts on 4 May 2027. What date is 60 days after that?` as `60 days after 4 may 2027`.

    Other texts come back as they are: also where the first sentence names no day, or has further figures.
    """
    text = re.sub(r"\b(today|tomorrow|yesterday)'s (?:date|day)\b", r"\1", text)
    told, _, asked = text.replace("?", "").rpartition(". ")
    that = re.search(r"\b(?:that|this|it|then)(?: (?:day|date))?\b", asked)
    if not told or not that or re.search(r"\d{1,2}:\d\d", text):
        return text
    day = _day_told(told, today)
    if not day:
        return text
    if re.search(r"\b(?:what|which) (?:day|weekday|date)\b(?!.*\d)", asked) and not re.search(_STEP_WORDS, asked):
        return day
    if re.search(rf"\d+ .*{_STEP_WORDS} (?:that|this|it|then)\b|\b(?:until|till|since|to) (?:that|then|it)\b", asked):
        return f"{asked[: that.start()]}{day}{asked[that.end() :]}"
    return text


_STEP_WORDS = r"\b(?:after|before|from|past|following|prior to)\b"


def _day_told(told: str, today: date) -> str:
    """The longest words of a sentence that name a day, where no figure stands outside of them; else nothing."""
    words = told.replace(",", "").split()
    step = re.search(
        r"\b(?:in )?\d+ (?:days?|weeks?|months?|years?)(?: (?:from|after|before) (?:today|now|tomorrow))?$", told
    )
    if step and (" from " in step[0] or step[0].startswith("in ")) and not re.search(r"\d", told[: step.start()]):
        return step[0]
    for size in range(min(len(words), 6), 0, -1):
        for at in range(len(words) - size + 1):
            rest = words[:at] + words[at + size :]
            if not re.search(r"\d", " ".join(rest)) and _names_a_day(" ".join(words[at : at + size]), today):
                return " ".join(words[at : at + size])
    return ""


def _names_a_day(text: str, today: date) -> bool:
    try:
        return bool(read_day(text, today))
    except ToolFault:
        return False
