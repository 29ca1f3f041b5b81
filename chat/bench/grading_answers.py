"""Is the one thing that a reply asserts right? One rule for whatever answered: a model alone, or Duet.

Expected is `{"number": x, "tolerance": r}`, `{"any": [...]}` or `{"all": [...]}`, each perhaps with `"not": [...]`.
Strings must stand in the answer (or not), whatever the case, the quotes and the separators. A number must be asserted,
and no other beside it: what the person said, left sides of equations, dates, clock times and roundings are no others.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from math import ceil, floor
from typing import Annotated

from pydantic import Field
from pydantic.dataclasses import dataclass as pydantic_dataclass
from text_to_num import alpha2digit

SHORT, SHORTEST = 5, 3
"""Letters up to which a word must begin one (`iron` is not in `environment`), and end it too (`no` is not in `not`)."""
_FOLDED = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201b\u02bc\u2032", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u00ab\u00bb\u2033", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2212", "-"),
        **dict.fromkeys("\u2014\u2015", " - "),
        **dict.fromkeys("\u00a0\u202f\u2007\u2009\u200a", "\u00a0"),
        **dict.fromkeys("\u200b\u200e\u200f\ufeff", ""),
        **{sign: " " + unicodedata.normalize("NFKD", sign) for sign in "½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞"},
    }
)
_LATEX = (
    (r"\\[dt]?frac\s*\{([^{}]+)\}\s*\{([^{}]+)\}", r" \1/\2"),
    (r"\\(?:boxed|text\w*|math\w*|operatorname|underline)\s*\{([^{}]*)\}", r"\1"),
)
_MARKUP = (
    ("\u2044", "/"),
    (r"\{,\}", ","),
    (r"\\(?:implies|Rightarrow)\b", " = "),
    (r"\\(?:approx|simeq)\b", " ≈ "),
    (r"\\(?:times|cdot)\b", " × "),
    (r"\^?\{?\\circ\b\}?", "°"),
    (r"\\[,;:! ]", ""),
    (r"\\[()\[\]]|\\[a-zA-Z]+", " "),
    (r"\\(?=[$%#&_])|\$", ""),
    (r"\*\*|__|~~|`", ""),
    (r"(?<=[\d)]) ?\* ?(?=[\d(.])", " × "),
    (r"\*|(?<!\w)_(?=\w)|(?<=\w)_(?!\w)|(?m:^)\s*(?:#+|>)\s", ""),
)
_THOUSANDS = re.compile("(?<![\\d.,])\\d{1,3}(?:[,'\u00a0]\\d{3})+(?!\\d)")
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_LONG_MONTH = re.compile(rf"\b(?!may){_MONTH}")
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_DATES = (
    re.compile(r"\b(?P<year>\d{4})-\d{1,2}-\d{1,2}\b|\b\d{1,2}[./]\d{1,2}[./](?P<last>\d{4})\b"),
    re.compile(rf"\b{_DAY} (?:of )?{_MONTH}(?!\w),?(?: (?P<year>\d{{4}})\b)?", re.I),
    re.compile(rf"\b{_MONTH} {_DAY}(?!\w)(?:,? (?P<year>\d{{4}})\b)?", re.I),
    re.compile(rf"\b{_MONTH} (?P<year>\d{{4}})\b", re.I),
)
_CLOCK = re.compile(
    r"\b\d{1,2}[:.]\d{2}(?::\d{2})? ?[ap]\.?m\b\.?|\b\d{1,2}:\d{2}(?::\d{2})?\b|\b\d{1,2} ?[ap]\.?m\b\.?", re.I
)
_NUMBERING = re.compile(r"^\s*(?:step )?\d{1,2}[.):](?=\s+\S)", re.M | re.I)
_CLAUSE = re.compile(r"(?<=[.!?;:,])\s+|\n+|\s(?:and|so|or|but|which|then)\s", re.I)
_FIGURE = re.compile(
    r"(?<![\w^./])(?P<sign>(?<![\w)])-)?(?:(?P<whole>\d+)\s+(?=\d+/\d))?"
    r"(?:(?P<top>\d+)/(?P<bottom>\d+)(?![\d/])|(?P<plain>\d+(?:\.\d+)?|\.\d+))"
    r"(?:\s?(?P<scale>million|billion|thousand)\b|(?P<k>k)\b)?",
    re.I,
)
_CURRENCY = re.compile(r"[€£¥₹]|\b(?:rs\.?|eur|usd|gbp|inr|chf|cad|aud)\s?(?=\d)", re.I)
_SCALES = {"thousand": 1e3, "million": 1e6, "billion": 1e9}


@dataclass(frozen=True)
class Figure:
    """A number as it was written."""

    value: float
    places: int = 0
    """Decimals; many of a fraction, which is no rounding of anything."""


@pydantic_dataclass(frozen=True)
class Expect:
    """What a right answer asserts. Raises ValidationError for data that no answer could be held against."""

    number: float | None = None
    tolerance: float | None = None
    any: tuple[str, ...] = ()
    all: tuple[str, ...] = ()
    unsaid: Annotated[tuple[str, ...], Field(alias="not")] = ()

    def __post_init__(self) -> None:
        if not (self.any or self.all or self.unsaid) and self.number is None:
            raise ValueError("what it expects is empty, so no answer could be wrong")
        if self.number is not None and self.tolerance is None:
            raise ValueError("a `number` needs a `tolerance`")

    def met(self, answer: str, turns: Sequence[str], today: date | None = None) -> bool:
        """turns: what the person said, on that day."""
        if any(holds(answer, text) for text in self.unsaid):
            return False
        if self.any and not any(holds(answer, text) for text in self.any):
            return False
        if not all(holds(answer, text) for text in self.all):
            return False
        return self.number is None or self._asserted(answer, said_by_person(turns, today))

    def agrees(self, figure: Figure) -> bool:
        """Whether it is the number, within the tolerance."""
        x = self.number or 0.0
        return abs(figure.value - x) <= (self.tolerance or 0.0) + 1e-9 * max(1.0, abs(x))

    def _asserted(self, answer: str, said: Sequence[Figure]) -> bool:
        """Whether it is the one number that the answer asserts."""
        found, values = asserted(answer, self.number), {figure.value for figure in said}
        if not any(map(self.agrees, said)):
            found = [figure for figure in found if figure.value not in values] or found
        good = [figure for figure in found if self.agrees(figure)]
        others = (figure for figure in found if not self.agrees(figure))
        return bool(good) and all(o.value not in values and any(same(o, one) for one in good) for o in others)


# -- strings


def holds(answer: str, expected: str) -> bool:
    """Whether the answer holds the string: short words by themselves, figures whole.

    18 is in 18.00 and in 18:30, not in 18.5. LaTeX that is expected must stand there as it is.
    """
    want, before, after = folded(expected), "", ""
    if "\\" in expected or not want:
        return bool(want) and "".join(expected.split()) in "".join(answer.split())
    if want.isalpha() and len(want) <= SHORT:
        before = r"(?<!\w)"
    if want.isalpha() and (len(want) <= SHORTEST or figures(spelled(want))):
        after = r"(?:'?s)?(?!\w)"
    if want[0].isdigit():
        before = r"(?<!\d)(?<!\d[.,])(?<![^\w)]-)"
    if want[-1].isdigit():
        zeros = r"0*" if re.search(r"\.\d+$", want) else ""
        after = zeros + r"(?!\d)(?!\.(?![0-5]\d(?!\d))\d*[1-9])(?!,\d)"
    return re.search(before + re.escape(want) + after, f" {folded(answer)} ") is not None


def folded(text: str) -> str:
    """Lower case without accents, markup, thousands separators, ordinals; `5:30 p.m.` as 5:30pm, `October` as oct."""
    text = plain(text).casefold()
    text = "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))
    text = re.sub(r"(?<=\d)(?:st|nd|rd|th)\b(?: of\b)?", "", text)
    text = re.sub(r"(?<=\d)\s?([ap])\.?\s?m\b\.?", r"\1m", text)
    text = _LONG_MONTH.sub(lambda match: match[0][:3], text)
    return " ".join(re.sub(r",(?=\s)", "", text).split())


def plain(text: str) -> str:
    """The text without LaTeX and Markdown, quotes and dashes plain, `17,802` as 17802."""
    text = text.translate(_FOLDED)
    for pattern, by in _LATEX:
        while (inner := re.sub(pattern, by, text)) != text:
            text = inner
    for pattern, by in _MARKUP:
        text = re.sub(pattern, by, text)
    text = _THOUSANDS.sub(lambda match: re.sub(r"\D", "", match[0]), text)
    return text.replace("\u00a0", " ")


# -- numbers


def asserted(answer: str, x: float | None = None) -> list[Figure]:
    """The numbers that the answer asserts; number words only where there are no figures. A date's year may be x."""
    text = _NUMBERING.sub(" ", plain(answer))
    for pattern in _DATES:
        text = pattern.sub(lambda match: _year(match, x), text)
    text = re.sub(r"\s*\n\s*(?==)|(?<==)\s*\n\s*", " ", _CLOCK.sub(" ", text))
    return _of_clauses(text) or _of_clauses(spelled(text))


