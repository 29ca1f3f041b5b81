# ruff: noqa: E501  (one pattern a line reads better than folded ones)
"""What a question in figures and words says, in plain form: the whole of it, and the clause that asks."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tools.asides import tidy
from tools.numerals import digits


@dataclass(frozen=True)
class Reading:
    """The sum, its unit (`%` or none), and whether only a whole number answers."""

    sum: str
    unit: str = ""
    whole: bool = False


@dataclass(frozen=True)
class Text:
    """A question in plain lower-case words and figures."""

    all: str
    asked: str
    """The clause that asks."""

    @property
    def figures(self) -> list[str]:
        return re.findall(N, self.all)


N = r"(?<![\w.])\d+(?:\.\d+)?(?![\w.]*\d)"


W = r"[a-z][a-z'-]*"


_CUE = r"(?:how|what|what's|which|total|tell|by what|by how)"


OTHER = re.compile(
    r"\b(?:half|twice|double|triple|thrice|third|quarters?|dozens?|except|without|free|average|times|ratio|squared|older|younger|cubed|fewer|less than|more than|off|discount)\b|%|\d ?/ ?\d"
)
"""Words that change a sum: a frame that does not name them is silent about a text with one."""


_ALONE = re.compile(r"\b(?:average|total|perimeter|area|share|change|speed|sum|price)\b|\bin %")
"""What is asked for without a question word: `average speed if I cycle 45 km in 3 hours?`"""


_NO_THING = frozenset(
    [
        "does",
        "has",
        "more",
        "less",
        "is",
        "are",
        "was",
        "were",
        "do",
        "doe",
        "did",
        "will",
        "would",
        "can",
        "could",
        "should",
        "must",
        "have",
        "has",
        "ha",
        "i",
        "he",
        "she",
        "it",
        "we",
        "they",
        "that",
        "this",
        "money",
        "chang",
        "%",
        "point",
        "percent",
        "pay",
        "cost",
        "room",
        "time",
        "far",
        "per",
        "remain",
        "left",
        "there",
        "each",
        "long",
        "me",
        "you",
        "d",
        "going",
        "further",
    ]
)


_ALIKE = {
    "people": ("person", "us", "passenger", "guest", "friend", "visitor", "student", "worker", "adult", "seat", "ticket", "women", "kid"),
    "km": ("kilometr", "kilomet", "m", "mile"), "metr": ("m", "metre", "meter"), "met": ("m", "metre"), "kwh": ("kilowatt",),
    "fenc": ("m", "metr", "met"), "fencing": ("m", "metr", "met"), "wat": ("litr", "lit"), "water": ("litr", "liter"),
    "kid": ("children", "child", "pupil", "student", "class"), "children": ("kid", "child", "pupil", "student", "class"),
    "child": ("kid", "children"), "eur": ("euros", "euro"), "euro": ("euros",), "litr": ("l", "liter"), "gram": ("g", "kg"),
    "minut": ("min", "hour"), "hour": ("minut", "h"), "day": ("week", "month"), "month": ("year",), "week": ("year", "month"), "pupil": ("kid", "student", "class"),
}  # fmt: skip
"""Words under which the same things may have been spoken of."""


def in_plain(said: str) -> Text | None:
    """None where nothing is asked."""
    plain = digits(tidy(said).lower())
    plain = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", plain)
    plain = re.sub(r"(?<=\d),(?=\d{1,2}(?!\d))", ".", plain)
    plain = re.sub(r"[$€£]\s?(\d+(?:\.\d+)?)", r"\1 euros", plain)
    plain = re.sub(
        r"(?<=\d) ?(?:euros?|eur|dollars?|usd|gbp|bucks?|quid|francs?|chf|pounds(?= (?:and|each|for|to|note)|[.,?!]|$)|€|£|\$)(?![\w-])",
        " euros",
        plain,
    )
    plain = re.sub(r"\bper ?cent\b|\bpercent(?:age)?\b", "%", plain)
    plain = re.sub(r"(?<=\d)(?=[a-z%])|(?<=\d)-(?=[a-z])", " ", plain).replace("%", " % ")
    plain = re.sub(r"(?<=\d) - (?=[a-z])", " ", plain)
    plain = re.sub(r"(?<![\d.] )\b1 (?=[a-z])|(?<=[a-z] )1(?=[.,;?! ]*$)", "one ", plain)
    plain = " ".join(re.sub(r"[\"()]", " ", plain).split()).strip(" ?.!")
    found = list(re.finditer(rf"(?:^|(?<=[.,;:!?] )|(?<=\band )|(?<=\bso )|(?<= )){_CUE}\b", plain))
    starts = [match.start() for match in found if not re.match(r"what (?:a|an) ", plain[match.start() :])]
    if not starts:
        return Text(plain, plain) if _ALONE.search(plain) else None
    asked = next((plain[at:] for at in starts if not re.search(r"[.;!?] ", plain[at:])), plain[starts[-1] :])
    return Text(plain, asked)


def asks_for_others(text: Text) -> bool:
    """Whether it is asked how many there are of what was not spoken of: bottles are told, glasses asked for."""
    asked = re.match(
        rf"how (?:many|much) (?:(?:more|of the|of|full|new|other|whole|of these|square|cubic|different) )*({W})",
        text.asked,
    )
    if not asked or asked[1] in _NO_THING or len(text.asked) == len(text.all):
        return False
    told = text.all[: text.all.rfind(text.asked)]
    known = {stem(word) for word in re.findall(W, told)}
    return not known & {stem(asked[1]), *_ALIKE.get(stem(asked[1]), ())}


def plurals(word: str) -> str:
    """A pattern for the word and what may be its plural."""
    return rf"(?:{re.escape(word)}(?:e?s)?|{re.escape(re.sub('fe?$|y$', '', word))}(?:ves|ies))"


def stem(word: str) -> str:
    """One form for singular and plural."""
    return re.sub(r"(?<=[sxz])es$|(?<=[cs]h)es$|(?<=[^s])s$|e$", "", word)