def said_by_person(turns: Sequence[str], today: date | None = None) -> list[Figure]:
    """All numbers of the person's turns, and the year that it is."""
    year = [Figure(float(today.year))] if today else []
    texts = (written for turn in turns for written in (plain(turn), spelled(plain(turn))))
    return year + [figure for text in texts for figure in figures(text)]


def figures(text: str) -> list[Figure]:
    """The numbers of a plain text: decimals, fractions, thousands and millions."""
    text = re.sub(r"(?<![\d,.])(\d+),(\d{1,2})(?![\d,])", r"\1.\2", _CURRENCY.sub("", text))
    return [figure for match in _FIGURE.finditer(text) if (figure := _read(match))]


def spelled(text: str) -> str:
    """With `seven`, `twenty-four`, `two hundred and five` as figures, and without ordinals, which count nothing."""
    return re.sub(r"\b\d+(?:st|nd|rd|th)\b", " ", alpha2digit(text.lower(), "en", 0))


def same(one: Figure, other: Figure) -> bool:
    """Whether one is a mere rounding of the other: to its own decimals, up or down too, or to tens and hundreds."""
    coarse, fine = sorted((one, other), key=lambda figure: figure.places)
    if coarse.places == fine.places:
        return any(_rounds(a.value, b.value) for a, b in ((one, other), (other, one)))
    unit = 10.0**coarse.places
    near = {round(fine.value * unit), floor(fine.value * unit), ceil(fine.value * unit)}
    return round(coarse.value * unit) in near or _rounds(fine.value, coarse.value)


def _rounds(value: float, by: float) -> bool:
    """Whether `by` is `value` to the nearest ten, hundred or thousand, within 5%."""
    near = abs(value - by) <= abs(value) / 20
    return near and any(by % ten == 0 and abs(value - by) <= ten / 2 for ten in (10, 100, 1000))


def _of_clauses(text: str) -> list[Figure]:
    """What stands right of the last `=` of each clause; what stands left of `≈` too where that is one number."""
    found = []
    for clause in _CLAUSE.split(text):
        *lefts, last = map(figures, clause.rpartition("=")[2].split("≈"))
        found += [*(left[0] for left in lefts if len(left) == 1), *last]
    return found


def _year(match: re.Match[str], x: float | None) -> str:
    years = {float(year) for name, year in match.groupdict().items() if name in ("year", "last") and year}
    return f" {x:.0f} " if x in years else " "


def _read(match: re.Match[str]) -> Figure | None:
    """None where a fraction has no value."""
    if match["top"]:
        if not int(match["bottom"]):
            return None
        value, places = int(match["whole"] or 0) + int(match["top"]) / int(match["bottom"]), 9
    else:
        value, places = float(match["plain"]), len(match["plain"].partition(".")[2])
    scale = _SCALES[match["scale"].lower()] if match["scale"] else 1e3 if match["k"] else 1.0
    return Figure(-scale * value if match["sign"] else scale * value, 0 if scale > 1 else places)
